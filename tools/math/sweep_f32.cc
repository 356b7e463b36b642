// Measures the error of exp and log of contracts/math/f32.ordo over every one of the 2^32 f32
// inputs.
//
// The two functions are mirrored here operation for operation (tests/oracle/math_test.cc holds the
// contract's own bits against MPFR on a sample, and against these mirrors). The reference is the
// system's f64 exp and log, within 1 ulp of f64, so a measured error is exact to 2^-28 ulp of f32;
// the worst input found is then measured again with MPFR at 200 bits, and that number is the one
// printed.
//
// Usage: sweep_f32 [exp|log] [first last]    inputs by their bits, default all; about a minute each
#include "tools/math/mirror_f32.h"

#include <mpfr.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace {

using ordo::math_mirror::bitsOf;
using ordo::math_mirror::floatOf;

/// One unit in the last place of f32 at a real number of this magnitude; 2^-149 below the normal
/// range.
double ulpAt(double magnitude) {
  int exponent = 0;
  std::frexp(magnitude, &exponent); // magnitude = m * 2^exponent, m in [0.5, 1)
  return std::ldexp(1.0, (exponent < -125 ? -125 : exponent) - 24);
}

/// |got - want| in ulps; an infinite result counts as 2^128 unless the exact value is past that
/// too.
double errorInUlps(float got, double want) {
  if (std::isnan(got) || std::isnan(want))
    return std::isnan(got) && std::isnan(want) ? 0.0 : HUGE_VAL;
  const double limit = std::ldexp(1.0, 128);
  double value = std::isinf(got) ? std::copysign(limit, got) : static_cast<double>(got);
  if (std::fabs(want) >= limit) {
    if (std::isinf(got) && std::signbit(got) == std::signbit(want))
      return 0.0;
    if (std::isinf(want))
      return HUGE_VAL;
  }
  if (std::isinf(got) && std::isinf(want))
    return std::signbit(got) == std::signbit(want) ? 0.0 : HUGE_VAL;
  return std::fabs(value - want) /
         (std::fabs(want) >= limit ? std::ldexp(1.0, 104) : ulpAt(std::fabs(want)));
}

double exactErrorInUlps(float x, float got, int (*function)(mpfr_t, const mpfr_t, mpfr_rnd_t)) {
  mpfr_t value;
  mpfr_init2(value, 200);
  mpfr_set_flt(value, x, MPFR_RNDN);
  function(value, value, MPFR_RNDN);
  double ulp = ulpAt(std::fabs(mpfr_get_d(value, MPFR_RNDN)));
  mpfr_sub_d(value, value, std::isinf(got) ? std::copysign(std::ldexp(1.0, 128), got) : got,
             MPFR_RNDN);
  mpfr_div_d(value, value, ulp, MPFR_RNDN);
  double error = std::fabs(mpfr_get_d(value, MPFR_RNDN));
  mpfr_clear(value);
  return error;
}

template <class Mirror, class Reference>
void sweep(const char *name, Mirror mirror, Reference reference,
           int (*exact)(mpfr_t, const mpfr_t, mpfr_rnd_t), std::uint64_t first,
           std::uint64_t last) {
  double worst = 0.0;
  std::uint32_t worstInput = static_cast<std::uint32_t>(first);
  std::uint64_t misrounded = 0;
  for (std::uint64_t input = first; input <= last; ++input) {
    float x = floatOf(static_cast<std::uint32_t>(input));
    float got = mirror(x);
    double want = reference(static_cast<double>(x));
    double error = errorInUlps(got, want);
    misrounded += error > 0.5;
    if (error > worst) {
      worst = error;
      worstInput = static_cast<std::uint32_t>(input);
    }
  }
  float x = floatOf(worstInput);
  std::printf("%s: worst %.6f ulp (f64 reference %.6f) at 0x%08x = %.9g, result %.9g; %llu of %llu "
              "not correctly rounded\n",
              name, exactErrorInUlps(x, mirror(x), exact), worst, worstInput, x, mirror(x),
              static_cast<unsigned long long>(misrounded),
              static_cast<unsigned long long>(last - first + 1));
}

} // namespace

int main(int argc, char **argv) {
  const char *which = argc > 1 ? argv[1] : "";
  std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 0) : 0;
  std::uint64_t last = argc > 3 ? std::strtoull(argv[3], nullptr, 0) : 0xffffffffu;
  if (std::strcmp(which, "log") != 0)
    sweep(
        "exp", ordo::math_mirror::expF32, [](double x) { return std::exp(x); }, mpfr_exp, first,
        last);
  if (std::strcmp(which, "exp") != 0)
    sweep(
        "log", ordo::math_mirror::logF32, [](double x) { return std::log(x); }, mpfr_log, first,
        last);
  return 0;
}
