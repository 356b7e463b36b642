// The mutators on a few lines: what each family of rules makes of them.
#include "tests/emulation/subject.h"
#include "tests/mutation/gcn_mutator.h"
#include "tests/mutation/ptx_mutator.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace ordo::mutation {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> byRule(const std::string &text, const std::vector<Change> &changes,
                                const std::string &rule) {
  std::vector<std::string> texts;
  for (const Change &change : changes)
    if (change.rule == rule)
      texts.push_back(changed(text, change));
  return texts;
}

const std::string kPtx = "\tmov.u32 \t%r1, %tid.x;\n"
                         "\tmul.rn.f32 \t%f3, %f1, %f2;\n"
                         "\tadd.rn.f32 \t%f4, %f3, %f9;\n"
                         "\tadd.rn.f32 \t%f5, %f4, 0f3F800000;\n"
                         "\tst.shared.f32 \t[%r2+4], %f5;\n"
                         "\tbar.sync \t0;\n"
                         "\tld.shared.f32 \t%f6, [%r2];\n"
                         "\t@%p1 bra \t$L__BB0_2;\n"
                         "\tadd.s64 \t%rd3, %rd1, %rd2;\n"
                         "\tst.global.f32 \t[%rd3], %f6;\n"
                         "$L__BB0_2:\n"
                         "\tret;\n";

std::vector<std::string> ptx(const char *rule) { return byRule(kPtx, ptxChanges(kPtx), rule); }

TEST(PtxMutator, Arithmetic) {
  EXPECT_THAT(ptx(rule::kFused), Contains(HasSubstr("\tfma.rn.f32 %f4, %f1, %f2, %f9;\n")));
  EXPECT_THAT(ptx(rule::kContract), Contains(HasSubstr("\tmul.f32 %f3, %f1, %f2;\n")));
  EXPECT_THAT(ptx(rule::kRounding), Contains(HasSubstr("\tadd.rz.f32 %f4, %f3, %f9;\n")));
  EXPECT_THAT(ptx(rule::kFlush), Contains(HasSubstr("\tadd.rn.ftz.f32 %f4, %f3, %f9;\n")));
  EXPECT_THAT(ptx(rule::kConstant), Contains(HasSubstr(", 0f3F800001;\n")));
  EXPECT_THAT(ptx(rule::kCommuted), Contains(HasSubstr("\tadd.rn.f32 %f4, %f9, %f3;\n")));
}

TEST(PtxMutator, WhatChangesOnlyTheEndsOfARange) {
  EXPECT_THAT(ptx(rule::kIdentity), Contains(HasSubstr("%f9;\n\tadd.rn.f32 %f4, %f4, "
                                                       "0f00000000;\n")));
  EXPECT_THAT(ptx(rule::kScaled), Contains(HasSubstr("\tmul.rn.f32 %f4, %f4, 0f40000000;\n"
                                                     "\tmul.rn.f32 %f4, %f4, 0f3F000000;\n")));
}

TEST(PtxMutator, SumsInAnotherShape) {
  EXPECT_THAT(ptx(rule::kOrder), Contains(HasSubstr("add.rn.f32 other, %f3, 0f3F800000; "
                                                    "add.rn.f32 %f5, other, %f9;")));
  EXPECT_THAT(ptx(rule::kSplit), Contains(HasSubstr("add.rn.f32 other, 0f3F800000, %f9; "
                                                    "add.rn.f32 %f5, other, %f3;")));
  EXPECT_THAT(ptx(rule::kRestart), Contains(HasSubstr("\tmov.f32 %f5, %f4;\n")));
}

TEST(PtxMutator, OrderOfAccesses) {
  EXPECT_THAT(ptx(rule::kBarrier), Each(Not(HasSubstr("bar.sync"))));
  EXPECT_THAT(ptx(rule::kLate), Contains(HasSubstr("[%r2];\n\tbar.sync 0;\n")));
  EXPECT_THAT(ptx(rule::kLate), Contains(HasSubstr("\tbar.sync 0;\n\tst.shared.f32 [%r2+4]")));
  EXPECT_THAT(ptx(rule::kAtomic), Contains(HasSubstr("red.global.add.f32 [%rd3], %f6;")));
  EXPECT_THAT(ptx(rule::kTwice), Each(AllOf(HasSubstr("st.global.f32 [%rd3], %f6;\n\tst.global"))));
}

TEST(PtxMutator, AddressesAndControl) {
  EXPECT_THAT(ptx(rule::kOffset), Contains(HasSubstr("[%r2+8], %f5")));
  EXPECT_THAT(ptx(rule::kNarrow), Contains(HasSubstr("cvt.u32.u64 na, %rd1; cvt.u32.u64 nb, "
                                                     "%rd2; add.s32 na, na, nb; cvt.u64.u32 "
                                                     "%rd3, na;")));
  EXPECT_THAT(ptx(rule::kInverted), Contains(HasSubstr("\t@!%p1 bra $L__BB0_2;")));
  EXPECT_THAT(ptx(rule::kBound), Contains(Not(HasSubstr("bra"))));
}

const std::string kGcn = "k:\n"
                         "\tv_mul_f32_e32 v3, v1, v2\n"
                         "\tv_add_f32_e32 v4, v3, v9\n"
                         "\tv_add_f32_e32 v5, v4, v8\n"
                         "\tv_dual_mul_f32 v1, v25, v26 :: v_dual_add_f32 v6, v7, v8\n"
                         "\tds_write_b32 v0, v5 offset:16\n"
                         "\ts_waitcnt vmcnt(1) lgkmcnt(0)\n"
                         "\ts_barrier\n"
                         "\tds_read_b32 v6, v0\n"
                         "\ts_endpgm\n";

std::vector<std::string> gcn(const char *rule) { return byRule(kGcn, gcnChanges(kGcn), rule); }

TEST(GcnMutator, Arithmetic) {
  EXPECT_THAT(gcn(rule::kFused), Contains(HasSubstr("\tv_fma_f32 v4, v1, v2, v9\n")));
  EXPECT_THAT(gcn(rule::kOrder), Contains(HasSubstr("v_add_f32 v4, v3, v8\n\tv_add_f32 v5, v4, "
                                                    "v9\n")));
  EXPECT_THAT(gcn(rule::kSplit), Contains(HasSubstr("v_add_f32 v4, v8, v9\n\tv_add_f32 v5, v3, "
                                                    "v4\n")));
}

TEST(GcnMutator, HalvesOfAPair) {
  EXPECT_THAT(gcn(rule::kOperation),
              Contains(HasSubstr("\tv_dual_mul_f32 v1, v25, v26 :: v_dual_sub_f32 v6, v7, v8\n")));
  EXPECT_THAT(gcn(rule::kOperation),
              Contains(HasSubstr("\tv_dual_add_f32 v1, v25, v26 :: v_dual_add_f32 v6, v7, v8\n")));
}

TEST(GcnMutator, OrderOfAccesses) {
  EXPECT_THAT(gcn(rule::kWait), Each(Not(HasSubstr("s_waitcnt"))));
  EXPECT_THAT(gcn(rule::kWeakWait), Contains(HasSubstr("vmcnt(2) lgkmcnt(0)")));
  EXPECT_THAT(gcn(rule::kWeakWait), Contains(HasSubstr("vmcnt(1) lgkmcnt(1)")));
  EXPECT_THAT(gcn(rule::kLate), Contains(HasSubstr("\tds_read_b32 v6, v0\n\ts_barrier\n")));
  EXPECT_THAT(gcn(rule::kOffset), Contains(HasSubstr("v5 offset:20\n")));
}

TEST(Mutators, HaveNoRuleTwice) {
  for (const auto &rules : {ptxRules(), gcnRules()})
    EXPECT_EQ(std::set(rules.begin(), rules.end()).size(), rules.size());
}

TEST(Mutators, PrintedCodeIsTheCompiledCode) {
  // Mutants are made of the text; unchanged it must be the kernel that was compiled.
  for (const char *target : {"rocm.gfx90a", "rocm.gfx942", "rocm.gfx1100"}) {
    const emulation::Subject subject("contracts/nn/softmax.ordo", "softmax_f32_128", target);
    ASSERT_TRUE(subject.ok());
    const auto code = subject.assemble(subject.assembly());
    ASSERT_TRUE(code);
    std::string error;
    const auto again = subject.read(*code, error), compiled = subject.read(error);
    ASSERT_TRUE(again && compiled) << error;
    EXPECT_TRUE(std::ranges::equal(again->lines, compiled->lines, {}, &verify::SourceLine::text,
                                   &verify::SourceLine::text));
  }
}

} // namespace
} // namespace ordo::mutation
