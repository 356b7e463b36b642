// The vector unit's integers against plain C++.
#include "tests/unit/compiler/verify/gcn/run.h"

#include <bit>
#include <gtest/gtest.h>
#include <random>

namespace ordo::verify::gcn {
namespace {

using U = std::uint32_t;
using S = std::int32_t;
using L = std::uint64_t;

struct Case {
  const char *gfx9, *gfx11; // the instruction; null: this chip has none
  L (*want)(U a, U b, U c, U d);
};

S s(U value) { return static_cast<S>(value); }
S s24(U value) { return static_cast<S>(value << 8) >> 8; }

/// Byte `selector` of b (0 … 3), a (4 … 7), or zero (12).
U permuted(U a, U b, U selector) {
  const L both = L{a} << 32 | b;
  U result = 0;
  for (int k = 0; k < 4; ++k) {
    const U which = selector >> (8 * k) & 255;
    result |= static_cast<U>(which == 12 ? 0 : both >> (8 * which) & 255) << (8 * k);
  }
  return result;
}

constexpr Case kCases[] = {
    {"v_add_u32 v8, v4, v5", "v_add_nc_u32 v8, v4, v5", [](U a, U b, U, U) -> L { return a + b; }},
    {"v_sub_u32 v8, v4, v5", "v_sub_nc_u32 v8, v4, v5", [](U a, U b, U, U) -> L { return a - b; }},
    {"v_subrev_u32 v8, v4, v5", "v_subrev_nc_u32 v8, v4, v5",
     [](U a, U b, U, U) -> L { return b - a; }},
    {"v_mul_lo_u32 v8, v4, v5", "v_mul_lo_u32 v8, v4, v5",
     [](U a, U b, U, U) -> L { return a * b; }},
    {"v_mul_hi_u32 v8, v4, v5", "v_mul_hi_u32 v8, v4, v5",
     [](U a, U b, U, U) -> L { return L{a} * b >> 32; }},
    {"v_mul_hi_i32 v8, v4, v5", "v_mul_hi_i32 v8, v4, v5",
     [](U a, U b, U, U) -> L { return static_cast<U>(std::int64_t{s(a)} * s(b) >> 32); }},
    {"v_mul_u32_u24 v8, v4, v5", "v_mul_u32_u24 v8, v4, v5",
     [](U a, U b, U, U) -> L { return (a & 0xffffff) * (b & 0xffffff); }},
    {"v_mul_i32_i24 v8, v4, v5", "v_mul_i32_i24 v8, v4, v5",
     [](U a, U b, U, U) -> L {
       return static_cast<U>(static_cast<L>(std::int64_t{s24(a)} * s24(b)));
     }},
    {"v_mad_u32_u24 v8, v4, v5, v6", "v_mad_u32_u24 v8, v4, v5, v6",
     [](U a, U b, U c, U) -> L { return (a & 0xffffff) * (b & 0xffffff) + c; }},
    {"v_and_b32 v8, v4, v5", "v_and_b32 v8, v4, v5", [](U a, U b, U, U) -> L { return a & b; }},
    {"v_or_b32 v8, v4, v5", "v_or_b32 v8, v4, v5", [](U a, U b, U, U) -> L { return a | b; }},
    {"v_xor_b32 v8, v4, v5", "v_xor_b32 v8, v4, v5", [](U a, U b, U, U) -> L { return a ^ b; }},
    {"v_xnor_b32 v8, v4, v5", "v_xnor_b32 v8, v4, v5",
     [](U a, U b, U, U) -> L { return ~(a ^ b); }},
    {"v_not_b32 v8, v4", "v_not_b32 v8, v4", [](U a, U, U, U) -> L { return ~a; }},
    {"v_min_i32 v8, v4, v5", "v_min_i32 v8, v4, v5",
     [](U a, U b, U, U) -> L { return s(a) < s(b) ? a : b; }},
    {"v_max_i32 v8, v4, v5", "v_max_i32 v8, v4, v5",
     [](U a, U b, U, U) -> L { return s(a) < s(b) ? b : a; }},
    {"v_min_u32 v8, v4, v5", "v_min_u32 v8, v4, v5",
     [](U a, U b, U, U) -> L { return a < b ? a : b; }},
    {"v_max_u32 v8, v4, v5", "v_max_u32 v8, v4, v5",
     [](U a, U b, U, U) -> L { return a < b ? b : a; }},
    {"v_lshlrev_b32 v8, v5, v4", "v_lshlrev_b32 v8, v5, v4",
     [](U a, U b, U, U) -> L { return a << (b & 31); }},
    {"v_lshrrev_b32 v8, v5, v4", "v_lshrrev_b32 v8, v5, v4",
     [](U a, U b, U, U) -> L { return a >> (b & 31); }},
    {"v_ashrrev_i32 v8, v5, v4", "v_ashrrev_i32 v8, v5, v4",
     [](U a, U b, U, U) -> L { return static_cast<U>(s(a) >> (b & 31)); }},
    {"v_lshlrev_b64 v[8:9], v6, v[4:5]", "v_lshlrev_b64 v[8:9], v6, v[4:5]",
     [](U a, U b, U c, U) -> L { return (L{b} << 32 | a) << (c & 63); }},
    {"v_lshrrev_b64 v[8:9], v6, v[4:5]", "v_lshrrev_b64 v[8:9], v6, v[4:5]",
     [](U a, U b, U c, U) -> L { return (L{b} << 32 | a) >> (c & 63); }},
    {"v_bfe_u32 v8, v4, v5, v6", "v_bfe_u32 v8, v4, v5, v6",
     [](U a, U b, U c, U) -> L { return (L{a} >> (b & 31)) & ((L{1} << (c & 31)) - 1); }},
    {"v_bfe_i32 v8, v4, 5, 7", "v_bfe_i32 v8, v4, 5, 7",
     [](U a, U, U, U) -> L { return static_cast<U>(s(a << 20) >> 25); }},
    {"v_bfi_b32 v8, v4, v5, v6", "v_bfi_b32 v8, v4, v5, v6",
     [](U a, U b, U c, U) -> L { return (a & b) | (~a & c); }},
    {"v_alignbit_b32 v8, v4, v5, v6", "v_alignbit_b32 v8, v4, v5, v6",
     [](U a, U b, U c, U) -> L { return static_cast<U>((L{a} << 32 | b) >> (c & 31)); }},
    {"v_alignbyte_b32 v8, v4, v5, v6", "v_alignbyte_b32 v8, v4, v5, v6",
     [](U a, U b, U c, U) -> L { return static_cast<U>((L{a} << 32 | b) >> (8 * (c & 3))); }},
    {"v_bfrev_b32 v8, v4", "v_bfrev_b32 v8, v4",
     [](U a, U, U, U) -> L {
       U result = 0;
       for (int k = 0; k < 32; ++k)
         result |= (a >> k & 1) << (31 - k);
       return result;
     }},
    {"v_ffbh_u32 v8, v4", "v_clz_i32_u32 v8, v4",
     [](U a, U, U, U) -> L { return a == 0 ? ~U{0} : static_cast<U>(std::countl_zero(a)); }},
    {"v_ffbh_i32 v8, v4", "v_cls_i32 v8, v4",
     [](U a, U, U, U) -> L {
       const U other = s(a) < 0 ? ~a : a;
       return other == 0 ? ~U{0} : static_cast<U>(std::countl_zero(other));
     }},
    {"v_ffbl_b32 v8, v4", "v_ctz_i32_b32 v8, v4",
     [](U a, U, U, U) -> L { return a == 0 ? ~U{0} : static_cast<U>(std::countr_zero(a)); }},
    {"v_bcnt_u32_b32 v8, v4, v5", "v_bcnt_u32_b32 v8, v4, v5",
     [](U a, U b, U, U) -> L { return static_cast<U>(std::popcount(a)) + b; }},
    {"v_add3_u32 v8, v4, v5, v6", "v_add3_u32 v8, v4, v5, v6",
     [](U a, U b, U c, U) -> L { return a + b + c; }},
    {"v_lshl_add_u32 v8, v4, v5, v6", "v_lshl_add_u32 v8, v4, v5, v6",
     [](U a, U b, U c, U) -> L { return (a << (b & 31)) + c; }},
    {"v_add_lshl_u32 v8, v4, v5, v6", "v_add_lshl_u32 v8, v4, v5, v6",
     [](U a, U b, U c, U) -> L { return (a + b) << (c & 31); }},
    {"v_lshl_or_b32 v8, v4, v5, v6", "v_lshl_or_b32 v8, v4, v5, v6",
     [](U a, U b, U c, U) -> L { return (a << (b & 31)) | c; }},
    {"v_and_or_b32 v8, v4, v5, v6", "v_and_or_b32 v8, v4, v5, v6",
     [](U a, U b, U c, U) -> L { return (a & b) | c; }},
    {"v_or3_b32 v8, v4, v5, v6", "v_or3_b32 v8, v4, v5, v6",
     [](U a, U b, U c, U) -> L { return a | b | c; }},
    {"v_xad_u32 v8, v4, v5, v6", "v_xad_u32 v8, v4, v5, v6",
     [](U a, U b, U c, U) -> L { return (a ^ b) + c; }},
    {"v_mad_u64_u32 v[8:9], vcc, v4, v5, v[6:7]", "v_mad_u64_u32 v[8:9], null, v4, v5, v[6:7]",
     [](U a, U b, U c, U d) -> L { return L{a} * b + (L{d} << 32 | c); }},
    {"v_mad_i64_i32 v[8:9], vcc, v4, v5, v[6:7]", "v_mad_i64_i32 v[8:9], null, v4, v5, v[6:7]",
     [](U a, U b, U c, U d) -> L {
       return static_cast<L>(std::int64_t{s(a)} * s(b)) + (L{d} << 32 | c);
     }},
    {"v_add_co_u32 v8, vcc, v4, v6\nv_addc_co_u32 v9, vcc, v5, v7, vcc",
     "v_add_co_u32 v8, vcc_lo, v4, v6\nv_add_co_ci_u32 v9, vcc_lo, v5, v7, vcc_lo",
     [](U a, U b, U c, U d) -> L { return (L{b} << 32 | a) + (L{d} << 32 | c); }},
    {"v_sub_co_u32 v8, vcc, v4, v6\nv_subb_co_u32 v9, vcc, v5, v7, vcc",
     "v_sub_co_u32 v8, vcc_lo, v4, v6\nv_sub_co_ci_u32 v9, vcc_lo, v5, v7, vcc_lo",
     [](U a, U b, U c, U d) -> L { return (L{b} << 32 | a) - (L{d} << 32 | c); }},
    {"v_subrev_co_u32 v8, vcc, v4, v6", "v_subrev_co_u32 v8, vcc_lo, v4, v6",
     [](U a, U, U c, U) -> L { return c - a; }},
    {"s_mov_b32 s20, 0x07060302\nv_perm_b32 v8, v4, v5, s20", "v_perm_b32 v8, v4, v5, 0x07060302",
     [](U a, U b, U, U) -> L { return permuted(a, b, 0x07060302); }},
    {"s_mov_b32 s20, 0x0c050c01\nv_perm_b32 v8, v4, v5, s20", "v_perm_b32 v8, v4, v5, 0x0c050c01",
     [](U a, U b, U, U) -> L { return permuted(a, b, 0x0c050c01); }},
    {"v_pack_b32_f16 v8, v4, v5", "v_pack_b32_f16 v8, v4, v5",
     [](U a, U b, U, U) -> L { return (a & 0xffff) | b << 16; }},
    {"v_pack_b32_f16 v8, v4, v5 op_sel:[1,0]", "v_pack_b32_f16 v8, v4, v5 op_sel:[1,0]",
     [](U a, U b, U, U) -> L { return a >> 16 | b << 16; }},
    {"v_cmp_lt_i32 vcc, v4, v5\nv_cndmask_b32 v8, v6, v7, vcc",
     "v_cmp_lt_i32 vcc_lo, v4, v5\nv_cndmask_b32 v8, v6, v7, vcc_lo",
     [](U a, U b, U c, U d) -> L { return s(a) < s(b) ? d : c; }},
    {"v_cmp_ge_u64 s[20:21], v[4:5], v[6:7]\nv_cndmask_b32 v8, 1, 2, s[20:21]",
     "v_cmp_ge_u64 s20, v[4:5], v[6:7]\nv_cndmask_b32 v8, 1, 2, s20",
     [](U a, U b, U c, U d) -> L { return (L{b} << 32 | a) >= (L{d} << 32 | c) ? 2 : 1; }},
    {"v_add_u32_sdwa v8, v4, v5 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 "
     "src1_sel:BYTE_2",
     nullptr, [](U a, U b, U, U) -> L { return (a >> 16) + (b >> 16 & 255); }},
    {"v_add_u32_sdwa v8, sext(v4), v5 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 "
     "src1_sel:DWORD",
     nullptr, [](U a, U b, U, U) -> L { return static_cast<U>(s(a) >> 24) + b; }},
    {"v_mov_b32 v8, v6\nv_lshlrev_b32_sdwa v8, v5, v4 dst_sel:WORD_1 "
     "dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:WORD_0",
     nullptr,
     [](U a, U b, U c,
        U) -> L { return (c & 0xffff) | (((a & 0xffff) << (b & 31)) & 0xffff) << 16; }},
    {"v_lshl_add_u64 v[8:9], v[4:5], 3, v[6:7]", nullptr,
     [](U a, U b, U c, U d) -> L { return ((L{b} << 32 | a) << 3) + (L{d} << 32 | c); }},
    {"v_pk_mov_b32 v[8:9], v[4:5], v[6:7] op_sel:[1,0]", nullptr,
     [](U, U b, U c, U) -> L { return L{c} << 32 | b; }},
    {nullptr, "v_dual_mov_b32 v8, v5 :: v_dual_add_nc_u32 v9, v4, v7",
     [](U a, U b, U, U d) -> L { return L{a + d} << 32 | b; }},
    // The pair reads before it writes: an exchange.
    {nullptr, "v_mov_b32 v8, v4\nv_mov_b32 v9, v5\nv_dual_mov_b32 v8, v9 :: v_dual_mov_b32 v9, v8",
     [](U a, U b, U, U) -> L { return L{a} << 32 | b; }},
};

std::vector<Words> samples() {
  std::vector<Words> all;
  constexpr U kCorners[] = {0, 1, 31, 0x7fffffff, 0x80000000, 0xffffffff, 0x00ff00ff, 0xfffe0001};
  for (const U a : kCorners)
    for (const U b : kCorners)
      all.push_back({a, b, a ^ b, b + 1});
  std::mt19937 random(1);
  for (int i = 0; i < 192; ++i)
    all.push_back({static_cast<U>(random()), static_cast<U>(random()), static_cast<U>(random()),
                   static_cast<U>(random())});
  return all;
}

TEST(Integer, AsPlainCpp) {
  const std::vector<Words> words = samples();
  for (const Case &each : kCases)
    for (const std::string chip : kChips) {
      const char *body = chip == "gfx1100" ? each.gfx11 : each.gfx9;
      if (body == nullptr || (chip == "gfx90a" && std::string(body).starts_with("v_lshl_add_u64")))
        continue;
      const auto result = run(chip, body, words);
      ASSERT_EQ(result.error, "") << chip << ": " << body;
      for (std::size_t i = 0; i < words.size(); ++i) {
        const auto [a, b, c, d] = words[i];
        const L got = result.lanes[i][0] | L{result.lanes[i][1]} << 32;
        ASSERT_EQ(got, each.want(a, b, c, d)) << std::hex << chip << ": " << body << " of " << a
                                              << ", " << b << ", " << c << ", " << d;
      }
    }
}

// LLVM multiplies so for the low half, and leaves the high half of the addend as it was.
TEST(Integer, WhatNobodyWroteDoesNotSpreadToTheLowHalf) {
  const std::string body = "v_mov_b32 v30, v6\nv_mad_u64_u32 v[30:31], vcc, v4, v5, v[30:31]\n";
  EXPECT_EQ(v8("gfx942", body + "v_mov_b32 v8, v30", {3, 5, 7, 0}), 22u);
  EXPECT_EQ(errorOf("gfx942", body + "v_mov_b32 v8, v31"), "stores a value that nobody defined");
}

TEST(Integer, RefusesWhatSaturates) {
  EXPECT_NE(errorOf("gfx942", "v_add_u32 v8, v4, v5 clamp").find("modifier clamp"),
            std::string::npos);
}

TEST(Integer, TrapsOnSelectorsThatAreNotModelled) {
  EXPECT_EQ(errorOf("gfx942", "s_mov_b32 s20, 0x0d000000\nv_perm_b32 v8, v4, v5, s20"),
            "a trap is reached");
}

} // namespace
} // namespace ordo::verify::gcn
