// Folding a reduction's elements in its accumulator's own representation.
#include "dsl/eval/lane.h"
#include "dsl/eval/machine.h"
#include "dsl/order/fold.h"

#include <cstring>

namespace ordo::dsl::machine {
namespace {

using namespace lane;

template <DType T, ReduceOp O> struct Merge {
  using V = Repr<T>;

  V add(V a, V b) const {
    if constexpr (isWhole(T)) {
      if constexpr (O == ReduceOp::Max || O == ReduceOp::MaxNan)
        return a < b ? b : a;
      else if constexpr (O == ReduceOp::Min || O == ReduceOp::MinNan)
        return a < b ? a : b;
      else
        return wrapAdd(a, b);
    } else {
      const auto x = native<T>(a), y = native<T>(b);
      if constexpr (O == ReduceOp::Max)
        return rounded<T>(maxFloat(x, y));
      else if constexpr (O == ReduceOp::Min)
        return rounded<T>(minFloat(x, y));
      else if constexpr (O == ReduceOp::MaxNan)
        return rounded<T>(x != x ? x : y != y ? y : maxFloat(x, y));
      else if constexpr (O == ReduceOp::MinNan)
        return rounded<T>(x != x ? x : y != y ? y : minFloat(x, y));
      else
        return rounded<T>(x + y);
    }
  }
  V round(V value, DType to) const {
    return fromBits<V>(castBits(to, T, castBits(T, to, toBits(value))));
  }
  V literal(double value) const { return fromBits<V>(castBits(DType::F64, T, toBits(value))); }
};

template <class V> std::vector<V> valuesOf(const std::vector<std::byte> &bytes, std::size_t count) {
  std::vector<V> values(count);
  if (count != 0)
    std::memcpy(values.data(), bytes.data(), count * sizeof(V));
  return values;
}

template <class V> std::vector<V> allOf(const std::vector<std::byte> &bytes) {
  return valuesOf<V>(bytes, bytes.size() / sizeof(V));
}

/// The leading `fma` stage: acc ← fma(a, b, acc) over runs, from -0.0 or the stage's start.
template <DType T, class Ops>
std::vector<Repr<T>> foldFused(const ReductionState &state, std::size_t count, const Ops &ops) {
  using V = Repr<T>;
  const Stage &stage = state.reduction->order.stages.front();
  const std::vector<V> a = valuesOf<V>(state.values[0], count);
  const std::vector<V> b = valuesOf<V>(state.values[1], count);
  const std::size_t run = stage.n == 0 ? count : static_cast<std::size_t>(stage.n);
  std::vector<V> sums;
  for (std::size_t begin = 0; begin < count; begin += run) {
    V sum = ops.literal(stage.start.value_or(-0.0));
    for (std::size_t i = begin; i < std::min(begin + run, count); ++i) {
      if constexpr (isHalf(T))
        sum = fmaHalf<T>(a[i], b[i], sum);
      else if constexpr (isNative(T))
        sum = std::fma(a[i], b[i], sum);
      if (stage.round)
        sum = ops.round(sum, *stage.round);
    }
    sums.push_back(sum);
  }
  return sums;
}

template <DType T, ReduceOp O>
std::uint64_t foldTyped(const ReductionState &state, std::size_t count) {
  using V = Repr<T>;
  const Merge<T, O> ops;
  const V identity = state.atom ? V{} : fromBits<V>(identityBits(O, T));
  std::vector<V> values;
  if (state.atom)
    values = allOf<V>(foldMatrix(state, static_cast<std::int64_t>(count)));
  else if (state.fused)
    values = foldFused<T>(state, count, ops);
  else
    values = valuesOf<V>(state.values[0], count);
  // max and min start from their identity; a NaN they drop leaves it.
  if constexpr (O == ReduceOp::Max || O == ReduceOp::Min)
    for (V &value : values)
      value = ops.add(identity, value);
  const std::optional<V> result = fold(state.rest, std::move(values), ops);
  return toBits(result.value_or(identity));
}

template <DType T> std::uint64_t foldOf(const ReductionState &state, std::size_t count) {
  switch (state.reduction->op) {
  case ReduceOp::Max:
    return foldTyped<T, ReduceOp::Max>(state, count);
  case ReduceOp::Min:
    return foldTyped<T, ReduceOp::Min>(state, count);
  case ReduceOp::MaxNan:
    return foldTyped<T, ReduceOp::MaxNan>(state, count);
  case ReduceOp::MinNan:
    return foldTyped<T, ReduceOp::MinNan>(state, count);
  case ReduceOp::Dot:
    return foldTyped<T, ReduceOp::Dot>(state, count);
  default:
    return foldTyped<T, ReduceOp::Sum>(state, count);
  }
}

} // namespace

std::uint64_t foldBits(const ReductionState &state, std::int64_t length) {
  const auto count = static_cast<std::size_t>(length);
  if (state.reduction->op == ReduceOp::Count) {
    std::uint64_t live = 0;
    for (std::size_t i = 0; i < count; ++i)
      live += static_cast<std::uint64_t>(state.values[0][i]);
    return castBits(DType::U64, state.type, live);
  }
  switch (state.type) {
  case DType::F64:
    return foldOf<DType::F64>(state, count);
  case DType::F32:
    return foldOf<DType::F32>(state, count);
  case DType::F16:
    return foldOf<DType::F16>(state, count);
  case DType::BF16:
    return foldOf<DType::BF16>(state, count);
  case DType::I32:
    return foldOf<DType::I32>(state, count);
  case DType::I64:
  case DType::Index:
    return foldOf<DType::I64>(state, count);
  case DType::U32:
    return foldOf<DType::U32>(state, count);
  default:
    return foldOf<DType::U64>(state, count);
  }
}

} // namespace ordo::dsl::machine
