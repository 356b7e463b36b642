// A path's conditions, taken apart: what they say of integers, as inequalities, and the rest.
#pragma once

#include "compiler/verify/symbolic/summary.h"

#include <span>
#include <vector>

namespace ordo::verify {

struct Conditions {
  std::vector<AffineId> given;   // each >= 0; sorted
  std::vector<Condition> others; // of data, or not linear; sorted by node
  /// Symbols that the path fixes by others: T = 4*block + 2.
  std::vector<std::pair<NodeId, AffineId>> equal;
  bool isImpossible = false; // no sizes and no block lead here
  bool operator==(const Conditions &) const = default;
};

/// Conjunctions are opened; `x != 0` is `x >= 1` where x is known not to be negative.
Conditions takenApart(Terms &terms, std::span<const Condition> path);

/// Adds to `equal` the symbols that a bound leaves one value: block, where 99 - 128*block >= 0. Not
/// for element numbers, which coverage counts by blocks.
void pin(Terms &terms, Conditions &conditions);

/// `form` with every min and max that the conditions decide replaced by its operand, every quotient
/// that becomes exact by it, and every symbol that is fixed.
AffineId settled(Terms &terms, AffineId form, const Conditions &conditions);

} // namespace ordo::verify
