// A value under the conditions of a path: min(row, T - 1) is row where row < T, a selection takes
// the arm that its condition decides, and every law is applied again.
#pragma once

#include "compiler/verify/proof/conditions.h"

#include <unordered_map>

namespace ordo::verify {

/// Calls f(NodeId) for the arguments of a node and the atoms of its form.
template <class F> void forEachOperand(const Terms &terms, NodeId id, F &&f) {
  const Node n = terms.pool().node(id);
  const bool hasForm = n.kind == Kind::Integer || n.kind == Kind::AtLeastZero ||
                       n.kind == Kind::IsZero || n.kind == Kind::FloorDiv || n.kind == Kind::Fold;
  if (hasForm)
    for (const auto &[atom, factor] : terms.affine().form(static_cast<AffineId>(n.payload)).terms)
      f(atom);
  for (const NodeId arg : terms.pool().args(id))
    f(arg);
}

class Under {
public:
  Under(Terms &terms, Conditions conditions);
  /// A node that is equal to `root` wherever the conditions hold. What was asked before is kept.
  NodeId operator()(NodeId root);
  bool isImpossible() const { return conditions_.isImpossible; }

private:
  std::optional<bool> decided(NodeId id);
  NodeId rebuilt(NodeId id);
  NodeId rebuiltFold(NodeId id);
  Term rebuiltBits(NodeId id);
  Term rebuiltProduct(NodeId id);
  Term rebuiltCondition(NodeId id);
  AffineId form(AffineId id);

  NodeId now(NodeId id) const { return known_.at(id); }
  Term term(NodeId id) const;
  unsigned width(NodeId id) const { return terms_.pool().node(id).sort.width; }

  Terms &terms_;
  Conditions conditions_;
  std::unordered_map<NodeId, NodeId> known_;
  std::unordered_map<AffineId, AffineId> forms_;
};

} // namespace ordo::verify
