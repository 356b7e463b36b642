// Two orders are proven equal by (docs/orders.md, "Equality"):
//   normal   equal normal forms;
//   all      so few values that every number of them can be compared;
//   prefix   one and the same first fold, and equal rests;
//   cut      heads that cut every sequence into the same runs, equal at each length up to a run's,
//            and equal tails.
#include "dsl/order/proof.h"

#include "dsl/order/normal.h"

#include <algorithm>
#include <optional>

namespace ordo::dsl {

namespace {

using Kind = Stage::Kind;
using Steps = std::vector<Step>;

/// An order taken apart: `head` folds every run of `span` values by itself, `tail` what that
/// leaves.
struct Cut {
  Steps head;
  Steps tail;
  std::int64_t span = 1;
};

constexpr std::int64_t kLongestSegment = std::int64_t{1} << 16;

std::int64_t spanOf(const Step &step) {
  const bool cuts = step.stage.n > 0 && step.stage.kind != Kind::Lanes && step.first == 0;
  return cuts ? step.stage.n : 0;
}

/// The ways to cut a `pairs` of any length into pairs(2^k) and the rest: `step` and `tail` say what
/// stands behind the head.
void cutPairs(const Step &step, const Cut &before, std::vector<Cut> &cuts) {
  const Stage &stage = step.stage;
  if (stage.kind != Kind::Pairs || stage.pad || step.first != 0)
    return;
  for (std::int64_t part = 2; before.span * part <= kLongestSegment; part *= 2) {
    if (stage.n != 0 && (stage.n % part != 0 || stage.n == part))
      return;
    Cut cut = before;
    cut.head.push_back(step);
    cut.head.back().stage.n = part;
    cut.tail.front().stage.n = stage.n / part;
    cut.span = before.span * part;
    cuts.push_back(std::move(cut));
  }
}

std::vector<Cut> cutsOf(const Steps &steps) {
  std::vector<Cut> cuts;
  Cut cut{{}, steps, 1};
  while (!cut.tail.empty()) {
    const Step step = cut.tail.front();
    cutPairs(step, cut, cuts);
    const std::int64_t span = spanOf(step);
    if (span == 0 || cut.span * span > kLongestSegment)
      break;
    cut.head.push_back(step);
    cut.tail.erase(cut.tail.begin());
    cut.span *= span;
    cuts.push_back(cut);
  }
  return cuts;
}

class Prover {
public:
  Prover(const Facts &facts, std::int64_t work) : expressions_(facts), facts_(facts), work_(work) {}

  /// For every number of values from `least` to `most`.
  bool equal(const Steps &a, const Steps &b, std::int64_t least, std::int64_t most) {
    const Steps left = normalSteps(a, most, facts_);
    const Steps right = normalSteps(b, most, facts_);
    if (left == right)
      return true;
    if (const auto verdict = all(left, right, least, most))
      return *verdict;
    if (!left.empty() && !right.empty() && left.front() == right.front() &&
        equal(Steps(left.begin() + 1, left.end()), Steps(right.begin() + 1, right.end()),
              fewestResults(left.front()), mostResults(left.front(), most)))
      return true;
    for (const Cut &x : cutsOf(left))
      for (const Cut &y : cutsOf(right))
        if (x.span == y.span && all(x.head, y.head, 1, x.span).value_or(false) &&
            equal(x.tail, y.tail, 1, runsIn(most, x.span)))
          return true;
    return false;
  }

private:
  static std::int64_t runsIn(std::int64_t longest, std::int64_t span) {
    return longest == kAnyLength ? kAnyLength : longest / span + (longest % span != 0);
  }

  static std::int64_t fewestResults(const Step &step) {
    return step.stage.kind == Kind::Lanes && step.stage.pad ? step.stage.n : 1;
  }

  /// Compares at least … most; nothing when that costs too much.
  std::optional<bool> all(const Steps &a, const Steps &b, std::int64_t least, std::int64_t most) {
    // Each length costs about twice its elements.
    if (most > kLongestSegment || expressions_.work() + (most - least + 1) * most > work_)
      return std::nullopt;
    for (std::int64_t length = least; length <= most; ++length) {
      expressions_.reset(length);
      if (expressions_.fold(a) != expressions_.fold(b))
        return false;
      if (expressions_.work() > work_)
        return std::nullopt;
    }
    return true;
  }

  Expressions expressions_;
  Facts facts_;
  std::int64_t work_;
};

} // namespace

bool provenEqual(const std::vector<Step> &a, const std::vector<Step> &b, std::int64_t longest,
                 const Facts &facts, std::int64_t work) {
  return Prover(facts, work).equal(a, b, 1, longest);
}

} // namespace ordo::dsl
