// One step of each format against what an A100 and an H200 gave: tests/data/tensor_core_vectors.
#include "dsl/eval/atom/atom.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>
#include <string>
#include <vector>

namespace ordo::dsl {
namespace {

constexpr const char *kFolder = "tests/data/tensor_core_vectors/";

std::string gunzip(const std::string &path) {
  std::string data;
  const gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr)
    return data;
  char buffer[1 << 16];
  for (int n = 0; (n = gzread(file, buffer, sizeof buffer)) > 0;)
    data.append(buffer, static_cast<std::size_t>(n));
  gzclose(file);
  return data;
}

/// As tests/data/tensor_core_vectors/pack.py lays them out.
struct Vectors {
  std::uint32_t rows = 0, columns = 0;
  std::size_t operandBytes;
  std::string data;

  Vectors(const std::string &file, std::size_t bytes)
      : operandBytes(bytes), data(gunzip(kFolder + file)) {
    if (data.size() < 8)
      return;
    std::memcpy(&rows, data.data(), 4);
    std::memcpy(&columns, data.data() + 4, 4);
  }
  std::size_t matrixBytes() const { return std::size_t{rows} * columns * operandBytes; }
  std::span<const std::byte> operands(int matrix, std::uint32_t row) const {
    const std::size_t bytes = columns * operandBytes;
    const std::size_t at = 8 + matrix * matrixBytes() + row * bytes;
    return std::as_bytes(std::span<const char>(data).subspan(at, bytes));
  }
  std::uint32_t word(int which, std::uint32_t row) const {
    std::uint32_t v = 0;
    std::memcpy(&v, data.data() + 8 + 2 * matrixBytes() + (which * std::size_t{rows} + row) * 4, 4);
    return v;
  }
};

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
  ASSERT_EQ(v.data.size(), 8 + 2 * v.matrixBytes() + 8 * std::size_t{v.rows});
  const AtomRule *rule = findAtom(c.rule);
  ASSERT_NE(rule, nullptr);
  int equal = 0;
  for (std::uint32_t i = 0; i < v.rows; ++i) {
    const auto d = chain(*rule, v.operands(0, i), v.operands(1, i), v.word(0, i));
    equal += d == v.word(1, i);
  }
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
    equal += chain(rule, v.operands(0, i), v.operands(1, i), v.word(0, i)) == v.word(1, i);
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

} // namespace
} // namespace ordo::dsl
