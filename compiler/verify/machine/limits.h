// When a run is taken for one without an end.
#pragma once

#include <cstdint>

namespace ordo::verify {

/// Instructions of a block's waves, in all. A row of 152,064 elements takes 2^23 at most, by one
/// thread; a loop without an end is told in minutes, not days.
inline constexpr std::uint64_t kStepLimit = std::uint64_t{1} << 28;

struct MachineLimits {
  std::uint64_t steps = kStepLimit;
};

} // namespace ordo::verify
