// One number for a whole sweep.
#pragma once

#include <cstdint>

namespace ordo::math {

/// A NaN of any kind is 0x7fc00000.
inline std::uint32_t canonical(std::uint32_t bits) {
  return (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : bits;
}

/// Changes, almost surely, with any bit: the sum of these over all inputs, in any order, stands for
/// all outputs.
inline std::uint64_t mix(std::uint32_t input, std::uint32_t output) {
  std::uint64_t z = (static_cast<std::uint64_t>(input) << 32) | output;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

} // namespace ordo::math
