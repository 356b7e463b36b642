// Sums and maxima inside a value: what is folded, and in which order.
#pragma once

#include "compiler/verify/describe/fold_tree.h"
#include "compiler/verify/term/terms.h"
#include "dsl/order/order.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ordo::verify {

/// A tree of additions (or of maxima, or of fused steps and additions) over values that are one
/// expression at equal distances of its elements.
struct Reduction {
  enum class Kind : std::uint8_t {
    Sum,
    Dot, // with fused steps: of products
    Max,
    Min,
  };
  Kind kind = Kind::Sum;
  std::int64_t length = 0;
  /// The value at position 0, or its two factors; which parts of it differ at another position, and
  /// by how many elements its inputs move from one position to the next.
  std::vector<NodeId> first;
  std::set<NodeId> moving;
  std::int64_t stride = 1;
  /// The stages, in the language's spelling where it has one; none: the order is not recognised. A
  /// maximum needs none.
  std::vector<std::string> stages;
  std::optional<dsl::Order> order; // where the language can say it
  std::int64_t depth = 0;          // operations on the longest path
};

/// The tree as a reduction; nothing where it folds values that are not alike. Makes terms.
std::optional<Reduction> reductionOf(Terms &terms, FoldTree tree);

} // namespace ordo::verify
