// Where orders part, drawn.
#include "dsl/order/difference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace ordo::dsl {
namespace {

Order parsed(const std::string &text) { return parseOrder(text, nullptr).value(); }

Difference difference(const std::string &a, const std::string &b) {
  return firstDifference(parsed(a), parsed(b));
}

std::string drawn(const std::string &a, const std::string &b, const DrawOptions &options = {}) {
  return drawDifference(parsed(a), parsed(b), difference(a, b), options);
}

using Path = std::vector<std::uint8_t>;

TEST(Difference, GoesDownWhileOneOperandDiffers) {
  EXPECT_EQ(difference("seq", "pairs").path, Path{});
  EXPECT_EQ(difference("seq(4) | seq", "pairs(4) | seq").path, Path{});
  EXPECT_EQ(
      firstDifference(parsed("seq(4).pad(0.0) | seq"), parsed("seq(4).pad(1.0) | seq"), {5, 5})
          .path,
      Path{1});
  EXPECT_EQ(difference("lanes(8) | halves", "lanes(4) | halves").path, (Path{0, 0}));
  EXPECT_EQ(difference("seq", "seq.from(0.0)").path, Path{});
  EXPECT_EQ(difference("seq.from(0.0)", "seq.from(1.0)").path, Path{0});
  EXPECT_EQ(difference("seq: bf16", "seq: f16").path, Path{});
  EXPECT_EQ(difference("seq", "lanes(1) | pairs").path, Path{});
}

TEST(Difference, DrawsBothSides) {
  EXPECT_EQ(drawn("seq(4) | seq", "seq"), R"(first part at 6 elements

seq(4) | seq               seq

+   ◂                      +   ◂
├─ ((v0 + v1) + v2) + v3   ├─ (((v0 + v1) + v2) + v3) + v4
└─ v4 + v5                 └─ v5
)");
  EXPECT_EQ(drawn("seq(8).from(0.0) | pairs", "seq(8).from(0.5) | pairs"),
            R"(first part at 1 element

seq(8).from(0.0) | pairs   seq(8).from(0.5) | pairs

+                          +
├─ 0.0   ◂                 ├─ 0.5   ◂
└─ v0                      └─ alike
)");
  EXPECT_EQ(drawn("mid.leaf(32): bf16", "mid.leaf(32)"), R"(first part at 1 element

mid.leaf(32): bf16   mid.leaf(32)

bf16   ◂             v0   ◂
└─ v0
)");
  EXPECT_EQ(drawn("fma(8) | seq", "fma"), R"(first part at 9 elements

fma(8) | seq              fma

+   ◂                     fma   ◂
├─ p0 … p7 (8 elements)   ├─ p0 … p7 (8 elements)
└─ fma(-0.0, p8)          └─ p8
)");
}

TEST(Difference, WhatIsFarIsSummedUp) {
  EXPECT_EQ(drawn("lanes(64) | halves", "lanes(32) | halves"), R"(first part at 65 elements

lanes(64) | halves                       lanes(32) | halves

+                                        +
├─ +                                     ├─ +
│  ├─ +                                  │  ├─ +
│  │  ├─ +                               │  │  ├─ +
│  │  │  ├─ +                            │  │  │  ├─ +
│  │  │  │  ├─ +   ◂                     │  │  │  │  ├─ +   ◂
│  │  │  │  │  ├─ v0 + v64               │  │  │  │  │  ├─ v0 + v32
│  │  │  │  │  └─ v32                    │  │  │  │  │  └─ v64
│  │  │  │  └─ v16 + v48                 │  │  │  │  └─ alike
│  │  │  └─ (v8 + v40) + (v24 + v56)     │  │  │  └─ alike
│  │  └─ v4 v36 v20 … v60 (8 elements)   │  │  └─ alike
│  └─ v2 v34 v18 … v62 (16 elements)     │  └─ alike
└─ v1 v33 v17 … v63 (32 elements)        └─ alike
)");
}

TEST(Difference, LongWaysDownAreElided) {
  const std::string text = drawn("lanes(4096) | halves", "lanes(2048) | halves");
  EXPECT_NE(text.find("first part at 4097 elements"), std::string::npos) << text;
  EXPECT_NE(text.find("│  ├─ ⋮ 6 operations"), std::string::npos) << text;
  EXPECT_NE(text.find("├─ v0 + v4096"), std::string::npos) << text;
  EXPECT_EQ(std::ranges::count(text, '\n'), 18) << text;
}

TEST(Difference, OtherOperations) {
  DrawOptions options;
  options.operation = "max";
  options.element = "x";
  EXPECT_EQ(drawn("seq", "halves", options), R"(first part at 3 elements

seq              halves

max   ◂          max   ◂
├─ max(x0, x1)   ├─ max(x0, x2)
└─ x2            └─ x1
)");
}

TEST(Difference, OtherVerdicts) {
  EXPECT_EQ(drawn("seq", "lanes(1) | pairs"), "equal\n");
  EXPECT_EQ(drawn("seq(2000000000) | seq", "seq(2100000000) | seq"),
            "unknown: alike at every length up to 2,000,000,000 compared, and not proven alike "
            "beyond\n");
}

} // namespace
} // namespace ordo::dsl
