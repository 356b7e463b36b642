#include "compiler/verify/gcn/disassemble.h"
#include "tests/unit/compiler/verify/gcn/assemble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordo::verify::gcn {
namespace {

using ::testing::HasSubstr;

std::vector<Instruction> code(const TestKernel &kernel) {
  ReadFailure failure;
  const auto object = readObject(assembleKernel(kernel), "", failure);
  EXPECT_TRUE(object) << failure.message;
  const auto list = object ? disassemble(*object, failure) : std::nullopt;
  EXPECT_TRUE(list) << failure.message;
  return list.value_or(std::vector<Instruction>());
}

TEST(Disassemble, Operands) {
  const auto list =
      code({.body = "v_fma_f32 v1, -v2, |s3|, -|v4| clamp mul:2\n s_mov_b64 s[4:5], exec\n"
                    "v_cmp_gt_u32_e32 vcc, 0x3e8, v0\n v_add_f32_e32 v1, 0.5, v2\n"
                    "global_load_dwordx4 v[4:7], v[2:3], off offset:-16\n s_waitcnt vmcnt(0)\n"
                    "v_mul_f32_e32 v1, -4.0, v0\n v_mov_b32_e32 v1, -7"});
  ASSERT_EQ(list.size(), 9u);
  const Instruction &fma = list[0];
  EXPECT_EQ(fma.mnemonic, "v_fma_f32");
  EXPECT_THAT(fma.opcode, HasSubstr("V_FMA_F32"));
  ASSERT_EQ(fma.operands.size(), 4u);
  EXPECT_TRUE(fma.operands[1].negated && !fma.operands[1].absolute);
  EXPECT_EQ(fma.operands[1].kind, Operand::Kind::Vgpr);
  EXPECT_EQ(fma.operands[1].first, 2u);
  EXPECT_TRUE(!fma.operands[2].negated && fma.operands[2].absolute);
  EXPECT_EQ(fma.operands[2].kind, Operand::Kind::Sgpr);
  EXPECT_TRUE(fma.operands[3].negated && fma.operands[3].absolute);
  ASSERT_EQ(fma.modifiers.size(), 2u);
  EXPECT_EQ(fma.modifiers[0].name, "clamp");
  EXPECT_EQ(fma.modifiers[1].name, "mul");
  EXPECT_EQ(fma.modifiers[1].value, "2");
  EXPECT_EQ(list[1].operands[0].count, 2u);
  EXPECT_EQ(list[1].operands[1].kind, Operand::Kind::Exec);
  EXPECT_EQ(list[2].encoding, "e32");
  EXPECT_EQ(list[2].operands[0].kind, Operand::Kind::Vcc);
  EXPECT_EQ(list[2].operands[1].integer, 0x3e8);
  EXPECT_EQ(list[3].operands[1].number, 0.5);
  EXPECT_EQ(list[4].operands[0].count, 4u);
  EXPECT_EQ(list[4].operands[2].kind, Operand::Kind::Off);
  EXPECT_EQ(list[4].modifiers[0].value, "-16");
  EXPECT_EQ(list[4].address, list[3].address + 4);
  EXPECT_EQ(list[5].operands[0].text, "vmcnt(0)");
  EXPECT_EQ(list[6].operands[1].number, -4.0);
  EXPECT_EQ(list[7].operands[1].integer, -7);
  EXPECT_EQ(list[8].mnemonic, "s_endpgm");
}

TEST(Disassemble, SubDwordAndDataParallelControls) {
  const auto list = code({.body = "v_cvt_f32_f16_sdwa v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD "
                                  "src0_sel:WORD_1\n"
                                  "v_add_f32_dpp v1, v2, v3 quad_perm:[1,0,3,2] row_mask:0xf "
                                  "bank_mask:0xa bound_ctrl:0"});
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].encoding, "sdwa");
  EXPECT_EQ(list[0].modifiers.back().name, "src0_sel");
  EXPECT_EQ(list[0].modifiers.back().value, "WORD_1");
  EXPECT_EQ(list[1].encoding, "dpp");
  EXPECT_EQ(list[1].operands.size(), 3u);
  EXPECT_EQ(list[1].modifiers[0].name, "quad_perm");
  EXPECT_EQ(list[1].modifiers[0].value, "[1,0,3,2]");
}

TEST(Disassemble, DualIssue) {
  const auto list = code({.chip = "gfx1100",
                          .body = "v_dual_mov_b32 v2, 0 :: v_dual_add_f32 v3, v4, v5",
                          .block = 32});
  ASSERT_EQ(list.size(), 3u);
  EXPECT_TRUE(list[0].pairsWithNext);
  EXPECT_FALSE(list[1].pairsWithNext);
  EXPECT_EQ(list[0].mnemonic, "v_dual_mov_b32");
  EXPECT_EQ(list[1].mnemonic, "v_dual_add_f32");
  EXPECT_EQ(list[0].address, list[1].address);
  EXPECT_EQ(list[0].bytes, 8u);
  EXPECT_EQ(list[2].address, list[0].address + 8);
}

TEST(Disassemble, RefusesWhatIsNoInstruction) {
  ReadFailure failure;
  auto object = readObject(assembleKernel({.body = "s_nop 0\n.long 0xffffffff"}), "", failure);
  ASSERT_TRUE(object) << failure.message;
  EXPECT_FALSE(disassemble(*object, failure));
  EXPECT_EQ(failure.address, object->address + 4);
  EXPECT_THAT(failure.message, HasSubstr("gfx942"));
}

} // namespace
} // namespace ordo::verify::gcn
