// Loads, stores, LDS, and the waits between.
#include "tests/unit/compiler/verify/gcn/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordo::verify::gcn {
namespace {

using ::testing::HasSubstr;
using U = std::uint32_t;

constexpr std::uint32_t kLds = 1024;

std::string errorIn(const std::string &body) { return errorOf("gfx942", body, kLds); }

std::vector<Results> resultsOf(const std::string &chip, const std::string &body,
                               const std::vector<Words> &words) {
  const auto result = run(chip, body, words, Approximation::Nearest, kLds);
  EXPECT_EQ(result.error, "") << body;
  return result.error.empty() ? result.lanes : std::vector<Results>(words.size());
}

TEST(Memory, LoadsOfEverySize) {
  const Words words = {0x81828384, 0x85868788, 0x11121314, 0x15161718};
  const auto loaded = [&](const std::string &instruction) {
    return resultsOf("gfx942",
                     "v_mov_b32 v8, -1\nv_lshlrev_b32 v20, 4, v0\n" + instruction +
                         "\ns_waitcnt vmcnt(0)",
                     everywhere(words))[3];
  };
  EXPECT_EQ(loaded("global_load_dword v8, v20, s[4:5] offset:4")[0], words[1]);
  EXPECT_EQ(loaded("global_load_dwordx2 v[8:9], v20, s[4:5] offset:8"),
            (Results{words[2], words[3]}));
  EXPECT_EQ(loaded("global_load_ushort v8, v20, s[4:5] offset:2")[0], 0x8182u);
  EXPECT_EQ(loaded("global_load_sshort v8, v20, s[4:5] offset:2")[0], 0xffff8182u);
  EXPECT_EQ(loaded("global_load_ubyte v8, v20, s[4:5] offset:1")[0], 0x83u);
  EXPECT_EQ(loaded("global_load_sbyte v8, v20, s[4:5] offset:1")[0], 0xffffff83u);
  EXPECT_EQ(loaded("global_load_short_d16 v8, v20, s[4:5]")[0], 0xffff8384u);
  EXPECT_EQ(loaded("global_load_short_d16_hi v8, v20, s[4:5]")[0], 0x8384ffffu);
  EXPECT_EQ(loaded("global_load_dword v8, v20, s[4:5] offset:3")[0], 0x86878881u) << "unaligned";
  EXPECT_EQ(loaded("v_mov_b32 v22, s4\nv_mov_b32 v23, s5\nglobal_load_dword v8, v[22:23], off "
                   "offset:12")[0],
            words[3]);
  EXPECT_EQ(loaded("s_load_dwordx2 s[20:21], s[4:5], 0x4\ns_waitcnt lgkmcnt(0)\n"
                   "v_mov_b32 v8, s20\nv_mov_b32 v9, s21"),
            (Results{words[1], words[2]}));
}

TEST(Memory, SharedByLanes) {
  // Each lane reads what lane 63 - lane of the block wrote: across the waves of gfx1100.
  const std::string barrier = "\ns_waitcnt lgkmcnt(0)\ns_barrier\n";
  const std::string gfx9 = "v_lshlrev_b32 v20, 2, v0\nds_write_b32 v20, v4 offset:16" + barrier +
                           "v_sub_u32 v21, 63, v0\nv_lshlrev_b32 v21, 2, v21\n"
                           "ds_read_b32 v8, v21 offset:16";
  const std::string gfx11 = "v_lshlrev_b32 v20, 2, v0\nds_store_b32 v20, v4 offset:16" + barrier +
                            "v_sub_nc_u32 v21, 63, v0\nv_lshlrev_b32 v21, 2, v21\n"
                            "ds_load_b32 v8, v21 offset:16";
  std::vector<Words> words(64);
  for (U lane = 0; lane < 64; ++lane)
    words[lane][0] = 1000 + lane;
  for (const auto &[chip, body] :
       {std::pair{"gfx942", gfx9}, {"gfx90a", gfx9}, {"gfx1100", gfx11}}) {
    const auto results = resultsOf(chip, body, words);
    for (U lane = 0; lane < 64; ++lane)
      EXPECT_EQ(results[lane][0], 1063 - lane) << chip;
  }
}

TEST(Memory, SharedPairsAndWidths) {
  const Words words = {1, 2, 3, 4};
  const std::string write = "v_lshlrev_b32 v20, 4, v0\nds_write_b128 v20, v[4:7]\n"
                            "s_waitcnt lgkmcnt(0)\n";
  const auto read = [&](const std::string &instruction) {
    return resultsOf("gfx942", write + instruction + "\ns_waitcnt lgkmcnt(0)",
                     everywhere(words))[5];
  };
  EXPECT_EQ(read("ds_read2_b32 v[8:9], v20 offset0:3 offset1:1"), (Results{4, 2}));
  EXPECT_EQ(read("ds_read_b64 v[8:9], v20 offset:8"), (Results{3, 4}));
  EXPECT_EQ(read("ds_read_u16 v8, v20 offset:4")[0], 2u);
  EXPECT_EQ(read("ds_write2_b32 v20, v7, v6 offset0:0 offset1:1\nds_read_b64 v[8:9], v20"),
            (Results{4, 3}));
  EXPECT_EQ(read("v_mov_b32 v8, v20\nds_read2st64_b32 v[8:9], v8 offset0:0 offset1:0"),
            (Results{1, 1}))
      << "the address lies in what is loaded";
}

TEST(Memory, RegistersWaitForTheirLoads) {
  EXPECT_THAT(errorIn("global_load_dword v8, v2, s[4:5]\nv_add_u32 v9, v8, v8"),
              HasSubstr("uses register v8 before the wait for its load"));
  EXPECT_THAT(errorIn("global_load_dword v8, v2, s[4:5]\nv_mov_b32 v8, 0"), HasSubstr("v8"));
  EXPECT_THAT(errorIn("global_load_dword v8, v2, s[4:5]\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v9, v8"),
              HasSubstr("v8"));
  EXPECT_THAT(errorIn("global_load_ushort v8, v2, s[4:5]\nv_mov_b32 v9, v8"), HasSubstr("v8"));
  EXPECT_THAT(errorIn("s_load_dword s20, s[4:5], 0x0\ns_mov_b32 s21, s20"), HasSubstr("s20"));
  EXPECT_THAT(errorIn("v_mov_b32 v20, 0\nds_bpermute_b32 v8, v20, v4\nv_mov_b32 v9, v8"),
              HasSubstr("v8"));
  // The older one has come, the younger one has not.
  const std::string two = "global_load_dword v8, v2, s[4:5]\nglobal_load_dword v9, v2, s[4:5]\n"
                          "s_waitcnt vmcnt(1)\n";
  EXPECT_EQ(errorIn(two + "v_mov_b32 v20, v8"), "");
  EXPECT_THAT(errorIn(two + "v_mov_b32 v20, v9"), HasSubstr("v9"));
  // Two elements, one access.
  const std::string pair = "v_lshlrev_b32 v20, 3, v0\nds_write_b64 v20, v[4:5]\n"
                           "ds_read2_b32 v[22:23], v20 offset0:0 offset1:1\n"
                           "ds_read_b32 v24, v20\ns_waitcnt lgkmcnt(1)\n";
  EXPECT_EQ(errorIn(pair + "v_mov_b32 v8, v23"), "");
  EXPECT_THAT(errorIn(pair + "v_mov_b32 v8, v24"), HasSubstr("v24"));
  // Scalar loads come in any order.
  EXPECT_THAT(errorIn("s_load_dword s20, s[4:5], 0x0\ns_load_dword s21, s[4:5], 0x4\n"
                      "s_waitcnt lgkmcnt(1)\nv_mov_b32 v8, s20"),
              HasSubstr("s20"));
}

TEST(Memory, BarriersNeedTheWaitBefore) {
  EXPECT_THAT(errorIn("v_lshlrev_b32 v20, 2, v0\nds_write_b32 v20, v4\ns_barrier"),
              HasSubstr("before the wait for an access to shared memory"));
  EXPECT_THAT(errorIn("v_lshlrev_b32 v20, 2, v0\nds_write_b32 v20, v4\ns_waitcnt lgkmcnt(0)\n"
                      "ds_read_b32 v8, v20\ns_barrier"),
              HasSubstr("before the wait for an access to shared memory"));
}

TEST(Memory, RacesBetweenWaves) {
  const std::string body = "v_lshlrev_b32 v20, 2, v0\nds_store_b32 v20, v4\n"
                           "s_waitcnt lgkmcnt(0)\n{}v_xor_b32 v20, 0x80, v20\n"
                           "ds_load_b32 v8, v20\ns_waitcnt lgkmcnt(0)";
  const auto with = [&](const std::string &between) {
    std::string text = body;
    text.replace(text.find("{}"), 2, between);
    return errorOf("gfx1100", text, kLds);
  };
  EXPECT_EQ(with("s_barrier\n"), "");
  EXPECT_NE(with(""), "");
}

TEST(Memory, WhatIsOutOfBounds) {
  EXPECT_THAT(errorIn("v_mov_b32 v20, 0x100000\nglobal_load_dword v8, v20, s[4:5]"),
              HasSubstr("words"));
  EXPECT_THAT(errorIn("v_mov_b32 v20, 0\nglobal_store_dword v20, v4, s[4:5]"),
              HasSubstr("which is only read"));
  EXPECT_THAT(errorIn("v_mov_b32 v20, 0\nglobal_store_dword v20, v4, s[6:7]"),
              HasSubstr("stored before"));
  EXPECT_THAT(errorIn("v_mov_b32 v20, 0x400\nds_write_b32 v20, v4"), HasSubstr("1024"));
  EXPECT_THAT(errorIn("v_mov_b32 v20, 2\nds_write_b32 v20, v4"), HasSubstr("not a multiple"));
  EXPECT_THAT(errorIn("v_lshlrev_b32 v20, 2, v0\nds_read_b32 v8, v20\ns_waitcnt lgkmcnt(0)"),
              HasSubstr("no thread has written"));
}

TEST(Memory, WhatIsNotModelled) {
  for (const char *body :
       {"global_atomic_add v20, v4, s[6:7]", "ds_add_u32 v20, v4", "flat_load_dword v8, v[4:5]",
        "buffer_load_dword v8, off, s[20:23], 0", "scratch_load_dword v8, v20, off",
        "s_swappc_b64 s[20:21], s[22:23]", "v_mfma_f32_4x4x1f32 a[0:3], v4, v5, a[0:3]"})
    EXPECT_THAT(errorIn(body), HasSubstr("not modelled")) << body;
}

} // namespace
} // namespace ordo::verify::gcn
