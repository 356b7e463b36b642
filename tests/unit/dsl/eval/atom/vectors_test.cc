// Steps of each format against what an A100 and an H200 gave: tests/data/tensor_core_vectors.
#include "dsl/eval/atom/atom.h"
#include "tests/unit/dsl/eval/atom/vectors.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace ordo::dsl {
namespace {

std::optional<std::uint64_t> stepOf(const Vectors &v, const AtomRule &rule, std::uint32_t row) {
  return chain(rule, v.operands(0, row), v.operands(1, row), v.accumulator(0, row));
}

struct Case {
  const char *file, *rule;
  std::size_t operandBytes;
  std::uint32_t columns;
};

class PublishedVectors : public testing::TestWithParam<Case> {};

TEST_P(PublishedVectors, AllFiveThousandAreEqual) {
  const Case &c = GetParam();
  const Vectors v(c.file, c.operandBytes);
  ASSERT_EQ(v.rows, 5000u);
  ASSERT_EQ(v.columns, c.columns);
  ASSERT_TRUE(v.isWhole());
  const AtomRule *rule = findAtom(c.rule);
  ASSERT_NE(rule, nullptr);
  int equal = 0;
  for (std::uint32_t i = 0; i < v.rows; ++i)
    equal += stepOf(v, *rule, i) == v.accumulator(1, i);
  EXPECT_EQ(equal, 5000);
}

// The vectors tell the families apart, so equality above means something.
TEST_P(PublishedVectors, OtherFamiliesDiffer) {
  const Case &c = GetParam();
  const Vectors v(c.file, c.operandBytes);
  ASSERT_EQ(v.rows, 5000u);
  AtomRule rule = *findAtom(c.rule);
  rule.fractionBits = rule.fractionBits == 25 ? 24 : 25;
  int equal = 0;
  for (std::uint32_t i = 0; i < v.rows; ++i)
    equal += stepOf(v, rule, i) == v.accumulator(1, i);
  EXPECT_LT(equal, 4900);
}

INSTANTIATE_TEST_SUITE_P(, PublishedVectors,
                         testing::Values(Case{"A100_bf16.bin.gz", "nv.ampere.bf16", 2, 8},
                                         Case{"A100_fp16.bin.gz", "nv.ampere.f16", 2, 8},
                                         Case{"A100_tf32.bin.gz", "nv.ampere.tf32", 4, 4},
                                         Case{"H200_bf16.bin.gz", "nv.hopper.bf16", 2, 16},
                                         Case{"H200_fp16.bin.gz", "nv.hopper.f16", 2, 16},
                                         Case{"H200_tf32.bin.gz", "nv.hopper.tf32", 4, 4}),
                         [](const auto &info) {
                           const std::string file = info.param.file;
                           return file.substr(0, file.find('.'));
                         });

class MeasuredVectors : public testing::TestWithParam<Case> {};

TEST_P(MeasuredVectors, AllAreEqual) {
  const Case &c = GetParam();
  const AtomRule *rule = findAtom(c.rule);
  ASSERT_NE(rule, nullptr);
  EXPECT_EQ(rule->provenance, AtomProvenance::Measured);
  const Vectors v(c.file, c.operandBytes, static_cast<std::size_t>(byteSize(rule->accumulator)));
  ASSERT_TRUE(v.isWhole());
  ASSERT_EQ(v.columns, c.columns);
  int different = 0;
  for (std::uint32_t i = 0; i < v.rows; ++i) {
    const std::uint64_t d = v.accumulator(1, i), got = stepOf(v, *rule, i).value();
    const bool sameNan = rule->accumulator == DType::F64 && isNanBits(DType::F64, d) &&
                         got == canonicalNan(DType::F64); // the card keeps a payload
    different += got != d && !sameNan;
  }
  EXPECT_EQ(different, 0) << "of " << v.rows;
}

// The floor decides some of these, and only the measured one fits.
TEST(MeasuredFloor, NoOtherFits) {
  for (const Case &c : {Case{"measured/H200_bf16.bin.gz", "nv.hopper.bf16", 2, 16},
                        Case{"measured/H200_tf32.bin.gz", "nv.hopper.tf32", 4, 8}}) {
    const Vectors v(c.file, c.operandBytes);
    ASSERT_TRUE(v.isWhole());
    for (const int floor : {-132, -134, kNoLeastExponent}) {
      AtomRule rule = *findAtom(c.rule);
      rule.leastExponent = floor;
      int different = 0;
      for (std::uint32_t i = 0; i < v.rows; ++i)
        different += stepOf(v, rule, i) != v.accumulator(1, i);
      EXPECT_GT(different, 0) << c.rule << " " << floor;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    H200, MeasuredVectors,
    testing::Values(Case{"measured/H200_bf16.bin.gz", "nv.hopper.bf16", 2, 16},
                    Case{"measured/H200_f16.bin.gz", "nv.hopper.f16", 2, 16},
                    Case{"measured/H200_tf32.bin.gz", "nv.hopper.tf32", 4, 8},
                    Case{"measured/H200_f64.bin.gz", "nv.hopper.f64", 8, 4},
                    Case{"measured/H200_e4m3.bin.gz", "nv.hopper.f8e4m3fn", 1, 32},
                    Case{"measured/H200_e5m2.bin.gz", "nv.hopper.f8e5m2", 1, 32}),
    [](const auto &info) {
      const std::string file = info.param.file;
      const std::size_t start = file.rfind('_') + 1;
      return file.substr(start, file.find('.') - start);
    });

} // namespace
} // namespace ordo::dsl
