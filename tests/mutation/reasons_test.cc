// Reasons of equivalent mutants: each kind is found, and not given where it does not hold.
#include "tests/mutation/reasons.h"

#include "tests/mutation/gcn_mutator.h"
#include "tests/mutation/prover.h"
#include "tests/mutation/ptx_mutator.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace ordo::mutation {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class Reasons : public ::testing::Test {
protected:
  /// Of the text with `from` as `to`; "refused" if the proof does not take it.
  static std::string reason(const emulation::Subject &subject, const std::string &rule,
                            const std::string &from, const std::string &to) {
    std::string text = subject.assembly();
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from << "\n" << text;
    if (at == std::string::npos)
      return "";
    text.replace(at, from.size(), to);
    std::string error;
    const auto code = subject.assemble(text);
    EXPECT_TRUE(code) << text;
    if (!code)
      return "";
    const auto kernel = subject.read(error), mutant = subject.read(*code, error);
    EXPECT_TRUE(kernel && mutant) << error;
    if (!mutant || !refusalOf(subject, *mutant).empty())
      return "refused";
    return reasonOf({rule, from, to, {}}, *kernel, *mutant,
                    [&](const verify::Kernel &code) { return refusalOf(subject, code).empty(); });
  }

  static const emulation::Subject &rowSum() {
    static const emulation::Subject subject("tests/contracts/orders.ordo", "row_sum_block_1000",
                                            "cuda.sm_90a");
    return subject;
  }
  static const emulation::Subject &exp() {
    static const emulation::Subject subject("tests/contracts/apply.ordo", "exp_f32", "cuda.sm_90a");
    return subject;
  }
};

TEST_F(Reasons, OperandsThatCommute) {
  EXPECT_THAT(reason(rowSum(), rule::kCommuted, "add.rn.f32 \t%f3, %f46, %f45",
                     "add.rn.f32 \t%f3, %f45, %f46"),
              StartsWith("the operands of `add.f` commute"));
}

TEST_F(Reasons, LanesThatNobodyAsks) {
  EXPECT_THAT(reason(rowSum(), rule::kLanes, "shfl.sync.bfly.b32\t%f46, %f45, 1, 31, -1",
                     "shfl.sync.down.b32\t%f46, %f45, 1, 31, -1"),
              HasSubstr("first 1 of 32 lanes"));
}

TEST_F(Reasons, NumbersWhoseSignBitIsZero) {
  EXPECT_THAT(reason(exp(), rule::kWidth, "setp.ge.u64", "setp.ge.s64"),
              HasSubstr("sign bit is 0"));
}

TEST_F(Reasons, AResultThatIsNotUsed) {
  EXPECT_THAT(reason(exp(), rule::kConstant, "\tret;", "\tmov.b32 \t%r1, 7;\n\tret;"),
              HasSubstr("proof stands with it undefined"));
}

TEST_F(Reasons, CodeThatIsNotReached) {
  EXPECT_THAT(reason(exp(), rule::kConstant, "\tret;", "\tret;\n\tmov.b32 \t%r1, 7;\n\tret;"),
              ::testing::Not("refused"));
}

TEST_F(Reasons, AnIdentity) {
  EXPECT_THAT(reason(rowSum(), rule::kIdentity, "add.rn.f32 \t%f3, %f46, %f45;",
                     "add.rn.f32 \t%f3, %f46, %f45;\n\tadd.rn.f32 \t%f3, %f3, 0f80000000;"),
              HasSubstr("x + -0.0 = x"));
  EXPECT_EQ(reason(rowSum(), rule::kIdentity, "add.rn.f32 \t%f3, %f46, %f45;",
                   "add.rn.f32 \t%f3, %f46, %f45;\n\tadd.rn.f32 \t%f3, %f3, 0f00000000;"),
            "refused");
}

TEST_F(Reasons, ABranchThatSparesAWaveNothing) {
  const emulation::Subject gelu("tests/contracts/composed.ordo", "gelu_erf_composed",
                                "rocm.gfx90a");
  EXPECT_THAT(reason(gelu, rule::kBound, "\ts_cbranch_execz .LBB0_2\n", ""),
              HasSubstr("where no lane is on"));
  // One that spares the lanes that are on what others do is no such branch.
  EXPECT_EQ(reason(gelu, rule::kBound, "s_and_saveexec_b64", "s_or_saveexec_b64"), "refused");
}

} // namespace
} // namespace ordo::mutation
