// What read() gives and refuses as a whole: the frame, branches, damaged code.
#include "compiler/verify/gcn/read.h"
#include "tests/unit/compiler/verify/gcn/assemble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace ordo::verify::gcn {
namespace {

using ::testing::HasSubstr;

ReadFailure failureOf(const TestKernel &kernel) {
  ReadFailure failure;
  EXPECT_FALSE(read(assembleKernel(kernel), "", failure)) << kernel.body;
  return failure;
}

TEST(Read, TheFrame) {
  ReadFailure failure;
  const auto kernel =
      read(assembleKernel({.chip = "gfx1100", .block = 96, .ldsBytes = 256}), "k", failure);
  ASSERT_TRUE(kernel) << failure.message;
  EXPECT_EQ(kernel->name, "k");
  EXPECT_EQ(kernel->target, "gfx1100");
  EXPECT_EQ(kernel->model, Model::LockStep);
  EXPECT_EQ(kernel->waveSize, 32);
  EXPECT_EQ(kernel->largestBlock[0], 96u);
  EXPECT_EQ(kernel->sharedBytes, 256u);
  ASSERT_EQ(kernel->parameters.size(), 2u);
  EXPECT_EQ(kernel->parameters[1].offset, 8u);
  EXPECT_EQ(malformed(*kernel), "");
  EXPECT_EQ(kernel->code.back().op, Op::Exit);
}

TEST(Read, NamesWhatItDoesNotKnow) {
  const ReadFailure failure = failureOf({.body = "s_nop 0\nv_log_legacy_f32 v1, v2"});
  EXPECT_THAT(failure.message, HasSubstr("v_log_legacy_f32_e32 v1, v2"));
  EXPECT_THAT(failure.message, HasSubstr("gfx942"));
  EXPECT_THAT(failure.message, HasSubstr("not modelled"));
  EXPECT_EQ(failure.address % 256, 4u); // the second instruction of a kernel that is aligned so
}

TEST(Read, BranchesGoToInstructions) {
  // Into the literal of the instruction before the target.
  EXPECT_THAT(failureOf({.body = "s_branch 1\nv_mov_b32 v1, 0x12345678\ns_nop 0"}).message,
              HasSubstr("no instruction of the kernel starts"));
  EXPECT_THAT(failureOf({.body = "s_branch 100"}).message, HasSubstr("no instruction"));
  EXPECT_THAT(failureOf({.body = "s_branch -100"}).message, HasSubstr("no instruction"));
}

TEST(Read, CodeEnds) {
  // The symbol's size leaves the s_endpgm out.
  std::string text = kernelText({.body = "s_nop 0"});
  const std::string end = "  s_endpgm\n.Lend:";
  text.replace(text.find(end), end.size(), ".Lend:\n  s_endpgm");
  EXPECT_THAT(failureOf({.text = text}).message, HasSubstr("runs past its end"));
}

constexpr const char *kGfx9 = R"(
s_load_dwordx4 s[4:7], s[0:1], 0x0
v_mad_u64_u32 v[2:3], s[8:9], v0, 14, s[4:5]
v_cvt_f32_f16_sdwa v4, v0 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
v_add_f32_dpp v5, v4, v4 row_shr:1 row_mask:0xf bank_mask:0xf
v_div_scale_f32 v6, vcc, v4, v5, v4
v_pk_fma_f32 v[8:9], v[2:3], v[4:5], v[6:7]
ds_read2st64_b32 v[10:11], v0 offset1:1
global_load_dwordx4 v[12:15], v[2:3], off offset:16
ds_swizzle_b32 v16, v4 offset:swizzle(SWAP,16)
s_and_saveexec_b64 s[10:11], vcc
s_cbranch_execz 2
v_perm_b32 v17, v4, v5, s4
s_waitcnt vmcnt(0) lgkmcnt(0)
v_cmp_class_f64_e64 s[12:13], v[2:3], v4
v_ldexp_f64 v[18:19], v[2:3], v4
global_store_short_d16_hi v4, v5, s[6:7])";

constexpr const char *kGfx11 = R"(
s_load_b128 s[4:7], s[0:1], null
v_dual_fmamk_f32 v2, v4, 0x40490fdb, v6 :: v_dual_cndmask_b32 v3, v5, v7
v_add_co_ci_u32_e64 v6, s2, s5, v11, s2
v_cmpx_gt_u64_e64 s[4:5], v[0:1]
ds_load_2addr_stride64_b32 v[10:11], v0 offset1:1
global_load_d16_hi_b16 v12, v[2:3], off offset:16
v_mov_b32_dpp v5, v4 row_xmask:3 row_mask:0xf bank_mask:0xf
s_waitcnt_vscnt null, 0x0
v_fma_f16 v5, v4, v4, v4 op_sel:[1,0,0,1])";

// Each damaged kernel is read or refused, and what is read is well formed.
TEST(Read, SurvivesDamagedCode) {
  std::mt19937 random(6);
  for (const auto &[chip, body] :
       {std::pair{"gfx942", kGfx9}, {"gfx90a", kGfx9}, {"gfx1100", kGfx11}}) {
    const std::string bytes = assembleKernel({.chip = chip, .body = body});
    ReadFailure failure;
    const auto object = readObject(bytes, "", failure);
    ASSERT_TRUE(object) << failure.message;
    ASSERT_TRUE(read(bytes, "", failure)) << failure.message;
    const std::size_t start = bytes.find(std::string(object->code.begin(), object->code.end()));
    ASSERT_NE(start, std::string::npos);
    int isRead = 0, isRefused = 0;
    for (int i = 0; i < 4000; ++i) {
      std::string damaged = bytes;
      for (int k = 0; k <= i % 3; ++k)
        damaged[start + random() % object->code.size()] = static_cast<char>(random());
      const auto kernel = read(damaged, "", failure);
      ++(kernel ? isRead : isRefused);
      if (kernel)
        ASSERT_EQ(malformed(*kernel), "");
      else
        ASSERT_NE(failure.message, "");
    }
    EXPECT_GT(isRead, 0);
    EXPECT_GT(isRefused, 0);
  }
}

} // namespace
} // namespace ordo::verify::gcn
