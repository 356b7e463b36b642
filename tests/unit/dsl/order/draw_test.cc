#include "dsl/order/draw.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ordo::dsl {
namespace {

Order parsed(const std::string &text) {
  std::string error;
  const std::optional<Order> order = parseOrder(text, &error);
  EXPECT_TRUE(order) << text << ": " << error;
  return order.value_or(Order{});
}

std::string textOf(const std::string &order, std::int64_t length, const DrawOptions &options = {}) {
  return drawText(parsed(order), length, options);
}

std::string svgOf(const std::string &order, std::int64_t length, const DrawOptions &options = {}) {
  return drawSvg(parsed(order), length, options);
}

std::size_t occurrences(const std::string &text, const std::string &what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + what.size()))
    ++count;
  return count;
}

/// The expression that ends a drawing of a short order.
std::string expressionOf(const std::string &order, std::int64_t length) {
  const std::string text = textOf(order, length);
  const std::size_t at = text.rfind("\n\n");
  return at == std::string::npos ? "" : text.substr(at + 2, text.size() - at - 3);
}

TEST(DrawText, FoldsALongRow) {
  EXPECT_EQ(textOf("seq(8) | lanes(128) | halves", 3584),
            R"(seq(8) | lanes(128) | halves   3584 elements, 3583 adds, depth 17
│
├─ seq(8)   3584 elements v → 448 values a
│    448 × a[r] = (((v[8r] + v[8r+1]) + v[8r+2]) + …) + v[8r+7]
│        r = 0 … 447; left fold of 8
│
├─ lanes(128)   448 values a → 128 values b
│    64 × b[r] = ((a[r] + a[r+128]) + a[r+256]) + a[r+384]
│        r = 0 … 63; lane of 4; 32 elements
│    64 × b[r] = (a[r] + a[r+128]) + a[r+256]
│        r = 64 … 127; lane of 3; 24 elements
│
└─ halves   128 values b → the result c
     1 × c = halves(b[0] … b[127])
         strides 64, 32, 16, 8, 4, 2, 1
         halves of 128; 3584 elements
         ragged: b[64] … b[127] (24 elements) against 32 in the others
)");
}

TEST(DrawText, NamesRaggedParts) {
  const std::string text = textOf("seq(32) | seq", 1000);
  EXPECT_NE(text.find("31 × a[r] = "), std::string::npos) << text;
  EXPECT_NE(text.find("1 × a[31] = (((v[992] + v[993]) + v[994]) + …) + v[999]\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("short run of 8"), std::string::npos) << text;
  EXPECT_NE(text.find("ragged: a[31] (8 elements) against 32 in the others"), std::string::npos)
      << text;
  EXPECT_NE(textOf("halves", 100).find("stride 64: 36 merge, 28 pass"), std::string::npos);
  EXPECT_NE(textOf("pairs", 22)
                .find("levels 22 → 11 → 6 → 3 → 2 → 1\n         the last passes at 11, 3\n"),
            std::string::npos)
      << textOf("pairs", 22);
  EXPECT_NE(textOf("mid.leaf(32): bf16", 1000).find("24 × 31, 8 × 32, rounded once to bf16"),
            std::string::npos);
}

TEST(DrawText, WritesShortOrdersOut) {
  EXPECT_EQ(expressionOf("seq", 3), "a = (v0 + v1) + v2");
  EXPECT_EQ(expressionOf("seq", 1), "a = v0");
  EXPECT_EQ(expressionOf("pairs", 7), "a = ((v0 + v1) + (v2 + v3)) + ((v4 + v5) + v6)");
  EXPECT_EQ(expressionOf("mid", 5), "a = (v0 + v1) + (v2 + (v3 + v4))");
  EXPECT_EQ(expressionOf("lanes(2): bf16 | seq", 4), "b = bf16(v0 + v2) + bf16(v1 + v3)");
  EXPECT_EQ(expressionOf("mma(2) | seq", 5), "b = (mma[p0 p1] + mma[p2 p3]) + mma[p4]");
  // Each step of a rounding stage rounds, which `bf16(fma[…])` would not say.
  EXPECT_EQ(expressionOf("fma: bf16", 3), "a = fma: bf16[p0 p1 p2]");
  EXPECT_EQ(expressionOf("fma(2).from(1.5): bf16 | seq", 3),
            "b = fma: bf16[1.5; p0 p1] + fma: bf16[1.5; p2]");
  EXPECT_EQ(expressionOf("seq", 16).size(),
            std::string("a = ").size() + 16 * 2 + 6 + 15 * 3 + 14 * 2);
  EXPECT_EQ(expressionOf("seq", 17), "");
}

TEST(DrawText, OtherOperations) {
  DrawOptions options;
  options.operation = "max";
  options.element = "x";
  options.title = "row maximum";
  const std::string text = textOf("seq", 3, options);
  EXPECT_TRUE(text.starts_with("row maximum\nseq   3 elements, 2 applications of max, depth 2\n"))
      << text;
  EXPECT_TRUE(text.ends_with("a = max(max(x0, x1), x2)\n")) << text;
}

TEST(DrawText, StaysShort) {
  for (const char *order : {"seq", "seq(8) | lanes(1024) | halves", "mid.leaf(32)", "pairs",
                            "seq(7) | lanes(100, 3) | pairs(9) | halves"})
    EXPECT_LT(textOf(order, 152064).size(), 6000u) << order;
}

// A short sequence may be padded to a long one.
TEST(DrawText, CountsPadsBeforeItWritesThemOut) {
  EXPECT_NE(textOf("seq(4).pad(0.5) | seq", 7).find("(v4 + v5) + v6) + 0.5"), std::string::npos);
  for (const char *order : {"seq(1048576).pad(0.5) | seq", "halves(1048576).pad(0.5) | pairs",
                            "lanes(1024, 1024).pad(-0.0) | seq", "mid(1048576).pad(1e9) | seq"}) {
    EXPECT_LT(textOf(order, 7).size(), 6000u) << order;
    EXPECT_LT(drawSvg(parsed(order), 7).size(), 60000u) << order;
  }
}

TEST(DrawText, SaysWhatIsWrong) {
  EXPECT_EQ(textOf("seq", 0), "a tree needs a length from 1 to 1099511627776, not 0\n");
  EXPECT_EQ(textOf("seq(8)", 4).substr(0, 50),
            "`seq(8)` does not end in a total stage, so a long ");
}

/// Every element closes, attributes are quoted: enough of XML for what drawSvg writes.
bool wellFormed(const std::string &xml) {
  std::vector<std::string> open;
  std::size_t at = 0;
  while ((at = xml.find('<', at)) != std::string::npos) {
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos)
      return false;
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (std::ranges::count(tag, '"') % 2 != 0 || tag.find('<') != std::string::npos)
      return false;
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1))
        return false;
      open.pop_back();
    } else if (!tag.ends_with('/')) {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
    at = end;
  }
  return open.empty();
}

TEST(DrawSvg, IsOneSelfContainedDocument) {
  for (const auto &[order, length] : {std::pair{"seq", 1},
                                      {"seq", 12},
                                      {"pairs", 7},
                                      {"mid", 5},
                                      {"lanes(128) | halves", 1000},
                                      {"seq(8) | lanes(128) | halves", 3584},
                                      {"mid.leaf(32): bf16", 1000},
                                      {"seq(8) | lanes(1024) | halves", 152064},
                                      {"first(3) | seq(4).pad(0.0): f32 | seq.from(0.0)", 14},
                                      {"first(3) | lanes(7, 4): bf16 | seq.from(0.0)", 100},
                                      {"mma(128) | seq(7) | pairs", 3584},
                                      {"fma(4): bf16 | pairs", 10},
                                      {"halves: bf16", 13},
                                      {"pairs.pad(-0.0): f16", 21}}) {
    const std::string svg = svgOf(order, length);
    EXPECT_TRUE(svg.starts_with("<svg xmlns=")) << order;
    EXPECT_TRUE(wellFormed(svg)) << order << " at " << length;
    EXPECT_EQ(svg.find("href"), std::string::npos);
    EXPECT_EQ(svg.find("nan"), std::string::npos) << order << " at " << length;
    EXPECT_EQ(svg.find("inf"), std::string::npos) << order << " at " << length;
    EXPECT_LT(svg.size(), 40000u) << order;
  }
}

TEST(DrawSvg, ShortOrdersShowEveryOperation) {
  for (const char *order :
       {"seq", "pairs", "halves", "mid", "seq(3) | lanes(2) | pairs", "lanes(4, 2) | halves"})
    for (std::int64_t length = 1; length <= 16; ++length) {
      const std::string svg = svgOf(order, length);
      EXPECT_EQ(occurrences(svg, ">+</text>"), static_cast<std::size_t>(length - 1))
          << order << length;
      for (std::int64_t i = 0; i < length; ++i)
        EXPECT_EQ(occurrences(svg, ">v" + std::to_string(i) + "</text>"), 1u) << order << length;
    }
}

/// The number after `name="` in a tag.
double attribute(const std::string &tag, const std::string &name) {
  const std::size_t at = tag.find(name + "=\"");
  return at == std::string::npos ? -1.0 : std::atof(tag.c_str() + at + name.size() + 2);
}

// A stage's three lines stand in its band, however little the stage does.
TEST(DrawSvg, BandsHoldTheirLabels) {
  for (const char *order : {"seq", "seq(2) | pairs(2) | seq", "first(2) | seq(4) | seq",
                            "lanes(4) | halves", "seq(1): bf16 | pairs(1): f16 | halves(1) | seq",
                            "fma(4): bf16 | pairs", "mma(2).from(1.5) | seq"})
    for (const std::int64_t length : {1, 2, 5, 9, 13, 40}) {
      const std::string svg = svgOf(order, length);
      double bandEnd = 0.0;
      int labels = 0;
      for (std::size_t at = svg.find('<'); at != std::string::npos; at = svg.find('<', at + 1)) {
        const std::string tag = svg.substr(at, svg.find('<', at + 1) - at);
        if (tag.starts_with("<rect x=\"28.0\""))
          bandEnd = attribute(tag, " y") + attribute(tag, "height");
        if (tag.find(">→ ") == std::string::npos)
          continue;
        ++labels;
        EXPECT_LE(attribute(tag, " y") + 6.0, bandEnd) << order << " at " << length << ": " << tag;
      }
      EXPECT_EQ(labels, 1 + std::ranges::count(std::string(order), '|') -
                            static_cast<int>(occurrences(order, "first")))
          << order;
    }
}

TEST(DrawSvg, FusedRunsSayWhereTheyBeginAndThatEachStepRounds) {
  for (const std::int64_t length : {3, 60}) {
    const std::string svg = svgOf("fma(2).from(1.5): bf16 | seq", length);
    EXPECT_GE(occurrences(svg, ">fma: bf16</text>"), 1u) << length;
    EXPECT_GE(occurrences(svg, ">1.5</text>"), 1u) << length;
    EXPECT_EQ(svg.find("rounded to the stage"), std::string::npos) << length;
  }
}

TEST(DrawSvg, LongOrdersShowEveryShapeOnceWithItsCount) {
  const std::string svg = svgOf("seq(8) | lanes(128) | halves", 3584);
  EXPECT_EQ(occurrences(svg, ">× 448</text>"), 1u);
  EXPECT_EQ(occurrences(svg, ">× 64</text>"), 2u);
  EXPECT_EQ(occurrences(svg, ">a[r+384]</text>"), 1u);
  EXPECT_EQ(occurrences(svg, ">r = 64 … 127</text>"), 1u);
}

TEST(DrawSvg, EscapesText) {
  DrawOptions options;
  options.title = "a < b & \"c\"";
  const std::string svg = svgOf("seq", 3, options);
  EXPECT_NE(svg.find("a &lt; b &amp; &quot;c&quot;"), std::string::npos);
  EXPECT_TRUE(wellFormed(svg));
}

TEST(DrawSvg, SaysWhatIsWrong) {
  const std::string svg = svgOf("lanes(4)", 3);
  EXPECT_TRUE(wellFormed(svg));
  EXPECT_NE(svg.find("does not end in a total stage"), std::string::npos);
}

} // namespace
} // namespace ordo::dsl
