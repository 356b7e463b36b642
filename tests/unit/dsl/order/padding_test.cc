// The padding facts of design section 3, both ways: where padding on the right with -0.0 changes
// nothing, and where it does.
#include "dsl/order/fold.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ordo::dsl {
namespace {

Order parsed(const std::string &text) { return parseOrder(text, nullptr).value(); }

/// Trees in which the identity vanishes and rounding a rounded value changes nothing: what is left
/// is what the bits depend on, for every operand.
struct ModuloIdentity {
  std::string add(const std::string &a, const std::string &b) const {
    return a == "e" ? b : b == "e" ? a : "(" + a + "+" + b + ")";
  }
  std::string round(const std::string &x, DType) const {
    return x == "e" || x.front() == '[' ? x : "[" + x + "]";
  }
  std::string literal(double) const { return "e"; }
};

std::string padded(const std::string &order, std::size_t length, std::size_t pads) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < length; ++i)
    values.push_back(std::string(1, static_cast<char>('a' + i % 26)) + std::to_string(i / 26));
  values.insert(values.end(), pads, "e");
  return fold(parsed(order), values, ModuloIdentity{}).value();
}

TEST(Padding, ChangesNothingWithoutRounding) {
  for (const char *order : {"seq", "pairs", "halves", "seq(3) | seq", "seq(8) | lanes(4) | halves",
                            "lanes(4) | pairs", "lanes(3, 2) | halves", "pairs(3) | seq",
                            "halves(5) | pairs", "seq(2) | halves(3) | pairs"})
    for (std::size_t length = 1; length <= 40; ++length)
      for (std::size_t pads = 1; pads <= 40; ++pads)
        ASSERT_EQ(padded(order, length, pads), padded(order, length, 0))
            << order << " at " << length << " + " << pads;
}

TEST(Padding, ChangesNothingWhereRoundedChainsAndPairsPass) {
  for (const char *order :
       {"seq: bf16", "pairs: bf16", "seq(3): bf16 | seq: bf16", "lanes(4): bf16 | pairs: bf16",
        "seq(2): bf16 | halves", "pairs(4): bf16 | lanes(3) | halves"})
    for (std::size_t length = 1; length <= 40; ++length)
      for (std::size_t pads = 1; pads <= 40; ++pads)
        ASSERT_EQ(padded(order, length, pads), padded(order, length, 0))
            << order << " at " << length << " + " << pads;
}

TEST(Padding, ChangesMid) {
  const auto five = [](const char *order, std::size_t pads) { return padded(order, 5, pads); };
  EXPECT_EQ(five("mid", 0), "((a0+b0)+(c0+(d0+e0)))");
  EXPECT_EQ(five("mid", 3), "(((a0+b0)+(c0+d0))+e0)");
  EXPECT_NE(padded("mid.leaf(2)", 5, 3), padded("mid.leaf(2)", 5, 0));
}

TEST(Padding, ChangesARoundingStage) {
  // b has no partner at the first stride of three, so it passes, and is rounded; alone with a it is
  // not.
  EXPECT_EQ(padded("halves: bf16", 2, 0), "[(a0+b0)]");
  EXPECT_EQ(padded("halves: bf16", 2, 1), "[([a0]+[b0])]");
}

TEST(Padding, ChangesAStartedStage) {
  // A padded lane is a lane: its start counts.
  EXPECT_EQ(fold(parsed("lanes(2).from(1.0) | seq"), std::vector<double>{3.0, -0.0},
                 [] {
                   struct Ops {
                     double add(double a, double b) const { return a + b; }
                     double round(double a, DType) const { return a; }
                     double literal(double a) const { return a; }
                   };
                   return Ops{};
                 }()),
            5.0);
}

std::uint32_t bitsOf(float value) { return std::bit_cast<std::uint32_t>(value); }

TEST(Padding, AZeroFilledProductIsNotTheIdentity) {
  const float sums[] = {-0.0f, 0.0f, 1.5f, -1e-45f, 3.4e38f, -INFINITY};
  for (float sum : sums) {
    // A skipped step leaves the accumulator; so do the operands (-0.0, 1.0) and (1.0, -0.0).
    EXPECT_EQ(bitsOf(std::fma(-0.0f, 1.0f, sum)), bitsOf(sum));
    EXPECT_EQ(bitsOf(std::fma(1.0f, -0.0f, sum)), bitsOf(sum));
  }
  // Operands filled with zeros give +0.0, which turns the -0.0 that a run starts from, and that a
  // run of negative zeros leaves, into +0.0.
  EXPECT_EQ(bitsOf(std::fma(0.0f, 0.0f, -0.0f)), bitsOf(0.0f));
  EXPECT_EQ(bitsOf(std::fma(-0.0f, 1.0f, -0.0f)), bitsOf(-0.0f));
  // One operand alone filled with zero meets what the other holds.
  EXPECT_TRUE(std::isnan(std::fma(0.0f, INFINITY, 1.0f)));
}

TEST(Padding, AZeroFilledRunOfProductsShows) {
  // fma(4) over two products of which both are -0.0: predicated, filled with the identity, filled
  // with zeros.
  const auto run = [](std::vector<float> a, std::vector<float> b) {
    float sum = -0.0f;
    for (std::size_t i = 0; i < a.size(); ++i)
      sum = std::fma(a[i], b[i], sum);
    return bitsOf(sum);
  };
  const std::uint32_t predicated = run({-1.0f, -0.0f}, {0.0f, 2.0f});
  EXPECT_EQ(predicated, bitsOf(-0.0f));
  EXPECT_EQ(run({-1.0f, -0.0f, -0.0f, -0.0f}, {0.0f, 2.0f, 1.0f, 1.0f}), predicated);
  EXPECT_NE(run({-1.0f, -0.0f, 0.0f, 0.0f}, {0.0f, 2.0f, 0.0f, 0.0f}), predicated);
}

TEST(Padding, SumsAndProductsCommuteAndAMergeDoesNot) {
  const float values[] = {0.0f, -0.0f, 1.5f, -1e-45f, 3.4e38f, -3.4e38f, 0x1.fffffep0f, INFINITY};
  for (float a : values)
    for (float b : values) {
      if (!std::isnan(a + b)) {
        EXPECT_EQ(bitsOf(a + b), bitsOf(b + a));
      }
      if (!std::isnan(a * b)) {
        EXPECT_EQ(bitsOf(a * b), bitsOf(b * a));
      }
    }
  // A merge that keeps the left of two equal keys, as argmax does.
  const auto merge = [](std::pair<float, int> a, std::pair<float, int> b) {
    return a.first < b.first ? b : a;
  };
  EXPECT_NE(merge({1.0f, 0}, {1.0f, 1}), merge({1.0f, 1}, {1.0f, 0}));
}

struct FloatOps {
  float add(float a, float b) const { return a + b; }
  float round(float a, DType) const { return a; }
  float literal(double a) const { return static_cast<float>(a); }
};

TEST(Padding, TheIdentityIsMinusZero) {
  const float values[] = {0.0f, -0.0f, 1.5f, -INFINITY, INFINITY, 1e-45f, -1e-45f, 3.4e38f};
  for (float v : values) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(v + -0.0f), std::bit_cast<std::uint32_t>(v));
    EXPECT_EQ(std::bit_cast<std::uint32_t>(-0.0f + v), std::bit_cast<std::uint32_t>(v));
  }
  // +0.0 is not: it takes the sign from -0.0.
  EXPECT_NE(std::bit_cast<std::uint32_t>(-0.0f + 0.0f), std::bit_cast<std::uint32_t>(-0.0f));
}

TEST(Padding, FloatsAgreeToTheBit) {
  std::uint32_t state = 12345;
  for (const char *order : {"seq", "pairs", "halves", "seq(8) | lanes(16) | halves"})
    for (std::size_t length = 1; length <= 300; length += 7) {
      std::vector<float> values;
      for (std::size_t i = 0; i < length; ++i) {
        state = state * 1664525u + 1013904223u;
        values.push_back(std::ldexp(static_cast<float>(static_cast<std::int32_t>(state)),
                                    -31 + static_cast<int>(state >> 27)));
      }
      const float plain = fold(parsed(order), values, FloatOps{}).value();
      values.resize(length + 213, -0.0f);
      const float longer = fold(parsed(order), values, FloatOps{}).value();
      EXPECT_EQ(std::bit_cast<std::uint32_t>(plain), std::bit_cast<std::uint32_t>(longer))
          << order << " at " << length;
    }
}

} // namespace
} // namespace ordo::dsl
