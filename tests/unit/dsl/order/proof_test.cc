// provenEqual by itself, without the search that compare() does before it: what it proves must hold
// for expressions as text.
#include "dsl/order/proof.h"

#include "dsl/order/normal.h"
#include "tests/unit/dsl/order/random_orders.h"

#include <gtest/gtest.h>

#include <map>

namespace ordo::dsl {
namespace {

constexpr std::int64_t kWork = 1 << 18;

std::vector<Step> steps(const std::string &text) {
  return stepsOf(parseOrder(text, nullptr).value());
}

bool proven(const std::string &a, const std::string &b, std::int64_t longest = kAnyLength) {
  return provenEqual(steps(a), steps(b), longest, Facts{}, kWork);
}

TEST(Proof, HeadsOfOneSpan) {
  EXPECT_TRUE(proven("pairs(4) | halves(2) | mid", "seq(2) | pairs(4) | mid"));
  EXPECT_TRUE(proven("mid(4): bf16 | seq", "halves(1): bf16 | mid(4).leaf(1): bf16 | seq"));
  EXPECT_FALSE(proven("seq(4) | halves", "pairs(4) | halves"));
  EXPECT_FALSE(proven("seq(4) | seq", "seq(8) | seq"));
  // Alike up to its span, a head with a short first run is not alike beyond.
  EXPECT_FALSE(proven("first(1) | seq(4) | seq", "first(1) | pairs(4) | seq"));
  // Equal heads, other tails.
  EXPECT_FALSE(proven("pairs(4) | halves(2) | mid", "seq(2) | pairs(4) | seq"));
}

TEST(Proof, PairsAreCutOnlyWherePairsAre) {
  EXPECT_TRUE(proven("seq(3) | pairs", "mid(3).leaf(3) | seq(2) | seq(2) | pairs"));
  EXPECT_TRUE(proven("mid(3): bf16 | pairs: bf16", "mid(3): bf16 | seq(2): bf16 | pairs: bf16"));
  EXPECT_FALSE(proven("seq(3) | seq", "seq(3) | seq(2) | seq"));
  EXPECT_FALSE(proven("seq(3) | halves", "seq(3) | halves(2) | halves"));
  EXPECT_FALSE(proven("seq(3) | mid", "seq(3) | mid(4) | mid"));
  EXPECT_FALSE(proven("seq(3) | pairs.pad(0.0)", "seq(3) | pairs(4).pad(0.0) | pairs.pad(0.0)"));
}

TEST(Proof, BehindLanes) {
  EXPECT_TRUE(proven("lanes(4).pad(0.0) | mid", "lanes(4).pad(0.0) | pairs"));
  // Four lanes fold alike, three do not.
  EXPECT_FALSE(proven("lanes(4) | mid", "lanes(4) | pairs"));
  EXPECT_TRUE(proven("lanes(6) | mid.leaf(5)", "lanes(6) | mid(6).leaf(5) | halves"));
  EXPECT_FALSE(proven("lanes(4) | seq", "lanes(5) | seq"));
}

TEST(Proof, StopsWhenItCostsTooMuch) {
  const std::vector<Step> a = steps("mid(4).leaf(4): bf16 | halves");
  const std::vector<Step> b = steps("seq(4) | seq(1): bf16 | halves");
  EXPECT_TRUE(provenEqual(a, b, kAnyLength, Facts{}, 1000));
  EXPECT_FALSE(provenEqual(a, b, kAnyLength, Facts{}, 3));
  EXPECT_FALSE(proven("mid(60000) | seq", "mid(60000).leaf(2): f32 | seq"));
}

/// The order with a stage replaced by one of another order.
Order changed(const Order &order, const Order &other, RandomOrders &random) {
  Order result = order;
  result.stages[random.below(order.stages.size())] =
      other.stages[random.below(other.stages.size())];
  return result;
}

TEST(Proof, HoldsForText) {
  for (const bool suffixes : {false, true}) {
    RandomOrders random(suffixes ? 31 : 32);
    std::map<std::string, std::vector<Order>> alike; // at a few lengths
    std::vector<Order> orders;
    for (int i = 0; i < 12000; ++i) {
      Order order = random.next(suffixes, 4);
      if (!orders.empty() && random.below(2) == 0)
        order = changed(orders[random.below(orders.size())], order, random);
      if (!malformed(order))
        orders.push_back(order);
    }
    for (const Order &order : orders)
      alike[textOf(order, 5) + textOf(order, 9)].push_back(order);
    int proofs = 0;
    for (const auto &[text, group] : alike)
      for (std::size_t i = 1; i < std::min<std::size_t>(group.size(), 40); ++i) {
        const Order &a = group[i];
        const Order &b = group[random.below(i)];
        if (normalForm(a) == normalForm(b) ||
            !provenEqual(stepsOf(a), stepsOf(b), kAnyLength, Facts{}, kWork))
          continue;
        ++proofs;
        for (std::size_t length = 1; length <= 70; ++length)
          ASSERT_EQ(textOf(a, length), textOf(b, length))
              << toString(a) << " and " << toString(b) << " at " << length;
      }
    EXPECT_GT(proofs, 10);
  }
}

} // namespace
} // namespace ordo::dsl
