// Runs a few AMDGCN instructions on every lane's own words.
#pragma once

#include "compiler/verify/machine/concrete.h"
#include "tests/unit/compiler/verify/gcn/assemble.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ordo::verify::gcn {

using Words = std::array<std::uint32_t, 4>;   // v4 … v7 of a lane, before
using Results = std::array<std::uint32_t, 2>; // v8, v9, after

struct Outcome {
  std::string error; // of the reader or of the machine; empty when it went well
  std::vector<Results> lanes;
};

/// Runs `body` in blocks of 64 lanes, one for each of `lanes` (a multiple of 64). Before it, v0 is
/// the lane's number in its block, v4 … v7 its words, v8 and v9 zero, s[4:5] points to all words;
/// v[20:63], s[16:63], vcc and exec are the body's to use. What is in v8 and v9 after it comes
/// back.
Outcome run(const std::string &chip, const std::string &body, const std::vector<Words> &lanes,
            Approximation within = Approximation::Nearest, std::uint32_t ldsBytes = 0);

/// 64 lanes with the same words.
std::vector<Words> everywhere(Words words);

/// The first lane's v8 for the words in every lane, or fails the test.
std::uint32_t v8(const std::string &chip, const std::string &body, Words words);
/// v8 and v9.
std::uint64_t v8v9(const std::string &chip, const std::string &body, Words words);
/// The error, or "" where it ran.
std::string errorOf(const std::string &chip, const std::string &body, std::uint32_t ldsBytes = 0);

// What gfx942 gets, the registers renamed. In f32 v8 = v4 / v5 and, by LLVM 19, v8 = sqrt(v4).
inline constexpr const char *kDivide32 = R"(
v_div_scale_f32 v20, s[20:21], v5, v5, v4
v_rcp_f32 v21, v20
v_div_scale_f32 v22, vcc, v4, v5, v4
v_fma_f32 v23, -v20, v21, 1.0
v_fmac_f32 v21, v21, v23
v_fma_f32 v23, -v20, v21, 1.0
v_mul_f32 v23, 0x4b800000, v23
v_trunc_f32 v23, v23
v_mul_f32 v23, 0x34000000, v23
v_fmac_f32 v21, v21, v23
v_mul_f32 v23, v22, v21
v_fma_f32 v24, -v20, v23, v22
v_fmac_f32 v23, v24, v21
v_fma_f32 v20, -v20, v23, v22
v_div_fmas_f32 v20, v20, v21, v23
v_div_fixup_f32 v8, v20, v5, v4)";
inline constexpr const char *kRoot32 = R"(
v_mov_b32 v20, 0xf800000
v_mul_f32 v21, 0x4f800000, v4
v_mov_b32 v23, 0x260
v_cmp_lt_f32 vcc, v4, v20
v_cndmask_b32 v20, v4, v21, vcc
v_sqrt_f32 v21, v20
v_add_u32 v24, -1, v21
v_add_u32 v25, 1, v21
v_fma_f32 v26, -v24, v21, v20
v_fma_f32 v27, -v25, v21, v20
v_cmp_ge_f32 s[20:21], 0, v26
v_cndmask_b32 v21, v21, v24, s[20:21]
v_cmp_lt_f32 s[20:21], 0, v27
v_cndmask_b32 v21, v21, v25, s[20:21]
v_mul_f32 v24, 0x37800000, v21
v_cndmask_b32 v21, v21, v24, vcc
v_cmp_class_f32 vcc, v20, v23
v_cndmask_b32 v8, v21, v20, vcc)";

// In f64 v[8:9] = v[4:5] / v[6:7] and v[8:9] = sqrt(v[4:5]).
inline constexpr const char *kDivide64 = R"(
v_div_scale_f64 v[20:21], s[20:21], v[6:7], v[6:7], v[4:5]
v_rcp_f64 v[22:23], v[20:21]
v_div_scale_f64 v[24:25], vcc, v[4:5], v[6:7], v[4:5]
v_fma_f64 v[26:27], -v[20:21], v[22:23], 1.0
v_fmac_f64 v[22:23], v[22:23], v[26:27]
v_fma_f64 v[26:27], -v[20:21], v[22:23], 1.0
v_fmac_f64 v[22:23], v[22:23], v[26:27]
v_fma_f64 v[26:27], -v[20:21], v[22:23], 1.0
v_fmac_f64 v[22:23], v[22:23], v[26:27]
v_fma_f64 v[26:27], -v[20:21], v[22:23], 1.0
v_ldexp_f64 v[26:27], v[26:27], 53
v_trunc_f64 v[26:27], v[26:27]
s_movk_i32 s22, 0xffcc
v_ldexp_f64 v[26:27], v[26:27], s22
v_fmac_f64 v[22:23], v[22:23], v[26:27]
v_mul_f64 v[26:27], v[24:25], v[22:23]
v_fma_f64 v[28:29], -v[20:21], v[26:27], v[24:25]
v_fmac_f64 v[26:27], v[28:29], v[22:23]
v_fma_f64 v[20:21], -v[20:21], v[26:27], v[24:25]
v_div_fmas_f64 v[20:21], v[20:21], v[22:23], v[26:27]
v_div_fixup_f64 v[8:9], v[20:21], v[6:7], v[4:5])";
inline constexpr const char *kRoot64 = R"(
s_mov_b32 s20, 0
s_mov_b32 s21, 0x10000000
v_cmp_gt_f64 vcc, s[20:21], v[4:5]
v_mov_b32 v20, 0x3ff00000
v_mov_b32 v21, 0x4ff00000
v_mov_b32 v22, 0
v_cndmask_b32 v23, v20, v21, vcc
v_mul_f64 v[24:25], v[4:5], v[22:23]
v_mov_b32 v21, 0x37f00000
v_cndmask_b32 v23, v20, v21, vcc
v_rsq_f64 v[26:27], v[24:25]
v_mul_f64 v[28:29], v[24:25], v[26:27]
v_mul_f64 v[26:27], v[26:27], 0.5
v_fma_f64 v[30:31], -v[26:27], v[28:29], 0.5
v_fmac_f64 v[28:29], v[28:29], v[30:31]
v_fmac_f64 v[26:27], v[26:27], v[30:31]
v_fma_f64 v[30:31], -v[28:29], v[28:29], v[24:25]
v_fmac_f64 v[28:29], v[30:31], v[26:27]
s_mov_b32 s20, 1
s_mov_b32 s21, 0xbca00000
v_fma_f64 v[26:27], v[28:29], s[20:21], v[28:29]
s_mov_b32 s21, 0x3ca00000
v_fma_f64 v[30:31], v[28:29], s[20:21], v[28:29]
v_fma_f64 v[32:33], -v[26:27], v[28:29], v[24:25]
v_fma_f64 v[34:35], -v[30:31], v[28:29], v[24:25]
v_cmp_ge_f64 vcc, 0, v[32:33]
v_cndmask_b32 v28, v28, v26, vcc
v_cndmask_b32 v29, v29, v27, vcc
v_cmp_lt_f64 vcc, 0, v[34:35]
v_cndmask_b32 v28, v28, v30, vcc
v_cndmask_b32 v29, v29, v31, vcc
v_mov_b32 v26, 0x260
v_cmp_class_f64 vcc, v[24:25], v26
v_cndmask_b32 v28, v28, v24, vcc
v_cndmask_b32 v29, v29, v25, vcc
v_mul_f64 v[8:9], v[28:29], v[22:23])";

/// The three chips.
inline const std::array kChips = {"gfx90a", "gfx942", "gfx1100"};

} // namespace ordo::verify::gcn
