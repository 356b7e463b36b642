// Coverage of outputs, on summaries written by hand.
#include "compiler/verify/proof/coverage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordo::verify {
namespace {

/// y[T, columns], and a launch of ceil(T / rows) blocks.
class Hand {
public:
  Hand(std::int64_t rows, std::int64_t columns) : columns_(columns) {
    size_ = terms.symbol("T", 64, {Wide{0}, Wide{1} << 31});
    block_ = terms.symbol("b", 32, {Wide{0}, (Wide{1} << 31) - 1});
    extent_ = terms.exact(size_, 64);
    number_ = terms.exact(block_, 32);
    // rows * b < T
    terms.facts().assume(affine().plus(affine().combine(extent_, 1, number_, -rows), -1));
    Argument y;
    y.name = "y";
    y.shape = {extent_, affine().constant(columns)};
    y.elements = affine().scale(extent_, columns);
    y.isWritten = true;
    signature.arguments = {y};
    signature.block.size = {static_cast<std::uint32_t>(columns), static_cast<std::uint32_t>(rows),
                            1};
    grid_ = {block_, extent_, rows};
    summary.paths = {{}};
  }

  AffinePool &affine() { return terms.affine(); }
  AffineId size() const { return extent_; }
  /// factor * b + constant.
  AffineId blocks(std::int64_t factor, std::int64_t constant = 0) {
    return affine().plus(affine().scale(number_, factor), constant);
  }
  AffineId atMost(AffineId form, std::int64_t above) { // form + above <= T
    return affine().plus(affine().sub(extent_, form), -above);
  }
  std::uint32_t path(std::vector<Condition> conditions) {
    summary.paths.push_back(std::move(conditions));
    return static_cast<std::uint32_t>(summary.paths.size() - 1);
  }
  Condition condition(AffineId form) {
    const Term node = terms.atLeastZero(form);
    return {terms.asBits(1, node), true};
  }
  /// The path on which row r of the block is a row.
  std::uint32_t inRow(std::int64_t rows, std::int64_t r) {
    return path({condition(atMost(blocks(rows, r), 1))});
  }
  void store(AffineId element, std::uint32_t path, std::uint32_t thread) {
    summary.stores.push_back({0, element, Term::constant(0), path, thread, 0});
  }
  /// In a loop around another: element + stride * step for each of its steps.
  struct InLoop {
    std::int64_t stride = 0, count = 0;
  };
  void storeInLoops(AffineId element, const std::vector<InLoop> &loops) {
    std::vector<StoreStep> steps;
    for (const InLoop &loop : loops) {
      const NodeId step = terms.symbol("step", 64, {Wide{0}, Wide{loop.count - 1}}).node();
      element = affine().combine(element, 1, affine().atom(step), loop.stride);
      steps.push_back({step, loop.count});
    }
    store(element, 0, 0);
    summary.stores.back().steps = static_cast<std::uint32_t>(summary.storeSteps.size());
    summary.storeSteps.push_back(steps);
  }

  /// Each thread one element, the rows of the last block that are none left out.
  void storeRows(std::int64_t rows) {
    for (std::int64_t r = 0; r < rows; ++r) {
      const std::uint32_t path = rows == 1 ? 0 : inRow(rows, r);
      for (std::int64_t c = 0; c < columns_; ++c)
        store(blocks(rows * columns_, r * columns_ + c), path,
              static_cast<std::uint32_t>(r * columns_ + c));
    }
  }

  /// Empty if all is covered.
  std::string fault() {
    const Launched launched{terms, signature, summary, lines, grid_, {size_.node()}, admits, where};
    const auto found = uncovered(launched, settledElements(terms, summary));
    return found ? found->message : "";
  }

  Terms terms;
  Signature signature;
  Summary summary;
  std::vector<SourceLine> lines;
  std::function<bool(std::span<const std::int64_t>)> admits;
  std::function<std::optional<NodeId>(std::uint32_t, AffineId)> where;

protected:
  std::int64_t columns_;
  Term size_, block_;
  AffineId extent_ = 0, number_ = 0;
  Grid grid_;
};

TEST(Coverage, OneRowABlock) {
  Hand hand(1, 6);
  hand.storeRows(1);
  EXPECT_EQ(hand.fault(), "");
}

TEST(Coverage, RaggedLastBlock) {
  Hand hand(4, 6);
  hand.storeRows(4);
  EXPECT_EQ(hand.fault(), "");
}

TEST(Coverage, ClampedRowsUnderTheStoresCondition) {
  Hand hand(4, 1);
  for (std::int64_t r = 0; r < 4; ++r) {
    const Term row = hand.terms.integer(hand.blocks(4, r), 64);
    const Term last = hand.terms.integer(hand.affine().plus(hand.size(), -1), 64);
    const Term clamped = hand.terms.minMax(Kind::MinU, row, last, 64);
    hand.store(hand.terms.exact(clamped, 64), hand.inRow(4, r), static_cast<std::uint32_t>(r));
  }
  EXPECT_EQ(hand.fault(), "");
}

TEST(Coverage, ElementNeverStored) {
  Hand hand(1, 6);
  hand.storeRows(1);
  hand.summary.stores.erase(hand.summary.stores.begin() + 2);
  EXPECT_EQ(hand.fault(), "element [0, 2] of y is never stored, for T = 1");
}

TEST(Coverage, ElementStoredTwice) {
  Hand hand(1, 6);
  hand.storeRows(1);
  hand.store(hand.blocks(6, 3), 0, 5);
  EXPECT_EQ(hand.fault(), "element [0, 3] of y is stored twice, for T = 1: by thread (3, 0, 0) of "
                          "block 0 and by thread (5, 0, 0) of block 0");
}

TEST(Coverage, BlocksThatOverlap) {
  Hand hand(1, 6);
  for (std::uint32_t c = 0; c < 6; ++c)
    hand.store(hand.blocks(5, c), 0, c);
  EXPECT_EQ(hand.fault(), "element [0, 5] of y is stored twice, for T = 2: by thread (5, 0, 0) of "
                          "block 0 and by thread (0, 0, 0) of block 1");
}

TEST(Coverage, BoundDropped) {
  Hand hand(2, 3);
  hand.storeRows(2);
  for (GlobalStore &store : hand.summary.stores)
    store.path = 0;
  EXPECT_EQ(hand.fault(), "thread (0, 1, 0) of block 0 stores element 3 of y, which has 3, for T "
                          "= 1");
}

TEST(Coverage, BoundWidenedByOne) {
  Hand hand(2, 3);
  hand.storeRows(2);
  hand.summary.paths[2] = {hand.condition(hand.atMost(hand.blocks(2, 1), 0))};
  EXPECT_EQ(hand.fault(), "thread (0, 1, 0) of block 0 stores element 3 of y, which has 3, for T "
                          "= 1");
}

TEST(Coverage, BoundNarrowedByOne) {
  Hand hand(2, 3);
  hand.storeRows(2);
  hand.summary.paths[2] = {hand.condition(hand.atMost(hand.blocks(2, 1), 2))};
  EXPECT_EQ(hand.fault(), "element [1, 0] of y is never stored, for T = 2");
}

TEST(Coverage, TooFewBlocks) {
  // The grid counts four rows a block, the code stores two.
  class FewBlocks : public Hand {
  public:
    FewBlocks() : Hand(2, 3) { grid_.rows = 4; }
  } hand;
  hand.storeRows(2);
  EXPECT_EQ(hand.fault(), "element [2, 0] of y is never stored, for T = 3");
}

TEST(Coverage, EveryBlockStoresTheSame) {
  Hand hand(1, 6);
  for (std::uint32_t c = 0; c < 6; ++c)
    hand.store(hand.blocks(0, c), 0, c);
  EXPECT_EQ(hand.fault(), "element [0, 0] of y is stored twice, for T = 2: by thread (0, 0, 0) of "
                          "block 0 and by thread (0, 0, 0) of block 1");
}

TEST(Coverage, NothingStored) {
  Hand hand(1, 6);
  EXPECT_EQ(hand.fault(), "element [0, 0] of y is never stored, for T = 1");
}

TEST(Coverage, TwoCasesOfABlock) {
  // As a wave's branch leaves them: the block is full, or it is not.
  Hand hand(2, 2);
  const Condition full = hand.condition(hand.atMost(hand.blocks(2, 1), 1));
  const std::uint32_t whole = hand.path({full}), part = hand.path({{full.node, false}});
  for (std::uint32_t k = 0; k < 4; ++k)
    hand.store(hand.blocks(4, k), whole, k);
  hand.store(hand.blocks(4, 0), part, 0);
  EXPECT_EQ(hand.fault(), "element [0, 1] of y is never stored, for T = 1");
  hand.store(hand.blocks(4, 1), part, 1);
  EXPECT_EQ(hand.fault(), "");
  hand.store(hand.blocks(4, 1), whole, 2);
  EXPECT_EQ(hand.fault(), "element [0, 1] of y is stored twice, for T = 2: by thread (1, 0, 0) of "
                          "block 0 and by thread (0, 1, 0) of block 0");
}

TEST(Coverage, DataMayDecideWhoStores) {
  Hand hand(1, 1);
  const Term data = hand.terms.input(0, dsl::DType::Bool, hand.blocks(1));
  const NodeId node =
      hand.terms.pool().make(Kind::FEq, Sort::bits(1), 0, {data.node(), data.node()});
  hand.store(hand.blocks(1), hand.path({{node, true}}), 0);
  EXPECT_EQ(hand.fault(), "that y is stored whole, each element once, is not shown: an element may "
                          "be left out");
  hand.store(hand.blocks(1), hand.path({{node, false}}), 0);
  EXPECT_EQ(hand.fault(), "");
}

TEST(Coverage, WhereOfTheContract) {
  // where t < T - 1: the last row is not written.
  Hand hand(1, 1);
  hand.where = [&](std::uint32_t, AffineId element) {
    return std::optional(hand.terms.asBits(1, hand.terms.atLeastZero(hand.atMost(element, 2))));
  };
  hand.store(hand.blocks(1), 0, 0);
  EXPECT_NE(hand.fault(), "");
  hand.summary.stores[0].path = hand.path({hand.condition(hand.atMost(hand.blocks(1), 2))});
  EXPECT_EQ(hand.fault(), "");
  hand.summary.stores[0].path = hand.path({hand.condition(hand.atMost(hand.blocks(1), 3))});
  EXPECT_EQ(hand.fault(), "element [0, 0] of y is never stored, for T = 2");
}

TEST(Coverage, SizesThatTheLaunchRefusesAreNotTried) {
  Hand hand(2, 1);
  hand.admits = [](std::span<const std::int64_t> sizes) { return sizes[0] % 2 == 0; };
  hand.store(hand.blocks(2), 0, 0);
  EXPECT_EQ(hand.fault(), "element [1, 0] of y is never stored, for T = 2");
}

TEST(Coverage, StoresInALoop) {
  // Four threads, a hundred steps, and three elements behind the loop.
  const auto faultOf = [](std::int64_t stride, std::int64_t count, std::int64_t skipped) {
    Hand hand(1, 403);
    for (std::int64_t thread = 0; thread < 4; ++thread)
      if (thread != skipped)
        hand.storeInLoops(hand.blocks(403, thread), {{stride, count}});
    for (std::int64_t c = 400; c < 403; ++c)
      hand.store(hand.blocks(403, c), 0, 0);
    return hand.fault();
  };
  const std::string prefix = "that y is stored whole, each element once, is not shown: ";
  EXPECT_EQ(faultOf(4, 100, -1), "");
  EXPECT_EQ(faultOf(4, 100, 2), prefix + "a block must store its elements 0 … 402, each, and no "
                                         "other");
  EXPECT_EQ(faultOf(4, 99, -1), faultOf(4, 100, 2));
  EXPECT_EQ(faultOf(4, 101, -1), prefix + "an element may be stored twice");
  EXPECT_EQ(faultOf(3, 100, -1), prefix + "an element may be stored twice");
  EXPECT_EQ(faultOf(0, 100, -1), "element [0, 4] of y is never stored, for T = 1");
  EXPECT_THAT(faultOf(-4, 100, -1), ::testing::HasSubstr("too many values, or some twice"));
}

TEST(Coverage, StoresInALoopWithinALoop) {
  Hand hand(1, 60);
  for (std::int64_t thread = 0; thread < 4; ++thread)
    hand.storeInLoops(hand.blocks(60, thread), {{20, 3}, {4, 5}});
  EXPECT_EQ(hand.fault(), "");
  Hand other(1, 60);
  for (std::int64_t thread = 0; thread < 4; ++thread)
    other.storeInLoops(other.blocks(60, thread), {{16, 3}, {4, 5}});
  EXPECT_THAT(other.fault(), ::testing::HasSubstr("may be stored twice"));
}

TEST(Coverage, AStepOfNoLoopOfTheStoreIsNotShown) {
  Hand hand(1, 40);
  hand.storeInLoops(hand.blocks(40), {{1, 40}});
  EXPECT_EQ(hand.fault(), "");
  hand.summary.stores.back().steps = 0;
  EXPECT_THAT(hand.fault(), ::testing::HasSubstr("not one step a block and a constant"));
}

TEST(Coverage, ADataDependentAddressIsNotShown) {
  Hand hand(1, 1);
  hand.terms.pool().tensors = {"x"};
  const Term data = hand.terms.input(0, dsl::DType::U32, hand.blocks(1));
  hand.store(hand.terms.exact(data, 32), 0, 0);
  EXPECT_THAT(hand.fault(), ::testing::HasSubstr("is not shown: the element number"));
}

} // namespace
} // namespace ordo::verify
