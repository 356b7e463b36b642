// Tree against the plain loops: what each value covers, its additions and its depth, read off
// strings.
#include "dsl/order/tree.h"

#include "tests/unit/dsl/order/plain_orders.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ordo::dsl {
namespace {

using plain::Values;

Tree treeOf(const std::string &text, std::int64_t length) {
  std::string error;
  const std::optional<Order> order = parseOrder(text, &error);
  EXPECT_TRUE(order) << text << ": " << error;
  std::optional<Tree> tree = Tree::make(order.value(), length, &error);
  EXPECT_TRUE(tree) << text << ": " << error;
  return *tree;
}

TreeStats statsOf(const std::string &expression) {
  TreeStats stats;
  std::int64_t open = 0;
  for (char c : expression) {
    stats.adds += c == '+';
    open += c == '(' ? 1 : c == ')' ? -1 : 0;
    stats.depth = std::max(stats.depth, open);
  }
  return stats;
}

/// Level `level` of the tree must hold values shaped like these expressions.
void expectLevel(const Tree &tree, std::size_t level, const Values &expected,
                 const std::string &what) {
  ASSERT_EQ(tree.valueCount(level), static_cast<std::int64_t>(expected.size())) << what;
  std::size_t place = 0;
  for (const auto &[id, count] : tree.values(level))
    for (std::int64_t i = 0; i < count; ++i, ++place) {
      const std::string &expression = expected[place];
      ASSERT_EQ(tree.shape(id).elements, std::ranges::count(expression, 'v'))
          << what << ": " << expression;
      ASSERT_EQ(tree.shape(id).stats, statsOf(expression)) << what << ": " << expression;
    }
}

TEST(Tree, TotalStages) {
  for (std::size_t length = 1; length <= 130; ++length) {
    const Values v = plain::elements(length);
    const auto expect = [&](const std::string &order, const plain::FoldRun &run) {
      expectLevel(treeOf(order, static_cast<std::int64_t>(length)), 1, plain::total(run, v),
                  order + " at " + std::to_string(length));
    };
    expect("seq", plain::seqOf);
    expect("pairs", plain::pairsOf);
    expect("halves", plain::halvesOf);
    expect("mid", plain::midWithLeaf(1));
    expect("mid.leaf(4)", plain::midWithLeaf(4));
  }
}

TEST(Tree, Pipes) {
  for (std::size_t length = 1; length <= 130; ++length)
    for (std::size_t n : {1u, 2u, 3u, 8u})
      for (std::size_t lanes : {1u, 3u, 4u, 16u})
        for (std::size_t w : {1u, 2u, 5u}) {
          const std::string order = "seq(" + std::to_string(n) + ") | lanes(" +
                                    std::to_string(lanes) + ", " + std::to_string(w) +
                                    ") | pairs(3) | halves";
          const std::string what = order + " at " + std::to_string(length);
          const Tree tree = treeOf(order, static_cast<std::int64_t>(length));
          Values values = plain::runs(plain::seqOf, n, plain::elements(length));
          expectLevel(tree, 1, values, what);
          values = plain::lanes(lanes, w, values);
          expectLevel(tree, 2, values, what);
          values = plain::runs(plain::pairsOf, 3, values);
          expectLevel(tree, 3, values, what);
          expectLevel(tree, 4, plain::total(plain::halvesOf, values), what);
          if (HasFatalFailure())
            return;
        }
}

TEST(Tree, RaggedInputsOfTrees) {
  for (std::size_t length = 1; length <= 70; ++length)
    for (const auto &[name, run] : {std::pair<std::string, plain::FoldRun>{"pairs", plain::pairsOf},
                                    {"halves", plain::halvesOf},
                                    {"mid", plain::midWithLeaf(1)},
                                    {"mid.leaf(3)", plain::midWithLeaf(3)}}) {
      const Values lanes =
          plain::lanes(5, 1, plain::runs(plain::seqOf, 4, plain::elements(length)));
      const std::string order = "seq(4) | lanes(5) | " + name;
      expectLevel(treeOf(order, static_cast<std::int64_t>(length)), 3, plain::total(run, lanes),
                  order);
    }
}

TEST(Tree, StartsPadsAndResidues) {
  EXPECT_EQ(treeOf("seq.from(0.0)", 5).stats(), (TreeStats{5, 5}));
  EXPECT_EQ(treeOf("seq(8) | seq.from(0.0)", 16).stats(), (TreeStats{16, 7 + 2}));
  EXPECT_EQ(treeOf("lanes(4).pad(0.0) | halves", 5).stats(), (TreeStats{7, 3}));
  EXPECT_EQ(treeOf("pairs.pad(0.0)", 5).stats(), (TreeStats{7, 3}));
  EXPECT_EQ(treeOf("first(3) | seq(4) | seq", 9).stats(), (TreeStats{8, 5}));
  EXPECT_EQ(treeOf("seq(4).from(0.0) | seq", 7).stats(), (TreeStats{4 + 3 + 1, 5}));
}

TEST(Tree, ShortFirstRuns) {
  for (std::size_t length = 1; length <= 70; ++length)
    for (std::size_t n : {2u, 3u, 8u})
      for (std::size_t r = 1; r <= n; ++r)
        for (std::size_t q = 1; q <= 3; ++q) {
          const std::string order = "first(" + std::to_string(r) + ") | pairs(" +
                                    std::to_string(n) + ") | first(" + std::to_string(q) +
                                    ") | lanes(4, 3) | seq";
          const Tree tree = treeOf(order, static_cast<std::int64_t>(length));
          const Values runs = plain::firstThenRuns(r, plain::pairsOf, n, plain::elements(length));
          expectLevel(tree, 1, runs, order);
          expectLevel(tree, 2, plain::firstThenLanes(q, 4, 3, runs), order);
          if (HasFatalFailure())
            return;
        }
}

TEST(Tree, FusedRunsCountOneStepAProduct) {
  EXPECT_EQ(treeOf("fma", 10).stats(), (TreeStats{10, 10}));
  EXPECT_EQ(treeOf("fma.from(0.0)", 10).stats(), (TreeStats{10, 10}));
  EXPECT_EQ(treeOf("mma(4) | seq", 10).stats(), (TreeStats{10 + 2, 4 + 2}));
}

TEST(Tree, RepetitionIsFolded) {
  const Tree row = treeOf("seq(8) | lanes(128) | halves", 3584);
  // The element, a run, a lane of four, a lane of three, the result.
  EXPECT_EQ(row.shapeCount(), 5u);
  ASSERT_EQ(row.values(1).size(), 1u);
  EXPECT_EQ(row.values(1)[0].count, 448);
  ASSERT_EQ(row.values(2).size(), 2u);
  EXPECT_EQ(row.values(2)[0].count, 64);
  EXPECT_EQ(row.shape(row.values(2)[0].shape).inputs, 4);
  EXPECT_EQ(row.values(2)[1].count, 64);
  EXPECT_EQ(row.shape(row.values(2)[1].shape).inputs, 3);
  EXPECT_EQ(row.stats(), (TreeStats{3583, 7 + 3 + 7}));

  EXPECT_LE(treeOf("seq(8) | lanes(1024) | halves", 152064).shapeCount(), 6u);
  const Tree huge = treeOf("seq(32) | lanes(4096, 8) | mid.leaf(32)", Tree::kMaxLength - 5);
  EXPECT_LE(huge.shapeCount(), 12u);
  EXPECT_EQ(huge.stats().adds, Tree::kMaxLength - 6);
}

TEST(Tree, ShortAndLongStatisticsAgreeAt152064) {
  EXPECT_EQ(treeOf("seq", 152064).stats(), (TreeStats{152063, 152063}));
  EXPECT_EQ(treeOf("pairs", 152064).stats(), (TreeStats{152063, 18}));
  EXPECT_EQ(treeOf("halves", 152064).stats(), (TreeStats{152063, 18}));
  EXPECT_EQ(treeOf("mid", 152064).stats(), (TreeStats{152063, 18}));
}

TEST(Tree, RefusesWithAReason) {
  std::string error;
  EXPECT_FALSE(Tree::make(Order{}, 4, &error));
  EXPECT_EQ(error, "an order has at least one stage; the plainest is `seq`");
  const Order seq = parseOrder("seq", nullptr).value();
  EXPECT_FALSE(Tree::make(seq, 0, &error));
  EXPECT_EQ(error, "a tree needs a length from 1 to 1099511627776, not 0");
  EXPECT_FALSE(Tree::make(seq, Tree::kMaxLength + 1, nullptr));
}

} // namespace
} // namespace ordo::dsl
