// f16 and bf16 over pairs of operands: here those of every exponent with chosen fractions, in
// half_pairs_full_test all 2^32; and the oracle of both against MPFR.
#include "tests/unit/dsl/eval/half_pairs.h"
#include "tests/unit/dsl/eval/mpfr_oracle.h"

#include <gtest/gtest.h>
#include <random>

namespace ordo::dsl {
namespace {

class HalfPairs : public testing::TestWithParam<DType> {};

TEST_P(HalfPairs, EveryExponentWithChosenFractions) {
  const std::vector<std::uint16_t> values = half_pairs::chosen(GetParam());
  for (const half_pairs::Subject &subject : half_pairs::subjects()) {
    const half_pairs::Result result = half_pairs::run(GetParam(), subject, values, values, 1);
    EXPECT_EQ(result.tried, values.size() * values.size());
    EXPECT_EQ(result.different, 0u) << result.first;
  }
}

using Binary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

TEST_P(HalfPairs, TheOracleIsMpfr) {
  const DType type = GetParam();
  const oracle::Half h = oracle::halfOf(type);
  std::vector<std::uint16_t> values = half_pairs::chosen(type);
  std::mt19937 random(3);
  const auto pick = [&]() -> std::uint32_t {
    return random() % 2 ? values[random() % values.size()] : random() & 0xffffu;
  };
  for (int i = 0; i < 60000; ++i) {
    const std::uint32_t a = pick(), b = i % 3 == 0 ? (a + random() % 7) & 0xffffu : pick();
    const std::uint32_t c = half_pairs::addendOf(h, a, b);
    const oracle::Number x(oracle::valueOf(type, a)), y(oracle::valueOf(type, b)),
        z(oracle::valueOf(type, c));
    const oracle::Decoded p = oracle::decoded(h, a), q = oracle::decoded(h, b),
                          r = oracle::decoded(h, c);
    const auto wanted = [&](Binary f) {
      return oracle::rounded(type, MPFR_RNDN, [&](mpfr_ptr out, mpfr_rnd_t mode) {
        return f(out, x.get(), y.get(), mode);
      });
    };
    ASSERT_EQ(oracle::add(h, p, q), wanted(mpfr_add)) << std::hex << a << " " << b;
    ASSERT_EQ(oracle::mul(h, p, q), wanted(mpfr_mul)) << std::hex << a << " " << b;
    ASSERT_EQ(oracle::div(h, p, q), wanted(mpfr_div)) << std::hex << a << " " << b;
    ASSERT_EQ(oracle::fma(h, p, q, r), oracle::rounded(type, MPFR_RNDN,
                                                       [&](mpfr_ptr out, mpfr_rnd_t mode) {
                                                         return mpfr_fma(out, x.get(), y.get(),
                                                                         z.get(), mode);
                                                       }))
        << std::hex << a << " " << b << " " << c;
  }
}

// Held to the other format's oracle, every operation shows differences: 0xff80 is a NaN in f16.
TEST_P(HalfPairs, ADifferenceIsSeen) {
  const DType type = GetParam(), other = type == DType::F16 ? DType::BF16 : DType::F16;
  const std::vector<std::uint16_t> values = {0x0001, 0x3c00, 0x3c01, 0xbf80,
                                             0x4040, 0x7f00, 0xff80};
  for (const half_pairs::Subject &subject : half_pairs::subjects()) {
    const half_pairs::Result result = half_pairs::run(type, subject, values, values, 1, other);
    const half_pairs::Result right = half_pairs::run(type, subject, values, values, 1);
    EXPECT_EQ(right.different, 0u) << right.first;
    EXPECT_GT(result.different, 0u) << subject.name;
    EXPECT_NE(result.first, "") << subject.name;
    EXPECT_NE(result.checksum, right.checksum) << subject.name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, HalfPairs, testing::Values(DType::F16, DType::BF16),
                         [](const auto &info) { return std::string(name(info.param)); });

} // namespace
} // namespace ordo::dsl
