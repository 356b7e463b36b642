// exp, log and rsqrt of contracts/math/f32.ordo against MPFR: every exponent, special and hard
// cases, and a million random inputs. tests/math/sweep.sh covers all 2^32 inputs; the mirrors that
// other tests use have the contract's bits.
#include "tests/oracle/harness.h"
#include "tests/oracle/real.h"
#include "tools/math/mirror_f32.h"

#include <gtest/gtest.h>
#include <mpfr.h>

namespace ordo::oracle {
namespace {

constexpr const char *kFile = "tests/contracts/apply.ordo";
constexpr std::uint32_t kInfinity = 0x7f800000u;
constexpr std::uint32_t kNan = 0x7fc00000u;

std::vector<std::uint32_t> outputsOf(const std::string &kernel,
                                     const std::vector<std::uint32_t> &x) {
  const Array input{dsl::DType::F32, {static_cast<std::int64_t>(x.size())}, x};
  auto outputs = run(kFile, kernel, {{"x", input}});
  return outputs.contains("y") ? outputs["y"].bits : std::vector<std::uint32_t>(x.size());
}

std::uint32_t applyTo(const std::string &kernel, std::uint32_t x) {
  return outputsOf(kernel, {x})[0];
}

/// Both signs of every exponent with the ends, the middle and some random fractions of each binade.
std::vector<std::uint32_t> everyExponent() {
  std::vector<std::uint32_t> inputs;
  Random random(1);
  for (std::uint32_t high = 0; high < 512; ++high)
    for (std::uint32_t fraction : {0u, 1u, 2u, 0x3504f3u, 0x400000u, 0x7ffffeu, 0x7fffffu})
      inputs.push_back((high << 23) | fraction);
  for (std::uint32_t high = 0; high < 512; ++high)
    for (int i = 0; i < 100; ++i)
      inputs.push_back((high << 23) | static_cast<std::uint32_t>(random.next() & 0x7fffffu));
  return inputs;
}

std::vector<std::uint32_t> neighbours(std::initializer_list<std::uint32_t> centres,
                                      std::uint32_t reach) {
  std::vector<std::uint32_t> inputs;
  for (std::uint32_t centre : centres)
    for (std::uint32_t i = 0; i <= 2 * reach; ++i)
      inputs.push_back(centre - reach + i);
  return inputs;
}

std::vector<std::uint32_t> randomBits(std::uint64_t seed, std::size_t count) {
  std::vector<std::uint32_t> inputs(count);
  Random random(seed);
  for (std::uint32_t &x : inputs)
    x = static_cast<std::uint32_t>(random.next());
  return inputs;
}

/// Magnitudes in [2^-20, 104): where exp is neither 1 nor out of range.
std::vector<std::uint32_t> randomExponents(std::uint64_t seed, std::size_t count) {
  std::vector<std::uint32_t> inputs(count);
  Random random(seed);
  for (std::uint32_t &x : inputs) {
    x = 0x35800000u + static_cast<std::uint32_t>(random.uniform() * (0x42d00000u - 0x35800000u));
    x |= static_cast<std::uint32_t>(random.next() & 1u) << 31;
  }
  return inputs;
}

using Function = int (*)(mpfr_t, const mpfr_t, mpfr_rnd_t);

/// |got - f(x)| in units in the last place at f(x); infinity stands for 2^128, and is exact past
/// it.
double errorInUlps(Function function, std::uint32_t x, std::uint32_t got) {
  mpfr_t value;
  mpfr_init2(value, 120);
  mpfr_set_d(value, decode(kF32, x), MPFR_RNDN);
  function(value, value, MPFR_RNDN);
  const double want = mpfr_get_d(value, MPFR_RNDN);
  const double limit = std::ldexp(1.0, 128);
  double error = HUGE_VAL;
  if (std::isnan(want)) {
    error = got == kNan ? 0.0 : HUGE_VAL;
  } else if (got == encode(kF32, want)) {
    // Correctly rounded as far as f64 can tell: at most half and a little.
    error = 0.5;
  } else if (std::isfinite(want) && got != kNan) {
    const double given =
        (got & ~kF32.signBit()) == kInfinity ? std::copysign(limit, want) : decode(kF32, got);
    mpfr_sub_d(value, value, given, MPFR_RNDN);
    mpfr_div_d(value, value, std::fabs(want) < limit ? ulp(kF32, want) : std::ldexp(1.0, 104),
               MPFR_RNDN);
    error = std::fabs(mpfr_get_d(value, MPFR_RNDN));
  }
  mpfr_clear(value);
  return error;
}

/// Every input within `bound`; the worst is named.
void expectWithin(const std::string &kernel, Function function, double bound,
                  const std::vector<std::uint32_t> &inputs) {
  const std::vector<std::uint32_t> got = outputsOf(kernel, inputs);
  double worst = 0.0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const double error = errorInUlps(function, inputs[i], got[i]);
    if (error > worst) {
      worst = error;
      at = i;
    }
  }
  EXPECT_LE(worst, bound) << kernel << " at 0x" << std::hex << inputs[at] << " gave 0x" << got[at];
}

int inverseSquareRoot(mpfr_t result, const mpfr_t x, mpfr_rnd_t rounding) {
  // MPFR takes rec_sqrt(-0) for +inf; 1 / sqrt(-0) is -inf.
  if (mpfr_zero_p(x) && mpfr_signbit(x)) {
    mpfr_set_inf(result, -1);
    return 0;
  }
  return mpfr_rec_sqrt(result, x, rounding);
}

// The measured worst errors (the comments in f32.ordo), rounded up.
constexpr double kExpBound = 0.8914;
constexpr double kLogBound = 0.5897;
constexpr double kRsqrtBound = 0.5;

TEST(Exp, EveryExponent) { expectWithin("exp_f32", mpfr_exp, kExpBound, everyExponent()); }

TEST(Exp, HardCases) {
  // The worst inputs of the sweep, the edges of overflow, of the subnormals, of zero, of each k
  // near 0 and of the cut at 104.
  expectWithin(
      "exp_f32", mpfr_exp, kExpBound,
      neighbours({0x40a76a18u, 0xc0bc8286u, 0xc2af788fu, 0x42b17218u, 0xc2aeac50u, 0xc2cff1b5u,
                  0x3eb17218u, 0xbeb17218u, 0x3f851592u, 0xbf851592u, 0x42d00000u, 0xc2d00000u},
                 300));
}

TEST(Exp, Random) {
  expectWithin("exp_f32", mpfr_exp, kExpBound, randomBits(2, 300000));
  expectWithin("exp_f32", mpfr_exp, kExpBound, randomExponents(3, 700000));
}

TEST(Exp, SpecialValues) {
  EXPECT_EQ(applyTo("exp_f32", 0x00000000u), 0x3f800000u);
  EXPECT_EQ(applyTo("exp_f32", 0x80000000u), 0x3f800000u);
  EXPECT_EQ(applyTo("exp_f32", 0x00000001u), 0x3f800000u);
  EXPECT_EQ(applyTo("exp_f32", kInfinity), kInfinity);
  EXPECT_EQ(applyTo("exp_f32", 0xff800000u), 0u);
  EXPECT_EQ(applyTo("exp_f32", 0x7f7fffffu), kInfinity);
  EXPECT_EQ(applyTo("exp_f32", 0xff7fffffu), 0u);
  EXPECT_EQ(applyTo("exp_f32", 0x42b17217u), 0x7f7fff84u); // the largest finite result
  EXPECT_EQ(applyTo("exp_f32", 0x42b17218u), kInfinity);
  EXPECT_EQ(applyTo("exp_f32", 0xc2cff1b4u), 1u); // the last that is not zero
  EXPECT_EQ(applyTo("exp_f32", 0xc2cff1b5u), 0u);
  for (std::uint32_t nan : {0x7fc00000u, 0xffc00000u, 0x7f800001u, 0xffffffffu})
    EXPECT_EQ(applyTo("exp_f32", nan), kNan);
}

TEST(Log, EveryExponent) { expectWithin("log_f32", mpfr_log, kLogBound, everyExponent()); }

TEST(Log, HardCases) {
  // The worst input of the sweep, one, the edges of the reduction at 2/3 and 4/3, of the subnormals
  // and of infinity.
  expectWithin("log_f32", mpfr_log, kLogBound,
               neighbours({0x3f2be206u, 0x3f800000u, 0x3f2aaaabu, 0x3faaaaabu, 0x00800000u,
                           0x00000200u, 0x7f7ffe00u, 0x40000000u, 0x3f000000u},
                          300));
}

TEST(Log, Random) {
  expectWithin("log_f32", mpfr_log, kLogBound, randomBits(4, 300000));
  std::vector<std::uint32_t> positive = randomBits(5, 700000);
  for (std::uint32_t &x : positive)
    x &= 0x7fffffffu;
  expectWithin("log_f32", mpfr_log, kLogBound, positive);
}

TEST(Log, SpecialValues) {
  EXPECT_EQ(applyTo("log_f32", 0x3f800000u), 0u);
  EXPECT_EQ(applyTo("log_f32", 0x00000000u), 0xff800000u);
  EXPECT_EQ(applyTo("log_f32", 0x80000000u), 0xff800000u);
  EXPECT_EQ(applyTo("log_f32", kInfinity), kInfinity);
  EXPECT_EQ(applyTo("log_f32", 0xff800000u), kNan);
  EXPECT_EQ(applyTo("log_f32", 0x80000001u), kNan);
  EXPECT_EQ(applyTo("log_f32", 0xbf800000u), kNan);
  for (std::uint32_t nan : {0x7fc00000u, 0xffc00000u, 0x7f800001u, 0xffffffffu})
    EXPECT_EQ(applyTo("log_f32", nan), kNan);
}

TEST(Rsqrt, EveryExponent) {
  expectWithin("rsqrt_f32", inverseSquareRoot, kRsqrtBound, everyExponent());
}

TEST(Rsqrt, HardCases) {
  expectWithin("rsqrt_f32", inverseSquareRoot, kRsqrtBound,
               neighbours({0x3f80cab3u, 0x4080cab3u, 0x3f800000u, 0x40000000u}, 300));
}

TEST(Rsqrt, SpecialValues) {
  EXPECT_EQ(applyTo("rsqrt_f32", 0x00000000u), kInfinity);
  EXPECT_EQ(applyTo("rsqrt_f32", 0x80000000u), 0xff800000u);
  EXPECT_EQ(applyTo("rsqrt_f32", kInfinity), 0u);
  EXPECT_EQ(applyTo("rsqrt_f32", 0xbf800000u), kNan);
  EXPECT_EQ(applyTo("rsqrt_f32", kNan), kNan);
}

TEST(Mirror, HasTheContractsBits) {
  std::vector<std::uint32_t> inputs = everyExponent();
  const std::vector<std::uint32_t> random = randomBits(6, 200000),
                                   inRange = randomExponents(7, 200000);
  inputs.insert(inputs.end(), random.begin(), random.end());
  inputs.insert(inputs.end(), inRange.begin(), inRange.end());
  const std::vector<std::uint32_t> exps = outputsOf("exp_f32", inputs),
                                   logs = outputsOf("log_f32", inputs),
                                   roots = outputsOf("rsqrt_f32", inputs);
  std::size_t different = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const float x = math_mirror::floatOf(inputs[i]);
    different += exps[i] != math_mirror::bitsOf(math_mirror::expF32(x));
    different += logs[i] != math_mirror::bitsOf(math_mirror::logF32(x));
    different += roots[i] != math_mirror::bitsOf(math_mirror::rsqrtF32(x));
  }
  EXPECT_EQ(different, 0u);
}

} // namespace
} // namespace ordo::oracle
