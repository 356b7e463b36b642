// The largest or the smallest of a range of elements, as a fold, and such ranges put together: an
// extremum is that of a set, so it does not matter which thread has looked at which elements.
//
// A fold whose step is max(carried, e1(k), e2(k), …) is the set of its first value and of the
// extrema of each e over the steps. Such an extremum is a node of its own, over positions: e at
// first + stride * n, n < count. Of one set those with the same e are joined: their positions are,
// as sets of numbers, and single elements that lie at a position.
#include "compiler/verify/machine/fault.h"
#include "compiler/verify/term/progression.h"
#include "compiler/verify/term/substitution.h"

#include <algorithm>
#include <map>

namespace ordo::verify {
namespace {

constexpr unsigned kPosition = ~0u; // a level that no fold has

} // namespace

/// The set that a fold of max or min is; nothing for another fold.
std::optional<NodeId> Terms::extremumFold(const KnownFold &f) {
  const Node n = pool_.node(settled(f.step.next));
  if (n.kind != Kind::FMaxSet && n.kind != Kind::FMinSet)
    return std::nullopt;
  const Kind kind = n.kind == Kind::FMaxSet ? Kind::FMax : Kind::FMin;
  const NodeId top = settled(f.step.next);
  const std::vector<NodeId> items(pool_.args(top).begin(), pool_.args(top).end());
  if (std::ranges::find(items, f.step.carried) == items.end())
    return std::nullopt;
  NodeId all = f.first;
  for (const NodeId item : items) {
    if (item == f.step.carried)
      continue;
    if (mentions(item, f.step.carried))
      return std::nullopt;
    NodeId extremum = item;
    if (mentions(item, f.step.step)) {
      const auto range = rangeOf(item, f.step.step, f.count);
      if (!range)
        return std::nullopt;
      extremum = rangeNode(kind, *range);
    }
    all = fminmax(kind, all, extremum);
  }
  return settled(all);
}

/// The element by its position: of the first input that it reads by the step's number, the number
/// of the element read, but for what is no number.
std::optional<Terms::Range> Terms::rangeOf(NodeId element, NodeId step, std::int64_t count) {
  std::int64_t stride = 0, first = 0;
  forNodes(element, step, [&](NodeId id, const Node &n) {
    if (n.kind != Kind::Input || stride != 0)
      return;
    const Affine form = affine_.form(static_cast<AffineId>(pool_.node(pool_.args(id)[0]).payload));
    for (const auto &[atom, factor] : form.terms)
      if (atom == step) {
        stride = factor;
        first = form.constant;
      }
  });
  if (stride <= 0)
    return std::nullopt;
  try {
    // No fold's name, for elements may hold folds.
    const NodeId position = boundSymbol(kPosition, pool_.node(step).sort, true);
    Substitution byPosition(*this, {}, StepChange{step, position, 1, -first, stride});
    const NodeId general = byPosition(element);
    if (byPosition.hasFailed())
      return std::nullopt;
    return Range{general, position, first, stride, count};
  } catch (const DomainError &) { // a number beyond 64 bits
    return std::nullopt;
  }
}

/// Where `single` is the range's element, if it is.
std::optional<std::int64_t> Terms::positionIn(const Range &range, NodeId single) {
  const auto numbers = [&](NodeId root) {
    std::vector<std::pair<std::uint64_t, AffineId>> all; // by tensor
    forNodes(root, 0, [&](NodeId id, const Node &n) {
      if (n.kind == Kind::Input)
        all.emplace_back(n.payload, static_cast<AffineId>(pool_.node(pool_.args(id)[0]).payload));
    });
    return all;
  };
  const AffineId position = affine_.atom(range.position);
  for (const auto &[tensor, general] : numbers(range.element)) {
    const AffineId offset = affine_.sub(general, position);
    if (mentions(pool_.make(Kind::Integer, Sort::bits(64), offset), range.position))
      continue;
    for (const auto &[other, number] : numbers(single)) {
      const auto at = affine_.constantOf(affine_.sub(number, offset));
      if (other != tensor || !at)
        continue;
      if (stepWith({range.element, range.position, range.position}, range.position, *at) == single)
        return at;
    }
    return std::nullopt;
  }
  return std::nullopt;
}

/// The extremum of a range, as a fold from its first element on.
NodeId Terms::rangeNode(Kind kind, const Range &range) {
  const auto element = [&](std::int64_t n) {
    return stepWith({range.element, range.position, range.position}, range.position,
                    range.first + range.stride * n);
  };
  const auto first = element(0);
  if (!first)
    throw DomainError("an element's number leaves 64 bits");
  if (range.count == 1)
    return *first;
  const Sort sort = pool_.node(range.element).sort;
  const NodeId step = unnamed("step", Sort::bits(64)), carried = unnamed("carried", sort);
  Substitution later(*this, {},
                     StepChange{range.position, step, range.stride, range.first + range.stride, 1});
  const NodeId next = fminmax(kind, carried, later(range.element));
  const NodeId node =
      namedFold(affine_.constant(range.count - 1), *first, {settled(next), carried, step});
  ranges_[node] = range;
  return node;
}

/// Ranges of one element, and single ones among them, as few ranges; false if there are none.
bool Terms::joinRanges(Kind kind, std::vector<NodeId> &leaves) {
  std::map<NodeId, std::vector<NodeId>> families; // ranges of one element
  std::erase_if(leaves, [&](NodeId leaf) {
    const auto it = ranges_.find(leaf);
    if (it != ranges_.end())
      families[it->second.element].push_back(leaf);
    return it != ranges_.end();
  });
  for (auto &[element, items] : families) {
    const Range any = ranges_.at(items.front());
    std::vector<Progression> positions;
    for (const NodeId item : items) {
      const Range &range = ranges_.at(item);
      positions.push_back({range.stride, range.count, range.first});
    }
    std::erase_if(leaves, [&](NodeId leaf) {
      const auto at = positionIn(any, leaf);
      if (at) {
        positions.push_back({1, 1, *at});
        items.push_back(leaf);
      }
      return at.has_value();
    });
    const auto runs = runsOf(positions);
    if (!runs || runs->size() > items.size()) { // to be joined when the others come
      leaves.insert(leaves.end(), items.begin(), items.end());
      continue;
    }
    for (const auto &[first, end] : *runs)
      leaves.push_back(rangeNode(kind, {element, any.position, first, 1, end - first}));
  }
  return !families.empty();
}

} // namespace ordo::verify
