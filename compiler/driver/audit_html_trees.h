// Whether two reductions fold alike, as a page says it.
#pragma once

#include "compiler/driver/audit_facts.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ordo::compiler::driver {

struct TreeVerdict {
  std::string words; // "one tree at 4 elements"; empty: not compared
  std::string html;  // the same as a paragraph; where the trees part, both from the result down
};

/// Compares the trees of two orders that are spelt differently, at the length of the reductions, or
/// at `asked` (else at every length) where it is free. Empty for reductions that differ in more, or
/// where there is nothing to compare.
TreeVerdict comparedTrees(const ReductionFact &left, const ReductionFact &right,
                          std::optional<std::int64_t> asked);

} // namespace ordo::compiler::driver
