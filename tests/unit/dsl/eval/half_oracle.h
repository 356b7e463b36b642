// Arithmetic on f16 and bf16 in integers, exact and then rounded once: an oracle quick enough for
// all 2^32 pairs of operands. It uses no floating-point arithmetic and shares no code with the
// evaluator; half_pairs_test holds it to MPFR.
#pragma once

#include "dsl/term/program.h"
#include "dsl/types/dtype.h"

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace ordo::dsl::oracle {

/// A format of 16 bits with infinities and NaN.
struct Half {
  int fraction; // stored bits
  int bias;
  std::uint32_t nan;

  constexpr std::uint32_t infinity() const { return 0x7fffu >> fraction << fraction; }
};
inline constexpr Half kF16{10, 15, 0x7e00u};
inline constexpr Half kBf16{7, 127, 0x7fc0u};
inline constexpr Half halfOf(DType type) { return type == DType::F16 ? kF16 : kBf16; }

/// significand * 2^exponent, sign included; a zero has the least exponent there is.
struct Decoded {
  enum Kind : std::uint8_t { Finite, Infinity, Nan } kind = Finite;
  bool negative = false;
  std::int16_t exponent = 0;
  std::int32_t significand = 0;
};

inline Decoded decoded(const Half &h, std::uint32_t bits) {
  const std::uint32_t magnitude = bits & 0x7fffu;
  const auto field = static_cast<int>(magnitude >> h.fraction);
  const auto fraction = static_cast<std::int32_t>(magnitude & ((1u << h.fraction) - 1));
  Decoded d;
  d.negative = bits >> 15 != 0;
  if (magnitude > h.infinity())
    d.kind = Decoded::Nan;
  else if (magnitude == h.infinity())
    d.kind = Decoded::Infinity;
  d.significand = field == 0 ? fraction : fraction + (1 << h.fraction);
  if (d.negative)
    d.significand = -d.significand;
  d.exponent = static_cast<std::int16_t>((field == 0 ? 1 : field) - h.bias - h.fraction);
  return d;
}

/// All 65,536 of a format.
inline std::vector<Decoded> allDecoded(const Half &h) {
  std::vector<Decoded> all;
  for (std::uint32_t bits = 0; bits < 0x10000u; ++bits)
    all.push_back(decoded(h, bits));
  return all;
}

/// value * 2^exponent, value not zero, to nearest even. An inexact value has its last bit set and
/// ten bits more than a result can hold, so that the bit counts as "and a little more".
inline std::uint32_t nearestEven(const Half &h, std::int64_t value, int exponent) {
  const std::uint32_t sign = value < 0 ? 0x8000u : 0u;
  const auto v = static_cast<std::uint64_t>(value < 0 ? -value : value);
  const int top = exponent + 63 - std::countl_zero(v); // 2^top <= |value| < 2^(top+1)
  const int least = 1 - h.bias;
  if (top > h.bias)
    return sign | h.infinity();
  const int unit = (top < least ? least : top) - h.fraction; // the place of a result's last bit
  const int cut = unit - exponent;
  if (cut > 62)
    return sign; // less than half of the least subnormal
  std::uint64_t kept = cut > 0 ? v >> cut : v << -cut;
  if (cut > 0) {
    const std::uint64_t rest = v & ((std::uint64_t{1} << cut) - 1);
    const std::uint64_t middle = std::uint64_t{1} << (cut - 1);
    if (rest > middle || (rest == middle && kept % 2 == 1))
      ++kept;
  }
  // A hidden bit of 2^fraction adds one to the field below; a carry beyond it, one more.
  const std::uint64_t field = top < least ? 0 : static_cast<std::uint64_t>(top - least);
  return sign | static_cast<std::uint32_t>((field << h.fraction) + kept);
}

/// x * 2^ex + y * 2^ey, rounded; `bothNegativeZero` says what a sum of zeros is.
inline std::uint32_t roundedSum(const Half &h, std::int64_t x, int ex, std::int64_t y, int ey,
                                bool bothNegativeZero) {
  constexpr int kFar = 38; // of at most 22 bits each: what lies below is "a little more"
  if (x == 0 || (ex < ey && y != 0)) {
    std::swap(x, y);
    std::swap(ex, ey);
  }
  if (x == 0)
    return bothNegativeZero ? 0x8000u : 0u;
  if (y == 0)
    return nearestEven(h, x, ex);
  const int distance = ex - ey;
  if (distance > kFar)
    return nearestEven(h, x * (std::int64_t{1} << kFar) + (y < 0 ? -1 : 1), ex - kFar);
  const std::int64_t sum = x * (std::int64_t{1} << distance) + y;
  return sum == 0 ? 0u : nearestEven(h, sum, ey);
}

inline std::uint32_t add(const Half &h, const Decoded &a, const Decoded &b) {
  const bool opposite = a.negative != b.negative;
  if (a.kind == Decoded::Nan || b.kind == Decoded::Nan ||
      (a.kind == Decoded::Infinity && b.kind == Decoded::Infinity && opposite))
    return h.nan;
  if (a.kind == Decoded::Infinity || b.kind == Decoded::Infinity)
    return h.infinity() | ((a.kind == Decoded::Infinity ? a : b).negative ? 0x8000u : 0u);
  return roundedSum(h, a.significand, a.exponent, b.significand, b.exponent,
                    a.negative && b.negative);
}

inline std::uint32_t mul(const Half &h, const Decoded &a, const Decoded &b) {
  const std::uint32_t sign = a.negative != b.negative ? 0x8000u : 0u;
  const bool zero = a.significand == 0 || b.significand == 0;
  const bool infinite = a.kind == Decoded::Infinity || b.kind == Decoded::Infinity;
  if (a.kind == Decoded::Nan || b.kind == Decoded::Nan || (infinite && zero))
    return h.nan;
  if (infinite)
    return sign | h.infinity();
  if (zero)
    return sign;
  return nearestEven(h, std::int64_t{a.significand} * b.significand, a.exponent + b.exponent);
}

inline std::uint32_t div(const Half &h, const Decoded &a, const Decoded &b) {
  const std::uint32_t sign = a.negative != b.negative ? 0x8000u : 0u;
  const bool infiniteA = a.kind == Decoded::Infinity, infiniteB = b.kind == Decoded::Infinity;
  if (a.kind == Decoded::Nan || b.kind == Decoded::Nan || (infiniteA && infiniteB) ||
      (a.significand == 0 && b.significand == 0))
    return h.nan;
  if (infiniteA || b.significand == 0)
    return sign | h.infinity();
  if (infiniteB || a.significand == 0)
    return sign;
  constexpr int kMore = 40;
  const auto n = static_cast<std::uint64_t>(a.significand < 0 ? -a.significand : a.significand)
                 << kMore;
  const auto d = static_cast<std::uint64_t>(b.significand < 0 ? -b.significand : b.significand);
  const std::uint64_t quotient = n / d | (n % d != 0 ? 1 : 0);
  const auto magnitude = static_cast<std::int64_t>(quotient);
  return nearestEven(h, sign != 0 ? -magnitude : magnitude, a.exponent - b.exponent - kMore);
}

inline std::uint32_t fma(const Half &h, const Decoded &a, const Decoded &b, const Decoded &c) {
  const bool negative = a.negative != b.negative;
  const bool infinite = a.kind == Decoded::Infinity || b.kind == Decoded::Infinity;
  const bool zero = a.significand == 0 || b.significand == 0;
  if (a.kind == Decoded::Nan || b.kind == Decoded::Nan || c.kind == Decoded::Nan ||
      (infinite && zero) || (infinite && c.kind == Decoded::Infinity && c.negative != negative))
    return h.nan;
  if (infinite || c.kind == Decoded::Infinity)
    return h.infinity() | ((infinite ? negative : c.negative) ? 0x8000u : 0u);
  return roundedSum(h, std::int64_t{a.significand} * b.significand, a.exponent + b.exponent,
                    c.significand, c.exponent, negative && c.negative);
}

/// -0 just below +0.
inline int rankOf(const Decoded &, std::uint32_t bits) {
  const auto magnitude = static_cast<int>(bits & 0x7fffu);
  return bits >> 15 != 0 ? -1 - magnitude : magnitude;
}

/// min, max (which drop a NaN), min_nan, max_nan (which keep it).
inline std::uint32_t extreme(const Half &h, Op op, std::uint32_t a, std::uint32_t b) {
  const bool nanA = (a & 0x7fffu) > h.infinity(), nanB = (b & 0x7fffu) > h.infinity();
  const bool keeps = op == Op::MinNan || op == Op::MaxNan;
  if ((nanA && nanB) || (keeps && (nanA || nanB)))
    return h.nan;
  if (nanA || nanB)
    return nanA ? b : a;
  const bool firstIsLess = rankOf({}, a) < rankOf({}, b);
  const bool wantsLess = op == Op::Min || op == Op::MinNan;
  return firstIsLess == wantsLess ? a : b;
}

/// Bit i: the i-th of ==, !=, <, <=, >, >=.
inline std::uint32_t relations(const Half &h, std::uint32_t a, std::uint32_t b) {
  if ((a & 0x7fffu) > h.infinity() || (b & 0x7fffu) > h.infinity())
    return 2;
  const auto value = [](std::uint32_t u) {
    const auto magnitude = static_cast<int>(u & 0x7fffu);
    return u >> 15 != 0 ? -magnitude : magnitude;
  };
  const int x = value(a), y = value(b);
  return (x == y ? 1u : 0u) | (x != y ? 2u : 0u) | (x < y ? 4u : 0u) | (x <= y ? 8u : 0u) |
         (x > y ? 16u : 0u) | (x >= y ? 32u : 0u);
}

} // namespace ordo::dsl::oracle
