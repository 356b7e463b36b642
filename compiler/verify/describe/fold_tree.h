// What one tree of additions, fused steps or maxima is made of.
#pragma once

#include "compiler/verify/term/terms.h"

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace ordo::verify {

/// What is folded: one value, or the two factors of a product.
using Folded = std::vector<NodeId>;

struct FoldTree {
  NodeId root = 0;
  dsl::DType format = dsl::DType::F32;
  bool isFused = false;              // has fused steps: all values are products
  std::unordered_set<NodeId> inside; // the operations
  std::vector<Folded> values;        // by position, once sorted
  std::vector<NodeId> literals;      // constants that are folded, too
  std::int64_t depth = 0;
  /// Which operations take a node as an operand of the fold.
  std::unordered_map<NodeId, std::vector<NodeId>> users;
};

/// The largest tree of `kind` (FAdd, with FFma; FMax, FMin) at the root; nothing where it folds
/// fewer than three values, or more than 2^20.
std::optional<FoldTree> foldTreeAt(const Terms &terms, NodeId root);

/// How `other` differs from `first`: its parts that differ, and by how many elements their inputs
/// move, all by one distance; nothing where they are different expressions.
struct Motion {
  std::optional<std::int64_t> distance;
  std::vector<NodeId> moving;
};
std::optional<Motion> motionOf(const Terms &terms, const Folded &first, const Folded &other);

} // namespace ordo::verify
