// The changes of AMDGCN that are another word in an opcode, or another mode of the descriptor.
#pragma once

#include "tests/mutation/change.h"

#include <string_view>

namespace ordo::mutation {

/// Where an opcode starts with `opcode`, the first `from` in it becomes `to`.
struct GcnRewrite {
  const char *rule;
  std::string_view opcode, from, to;
};

inline constexpr GcnRewrite kGcnRewrites[] = {
    {rule::kOperation, "v_add_f", "add", "sub"},
    {rule::kOperation, "v_sub_f", "sub", "add"},
    {rule::kOperation, "v_mul_f32", "mul", "add"},
    {rule::kOperation, "v_mul_f64", "mul", "add"},
    {rule::kOperation, "v_max_", "max", "min"},
    {rule::kOperation, "v_and_b32", "and", "or"},
    {rule::kOperation, "v_or_b32", "or", "and"},
    {rule::kOperation, "v_xor_b32", "xor", "or"},
    {rule::kOperation, "v_add_u32", "add", "sub"},
    {rule::kOperation, "v_add_nc_u32", "add", "sub"},
    {rule::kOperation, "s_add_u32", "add", "sub"},
    {rule::kOperation, "v_lshrrev_b32", "lshr", "lshl"},
    {rule::kOperation, "v_dual_add_f32", "add", "sub"},
    {rule::kOperation, "v_dual_sub_f32", "sub", "add"},
    {rule::kOperation, "v_dual_mul_f32", "mul", "add"},

    {rule::kWidth, "global_load_ushort", "ushort", "sshort"},
    {rule::kWidth, "global_load_ushort", "ushort", "ubyte"},
    {rule::kWidth, "global_load_u16", "u16", "i16"},
    {rule::kWidth, "global_store_dword", "dword", "short"},
    {rule::kWidth, "v_ashrrev_i32", "ashrrev_i32", "lshrrev_b32"},
    {rule::kWidth, "v_lshrrev_b32", "lshrrev_b32", "ashrrev_i32"},
    {rule::kWidth, "v_bfe_u32", "u32", "i32"},
    {rule::kWidth, "v_cvt_f32_i32", "i32", "u32"},
    {rule::kWidth, "v_cvt_f32_u32", "u32", "i32"},
    {rule::kWidth, "v_cmp_gt_u64", "u64", "i64"},
    {rule::kWidth, "v_cmp_lt_u64", "u64", "i64"},
    {rule::kWidth, "v_cmp_lt_i32", "i32", "u32"},
    {rule::kWidth, "v_cmp_gt_u32", "u32", "i32"},
    {rule::kWidth, "v_mad_u64_u32", "u64_u32", "i64_i32"},
    {rule::kWidth, "s_mul_hi_i32", "i32", "u32"},

    {rule::kRelation, "v_cmp", "_lt_", "_le_"},
    {rule::kRelation, "v_cmp", "_le_", "_lt_"},
    {rule::kRelation, "v_cmp", "_gt_", "_ge_"},
    {rule::kRelation, "v_cmp", "_ge_", "_gt_"},
    {rule::kRelation, "v_cmp", "_eq_f", "_lg_f"},
    {rule::kRelation, "v_cmp", "_eq_u", "_ne_u"},
    {rule::kRelation, "v_cmp", "_o_", "_u_"},
    {rule::kRelation, "v_cmp", "_u_f", "_o_f"},
    {rule::kRelation, "v_cmp", "_ngt_", "_nge_"},
    {rule::kRelation, "v_cmp", "_nlt_", "_nle_"},
    {rule::kRelation, "s_cmp", "_lg_", "_eq_"},

    {rule::kInverted, "s_cbranch_execz", "execz", "execnz"},
    {rule::kInverted, "s_cbranch_execnz", "execnz", "execz"},
    {rule::kInverted, "s_cbranch_vccz", "vccz", "vccnz"},
    {rule::kInverted, "s_cbranch_vccnz", "vccnz", "vccz"},
    {rule::kInverted, "s_and_saveexec", "and_", "andn2_"},
    {rule::kInverted, "s_and_saveexec", "and_", "and_not1_"},

    {rule::kApprox, "v_div_fmas_f32", "div_fmas", "fma"},
    {rule::kApprox, "v_div_fmas_f64", "div_fmas", "fma"},
    {rule::kApprox, "v_rcp_f32", "rcp", "rcp_iflag"},
    {rule::kApprox, "v_sqrt_f32", "sqrt", "rsq"},
};

/// A mode that changes arithmetic.
struct GcnMode {
  std::string_view directive, value;
};

inline constexpr GcnMode kGcnModes[] = {
    {".amdhsa_float_round_mode_32", "1"},  {".amdhsa_float_round_mode_32", "2"},
    {".amdhsa_float_round_mode_32", "3"},  {".amdhsa_float_round_mode_16_64", "3"},
    {".amdhsa_float_denorm_mode_32", "0"}, {".amdhsa_float_denorm_mode_32", "1"},
    {".amdhsa_float_denorm_mode_32", "2"}, {".amdhsa_float_denorm_mode_16_64", "0"},
    {".amdhsa_fp16_overflow", "1"},        {".amdhsa_exception_fp_ieee_overflow", "1"},
};

} // namespace ordo::mutation
