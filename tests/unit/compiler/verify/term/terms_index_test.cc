// Index arithmetic: what is equal is one form, and every form has the value of its definition.
#include "compiler/verify/machine/fault.h"
#include "compiler/verify/term/terms.h"
#include "tests/unit/compiler/verify/term/evaluate_node.h"

#include <gtest/gtest.h>

namespace ordo::verify {
namespace {

std::int64_t floorOf(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0) ? 1 : 0);
}

class TermsIndex : public ::testing::Test {
protected:
  AffineId symbol(std::int64_t low, std::int64_t high) {
    return terms_.exact(terms_.symbol("s", 64, {Wide{low}, Wide{high}}), 64);
  }
  AffineId linear(AffineId a, std::int64_t factor, std::int64_t constant) {
    return affine_.plus(affine_.scale(a, factor), constant);
  }

  /// The form's value where the symbols, in the order of their making, have these.
  std::int64_t valueOf(AffineId form, std::vector<std::uint64_t> symbols,
                       std::vector<std::uint64_t> data = {}) {
    const auto element = [&](std::uint32_t tensor, Wide) { return std::optional(data[tensor]); };
    NodeEvaluator evaluator(terms_.pool(), affine_, {std::move(symbols), element, {}});
    const auto value = evaluator.number(form);
    EXPECT_TRUE(value) << evaluator.fault();
    return static_cast<std::int64_t>(value.value_or(-12345));
  }

  Terms terms_;
  AffinePool &affine_ = terms_.affine();
};

TEST_F(TermsIndex, QuotientsOfSumsNest) {
  const AffineId a = symbol(0, 1000), b = symbol(0, 60);
  const AffineId inner = terms_.quotient(linear(a, 2, 1), 3);
  const AffineId nested = terms_.quotient(affine_.combine(inner, 1, linear(b, -2, 5), 1), 7);
  EXPECT_EQ(nested, terms_.quotient(affine_.combine(linear(a, 2, 1), 1, linear(b, -6, 15), 1), 21));
  // Not where the quotient counts twice.
  const AffineId twice = terms_.quotient(affine_.combine(inner, 2, linear(b, -2, 5), 1), 7);
  for (std::uint64_t x : {0, 1, 2, 500, 999, 1000})
    for (std::uint64_t y : {0, 1, 7, 59, 60}) {
      const std::int64_t part = floorOf(2 * static_cast<std::int64_t>(x) + 1, 3),
                         rest = 5 - 2 * static_cast<std::int64_t>(y);
      EXPECT_EQ(valueOf(nested, {x, y}), floorOf(part + rest, 7));
      EXPECT_EQ(valueOf(twice, {x, y}), floorOf(2 * part + rest, 7));
    }
}

TEST_F(TermsIndex, QuotientsTakeOutWhatDivides) {
  const AffineId a = symbol(0, 1000), b = symbol(0, 6);
  EXPECT_EQ(terms_.quotient(affine_.add(affine_.scale(a, 21), b), 7), affine_.scale(a, 3));
  EXPECT_EQ(terms_.quotient(linear(a, 2, 1), 4), terms_.quotient(a, 2));
  EXPECT_EQ(terms_.quotient(linear(a, 6, 9), 9), terms_.quotient(linear(a, 2, 3), 3));
  EXPECT_EQ(terms_.quotient(terms_.quotient(a, 3), 5), terms_.quotient(a, 15));
  EXPECT_EQ(terms_.quotient(linear(terms_.quotient(a, 3), 1, 2), 5),
            terms_.quotient(linear(a, 1, 6), 15));
  EXPECT_EQ(terms_.quotient(linear(b, 1, 14), 7), affine_.constant(2));
  EXPECT_NE(terms_.quotient(a, 3), terms_.quotient(linear(a, 1, 1), 3));
}

TEST_F(TermsIndex, WhatIsKnownOfAQuotientIsFound) {
  Facts &facts = terms_.facts();
  const AffineId a = symbol(10, 200), q = terms_.quotient(linear(a, 3, 5), 7); // 5 … 86
  EXPECT_TRUE(facts.holds(affine_.plus(q, -5)));
  EXPECT_FALSE(facts.holds(affine_.plus(q, -6)));
  EXPECT_TRUE(facts.within(q, 5, 87));
  EXPECT_FALSE(facts.within(q, 5, 86));
  EXPECT_TRUE(facts.within(affine_.combine(linear(a, 3, 5), 1, q, -7), 0, 7));
  EXPECT_FALSE(facts.within(affine_.combine(linear(a, 3, 5), 1, q, -7), 0, 6));
  // With another fact, of what it is made of or of itself.
  facts.assume(affine_.plus(a, -100));
  EXPECT_TRUE(facts.holds(affine_.plus(q, -43)));
  EXPECT_FALSE(facts.holds(affine_.plus(q, -44)));
  const AffineId b = symbol(0, 1000), r = terms_.quotient(b, 10);
  EXPECT_FALSE(facts.holds(affine_.plus(r, -1)));
  EXPECT_FALSE(facts.holds(affine_.plus(b, -10)));
  facts.assume(affine_.plus(r, -1));
  EXPECT_TRUE(facts.holds(affine_.plus(b, -10)));
  EXPECT_FALSE(facts.holds(affine_.plus(b, -11)));
  const AffineId given[] = {affine_.plus(b, -500)};
  EXPECT_TRUE(facts.holds(affine_.plus(r, -50), given));
  EXPECT_FALSE(facts.holds(affine_.plus(r, -51), given));
}

TEST_F(TermsIndex, FormsOfManyTermsAreOneByTheirTerms) {
  std::vector<AffineId> atoms;
  for (int k = 0; k < 9; ++k)
    atoms.push_back(symbol(0, 100));
  AffineId up = affine_.constant(0), down = affine_.constant(0);
  for (std::size_t k = 0; k < atoms.size(); ++k) {
    up = affine_.combine(up, 1, atoms[k], static_cast<std::int64_t>(k) + 1);
    down = affine_.combine(down, 1, atoms[8 - k], 9 - static_cast<std::int64_t>(k));
  }
  EXPECT_EQ(up, down);
  Affine copy = affine_.form(up), moved = std::move(copy);
  copy = moved;
  EXPECT_EQ(copy.terms.size(), 9u);
  EXPECT_EQ(affine_.intern(copy), up);
  EXPECT_NE(affine_.plus(up, 1), up);
  EXPECT_NE(affine_.combine(up, 1, atoms[4], 1), up);
  EXPECT_EQ(affine_.sub(up, down), affine_.constant(0));
}

TEST_F(TermsIndex, QuotientsLoseASmallRest) {
  // Rows of 32 elements, 1024 of which make a block: the element in a row does not count.
  const AffineId row = symbol(0, 5000), inside = symbol(0, 31), beyond = symbol(0, 32);
  const auto of = [&](AffineId element) {
    return terms_.quotient(affine_.combine(row, 32, element, 1), 32 * 1024);
  };
  EXPECT_EQ(of(inside), terms_.quotient(row, 1024));
  EXPECT_NE(of(beyond), terms_.quotient(row, 1024));
  for (std::uint64_t at : {0, 1, 1023, 1024, 4095, 5000})
    for (std::uint64_t element : {0, 1, 31, 32}) {
      const auto want = static_cast<std::int64_t>((32 * at + element) / (32 * 1024));
      if (element < 32)
        EXPECT_EQ(valueOf(of(inside), {at, element, 0}), want);
      EXPECT_EQ(valueOf(of(beyond), {at, 0, element}), want);
    }
}

TEST_F(TermsIndex, QuotientsRoundDown) {
  const AffineId a = symbol(0, 200);
  for (const std::int64_t factor : {1, 2, 3, -1, -4, 10})
    for (const std::int64_t constant : {0, 1, -1, 5, -37})
      for (const std::int64_t divisor : {1, 2, 3, 4, 7, 12}) {
        const AffineId once = terms_.quotient(linear(a, factor, constant), divisor);
        const AffineId twice = terms_.quotient(linear(once, 1, constant), 5);
        for (std::int64_t at = 0; at <= 200; at += 3) {
          const std::int64_t want = floorOf(factor * at + constant, divisor);
          ASSERT_EQ(valueOf(once, {static_cast<std::uint64_t>(at)}), want)
              << factor << " * " << at << " + " << constant << " by " << divisor;
          ASSERT_EQ(valueOf(twice, {static_cast<std::uint64_t>(at)}), floorOf(want + constant, 5));
        }
      }
}

TEST_F(TermsIndex, NegativeQuotientIsNotItsOwnBits) {
  const AffineId q = terms_.quotient(linear(symbol(0, 9), -1, 0), 4);
  EXPECT_EQ(valueOf(q, {9}), -3);
  const AffineId bits = terms_.exact(terms_.integer(q, 64), 64);
  NodeEvaluator evaluator(terms_.pool(), affine_, {{9}, {}, {}});
  EXPECT_EQ(evaluator.number(bits), (Wide{1} << 64) - 3);
}

TEST_F(TermsIndex, ProductsDistribute) {
  const AffineId a = symbol(0, 1000), b = symbol(2, 9), c = symbol(1, 3);
  EXPECT_EQ(terms_.product(a, b), terms_.product(b, a));
  EXPECT_EQ(terms_.product(terms_.product(a, b), c), terms_.product(a, terms_.product(c, b)));
  EXPECT_EQ(terms_.product(linear(a, 2, 3), b), affine_.combine(terms_.product(a, b), 2, b, 3));
  EXPECT_EQ(terms_.product(a, affine_.constant(12)), affine_.scale(a, 12));
  const AffineId all = terms_.product(linear(a, -2, 3), linear(b, 1, -5));
  EXPECT_EQ(valueOf(all, {10, 7, 1}), (-2 * 10 + 3) * (7 - 5));
  EXPECT_EQ(valueOf(terms_.product(terms_.product(a, b), c), {10, 7, 3}), 210);
  EXPECT_TRUE(terms_.facts().holds(affine_.sub(affine_.constant(9000), terms_.product(a, b))));
  EXPECT_FALSE(terms_.facts().holds(affine_.sub(affine_.constant(8999), terms_.product(a, b))));
}

TEST_F(TermsIndex, ProductsBeyond63BitsAreRefused) {
  const AffineId a = symbol(0, std::int64_t{1} << 32), b = symbol(0, std::int64_t{1} << 31);
  EXPECT_THROW(terms_.product(a, b), DomainError);
}

TEST_F(TermsIndex, ProductsAreBoundedByFacts) {
  const std::int64_t many = std::int64_t{1} << 47;
  const AffineId t = symbol(0, many), s = symbol(0, many), row = symbol(0, many),
                 step = symbol(0, 3);
  Facts &facts = terms_.facts();
  EXPECT_THROW(terms_.product(t, s), DomainError);
  terms_.limitProduct(t, s, Wide{1} << 45); // as of an array's extents
  const AffineId all = terms_.product(t, s);
  EXPECT_THROW(terms_.product(row, s), DomainError);
  facts.assume(affine_.plus(affine_.combine(t, 1, row, -4), -1)); // 4 * row < t
  const AffineId first = terms_.product(affine_.scale(row, 4), s);
  EXPECT_TRUE(facts.holds(affine_.sub(affine_.sub(all, s), first)));
  EXPECT_FALSE(facts.holds(affine_.plus(affine_.sub(affine_.sub(all, s), first), -1)));
  // (3 - step) * t >= 0, and not (2 - step) * t >= 0.
  const AffineId product = terms_.product(step, t);
  EXPECT_TRUE(facts.holds(affine_.combine(t, 3, product, -1)));
  EXPECT_FALSE(facts.holds(affine_.combine(t, 2, product, -1)));
  EXPECT_TRUE(facts.holds(product));
}

TEST_F(TermsIndex, ExtremesOfAnySign) {
  const AffineId a = symbol(0, 10);
  const AffineId x = linear(a, 3, -20), y = linear(a, -2, 4);
  EXPECT_EQ(terms_.minimum(x, y), terms_.minimum(y, x));
  EXPECT_EQ(terms_.minimum(a, linear(a, 1, 2)), a);
  EXPECT_EQ(terms_.maximum(a, linear(a, 1, 2)), linear(a, 1, 2));
  EXPECT_TRUE(terms_.facts().holds(affine_.sub(x, terms_.minimum(x, y))));
  EXPECT_TRUE(terms_.facts().holds(affine_.sub(terms_.maximum(x, y), y)));
  for (std::int64_t at = 0; at <= 10; ++at) {
    const std::vector<std::uint64_t> symbols = {static_cast<std::uint64_t>(at)};
    EXPECT_EQ(valueOf(terms_.minimum(x, y), symbols), std::min(3 * at - 20, 4 - 2 * at));
    EXPECT_EQ(valueOf(terms_.maximum(x, y), symbols), std::max(3 * at - 20, 4 - 2 * at));
  }
}

TEST_F(TermsIndex, ChoicesOfAnySign) {
  const AffineId a = symbol(0, 10);
  const Term isLarge = terms_.atLeastZero(linear(a, 1, -7));
  const AffineId chosen = terms_.choice(isLarge, linear(a, 1, -3), affine_.constant(-2));
  EXPECT_EQ(valueOf(chosen, {6}), -2);
  EXPECT_EQ(valueOf(chosen, {9}), 6);
  EXPECT_EQ(terms_.choice(Term::constant(0), a, affine_.constant(4)), affine_.constant(4));
  EXPECT_TRUE(terms_.facts().within(chosen, -3, 8));
  EXPECT_THROW(terms_.choice(Term{}, a, chosen), DomainError);
}

TEST_F(TermsIndex, SignedDataIsExact) {
  terms_.pool().tensors = {"x", "y"};
  const Term word = terms_.input(0, dsl::DType::I32, affine_.constant(0));
  const Term wide = terms_.input(1, dsl::DType::I64, affine_.constant(0));
  for (const std::int64_t value : {0l, 1l, -1l, 2147483647l, -2147483648l})
    EXPECT_EQ(valueOf(terms_.exactSigned(word, 32), {}, {static_cast<std::uint32_t>(value), 0}),
              value);
  for (const std::int64_t value : {0l, -1l, INT64_MAX, INT64_MIN})
    EXPECT_EQ(valueOf(terms_.exactSigned(wide, 64), {}, {0, static_cast<std::uint64_t>(value)}),
              value);
  const AffineId a = symbol(0, 100);
  EXPECT_EQ(terms_.exactSigned(terms_.integer(linear(a, 1, -50), 32), 32), linear(a, 1, -50));
}

} // namespace
} // namespace ordo::verify
