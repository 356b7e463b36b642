// The padding facts of design section 3, both ways: where padding on the right with -0.0 changes
// nothing, and where it does.
#include "dsl/order/fold.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
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
