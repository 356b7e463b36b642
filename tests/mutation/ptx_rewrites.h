// The changes of PTX that are another word in an opcode.
#pragma once

#include "tests/mutation/change.h"

#include <string_view>

namespace ordo::mutation {

/// Where an opcode starts with `opcode` and ends with `type`, the word `from` becomes `to`; an
/// empty `to` drops it.
struct Rewrite {
  const char *rule;
  std::string_view opcode, type, from, to;
};

inline constexpr Rewrite kRewrites[] = {
    {rule::kOperation, "add.rn", "", "add", "sub"},
    {rule::kOperation, "sub.rn", "", "sub", "add"},
    {rule::kOperation, "mul.rn", "", "mul", "add"},
    {rule::kOperation, "div.rn", "", "div", "mul"},
    {rule::kOperation, "sqrt.rn.f32", "", "sqrt", "rcp"},
    {rule::kOperation, "rcp.rn.f32", "", "rcp", "sqrt"},
    {rule::kOperation, "max.", "", "max", "min"},
    {rule::kOperation, "min.", "", "min", "max"},
    {rule::kOperation, "and.b", "", "and", "or"},
    {rule::kOperation, "or.b", "", "or", "and"},
    {rule::kOperation, "xor.b", "", "xor", "or"},
    {rule::kOperation, "add.s", "", "add", "sub"},
    {rule::kOperation, "sub.s", "", "sub", "add"},
    {rule::kOperation, "shr.u32", "", "shr.u32", "shl.b32"},
    {rule::kOperation, "or.pred", "", "or", "and"},

    {rule::kContract, "add.rn", "", "rn", ""},
    {rule::kContract, "sub.rn", "", "rn", ""},
    {rule::kContract, "mul.rn", "", "rn", ""},

    {rule::kRounding, "add.rn", "f32", "rn", "rz"},
    {rule::kRounding, "add.rn", "f64", "rn", "rm"},
    {rule::kRounding, "sub.rn", "f32", "rn", "rp"},
    {rule::kRounding, "sub.rn", "f64", "rn", "rz"},
    {rule::kRounding, "mul.rn", "f32", "rn", "rm"},
    {rule::kRounding, "mul.rn", "f64", "rn", "rp"},
    {rule::kRounding, "fma.rn", "f32", "rn", "rz"},
    {rule::kRounding, "fma.rn", "f64", "rn", "rp"},
    {rule::kRounding, "div.rn", "", "rn", "rz"},
    {rule::kRounding, "rcp.rn", "", "rn", "rp"},
    {rule::kRounding, "sqrt.rn", "", "rn", "rm"},
    {rule::kRounding, "cvt.rn.", "", "rn", "rz"},
    {rule::kRounding, "cvt.rzi", "", "rzi", "rni"},
    {rule::kRounding, "cvt.rni", "", "rni", "rzi"},

    {rule::kFlush, "add.rn", "f32", "rn", "rn.ftz"},
    {rule::kFlush, "sub.rn", "f32", "rn", "rn.ftz"},
    {rule::kFlush, "mul.rn", "f32", "rn", "rn.ftz"},
    {rule::kFlush, "fma.rn", "f32", "rn", "rn.ftz"},
    {rule::kFlush, "div.rn", "f32", "rn", "rn.ftz"},
    {rule::kFlush, "rcp.rn", "f32", "rn", "rn.ftz"},
    {rule::kFlush, "sqrt.rn", "f32", "rn", "rn.ftz"},
    {rule::kFlush, "max.f32", "", "max", "max.ftz"},
    {rule::kFlush, "abs.f32", "", "abs", "abs.ftz"},
    {rule::kFlush, "neg.f32", "", "neg", "neg.ftz"},
    {rule::kFlush, "cvt.f64.f32", "", "cvt", "cvt.ftz"},
    {rule::kFlush, "cvt.rn.f32.f64", "", "rn", "rn.ftz"},
    {rule::kFlush, "setp.", "f32", "f32", "ftz.f32"},

    {rule::kSaturate, "add.rn", "f32", "rn", "rn.sat"},
    {rule::kSaturate, "mul.rn", "f32", "rn", "rn.sat"},
    {rule::kSaturate, "fma.rn", "f32", "rn", "rn.sat"},

    {rule::kApprox, "div.rn", "f32", "rn", "full"},
    {rule::kApprox, "div.rn", "f32", "rn", "approx"},
    {rule::kApprox, "rcp.rn", "f32", "rn", "approx"},
    {rule::kApprox, "rcp.rn", "f64", "rn", "approx.ftz"},
    {rule::kApprox, "sqrt.rn", "f32", "rn", "approx"},

    {rule::kNans, "max.f32", "", "max", "max.NaN"},
    {rule::kNans, "min.f32", "", "min", "min.NaN"},

    {rule::kSign, "neg.f", "", "neg", "mov"},
    {rule::kSign, "abs.f", "", "abs", "mov"},
    {rule::kSign, "abs.f", "", "abs", "neg"},

    {rule::kWidth, "cvt.u64.u32", "", "cvt.u64.u32", "cvt.s64.s32"},
    {rule::kWidth, "cvt.rn.bf16.f32", "", "bf16", "f16"},
    {rule::kWidth, "cvt.rn.bf16x2.f32", "", "bf16x2", "f16x2"},
    {rule::kWidth, "cvt.rn.f16.f32", "", "f16", "bf16"},
    {rule::kWidth, "cvt.f32.f16", "", "f16", "bf16"},
    {rule::kWidth, "cvt.rn.f32.s32", "", "s32", "u32"},
    {rule::kWidth, "cvt.rn.f32.u32", "", "u32", "s32"},
    {rule::kWidth, "cvt.u32.u16", "", "cvt.u32.u16", "cvt.s32.s16"},
    {rule::kWidth, "mul.wide.u32", "", "u32", "s32"},
    {rule::kWidth, "mul.hi.u32", "", "u32", "s32"},
    {rule::kWidth, "shr.s32", "", "s32", "u32"},
    {rule::kWidth, "shr.u32", "", "u32", "s32"},
    {rule::kWidth, "shr.u64", "", "u64", "s64"},
    {rule::kWidth, "min.u64", "", "u64", "s64"},
    {rule::kWidth, "setp.", "u64", "u64", "s64"},
    {rule::kWidth, "setp.", "u32", "u32", "s32"},
    {rule::kWidth, "ld.global.nc.u16", "", "u16", "s8"},
    {rule::kWidth, "st.global.f32", "", "f32", "b16"},

    {rule::kRelation, "setp.lt.", "", "lt", "le"},
    {rule::kRelation, "setp.le.", "", "le", "lt"},
    {rule::kRelation, "setp.gt.", "", "gt", "ge"},
    {rule::kRelation, "setp.ge.", "", "ge", "gt"},
    {rule::kRelation, "setp.eq.", "", "eq", "ne"},
    {rule::kRelation, "setp.ne.", "", "ne", "eq"},
    {rule::kRelation, "setp.nan.", "", "nan", "num"},
    {rule::kRelation, "setp.lt.", "f32", "lt", "ltu"},
    {rule::kRelation, "setp.ge.", "f32", "ge", "geu"},
    {rule::kRelation, "setp.gt.", "f32", "gt", "gtu"},
    {rule::kRelation, "setp.eq.", "f32", "eq", "equ"},
    {rule::kRelation, "setp.ltu.", "", "ltu", "lt"},

    {rule::kLanes, "shfl.sync.bfly", "", "bfly", "down"},
    {rule::kLanes, "shfl.sync.bfly", "", "bfly", "up"},
    {rule::kLanes, "shfl.sync.bfly", "", "bfly", "idx"},
};

} // namespace ordo::mutation
