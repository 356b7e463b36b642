// What stands around instructions in PTX that nvcc and Triton write: variables, functions, lines.
#include "compiler/verify/ptx/read.h"

#include "tests/unit/compiler/verify/ptx/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordo::verify::test {
namespace {

using ::testing::HasSubstr;

// Each thread leaves its number in `buffer` and takes that of its neighbour.
const char *const kNeighbours = R"(
  mov.u32 %r1, buffer;
  shl.b32 %r2, %t, 2;
  add.s32 %r3, %r1, %r2;
  st.shared.u32 [%r3], %t;
  bar.sync 0;
  xor.b32 %r4, %r2, 4;
  add.s32 %r4, %r1, %r4;
  ld.shared.u32 %r5, [%r4];
  cvt.u64.u32 %d0, %r5;
  st.global.u64 [%out], %d0;)";

RunOptions twoThreads() {
  RunOptions options;
  options.threads = 2;
  return options;
}

TEST(PtxShared, AnAddressOf32Bits) {
  RunOptions options = twoThreads();
  options.declarations = ".shared .align 4 .b8 buffer[8];";
  EXPECT_THAT(run(kNeighbours, {}, options).words, ::testing::ElementsAre(1, 0));
}

TEST(PtxShared, TheSizeMayComeFromTheLaunch) {
  RunOptions options = twoThreads();
  options.module = ".extern .shared .align 16 .b8 buffer[];";
  options.shared = 8;
  EXPECT_THAT(run(kNeighbours, {}, options).words, ::testing::ElementsAre(1, 0));
  options.shared = 4;
  EXPECT_THAT(run(kNeighbours, {}, options).error, HasSubstr("the block has 4"));
}

TEST(PtxShared, WhatTheLaunchGivesFollowsTheKernelsOwn) {
  RunOptions options = twoThreads();
  options.module =
      ".extern .shared .align 16 .b8 first[];\n.extern .shared .align 16 .b8 second[];";
  options.declarations = ".shared .align 4 .b8 own[20];";
  options.shared = 4;
  options.threads = 1;
  // 20 bytes, rounded up to 32; both names are one place.
  EXPECT_THAT(run("mov.u64 %d0, first;\n st.global.u64 [%out], %d0;", {}, options).words,
              ::testing::ElementsAre(32));
  EXPECT_THAT(run("mov.u64 %d0, second;\n st.global.u64 [%out], %d0;", {}, options).words,
              ::testing::ElementsAre(32));
  EXPECT_THAT(
      run("mov.u32 %r1, own+4;\n cvt.u64.u32 %d0, %r1;\n st.global.u64 [%out], %d0;", {}, options)
          .words,
      ::testing::ElementsAre(4));
}

TEST(PtxVariables, RefusedOnlyWhereTheyAreUsed) {
  RunOptions options;
  options.threads = 1;
  options.module = ".global .align 4 .b8 table[8] = {1, 2, 3, 4, 5, 6, 7, 8};\n"
                   ".const .align 4 .f32 scale;";
  options.declarations = ".local .align 8 .b8 __local_depot0[16];";
  const std::string store = "\n st.global.u64 [%out], %d0;";
  EXPECT_EQ(run("mov.u64 %d0, 7;" + store, {}, options).error, "");
  EXPECT_THAT(run("mov.u64 %d0, table;" + store, {}, options).error,
              HasSubstr("`table` lies in `.global`, which the host may change"));
  EXPECT_THAT(run("ld.global.u64 %d0, [table];" + store, {}, options).error,
              HasSubstr("`table` lies in `.global`"));
  EXPECT_THAT(run("cvta.global.u64 %d0, table;" + store, {}, options).error,
              HasSubstr("`table` lies in `.global`"));
  EXPECT_THAT(run("mov.u64 %d0, __local_depot0;" + store, {}, options).error,
              HasSubstr("keep it in registers"));
}

TEST(PtxVariables, ADeclarationTwiceIsRefused) {
  RunOptions options;
  options.module = ".shared .align 4 .b8 a[4];";
  options.declarations = ".shared .align 4 .b8 a[4];";
  EXPECT_THAT(run("ret;", {}, options).error, HasSubstr("`a` is declared twice"));
}

TEST(PtxFunctions, PassedOverUnlessCalled) {
  RunOptions options;
  options.threads = 1;
  options.module = R"(.extern .func (.param .b32 result) vprintf (.param .b64 a, .param .b64 b);
.func (.reg .b32 %v) twice (.reg .b32 %w)
{
  { add.u32 %v, %w, %w; }
  ret;
})";
  EXPECT_EQ(run("mov.u64 %d0, 7;\n st.global.u64 [%out], %d0;", {}, options).error, "");
  EXPECT_THAT(run("call (%r1), twice, (%r2);", {}, options).error,
              HasSubstr("`call`: functions besides the kernel are not modelled"));
  EXPECT_THAT(run(".param .b32 param0;\n st.param.b32 [param0+0], %r1;", {}, options).error,
              HasSubstr("`param0` lies in `.param`, for a call"));
}

// As Triton's come: lines, temporary labels, debugging sections.
TEST(PtxDebugging, LinesAndSections) {
  const char *const text = R"(.version 8.7
.target sm_90a
.address_size 64
  // .globl k // -- Begin function k
.visible .entry k(
  .param .u64 .ptr .global .align 1 k_param_0
)
.reqntid 128
{
  .reg .b64 %rd<2>;
  .loc 1 19 0 // kernels.py:19:0
$L__func_begin0:
  ld.param.b64 %rd1, [k_param_0];
$L__tmp0:
  .loc 2 261 15, function_name $L__info_string0, inlined_at 1 23 29
  .pragma "nounroll";
  ret;
$L__tmp1:
$L__func_end0:
}
  .file 1 "kernels.py"
  .section .debug_abbrev
  {
.b8 1 // Abbreviation Code
.b8 0
  }
  .section .debug_loc { }
)";
  ptx::ReadFailure failure;
  const auto kernel = ptx::read(text, "", failure);
  ASSERT_TRUE(kernel) << failure.line << ": " << failure.message;
  EXPECT_THAT(kernel->requiredBlock, ::testing::ElementsAre(128, 1, 1));
  EXPECT_EQ(kernel->lines[kernel->code[0].line].number, 13u);
}

TEST(PtxDebugging, ASectionThatDoesNotEnd) {
  ptx::ReadFailure failure;
  EXPECT_FALSE(ptx::read(".version 8.0\n.target sm_90\n.section .debug_abbrev {", "", failure));
  EXPECT_THAT(failure.message, HasSubstr("does not end"));
}

} // namespace
} // namespace ordo::verify::test
