// Rewriting to the normal form, to a fixed point:
//   1. each stage by itself, knowing how many values can reach it and what they are rounded to;
//   2. pads that lanes hand on go where all that follows passes over them; stages that change no
//      value go;
//   3. neighbouring pairs stages become one, and a rounding that `mid` does anyway moves before it.
// The rules and why they hold: docs/orders.md, "Normal forms".
#include "dsl/order/normal.h"

#include "dsl/order/tree.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

namespace ordo::dsl {

namespace {

using Kind = Stage::Kind;

bool isMinusZero(const std::optional<double> &value) {
  return value && *value == 0.0 && std::signbit(*value);
}

/// Whether values rounded to `known` stay as they are when the stage rounds them.
bool isRounded(std::optional<DType> known, const Stage &stage) {
  return !stage.round || (known && isWithin(*known, *stage.round));
}

bool isFused(Kind kind) { return kind == Kind::Fma || kind == Kind::Mma; }

class StageRules {
public:
  /// At least `fewest` and at most `longest` values reach the stage, rounded to `known`.
  StageRules(Step &step, std::int64_t fewest, std::int64_t longest, std::optional<DType> known,
             const Facts &facts)
      : step_(step), stage_(step.stage), fewest_(fewest), longest_(longest), known_(known),
        facts_(facts) {}

  void apply() {
    if (step_.missing() == 0 || longest_ <= step_.first)
      step_.first = 0; // the first run is like the others, or the only one
    if (isFused(stage_.kind))
      return fused();
    suffixes();
    if (stage_.kind == Kind::Lanes)
      lanes();
    if (stage_.kind != Kind::Lanes)
      runs();
  }

private:
  void fused() {
    if (stage_.kind == Kind::Fma && isMinusZero(stage_.start))
      stage_.start.reset(); // where it starts anyway
    if (stage_.kind == Kind::Mma && stage_.start && *stage_.start == 0.0 &&
        !isMinusZero(stage_.start))
      stage_.start.reset();
    if (stage_.n >= longest_)
      stage_.n = 0;
  }

  void suffixes() {
    const bool single = stage_.n == 1 && stage_.w == 1;
    if (single || (stage_.n == 0 && longest_ == 1))
      stage_.pad.reset(); // a run of one is never short
    if (!facts_.minusZeroIsTheIdentity)
      return;
    if (isMinusZero(stage_.start) && !stage_.round) // a rounding would round the first value
      stage_.start.reset();
    if (isMinusZero(stage_.pad) && padVanishes())
      stage_.pad.reset();
  }

  /// Whether filling up with the identity leaves every result as it is.
  bool padVanishes() const {
    switch (stage_.kind) {
    case Kind::Seq:
    case Kind::Pairs: // what a pad would round has been rounded as it passed
      return true;
    case Kind::Halves: // with a size, pads change the first stride, so what passes
      return !stage_.round || stage_.n == 0 || isRounded(known_, stage_);
    case Kind::Lanes: // more lanes would get values
      return stage_.n == 1;
    default:
      return false;
    }
  }

  void lanes() {
    if (stage_.pad)
      return;
    if (stage_.n == 1)
      become(Kind::Seq, 0); // one lane takes everything in turn
    else if (longest_ != kAnyLength && longest_ + step_.missing() <= stage_.n * stage_.w)
      become(Kind::Seq, stage_.w); // no lane has a second run
  }

  void become(Kind kind, std::int64_t n) {
    stage_.kind = kind;
    stage_.n = n;
    stage_.w = 1;
    stage_.leaf = 1;
    if (n == 0)
      step_.first = 0;
  }

  void runs() {
    if (!stage_.pad && step_.first == 0 && stage_.n >= longest_)
      stage_.n = 0;
    if (stage_.pad && std::has_single_bit(static_cast<std::uint64_t>(stage_.n)))
      fullTrees();
    if (stage_.pad && stage_.n == 0)
      return fullTrees(); // runs of every power of two
    if (stage_.n == 0 && fewest_ == longest_ &&
        std::has_single_bit(static_cast<std::uint64_t>(longest_)))
      fullTrees(); // one power of two
    const std::int64_t most = stage_.pad || step_.first != 0 ? stage_.n
                              : stage_.n == 0                ? longest_
                                                             : std::min(stage_.n, longest_);
    if (stage_.kind == Kind::Mid)
      middle(most);
    const bool asChain = stage_.kind == Kind::Pairs    ? most <= (stage_.round ? 2 : 3)
                         : stage_.kind == Kind::Halves ? most <= 2
                                                       : false;
    if (asChain)
      become(Kind::Seq, stage_.n);
  }

  /// `mid` over runs filled up to powers of two, which it halves as `pairs` does from below.
  void fullTrees() {
    if (stage_.kind != Kind::Mid)
      return;
    stage_.leaf =
        static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(stage_.leaf)));
    if (stage_.leaf == 2 || (stage_.leaf == 1 && !stage_.round))
      become(Kind::Pairs, stage_.n);
  }

  /// `mid` with runs of at most `most`.
  void middle(std::int64_t most) {
    stage_.leaf = std::min(stage_.leaf, most);
    const bool wholeLeaf = stage_.leaf == most;
    if (stage_.leaf == 2 && known_ && isWithin(*known_, stage_.round.value_or(*known_)))
      stage_.leaf = 1;  // rounding the two by themselves changes nothing
    if (stage_.round) { // a leaf rounds once, every other merge of a chain each time
      if (wholeLeaf && most <= 2)
        become(Kind::Seq, stage_.n);
      return;
    }
    if (wholeLeaf || most <= 2)
      become(Kind::Seq, stage_.n);
    else if (stage_.leaf == 3 && most == 4)
      become(Kind::Pairs, stage_.n);
    else if (stage_.leaf == 2)
      stage_.leaf = 1; // two values have one tree
  }

  Step &step_;
  Stage &stage_;
  std::int64_t fewest_;
  std::int64_t longest_;
  std::optional<DType> known_;
  const Facts &facts_;
};

/// `mid: T` rounds every value that reaches it. So it may as well have been rounded by the stage
/// before, if that stage made it by one merge or none; written so where there was a merge.
bool moveRounding(std::vector<Step> &steps) {
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    Stage &stage = steps[i].stage;
    const Stage &next = steps[i + 1].stage;
    if (next.kind != Kind::Mid || next.leaf != 1 || !next.round || next.pad ||
        stage.kind != Kind::Seq || stage.round.value_or(*next.round) != *next.round)
      continue;
    if (stage.n == 0)
      continue;
    const std::int64_t merges = stage.n - 1 + (stage.start ? 1 : 0);
    if (merges == 0 && stage.round) {
      steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(i));
      return true;
    }
    if (merges == 1 && !stage.round) {
      stage.round = next.round;
      return true;
    }
  }
  return false;
}

/// Whether the step gives back each of its at most `longest` values; `known`: what they are rounded
/// to.
bool changesNothing(const Step &step, std::int64_t longest, std::optional<DType> known) {
  const Stage &stage = step.stage;
  if (isFused(stage.kind) || stage.start || stage.pad || stage.kind == Kind::Lanes)
    return false;
  const bool singles = stage.n == 1 || (stage.n == 0 && longest == 1);
  return singles && (!stage.round || (known && isWithin(*known, *stage.round)));
}

/// Whether the steps from `at` on give the same sum when more of the identity follows the values
/// that reach them, which are rounded to `known`.
bool passesOverPads(const std::vector<Step> &steps, std::size_t at, std::optional<DType> known) {
  for (; at < steps.size(); ++at) {
    const Stage &stage = steps[at].stage;
    if (stage.kind == Kind::Mid || stage.start || (stage.pad && !isMinusZero(stage.pad)))
      return false;
    if (stage.kind == Kind::Halves && !isRounded(known, stage)) // more values pass, and are rounded
      return false;
    known = stage.round;
  }
  return true;
}

/// The run length of the `pairs` that the step is like on at most `longest` values (0: total).
std::optional<std::int64_t> asPairs(const Step &step, std::int64_t longest) {
  const Stage &stage = step.stage;
  if (stage.start || stage.pad || step.first != 0)
    return std::nullopt;
  if (stage.kind == Kind::Pairs)
    return stage.n;
  const std::int64_t most = stage.n == 0 ? longest : stage.n;
  if (stage.kind == Kind::Seq && most >= 2 && most <= (stage.round ? 2 : 3))
    return stage.n;
  return std::nullopt;
}

/// pairs(2^k) | pairs(m) = pairs(2^k m). The first must have merges of its own to round the values
/// that the second would pass unrounded.
bool mergePairs(std::vector<Step> &steps, std::int64_t longest) {
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    const std::int64_t between = mostResults(steps[i], longest);
    const auto inner = asPairs(steps[i], longest);
    const auto outer = asPairs(steps[i + 1], between);
    if (inner && outer && *inner >= 2 && std::has_single_bit(static_cast<std::uint64_t>(*inner)) &&
        steps[i].stage.round == steps[i + 1].stage.round && *inner * *outer <= kMaxStageSize) {
      steps[i].stage.kind = Kind::Pairs;
      steps[i].stage.n = *inner * *outer;
      steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      return true;
    }
    longest = between;
  }
  return false;
}

/// One pass of rules over all stages.
void rewrite(std::vector<Step> &steps, std::int64_t longest, const Facts &facts) {
  std::optional<DType> known;
  std::int64_t fewest = 1;
  std::vector<Step> kept;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Step step = steps[i];
    StageRules(step, fewest, longest, known, facts).apply();
    Stage &stage = step.stage;
    if (facts.minusZeroIsTheIdentity && stage.kind == Kind::Lanes && isMinusZero(stage.pad) &&
        !stage.start && passesOverPads(steps, i + 1, stage.round))
      stage.pad.reset();
    // The last must stay where the one before is not total by itself.
    const bool needed = i + 1 == steps.size() && (kept.empty() || !kept.back().stage.isTotal());
    if (!needed && changesNothing(step, longest, known))
      continue;
    known = step.stage.round;
    fewest = resultLength(step, fewest);
    longest = mostResults(step, longest);
    kept.push_back(step);
  }
  steps = std::move(kept);
}

} // namespace

std::int64_t mostResults(const Step &step, std::int64_t longest) {
  const Stage &stage = step.stage;
  if (longest == kAnyLength)
    return stage.isTotal() ? 1 : stage.kind == Kind::Lanes ? stage.n : kAnyLength;
  return resultLength(step, longest);
}

std::vector<Step> normalSteps(std::vector<Step> steps, std::int64_t longest, const Facts &facts) {
  if (longest > Tree::kMaxLength)
    longest = kAnyLength; // room for what a short first run lacks
  std::vector<Step> before;
  do {
    before = steps;
    rewrite(steps, longest, facts);
    while (mergePairs(steps, longest) || moveRounding(steps)) {
    }
  } while (steps != before);
  return steps;
}

Order orderOf(const std::vector<Step> &steps) {
  Order order;
  for (const Step &step : steps) {
    if (step.first != 0) {
      Stage first;
      first.kind = Kind::First;
      first.n = step.first;
      order.stages.push_back(first);
    }
    order.stages.push_back(step.stage);
  }
  return order;
}

namespace {

/// Only the last stage of an order may be total. One before it that became total, while a stage
/// after it still rounds or starts, is written with runs that hold whatever can come.
void writeAsRuns(std::vector<Step> &steps, std::int64_t longest) {
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    Stage &stage = steps[i].stage;
    const std::int64_t reaching = longest;
    longest = mostResults(steps[i], longest);
    if (!stage.isTotal())
      continue;
    stage.n = stage.kind == Kind::Seq ? 1 : reaching;
    if (stage.kind == Kind::Seq)
      stage.kind = Kind::Lanes;
  }
}

} // namespace

Order normalForm(const Order &order, std::int64_t longest, const Facts &facts) {
  std::vector<Step> steps = normalSteps(stepsOf(order), longest, facts);
  writeAsRuns(steps, longest > Tree::kMaxLength ? kAnyLength : longest);
  return orderOf(steps);
}

} // namespace ordo::dsl
