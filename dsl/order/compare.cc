// Comparing two orders:
//   1. equal normal forms: equal; equal up to a length, the search begins behind it;
//   2. the expressions at every short length: a difference ends the search, and a range that ends
//      here is decided;
//   3. a proof of equality at every length, from segments of both that are compared at all lengths
//      they can have (docs/orders.md, "Equality");
//   4. more lengths in turn, then a few long ones at which runs and lanes end.
#include "dsl/order/compare.h"

#include "dsl/order/proof.h"
#include "dsl/order/tree.h"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace ordo::dsl {

namespace {

constexpr std::int64_t kShortLengths = 256; // compared before a proof is tried
constexpr std::int64_t kLongestProbe = std::int64_t{1} << 22;

class Search {
public:
  Search(const Order &a, const Order &b, const Lengths &lengths, const Facts &facts,
         std::int64_t work)
      : a_(stepsOf(a)), b_(stepsOf(b)), lengths_(lengths), facts_(facts), expressions_(facts),
        work_(work) {}

  Comparison run() {
    if (sameNormalForms(lengths_.longest))
      return equal();
    findEnds();
    skipShortLengths();
    if (!upTo(std::min(next_ + kShortLengths, lengths_.longest), work_ / 4))
      return result_;
    if (next_ > lengths_.longest || provenEqual(a_, b_, lengths_.longest, facts_, work_))
      return equal();
    if (!upTo(lengths_.longest, work_))
      return result_;
    if (next_ > lengths_.longest)
      return equal();
    probe();
    return result_;
  }

private:
  Comparison equal() {
    result_.verdict = Verdict::Equal;
    return result_;
  }

  bool sameNormalForms(std::int64_t longest) const {
    return normalSteps(a_, longest, facts_) == normalSteps(b_, longest, facts_);
  }

  /// Lengths up to which the normal forms agree need no comparing: where all fits one run, say.
  void skipShortLengths() {
    next_ = lengths_.shortest;
    for (const std::int64_t end : ends_)
      if (end >= next_ && end < lengths_.longest && sameNormalForms(end))
        next_ = end + 1;
    result_.compared = next_ == lengths_.shortest ? 0 : next_ - 1;
  }

  bool sameAt(std::int64_t length) {
    expressions_.reset(length);
    return expressions_.fold(a_) == expressions_.fold(b_);
  }

  void different(std::int64_t length, bool isFirst) {
    result_.verdict = Verdict::Different;
    result_.length = length;
    result_.isFirst = isFirst;
  }

  /// Compares the lengths from next_ to `last` while the work lasts; false: they differ at one.
  bool upTo(std::int64_t last, std::int64_t work) {
    for (; next_ <= last && next_ <= kLongestProbe && spent() + next_ < work; ++next_) {
      if (!sameAt(next_)) {
        different(next_, true);
        return false;
      }
      result_.compared = next_;
    }
    return true;
  }

  std::int64_t spent() const { return expressions_.work(); }

  /// Lengths at which a whole number of runs, lanes or leaves ends, and their neighbours.
  void findEnds() {
    constexpr std::int64_t kMost = Tree::kMaxLength;
    std::set<std::int64_t> ends;
    for (const std::vector<Step> *steps : {&a_, &b_}) {
      std::int64_t span = 1;
      for (const auto &[stage, first] : *steps) {
        const std::int64_t size = std::max<std::int64_t>(stage.n, 1) * stage.w;
        for (const std::int64_t part : {first, stage.leaf, size})
          ends.insert(std::min(kMost / span, part) * span);
        span = std::min(kMost / span, size) * span;
      }
    }
    for (const std::int64_t end : ends)
      for (const std::int64_t times : {1, 2, 3, 4})
        for (const std::int64_t off : {-1, 0, 1, 2})
          ends_.insert(end * times + off);
  }

  void probe() {
    const std::int64_t most = spent() + work_;
    for (const std::int64_t length : ends_) {
      if (length < next_)
        continue;
      if (length > std::min(lengths_.longest, kLongestProbe) || spent() + 2 * length > most)
        return;
      if (!sameAt(length))
        return different(length, length == next_);
    }
  }

  std::vector<Step> a_;
  std::vector<Step> b_;
  Lengths lengths_;
  Facts facts_;
  Expressions expressions_;
  std::int64_t work_;
  std::set<std::int64_t> ends_;
  std::int64_t next_ = 1; // the shortest length not compared yet
  Comparison result_;
};

} // namespace

std::string_view name(Verdict verdict) {
  switch (verdict) {
  case Verdict::Equal:
    return "equal";
  case Verdict::Different:
    return "different";
  case Verdict::Unknown:
    return "unknown";
  }
  return "";
}

Comparison compare(const Order &a, const Order &b, const Lengths &lengths, const Facts &facts,
                   std::int64_t work) {
  for (const Order *order : {&a, &b})
    if (const auto reason = malformed(*order))
      throw std::invalid_argument("compare: " + *reason);
  if (lengths.shortest < 1 || lengths.longest < lengths.shortest)
    throw std::invalid_argument("compare: no lengths to compare at");
  const std::int64_t longest = lengths.longest > Tree::kMaxLength ? kAnyLength : lengths.longest;
  return Search(a, b, {lengths.shortest, longest}, facts, work).run();
}

} // namespace ordo::dsl
