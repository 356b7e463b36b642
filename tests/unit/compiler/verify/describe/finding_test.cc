// Instructions that no contract has a word for, and the kernel with them kept by name.
#include "compiler/verify/describe/finding.h"

#include "compiler/verify/ptx/read.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordo::verify {
namespace {

using ::testing::ElementsAre;

/// The body's first line is line 8.
Kernel kernelOf(const std::string &body) {
  const std::string text = fmt::format(R"(.version 8.0
.target sm_90
.address_size 64
.entry k(.param .u64 p)
{{
  .reg .f32 %f<8>;
  .reg .b64 %rd<4>; .reg .pred %p<3>; .reg .b32 %r<4>;
{}
  ret;
}})",
                                       body);
  ptx::ReadFailure failure;
  const auto kernel = ptx::read(text, "", failure);
  EXPECT_TRUE(kernel) << failure.line << ": " << failure.message;
  return kernel.value_or(Kernel{});
}

std::vector<std::string> found(const std::string &body) {
  std::vector<std::string> all;
  for (const Finding &finding : findings(kernelOf(body)))
    all.push_back(fmt::format("{} {} {} {}", name(finding.kind), finding.instruction,
                              finding.lines.size(), finding.lines.front()));
  return all;
}

TEST(Findings, EachKind) {
  EXPECT_THAT(found("add.rn.f32 %f1, %f2, %f3;"), ElementsAre());
  EXPECT_THAT(found("add.f32 %f1, %f2, %f3;"), ElementsAre("may contract add.f32 1 8"));
  EXPECT_THAT(found("@%p1 mul.rn.ftz.f32 %f1, %f2, %f3;"),
              ElementsAre("flushes subnormals mul.rn.ftz.f32 1 8"));
  EXPECT_THAT(found("cvt.sat.f32.f32 %f1, %f2;"), ElementsAre("saturates cvt.sat.f32.f32 1 8"));
  EXPECT_THAT(found("fma.rm.f32 %f1, %f2, %f3, %f4;"),
              ElementsAre("rounds otherwise fma.rm.f32 1 8", "fused multiply-add fma.rm.f32 1 8"));
  EXPECT_THAT(found("{ ex2.approx.ftz.f32 %f1, %f2; }"),
              ElementsAre("approximation ex2.approx.ftz.f32 1 8",
                          "flushes subnormals ex2.approx.ftz.f32 1 8"));
  EXPECT_THAT(found("red.global.add.f32 [%rd1], %f1;"),
              ElementsAre("atomic operation red.global.add.f32 1 8"));
  EXPECT_THAT(found("atom.global.add.u32 %r1, [%rd1], %r2;"), ElementsAre());
}

TEST(Findings, OneLineForEachInstruction) {
  EXPECT_THAT(found("add.f32 %f1, %f2, %f3;\nmul.f32 %f1, %f2, %f3;\nadd.f32 %f1, %f2, %f3;"),
              ElementsAre("may contract add.f32 2 8", "may contract mul.f32 1 9"));
  EXPECT_THAT(found("cvt.rzi.s32.f32 %r1, %f1;\ncvt.rz.f32.s32 %f1, %r1;"), ElementsAre());
}

TEST(Findings, ByNameKeepsTheRest) {
  const Kernel kernel = byName(kernelOf("add.f32 %f1, %f2, %f3;\nadd.rn.ftz.f32 %f1, %f2, %f3;\n"
                                        "sqrt.rn.f32 %f1, %f2;\nfma.rz.f32 %f1, %f2, %f3, %f4;"));
  EXPECT_EQ(malformed(kernel), "");
  EXPECT_EQ(kernel.code[0].op, Op::FAdd);
  EXPECT_FALSE(kernel.code[0].mayContract);
  EXPECT_EQ(kernel.code[1].op, Op::Approx);
  EXPECT_EQ(kernel.code[1].what, "add.rn.ftz.f32");
  EXPECT_FALSE(kernel.code[1].flushes);
  EXPECT_EQ(kernel.code[2].op, Op::FSqrt);
  EXPECT_EQ(kernel.code[3].what, "fma.rz.f32");
}

} // namespace
} // namespace ordo::verify
