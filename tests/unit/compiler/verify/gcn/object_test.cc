#include "compiler/verify/gcn/object.h"
#include "tests/unit/compiler/verify/gcn/assemble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordo::verify::gcn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refusal(const std::string &bytes, const std::string &name = "") {
  ReadFailure failure;
  return readObject(bytes, name, failure) ? "" : failure.message;
}

std::string refusalOf(const std::string &directives, const std::string &chip = "gfx942") {
  return refusal(assembleKernel({.chip = chip, .directives = directives}));
}

TEST(Object, ReadsTheDescriptorAndTheArguments) {
  const std::string bytes = assembleKernel({.body = "  s_nop 0", .block = 128, .ldsBytes = 512});
  ReadFailure failure;
  const auto kernel = readObject(bytes, "k", failure);
  ASSERT_TRUE(kernel) << failure.message;
  EXPECT_EQ(kernel->name, "k");
  EXPECT_EQ(kernel->chip, "gfx942");
  EXPECT_EQ(kernel->waveSize, 64);
  EXPECT_EQ(kernel->ldsBytes, 512u);
  EXPECT_EQ(kernel->kernargBytes, 16u);
  EXPECT_EQ(kernel->userSgprs, 2u);
  EXPECT_THAT(kernel->workgroupId, ElementsAre(true, false, false));
  EXPECT_EQ(kernel->workitemDims, 1);
  EXPECT_EQ(kernel->largestBlock, 128u);
  EXPECT_EQ(kernel->vgprs, 64u);
  EXPECT_GE(kernel->sgprs, 64u);
  EXPECT_TRUE(kernel->ieee);
  ASSERT_EQ(kernel->arguments.size(), 2u);
  EXPECT_EQ(kernel->arguments[1].offset, 8u);
  EXPECT_EQ(kernel->arguments[1].bytes, 8u);
  EXPECT_TRUE(kernel->arguments[1].isPointer);
  EXPECT_EQ(kernel->code.size(), 8u); // s_nop, s_endpgm; no padding
}

TEST(Object, KnowsEveryChip) {
  for (const char *chip : {"gfx90a", "gfx942", "gfx1100"}) {
    ReadFailure failure;
    const auto kernel = readObject(assembleKernel({.chip = chip}), "", failure);
    ASSERT_TRUE(kernel) << failure.message;
    EXPECT_EQ(kernel->chip, chip);
    EXPECT_EQ(kernel->waveSize, std::string(chip) == "gfx1100" ? 32 : 64);
    EXPECT_EQ(kernel->vgprs, 64u);
  }
}

TEST(Object, ListsKernels) {
  ReadFailure failure;
  const auto names = kernels(assembleKernel({}), failure);
  ASSERT_TRUE(names) << failure.message;
  EXPECT_THAT(*names, ElementsAre("k"));
}

TEST(Object, RefusesModesThatChangeArithmetic) {
  EXPECT_THAT(refusalOf(".amdhsa_float_round_mode_32 1\n"), HasSubstr("rounds f32"));
  EXPECT_THAT(refusalOf(".amdhsa_float_round_mode_16_64 3\n"), HasSubstr("rounds f16 and f64"));
  EXPECT_THAT(refusalOf(".amdhsa_fp16_overflow 1\n"), HasSubstr("saturates f16"));
  EXPECT_THAT(refusalOf(".amdhsa_exception_fp_ieee_inexact 1\n"), HasSubstr("exceptions"));
  for (const int flush : {0, 1, 2}) {
    EXPECT_THAT(refusal(assembleKernel({.denormals32 = flush})),
                HasSubstr("flushes subnormals of f32"));
    EXPECT_THAT(refusal(assembleKernel({.denormals64 = flush})),
                HasSubstr("flushes subnormals of f16 and f64"));
  }
}

TEST(Object, RefusesWhatItDoesNotModel) {
  EXPECT_THAT(refusalOf(".amdhsa_private_segment_fixed_size 16\n"), HasSubstr("scratch memory"));
  EXPECT_THAT(refusal(assembleKernel(
                  {.directives = ".amdhsa_user_sgpr_kernarg_preload_length 1\n", .userSgprs = 3})),
              HasSubstr("preloaded"));
  EXPECT_THAT(refusalOf(".amdhsa_uses_dynamic_stack 1\n"), HasSubstr("scratch memory"));
  EXPECT_THAT(refusalOf(".amdhsa_tg_split 1\n"), HasSubstr("split"));
  EXPECT_THAT(refusalOf(".amdhsa_system_sgpr_workgroup_info 1\n"), HasSubstr("workgroup info"));
  EXPECT_THAT(refusal(assembleKernel({}), "other"), HasSubstr("no symbol 'other.kd'"));
}

TEST(Object, RefusesWhatIsNoCodeObject) {
  EXPECT_THAT(refusal(""), HasSubstr("not an ELF file"));
  EXPECT_THAT(refusal("\177ELF and nothing more"), HasSubstr("ELF"));
  std::string bytes = assembleKernel({});
  std::string other = bytes;
  other[18] = 62; // x86-64
  EXPECT_THAT(refusal(other), HasSubstr("no AMDGPU code"));
  other = bytes;
  other[48] = 0x30; // gfx908
  EXPECT_THAT(refusal(other), HasSubstr("another chip"));
}

// Every cut and every changed byte is read or refused, never more.
TEST(Object, SurvivesDamage) {
  const std::string bytes = assembleKernel({});
  for (std::size_t size = 0; size < bytes.size(); size += 7)
    EXPECT_NE(refusal(bytes.substr(0, size)), "") << size;
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const char change : {'\xff', '\x80', '\x01'}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ change);
      refusal(damaged);
    }
}

} // namespace
} // namespace ordo::verify::gcn
