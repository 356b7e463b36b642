// The expansions of division and square root give the correctly rounded result, whatever v_rcp,
// v_rsq and v_sqrt give within their documented error. MPFR is the judge. Most of LLVM 19's do not,
// which is why Ordo has its own.
#include "tests/unit/compiler/verify/gcn/run.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <mpfr.h>
#include <random>

namespace ordo::verify::gcn {
namespace {

using U = std::uint32_t;
using L = std::uint64_t;

// What LLVM 19 emits for gfx942, the registers renamed; what Ordo does is in run.h.
constexpr const char *kLlvmDivide32 = R"(
v_div_scale_f32 v20, s[20:21], v5, v5, v4
v_rcp_f32 v21, v20
v_div_scale_f32 v22, vcc, v4, v5, v4
v_fma_f32 v23, -v20, v21, 1.0
v_fmac_f32 v21, v23, v21
v_mul_f32 v23, v22, v21
v_fma_f32 v24, -v20, v23, v22
v_fmac_f32 v23, v24, v21
v_fma_f32 v20, -v20, v23, v22
v_div_fmas_f32 v20, v20, v21, v23
v_div_fixup_f32 v8, v20, v5, v4)";

constexpr const char *kLlvmDivide64 = R"(
v_div_scale_f64 v[20:21], s[20:21], v[6:7], v[6:7], v[4:5]
v_rcp_f64 v[22:23], v[20:21]
v_div_scale_f64 v[24:25], vcc, v[4:5], v[6:7], v[4:5]
v_fma_f64 v[26:27], -v[20:21], v[22:23], 1.0
v_fma_f64 v[22:23], v[22:23], v[26:27], v[22:23]
v_fma_f64 v[26:27], -v[20:21], v[22:23], 1.0
v_fma_f64 v[22:23], v[22:23], v[26:27], v[22:23]
v_mul_f64 v[26:27], v[24:25], v[22:23]
v_fma_f64 v[20:21], -v[20:21], v[26:27], v[24:25]
v_div_fmas_f64 v[20:21], v[20:21], v[22:23], v[26:27]
v_div_fixup_f64 v[8:9], v[20:21], v[6:7], v[4:5])";

constexpr const char *kLlvmRoot64 = R"(
v_mov_b32 v20, 0
v_bfrev_b32 v21, 8
v_cmp_lt_f64 vcc, v[4:5], v[20:21]
v_cndmask_b32 v20, 0, 1, vcc
v_lshlrev_b32 v20, 8, v20
v_ldexp_f64 v[20:21], v[4:5], v20
v_rsq_f64 v[22:23], v[20:21]
v_mov_b32 v31, 0xffffff80
v_cndmask_b32 v30, 0, v31, vcc
v_mov_b32 v31, 0x260
v_cmp_class_f64 vcc, v[20:21], v31
v_mul_f64 v[24:25], v[20:21], v[22:23]
v_mul_f64 v[22:23], v[22:23], 0.5
v_fma_f64 v[26:27], -v[22:23], v[24:25], 0.5
v_fma_f64 v[24:25], v[24:25], v[26:27], v[24:25]
v_fma_f64 v[22:23], v[22:23], v[26:27], v[22:23]
v_fma_f64 v[26:27], -v[24:25], v[24:25], v[20:21]
v_fma_f64 v[24:25], v[26:27], v[22:23], v[24:25]
v_fma_f64 v[26:27], -v[24:25], v[24:25], v[20:21]
v_fma_f64 v[24:25], v[26:27], v[22:23], v[24:25]
v_ldexp_f64 v[22:23], v[24:25], v30
v_cndmask_b32 v9, v23, v21, vcc
v_cndmask_b32 v8, v22, v20, vcc)";

/// An MPFR number with the exponents of a format, subnormals included.
class Judge {
public:
  Judge(int precision, int least, int most) {
    mpfr_set_emin(least);
    mpfr_set_emax(most);
    mpfr_inits2(precision, a_, b_, r_, nullptr);
  }
  ~Judge() { mpfr_clears(a_, b_, r_, nullptr); }
  Judge(const Judge &) = delete;
  Judge &operator=(const Judge &) = delete;

  double quotient(double a, double b) {
    mpfr_set_d(a_, a, MPFR_RNDN);
    mpfr_set_d(b_, b, MPFR_RNDN);
    return rounded(mpfr_div(r_, a_, b_, MPFR_RNDN));
  }
  double root(double a) {
    mpfr_set_d(a_, a, MPFR_RNDN);
    return rounded(mpfr_sqrt(r_, a_, MPFR_RNDN));
  }

private:
  double rounded(int direction) {
    mpfr_subnormalize(r_, direction, MPFR_RNDN);
    return mpfr_get_d(r_, MPFR_RNDN);
  }
  mpfr_t a_, b_, r_;
};

constexpr Approximation kAll[] = {Approximation::Nearest, Approximation::Below,
                                  Approximation::Above, Approximation::Mixed};

/// Pairs: corners with each other, exponents that scale, quotients near ties, and random ones.
std::vector<Words> pairs32() {
  std::vector<U> corners = {0x7f800000, 0x7fc00000, 0x7f800001};
  for (const U exponent : {0u,   1u,   22u,  23u,  24u,  31u,  64u,  96u,  97u,  126u, 127u, 128u,
                           150u, 189u, 190u, 191u, 222u, 223u, 224u, 230u, 252u, 253u, 254u})
    for (const U mantissa : {0u, 1u, 0x400000u, 0x7ffffeu, 0x7fffffu})
      corners.push_back(exponent << 23 | mantissa);
  std::vector<Words> all;
  for (const U a : corners)
    for (const U b : corners)
      all.push_back({a, b | (all.size() % 3 == 0 ? 0x80000000 : 0), 0, 0});
  std::mt19937 random(3);
  for (int i = 0; i < 60000; ++i) {
    U a = static_cast<U>(random()), b = static_cast<U>(random());
    if (i % 2 == 0) { // quotients about 1
      a = (a & 0x7fffff) | 0x3f800000;
      b = (b & 0x7fffff) | 0x3f800000;
    }
    if (i % 4 == 1) // subnormal quotients
      a = (a & 0x807fffff) | (b >> 23 & 255) % 30 << 23, b = (b & 0x807fffff) | 0x48000000;
    all.push_back({a, b, 0, 0});
  }
  all.resize(all.size() / 64 * 64);
  return all;
}

L inverseOf(L odd) { // modulo 2^64, by Newton's method
  L inverse = odd;
  for (int step = 0; step < 6; ++step)
    inverse *= 2 - odd * inverse;
  return inverse;
}

Words wordsOf(double a, double b) {
  const L x = std::bit_cast<L>(a), y = std::bit_cast<L>(b);
  return {static_cast<U>(x), static_cast<U>(x >> 32), static_cast<U>(y), static_cast<U>(y >> 32)};
}

/// Quotients n / d as near to a tie m as any: n * 2^s = d * m + j, with n and d of 53 bits, m odd
/// and of 54, j small. That is m = -j / d modulo 2^s. Of d near a power of two, and of others.
std::vector<std::pair<double, double>> hardQuotients() {
  std::vector<std::pair<double, double>> all;
  const auto add = [&](L d) {
    for (const int j : {-3, -2, -1, 1, 2, 3})
      for (const unsigned s : {53u, 54u}) {
        const L least = inverseOf(d) * static_cast<L>(-std::int64_t{j}) & ((L{1} << s) - 1);
        for (L m = least; m < L{1} << 54; m += L{1} << s) {
          const auto product = static_cast<__int128>(d) * m + j;
          const L n = static_cast<L>(product >> s);
          if (m >> 53 == 1 && n >> 52 == 1)
            all.emplace_back(static_cast<double>(n), static_cast<double>(d));
        }
      }
  };
  std::mt19937_64 random(6);
  for (L t = 1; t < 200; t += 2) {
    add((L{1} << 53) - t);
    add((L{1} << 52) + t);
    add(random() >> 12 | L{1} << 52 | 1);
  }
  return all;
}

/// Numbers x whose roots lie as near to a tie k + 1/2 as any: x * 2^s = k^2 + k + c, k of 53 bits,
/// c small; it must be even. Solutions modulo 2 are lifted by Newton's method.
std::vector<double> hardRoots() {
  std::vector<double> all;
  for (const unsigned s : {52u, 53u})
    for (std::int64_t c = -400; c <= 400; c += 2)
      for (const L start : {0u, 1u}) {
        L k = start;
        for (int step = 0; step < 7; ++step)
          k -= (k * k + k + static_cast<L>(c)) * inverseOf(2 * k + 1);
        k &= (L{1} << s) - 1;
        for (; k < L{1} << 53; k += L{1} << s) {
          const L x = static_cast<L>((static_cast<__int128>(k) * k + k + c) >> s);
          if (k >> 52 == 1 && x >> 52 == 1)
            all.push_back(std::ldexp(static_cast<double>(x), static_cast<int>(s) - 104));
        }
      }
  return all;
}

std::vector<Words> pairs64() {
  std::vector<L> corners = {0x7ff0000000000000, 0x7ff8000000000000};
  for (const L exponent : {0u, 1u, 52u, 53u, 54u, 128u, 255u, 256u, 767u, 768u, 1022u, 1023u, 1024u,
                           1500u, 1790u, 1791u, 2044u, 2045u, 2046u})
    for (const L mantissa : {L{0}, L{1}, L{1} << 51, (L{1} << 52) - 1})
      corners.push_back(exponent << 52 | mantissa);
  std::vector<Words> all;
  const auto add = [&](L a, L b) {
    all.push_back(
        {static_cast<U>(a), static_cast<U>(a >> 32), static_cast<U>(b), static_cast<U>(b >> 32)});
  };
  for (const L a : corners)
    for (const L b : corners)
      add(a, b);
  std::mt19937_64 random(4);
  for (int i = 0; i < 30000; ++i) {
    L a = random(), b = random();
    if (i % 2 == 0) {
      a = (a & ((L{1} << 52) - 1)) | L{0x3ff} << 52;
      b = (b & ((L{1} << 52) - 1)) | L{0x3ff} << 52;
    }
    add(a, b);
  }
  // Powers of two beside them: Approximation::Mixed errs otherwise for each.
  const auto power = [&](int most) { return static_cast<int>(random() % (2 * most)) - most; };
  for (const auto &[n, by] : hardQuotients())
    for (int k = 0; k < 4; ++k)
      all.push_back(wordsOf(std::ldexp(n, power(900)), std::ldexp(by, power(900))));
  for (const double x : hardRoots())
    for (int k = 0; k < 4; ++k)
      all.push_back(wordsOf(std::ldexp(x, 2 * power(500)), 1));
  all.resize(all.size() / 64 * 64);
  return all;
}

float f(U bits) { return std::bit_cast<float>(bits); }
double d(U low, U high) { return std::bit_cast<double>(L{high} << 32 | low); }

bool isSame(double a, double b) {
  return std::bit_cast<L>(a) == std::bit_cast<L>(b) || (std::isnan(a) && std::isnan(b));
}

class Division : public ::testing::TestWithParam<Approximation> {};

TEST_P(Division, OfF32) {
  Judge judge(24, -148, 128);
  const std::vector<Words> words = pairs32();
  const auto result = run("gfx942", kDivide32, words, GetParam());
  ASSERT_EQ(result.error, "");
  for (std::size_t i = 0; i < words.size(); ++i) {
    const float a = f(words[i][0]), b = f(words[i][1]);
    ASSERT_TRUE(isSame(f(result.lanes[i][0]), judge.quotient(a, b)))
        << std::hexfloat << a << " / " << b << " gave " << f(result.lanes[i][0]);
  }
}

TEST_P(Division, OfF64) {
  Judge judge(53, -1073, 1024);
  const std::vector<Words> words = pairs64();
  const auto result = run("gfx942", kDivide64, words, GetParam());
  ASSERT_EQ(result.error, "");
  for (std::size_t i = 0; i < words.size(); ++i) {
    const double a = d(words[i][0], words[i][1]), b = d(words[i][2], words[i][3]);
    const double got = d(result.lanes[i][0], result.lanes[i][1]);
    ASSERT_TRUE(isSame(got, judge.quotient(a, b)))
        << std::hexfloat << a << " / " << b << " gave " << got;
  }
}

TEST_P(Division, RootOfF32) {
  Judge judge(24, -148, 128);
  const std::vector<Words> words = pairs32();
  const auto result = run("gfx942", kRoot32, words, GetParam());
  ASSERT_EQ(result.error, "");
  for (std::size_t i = 0; i < words.size(); ++i)
    ASSERT_TRUE(isSame(f(result.lanes[i][0]), judge.root(f(words[i][0]))))
        << std::hexfloat << f(words[i][0]) << " gave " << f(result.lanes[i][0]);
}

TEST_P(Division, RootOfF64) {
  Judge judge(53, -1073, 1024);
  const std::vector<Words> words = pairs64();
  const auto result = run("gfx942", kRoot64, words, GetParam());
  ASSERT_EQ(result.error, "");
  for (std::size_t i = 0; i < words.size(); ++i) {
    const double a = d(words[i][0], words[i][1]);
    const double got = d(result.lanes[i][0], result.lanes[i][1]);
    ASSERT_TRUE(isSame(got, judge.root(a))) << std::hexfloat << a << " gave " << got;
  }
}

std::string nameOf(const ::testing::TestParamInfo<Approximation> &info) {
  constexpr const char *kNames[] = {"Nearest", "Below", "Above", "Mixed"};
  return kNames[static_cast<int>(info.param)];
}
INSTANTIATE_TEST_SUITE_P(Within, Division, ::testing::ValuesIn(kAll), nameOf);

// One step from any start within 1 ulp gives the correctly rounded reciprocal in f32, but for a
// significand of all ones from 2^-k. There alone the remainder is half an ulp of 1, which tells.
TEST(Reciprocals, OfF32AreCorrectlyRoundedButOfAllOnes) {
  for (U d = 0x3f800000; d < 0x40000000; ++d) {
    const float x = f(d), nearest = 1.0F / x, ulp = x == 1.0F ? 0x1p-23F : 0x1p-24F;
    for (const int by : {-1, 0, 1}) {
      const float start = f(std::bit_cast<U>(nearest) + static_cast<U>(by));
      if (std::fabs(static_cast<double>(start) - 1.0 / static_cast<double>(x)) > ulp)
        continue;
      const float better = std::fma(start, std::fma(-x, start, 1.0F), start);
      ASSERT_EQ(better == nearest, d != 0x3fffffff || start != 0.5F)
          << std::hexfloat << x << " from " << start;
      const float remainder = std::fma(-x, better, 1.0F);
      ASSERT_EQ(std::trunc(remainder * 0x1p24F), better == nearest ? 0.0F : 1.0F);
    }
  }
}

double quotientOf(const char *sequence, double a, double b, Approximation within) {
  const auto lane = run("gfx942", sequence, everywhere(wordsOf(a, b)), within).lanes[0];
  return d(lane[0], lane[1]);
}

// 1 / (2 - 2^-23) is 0.5 + 2^-25 + 2^-49. A reciprocal of 0.5 lies within the documented 1 ulp;
// every correction of it then ends in a tie, which goes to 0.5.
TEST(LlvmsOwn, QuotientOfF32IsNotRight) {
  const std::vector<Words> words = everywhere({0x3f800000, 0x3fffffff, 0, 0});
  const auto quotient = [&](const char *sequence, Approximation within) {
    return run("gfx942", sequence, words, within).lanes[0][0];
  };
  EXPECT_EQ(quotient(kLlvmDivide32, Approximation::Nearest), 0x3f000001u); // right
  EXPECT_EQ(quotient(kLlvmDivide32, Approximation::Below), 0x3f000000u);   // wrong
  EXPECT_EQ(quotient(kDivide32, Approximation::Below), 0x3f000001u);
}

// In f64 two steps of Newton's method end below the tie where d is all ones, or near that: from
// every start that is too far off.
TEST(LlvmsOwn, QuotientOfF64IsNotRight) {
  const double all = 0x1.fffffffffffffp0, five = 0x1.ffffffffffffbp0, n = 0x1.6666666666663p0;
  EXPECT_EQ(quotientOf(kLlvmDivide64, 1, all, Approximation::Nearest), 1 / all);
  for (const Approximation within : {Approximation::Below, Approximation::Above}) {
    EXPECT_LT(quotientOf(kLlvmDivide64, 1, all, within), 1 / all);
    EXPECT_LT(quotientOf(kLlvmDivide64, n, five, within), n / five);
    EXPECT_EQ(quotientOf(kDivide64, 1, all, within), 1 / all);
    EXPECT_EQ(quotientOf(kDivide64, n, five, within), n / five);
  }
}

// Nor do two steps reach a root that lies barely above a tie.
TEST(LlvmsOwn, RootOfF64IsNotRight) {
  const double x = 0x1.d407bb3641da5p0;
  EXPECT_EQ(quotientOf(kLlvmRoot64, x, 1, Approximation::Nearest), std::sqrt(x));
  for (const Approximation within : {Approximation::Below, Approximation::Above}) {
    EXPECT_LT(quotientOf(kLlvmRoot64, x, 1, within), std::sqrt(x));
    EXPECT_EQ(quotientOf(kRoot64, x, 1, within), std::sqrt(x));
  }
}

// The judge itself, and that the approximations do differ: without the last correction of the
// sequence the quotient is wrong for one of them.
TEST(Approximations, Show) {
  std::string without = kDivide32;
  for (const char *step :
       {"v_fmac_f32 v21, v21, v23\n", "v_fmac_f32 v21, v21, v23\n", "v_fmac_f32 v23, v24, v21\n"})
    without.erase(without.find(step), std::string(step).size());
  Judge judge(24, -148, 128);
  const std::vector<Words> words = pairs32();
  const auto result = run("gfx942", without, words, Approximation::Below);
  ASSERT_EQ(result.error, "");
  int wrong = 0;
  for (std::size_t i = 0; i < words.size(); ++i)
    wrong += !isSame(f(result.lanes[i][0]), judge.quotient(f(words[i][0]), f(words[i][1])));
  EXPECT_GT(wrong, 0);
}

} // namespace
} // namespace ordo::verify::gcn
