// Random operands of a rule, in the regimes where matrix units behave differently.
#pragma once

#include "dsl/eval/atom/atom.h"

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

namespace ordo::dsl {

enum class Regime { Normal, Wide, VeryWide, Cancelling, HalfZeros, Tiny, Raw, Specials };
inline constexpr Regime kRegimes[] = {Regime::Normal,     Regime::Wide,      Regime::VeryWide,
                                      Regime::Cancelling, Regime::HalfZeros, Regime::Tiny,
                                      Regime::Raw,        Regime::Specials};
inline constexpr const char *kRegimeNames[] = {"normal",     "wide", "very wide", "cancelling",
                                               "half zeros", "tiny", "raw bits",  "specials"};

class Operands {
public:
  explicit Operands(std::uint64_t seed) : rng_(seed) {}

  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(rng_); }

  /// Bits of `type` in `regime`.
  std::uint64_t next(DType type, Regime regime) {
    switch (regime) {
    case Regime::Normal:
      return bits(type, normal());
    case Regime::Wide:
      return bits(type, scaled(type, 12));
    case Regime::VeryWide:
      return bits(type, scaled(type, 40));
    case Regime::Cancelling:
      return bits(type, std::ldexp(std::round(normal() * 4), below(9) - 4));
    case Regime::HalfZeros:
      return below(2) ? bits(type, below(2) ? 0.0 : -0.0) : bits(type, scaled(type, 60));
    case Regime::Tiny:
      return bits(type, std::ldexp(normal(), smallest(type) / 2 - 2 - below(24)));
    case Regime::Raw:
      return rng_() >> (64 - bitWidth(type));
    default:
      return below(4) ? bits(type, scaled(type, 12)) : special(type);
    }
  }

private:
  double normal() { return std::normal_distribution<double>()(rng_); }
  static int smallest(DType type) { return 1 - floatFormat(type).bias; }
  double scaled(DType type, int width) {
    width = std::min(width, floatFormat(type).bias - 3);
    return std::ldexp(normal(), below(2 * width + 1) - width);
  }
  std::uint64_t special(DType type) {
    const FloatFormat f = floatFormat(type);
    const std::uint64_t sign = static_cast<std::uint64_t>(below(2)) << (bitWidth(type) - 1);
    const std::uint64_t infinity = ((std::uint64_t{1} << f.exponentBits) - 1) << f.mantissaBits;
    const std::uint64_t choices[] = {0, 0, 1, infinity, infinity - 1, infinity - 1, infinity + 1};
    return sign | choices[below(40) == 0 ? 6 : below(below(4) ? 3 : 6)];
  }
  /// Cut toward zero where the type has fewer bits; values here do not overflow but in f16 and f8,
  /// which then give whatever bits.
  static std::uint64_t bits(DType type, double value) {
    std::uint64_t wide;
    std::memcpy(&wide, &value, 8);
    if (type == DType::F64)
      return wide;
    const FloatFormat f = floatFormat(type);
    const std::uint64_t sign = (wide >> 63) << (bitWidth(type) - 1);
    const double magnitude = std::fabs(value);
    const int exponent =
        value == 0 ? smallest(type) : std::max(std::ilogb(magnitude), smallest(type));
    const auto m = static_cast<std::uint64_t>(std::ldexp(magnitude, f.mantissaBits - exponent));
    return sign | (m + (static_cast<std::uint64_t>(exponent - smallest(type)) << f.mantissaBits));
  }

  std::mt19937_64 rng_;
};

} // namespace ordo::dsl
