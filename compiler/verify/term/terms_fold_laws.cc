// Folds over a known number of steps, in one form however a loop was cut: unrolled, its first steps
// before it or its last ones behind it.
//
// 1. A step that does the same thing m times becomes m steps that do it once.
// 2. Steps that were taken before the loop become the fold's; a sum that began with its first
//    element begins with -0.0, its identity.
// 3. An operation on a fold that is its next step makes the fold one step longer.
//
// Each holds by what a fold is: next(…next(next(first, 0), 1)…, count - 1), where next is a
// function of all integers, whatever the loop's step was known to be.
#include "compiler/verify/machine/fault.h"
#include "compiler/verify/term/substitution.h"

#include <algorithm>
#include <utility>

namespace ordo::verify {
namespace {

constexpr std::size_t kLongestSpine = 1024;

bool commutes(Kind kind) { return kind == Kind::FAdd || kind == Kind::FMul; }

} // namespace

/// The operations from the step's result down to the value before, if one operand of each leads
/// there; empty otherwise.
std::vector<NodeId> Terms::spine(const FoldStep &s) const {
  std::vector<NodeId> path;
  for (NodeId at = s.next; at != s.carried;) {
    if (path.size() == kLongestSpine || !pool_.node(at).sort.isFloat() ||
        pool_.node(at).kind == Kind::Fold)
      return {};
    path.push_back(at);
    std::optional<NodeId> down;
    for (const NodeId arg : pool_.args(at))
      if (mentions(arg, s.carried)) {
        if (down)
          return {};
        down = arg;
      }
    if (!down)
      return {};
    at = *down;
  }
  return path;
}

/// The step's result for a value before it and a number of it.
std::optional<NodeId> Terms::stepWith(const FoldStep &s, NodeId carried, std::int64_t number) {
  try {
    Substitution with(*this, {{s.carried, carried}},
                      StepChange{s.step, std::nullopt, 1, number, 1});
    const NodeId result = with(s.next);
    return with.hasFailed() ? std::nullopt : std::optional(result);
  } catch (const DomainError &) { // a number beyond 64 bits
    return std::nullopt;
  }
}

NodeId Terms::canonicalFold(KnownFold f) {
  if (const auto extremum = extremumFold(f))
    return *extremum;
  const bool wasExtending = std::exchange(isExtending_, true);
  KnownFold result = f;
  try {
    shortenPeriod(result);
    takeInFirst(result);
  } catch (const DomainError &) { // a number beyond 64 bits
    result = f;
  }
  isExtending_ = wasExtending;
  result.operations = spine(result.step).size();
  const NodeId node = namedFold(affine_.constant(result.count), result.first, result.step);
  knownFolds_[node] = result;
  return node;
}

/// Law 1, with the largest m.
void Terms::shortenPeriod(KnownFold &f) {
  const std::vector<NodeId> path = spine(f.step);
  const std::size_t length = path.size();
  for (std::size_t times = length; times > 1; --times) {
    if (length % times != 0)
      continue;
    const std::size_t each = length / times;
    const auto m = static_cast<std::int64_t>(times);
    std::int64_t count = 0;
    if (__builtin_mul_overflow(f.count, m, &count) || count > kMostSteps)
      continue;
    Substitution divided(*this, {}, StepChange{f.step.step, f.step.step, 1, 0, m});
    const FoldStep one = {divided(path[length - each]), f.step.carried, f.step.step};
    bool isSame = !divided.hasFailed();
    for (std::size_t j = 0; isSame && j < times; ++j) {
      const std::size_t top = length - (j + 1) * each;
      const NodeId below = j == 0 ? f.step.carried : path[top + each];
      const NodeId part = Substitution(*this, {{below, f.step.carried}})(path[top]);
      Substitution at(*this, {},
                      StepChange{f.step.step, f.step.step, m, static_cast<std::int64_t>(j), 1});
      isSame = at(one.next) == part && !at.hasFailed();
    }
    if (!isSame)
      continue;
    f.step = one;
    f.count = count;
    return;
  }
}

/// Law 2.
void Terms::takeInFirst(KnownFold &f) {
  for (std::size_t taken = 0; taken < kLongestSpine && f.count < kMostSteps; ++taken) {
    const auto before = stepWith(f.step, f.step.carried, -1);
    const auto first = before ? undone(f.first, *before, f.step.carried) : std::nullopt;
    if (!first)
      return;
    Substitution later(*this, {}, StepChange{f.step.step, f.step.step, 1, -1, 1});
    f.step.next = later(f.step.next);
    f.first = *first;
    ++f.count;
  }
}

/// x with value = next(x), where `next` has `carried` for it.
std::optional<NodeId> Terms::undone(NodeId value, NodeId next, NodeId carried) {
  while (next != carried) {
    const Node a = pool_.node(next), b = pool_.node(value);
    const std::vector<NodeId> wanted(pool_.args(next).begin(), pool_.args(next).end());
    std::vector<NodeId> found(pool_.args(value).begin(), pool_.args(value).end());
    const auto down = std::ranges::find_if(
        wanted, [&](NodeId arg) { return arg == carried || mentions(arg, carried); });
    const auto at = static_cast<std::size_t>(down - wanted.begin());
    if (at == wanted.size())
      return std::nullopt;
    // -0.0 + y = y, fma(x, y, -0.0) = x * y.
    const auto negativeZero = [&] {
      return floatConstant(a.sort.format, std::uint64_t{1} << (a.sort.width - 1));
    };
    if (*down == carried && a.kind == Kind::FAdd && value == wanted[1 - at])
      return negativeZero();
    if (*down == carried && a.kind == Kind::FFma && at == 2 &&
        value == fmul(a.sort.format, wanted[0], wanted[1]))
      return negativeZero();
    if (a.kind != b.kind || !(a.sort == b.sort) || a.payload != b.payload ||
        a.argCount != b.argCount)
      return std::nullopt;
    if (commutes(a.kind) && found[1 - at] != wanted[1 - at])
      std::swap(found[0], found[1]);
    for (std::size_t k = 0; k < wanted.size(); ++k)
      if (k != at && wanted[k] != found[k])
        return std::nullopt;
    next = *down;
    value = found[at];
  }
  return value;
}

/// Law 3. A step may be of several operations: a part of one is remembered.
NodeId Terms::extended(NodeId node) {
  if (isExtending_ || knownFolds_.empty())
    return node;
  // Copied: a step that is written out makes nodes.
  const std::vector<NodeId> args(pool_.args(node).begin(), pool_.args(node).end());
  for (const NodeId arg : args) {
    std::pair<NodeId, std::size_t> part = {arg, 0};
    if (const auto it = partSteps_.find(arg); it != partSteps_.end())
      part = it->second;
    const auto known = knownFolds_.find(part.first);
    if (known == knownFolds_.end())
      continue;
    const KnownFold fold = known->second;
    if (++part.second < fold.operations) {
      partSteps_[node] = part;
      continue;
    }
    if (part.second != fold.operations || fold.count >= kMostSteps)
      continue;
    isExtending_ = true;
    const auto next = stepWith(fold.step, part.first, fold.count);
    isExtending_ = false;
    if (next != node)
      continue;
    const NodeId longer = namedFold(affine_.constant(fold.count + 1), fold.first, fold.step);
    knownFolds_[longer] = {fold.count + 1, fold.first, fold.step, fold.operations};
    return longer;
  }
  return node;
}

} // namespace ordo::verify
