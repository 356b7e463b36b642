#include "dsl/eval/kernels.h"

namespace ordo::dsl::detail {
namespace {

using namespace lane;

template <DType T, auto F> constexpr Kernel kUnary = mapUnary<Repr<T>, Repr<T>, F>;
template <DType T, auto F> constexpr Kernel kBinary = mapBinary<Repr<T>, Repr<T>, F>;
template <DType T, auto F> constexpr Kernel kTernary = mapTernary<Repr<T>, Repr<T>, F>;

/// One operand, through the host's float.
template <DType T, auto F>
constexpr Kernel kFloat1 = kUnary<T, [](Repr<T> a) { return rounded<T>(F(native<T>(a))); }>;
template <DType T, auto F>
constexpr Kernel kFloat2 =
    kBinary<T, [](Repr<T> a, Repr<T> b) { return rounded<T>(F(native<T>(a), native<T>(b))); }>;

template <DType T> Kernel floatKernel(Op op) {
  using R = Repr<T>;
  constexpr std::uint64_t kSign = std::uint64_t{1} << (sizeof(R) * 8 - 1);
  switch (op) {
  // The sign alone: exact, and the same for half formats as for host floats.
  case Op::Neg:
    return kUnary<T, [](R a) { return fromBits<R>(toBits(a) ^ kSign); }>;
  case Op::Abs:
    return kUnary<T, [](R a) { return fromBits<R>(toBits(a) & ~kSign); }>;
  case Op::Sqrt:
    return kFloat1<T, [](auto a) { return std::sqrt(a); }>;
  case Op::Floor:
    return kFloat1<T, [](auto a) { return floorFloat(a); }>;
  case Op::Add:
    return kFloat2<T, [](auto a, auto b) { return a + b; }>;
  case Op::Sub:
    return kFloat2<T, [](auto a, auto b) { return a - b; }>;
  case Op::Mul:
    return kFloat2<T, [](auto a, auto b) { return a * b; }>;
  case Op::Div:
    return kFloat2<T, [](auto a, auto b) { return a / b; }>;
  case Op::Min:
    return kFloat2<T, [](auto a, auto b) { return minFloat(a, b); }>;
  case Op::Max:
    return kFloat2<T, [](auto a, auto b) { return maxFloat(a, b); }>;
  case Op::MinNan:
    return kFloat2<T, [](auto a, auto b) { return a != a ? a : b != b ? b : minFloat(a, b); }>;
  case Op::MaxNan:
    return kFloat2<T, [](auto a, auto b) { return a != a ? a : b != b ? b : maxFloat(a, b); }>;
  case Op::Fma:
    if constexpr (isHalf(T))
      return kTernary<T, [](R a, R b, R c) { return fmaHalf<T>(a, b, c); }>;
    else
      return kTernary<T, [](R a, R b, R c) { return std::fma(a, b, c); }>;
  default:
    return nullptr;
  }
}

template <DType T> Kernel wholeKernel(Op op) {
  using R = Repr<T>;
  switch (op) {
  case Op::Neg:
    return kUnary<T, [](R a) { return wrapSub<R>(0, a); }>;
  case Op::Abs:
    return kUnary<T, [](R a) { return a < 0 ? wrapSub<R>(0, a) : a; }>;
  case Op::Add:
    return kBinary<T, [](R a, R b) { return wrapAdd(a, b); }>;
  case Op::Sub:
    return kBinary<T, [](R a, R b) { return wrapSub(a, b); }>;
  case Op::Mul:
    return kBinary<T, [](R a, R b) { return wrapMul(a, b); }>;
  case Op::Div:
    return kBinary<T, [](R a, R b) { return floorDiv(a, b); }>;
  case Op::Rem:
    return kBinary<T, [](R a, R b) { return floorMod(a, b); }>;
  case Op::Min:
  case Op::MinNan:
    return kBinary<T, [](R a, R b) { return a < b ? a : b; }>;
  case Op::Max:
  case Op::MaxNan:
    return kBinary<T, [](R a, R b) { return a < b ? b : a; }>;
  default:
    break;
  }
  if constexpr (T == DType::Index)
    return nullptr; // exact integers have no width
  else
    return op == Op::MulHi ? kBinary<T, [](R a, R b) { return mulHigh(a, b); }> : nullptr;
}

template <DType T, auto F>
constexpr Kernel kCompare = mapBinary<std::uint8_t, Repr<T>, [](Repr<T> a, Repr<T> b) {
  return static_cast<std::uint8_t>(F(native<T>(a), native<T>(b)));
}>;

template <DType T> Kernel compareKernel(Op op) {
  switch (op) {
  case Op::Eq:
    return kCompare<T, [](auto a, auto b) { return a == b; }>;
  case Op::Ne:
    return kCompare<T, [](auto a, auto b) { return a != b; }>;
  case Op::Lt:
    return kCompare<T, [](auto a, auto b) { return a < b; }>;
  case Op::Le:
    return kCompare<T, [](auto a, auto b) { return a <= b; }>;
  case Op::Gt:
    return kCompare<T, [](auto a, auto b) { return a > b; }>;
  case Op::Ge:
    return kCompare<T, [](auto a, auto b) { return a >= b; }>;
  default:
    return nullptr;
  }
}

template <class R> void select(void *out, const void *const *args, std::size_t count) {
  auto *__restrict o = static_cast<R *>(out);
  const auto *c = static_cast<const std::uint8_t *>(args[0]);
  const auto *a = static_cast<const R *>(args[1]);
  const auto *b = static_cast<const R *>(args[2]);
  for (std::size_t i = 0; i < count; ++i) {
    const R x = a[i];
    const R y = b[i];
    o[i] = c[i] ? x : y;
  }
}

} // namespace

Kernel arithmeticKernel(Op op, DType type) {
  return forType(type, [op]<DType T>() -> Kernel {
    if constexpr (isNative(T) || isHalf(T))
      return floatKernel<T>(op);
    else if constexpr (isWhole(T))
      return wholeKernel<T>(op);
    else
      return nullptr;
  });
}

Kernel logicKernel(Op op, DType type) {
  return forType(type, [op]<DType T>() -> Kernel {
    using R = Repr<T>;
    if constexpr (T == DType::Bool || (isWhole(T) && T != DType::Index)) {
      switch (op) {
      case Op::And:
        return kBinary<T, [](R a, R b) -> R { return a & b; }>;
      case Op::Or:
        return kBinary<T, [](R a, R b) -> R { return a | b; }>;
      case Op::Xor:
        return kBinary<T, [](R a, R b) -> R { return a ^ b; }>;
      case Op::Not:
        return kUnary<T, [](R a) -> R { return T == DType::Bool ? a ^ 1 : static_cast<R>(~a); }>;
      default:
        break;
      }
    }
    if constexpr (isWhole(T) && T != DType::Index) {
      switch (op) {
      case Op::Shl:
        return kBinary<T, [](R a, R b) -> R { return shiftLeft(a, b); }>;
      case Op::Shr:
        return kBinary<T, [](R a, R b) -> R { return a >> shiftAmount(b); }>;
      default:
        break;
      }
    }
    return nullptr;
  });
}

Kernel comparisonKernel(Op op, DType argType) {
  return forType(argType, [op]<DType T>() -> Kernel {
    if constexpr (isF8(T))
      return nullptr;
    else if constexpr (T == DType::Bool)
      return op == Op::Eq || op == Op::Ne ? compareKernel<T>(op) : nullptr;
    else
      return compareKernel<T>(op);
  });
}

Kernel selectKernel(DType type) {
  switch (elementSize(type)) {
  case 1:
    return select<std::uint8_t>;
  case 2:
    return select<std::uint16_t>;
  case 4:
    return select<std::uint32_t>;
  default:
    return select<std::uint64_t>;
  }
}

} // namespace ordo::dsl::detail
