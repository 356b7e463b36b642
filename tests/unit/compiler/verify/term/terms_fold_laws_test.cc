// Folds over a known number of steps: one node however the loop was cut, and a node of its own for
// what only looks alike. Values are computed on bits as well, both ways.
#include "compiler/verify/term/terms.h"
#include "tests/unit/compiler/verify/term/evaluate_node.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace ordo::verify {
namespace {

using dsl::DType;

/// Of x and y, f32 arrays. The step of every fold here is known to be below its count, as the
/// machine knows it.
class FoldLaws : public ::testing::Test {
protected:
  FoldLaws() { terms_.pool().tensors = {"x", "y"}; }

  NodeId constant(float value) {
    return terms_.floatConstant(DType::F32, std::bit_cast<std::uint32_t>(value));
  }
  NodeId plus(NodeId a, NodeId b) { return terms_.fadd(DType::F32, a, b); }
  NodeId max(NodeId a, NodeId b) { return terms_.fminmax(Kind::FMax, a, b); }
  NodeId of(std::uint32_t tensor, std::int64_t number) {
    return terms_.input(tensor, DType::F32, affine_.constant(number)).node();
  }
  NodeId x(std::int64_t number) { return of(0, number); }

  /// One fold being written: next from the value before and the step.
  struct Step {
    NodeId before = 0, number = 0;
  };
  template <class Next> NodeId fold(std::int64_t count, NodeId first, Next &&next) {
    const Step s = {terms_.unnamed("c", Sort::of(DType::F32)),
                    terms_.symbol("k", 64, {Wide{0}, Wide{count - 1}}).node()};
    return terms_.fold(affine_.constant(count), first, next(s), s.before, s.number);
  }
  NodeId of(std::uint32_t tensor, const Step &s, std::int64_t stride, std::int64_t offset) {
    const AffineId at = affine_.plus(affine_.scale(affine_.atom(s.number), stride), offset);
    return terms_.input(tensor, DType::F32, at).node();
  }
  NodeId x(const Step &s, std::int64_t stride, std::int64_t offset) {
    return of(0, s, stride, offset);
  }
  /// first + x[offset] + x[offset + stride] + …
  NodeId sum(std::int64_t count, std::int64_t stride, std::int64_t offset, float first = -0.0f) {
    return fold(count, constant(first),
                [&](const Step &s) { return plus(s.before, x(s, stride, offset)); });
  }
  NodeId largest(std::int64_t count, std::int64_t stride, std::int64_t offset, NodeId first) {
    return terms_.settled(
        fold(count, first, [&](const Step &s) { return max(s.before, x(s, stride, offset)); }));
  }

  static float element(std::uint32_t tensor, std::int64_t number) {
    return (tensor == 0 ? 1.0f : -3.0f) / static_cast<float>((number * 7 + 3) % 11 + 1);
  }
  float valueOf(NodeId node) {
    const auto read = [](std::uint32_t tensor, Wide number) -> std::optional<std::uint64_t> {
      return std::bit_cast<std::uint32_t>(element(tensor, static_cast<std::int64_t>(number)));
    };
    NodeEvaluator evaluator(terms_.pool(), affine_, {{}, read, {}});
    const auto bits = evaluator.bits(node);
    EXPECT_TRUE(bits) << evaluator.fault();
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits.value_or(0)));
  }
  static float sumOf(std::int64_t count, std::int64_t stride, std::int64_t offset) {
    float sum = -0.0f;
    for (std::int64_t k = 0; k < count; ++k)
      sum += element(0, offset + stride * k);
    return sum;
  }

  Terms terms_;
  AffinePool &affine_ = terms_.affine();
};

TEST_F(FoldLaws, AStepThatDoesOneThingSeveralTimesIsSeveralSteps) {
  const NodeId whole = sum(20, 3, 5);
  const NodeId unrolled = fold(5, constant(-0.0f), [&](const Step &s) {
    NodeId value = s.before;
    for (std::int64_t j = 0; j < 4; ++j)
      value = plus(value, x(s, 12, 5 + 3 * j));
    return value;
  });
  EXPECT_EQ(unrolled, whole);
  EXPECT_EQ(valueOf(whole), sumOf(20, 3, 5));
  const auto four = [&](std::int64_t last) {
    return fold(5, constant(-0.0f), [&](const Step &s) {
      NodeId value = plus(plus(s.before, x(s, 12, 5)), x(s, 12, 8));
      return plus(plus(value, x(s, 12, 11)), x(s, 12, last));
    });
  };
  EXPECT_EQ(four(14), whole);
  EXPECT_NE(four(17), whole); // another element in one place
  const NodeId pairs = fold(10, constant(-0.0f), [&](const Step &s) {
    return plus(s.before, plus(x(s, 6, 5), x(s, 6, 8)));
  });
  EXPECT_NE(pairs, whole); // sums do not associate
  const NodeId swapped = fold(10, constant(-0.0f), [&](const Step &s) {
    return plus(plus(s.before, x(s, 6, 8)), x(s, 6, 5));
  });
  EXPECT_NE(swapped, whole);
}

TEST_F(FoldLaws, StepsBeforeALoopAreItsOwn) {
  const NodeId whole = sum(20, 3, 5);
  const auto from = [&](std::int64_t taken, NodeId first) {
    return fold(20 - taken, first,
                [&](const Step &s) { return plus(s.before, x(s, 3, 5 + 3 * taken)); });
  };
  EXPECT_EQ(from(1, x(5)), whole);
  EXPECT_EQ(from(2, plus(x(5), x(8))), whole);
  EXPECT_EQ(from(2, plus(x(8), x(5))), whole); // operands commute
  EXPECT_EQ(from(3, plus(plus(x(5), x(8)), x(11))), whole);
  EXPECT_NE(from(3, plus(x(5), plus(x(8), x(11)))), whole);
  EXPECT_NE(from(1, x(4)), whole);
  EXPECT_NE(from(1, plus(constant(0.0f), x(5))), whole); // -0.0 is the identity, +0.0 is not
  EXPECT_NE(sum(20, 3, 5, 0.0f), whole);
  EXPECT_NE(from(2, plus(x(5), x(11))), whole);
}

TEST_F(FoldLaws, TheNextStepMakesAFoldLonger) {
  const NodeId whole = sum(20, 3, 5);
  EXPECT_EQ(plus(sum(19, 3, 5), x(5 + 3 * 19)), whole);
  EXPECT_EQ(plus(x(5 + 3 * 19), sum(19, 3, 5)), whole);
  EXPECT_EQ(plus(plus(sum(18, 3, 5), x(5 + 3 * 18)), x(5 + 3 * 19)), whole);
  EXPECT_NE(plus(sum(19, 3, 5), x(5 + 3 * 18)), whole);
  EXPECT_NE(plus(sum(19, 3, 5), x(5 + 3 * 20)), whole);
  EXPECT_NE(plus(plus(sum(18, 3, 5), x(5 + 3 * 19)), x(5 + 3 * 18)), whole);
}

TEST_F(FoldLaws, AStepOfSeveralOperationsIsDoneWholly) {
  // A lane's runs of two: x[8k] + x[8k + 1], one after the other in one chain.
  const auto chain = [&](std::int64_t count) {
    return fold(count, constant(-0.0f),
                [&](const Step &s) { return plus(plus(s.before, x(s, 8, 0)), x(s, 8, 1)); });
  };
  const NodeId part = plus(chain(6), x(48));
  EXPECT_NE(part, chain(7));
  EXPECT_EQ(plus(part, x(49)), chain(7));
  EXPECT_NE(plus(part, x(50)), chain(7));
  float value = -0.0f;
  for (std::int64_t k = 0; k < 7; ++k)
    value = value + element(0, 8 * k) + element(0, 8 * k + 1);
  EXPECT_EQ(valueOf(chain(7)), value);
}

TEST_F(FoldLaws, FusedProductsFoldAlike) {
  const auto product = [&](std::int64_t number, NodeId before) {
    return terms_.ffma(DType::F32, x(number), of(1, number), before);
  };
  const auto dot = [&](std::int64_t count, std::int64_t offset, NodeId first) {
    return fold(count, first, [&](const Step &s) {
      return terms_.ffma(DType::F32, x(s, 1, offset), of(1, s, 1, offset), s.before);
    });
  };
  const NodeId whole = dot(12, 0, constant(-0.0f));
  EXPECT_EQ(dot(11, 1, terms_.fmul(DType::F32, x(0), of(1, 0))), whole);
  EXPECT_EQ(product(11, dot(11, 0, constant(-0.0f))), whole);
  EXPECT_NE(plus(dot(11, 0, constant(-0.0f)), terms_.fmul(DType::F32, x(11), of(1, 11))), whole);
  float value = -0.0f;
  for (std::int64_t k = 0; k < 12; ++k)
    value = std::fma(element(0, k), element(1, k), value);
  EXPECT_EQ(valueOf(whole), value);
}

TEST_F(FoldLaws, ANumberOfTheStepIsNotWhatTheLoopKnewOfIt) {
  // floor(k / 32) is 0 in every one of 20 steps; it is so of the fold's 21st, too, for that is
  // what the fold's step says.
  const auto quotient = [&](std::int64_t count) {
    return fold(count, constant(-0.0f), [&](const Step &s) {
      const AffineId at = terms_.quotient(affine_.atom(s.number), 32);
      return plus(s.before, terms_.input(0, DType::F32, at).node());
    });
  };
  EXPECT_EQ(plus(quotient(20), x(0)), quotient(21));
  // With 40 steps the quotient stays, and is not 0 in the last ones.
  EXPECT_NE(quotient(40), sum(40, 0, 0));
  float value = -0.0f;
  for (std::int64_t k = 0; k < 40; ++k)
    value += element(0, k / 32);
  EXPECT_EQ(valueOf(quotient(40)), value);
}

/// Eight lanes' maxima of every eighth element, and single ones behind.
TEST_F(FoldLaws, ExtremaOfLanesAreThatOfTheRange) {
  const NodeId low = constant(-std::numeric_limits<float>::infinity());
  const auto lanes = [&](std::int64_t missing) {
    NodeId all = low;
    for (std::int64_t lane = 0; lane < 8; ++lane)
      if (lane != missing)
        all = max(all, largest(5, 8, 3 + lane, low));
    return all;
  };
  const NodeId whole = largest(43, 1, 3, low);
  const NodeId rest = max(max(x(43), x(45)), x(44));
  EXPECT_EQ(terms_.settled(max(lanes(-1), rest)), whole);
  EXPECT_EQ(terms_.settled(max(max(x(45), lanes(-1)), max(x(44), x(43)))), whole);
  EXPECT_NE(terms_.settled(lanes(-1)), whole);
  EXPECT_NE(terms_.settled(max(lanes(5), rest)), whole);
  EXPECT_NE(terms_.settled(max(max(lanes(-1), x(44)), x(45))), whole);
  EXPECT_EQ(terms_.settled(max(max(lanes(-1), rest), x(17))), whole); // twice is once
  EXPECT_NE(terms_.settled(max(max(lanes(-1), rest), x(46))), whole);
  float value = -std::numeric_limits<float>::infinity();
  for (std::int64_t k = 3; k < 46; ++k)
    value = std::max(value, element(0, k));
  EXPECT_EQ(valueOf(whole), value);
}

TEST_F(FoldLaws, ARangeWithoutAStartHasNone) {
  // Of NaN alone, max(-inf, …) is -inf and the range's own maximum NaN.
  const NodeId low = constant(-std::numeric_limits<float>::infinity());
  EXPECT_NE(largest(9, 1, 1, x(0)), largest(10, 1, 0, low));
  EXPECT_EQ(terms_.settled(max(largest(9, 1, 1, x(0)), low)), largest(10, 1, 0, low));
  EXPECT_EQ(largest(9, 1, 1, x(0)),
            terms_.settled(max(largest(4, 2, 2, x(0)), largest(5, 2, 1, x(1)))));
}

TEST_F(FoldLaws, UnrolledExtremaAreTheSame) {
  const NodeId low = constant(-std::numeric_limits<float>::infinity());
  const NodeId unrolled = terms_.settled(
      fold(6, low, [&](const Step &s) { return max(max(s.before, x(s, 2, 0)), x(s, 2, 1)); }));
  EXPECT_EQ(unrolled, largest(12, 1, 0, low));
  const NodeId ofBoth = terms_.settled(
      fold(6, low, [&](const Step &s) { return max(max(s.before, x(s, 1, 0)), of(1, s, 1, 0)); }));
  EXPECT_NE(ofBoth, unrolled);
  EXPECT_EQ(ofBoth, terms_.settled(max(largest(6, 1, 0, low), fold(6, low, [&](const Step &s) {
                                         return max(s.before, of(1, s, 1, 0));
                                       }))));
}

} // namespace
} // namespace ordo::verify
