// Normal forms: each rule by hand, and all of them against expressions as text.
#include "dsl/order/normal.h"

#include "tests/unit/dsl/order/random_orders.h"

#include <gtest/gtest.h>

namespace ordo::dsl {
namespace {

Order parsed(const std::string &text) {
  std::string error;
  const std::optional<Order> order = parseOrder(text, &error);
  EXPECT_TRUE(order && !malformed(*order)) << text << ": " << error;
  return order.value_or(Order{});
}

std::string normal(const std::string &text, std::int64_t longest = kAnyLength,
                   const Facts &facts = {}) {
  return toString(normalForm(parsed(text), longest, facts));
}

TEST(NormalForm, RunsOfOneGo) {
  EXPECT_EQ(normal("seq(1) | pairs"), "pairs");
  EXPECT_EQ(normal("lanes(4) | halves(1) | mid(1) | pairs"), "lanes(4) | pairs");
  EXPECT_EQ(normal("seq(1).pad(0.0) | pairs"), "pairs");
  EXPECT_EQ(normal("first(1) | mid(1).leaf(4) | pairs"), "pairs");
  // What a suffix does to single values stays.
  EXPECT_EQ(normal("pairs(1): bf16 | pairs"), "seq(1): bf16 | pairs");
  EXPECT_EQ(normal("seq(1).from(1.5) | pairs"), "seq(1).from(1.5) | pairs");
}

TEST(NormalForm, OneLaneIsAChain) {
  EXPECT_EQ(normal("lanes(1) | seq"), "seq");
  EXPECT_EQ(normal("lanes(1, 8) | halves"), "seq");
  EXPECT_EQ(normal("first(2) | lanes(1, 8) | halves"), "seq");
  EXPECT_EQ(normal("lanes(1).from(1.5) | pairs"), "seq.from(1.5)");
  EXPECT_EQ(normal("lanes(1): bf16 | pairs: f32"), "seq: bf16");
  // Rounded once at the end is not rounded at each merge.
  EXPECT_EQ(normal("lanes(1) | halves: bf16"), "lanes(1) | seq: bf16");
  EXPECT_EQ(normal("lanes(1, 4).pad(0.0) | seq"), "lanes(1, 4).pad(0.0) | seq");
}

TEST(NormalForm, LanesThatNeverFill) {
  EXPECT_EQ(normal("lanes(4) | lanes(4) | halves"), "lanes(4) | halves");
  EXPECT_EQ(normal("lanes(4) | lanes(8).from(1.5) | halves"),
            "lanes(4) | seq(1).from(1.5) | halves");
  EXPECT_EQ(normal("lanes(6) | lanes(4, 2) | halves"), "lanes(6) | seq(2) | halves");
  EXPECT_EQ(normal("lanes(9) | lanes(4, 2) | mid"), "lanes(9) | lanes(4, 2) | mid");
  EXPECT_EQ(normal("lanes(4) | lanes(5).pad(0.0) | mid"), "lanes(4) | lanes(5).pad(0.0) | mid");
}

TEST(NormalForm, RunsThatHoldEverything) {
  EXPECT_EQ(normal("lanes(8) | halves(8) | seq"), "lanes(8) | halves");
  EXPECT_EQ(normal("seq(32) | pairs", 32), "seq");
  EXPECT_EQ(normal("seq(32) | pairs", 33), "seq(32) | seq");
  EXPECT_EQ(normal("lanes(5) | halves(8).pad(0.0) | seq"), "lanes(5) | halves(8).pad(0.0) | seq");
  EXPECT_EQ(normal("lanes(8) | halves(8) | pairs: bf16"), "lanes(8) | halves(8) | seq: bf16");
}

TEST(NormalForm, ShortTreesAreChains) {
  for (const char *two : {"pairs(2)", "halves(2)", "mid(2)", "mid(2).leaf(2)", "mid(2).leaf(7)"})
    EXPECT_EQ(normal(std::string(two) + " | seq"), "seq(2) | seq") << two;
  EXPECT_EQ(normal("pairs(3) | seq"), "seq(3) | seq");
  EXPECT_EQ(normal("halves(3) | seq"), "halves(3) | seq");
  EXPECT_EQ(normal("mid(3) | seq"), "mid(3) | seq");
  EXPECT_EQ(normal("pairs(2): bf16 | seq"), "seq(2): bf16 | seq");
  EXPECT_EQ(normal("halves(2): bf16 | seq"), "seq(2): bf16 | seq");
  EXPECT_EQ(normal("mid(2).leaf(2): bf16 | seq"), "seq(2): bf16 | seq");
  // Here single values are rounded before they merge.
  EXPECT_EQ(normal("mid(2): bf16 | seq"), "mid(2): bf16 | seq");
  EXPECT_EQ(normal("pairs(3): bf16 | seq"), "pairs(3): bf16 | seq");
  EXPECT_EQ(normal("lanes(3) | pairs"), "lanes(3) | seq");
}

TEST(NormalForm, LeavesOfMid) {
  EXPECT_EQ(normal("mid.leaf(2)"), "mid");
  EXPECT_EQ(normal("mid.leaf(2): bf16"), "mid.leaf(2): bf16");
  EXPECT_EQ(normal("mid(8).leaf(8) | seq"), "seq(8) | seq");
  EXPECT_EQ(normal("mid(8).leaf(9): bf16 | seq"), "mid(8).leaf(8): bf16 | seq");
  EXPECT_EQ(normal("mid(4).leaf(3) | seq"), "pairs(4) | seq");
  EXPECT_EQ(normal("mid.leaf(32)", 32), "seq");
  EXPECT_EQ(normal("mid.leaf(32)", 33), "mid.leaf(32)");
}

TEST(NormalForm, PadsThatFillTreesUp) {
  EXPECT_EQ(normal("mid.pad(0.0)"), "pairs.pad(0.0)");
  EXPECT_EQ(normal("mid.leaf(3).pad(0.0): bf16"), "pairs.pad(0.0): bf16");
  EXPECT_EQ(normal("mid.pad(0.0): bf16"), "mid.pad(0.0): bf16"); // rounds single values
  EXPECT_EQ(normal("mid.leaf(7).pad(0.0)"), "mid.leaf(4).pad(0.0)");
  EXPECT_EQ(normal("mid(8).pad(0.0) | seq"), "pairs(8).pad(0.0) | seq");
  EXPECT_EQ(normal("mid(6).pad(0.0) | seq"), "mid(6).pad(0.0) | seq");
  EXPECT_EQ(normal("lanes(1) | halves.pad(0.0)"), "seq");
}

TEST(NormalForm, RoundingsThatMidDoesAnyway) {
  EXPECT_EQ(normal("seq(1): bf16 | mid: bf16"), "mid: bf16");
  EXPECT_EQ(normal("seq(1): bf16 | mid.leaf(2): bf16"), "mid: bf16");
  EXPECT_EQ(normal("seq(1): f32 | mid: bf16"), "seq(1): f32 | mid: bf16");
  EXPECT_EQ(normal("seq(2) | mid: bf16"), "seq(2): bf16 | mid: bf16");
  EXPECT_EQ(normal("seq(1).from(1.5) | mid: bf16"), "seq(1).from(1.5): bf16 | mid: bf16");
  EXPECT_EQ(normal("seq(3) | mid: bf16"), "seq(3) | mid: bf16");
  EXPECT_EQ(normal("seq(3): bf16 | mid.leaf(2): bf16"), "seq(3): bf16 | mid: bf16");
}

TEST(NormalForm, PairsOfPairs) {
  EXPECT_EQ(normal("pairs(8) | pairs"), "pairs");
  EXPECT_EQ(normal("seq(2) | seq(2) | pairs"), "pairs");
  EXPECT_EQ(normal("seq(2) | seq(2) | seq"), "pairs(4) | seq");
  EXPECT_EQ(normal("pairs(4) | pairs(3) | halves"), "pairs(12) | halves");
  EXPECT_EQ(normal("pairs(6) | pairs"), "pairs(6) | pairs");
  EXPECT_EQ(normal("pairs(4): bf16 | pairs: bf16"), "pairs: bf16");
  EXPECT_EQ(normal("pairs(4): bf16 | pairs"), "pairs(4): bf16 | pairs");
  EXPECT_EQ(normal("pairs(4) | pairs: bf16"), "pairs(4) | pairs: bf16");
  EXPECT_EQ(normal("pairs(4).pad(0.0) | pairs"), "pairs(4).pad(0.0) | pairs");
  EXPECT_EQ(normal("first(1) | pairs(4) | pairs"), "first(1) | pairs(4) | pairs");
}

TEST(NormalForm, RoundingsThatChangeNothing) {
  EXPECT_EQ(normal("seq(8): bf16 | seq(1): bf16 | seq"), "seq(8): bf16 | seq");
  EXPECT_EQ(normal("seq(8): bf16 | seq(1): f32 | seq"), "seq(8): bf16 | seq");
  EXPECT_EQ(normal("seq(8): f32 | seq(1): bf16 | seq"), "seq(8): f32 | seq(1): bf16 | seq");
  EXPECT_EQ(normal("seq(8): f16 | seq(1): bf16 | seq"), "seq(8): f16 | seq(1): bf16 | seq");
  EXPECT_EQ(normal("seq(8): bf16 | seq: bf16"), "seq(8): bf16 | seq: bf16");
}

TEST(NormalForm, StartsThatAreThereAnyway) {
  EXPECT_EQ(normal("fma.from(-0.0)"), "fma");
  EXPECT_EQ(normal("fma(8).from(0.0) | seq"), "fma(8).from(0.0) | seq");
  EXPECT_EQ(normal("mma(8).from(0.0) | seq"), "mma(8) | seq");
  EXPECT_EQ(normal("mma(8).from(-0.0) | seq"), "mma(8).from(-0.0) | seq");
}

TEST(NormalForm, FirstRunsLikeTheOthers) {
  EXPECT_EQ(normal("first(8) | seq(8) | seq"), "seq(8) | seq");
  EXPECT_EQ(normal("first(2) | lanes(4, 2) | seq"), "lanes(4, 2) | seq");
  EXPECT_EQ(normal("first(3) | seq(8) | seq"), "first(3) | seq(8) | seq");
}

TEST(NormalForm, TheIdentityOfASum) {
  const auto sum = [](const char *text) { return normal(text, kAnyLength, kSumFacts); };
  EXPECT_EQ(sum("seq.from(-0.0)"), "seq");
  EXPECT_EQ(normal("seq.from(-0.0)"), "seq.from(-0.0)");
  EXPECT_EQ(sum("seq.from(0.0)"), "seq.from(0.0)");
  EXPECT_EQ(sum("seq.from(-0.0): bf16"), "seq.from(-0.0): bf16"); // rounds the first value
  EXPECT_EQ(sum("seq(8).pad(-0.0): bf16 | pairs.pad(-0.0)"), "seq(8): bf16 | pairs");
  EXPECT_EQ(sum("halves(8).pad(-0.0) | mid.pad(-0.0)"), "halves(8) | pairs");
  EXPECT_EQ(sum("halves.pad(-0.0): bf16"), "halves: bf16");
  EXPECT_EQ(sum("lanes(1, 4).pad(-0.0) | seq"), "seq");
  EXPECT_EQ(sum("halves(8).pad(-0.0): bf16 | seq"), "halves(8).pad(-0.0): bf16 | seq");
  EXPECT_EQ(sum("seq(2): bf16 | halves(8).pad(-0.0): bf16 | seq"),
            "seq(2): bf16 | halves(8): bf16 | seq");
}

TEST(NormalForm, LanesFilledUpWithTheIdentity) {
  const auto sum = [](const char *text) { return normal(text, kAnyLength, kSumFacts); };
  EXPECT_EQ(sum("lanes(2).pad(-0.0) | seq"), "lanes(2) | seq");
  EXPECT_EQ(sum("lanes(9, 2).pad(-0.0): bf16 | pairs(3): f16 | lanes(2).pad(-0.0) | halves"),
            "lanes(9, 2): bf16 | pairs(3): f16 | lanes(2) | seq");
  EXPECT_EQ(sum("lanes(8).pad(-0.0) | first(1) | seq(3).pad(-0.0): bf16 | seq"),
            "lanes(8) | first(1) | seq(3): bf16 | seq");
  EXPECT_EQ(sum("lanes(8).pad(-0.0): bf16 | halves: bf16"), "lanes(8): bf16 | halves: bf16");
  // Not where a lane of nothing but pads counts: it starts, another pad meets it, it moves the
  // middle, or makes a value pass that is rounded as it does.
  for (const char *order :
       {"lanes(8).from(0.0).pad(-0.0) | seq", "lanes(8).pad(-0.0) | seq.from(0.0)",
        "lanes(8).pad(-0.0) | seq(3).pad(0.0) | seq", "lanes(7).pad(-0.0) | mid",
        "lanes(8).pad(-0.0) | halves: bf16", "lanes(8).pad(0.0) | seq"})
    EXPECT_EQ(sum(order), order);
  EXPECT_EQ(normal("lanes(8).pad(-0.0) | seq"), "lanes(8).pad(-0.0) | seq"); // of any operation
}

TEST(NormalForm, APowerOfTwoOfValues) {
  EXPECT_EQ(normal("lanes(8).pad(0.0) | mid"), "lanes(8).pad(0.0) | pairs");
  EXPECT_EQ(normal("lanes(8).pad(0.0) | mid.leaf(3)"), "lanes(8).pad(0.0) | pairs");
  EXPECT_EQ(normal("lanes(8).pad(0.0) | seq(2): bf16 | mid.leaf(3): bf16"),
            "lanes(8).pad(0.0) | pairs: bf16");
  EXPECT_EQ(normal("lanes(12).pad(0.0) | mid"), "lanes(12).pad(0.0) | mid");
  EXPECT_EQ(normal("lanes(8) | mid"), "lanes(8) | mid");
  EXPECT_EQ(normal("lanes(8).pad(-0.0) | mid", kAnyLength, kSumFacts), "lanes(8) | pairs");
}

TEST(NormalForm, FoldsAlikeAndStaysWellFormed) {
  for (const bool suffixes : {false, true}) {
    RandomOrders random(17);
    int changed = 0;
    for (int i = 0; i < 3000; ++i) {
      const Order order = random.next(suffixes, 4);
      const bool isSum = random.below(2) == 0;
      const std::size_t longest = random.below(3) == 0 ? 1 + random.below(24) : 0;
      const Order form =
          normalForm(order, longest == 0 ? kAnyLength : static_cast<std::int64_t>(longest),
                     isSum ? kSumFacts : Facts{});
      const std::string what = toString(order) + " -> " + toString(form);
      ASSERT_EQ(malformed(form), std::nullopt) << what;
      changed += form == order ? 0 : 1;
      for (std::size_t length = 1; length <= (longest == 0 ? 40 : longest); ++length)
        ASSERT_EQ(textOf(form, length, isSum), textOf(order, length, isSum))
            << what << " at " << length << (isSum ? " as a sum" : "");
    }
    EXPECT_GT(changed, 1000);
  }
}

TEST(NormalForm, IsItsOwn) {
  RandomOrders random(23);
  for (int i = 0; i < 6000; ++i) {
    const Order form = normalForm(random.next(true, 4));
    ASSERT_EQ(toString(normalForm(form)), toString(form));
  }
}

} // namespace
} // namespace ordo::dsl
