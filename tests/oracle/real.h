// Floating-point formats as real numbers: what the references and their bounds are written in.
// Shares no code with dsl.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace ordo::oracle {

/// A binary format of one sign bit, `exponent` and `fraction` bits, with infinities and NaN.
struct Format {
  int exponent;
  int fraction;

  int bias() const { return (1 << (exponent - 1)) - 1; }
  std::uint32_t infinity() const { return ((1u << exponent) - 1u) << fraction; }
  std::uint32_t signBit() const { return 1u << (exponent + fraction); }
  std::uint32_t nan() const { return infinity() | (1u << (fraction - 1)); }
};
inline constexpr Format kF32{8, 23};
inline constexpr Format kBf16{8, 7};
inline constexpr Format kF16{5, 10};

/// The distance between neighbours in the binade of `value`; the subnormal distance below the
/// normals.
inline double ulp(const Format &format, double value) {
  const int lowest = 1 - format.bias();
  const int binade = value == 0.0 ? lowest : std::max(std::ilogb(value), lowest);
  return std::ldexp(1.0, binade - format.fraction);
}

inline double decode(const Format &format, std::uint32_t bits) {
  const double sign = (bits & format.signBit()) != 0 ? -1.0 : 1.0;
  const std::uint32_t magnitude = bits & (format.signBit() - 1u);
  if (magnitude == format.infinity())
    return sign * HUGE_VAL;
  if (magnitude > format.infinity())
    return std::numeric_limits<double>::quiet_NaN();
  const int field = static_cast<int>(magnitude >> format.fraction);
  const double fraction = magnitude & ((1u << format.fraction) - 1u);
  const double hidden = field == 0 ? 0.0 : std::ldexp(1.0, format.fraction);
  const int binade = std::max(field, 1) - format.bias();
  return sign * std::ldexp(hidden + fraction, binade - format.fraction);
}

/// The nearest element, ties to even; past the largest, infinity.
inline std::uint32_t encode(const Format &format, double value) {
  const std::uint32_t sign = std::signbit(value) ? format.signBit() : 0u;
  if (std::isnan(value))
    return format.nan();
  if (std::isinf(value))
    return sign | format.infinity();
  const double step = ulp(format, value);
  const double rounded = std::nearbyint(std::fabs(value) / step) * step;
  if (rounded >= std::ldexp(1.0, format.bias() + 1))
    return sign | format.infinity();
  // The bits of a positive element count its place among the elements.
  const int lowest = 1 - format.bias();
  const int binade = rounded == 0.0 ? lowest : std::max(std::ilogb(rounded), lowest);
  const double count = rounded / std::ldexp(1.0, binade - format.fraction);
  return sign | (static_cast<std::uint32_t>(binade - lowest) << format.fraction) +
                    static_cast<std::uint32_t>(count);
}

/// Pseudo-random numbers that every platform draws alike (splitmix64).
class Random {
public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// In [0, 1).
  double uniform() { return std::ldexp(static_cast<double>(next() >> 11), -53); }
  /// Close enough to a standard normal for data: the sum of twelve uniforms.
  double normal() {
    double sum = -6.0;
    for (int i = 0; i < 12; ++i)
      sum += uniform();
    return sum;
  }

private:
  std::uint64_t state_;
};

} // namespace ordo::oracle
