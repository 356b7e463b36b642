// compare() against expressions as text at many lengths: no false verdict, and few undecided.
#include "dsl/order/compare.h"

#include "tests/unit/dsl/order/random_orders.h"

#include <gtest/gtest.h>

#include <map>

namespace ordo::dsl {
namespace {

Order parsed(const std::string &text) {
  std::string error;
  const std::optional<Order> order = parseOrder(text, &error);
  EXPECT_TRUE(order && !malformed(*order)) << text << ": " << error;
  return order.value_or(Order{});
}

Comparison compared(const std::string &a, const std::string &b, const Lengths &lengths = {},
                    const Facts &facts = {}) {
  return compare(parsed(a), parsed(b), lengths, facts);
}

void expectEqual(const std::string &a, const std::string &b, const Lengths &lengths = {},
                 const Facts &facts = {}) {
  EXPECT_EQ(name(compared(a, b, lengths, facts).verdict), "equal") << a << " and " << b;
}

void expectFirst(const std::string &a, const std::string &b, std::int64_t length,
                 const Lengths &lengths = {}) {
  const Comparison result = compared(a, b, lengths);
  EXPECT_EQ(name(result.verdict), "different") << a << " and " << b;
  EXPECT_EQ(result.length, length) << a << " and " << b;
  EXPECT_TRUE(result.isFirst) << a << " and " << b;
  EXPECT_EQ(result.compared, length > lengths.shortest ? length - 1 : 0) << a << " and " << b;
}

TEST(Compare, FirstLengths) {
  expectFirst("seq", "pairs", 4);
  expectFirst("seq", "halves", 3);
  expectFirst("seq", "mid", 3);
  expectFirst("pairs", "halves", 3);
  expectFirst("pairs", "mid", 3);
  expectFirst("seq", "seq.from(0.0)", 1);
  expectFirst("seq.from(0.0)", "seq.from(-0.0)", 1);
  expectFirst("seq", "seq: bf16", 1);
  expectFirst("seq(8) | seq", "seq", 10);
  // Up to two values a lane, the first stride of 512 lanes does what 256 lanes do.
  expectFirst("lanes(512) | halves", "lanes(256) | halves", 513);
  expectFirst("lanes(512) | pairs", "lanes(256) | pairs", 257);
  expectFirst("seq(8) | lanes(128) | halves", "seq(8) | lanes(64) | halves", 8 * 128 + 1);
  expectFirst("mid.leaf(32)", "seq", 33);
  expectFirst("mid.leaf(32)", "mid.leaf(16)", 17);
  expectFirst("fma(8) | seq", "fma", 9);
  expectFirst("fma", "mma", 1);
  expectFirst("mma(128) | seq(7) | pairs", "mma(128) | pairs", 128 * 3 + 1);
  expectFirst("seq(2048) | seq", "seq(4096) | seq", 2050);
  expectFirst("seq", "pairs", 100, {100, kAnyLength});
}

TEST(Compare, EqualByNormalForm) {
  expectEqual("lanes(1) | seq", "seq");
  expectEqual("pairs(1024) | pairs(4) | pairs", "pairs");
  expectEqual("fma(8).from(-0.0) | pairs", "fma(8) | seq(2) | pairs");
  expectEqual("seq.from(-0.0)", "seq", {}, kSumFacts);
  EXPECT_EQ(compared("seq.from(-0.0)", "seq").verdict, Verdict::Different);
  expectEqual("lanes(4).pad(-0.0) | pairs", "lanes(4) | pairs", {}, kSumFacts);
  expectEqual("seq(8) | lanes(128).pad(-0.0) | halves", "seq(8) | lanes(128) | halves", {},
              kSumFacts);
  expectEqual("lanes(4).pad(-0.0) | mid", "lanes(4) | pairs", {}, kSumFacts);
  // As other operations, and where a pad counts, they differ at the first short row.
  expectFirst("lanes(4).pad(-0.0) | pairs", "lanes(4) | pairs", 1);
  EXPECT_EQ(compared("lanes(4).pad(-0.0) | mid", "lanes(4) | mid", {}, kSumFacts).length, 3);
  EXPECT_EQ(compared("lanes(4).pad(0.0) | pairs", "lanes(4) | pairs", {}, kSumFacts).length, 1);
}

TEST(Compare, EqualByProof) {
  // Heads of one span that are alike at every length up to it: a leaf rounds once, and so does a
  // rounding of what a chain leaves.
  expectEqual("mid(4).leaf(4): bf16 | halves", "seq(4) | seq(1): bf16 | halves");
  expectEqual("mid(500).leaf(500): bf16 | seq", "seq(500) | seq(1): bf16 | seq");
  expectEqual("seq(2) | pairs(4): bf16 | mid", "pairs(4) | mid(2): bf16 | mid");
  // A part of `pairs` against runs that end with it.
  expectEqual("seq(3) | pairs", "seq(3) | seq(2) | pairs(2) | pairs");
  expectEqual("mid(4).leaf(3): f32 | mid(4).leaf(4)| pairs",
              "mid(4).leaf(3): f32 | seq(4) | pairs");
  // Behind lanes there are finitely many values.
  expectEqual("lanes(7) | pairs(4) | seq", "lanes(7) | pairs");
  expectEqual("seq(8) | lanes(6) | mid.leaf(5)", "seq(8) | lanes(6) | mid(6).leaf(5) | halves");
  expectEqual("lanes(4).pad(0.0) | mid", "lanes(4).pad(0.0) | pairs");
}

TEST(Compare, OnlyWithinTheRange) {
  expectEqual("seq(32) | seq", "seq(64) | seq", {1, 33});
  expectFirst("seq(32) | seq", "seq(64) | seq", 34, {1, 34});
  expectEqual("seq", "pairs", {1, 3});
  expectEqual("mid", "pairs", {256, 256});
  expectEqual("mid", "pairs", {131072, 131072});
  expectFirst("mid", "pairs", 257, {256, 257});
  expectFirst("halves", "pairs", 152064, {152064, 152064});
}

TEST(Compare, LongRunsNeedNoLongSearch) {
  expectFirst("seq(100000) | seq", "seq(200000) | seq", 100002);
  expectFirst("lanes(40000) | seq", "lanes(50000) | seq", 40001);
}

TEST(Compare, FarDifferencesAreFoundButNotAsFirst) {
  const Comparison far = compared("lanes(32768) | halves", "lanes(65536) | halves");
  EXPECT_EQ(name(far.verdict), "different");
  EXPECT_EQ(far.length, 65537);
  EXPECT_FALSE(far.isFirst);
  EXPECT_GE(far.compared, 32768); // where every lane has one value, both are `halves`
  EXPECT_LT(far.compared, 65536);
}

TEST(Compare, UnknownWhereNothingIsProven) {
  const Comparison result = compared("seq(2000000000) | seq", "seq(2100000000) | seq");
  EXPECT_EQ(name(result.verdict), "unknown");
  EXPECT_EQ(result.compared, 2000000000);
  EXPECT_EQ(name(compared("seq", "halves", {1 << 30, 1 << 30}).verdict), "unknown");
  EXPECT_EQ(compared("seq", "halves", {1 << 30, 1 << 30}).compared, 0);
  EXPECT_EQ(name(compared("first(1) | seq(3) | mid", "first(2) | seq(3) | mid",
                          {kAnyLength - 1, kAnyLength - 1})
                     .verdict),
            "unknown");
}

TEST(Compare, RefusesWhatIsMalformed) {
  EXPECT_THROW(compare(Order{}, Order{}), std::invalid_argument);
  EXPECT_THROW(compare(*parseOrder("seq", nullptr), *parseOrder("seq(8)", nullptr)),
               std::invalid_argument);
  EXPECT_THROW(compare(parsed("seq"), parsed("seq"), {0, 4}), std::invalid_argument);
  EXPECT_THROW(compare(parsed("seq"), parsed("seq"), {4, 3}), std::invalid_argument);
}

/// What an order computes at the lengths up to `longest`.
std::vector<std::size_t> signature(const Order &order, std::size_t longest, bool isSum) {
  std::vector<std::size_t> hashes;
  for (std::size_t length = 1; length <= longest; ++length)
    hashes.push_back(std::hash<std::string>()(textOf(order, length, isSum)));
  return hashes;
}

void expectVerdict(const Order &a, const Order &b, bool isSum, int &unknown) {
  const Comparison result = compare(a, b, {}, isSum ? kSumFacts : Facts{}, 1 << 19);
  const std::string what = toString(a) + " and " + toString(b) + (isSum ? " as sums" : "");
  switch (result.verdict) {
  case Verdict::Equal:
    for (std::size_t length = 1; length <= 90; ++length)
      ASSERT_EQ(textOf(a, length, isSum), textOf(b, length, isSum)) << what << " at " << length;
    return;
  case Verdict::Different: {
    const auto at = static_cast<std::size_t>(result.length);
    ASSERT_NE(textOf(a, at, isSum), textOf(b, at, isSum)) << what << " at " << at;
    ASSERT_TRUE(result.isFirst) << what;
    for (std::size_t length = 1; length < at; ++length)
      ASSERT_EQ(textOf(a, length, isSum), textOf(b, length, isSum)) << what << " at " << length;
    return;
  }
  case Verdict::Unknown:
    ++unknown;
    std::cout << "unknown: " << what << ", compared " << result.compared << '\n';
  }
}

TEST(Compare, NoFalseVerdict) {
  for (const bool suffixes : {false, true})
    for (const bool isSum : {false, true}) {
      RandomOrders random(suffixes ? 5 : 6);
      std::map<std::vector<std::size_t>, std::vector<Order>> alike;
      for (int i = 0; i < 1000; ++i) {
        const Order order = random.next(suffixes);
        alike[signature(order, 30, isSum)].push_back(order);
      }
      int unknown = 0;
      int pairs = 0;
      const Order *other = nullptr;
      for (const auto &[hashes, orders] : alike) {
        if (other)
          expectVerdict(orders.front(), *other, isSum, unknown);
        other = &orders.front();
        for (std::size_t i = 1; i < std::min<std::size_t>(orders.size(), 12); ++i, ++pairs)
          expectVerdict(orders[i], orders[random.below(i)], isSum, unknown);
        if (HasFatalFailure())
          return;
      }
      EXPECT_GT(pairs, 100);
      EXPECT_EQ(unknown, 0) << "of " << pairs;
    }
}

} // namespace
} // namespace ordo::dsl
