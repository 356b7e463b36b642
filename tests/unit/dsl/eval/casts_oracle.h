// Casts by spacing: what each cast gives, in long double, which holds every f64, i64 and u64, or by
// MPFR; and the operands worth trying: the 8- and 16-bit types whole, of the others what is hard to
// round. Shares no code with the evaluator.
#pragma once

#include "dsl/term/program.h"
#include "tests/unit/dsl/eval/mpfr_oracle.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <random>
#include <vector>

namespace ordo::dsl::casts {

using enum DType;
using Bits = std::vector<std::uint64_t>;
using Real = long double;
static_assert(std::numeric_limits<Real>::digits >= 64);

inline constexpr DType kTypes[] = {F64,        F32, F16, BF16, F8E4M3FN, F8E5M2, F8E4M3FNUZ,
                                   F8E5M2FNUZ, I32, I64, U32,  U64,      Bool,   Index};

inline std::uint64_t maskOf(int width) { return ~std::uint64_t{0} >> (64 - width); }

// What the standards' texts say of formats of 8 and 16 bits.
struct Small {
  DType type;
  std::uint64_t largest; // the code of the largest finite magnitude
  std::uint64_t nan;
  bool hasInfinity;
  bool hasNegativeZero;
};
inline constexpr Small kSmall[] = {
    {F16, 0x7bff, 0x7e00, true, true},      {BF16, 0x7f7f, 0x7fc0, true, true},
    {F8E4M3FN, 0x7e, 0x7f, false, true},    {F8E5M2, 0x7b, 0x7e, true, true},
    {F8E4M3FNUZ, 0x7f, 0x80, false, false}, {F8E5M2FNUZ, 0x7f, 0x80, false, false}};
inline const Small *smallFormat(DType type) {
  const auto *it = std::ranges::find(kSmall, type, &Small::type);
  return it == std::end(kSmall) ? nullptr : it;
}

inline Real valueOf(DType type, std::uint64_t bits) {
  switch (type) {
  case F64:
  case F32:
    return oracle::valueOf(type, bits);
  case I32:
    return static_cast<std::int32_t>(bits);
  case I64:
  case Index:
    return static_cast<Real>(static_cast<std::int64_t>(bits));
  case U32:
  case U64:
  case Bool:
    return static_cast<Real>(bits);
  default:
    break;
  }
  const Small &s = *smallFormat(type);
  const oracle::Format f = oracle::formatOf(type);
  const std::uint64_t sign = std::uint64_t{1} << (f.width - 1), magnitude = bits & (sign - 1);
  Real value = oracle::magnitude(f, magnitude);
  if (!s.hasNegativeZero && bits == sign)
    value = NAN;
  else if (magnitude > s.largest)
    value = s.hasInfinity && magnitude == s.largest + 1 ? INFINITY : NAN;
  return bits & sign ? -value : value;
}

/// Magnitudes of all codes in turn, and the one that would come next.
inline const std::vector<Real> &codesOf(const Small &s) {
  static std::vector<Real> tables[std::size(kSmall)];
  std::vector<Real> &table = tables[&s - kSmall];
  if (table.empty())
    for (std::uint64_t code = 0; code <= s.largest + 1; ++code)
      table.push_back(oracle::magnitude(oracle::formatOf(s.type), code));
  return table;
}

inline std::uint64_t toSmall(const Small &s, Real v, Rounding rounding) {
  const std::uint64_t sign =
      std::signbit(v) ? std::uint64_t{1} << (oracle::formatOf(s.type).width - 1) : 0;
  if (std::isnan(v))
    return s.nan;
  const Real magnitude = std::fabs(v);
  std::uint64_t code = s.largest + 1; // for infinity
  if (!std::isinf(v)) {
    const std::vector<Real> &codes = codesOf(s);
    const auto above = std::upper_bound(codes.begin(), codes.end(), magnitude);
    code = static_cast<std::uint64_t>(above - codes.begin()) - 1;
    if (above != codes.end() && rounding != Rounding::TowardZero) {
      const Real middle = (codes[code] + *above) / 2;
      code += magnitude > middle || (magnitude == middle && code % 2 == 1) ? 1 : 0;
    }
    if (rounding == Rounding::TowardZero)
      code = std::min(code, s.largest);
  }
  if (code > s.largest && rounding == Rounding::Saturate)
    code = s.largest;
  if (code > s.largest)
    return s.hasInfinity ? (s.largest + 1) | sign : s.nan;
  return code == 0 && !s.hasNegativeZero ? 0 : code | sign;
}

inline std::uint64_t toInteger(DType to, Real v, Rounding rounding) {
  const bool isUnsigned = to == U32 || to == U64;
  const int width = to == I32 || to == U32 ? 32 : 64;
  if (std::isnan(v))
    return 0;
  const Real low = isUnsigned ? 0 : -std::ldexp(Real{1}, width - 1);
  const Real high = std::ldexp(Real{1}, isUnsigned ? width : width - 1) - 1;
  const Real whole =
      std::clamp(rounding == Rounding::TowardZero ? std::trunc(v) : std::nearbyint(v), low, high);
  return (whole < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(whole))
                    : static_cast<std::uint64_t>(whole)) &
         maskOf(width);
}

inline std::uint64_t expected(DType from, DType to, std::uint64_t bits, Rounding rounding) {
  const Real v = valueOf(from, bits);
  if (to == Bool)
    return v != 0 ? 1 : 0; // which a NaN is not
  if (const Small *s = smallFormat(to))
    return toSmall(*s, v, rounding);
  if (to == F64 || to == F32) {
    mpfr_t exact; // made before rounded() narrows the range of exponents
    mpfr_init2(exact, 64);
    mpfr_set_ld(exact, v, MPFR_RNDN);
    const std::uint64_t result =
        oracle::rounded(to, rounding == Rounding::TowardZero ? MPFR_RNDZ : MPFR_RNDN,
                        [&](mpfr_ptr out, mpfr_rnd_t mode) { return mpfr_set(out, exact, mode); });
    mpfr_clear(exact);
    return result;
  }
  if (isFloat(from))
    return toInteger(to, v, rounding);
  // Between integers: the value modulo 2^width.
  const auto wide = static_cast<unsigned __int128>(static_cast<__int128>(v));
  return static_cast<std::uint64_t>(wide) & maskOf(bitWidth(to));
}

/// The bits of `v` in f32 or f64, and of its neighbours.
inline void around(Bits &values, DType type, Real v) {
  const std::uint64_t bits =
      type == F64 ? oracle::bitsOf(static_cast<double>(v)) : oracle::bitsOf(static_cast<float>(v));
  for (const std::uint64_t u : {bits - 1, bits, bits + 1})
    values.push_back(u & maskOf(bitWidth(type)));
}

inline Bits hardFloats(DType type) {
  Bits values;
  for (const Small &s : kSmall) {
    const std::vector<Real> &codes = codesOf(s);
    const std::size_t step = codes.size() > 1000 ? 7 : 1;
    for (std::size_t i = 0; i + 1 < codes.size(); i += step)
      for (const Real sign : {1.0L, -1.0L}) {
        around(values, type, sign * codes[i]);
        around(values, type, sign * (codes[i] + codes[i + 1]) / 2);
      }
  }
  for (int k = -1; k <= 65; ++k)
    for (const Real offset : {-1.5L, -1.0L, -0.5L, 0.0L, 0.5L, 1.0L, 1.5L})
      for (const Real sign : {1.0L, -1.0L})
        around(values, type, sign * (std::ldexp(Real{1}, k) + offset));
  if (type == F64) // the ends of f32's range, its subnormals and their middles
    for (const std::uint32_t single : {1u, 2u, 3u, 0x7fffffu, 0x800000u, 0x800001u, 0x7f7ffffeu})
      for (const Real part : {0.0L, 0.5L}) {
        const Real a = oracle::valueOf(F32, single), b = oracle::valueOf(F32, single + 1);
        around(values, type, a + (b - a) * part);
        around(values, type, -(a + (b - a) * part));
      }
  around(values, type, 0x1.ffffffp127L); // half a unit past the largest f32
  const std::uint64_t infinity = type == F64 ? 0x7ff0000000000000u : 0x7f800000u;
  const std::uint64_t sign = (maskOf(bitWidth(type)) >> 1) + 1;
  for (const std::uint64_t u : {std::uint64_t{0}, std::uint64_t{1}, infinity - 1, infinity,
                                infinity + 1, infinity | infinity >> 1, sign - 1}) {
    values.push_back(u);
    values.push_back(u | sign);
  }
  std::mt19937_64 random(4);
  for (int i = 0; i < 4000; ++i)
    values.push_back(random() & maskOf(bitWidth(type)));
  return values;
}

inline Bits hardIntegers(DType type) {
  Bits values;
  for (int shift = 0; shift < 64; ++shift)
    for (const std::uint64_t pattern : {0x1ull, 0x101ull, 0x1000001ull, 0x1800001ull, 0x80800001ull,
                                        0x1ffffffull, 0x3fffffffffffffull})
      for (const std::uint64_t offset : {0ull, 1ull, ~0ull}) {
        values.push_back((pattern << shift) + offset);
        values.push_back(0 - ((pattern << shift) + offset));
      }
  std::mt19937_64 random(5);
  for (int i = 0; i < 3000; ++i)
    values.push_back(random() >> random() % 64);
  for (std::uint64_t &v : values)
    v &= maskOf(bitWidth(type));
  return values;
}

inline Bits operandsOf(DType type) {
  if (type == F64 || type == F32)
    return hardFloats(type);
  if (isInteger(type) || type == Index)
    return hardIntegers(type);
  Bits all(std::size_t{1} << bitWidth(type));
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = i;
  return all;
}

} // namespace ordo::dsl::casts
