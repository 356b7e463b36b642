// Sets of numbers as progressions, and as runs of adjacent ones.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

namespace ordo::verify {

/// first, first + stride, …: `count` numbers; stride >= 1.
struct Progression {
  std::int64_t stride = 1, count = 1, first = 0;
  auto operator<=>(const Progression &) const = default;
};

/// first … end - 1.
struct NumberRun {
  std::int64_t first = 0, end = 0;
  bool operator==(const NumberRun &) const = default;
};

/// The numbers of all progressions as runs, ascending, none of which touch. Progressions of one
/// stride and count whose firsts make a full turn cost nothing but their number; others are written
/// out. Nothing where that would be more than 2^22 numbers.
std::optional<std::vector<NumberRun>> runsOf(std::vector<Progression> all);

} // namespace ordo::verify
