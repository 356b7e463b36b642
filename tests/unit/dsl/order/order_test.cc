#include "dsl/order/order.h"

#include <gtest/gtest.h>

#include <limits>

namespace ordo::dsl {
namespace {

using Kind = Stage::Kind;

Order parsed(const std::string &text) {
  std::string error;
  const std::optional<Order> order = parseOrder(text, &error);
  EXPECT_TRUE(order) << text << ": " << error;
  return order.value_or(Order{});
}

std::string parseError(const std::string &text) {
  std::string error;
  EXPECT_FALSE(parseOrder(text, &error)) << text;
  return error;
}

std::string malformation(const std::string &text) {
  return malformed(parsed(text)).value_or("well formed");
}

TEST(Order, SpellingsReadBack) {
  for (const char *text : {"seq",
                           "seq(8)",
                           "seq(8) | lanes(128) | halves",
                           "lanes(256, 8) | halves",
                           "pairs",
                           "pairs(4) | pairs",
                           "halves(32) | seq",
                           "mid",
                           "mid(7) | seq",
                           "mid.leaf(32)",
                           "mid.leaf(32): bf16",
                           "mid(64).leaf(8) | seq",
                           "fma(8) | lanes(32) | pairs",
                           "mma",
                           "mma(128) | seq(7) | pairs",
                           "first(3) | seq(4) | seq",
                           "seq.from(0.0)",
                           "seq(4).from(-0.0).pad(1.5): f16 | seq: f32",
                           "lanes(2).from(-inf) | seq",
                           "seq.from(1e+300)",
                           "seq.from(0.1)",
                           "halves.pad(-0.0)"})
    EXPECT_EQ(toString(parsed(text)), text);
}

TEST(Order, SpacesAndEquivalentSpellingsHaveOneForm) {
  EXPECT_EQ(toString(parsed(" seq ( 8 )|lanes( 128 ,8 )  |\n halves :bf16 ")),
            "seq(8) | lanes(128, 8) | halves: bf16");
  EXPECT_EQ(toString(parsed("lanes(4, 1) | seq")), "lanes(4) | seq");
  EXPECT_EQ(toString(parsed("mid.leaf(1)")), "mid");
  EXPECT_EQ(toString(parsed("seq(4).pad(0).from(1) | seq")), "seq(4).from(1.0).pad(0.0) | seq");
}

TEST(Order, FieldsOfAParsedStage) {
  const Order order = parsed("lanes(256, 8).from(0.5): bf16 | mid.leaf(32)");
  ASSERT_EQ(order.stages.size(), 2u);
  EXPECT_EQ(order.stages[0], (Stage{Kind::Lanes, 256, 8, 1, DType::BF16, 0.5, {}}));
  EXPECT_EQ(order.stages[1], (Stage{Kind::Mid, 0, 1, 32, {}, {}, {}}));
  EXPECT_FALSE(order.stages[0].isTotal());
  EXPECT_TRUE(order.stages[1].isTotal());
}

TEST(Order, SignsOfZeroAreDifferentStarts) {
  EXPECT_NE(parsed("seq.from(0.0)"), parsed("seq.from(-0.0)"));
  EXPECT_NE(parsed("seq.from(0.0)"), parsed("seq"));
  EXPECT_NE(parsed("seq(2).pad(0.0) | seq"), parsed("seq(2).pad(-0.0) | seq"));
  EXPECT_EQ(parsed("seq.from(-0.0)"), parsed("seq.from( -0.0 )"));
  EXPECT_NE(parsed("seq(4) | seq"), parsed("seq(4): f32 | seq"));
}

TEST(Order, ParseErrorsNameTheColumnAndTheWay) {
  EXPECT_EQ(parseError(""),
            "column 1: expected a stage: seq, lanes, pairs, halves, mid, fma, mma or first");
  EXPECT_EQ(parseError("seq | tree"),
            "column 7: expected a stage: seq, lanes, pairs, halves, mid, fma, mma or first");
  EXPECT_EQ(parseError("seq |"),
            "column 6: expected a stage: seq, lanes, pairs, halves, mid, fma, mma or first");
  EXPECT_EQ(parseError("seq(8"), "column 6: expected `)`");
  EXPECT_EQ(parseError("seq(0)"), "column 5: expected a size from 1 to 2147483648");
  EXPECT_EQ(parseError("seq(-1)"), "column 5: expected a size from 1 to 2147483648");
  EXPECT_EQ(parseError("seq(99999999999999999999)"),
            "column 5: expected a size from 1 to 2147483648");
  EXPECT_EQ(parseError("lanes | seq"), "column 7: expected `(` and a size");
  EXPECT_EQ(parseError("seq(4, 2)"), "column 6: expected `)`");
  EXPECT_EQ(parseError("seq: b16"), "column 6: expected a type to round to, such as f32 or bf16");
  EXPECT_EQ(parseError("seq.leaf(2)"),
            "column 5: expected `from`, `pad` or, after `mid`, `leaf`, each at most once");
  EXPECT_EQ(parseError("seq.from(1.0).from(2.0)"),
            "column 15: expected `from`, `pad` or, after `mid`, `leaf`, each at most once");
  EXPECT_EQ(parseError("seq.from(zero)"),
            "column 10: expected a number that a double can hold, such as 0.0, -0.0 or -inf");
  EXPECT_EQ(parseError("seq halves"), "column 5: expected `|` and a stage, or the end");
  EXPECT_EQ(parseError(std::string("seq\0", 4)), "column 4: expected `|` and a stage, or the end");
}

TEST(Order, ParseNeedsNoPlaceForTheReason) { EXPECT_FALSE(parseOrder("seq(", nullptr)); }

TEST(Order, WellFormed) {
  for (const char *text : {"seq", "seq(8) | lanes(128) | halves", "mma(512) | seq", "fma",
                           "lanes(4).from(1.0).pad(0.0) | pairs.pad(0.0)",
                           "first(3) | seq(8).from(1.0).pad(0.0): f32 | pairs",
                           "first(8) | halves(8) | first(1) | lanes(4, 2) | mid"})
    EXPECT_EQ(malformation(text), "well formed") << text;
}

TEST(Order, MalformedSaysWhatWouldDo) {
  EXPECT_EQ(malformed(Order{}), "an order has at least one stage; the plainest is `seq`");
  EXPECT_EQ(malformation("seq(8) | lanes(128)"),
            "`seq(8) | lanes(128)` does not end in a total stage, so a long enough sequence leaves "
            "several "
            "values; end with `| seq`, `| pairs`, `| halves` or `| mid`");
  EXPECT_EQ(malformation("fma | pairs"),
            "`fma` already leaves one value; `pairs` after it has nothing to "
            "do; remove it, or give `fma` a run length");
  EXPECT_EQ(malformation("seq(4) | mma(8) | seq"),
            "`mma(8)` takes products and can only be the first stage");
  EXPECT_EQ(malformation("halves.from(0.0)"), "`halves.from(0.0)` cannot start from a value: its "
                                              "runs are trees, not chains; give `.from` to a "
                                              "`seq`, `lanes`, `fma` or `mma` stage");
  EXPECT_EQ(malformation("seq.pad(0.0)"), "`seq.pad` has no short run to pad; `seq(n).pad` has");
  EXPECT_EQ(malformation("fma(8).pad(0.0) | seq").substr(0, 33),
            "`fma(8).pad(0.0)` cannot be padde");
  EXPECT_EQ(malformation("seq: i32"),
            "`seq: i32` rounds to i32; a stage rounds to f64, f32, f16 or bf16");
  EXPECT_EQ(malformation("lanes(1048576, 2).pad(0.0) | seq"),
            "`lanes(1048576, 2).pad(0.0)` pads runs of 2097152; at most 1048576 can be padded");
}

TEST(Order, FirstShortensARunOfTheNextStage) {
  EXPECT_EQ(malformation("first(3)"),
            "`first(3)` shortens the first run of the next stage, and there is none; end with a "
            "stage with runs and a total one, as in `first(3) | seq(3) | seq`");
  for (const char *next : {"seq", "pairs", "first(3) | seq(3) | seq"})
    EXPECT_NE(malformation(std::string("first(3) | ") + next).find(" has no runs of values"),
              std::string::npos);
  EXPECT_EQ(malformation("first(3) | fma(8) | seq"),
            "`first(3)` shortens the first run of the next stage, and `fma(8)` has no runs of "
            "values; it goes before `seq(n)`, `pairs(n)`, `halves(n)`, `mid(n)` or `lanes(n, w)`");
  EXPECT_EQ(malformation("first(9) | seq(8) | seq"),
            "`first(9)` takes more than a run of `seq(8)`, which has 8");
  EXPECT_EQ(malformation("first(2) | lanes(8) | seq"),
            "`first(2)` takes more than a run of `lanes(8)`, which has 1");
  for (const char *suffixed : {"first(3).from(0.0)", "first(3).pad(0.0)", "first(3): f32"})
    EXPECT_EQ(malformation(std::string(suffixed) + " | seq(8) | seq"),
              std::string("`") + suffixed +
                  "` folds nothing that a suffix could change; give it to the next stage");
  EXPECT_EQ(malformation("first(1) | lanes(4, 2).pad(0.0) | seq"),
            "`first(1)` before `lanes(4, 2).pad(0.0)`: whether the pad would fill the short run or "
            "the end of its lane is not stated");
}

TEST(Order, Steps) {
  const Order order = parsed("first(3) | seq(8) | first(1) | lanes(4, 2) | mid");
  const std::vector<Step> steps = stepsOf(order);
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0], (Step{parsed("seq(8)").stages[0], 3}));
  EXPECT_EQ(steps[0].missing(), 5);
  EXPECT_EQ(toString(steps[1]), "first(1) | lanes(4, 2)");
  EXPECT_EQ(steps[1].missing(), 1);
  EXPECT_EQ(toString(steps[2]), "mid");
  EXPECT_EQ(steps[2].missing(), 0);
}

TEST(Order, MalformedCatchesHandMadeStages) {
  const auto one = [](Stage stage) { return malformed(Order{{stage}}).value_or("well formed"); };
  EXPECT_EQ(one({Kind::Lanes, 0, 1, 1, {}, {}, {}}), "`lanes(0)` needs a size of 1 or more");
  EXPECT_EQ(one({Kind::Seq, -3, 1, 1, {}, {}, {}}), "`seq(-3)` has a size below 1");
  EXPECT_EQ(one({Kind::Seq, 0, 2, 1, {}, {}, {}}),
            "`seq` cannot have a run width; only `lanes(n, w)` has one");
  EXPECT_EQ(one({Kind::Pairs, 0, 1, 4, {}, {}, {}}),
            "`pairs` cannot have a leaf; only `mid.leaf(n)` has one");
  EXPECT_EQ(one({Kind::Seq, kMaxStageSize + 1, 1, 1, {}, {}, {}}),
            "`seq(2147483649)` has a size above 2147483648");
  EXPECT_NE(one({Kind::Seq, 0, 1, 1, {}, std::numeric_limits<double>::quiet_NaN(), {}}),
            "well formed");
}

TEST(Order, ResultLengths) {
  const auto left = [](const char *text, std::int64_t length) {
    return resultLength(parsed(text).stages.front(), length);
  };
  for (const char *text : {"seq", "pairs", "halves", "mid.leaf(4)", "mma"}) {
    EXPECT_EQ(left(text, 0), 0);
    EXPECT_EQ(left(text, 1), 1);
    EXPECT_EQ(left(text, 152064), 1);
  }
  EXPECT_EQ(left("seq(8)", 3584), 448);
  EXPECT_EQ(left("seq(8)", 3585), 449);
  EXPECT_EQ(left("lanes(128)", 5), 5);
  EXPECT_EQ(left("lanes(128)", 448), 128);
  EXPECT_EQ(left("lanes(128).pad(0.0)", 5), 128);
  EXPECT_EQ(left("lanes(256, 8)", 17), 3);
  EXPECT_EQ(left("first(3)", 10), 10);
  const auto stepLeft = [](const char *text, std::int64_t length) {
    return resultLength(stepsOf(parsed(text)).front(), length);
  };
  EXPECT_EQ(stepLeft("first(3) | seq(4)", 0), 0);
  EXPECT_EQ(stepLeft("first(3) | seq(4)", 1), 1);
  EXPECT_EQ(stepLeft("first(3) | seq(4)", 3), 1);
  EXPECT_EQ(stepLeft("first(3) | seq(4)", 4), 2);
  EXPECT_EQ(stepLeft("first(3) | seq(4)", 7), 2);
  EXPECT_EQ(stepLeft("first(3) | seq(4)", 8), 3);
  EXPECT_EQ(stepLeft("first(1) | lanes(2, 4)", 1), 1);
  EXPECT_EQ(stepLeft("first(1) | lanes(2, 4)", 100), 2);
}

} // namespace
} // namespace ordo::dsl
