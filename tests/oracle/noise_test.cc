// contracts/random/noise.ordo: against Philox and Box-Muller in plain C++ with MPFR's roundings,
// its moments, its distribution, and that an element depends on (seed, sample, step, element)
// alone.
#include "tests/math/functions.h"
#include "tests/oracle/harness.h"
#include "tests/oracle/real.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace ordo::oracle {
namespace {

constexpr const char *kFile = "contracts/random/noise.ordo";

struct Row {
  std::uint64_t seed, sample;
  std::uint32_t step;
};

std::vector<float> draw(const std::string &kernel, const std::vector<Row> &rows) {
  const auto count = static_cast<std::int64_t>(rows.size());
  Array seed{dsl::DType::U64, {count}, {}}, sample = seed, step{dsl::DType::U32, {count}, {}};
  for (const Row &row : rows) {
    for (const std::uint64_t word : {row.seed, row.seed >> 32})
      seed.bits.push_back(static_cast<std::uint32_t>(word));
    for (const std::uint64_t word : {row.sample, row.sample >> 32})
      sample.bits.push_back(static_cast<std::uint32_t>(word));
    step.bits.push_back(row.step);
  }
  auto outputs = run(kFile, kernel, {{"seed", seed}, {"sample", sample}, {"step", step}});
  std::vector<float> values;
  for (const std::uint32_t bits : outputs["y"].bits)
    values.push_back(std::bit_cast<float>(bits));
  return values;
}

// Salmon et al., SC 2011; its own copy, as an oracle has.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> c,
                                    std::array<std::uint32_t, 2> k) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * c[0], b = std::uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ k[0], static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ k[1], static_cast<std::uint32_t>(a)};
    k[0] += 0x9E3779B9;
    k[1] += 0xBB67AE85;
  }
  return c;
}

std::array<std::uint32_t, 4> wordsOf(const Row &row, std::uint32_t element) {
  return philox({element / 4, row.step, static_cast<std::uint32_t>(row.sample),
                 static_cast<std::uint32_t>(row.sample >> 32)},
                {static_cast<std::uint32_t>(row.seed), static_cast<std::uint32_t>(row.seed >> 32)});
}

float uniformOf(const Row &row, std::uint32_t element) {
  return static_cast<float>(wordsOf(row, element)[element % 4] >> 8) * 0x1p-24f;
}

/// cos or sin of 2 pi v, rounded once.
float circle(bool isCosine, float v) {
  mpfr_t x;
  mpfr_init2(x, 200);
  mpfr_const_pi(x, MPFR_RNDN);
  mpfr_mul_d(x, x, 2.0 * v, MPFR_RNDN);
  isCosine ? mpfr_cos(x, x, MPFR_RNDN) : mpfr_sin(x, x, MPFR_RNDN);
  // At a quarter the true value may be zero, which 200 bits of pi miss by little.
  const float value =
      std::fabs(mpfr_get_d(x, MPFR_RNDN)) < 0x1p-100 ? 0.0f : mpfr_get_flt(x, MPFR_RNDN);
  mpfr_clear(x);
  return value;
}

float normalOf(const Row &row, std::uint32_t element) {
  const auto words = wordsOf(row, element);
  const std::size_t first = element % 4 < 2 ? 0 : 2;
  const float u = static_cast<float>(words[first] >> 8) * 0x1p-24f + 0x1p-24f;
  const float v = static_cast<float>(words[first + 1] >> 8) * 0x1p-24f;
  const std::uint32_t log =
      math::exactly(*math::findFunction("log"), std::bit_cast<std::uint32_t>(u));
  const float radius = std::sqrt(-2.0f * std::bit_cast<float>(log));
  return radius * circle(element % 2 == 0, v);
}

const std::vector<Row> kRows = {{0, 0, 0},
                                {1, 0, 0},
                                {0, 1, 0},
                                {0, 0, 1},
                                {0x123456789abcdef0u, 7, 3},
                                {0x123456789abcdef0u, std::uint64_t{7} << 32, 3},
                                {~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint32_t{0}}};

TEST(Noise, UniformIsPhiloxWordByWord) {
  const std::vector<float> y = draw("uniform_64", kRows);
  ASSERT_EQ(y.size(), kRows.size() * 64);
  for (std::size_t t = 0; t < kRows.size(); ++t)
    for (std::uint32_t d = 0; d < 64; ++d)
      EXPECT_EQ(y[t * 64 + d], uniformOf(kRows[t], d)) << t << ", " << d;
}

TEST(Noise, NormalIsBoxMullerRoundedStepByStep) {
  std::vector<Row> rows = kRows;
  for (std::uint64_t i = 0; i < 300; ++i)
    rows.push_back({i * 0x9e3779b97f4a7c15u, i, static_cast<std::uint32_t>(i % 7)});
  const std::vector<float> y = draw("noise_64", rows);
  ASSERT_EQ(y.size(), rows.size() * 64);
  std::size_t wrong = 0;
  for (std::size_t t = 0; t < rows.size(); ++t)
    for (std::uint32_t d = 0; d < 64; ++d)
      wrong += y[t * 64 + d] != normalOf(rows[t], d);
  EXPECT_EQ(wrong, 0u);
}

// The neighbours, the place and the width of the row do not count.
TEST(Noise, DependsOnItsOwnNamesAlone) {
  const Row mine = {42, 1000000007, 12};
  const std::vector<float> alone = draw("noise_64", {mine});
  const std::vector<float> wide = draw("noise_2048", {mine});
  std::vector<Row> batch = kRows;
  batch.insert(batch.begin() + 3, mine);
  const std::vector<float> among = draw("noise_64", batch);
  ASSERT_EQ(alone.size(), 64u);
  ASSERT_EQ(wide.size(), 2048u);
  for (std::size_t d = 0; d < 64; ++d) {
    EXPECT_EQ(alone[d], wide[d]);
    EXPECT_EQ(alone[d], among[3 * 64 + d]);
  }
}

std::vector<Row> manyRows(std::size_t count) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < count; ++i)
    rows.push_back({2026, i / 4, static_cast<std::uint32_t>(i % 4)});
  return rows;
}

/// The largest distance between the sample's distribution and `cdf`, times sqrt(n): Kolmogorov's
/// distribution gives more than 1.95 once in a thousand such samples.
template <class Cdf> double kolmogorov(std::vector<float> values, const Cdf &cdf) {
  std::ranges::sort(values);
  const auto n = static_cast<double>(values.size());
  double worst = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double p = cdf(static_cast<double>(values[i]));
    worst = std::max({worst, std::fabs(p - double(i) / n), std::fabs(p - double(i + 1) / n)});
  }
  return worst * std::sqrt(n);
}

double moment(const std::vector<float> &values, int power) {
  double sum = 0.0;
  for (const float value : values)
    sum += std::pow(static_cast<double>(value), power);
  return sum / static_cast<double>(values.size());
}

constexpr double kCritical = 1.95;
constexpr double kDeviations = 4.0; // of a mean: once in 16,000 samples

TEST(Noise, UniformDistribution) {
  const std::vector<float> y = draw("uniform_2048", manyRows(200));
  ASSERT_EQ(y.size(), 409600u);
  EXPECT_GE(*std::ranges::min_element(y), 0.0f);
  EXPECT_LT(*std::ranges::max_element(y), 1.0f);
  EXPECT_LT(kolmogorov(y, [](double x) { return x; }), kCritical);
  const double n = std::sqrt(static_cast<double>(y.size()));
  EXPECT_NEAR(moment(y, 1), 0.5, kDeviations * std::sqrt(1.0 / 12) / n);
  EXPECT_NEAR(moment(y, 2), 1.0 / 3, kDeviations * std::sqrt(4.0 / 45) / n);
}

TEST(Noise, NormalDistribution) {
  const std::vector<float> y = draw("noise_2048", manyRows(200));
  ASSERT_EQ(y.size(), 409600u);
  EXPECT_LT(kolmogorov(y, [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }),
            kCritical);
  const double n = std::sqrt(static_cast<double>(y.size()));
  // The variance of x^k is E x^2k - (E x^k)^2, with E x^2k = (2k - 1)!!.
  EXPECT_NEAR(moment(y, 1), 0.0, kDeviations / n);
  EXPECT_NEAR(moment(y, 2), 1.0, kDeviations * std::sqrt(2.0) / n);
  EXPECT_NEAR(moment(y, 3), 0.0, kDeviations * std::sqrt(15.0) / n);
  EXPECT_NEAR(moment(y, 4), 3.0, kDeviations * std::sqrt(96.0) / n);
}

/// The correlation of two samples of mean 0 and variance 1.
double correlation(const std::vector<float> &a, const std::vector<float> &b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum / static_cast<double>(a.size());
}

// Neighbours in every name, the cosine and the sine of a pair among them.
TEST(Noise, NeighboursAreUncorrelated) {
  const std::vector<float> y = draw("noise_2048", {{5, 9, 2}});
  const double allowed = kDeviations / std::sqrt(2048.0);
  for (const Row other : {Row{6, 9, 2}, Row{5, 10, 2}, Row{5, 9, 3}})
    EXPECT_LT(std::fabs(correlation(y, draw("noise_2048", {other}))), allowed);
  std::vector<float> next(y.begin() + 1, y.end());
  next.push_back(y.front());
  EXPECT_LT(std::fabs(correlation(y, next)), allowed);
}

} // namespace
} // namespace ordo::oracle
