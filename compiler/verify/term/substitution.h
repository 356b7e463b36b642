// Terms: other names for symbols, and another number for a step, throughout a term. Of Terms alone.
#pragma once

#include "compiler/verify/term/terms.h"

#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace ordo::verify {

/// What a step's number is written as: (factor * by + plus) / divisor, where every form divides.
struct StepChange {
  NodeId step = 0;
  std::optional<NodeId> by; // nothing: a constant
  std::int64_t factor = 1, plus = 0, divisor = 1;
};

/// Laws hold under any name, but operands that commute are sorted by it. A change of a step's
/// number is made where the step stands in forms.
class Terms::Substitution {
public:
  Substitution(Terms &terms, std::map<NodeId, NodeId> names, std::optional<StepChange> change = {});

  NodeId operator()(NodeId id);
  /// Whether some form did not divide, or the step stands where its change is not said: then the
  /// result means nothing.
  bool hasFailed() const { return hasFailed_; }

private:
  AffineId form(AffineId id);
  NodeId rebuilt(NodeId id);
  NodeId number(const Node &n, const std::vector<NodeId> &args);
  NodeId condition(const Node &n, AffineId form);
  NodeId plain(const Node &n, const std::vector<NodeId> &before, std::vector<NodeId> args);

  Terms &t_;
  std::unordered_map<NodeId, NodeId> done_;
  std::optional<StepChange> change_;
  NodeId oldest_ = 0xffffffffu;
  bool hasFailed_ = false;
};

/// What a node is made of: arguments, and atoms of its form.
template <class Visit> void Terms::forEachOf(NodeId id, const Node &n, Visit &&visit) const {
  for (const NodeId arg : pool_.args(id))
    visit(arg);
  if (n.kind == Kind::Integer || n.kind == Kind::FloorDiv || n.kind == Kind::AtLeastZero ||
      n.kind == Kind::IsZero || n.kind == Kind::Fold)
    for (const auto &[atom, factor] : affine_.form(static_cast<AffineId>(n.payload)).terms)
      visit(atom);
}

template <class Visit> void Terms::forNodes(NodeId root, NodeId oldest, Visit &&visit) const {
  std::unordered_set<NodeId> seen;
  std::vector<NodeId> stack = {root};
  while (!stack.empty()) {
    const NodeId id = stack.back();
    stack.pop_back();
    if (id < oldest || !seen.insert(id).second)
      continue;
    const Node n = pool_.node(id);
    visit(id, n);
    forEachOf(id, n, [&](NodeId operand) { stack.push_back(operand); });
  }
}

} // namespace ordo::verify
