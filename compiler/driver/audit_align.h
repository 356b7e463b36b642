// Two lists side by side.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ordo::compiler::driver {

/// What stands in one row: indices into the lists; at least one of them is there.
struct AlignedRow {
  std::optional<std::size_t> left, right;
  bool isSame = false; // both are there and equal

  bool operator==(const AlignedRow &) const = default;
};

/// A longest common subsequence in rows of its own; between its members, what differs is paired in
/// turn. Where the lists' middles have more than 4,000,000 pairs, the middle is paired in turn.
std::vector<AlignedRow> aligned(const std::vector<std::string> &left,
                                const std::vector<std::string> &right);

} // namespace ordo::compiler::driver
