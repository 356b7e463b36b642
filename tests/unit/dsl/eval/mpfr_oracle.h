// IEEE arithmetic by MPFR, sharing no code with the evaluator: the oracle of the numeric tests.
#pragma once

#include "dsl/types/dtype.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <mpfr.h>
#include <vector>

namespace ordo::dsl::oracle {

/// Formats written out here again, so that a wrong table in the code does not excuse itself.
struct Format {
  int width, fraction, bias;
};
inline Format formatOf(DType type) {
  switch (type) {
  case DType::F64:
    return {64, 52, 1023};
  case DType::F32:
    return {32, 23, 127};
  case DType::F16:
    return {16, 10, 15};
  case DType::BF16:
    return {16, 7, 127};
  case DType::F8E4M3FN:
    return {8, 3, 7};
  case DType::F8E5M2:
    return {8, 2, 15};
  case DType::F8E4M3FNUZ:
    return {8, 3, 8};
  default:
    return {8, 2, 16};
  }
}

/// The finite magnitude that code `bits` names, by the formula; specials are the caller's.
inline double magnitude(const Format &f, std::uint64_t bits) {
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << f.fraction) - 1);
  const int exponent = static_cast<int>(bits >> f.fraction);
  const double hidden = exponent == 0 ? 0.0 : std::ldexp(1.0, f.fraction);
  return std::ldexp(hidden + static_cast<double>(fraction),
                    (exponent == 0 ? 1 : exponent) - f.bias - f.fraction);
}

inline std::uint64_t bitsOf(double v) {
  std::uint64_t u;
  std::memcpy(&u, &v, 8);
  return u;
}
inline std::uint64_t bitsOf(float v) {
  std::uint32_t u;
  std::memcpy(&u, &v, 4);
  return u;
}
inline double doubleOf(std::uint64_t u) {
  double v;
  std::memcpy(&v, &u, 8);
  return v;
}
inline float floatOf(std::uint64_t u) {
  const auto w = static_cast<std::uint32_t>(u);
  float v;
  std::memcpy(&v, &w, 4);
  return v;
}

/// The value of an IEEE format's bits (f64, f32, f16, bf16), infinities and NaN included.
inline double valueOf(DType type, std::uint64_t bits) {
  if (type == DType::F64)
    return doubleOf(bits);
  const Format f = formatOf(type);
  const std::uint64_t sign = bits >> (f.width - 1);
  const std::uint64_t m = bits & ((std::uint64_t{1} << (f.width - 1)) - 1);
  const std::uint64_t infinity = ((std::uint64_t{1} << (f.width - 1 - f.fraction)) - 1)
                                 << f.fraction;
  double v = m > infinity    ? std::numeric_limits<double>::quiet_NaN()
             : m == infinity ? std::numeric_limits<double>::infinity()
                             : magnitude(f, m);
  return sign ? -v : v;
}

/// Bits of a value that the format holds exactly; NaN canonical.
inline std::uint64_t exactBits(DType type, double v) {
  if (std::isnan(v))
    return type == DType::F64   ? 0x7ff8000000000000u
           : type == DType::F32 ? 0x7fc00000u
           : type == DType::F16 ? 0x7e00u
                                : 0x7fc0u;
  if (type == DType::F64)
    return bitsOf(v);
  if (type == DType::F32)
    return bitsOf(static_cast<float>(v));
  if (type == DType::BF16)
    return bitsOf(static_cast<float>(v)) >> 16;
  static const auto kF16 = [] {
    std::map<double, std::uint64_t> codes;
    for (std::uint64_t c = 0; c <= 0x7c00; ++c)
      codes[valueOf(DType::F16, c)] = c;
    return codes;
  }();
  return kF16.at(std::fabs(v)) | (std::signbit(v) ? 0x8000u : 0);
}

/// Runs `compute(mpfr_ptr out)`, which returns MPFR's ternary value, in the type's format: its
/// precision, its exponent range, its subnormals.
template <class Compute> std::uint64_t rounded(DType type, mpfr_rnd_t mode, Compute compute) {
  const Format f = formatOf(type);
  mpfr_t out;
  mpfr_init2(out, f.fraction + 1);
  mpfr_set_emin(1 - f.bias - f.fraction + 1);
  mpfr_set_emax(f.bias + 1);
  int ternary = compute(out, mode);
  ternary = mpfr_check_range(out, ternary, mode);
  mpfr_subnormalize(out, ternary, mode);
  const double v = mpfr_get_d(out, MPFR_RNDN);
  mpfr_clear(out);
  mpfr_set_emin(mpfr_get_emin_min());
  mpfr_set_emax(mpfr_get_emax_max());
  return exactBits(type, v);
}

/// A double as an MPFR number, exactly.
class Number {
public:
  explicit Number(double v) {
    mpfr_init2(value_, 64);
    mpfr_set_d(value_, v, MPFR_RNDN);
  }
  explicit Number(std::int64_t v) {
    mpfr_init2(value_, 64);
    mpfr_set_sj(value_, v, MPFR_RNDN);
  }
  explicit Number(std::uint64_t v) {
    mpfr_init2(value_, 64);
    mpfr_set_uj(value_, v, MPFR_RNDN);
  }
  ~Number() { mpfr_clear(value_); }
  Number(const Number &) = delete;
  Number &operator=(const Number &) = delete;
  mpfr_srcptr get() const { return value_; }

private:
  mpfr_t value_;
};

} // namespace ordo::dsl::oracle
