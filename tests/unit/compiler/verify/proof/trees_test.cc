// Values in the author's names, and two of them side by side.
#include "compiler/verify/proof/trees.h"

#include <gtest/gtest.h>

namespace ordo::verify {
namespace {

constexpr dsl::DType kF32 = dsl::DType::F32;

class TreesTest : public ::testing::Test {
protected:
  TreesTest() {
    const AffineId size = terms_.exact(terms_.symbol("T", 64, {Wide{0}, Wide{1} << 31}), 64);
    block_ = terms_.exact(terms_.symbol("block", 32, {Wide{0}, Wide{1} << 31}), 32);
    Argument x;
    x.name = "x";
    x.shape = {size, terms_.affine().constant(100)};
    signature_.arguments = {x};
  }

  NodeId x(std::int64_t row, std::int64_t column) {
    return terms_
        .input(0, kF32,
               terms_.affine().plus(terms_.affine().scale(block_, 400), row * 100 + column))
        .node();
  }
  NodeId sum(NodeId a, NodeId b) { return terms_.fadd(kF32, a, b); }
  NodeId number(float value) {
    return terms_.floatConstant(kF32, std::bit_cast<std::uint32_t>(value));
  }

  Terms terms_;
  Signature signature_;
  AffineId block_ = 0;
  Trees trees_{terms_, signature_};
};

TEST_F(TreesTest, ElementsHaveIndices) {
  EXPECT_EQ(trees_.text(x(1, 17)), "x[4*block + 1, 17]");
  EXPECT_EQ(trees_.text(x(0, 0)), "x[4*block, 0]");
}

TEST_F(TreesTest, OperationsAsWritten) {
  const NodeId product = terms_.fmul(kF32, sum(x(0, 0), x(0, 1)), number(1.5F));
  const std::string text = trees_.text(product);
  EXPECT_TRUE(text == "(x[4*block, 0] + x[4*block, 1]) * 1.5" ||
              text == "1.5 * (x[4*block, 0] + x[4*block, 1])")
      << text;
  EXPECT_EQ(trees_.text(terms_.fconvert(dsl::DType::BF16, x(0, 2), Round::NearestEven)),
            "bf16(x[4*block, 2])");
}

TEST_F(TreesTest, LongSumsAreFolded) {
  NodeId chain = x(0, 0);
  for (std::int64_t k = 1; k < 90; ++k)
    chain = sum(chain, x(0, k));
  EXPECT_EQ(trees_.text(chain, {4, 40, 4}),
            "x[4*block, 0] + x[4*block, 1] + x[4*block, 2] + … 86 more + x[4*block, 89]");
}

TEST_F(TreesTest, SideBySideDownToWhereTheyPart) {
  const NodeId same = sum(x(0, 0), x(0, 1));
  const NodeId contract = terms_.fsqrt(kF32, terms_.fdiv(kF32, same, sum(x(0, 2), x(0, 3))));
  const NodeId code = terms_.fsqrt(kF32, terms_.fdiv(kF32, same, sum(x(0, 2), x(0, 4))));
  EXPECT_EQ(columns(trees_.sideBySide(contract, code)),
            "  contract                          | code\n"
            "  sqrt                              | sqrt\n"
            "    /                               |   /\n"
            "      x[4*block, 0] + x[4*block, 1] |     x[4*block, 0] + x[4*block, 1]\n"
            "      +                             |     +\n"
            "        x[4*block, 2]               |       x[4*block, 2]\n"
            "≠       x[4*block, 3]               |       x[4*block, 4]\n");
}

TEST_F(TreesTest, ExchangedOperandsAreMatched) {
  // The sums differ in one operand each, whatever the order of their nodes is.
  const NodeId late = x(3, 0), a = x(0, 0), b = x(0, 1);
  const auto rows = trees_.sideBySide(sum(a, late), sum(b, late));
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1].mark, Trees::Row::Mark::Alike);
  EXPECT_EQ(rows[2].contract, "  x[4*block, 0]");
  EXPECT_EQ(rows[2].code, "  x[4*block, 1]");
  EXPECT_EQ(rows[2].mark, Trees::Row::Mark::Parts);
}

TEST_F(TreesTest, ALongWayIsShortened) {
  NodeId contract = x(0, 0), code = x(1, 0);
  for (std::int64_t k = 1; k < 100; ++k) {
    contract = sum(contract, x(2, k));
    code = sum(code, x(2, k));
  }
  const auto rows = trees_.sideBySide(contract, code);
  EXPECT_LT(rows.size(), 50u);
  EXPECT_EQ(rows.back().contract.substr(rows.back().contract.find('x')), "x[4*block, 0]");
  EXPECT_EQ(rows.back().code.substr(rows.back().code.find('x')), "x[4*block + 1, 0]");
}

} // namespace
} // namespace ordo::verify
