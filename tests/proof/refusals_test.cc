// Code that is altered, or launched in another way, is refused with a counter-example.
#include "tests/proof/compiled.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordo {
namespace {

using ::testing::HasSubstr;

class Refusals : public ::testing::Test {
protected:
  /// The PTX with `from`, which must be there once, replaced.
  std::string altered(const std::string &from, const std::string &to) const {
    std::string text = rowSum_.ptx();
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    EXPECT_EQ(text.find(from, at + 1), std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
  }

  verify::Refusal refusal(const std::string &from, const std::string &to) const {
    return rowSum_.prove(altered(from, to)).refusal.value_or(verify::Refusal{"proven", "", {}, ""});
  }

  // 64 rows a block, two threads a row, each of two elements.
  Compiled rowSum_{"tests/lit/cli/Inputs/tiny.ordo", "row_sum_4"};
};

TEST_F(Refusals, TheCodeItselfIsProven) {
  const verify::Proof proof = rowSum_.prove(rowSum_.ptx());
  EXPECT_TRUE(proof.isProven()) << proof.refusal->message << proof.refusal->trees;
  EXPECT_GT(proof.steps, 0u);
  EXPECT_EQ(proof.stores, 64u);
}

TEST_F(Refusals, AnotherOperation) {
  const verify::Refusal refused = refusal("add.rn.f32 	%f4", "mul.rn.f32 	%f4");
  EXPECT_EQ(refused.message, "s[64*block]: the code's value is not the contract's");
  EXPECT_THAT(refused.where, HasSubstr("st.global.f32"));
  EXPECT_THAT(refused.trees, HasSubstr("x[64*block, 0] + x[64*block, 1]"));
  EXPECT_THAT(refused.trees, HasSubstr("x[64*block, 0] * x[64*block, 1]"));
  EXPECT_THAT(refused.trees, HasSubstr("≠"));
}

TEST_F(Refusals, AnotherLane) {
  EXPECT_EQ(refusal(", 1, 31, -1;", ", 2, 31, -1;").message,
            "s[64*block]: the code's value is not the contract's");
}

TEST_F(Refusals, AContractionThatTheAssemblerMayMake) {
  EXPECT_NE(refusal("add.rn.f32 	%f4", "add.f32 	%f4").message, "proven");
}

TEST_F(Refusals, ADroppedBound) {
  EXPECT_EQ(
      refusal("%p3, %p2, %p1;", "%p3, %p2, %p2;").message,
      "element [0] of s is stored twice, for T = 1: by thread (0, 0, 0) of block 0 at line 49 "
      "and by thread (0, 1, 0) of block 0 at line 49");
}

TEST_F(Refusals, AWidenedBound) {
  EXPECT_THAT(refusal("setp.ge.u64", "setp.gt.u64").message,
              HasSubstr("element [0] of s is stored twice, for T = 1: by thread (0, 0, 0)"));
}

TEST_F(Refusals, AShiftedAddress) {
  EXPECT_NE(refusal("[%rd1], %f1", "[%rd1+4], %f1").message, "proven");
}

TEST_F(Refusals, ALaunchOfTooFewBlocks) {
  verify::Launch launch = rowSum_.launch();
  launch.rows *= 2;
  const verify::Proof proof = rowSum_.prove(rowSum_.ptx(), launch);
  ASSERT_FALSE(proof.isProven());
  EXPECT_EQ(proof.refusal->message, "element [64] of s is never stored, for T = 127");
}

TEST_F(Refusals, BlocksThatTheBoundKeepsIdleAreNoFault) {
  verify::Launch launch = rowSum_.launch();
  launch.rows /= 2;
  EXPECT_TRUE(rowSum_.prove(rowSum_.ptx(), launch).isProven());
}

TEST_F(Refusals, ALaunchOfFewerThreads) {
  verify::Launch launch = rowSum_.launch();
  launch.block[1] /= 2;
  EXPECT_FALSE(rowSum_.prove(rowSum_.ptx(), launch).isProven());
}

TEST_F(Refusals, ALaunchOfMoreThreadsThanTheCodeTakes) {
  verify::Launch launch = rowSum_.launch();
  launch.block[1] *= 2;
  const verify::Proof proof = rowSum_.prove(rowSum_.ptx(), launch);
  ASSERT_FALSE(proof.isProven());
  EXPECT_EQ(proof.refusal->message,
            "the code is for blocks of 128 threads at most, and the launch has 256");
}

TEST_F(Refusals, ALaunchThatNoDeviceTakes) {
  for (const std::int64_t threads : {0, -1, 1025}) {
    verify::Launch launch = rowSum_.launch();
    launch.block = {threads, 1, 1};
    EXPECT_FALSE(rowSum_.prove(rowSum_.ptx(), launch).isProven()) << threads;
  }
}

TEST_F(Refusals, AnotherContract) {
  const Compiled other("tests/lit/cli/Inputs/tiny.ordo", "row_sum_128");
  std::string ptx = rowSum_.ptx();
  for (std::size_t at = 0; (at = ptx.find("row_sum_4", at)) != std::string::npos;)
    ptx.replace(at, 9, "row_sum_128");
  const verify::Proof proof = other.prove(ptx, rowSum_.launch());
  ASSERT_FALSE(proof.isProven());
}

TEST_F(Refusals, AContractOfOtherArguments) {
  const Compiled other("tests/lit/cli/Inputs/tiny.ordo", "scaled_128");
  std::string ptx = rowSum_.ptx();
  for (std::size_t at = 0; (at = ptx.find("row_sum_4", at)) != std::string::npos;)
    ptx.replace(at, 9, "scaled_128");
  const verify::Proof proof = other.prove(ptx, rowSum_.launch());
  ASSERT_FALSE(proof.isProven());
  EXPECT_EQ(proof.refusal->message, "the code takes 3 arguments, and the signature has 4");
}

// Sums of columns over any number of rows.
const char *const kColumns = "contracts/nn/column_sum.ordo";

std::string replacedAll(std::string text, const std::string &from, const std::string &to) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size(), ++count)
    text.replace(at, from.size(), to);
  EXPECT_GT(count, 0u) << from;
  return text;
}

TEST(RefusedLoops, RowsInTurnForRowsInChunksAndBack) {
  const std::string inTurn = "column_sum_f32_2048", chunked = "column_sum_chunked_f32_2048";
  const Compiled one(kColumns, inTurn), other(kColumns, chunked);
  const verify::Proof chunksForTurns = one.prove(replacedAll(other.ptx(), chunked, inTurn));
  ASSERT_TRUE(chunksForTurns.refusal);
  EXPECT_EQ(chunksForTurns.refusal->message,
            "y[128*block]: the code's value is not the contract's");
  EXPECT_THAT(chunksForTurns.refusal->trees, HasSubstr("fold"));
  const verify::Proof turnsForChunks = other.prove(replacedAll(one.ptx(), inTurn, chunked));
  ASSERT_TRUE(turnsForChunks.refusal);
  EXPECT_EQ(turnsForChunks.refusal->message,
            "y[128*block]: the code's value is not the contract's");
}

TEST(RefusedLoops, AnotherStrideOrStart) {
  const Compiled columns(kColumns, "column_sum_f32_2048");
  for (const auto &[from, to] : {std::pair{", 8192;", ", 4096;"},
                                 {", 8192;", ", 16384;"},
                                 {"0f80000000", "0f00000000"},
                                 {"0f80000000", "0f3F800000"}}) {
    const verify::Proof proof = columns.prove(replacedAll(columns.ptx(), from, to));
    EXPECT_FALSE(proof.isProven()) << from << " as " << to;
  }
}

} // namespace
} // namespace ordo
