// What lanes give each other.
#include "tests/unit/compiler/verify/gcn/run.h"

#include <gtest/gtest.h>

namespace ordo::verify::gcn {
namespace {

using U = std::uint32_t;

/// v8 of every lane; v4 holds 100 + the lane's number.
std::vector<U> lanes(const std::string &chip, const std::string &body) {
  std::vector<Words> words(64);
  for (U lane = 0; lane < 64; ++lane)
    words[lane] = {100 + lane, 0, 0, 0};
  const auto result = run(chip, body, words);
  EXPECT_EQ(result.error, "") << body;
  std::vector<U> values;
  for (const Results &each : result.lanes)
    values.push_back(each[0]);
  values.resize(64);
  return values;
}

template <class From> void expectFrom(const std::string &chip, const std::string &body, From from) {
  const std::vector<U> got = lanes(chip, body);
  for (int lane = 0; lane < 64; ++lane)
    EXPECT_EQ(got[static_cast<std::size_t>(lane)], static_cast<U>(from(lane)))
        << chip << ": " << body << ", lane " << lane;
}

TEST(Lanes, Permute) {
  const std::string body = "v_lshlrev_b32 v20, 2, v0\nv_xor_b32 v20, 20, v20\n"
                           "ds_bpermute_b32 v8, v20, v4\ns_waitcnt lgkmcnt(0)";
  for (const char *chip : kChips)
    expectFrom(chip, body, [](int lane) { return 100 + (lane ^ 5); });
}

// Lane 3 is off: who asks for it gets 0, and it keeps what it has.
TEST(Lanes, PermuteFromALaneThatIsOff) {
  expectFrom("gfx942",
             "v_mov_b32 v8, 9\nv_lshlrev_b32 v20, 2, v0\nv_xor_b32 v20, 4, v20\n"
             "v_cmp_ne_u32 vcc, 3, v0\ns_and_saveexec_b64 s[20:21], vcc\n"
             "ds_bpermute_b32 v8, v20, v4\ns_waitcnt lgkmcnt(0)\ns_mov_b64 exec, s[20:21]",
             [](int lane) { return lane == 3   ? 9
                                   : lane == 2 ? 0
                                               : 100 + (lane ^ 1); });
}

TEST(Lanes, Swizzle) {
  for (const char *chip : {"gfx942", "gfx1100"}) {
    expectFrom(chip, "ds_swizzle_b32 v8, v4 offset:swizzle(SWAP,16)\ns_waitcnt lgkmcnt(0)",
               [](int lane) { return 100 + (lane ^ 16); });
    expectFrom(chip,
               "ds_swizzle_b32 v8, v4 offset:swizzle(QUAD_PERM,3,1,0,2)\ns_waitcnt lgkmcnt(0)",
               [](int lane) {
                 return 100 + (lane & ~3) +
                        (lane % 4 == 0   ? 3
                         : lane % 4 == 1 ? 1
                         : lane % 4 == 2 ? 0
                                         : 2);
               });
    expectFrom(chip,
               "ds_swizzle_b32 v8, v4 offset:swizzle(BITMASK_PERM,\"0pip1\")\n"
               "s_waitcnt lgkmcnt(0)",
               [](int lane) {
                 return 100 + (lane & ~31) + ((lane & 8) | ((lane & 4) ^ 4) | (lane & 2) | 1);
               });
  }
}

TEST(Lanes, DataParallelMoves) {
  const auto move = [](const std::string &control) {
    return "v_mov_b32 v8, 9\nv_mov_b32_dpp v8, v4 " + control;
  };
  const std::string all = " row_mask:0xf bank_mask:0xf";
  for (const char *chip : kChips) {
    expectFrom(chip, move("quad_perm:[1,0,3,2]" + all), [](int lane) { return 100 + (lane ^ 1); });
    expectFrom(chip, move("row_shl:1" + all),
               [](int lane) { return lane % 16 == 15 ? 9 : 101 + lane; });
    expectFrom(chip, move("row_shr:3" + all),
               [](int lane) { return lane % 16 < 3 ? 9 : 97 + lane; });
    expectFrom(chip, move("row_shr:3" + all + " bound_ctrl:1"),
               [](int lane) { return lane % 16 < 3 ? 0 : 97 + lane; });
    expectFrom(chip, move("row_ror:4" + all),
               [](int lane) { return 100 + (lane & ~15) + ((lane - 4) & 15); });
    expectFrom(chip, move("row_mirror" + all), [](int lane) { return 100 + (lane ^ 15); });
    expectFrom(chip, move("row_half_mirror" + all), [](int lane) { return 100 + (lane ^ 7); });
    expectFrom(chip, move("row_mirror row_mask:0x1 bank_mask:0x3"), [&](int lane) {
      const int inWave = std::string(chip) == "gfx1100" ? lane % 32 : lane;
      return inWave < 8 ? 100 + (lane ^ 15) : 9;
    });
  }
  expectFrom("gfx942", move("row_bcast:15" + all),
             [](int lane) { return lane < 16 ? 9 : 100 + lane / 16 * 16 - 1; });
  expectFrom("gfx942", move("row_bcast:31" + all), [](int lane) { return lane < 32 ? 9 : 131; });
  expectFrom("gfx1100", move("row_share:5" + all), [](int lane) { return 100 + (lane & ~15) + 5; });
  expectFrom("gfx1100", move("row_xmask:10" + all), [](int lane) { return 100 + (lane ^ 10); });
}

TEST(Lanes, DataParallelArithmetic) {
  expectFrom("gfx942",
             "v_mov_b32 v20, 1\nv_mov_b32 v8, 9\n"
             "v_add_u32_dpp v8, v4, v20 row_shl:1 row_mask:0xf bank_mask:0xf",
             [](int lane) { return lane % 16 == 15 ? 9 : 102 + lane; });
}

TEST(Lanes, ReadAndWrite) {
  for (const char *chip : kChips)
    expectFrom(chip, "v_readlane_b32 s20, v4, 7\nv_mov_b32 v8, s20\nv_writelane_b32 v8, 3, 5",
               [&](int lane) {
                 const int wave = std::string(chip) == "gfx1100" ? lane / 32 * 32 : 0;
                 return lane - wave == 5 ? 3 : 107 + wave;
               });
  expectFrom("gfx942",
             "v_cmp_lt_u32 vcc, 8, v0\ns_and_saveexec_b64 s[20:21], vcc\n"
             "v_readfirstlane_b32 s22, v4\ns_mov_b64 exec, s[20:21]\nv_mov_b32 v8, s22",
             [](int) { return 109; });
}

TEST(Lanes, CountsBelow) {
  expectFrom("gfx942", "v_mbcnt_lo_u32_b32 v8, -1, 0\nv_mbcnt_hi_u32_b32 v8, -1, v8",
             [](int lane) { return lane; });
  expectFrom("gfx1100", "v_mbcnt_lo_u32_b32 v8, -1, 5", [](int lane) { return lane % 32 + 5; });
}

TEST(Lanes, WhatIsNotModelled) {
  EXPECT_NE(errorOf("gfx1100", "v_mov_b32_dpp v8, v4 dpp8:[7,6,5,4,3,2,1,0]"), "");
  EXPECT_NE(errorOf("gfx942", "ds_permute_b32 v8, v4, v5"), "");
  EXPECT_NE(errorOf("gfx1100", "v_permlane16_b32 v8, v4, s20, s21"), "");
}

} // namespace
} // namespace ordo::verify::gcn
