// The rules of matrix units over exact numbers (GMP integers in units of 2^-kUnit, MPFR), written
// from their definitions and sharing no code with the evaluator: the oracle of the atom tests.
#pragma once

#include <gmp.h>
#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace ordo::dsl::exact {

inline constexpr int kUnit = 700; // every product of f32s is a whole number of these

struct Format {
  int width, fraction, bias, dropped;
  bool infinities;
};
inline constexpr Format kBf16{16, 7, 127, 0, true}, kF16{16, 10, 15, 0, true},
    kTf32{32, 23, 127, 13, true}, kF32{32, 23, 127, 0, true}, kF64{64, 52, 1023, 0, true},
    kE4m3{8, 3, 7, 0, false}, kE5m2{8, 2, 15, 0, true};

class Integer {
public:
  Integer() { mpz_init(v); }
  ~Integer() { mpz_clear(v); }
  Integer(const Integer &) = delete;
  Integer &operator=(const Integer &) = delete;
  mpz_t v;
};

inline float floatOf(std::uint32_t bits) {
  float f;
  std::memcpy(&f, &bits, 4);
  return f;
}
inline std::uint32_t bitsOf(float f) {
  std::uint32_t bits;
  std::memcpy(&bits, &f, 4);
  return bits;
}

/// The value, NaN and infinities included; a double holds every format here exactly.
inline double valueOf(const Format &f, std::uint64_t bits) {
  const bool negative = (bits >> (f.width - 1)) & 1;
  bits = (bits >> f.dropped) << f.dropped;
  const std::uint64_t m = bits & ((std::uint64_t{1} << (f.width - 1)) - 1);
  const std::uint64_t top = std::uint64_t{1} << (f.width - 1);
  double v;
  if (f.infinities && m >= top - (std::uint64_t{1} << f.fraction))
    v = m == top - (std::uint64_t{1} << f.fraction) ? INFINITY : NAN;
  else if (!f.infinities && m == top - 1)
    v = NAN;
  else {
    const int field = static_cast<int>(m >> f.fraction);
    const double tail =
        std::ldexp(static_cast<double>(m & ((std::uint64_t{1} << f.fraction) - 1)), -f.fraction);
    v = field == 0 ? std::ldexp(tail, 1 - f.bias) : std::ldexp(1 + tail, field - f.bias);
  }
  return negative ? -v : v;
}

/// The exponent of the reference's decomposition; of a value that is not zero.
inline int exponentOf(const Format &f, double v) { return std::max(std::ilogb(v), 1 - f.bias); }

/// out ← x * y * 2^kUnit.
inline void scaledProduct(mpz_t out, double x, double y) {
  mpfr_t a, b;
  mpfr_init2(a, 2000);
  mpfr_init2(b, 64);
  mpfr_set_d(a, x, MPFR_RNDN);
  mpfr_set_d(b, y, MPFR_RNDN);
  mpfr_mul(a, a, b, MPFR_RNDN);
  mpfr_mul_2si(a, a, kUnit, MPFR_RNDN);
  mpfr_get_z(out, a, MPFR_RNDN);
  mpfr_clear(a);
  mpfr_clear(b);
}

/// What infinities and NaN decide: 0 when nothing, else the result. A product of 2^128 and more
/// counts as infinite if `overflows`.
inline double decided(const std::vector<double> &a, const std::vector<double> &b, double c,
                      bool overflows) {
  bool plus = c == INFINITY, minus = c == -INFINITY, nan = std::isnan(c);
  for (std::size_t i = 0; i < a.size(); ++i) {
    double p = a[i] * b[i]; // finite f32 operands do not overflow a double
    if (overflows && std::fabs(p) >= 0x1p128)
      p = p < 0 ? -INFINITY : INFINITY;
    plus |= p == INFINITY;
    minus |= p == -INFINITY;
    nan |= std::isnan(p);
  }
  if (nan || (plus && minus))
    return NAN;
  return plus ? INFINITY : minus ? -INFINITY : 0.0;
}

/// sum ← Σ of the products and of c, each cut toward zero at 2^(M - fraction); returns M, or the
/// least int where all are zero.
inline int cutSum(mpz_t sum, const Format &f, const std::vector<double> &a,
                  const std::vector<double> &b, double c, int fraction, int floor) {
  int largest = std::numeric_limits<int>::min();
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != 0 && b[i] != 0)
      largest = std::max(largest, exponentOf(f, a[i]) + exponentOf(f, b[i]));
  if (c != 0)
    largest = std::max(largest, exponentOf(kF32, c));
  mpz_set_si(sum, 0);
  if (largest == std::numeric_limits<int>::min())
    return largest;
  largest = std::max(largest, floor);
  Integer term;
  const auto add = [&](double x, double y) {
    scaledProduct(term.v, x, y);
    const auto drop = static_cast<mp_bitcnt_t>(largest - fraction + kUnit);
    mpz_tdiv_q_2exp(term.v, term.v, drop);
    mpz_mul_2exp(term.v, term.v, drop);
    mpz_add(sum, sum, term.v);
  };
  for (std::size_t i = 0; i < a.size(); ++i)
    add(a[i], b[i]);
  add(c, 1);
  return largest;
}

/// sum * 2^-kUnit, which a double holds exactly.
inline double unscaled(const mpz_t sum) {
  mpfr_t v;
  mpfr_init2(v, 2000);
  mpfr_set_z(v, sum, MPFR_RNDN);
  mpfr_mul_2si(v, v, -kUnit, MPFR_RNDN);
  const double d = mpfr_get_d(v, MPFR_RNDN);
  mpfr_clear(v);
  return d;
}

inline std::vector<double> valuesOf(const Format &f, const std::vector<std::uint64_t> &bits) {
  std::vector<double> v;
  for (const std::uint64_t x : bits)
    v.push_back(valueOf(f, x));
  return v;
}

/// NVIDIA.
inline std::uint32_t truncatedStep(const Format &f, int fraction, int resultBits, int floor,
                                   const std::vector<std::uint64_t> &aBits,
                                   const std::vector<std::uint64_t> &bBits, std::uint32_t cBits) {
  const auto a = valuesOf(f, aBits), b = valuesOf(f, bBits);
  const double c = valueOf(kF32, cBits), special = decided(a, b, c, false);
  if (special != 0)
    return std::isnan(special) ? 0x7fffffffu : bitsOf(static_cast<float>(special));
  Integer sum;
  cutSum(sum.v, f, a, b, c, fraction, floor);
  if (mpz_sgn(sum.v) == 0)
    return 0;
  const int leading = static_cast<int>(mpz_sizeinbase(sum.v, 2)) - 1 - kUnit;
  const auto drop = static_cast<mp_bitcnt_t>(std::max(leading, -126) - resultBits + kUnit);
  mpz_tdiv_q_2exp(sum.v, sum.v, drop);
  mpz_mul_2exp(sum.v, sum.v, drop);
  if (mpz_sgn(sum.v) == 0)
    return 0;
  const double v = unscaled(sum.v);
  return std::fabs(v) >= 0x1p128 ? bitsOf(v < 0 ? -INFINITY : INFINITY)
                                 : bitsOf(static_cast<float>(v));
}

/// x ← floor at 2^place.
inline void floorAt(mpz_t x, int place) {
  const auto drop = static_cast<mp_bitcnt_t>(place + kUnit);
  mpz_fdiv_q_2exp(x, x, drop);
  mpz_mul_2exp(x, x, drop);
}

/// CDNA3. Version 2 keeps one more bit of the products' sum and cuts the total again.
inline std::uint32_t twoStageStep(const Format &f, int version,
                                  const std::vector<std::uint64_t> &aBits,
                                  const std::vector<std::uint64_t> &bBits, std::uint32_t cBits) {
  const auto a = valuesOf(f, aBits), b = valuesOf(f, bBits);
  const double c = valueOf(kF32, cBits), special = decided(a, b, c, true);
  if (special != 0)
    return std::isnan(special) ? 0x7fc00000u : bitsOf(static_cast<float>(special));
  Integer sum, addend;
  const int largest = cutSum(sum.v, f, a, b, 0, 24, -10000);
  const int own = c == 0 ? -126 : exponentOf(kF32, c);
  const int shared = std::max(mpz_sgn(sum.v) == 0 ? own : largest, own);
  scaledProduct(addend.v, c, 1);
  floorAt(sum.v, shared - (version == 1 ? 31 : 32));
  floorAt(addend.v, shared - 24);
  mpz_add(sum.v, sum.v, addend.v);
  if (mpz_sgn(sum.v) == 0)
    return 0;
  if (version == 2)
    floorAt(sum.v, std::max(static_cast<int>(mpz_sizeinbase(sum.v, 2)) - 1 - kUnit, -126) - 31);
  return bitsOf(static_cast<float>(unscaled(sum.v))); // the host rounds to nearest even, once
}

/// x + y or x * y rounded to f32 once, then flushed.
template <class Operation> float flushedF32(Operation operation, float x, float y) {
  mpfr_t a, b;
  mpfr_init2(a, 1000);
  mpfr_init2(b, 64);
  mpfr_set_flt(a, x, MPFR_RNDN);
  mpfr_set_flt(b, y, MPFR_RNDN);
  operation(a, a, b, MPFR_RNDN);
  const float r = mpfr_get_flt(a, MPFR_RNDN);
  mpfr_clear(a);
  mpfr_clear(b);
  return std::fabs(r) < 0x1p-126f ? std::copysign(0.0f, r) : r;
}

/// CDNA2; `bits` has two or four elements.
inline std::uint32_t flushedStep(const Format &f, const std::vector<std::uint64_t> &aBits,
                                 const std::vector<std::uint64_t> &bBits, std::uint32_t cBits) {
  const auto operand = [&](std::uint64_t bits) {
    const double v = valueOf(f, bits);
    return std::fabs(v) < std::ldexp(1.0, 1 - f.bias) ? 0.0f : static_cast<float>(v);
  };
  std::vector<float> level;
  for (std::size_t i = 0; i < aBits.size(); ++i)
    level.push_back(flushedF32(mpfr_mul, operand(aBits[i]), operand(bBits[i])));
  while (level.size() > 1) {
    std::vector<float> next;
    for (std::size_t i = 0; i < level.size(); i += 2)
      next.push_back(flushedF32(mpfr_add, level[i], level[i + 1]));
    level = next;
  }
  const float c = floatOf(cBits);
  const float sum = flushedF32(mpfr_add, std::fabs(c) < 0x1p-126f ? 0.0f : c, level[0]);
  return std::isnan(sum) ? 0x7fc00000u : bitsOf(sum);
}

/// a * b + c rounded once to f32 or f64.
inline std::uint64_t fmaStep(const Format &f, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  mpfr_t x, y, z;
  for (mpfr_ptr v : {x, y, z})
    mpfr_init2(v, 53);
  mpfr_set_d(x, valueOf(f, a), MPFR_RNDN);
  mpfr_set_d(y, valueOf(f, b), MPFR_RNDN);
  mpfr_set_d(z, valueOf(f, c), MPFR_RNDN);
  mpfr_t r;
  mpfr_init2(r, 5000); // exact
  mpfr_fma(r, x, y, z, MPFR_RNDN);
  const double d = mpfr_get_d(r, MPFR_RNDN);
  const float s = mpfr_get_flt(r, MPFR_RNDN);
  for (mpfr_ptr v : {x, y, z, r})
    mpfr_clear(v);
  if (f.width == 32)
    return std::isnan(s) ? 0x7fc00000u : bitsOf(s);
  std::uint64_t bits;
  std::memcpy(&bits, &d, 8);
  return std::isnan(d) ? 0x7ff8000000000000u : bits;
}

} // namespace ordo::dsl::exact
