// The generator and the comparison on the host; the device's are the same functions, and a hash
// compares them.
#include "tests/gpu/case_file.h"
#include "tests/gpu/check.h"
#include "tests/gpu/files.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <set>

namespace ordo::gpu {
namespace {

constexpr Format kBf16{2, 8, 7};
constexpr Format kF32{4, 8, 23};

float valueOf(Format format, U64 bits) {
  const U32 word = static_cast<U32>(format.bytes == 2 ? bits << 16 : bits);
  float value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

// The known answers of Random123.
TEST(Pattern, PhiloxHasItsKnownAnswers) {
  const Words zero = philox(0, 0, 0, 0, 0);
  EXPECT_EQ(zero.w[0], 0x6627e8d5u);
  EXPECT_EQ(zero.w[1], 0xe169c58du);
  EXPECT_EQ(zero.w[2], 0xbc57ac4cu);
  EXPECT_EQ(zero.w[3], 0x9b00dbd8u);
  const Words ones = philox(~U64{0}, ~0u, ~0u, ~0u, ~0u);
  EXPECT_EQ(ones.w[0], 0x408f276du);
  EXPECT_EQ(ones.w[1], 0x41c83b0eu);
  EXPECT_EQ(ones.w[2], 0xa20bc7c6u);
  EXPECT_EQ(ones.w[3], 0x6d5451fdu);
}

TEST(Pattern, EveryKindIsAmongTheRows) {
  std::set<Kind> kinds;
  for (U32 pattern = 0; pattern < kPatterns; ++pattern)
    kinds.insert(kindOf(pattern));
  EXPECT_EQ(kinds.size(), static_cast<std::size_t>(Kind::Mixed) + 1);
  EXPECT_EQ(kindOf(kPlainWeights), Kind::Weights);
  EXPECT_EQ(kindOf(kSpecialWeights), Kind::SpecialWeights);
}

TEST(Pattern, RowsAreWhatTheirKindsSay) {
  for (const Format format : {kBf16, kF32})
    for (U32 pattern = 0; pattern < kPatterns; ++pattern) {
      const Source source{1, 300, format, 0};
      int nans = 0;
      int infinities = 0;
      int zeros = 0;
      int subnormals = 0;
      float largest = 0;
      for (U64 column = 0; column < source.columns; ++column) {
        const U64 bits = elementBits(source, pattern, column);
        const float value = valueOf(format, bits);
        EXPECT_EQ(isNan(format, bits), std::isnan(value));
        nans += std::isnan(value);
        infinities += std::isinf(value);
        zeros += value == 0;
        subnormals += std::fpclassify(value) == FP_SUBNORMAL;
        if (std::isfinite(value))
          largest = std::max(largest, std::fabs(value));
      }
      const Kind kind = kindOf(pattern);
      SCOPED_TRACE(kindName(pattern));
      EXPECT_EQ(nans > 0, kind == Kind::OneNan || kind == Kind::ManyNans || kind == Kind::AllNan);
      if (kind == Kind::OneNan)
        EXPECT_EQ(nans, 1);
      if (kind == Kind::OneInf || kind == Kind::OneNegInf)
        EXPECT_EQ(infinities, 1);
      if (kind == Kind::AllNegInf || kind == Kind::AllInf)
        EXPECT_EQ(infinities, 300);
      if (kind == Kind::SignedZeros || kind == Kind::NegativeZeros || kind == Kind::PositiveZeros)
        EXPECT_EQ(zeros, 300);
      if (kind == Kind::Subnormals)
        EXPECT_GT(subnormals, 280);
      if (kind == Kind::Ordinary)
        EXPECT_TRUE(largest < 4 && largest > 1 && subnormals == 0) << largest;
      if (kind == Kind::Huge)
        EXPECT_GT(largest, 1e38f);
      if (kind == Kind::Lone)
        EXPECT_EQ(zeros, 299);
    }
}

TEST(Pattern, HalfPrecisionStaysInsideItsFormat) {
  const Source source{1, 64, {2, 5, 10}, 3};
  for (U32 pattern = 0; pattern <= kSpecialWeights; ++pattern)
    for (U64 column = 0; column < source.columns; ++column) {
      const U64 bits = elementBits(source, pattern, column);
      EXPECT_LE(bits, 0xffffu);
      if (kindOf(pattern) == Kind::Moderate || kindOf(pattern) == Kind::Logits)
        EXPECT_LT(bits & 0x7fff, 0x7c00u);
    }
}

TEST(Pattern, IntegersOfEveryLengthAndTheirEnds) {
  for (const U32 bytes : {4u, 8u}) {
    const Source source{1, 1, {bytes, 0, 0}, 2};
    const U64 mask = ~U64{0} >> (64 - 8 * bytes), least = U64{1} << (8 * bytes - 1);
    std::set<U64> seen;
    int negative = 0, columns = 0; // of a vocabulary
    for (U32 pattern = 0; pattern < kPatterns; ++pattern) {
      const U64 bits = elementBits(source, pattern, 0);
      EXPECT_LE(bits, mask);
      EXPECT_FALSE(isNan(source.format, bits));
      seen.insert(bits);
      negative += (bits & least) != 0;
      columns += bits < 152064;
    }
    for (const U64 end : {U64{0}, U64{1}, mask, least, least - 1})
      EXPECT_EQ(seen.count(end), 1u) << std::hex << end;
    EXPECT_TRUE(negative > 40 && negative < 128) << negative;
    EXPECT_TRUE(columns > 40) << columns;
  }
}

TEST(Pattern, AStrideOf32KeepsTheKind) {
  for (U32 kind = 0; kind < 32; ++kind)
    for (U64 row = 0; row < 16; ++row)
      EXPECT_EQ(kindOf(patternOf({32, kind}, row)), kindOf(kind));
}

TEST(Pattern, TensorsRowsAndSeedsDiffer) {
  const Source source{1, 64, kF32, 0};
  Source other = source;
  other.tensor = 1;
  EXPECT_NE(elementBits(source, 0, 5), elementBits(other, 0, 5));
  EXPECT_NE(elementBits(source, 0, 5), elementBits(source, 5, 5));
  other = source;
  other.seed = 2;
  EXPECT_NE(elementBits(source, 0, 5), elementBits(other, 0, 5));
}

TEST(Pattern, AnArrangementReachesEveryPattern) {
  for (const Arrangement arrangement : {Arrangement{1, 0}, {37, 9}, {5, 130}}) {
    std::set<U32> seen;
    for (U64 row = 65536; row < 65536 + kPatterns; ++row)
      seen.insert(patternOf(arrangement, row));
    EXPECT_EQ(seen.size(), kPatterns);
  }
}

TEST(Pattern, TheHashSeesOrderAndValue) {
  const std::uint16_t rows[] = {1, 2, 3, 4};
  const std::uint16_t swapped[] = {1, 3, 2, 4};
  const std::uint16_t changed[] = {1, 2, 3, 5};
  EXPECT_NE(hashOf(rows, 2, 4), hashOf(swapped, 2, 4));
  EXPECT_NE(hashOf(rows, 2, 4), hashOf(changed, 2, 4));
  EXPECT_EQ(hashOf(rows, 2, 4), hashOf(rows, 2, 2) + hashShare(2, 3) + hashShare(3, 4));
}

TEST(Pattern, NansAreOneValueAndZerosAreTwo) {
  EXPECT_TRUE(sameValue(kBf16, 0x7fc0, 0xffff));
  EXPECT_TRUE(sameValue(kBf16, 0x3f80, 0x3f80));
  EXPECT_FALSE(sameValue(kBf16, 0x7f80, 0x7fc0));
  EXPECT_FALSE(sameValue(kBf16, 0x0000, 0x8000));
  EXPECT_TRUE(sameValue({8, 11, 52}, 0x7ff8000000000000u, 0xfff0000000000001u));
}

TEST(CaseFile, ComesBackAsItWas) {
  Case work{"k", "special", "T", 0xffffffffffffffffu, {}, {{"eps", "f32", 0x358637bd}}, {}};
  work.tensors = {{"x", "f32", true, true, 3, 0, 0x8000000000000001u, {}},
                  {"y", "bf16", false, true, 1, 0, 0, std::vector<char>(512, '\n')}};
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/k.case";
  ASSERT_TRUE(writeCase(path, work));
  std::string error;
  const auto back = readCase(path, error);
  ASSERT_TRUE(back) << error;
  EXPECT_EQ(back->seed, work.seed);
  EXPECT_EQ(back->tensors[0].hash, work.tensors[0].hash);
  EXPECT_EQ(back->tensors[1].expected, work.tensors[1].expected);
  EXPECT_EQ(back->scalars[0].bits, 0x358637bdu);

  const auto whole = readFile(path, error);
  ASSERT_TRUE(writeFile(path, std::string_view(whole->data(), whole->size() - 1)));
  EXPECT_FALSE(readCase(path, error));
  EXPECT_NE(error.find("truncated"), std::string::npos) << error;
  ASSERT_TRUE(writeFile(path, "{\"ordo_gpu_case\": 1}\n"));
  EXPECT_FALSE(readCase(path, error));
}

TEST(CaseFile, KeepsTheTrialsOfAFold) {
  Case work{"k", "plain", "T", 1, {}, {}, {{0, {1, 0}}, {65, {32, 7}}}};
  work.tensors = {{"y", "f32", false, false, 3, 0, 0, std::vector<char>(2 * 3 * 4, 'a')}};
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/fold.case";
  ASSERT_TRUE(writeCase(path, work));
  std::string error;
  const auto back = readCase(path, error);
  ASSERT_TRUE(back) << error;
  ASSERT_EQ(back->trials.size(), 2u);
  EXPECT_EQ(back->trials[1].rows, 65u);
  EXPECT_EQ(back->trials[1].arrangement.stride, 32u);
  EXPECT_EQ(back->trials[1].arrangement.offset, 7u);
  EXPECT_EQ(back->tensors[0].expected, work.tensors[0].expected);
}

TEST(Trials, CoverTheRowsThatFit) {
  const auto trials = trialsFor(7168, {});
  EXPECT_EQ(trials.front().rows, 0u);
  EXPECT_EQ(trials.back().rows, 65536u);
  std::set<U32> alone;
  for (const Trial &trial : trials) {
    EXPECT_EQ(trial.arrangement.stride % 2, 1u);
    if (trial.rows == 1)
      alone.insert(trial.arrangement.offset);
  }
  EXPECT_EQ(alone.size(), kPatterns);
  // 152,064 columns of f32: as many rows as 4 GiB hold.
  EXPECT_EQ(trialsFor(152064 * 4, {}).back().rows, (U64{4} << 30) / (152064 * 4));
}

} // namespace
} // namespace ordo::gpu
