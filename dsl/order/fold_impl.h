// The body of fold(); include dsl/order/fold.h.
//
// Each stage rewrites the vector in place, so a fold costs one pass over the values per stage (mid
// and pairs included: their levels halve). Nothing recurses but mid, whose depth is log2 of its
// length.
#pragma once

#include "dsl/order/order.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ordo::dsl::detail {

/// The stages of one order over one sequence; each member is a stage's meaning (design section 3).
template <class V, class Ops> class StageFold {
public:
  StageFold(const Stage &stage, Ops &ops) : stage_(stage), ops_(ops) {}
  StageFold(const Step &step, Ops &ops)
      : stage_(step.stage), ops_(ops), first_(static_cast<std::size_t>(step.first)),
        missing_(static_cast<std::size_t>(step.missing())) {}

  std::vector<V> apply(std::vector<V> values) {
    if (values.empty())
      return values;
    switch (stage_.kind) {
    case Stage::Kind::Seq:
      return runs(std::move(values), &StageFold::chain);
    case Stage::Kind::Pairs:
      return runs(std::move(values), &StageFold::pairs);
    case Stage::Kind::Halves:
      return runs(std::move(values), &StageFold::halves);
    case Stage::Kind::Mid:
      return runs(std::move(values), &StageFold::mid);
    case Stage::Kind::Lanes:
      return lanes(std::move(values));
    case Stage::Kind::First:
    case Stage::Kind::Fma:
    case Stage::Kind::Mma:
      break;
    }
    throw std::invalid_argument("fold: `" + toString(stage_) +
                                "` folds no values; the caller takes that stage itself");
  }

private:
  /// A run: values [begin, end). A fold of it may overwrite them.
  struct Run {
    V *begin;
    V *end;
    std::size_t size() const { return static_cast<std::size_t>(end - begin); }
  };

  V merge(V &&left, V &&right) { return emit(ops_.add(std::move(left), std::move(right))); }

  /// What the stage lets out, a merge or a passed value alike.
  V emit(V &&value) {
    return stage_.round ? ops_.round(std::move(value), *stage_.round) : std::move(value);
  }

  void padTo(std::vector<V> &values, std::size_t size) {
    if (stage_.pad && values.size() < size)
      values.insert(values.end(), size - values.size(), ops_.literal(*stage_.pad));
  }

  static std::size_t roundUp(std::size_t size, std::size_t unit) {
    return (size + unit - 1) / unit * unit;
  }

  /// Runs of n, or the whole sequence as one run, each folded by `foldRun`.
  std::vector<V> runs(std::vector<V> values, V (StageFold::*foldRun)(Run)) {
    const auto n = static_cast<std::size_t>(stage_.n);
    const bool shortFirst = first_ != 0 && values.size() > first_;
    if (shortFirst && stage_.pad)
      values.insert(values.begin() + static_cast<std::ptrdiff_t>(first_), missing_,
                    ops_.literal(*stage_.pad));
    // A total tree's full run is the next power of two.
    padTo(values, n == 0 ? std::bit_ceil(values.size()) : roundUp(values.size(), n));
    const std::size_t length = values.size();
    std::size_t end = shortFirst && !stage_.pad ? first_ : n == 0 ? length : n;
    std::size_t out = 0;
    for (std::size_t begin = 0; begin < length; begin = end, end = begin + n, ++out) {
      V *base = values.data();
      values[out] = (this->*foldRun)({base + begin, base + std::min(end, length)});
    }
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(out), values.end());
    return values;
  }

  /// Puts `value` at the end of a chain; without a start, the first element begins it as it is.
  void extend(std::optional<V> &chain, V value) {
    if (chain)
      chain = merge(std::move(*chain), std::move(value));
    else if (stage_.start)
      chain = merge(ops_.literal(*stage_.start), std::move(value));
    else
      chain = std::move(value);
  }

  /// ((v0 ⊕ v1) ⊕ v2) ⊕ …
  V chain(Run run) {
    std::optional<V> sum;
    for (V *value = run.begin; value != run.end; ++value)
      extend(sum, std::move(*value));
    const bool passed = run.size() == 1 && !stage_.start;
    return passed ? emit(std::move(*sum)) : std::move(*sum);
  }

  /// Neighbours, level by level; an odd last value passes.
  V pairs(Run run) {
    std::size_t size = run.size();
    V *v = run.begin;
    if (size == 1)
      return emit(std::move(v[0]));
    while (size > 1) {
      for (std::size_t i = 0; i + 1 < size; i += 2)
        v[i / 2] = merge(std::move(v[i]), std::move(v[i + 1]));
      if (size % 2 != 0)
        v[size / 2] = emit(std::move(v[size - 1]));
      size = (size + 1) / 2;
    }
    return std::move(v[0]);
  }

  /// Half distances from the next power of two down; a value without a partner passes.
  V halves(Run run) {
    std::size_t size = run.size();
    V *v = run.begin;
    if (size == 1)
      return emit(std::move(v[0]));
    for (std::size_t half = std::bit_ceil(size) / 2; half >= 1; half /= 2) {
      for (std::size_t i = 0; i < half; ++i)
        v[i] = i + half < size ? merge(std::move(v[i]), std::move(v[i + half]))
                               : emit(std::move(v[i]));
      size = half;
    }
    return std::move(v[0]);
  }

  /// Splits at lo + (hi-lo)/2; a leaf folds in the accumulator type and rounds once.
  V mid(Run run) {
    if (run.size() > static_cast<std::size_t>(stage_.leaf)) {
      V *split = run.begin + run.size() / 2;
      V left = mid({run.begin, split});
      return merge(std::move(left), mid({split, run.end}));
    }
    V sum = std::move(*run.begin);
    for (V *value = run.begin + 1; value != run.end; ++value)
      sum = ops_.add(std::move(sum), std::move(*value));
    return emit(std::move(sum));
  }

  /// Lane r folds the runs of w at r*w, (r+n)*w, … as one chain. Places count the values that a
  /// short first run lacks.
  std::vector<V> lanes(std::vector<V> values) {
    const auto n = static_cast<std::size_t>(stage_.n);
    const auto w = static_cast<std::size_t>(stage_.w);
    if (stage_.pad)
      padTo(values, roundUp(values.size(), n * w));
    const std::size_t length = values.size() + missing_;
    const std::size_t count = std::min(n, (length + w - 1) / w);
    std::vector<V> sums;
    sums.reserve(count);
    for (std::size_t lane = 0; lane < count; ++lane) {
      std::optional<V> sum;
      std::size_t taken = 0;
      for (std::size_t begin = lane * w; begin < length; begin += n * w)
        for (std::size_t i = std::max(begin, missing_); i < std::min(begin + w, length);
             ++i, ++taken)
          extend(sum, std::move(values[i - missing_]));
      const bool passed = taken == 1 && !stage_.start;
      sums.push_back(passed ? emit(std::move(*sum)) : std::move(*sum));
    }
    return sums;
  }

  const Stage &stage_;
  Ops &ops_;
  std::size_t first_ = 0;   // what the first run takes, if not as much as the others
  std::size_t missing_ = 0; // what it lacks
};

} // namespace ordo::dsl::detail

namespace ordo::dsl {

template <class V, class Ops>
std::optional<V> fold(const Order &order, std::vector<V> values, Ops &&ops) {
  if (values.empty())
    return std::nullopt;
  using StageFold = detail::StageFold<V, std::remove_reference_t<Ops>>;
  static const Stage kSeq;
  if (order.empty())
    values = StageFold(kSeq, ops).apply(std::move(values));
  for (const Step &step : stepsOf(order))
    values = StageFold(step, ops).apply(std::move(values));
  if (values.size() != 1)
    throw std::invalid_argument("fold: `" + toString(order) + "` leaves more than one value");
  return std::move(values.front());
}

} // namespace ordo::dsl
