// Folds: equal ones are one node whatever their names, and what differs stays apart.
#include "compiler/verify/machine/fault.h"
#include "compiler/verify/term/terms.h"
#include "tests/unit/compiler/verify/term/evaluate_node.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>

namespace ordo::verify {
namespace {

using dsl::DType;

/// Sums of x, an f32 array, over T elements.
class TermsFold : public ::testing::Test {
protected:
  TermsFold() {
    terms_.pool().tensors = {"x"};
    size_ = affine_.atom(terms_.symbol("T", 64, {Wide{0}, Wide{1000}}).node());
  }

  NodeId step() { return terms_.symbol("k", 64, {Wide{0}, Wide{1000}}).node(); }
  NodeId carried() { return terms_.unnamed("c", Sort::of(DType::F32)); }
  NodeId zero() { return terms_.floatConstant(DType::F32, 0x80000000u); }
  NodeId x(AffineId number) { return terms_.input(0, DType::F32, number).node(); }
  AffineId at(NodeId k, std::int64_t stride, std::int64_t offset = 0) {
    return affine_.plus(affine_.scale(affine_.atom(k), stride), offset);
  }
  NodeId plus(NodeId a, NodeId b) { return terms_.fadd(DType::F32, a, b); }

  /// x[offset] + x[offset + stride] + …
  NodeId sum(AffineId count, std::int64_t stride = 1, std::int64_t offset = 0) {
    const NodeId k = step(), c = carried();
    return terms_.fold(count, zero(), plus(c, x(at(k, stride, offset))), c, k);
  }
  /// Sums of 4, summed.
  NodeId chunks(bool isInnerFirst) {
    const NodeId i = step(), j = step(), c = carried(), d = carried();
    const AffineId element = affine_.combine(at(i, 4), 1, affine_.atom(j), 1);
    const AffineId four = affine_.constant(4);
    const NodeId inner = terms_.fold(isInnerFirst ? four : size_, zero(), plus(c, x(element)), c,
                                     isInnerFirst ? j : i);
    return terms_.fold(isInnerFirst ? size_ : four, zero(), plus(d, inner), d,
                       isInnerFirst ? i : j);
  }

  float valueOf(NodeId node, std::uint64_t size) {
    const auto element = [](std::uint32_t, Wide number) -> std::optional<std::uint64_t> {
      return std::bit_cast<std::uint32_t>(1.0f / static_cast<float>(number + 3));
    };
    NodeEvaluator evaluator(terms_.pool(), affine_, {{size}, element, {}});
    const auto bits = evaluator.bits(node);
    EXPECT_TRUE(bits) << evaluator.fault();
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits.value_or(0)));
  }

  Terms terms_;
  AffinePool &affine_ = terms_.affine();
  AffineId size_ = 0;
};

TEST_F(TermsFold, NamesDoNotCount) {
  EXPECT_EQ(sum(size_), sum(size_));
  EXPECT_EQ(chunks(true), chunks(true));
}

TEST_F(TermsFold, OperandsThatCommuteDoWhateverTheirNames) {
  const NodeId before = carried(), k = step(), after = carried();
  const NodeId one = terms_.fold(size_, zero(), plus(before, x(at(k, 1))), before, k);
  EXPECT_EQ(terms_.fold(size_, zero(), plus(x(at(k, 1)), after), after, k), one);
}

TEST_F(TermsFold, WhatDiffersStaysApart) {
  const NodeId one = sum(size_, 4, 2);
  EXPECT_NE(sum(size_, 5, 2), one);                  // the stride
  EXPECT_NE(sum(size_, 4, 3), one);                  // the first element
  EXPECT_NE(sum(affine_.plus(size_, 1), 4, 2), one); // the count
  EXPECT_NE(sum(affine_.plus(size_, -1), 4, 2), one);
  const NodeId k = step(), c = carried();
  const NodeId next = plus(c, x(at(k, 4, 2)));
  const NodeId other = terms_.floatConstant(DType::F32, 0x3f800000u);
  EXPECT_EQ(terms_.fold(size_, zero(), next, c, k), one);
  EXPECT_NE(terms_.fold(size_, other, next, c, k), one);               // the start
  EXPECT_NE(terms_.fold(size_, zero(), terms_.fneg(next), c, k), one); // the step
  EXPECT_NE(terms_.fold(size_, zero(), plus(c, plus(c, x(at(k, 4, 2)))), c, k), one);
  EXPECT_NE(chunks(true), chunks(false)); // rows of columns, columns of rows
}

TEST_F(TermsFold, AnOuterNameIsNotCaptured) {
  // The inner fold adds the outer step's element, not its own.
  const auto nested = [&](bool ofOuter) {
    const NodeId i = step(), j = step(), c = carried(), d = carried();
    const NodeId inner =
        terms_.fold(affine_.constant(3), zero(), plus(c, x(at(ofOuter ? i : j, 1))), c, j);
    return terms_.fold(size_, zero(), plus(d, inner), d, i);
  };
  EXPECT_NE(nested(true), nested(false));
  float outer = -0.0f, own = -0.0f;
  for (int i = 0; i < 5; ++i) {
    const float element = 1.0f / static_cast<float>(i + 3);
    outer += element + element + element;
    own += 1.0f / 3 + 1.0f / 4 + 1.0f / 5;
  }
  EXPECT_EQ(valueOf(nested(true), 5), outer);
  EXPECT_EQ(valueOf(nested(false), 5), own);
}

TEST_F(TermsFold, NoStepIsTheStart) {
  EXPECT_EQ(sum(affine_.constant(0)), zero());
  EXPECT_EQ(valueOf(sum(size_), 0), -0.0f);
  EXPECT_TRUE(std::signbit(valueOf(sum(size_), 0)));
}

TEST_F(TermsFold, HasTheValueOfItsSteps) {
  for (const std::uint64_t size : {1, 2, 7, 100}) {
    float whole = -0.0f, strided = -0.0f, chunked = -0.0f;
    for (std::uint64_t k = 0; k < size; ++k) {
      whole += 1.0f / static_cast<float>(k + 3);
      strided += 1.0f / static_cast<float>(4 * k + 5);
      float chunk = -0.0f;
      for (std::uint64_t j = 0; j < 4; ++j)
        chunk += 1.0f / static_cast<float>(4 * k + j + 3);
      chunked += chunk;
    }
    EXPECT_EQ(valueOf(sum(size_), size), whole);
    EXPECT_EQ(valueOf(sum(size_, 4, 2), size), strided);
    EXPECT_EQ(valueOf(chunks(true), size), chunked);
  }
}

TEST_F(TermsFold, RefusesAStepOfAnotherType) {
  const NodeId k = step(), c = carried();
  const NodeId word = terms_.unnamed("w", Sort::bits(32));
  EXPECT_THROW(terms_.fold(size_, zero(), plus(c, zero()), word, k), DomainError);
  EXPECT_THROW(terms_.fold(size_, terms_.asBits(32, Term::constant(0)), plus(c, x(at(k, 1))), c, k),
               DomainError);
}

} // namespace
} // namespace ordo::verify
