// Arguments by happens-before: what they cover, and what they must not.
#include "tests/mutation/ordering.h"

#include "compiler/verify/gcn/read.h"
#include "compiler/verify/ptx/read.h"
#include "tests/mutation/deliveries.h"
#include "tests/unit/compiler/verify/gcn/assemble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordo::mutation {
namespace {

using ::testing::HasSubstr;

verify::Kernel ptx(const std::string &body) {
  verify::ptx::ReadFailure failure;
  auto kernel = verify::ptx::read(".version 8.0\n.target sm_90a\n.address_size 64\n"
                                  ".visible .entry k()\n{\n.reg .pred %p<4>;\n.reg .b32 %r<9>;\n"
                                  ".shared .align 4 .b8 buf[512];\nmov.u32 %r1, buf;\n" +
                                      body + "ret;\n}\n",
                                  "k", failure);
  EXPECT_TRUE(kernel) << failure.line << ": " << failure.message;
  return kernel.value_or(verify::Kernel{});
}

verify::Kernel gcn(const std::string &body) {
  verify::gcn::TestKernel test;
  test.body = body;
  test.ldsBytes = 512;
  verify::gcn::ReadFailure failure;
  auto kernel = verify::gcn::read(verify::gcn::assembleKernel(test), "k", failure);
  EXPECT_TRUE(kernel) << failure.address << ": " << failure.message;
  return kernel.value_or(verify::Kernel{});
}

verify::BlockShape blockOf(int threads) { return {{static_cast<std::uint32_t>(threads), 1, 1}}; }

/// Of a block of two waves.
std::string ordersAll(const verify::Kernel &kernel, const verify::Kernel &mutant) {
  return mutation::ordersAll(kernel, mutant, blockOf(2 * kernel.waveSize));
}

const std::string kStore = "st.shared.u32 [%r1], %r1;\n", kLoad = "ld.shared.u32 %r2, [%r1];\n",
                  kBarrier = "bar.sync 0;\n";

TEST(Ordering, ABarrierBetweenLoadsIsNotNeeded) {
  const auto kernel = ptx(kStore + kBarrier + kLoad + kBarrier + kLoad);
  EXPECT_NE(ordersAll(kernel, ptx(kStore + kBarrier + kLoad + kLoad)), "");
  EXPECT_EQ(ordersAll(kernel, ptx(kStore + kLoad + kBarrier + kLoad)), "");
}

TEST(Ordering, OneOfTwoBarriersIsNotNeeded) {
  const auto kernel = ptx(kStore + kBarrier + kBarrier + kLoad);
  EXPECT_NE(ordersAll(kernel, ptx(kStore + kBarrier + kLoad)), "");
  EXPECT_EQ(ordersAll(kernel, ptx(kStore + kLoad)), "");
}

TEST(Ordering, ABarrierThatComesLate) {
  const auto kernel = ptx(kStore + kBarrier + kLoad);
  EXPECT_EQ(ordersAll(kernel, ptx(kStore + kLoad + kBarrier)), "");
  EXPECT_EQ(ordersAll(kernel, ptx(kBarrier + kStore + kLoad)), "");
}

TEST(Ordering, ABarrierForAPartOrdersNothing) {
  EXPECT_EQ(ordersAll(ptx(kStore + kBarrier + kLoad), ptx(kStore + "bar.sync 0, 32;\n" + kLoad)),
            "");
}

TEST(Ordering, ALoopBringsTheNextRoundsStoreBesideThisOnesLoad) {
  const std::string head = "$L:\n", back = "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra $L;\n";
  const auto kernel = ptx(head + kStore + kBarrier + kLoad + kBarrier + back);
  EXPECT_EQ(ordersAll(kernel, ptx(head + kStore + kBarrier + kLoad + back)), "");
  EXPECT_EQ(ordersAll(kernel, kernel), ordersAll(ptx(kStore), ptx(kStore)));
}

TEST(Ordering, ABlockOfOneWave) {
  const auto kernel = ptx(kStore + kBarrier + kLoad);
  EXPECT_NE(mutation::ordersAll(kernel, ptx(kStore + "bar.warp.sync -1;\n" + kLoad), blockOf(32)),
            "");
  EXPECT_EQ(mutation::ordersAll(kernel, ptx(kStore + "bar.warp.sync 1;\n" + kLoad), blockOf(32)),
            "");
  EXPECT_EQ(mutation::ordersAll(kernel, ptx(kStore + "bar.warp.sync -1;\n" + kLoad), blockOf(33)),
            "");
  EXPECT_EQ(mutation::ordersAll(kernel, ptx(kStore + kLoad), blockOf(32)), "");
  const std::string store = "v_mov_b32 v0, 0\nds_write_b32 v0, v0\n", load = "ds_read_b32 v1, v0\n",
                    wait = "s_waitcnt lgkmcnt(0)\n";
  const auto lockStep = gcn(store + wait + "s_barrier\n" + load);
  EXPECT_NE(mutation::ordersAll(lockStep, gcn(store + wait + load), blockOf(64)), "");
  EXPECT_EQ(mutation::ordersAll(lockStep, gcn(store + wait + load), blockOf(65)), "");
}

TEST(Ordering, TheNextRoundsStoreIsBesideThisOnesLoadThoughOneRoundsAre) {
  const std::string head = "$L:\n", back = "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra $L;\n";
  const auto kernel = ptx(head + kStore + kLoad + kBarrier + back);
  EXPECT_EQ(ordersAll(kernel, ptx(head + kStore + kLoad + back)), "");
}

// Each thread's own word, at %r3.
const std::string kOwn = "mov.u32 %r4, %tid.x;\nshl.b32 %r4, %r4, 2;\nadd.u32 %r3, %r1, %r4;\n"
                         "st.shared.u32 [%r3], %r4;\n";

TEST(Ordering, AThreadReadsWhatItWrote) {
  const auto kernel = [&](const std::string &offset, const std::string &barrier) {
    return ptx(kOwn + barrier + "ld.shared.u32 %r2, [%r3" + offset + "];\n");
  };
  EXPECT_THAT(ordersAll(kernel("", kBarrier), kernel("", "")), HasSubstr("two threads"));
  EXPECT_EQ(ordersAll(kernel("+4", kBarrier), kernel("+4", "")), "");
  EXPECT_EQ(ordersAll(kernel("+2", kBarrier), kernel("+2", "")), "");
}

TEST(Ordering, AWarpReadsWhatItWrote) {
  const auto kernel = [&](const std::string &place, const std::string &barrier) {
    return ptx(kOwn + barrier + "setp.ne.u32 %p1, %r4, 0;\n@%p1 bra $L;\nld.shared.v4.u32 " +
               "{%r5, %r6, %r7, %r8}, [buf+" + place + "];\n$L:\n");
  };
  const std::string ofWarp = "bar.warp.sync -1;\n";
  EXPECT_THAT(ordersAll(kernel("112", kBarrier), kernel("112", ofWarp)), HasSubstr("two warps"));
  EXPECT_EQ(ordersAll(kernel("128", kBarrier), kernel("128", ofWarp)), "");
  EXPECT_EQ(ordersAll(kernel("112", kBarrier), kernel("112", "")), "");
  EXPECT_EQ(ordersAll(kernel("112", kBarrier), kernel("112", "bar.warp.sync 1;\n")), "");
}

TEST(Ordering, AnAddressThatIsNotOfThreadNumbersMayBeAny) {
  const auto kernel = [&](const std::string &barrier) {
    return ptx(kOwn + barrier + "mov.u32 %r4, %ctaid.x;\nadd.u32 %r3, %r3, %r4;\n" +
               "ld.shared.u32 %r2, [%r3];\n");
  };
  EXPECT_EQ(ordersAll(kernel(kBarrier), kernel("")), "");
}

TEST(Ordering, AnAddressThatALoopChangesMayBeAny) {
  const auto kernel = [&](const std::string &barrier) {
    return ptx(kOwn + barrier + "mov.u32 %r5, 0;\n$L:\nld.shared.u32 %r2, [%r3];\n" +
               "add.u32 %r3, %r3, 4;\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 2;\n" +
               "@%p1 bra $L;\n");
  };
  EXPECT_EQ(ordersAll(kernel(kBarrier), kernel("")), "");
}

TEST(Ordering, AWaveInLockStepReadsWhatItWrote) {
  const auto kernel = [&](int place, const std::string &barrier) {
    return gcn("v_lshlrev_b32_e32 v1, 2, v0\nds_write_b32 v1, v0\ns_waitcnt lgkmcnt(0)\n" +
               barrier + "v_cmp_eq_u32_e32 vcc, 0, v0\nv_mov_b32 v5, 0\n" +
               "s_and_saveexec_b64 s[6:7], vcc\ns_cbranch_execz .Lpast\n" +
               "ds_read_b128 v[8:11], v5 offset:" + std::to_string(place) +
               "\ns_waitcnt lgkmcnt(0)\n.Lpast:\n");
  };
  const std::string barrier = "s_barrier\n";
  EXPECT_THAT(ordersAll(kernel(240, barrier), kernel(240, "")), HasSubstr("two waves"));
  EXPECT_EQ(ordersAll(kernel(256, barrier), kernel(256, "")), "");
}

TEST(Ordering, AnAddressIsKnownUnderAGuardThatIsNotAndNotUnderAnother) {
  // EXEC is of the block's number; v1 is each wave's own, unless a lane that was off goes on.
  const auto kernel = [&](const std::string &barrier, const std::string &after) {
    return gcn("v_lshlrev_b32_e32 v1, 2, v0\nds_write_b32 v1, v0\ns_waitcnt lgkmcnt(0)\n" +
               barrier + "v_mov_b32 v1, 0\nv_cmp_eq_u32_e32 vcc, s2, v0\n" +
               "s_and_saveexec_b64 s[6:7], vcc\ns_cbranch_execz .Lpast\n" +
               "v_lshlrev_b32_e32 v1, 2, v0\n" + after +
               "ds_read_b32 v8, v1\ns_waitcnt lgkmcnt(0)\n.Lpast:\n");
  };
  const std::string barrier = "s_barrier\n", all = "s_mov_b64 exec, s[6:7]\n";
  EXPECT_THAT(ordersAll(kernel(barrier, ""), kernel("", "")), HasSubstr("two threads"));
  EXPECT_EQ(ordersAll(kernel(barrier, all), kernel("", all)), "");
}

TEST(Ordering, OneOperandOfAConditionMayDecideIt) {
  const auto kernel = [&](const std::string &operation, const std::string &barrier) {
    return ptx(kOwn + barrier + "mov.u32 %r5, %ctaid.x;\nsetp.eq.u32 %p1, %r5, 7;\n" +
               "setp.ne.u32 %p2, %r4, 0;\n" + operation + ".pred %p3, %p1, %p2;\n" +
               "@%p3 bra $L;\nld.shared.u32 %r2, [buf];\n$L:\n");
  };
  EXPECT_NE(ordersAll(kernel("or", kBarrier), kernel("or", "")), "");
  EXPECT_EQ(ordersAll(kernel("and", kBarrier), kernel("and", "")), "");
}

TEST(Ordering, AnAccessMoreIsNotTheKernels) {
  EXPECT_EQ(ordersAll(ptx(kStore), ptx(kStore + kStore)), "");
}

const std::string kLoads = "v_mov_b32 v0, 0\ns_load_dwordx2 s[4:5], s[0:1], 0x0\n"
                           "s_waitcnt lgkmcnt(0)\n"
                           "global_load_dword v1, v0, s[4:5]\nglobal_load_dword v2, v0, s[4:5]\n";

TEST(Ordering, LoadsOfOneCounterComeInTurn) {
  EXPECT_EQ(undelivered(gcn(kLoads + "s_waitcnt vmcnt(1)\nv_mov_b32 v3, v1\n")), "");
  EXPECT_THAT(undelivered(gcn(kLoads + "s_waitcnt vmcnt(1)\nv_mov_b32 v3, v2\n")),
              HasSubstr("v_mov_b32"));
  EXPECT_THAT(undelivered(gcn(kLoads + "v_mov_b32 v3, v1\n")), HasSubstr("v_mov_b32"));
}

TEST(Ordering, ScalarLoadsComeInAnyOrder) {
  const std::string two = "s_load_dword s4, s[0:1], 0x0\ns_load_dword s5, s[0:1], 0x8\n";
  EXPECT_EQ(undelivered(gcn(two + "s_waitcnt lgkmcnt(0)\ns_mov_b32 s6, s4\n")), "");
  EXPECT_NE(undelivered(gcn(two + "s_waitcnt lgkmcnt(1)\ns_mov_b32 s6, s4\n")), "");
}

TEST(Ordering, AWaitOnOnePathAlone) {
  const std::string skip = "s_cmp_eq_u32 s2, 0\ns_cbranch_scc1 .Lpast\n",
                    wait = "s_waitcnt vmcnt(0)\n", use = ".Lpast:\nv_mov_b32 v3, v1\n";
  EXPECT_NE(undelivered(gcn(kLoads + skip + wait + use)), "");
  EXPECT_EQ(undelivered(gcn(kLoads + wait + skip + use)), "");
}

TEST(Ordering, ABranchOnThreadNumbersGoesOneWay) {
  // v0 has the thread's number: a wave whose lanes are all below the bound passes the wait.
  const auto kernel = [](int bound) {
    const std::string b = std::to_string(bound);
    return gcn("v_cmp_gt_u32 vcc, " + b + ", v0\n" + "v_mov_b32 v5, 0\n" +
               "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"
               "global_load_dword v1, v5, s[4:5]\ns_and_saveexec_b64 s[6:7], vcc\n"
               "s_cbranch_execz .Lpast\ns_waitcnt vmcnt(0)\n.Lpast:\ns_mov_b64 exec, s[6:7]\n"
               "v_mov_b32 v3, v1\n");
  };
  EXPECT_NE(undelivered(kernel(64)), "");
  EXPECT_EQ(undeliveredInWaves(kernel(64), blockOf(64)), "");
  EXPECT_NE(undeliveredInWaves(kernel(64), blockOf(128)), "");
  EXPECT_NE(undeliveredInWaves(kernel(0), blockOf(64)), "");
}

TEST(Ordering, LdsBeforeABarrierIsWaitedFor) {
  const std::string store = "v_mov_b32 v0, 0\nds_write_b32 v0, v0\n", barrier = "s_barrier\n";
  EXPECT_EQ(undelivered(gcn(store + "s_waitcnt lgkmcnt(0)\n" + barrier)), "");
  EXPECT_NE(undelivered(gcn(store + barrier)), "");
}

} // namespace
} // namespace ordo::mutation
