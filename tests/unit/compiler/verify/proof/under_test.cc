// Values under the conditions of a path.
#include "compiler/verify/proof/under.h"

#include <gtest/gtest.h>

namespace ordo::verify {
namespace {

constexpr dsl::DType kF32 = dsl::DType::F32;

class UnderTest : public ::testing::Test {
protected:
  UnderTest() {
    size_ = terms_.exact(terms_.symbol("T", 64, {Wide{1}, Wide{1} << 31}), 64);
    block_ = terms_.exact(terms_.symbol("block", 32, {Wide{0}, Wide{1} << 31}), 32);
    terms_.facts().assume(atMost(rows(0)));
  }

  AffinePool &affine() { return terms_.affine(); }
  /// 4*block + r.
  AffineId rows(std::int64_t r) { return affine().plus(affine().scale(block_, 4), r); }
  /// form + 1 <= T.
  AffineId atMost(AffineId form) { return affine().plus(affine().sub(size_, form), -1); }
  NodeId load(AffineId element) { return terms_.input(0, kF32, element).node(); }
  AffineId clamped(std::int64_t r) {
    return terms_.exact(terms_.minMax(Kind::MinU, terms_.integer(rows(r), 64),
                                      terms_.integer(affine().plus(size_, -1), 64), 64),
                        64);
  }
  Under onRow(std::int64_t r) {
    return Under(terms_, takenApart(terms_, std::vector<Condition>{{inRange(r), true}}));
  }
  NodeId inRange(std::int64_t r) { return terms_.atLeastZero(atMost(rows(r))).node(); }

  Terms terms_;
  AffineId size_ = 0, block_ = 0;
};

TEST_F(UnderTest, AClampedRowIsTheRow) {
  Under under = onRow(3);
  EXPECT_NE(load(clamped(3)), load(rows(3)));
  EXPECT_EQ(under(load(affine().scale(clamped(3), 7))), load(affine().scale(rows(3), 7)));
}

TEST_F(UnderTest, AnEarlierRowIsInRangeToo) {
  Under under = onRow(3);
  EXPECT_EQ(under(load(clamped(2))), load(rows(2)));
}

TEST_F(UnderTest, ALaterRowStaysClamped) {
  Under under = onRow(2);
  EXPECT_EQ(under(load(clamped(3))), load(clamped(3)));
}

TEST_F(UnderTest, AFactorOfAProductKeepsItsWidth) {
  // A number of 32 bits that has wrapped, times one of 8 bits, in 64 bits.
  const auto product = [&](AffineId element) {
    const Term x = terms_.add(terms_.input(1, dsl::DType::U32, element), Term::constant(5), 32);
    const Term y = terms_.extract(terms_.input(2, dsl::DType::U32, element), 0, 8, 32);
    const Term wide = terms_.zeroExtend(x, 32, 64);
    return terms_.asBits(64, terms_.multiply(wide, terms_.zeroExtend(y, 8, 64), 64));
  };
  EXPECT_NE(product(clamped(1)), product(rows(1)));
  EXPECT_EQ(onRow(1)(product(clamped(1))), product(rows(1)));
}

TEST_F(UnderTest, OperandsOfASumAreOrderedAgain) {
  // Made in an order that the replaced nodes do not have.
  const NodeId late = load(clamped(1)), early = load(rows(0)), row = load(rows(1));
  Under under = onRow(1);
  EXPECT_EQ(under(terms_.fadd(kF32, late, early)), terms_.fadd(kF32, row, early));
}

TEST_F(UnderTest, ASelectionOfTheConditionTakesItsArm) {
  const NodeId x = load(rows(0)), y = load(rows(1));
  const Term either = terms_.select(Term::of(inRange(1)), Term::of(y), Term::of(x), 32);
  EXPECT_EQ(onRow(1)(either.node()), y);
  EXPECT_EQ(onRow(0)(either.node()), either.node());
  Under none(terms_, takenApart(terms_, std::vector<Condition>{{inRange(1), false}}));
  EXPECT_EQ(none(either.node()), x);
}

TEST_F(UnderTest, AConditionOfDataIsTakenAsThePathHasIt) {
  const NodeId x = load(rows(0)), y = load(rows(1));
  const NodeId less = terms_.fcompare(Kind::FLt, x, y).node();
  const Term either = terms_.select(Term::of(less), Term::of(y), Term::of(x), 32);
  Under under(terms_, takenApart(terms_, std::vector<Condition>{{less, false}}));
  EXPECT_EQ(under(either.node()), x);
}

TEST_F(UnderTest, ASizeThatThePathFixesIsSolvedFor) {
  // T - 1 = 4*block + 1, as two inequalities leave it.
  const NodeId more = terms_.atLeastZero(atMost(rows(2))).node();
  Under under(terms_,
              takenApart(terms_, std::vector<Condition>{{inRange(1), true}, {more, false}}));
  EXPECT_EQ(under(load(affine().plus(size_, -1))), load(rows(1)));
  EXPECT_EQ(under(load(clamped(3))), load(rows(1)));
}

TEST_F(UnderTest, AQuotientOfDataIsOfTheNewData) {
  const auto quotient = [&](AffineId element) {
    const Term data = terms_.input(0, dsl::DType::U32, element);
    return terms_.asBits(32, terms_.floorDivide(data, 7, 32));
  };
  EXPECT_EQ(onRow(1)(quotient(clamped(1))), quotient(rows(1)));
}

TEST_F(UnderTest, AnImpossiblePathIsKnownAsSuch) {
  const auto path = [&](bool holds) {
    return Under(terms_, takenApart(terms_, std::vector<Condition>{{inRange(2), true},
                                                                   {inRange(1), holds}}));
  };
  EXPECT_FALSE(path(true).isImpossible());
  EXPECT_TRUE(path(false).isImpossible());
}

TEST_F(UnderTest, ADeepChainDoesNotRecurse) {
  NodeId clampedSum = load(clamped(1)), sum = load(rows(1));
  for (std::int64_t k = 2; k < 200'000; ++k) {
    const NodeId next = load(affine().constant(k));
    clampedSum = terms_.fadd(kF32, clampedSum, next);
    sum = terms_.fadd(kF32, sum, next);
  }
  EXPECT_EQ(onRow(1)(clampedSum), sum);
}

} // namespace
} // namespace ordo::verify
