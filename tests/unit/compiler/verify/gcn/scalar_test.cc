// The scalar unit against plain C++, and what steers the wave.
#include "tests/unit/compiler/verify/gcn/run.h"

#include <bit>
#include <gtest/gtest.h>

namespace ordo::verify::gcn {
namespace {

using U = std::uint32_t;
using S = std::int32_t;
using L = std::uint64_t;

struct ScalarOutcome {
  L value;
  int scc; // -1: the instruction leaves it, or nobody may read it
};
struct Case {
  const char *body; // s20 … s23 hold the words, s[24:25] the result
  bool isWide;
  ScalarOutcome (*want)(U a, U b, U c, U d);
};

L wide(U low, U high) { return L{high} << 32 | low; }
S s(U value) { return static_cast<S>(value); }

constexpr Case kCases[] = {
    {"s_add_u32 s24, s20, s21", false,
     [](U a, U b, U, U) -> ScalarOutcome { return {a + b, a + b < a}; }},
    {"s_sub_u32 s24, s20, s21", false,
     [](U a, U b, U, U) -> ScalarOutcome { return {a - b, a < b}; }},
    {"s_add_i32 s24, s20, s21", false,
     [](U a, U b, U, U) -> ScalarOutcome {
       S sum = 0;
       return {a + b, __builtin_add_overflow(s(a), s(b), &sum)};
     }},
    {"s_sub_i32 s24, s20, s21", false,
     [](U a, U b, U, U) -> ScalarOutcome {
       S difference = 0;
       return {a - b, __builtin_sub_overflow(s(a), s(b), &difference)};
     }},
    {"s_add_u32 s24, s20, s22\ns_addc_u32 s25, s21, s23", true,
     [](U a, U b, U c, U d) -> ScalarOutcome {
       return {wide(a, b) + wide(c, d), wide(a, b) + wide(c, d) < wide(a, b)};
     }},
    {"s_sub_u32 s24, s20, s22\ns_subb_u32 s25, s21, s23", true,
     [](U a, U b, U c, U d) -> ScalarOutcome {
       return {wide(a, b) - wide(c, d), wide(a, b) < wide(c, d)};
     }},
    {"s_mul_i32 s24, s20, s21", false, [](U a, U b, U, U) -> ScalarOutcome { return {a * b, -1}; }},
    {"s_mul_hi_u32 s24, s20, s21", false,
     [](U a, U b, U, U) -> ScalarOutcome { return {L{a} * b >> 32, -1}; }},
    {"s_mul_hi_i32 s24, s20, s21", false,
     [](U a, U b, U, U) -> ScalarOutcome {
       return {static_cast<U>(std::int64_t{s(a)} * s(b) >> 32), -1};
     }},
    {"s_mov_b32 s24, s20\ns_mulk_i32 s24, 0xfffe", false,
     [](U a, U, U, U) -> ScalarOutcome { return {a * U(-2), -1}; }},
    {"s_movk_i32 s24, 0x8000", false, [](U, U, U, U) -> ScalarOutcome { return {U(-0x8000), -1}; }},
    {"s_and_b32 s24, s20, s21", false,
     [](U a, U b, U, U) -> ScalarOutcome { return {a & b, (a & b) != 0}; }},
    {"s_or_b64 s[24:25], s[20:21], s[22:23]", true,
     [](U a, U b, U c, U d) -> ScalarOutcome {
       return {wide(a, b) | wide(c, d), (wide(a, b) | wide(c, d)) != 0};
     }},
    {"s_xor_b32 s24, s20, s21", false,
     [](U a, U b, U, U) -> ScalarOutcome { return {a ^ b, a != b}; }},
    {"s_not_b32 s24, s20", false, [](U a, U, U, U) -> ScalarOutcome { return {~a, ~a != 0}; }},
    {"s_nand_b32 s24, s20, s21", false,
     [](U a, U b, U, U) -> ScalarOutcome { return {~(a & b), ~(a & b) != 0}; }},
    {"s_xnor_b32 s24, s20, s21", false,
     [](U a, U b, U, U) -> ScalarOutcome { return {~(a ^ b), ~(a ^ b) != 0}; }},
    {"s_lshl_b32 s24, s20, s21", false,
     [](U a, U b, U, U) -> ScalarOutcome { return {a << (b & 31), a << (b & 31) != 0}; }},
    {"s_lshr_b32 s24, s20, s21", false,
     [](U a, U b, U, U) -> ScalarOutcome { return {a >> (b & 31), a >> (b & 31) != 0}; }},
    {"s_ashr_i32 s24, s20, s21", false,
     [](U a, U b, U, U) -> ScalarOutcome {
       return {static_cast<U>(s(a) >> (b & 31)), s(a) >> (b & 31) != 0};
     }},
    {"s_lshl_b64 s[24:25], s[20:21], s22", true,
     [](U a, U b, U c, U) -> ScalarOutcome {
       return {wide(a, b) << (c & 63), wide(a, b) << (c & 63) != 0};
     }},
    {"s_bfe_u32 s24, s20, 0x70005", false,
     [](U a, U, U, U) -> ScalarOutcome { return {a >> 5 & 127, (a >> 5 & 127) != 0}; }},
    {"s_bfe_i32 s24, s20, 0x70005", false,
     [](U a, U, U, U) -> ScalarOutcome {
       return {static_cast<U>(s(a << 20) >> 25), s(a << 20) >> 25 != 0};
     }},
    {"s_brev_b32 s24, s20\ns_brev_b32 s24, s24", false,
     [](U a, U, U, U) -> ScalarOutcome { return {a, -1}; }},
    {"s_bcnt1_i32_b64 s24, s[20:21]", false,
     [](U a, U b, U, U) -> ScalarOutcome {
       return {static_cast<L>(std::popcount(wide(a, b))), wide(a, b) != 0};
     }},
    {"s_sext_i32_i16 s24, s20", false,
     [](U a, U, U, U) -> ScalarOutcome { return {static_cast<U>(s(a << 16) >> 16), -1}; }},
    {"s_abs_i32 s24, s20", false,
     [](U a, U, U, U) -> ScalarOutcome { return {s(a) < 0 ? U(0) - a : a, a != 0}; }},
    {"s_min_i32 s24, s20, s21", false,
     [](U a, U b, U, U) -> ScalarOutcome { return {s(a) < s(b) ? a : b, s(a) < s(b)}; }},
    {"s_max_u32 s24, s20, s21", false,
     [](U a, U b, U, U) -> ScalarOutcome { return {a > b ? a : b, a > b}; }},
    {"s_pack_lh_b32_b16 s24, s20, s21", false,
     [](U a, U b, U, U) -> ScalarOutcome { return {(a & 0xffff) | (b & 0xffff0000), -1}; }},
    {"s_cmp_lt_i32 s20, s21\ns_cselect_b32 s24, s22, s23", false,
     [](U a, U b, U c, U d) -> ScalarOutcome { return {s(a) < s(b) ? c : d, s(a) < s(b)}; }},
    {"s_cmp_ge_u32 s20, s21\ns_cselect_b32 s24, s22, s23", false,
     [](U a, U b, U c, U d) -> ScalarOutcome { return {a >= b ? c : d, a >= b}; }},
    {"s_cmpk_lg_i32 s20, 0xffff\ns_cselect_b32 s24, s22, s23", false,
     [](U a, U, U c, U d) -> ScalarOutcome { return {a != 0xffffffff ? c : d, a != 0xffffffff}; }},
    {"s_cmp_eq_u64 s[20:21], s[22:23]\ns_cselect_b32 s24, 1, 2", false,
     [](U a, U b, U c, U d) -> ScalarOutcome {
       return {wide(a, b) == wide(c, d) ? 1u : 2u, wide(a, b) == wide(c, d)};
     }},
    {"s_bitcmp1_b32 s20, s21\ns_cselect_b32 s24, 1, 2", false,
     [](U a, U b, U, U) -> ScalarOutcome {
       return {(a >> (b & 31) & 1) != 0 ? 1u : 2u, static_cast<int>(a >> (b & 31) & 1)};
     }},
};

std::string withWords(const std::string &body, bool readsScc) {
  return "v_readfirstlane_b32 s20, v4\nv_readfirstlane_b32 s21, v5\n"
         "v_readfirstlane_b32 s22, v6\nv_readfirstlane_b32 s23, v7\n" +
         body +
         (readsScc ? "\ns_cselect_b32 s26, 1, 0\nv_mov_b32 v9, s26" : "\nv_mov_b32 v9, s25") +
         "\nv_mov_b32 v8, s24\n";
}

TEST(Scalar, AsPlainCpp) {
  constexpr Words kWords[] = {{0, 0, 0, 0},
                              {1, 2, 3, 4},
                              {0xffffffff, 0, 1, 0},
                              {0x7fffffff, 1, 0x80000000, 0xffffffff},
                              {0x80000000, 0x80000000, 0x80000000, 0x80000000},
                              {0x12345678, 0x9abcdef0, 0x12345678, 0x9abcdef0},
                              {0xfedcba98, 37, 0x0badcafe, 0xffffffff}};
  std::vector<Words> blocks; // a block for each, all of its lanes alike
  for (const Words &words : kWords)
    blocks.insert(blocks.end(), 64, words);
  for (const Case &each : kCases)
    for (const char *chip : {"gfx942", "gfx1100"}) {
      SCOPED_TRACE(std::string(chip) + ": " + each.body);
      const auto values = run(
          chip, withWords(each.body + std::string(each.isWide ? "" : "\ns_mov_b32 s25, 0"), false),
          blocks);
      ASSERT_EQ(values.error, "");
      const bool hasScc = each.want(0, 0, 0, 0).scc >= 0;
      const auto conditions = hasScc ? run(chip, withWords(each.body, true), blocks) : values;
      ASSERT_EQ(conditions.error, "");
      for (std::size_t i = 0; i < blocks.size(); i += 64) {
        const auto [a, b, c, d] = blocks[i];
        const ScalarOutcome want = each.want(a, b, c, d);
        EXPECT_EQ(wide(values.lanes[i][0], values.lanes[i][1]), want.value)
            << std::hex << a << " " << b;
        if (hasScc)
          EXPECT_EQ(conditions.lanes[i][1], static_cast<U>(want.scc)) << std::hex << a << " " << b;
      }
    }
}

TEST(Scalar, LoopsAndBranches) {
  const std::string loop = "s_mov_b32 s24, 0\ns_mov_b32 s25, 0\n"
                           "0:\ns_add_u32 s24, s24, s25\ns_add_u32 s25, s25, 1\n"
                           "s_cmp_lt_u32 s25, 101\ns_cbranch_scc1 0b\ns_branch 1f\n"
                           "s_mov_b32 s24, 0\n1:\nv_mov_b32 v8, s24";
  // Labels are LLVM's: .L names.
  std::string text = loop;
  for (const auto &[from, to] :
       {std::pair{"0b", ".La"}, {"1f", ".Lb"}, {"0:", ".La:"}, {"1:", ".Lb:"}})
    text.replace(text.find(from), 2, to);
  for (const char *chip : kChips)
    EXPECT_EQ(v8(chip, text, {}), 5050u);
}

// EXEC: lanes below 10 add, the others do nothing; then all again.
TEST(Scalar, ExecSwitchesLanes) {
  const std::string wave64 = "v_cmp_gt_u32 vcc, 10, v0\ns_and_saveexec_b64 s[20:21], vcc\n"
                             "v_add_u32 v8, v0, v4\ns_xor_b64 exec, exec, s[20:21]\n"
                             "v_mov_b32 v8, 7\ns_mov_b64 exec, s[20:21]\nv_add_u32 v9, v8, 1";
  const std::string wave32 = "v_cmp_gt_u32 vcc_lo, 10, v0\ns_and_saveexec_b32 s20, vcc_lo\n"
                             "v_add_nc_u32 v8, v0, v4\ns_xor_b32 exec_lo, exec_lo, s20\n"
                             "v_mov_b32 v8, 7\ns_mov_b32 exec_lo, s20\nv_add_nc_u32 v9, v8, 1";
  const std::string cmpx = "s_mov_b32 s20, exec_lo\nv_mov_b32 v8, 7\nv_cmpx_gt_u32 10, v0\n"
                           "v_add_nc_u32 v8, v0, v4\ns_mov_b32 exec_lo, s20\n"
                           "v_add_nc_u32 v9, v8, 1";
  for (const auto &[chip, body] :
       {std::pair{"gfx942", wave64}, {"gfx90a", wave64}, {"gfx1100", wave32}, {"gfx1100", cmpx}}) {
    const auto result = run(chip, body, everywhere({100, 0, 0, 0}));
    ASSERT_EQ(result.error, "");
    for (U lane = 0; lane < 64; ++lane) {
      EXPECT_EQ(result.lanes[lane][0], lane < 10 ? lane + 100 : 7) << chip << " " << lane;
      EXPECT_EQ(result.lanes[lane][1], result.lanes[lane][0] + 1);
    }
  }
}

TEST(Scalar, SkipsWhereNoLaneIsOn) {
  EXPECT_EQ(v8("gfx942",
               "v_mov_b32 v8, 1\nv_cmp_gt_u32 vcc, 0, v0\ns_and_saveexec_b64 s[20:21], vcc\n"
               "s_cbranch_execz .La\nv_mov_b32 v8, 2\n.La:\ns_mov_b64 exec, s[20:21]\n"
               "s_cbranch_vccnz .Lb\nv_add_u32 v8, v8, 4\n.Lb:",
               {}),
            5u);
}

TEST(Scalar, RefusesModes) {
  EXPECT_NE(errorOf("gfx942", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3"), "");
  EXPECT_NE(errorOf("gfx1100", "s_denorm_mode 0"), "");
  EXPECT_NE(errorOf("gfx1100", "s_round_mode 1"), "");
  EXPECT_NE(errorOf("gfx942", "s_sendmsg sendmsg(MSG_INTERRUPT)"), "");
}

TEST(Scalar, RefusesALiteralWhoseExtensionIsNotClear) {
  EXPECT_NE(errorOf("gfx942", "s_mov_b64 s[20:21], 0x80000000"), "");
}

TEST(Scalar, UsesNothingThatNobodyDefined) {
  EXPECT_EQ(errorOf("gfx942", "v_mov_b32 v8, s60"), "stores a value that nobody defined");
  EXPECT_EQ(errorOf("gfx942", "s_cmp_eq_u32 s60, 0\ns_cbranch_scc1 .La\n.La:"),
            "a condition that depends on a value nobody defined");
}

TEST(Scalar, RunsNoLongerThanIsAllowed) {
  EXPECT_EQ(errorOf("gfx942", ".La:\ns_branch .La"), "runs longer than is allowed");
}

TEST(Scalar, StaysWithinItsRegisters) {
  EXPECT_NE(errorOf("gfx942", "v_add_u32 v8, v99, v4").find("beyond the 64 VGPRs"),
            std::string::npos);
}

} // namespace
} // namespace ordo::verify::gcn
