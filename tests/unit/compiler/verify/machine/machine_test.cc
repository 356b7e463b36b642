// Lanes, barriers, exchanges and shared memory: what they do, and what stops them.
#include "compiler/verify/machine/machine.h"

#include "tests/unit/compiler/verify/ptx/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordo::verify::test {
namespace {

using ::testing::HasSubstr;

const RunOptions kShared64 = {64, ".shared .align 16 .b8 buf[512];", 8, {}, "", 0};
// %d1: the thread's own eight bytes of buf.
const std::string kOwn =
    "mov.u64 %d2, buf;\n cvt.u64.u32 %d1, %t;\n shl.b64 %d1, %d1, 3;\n add.s64 %d1, %d1, %d2;\n"
    "cvt.u64.u32 %d4, %t;\n";
// %d3: those of the thread across the block.
const std::string kOther = "xor.b32 %r1, %t, 32;\n cvt.u64.u32 %d3, %r1;\n shl.b64 %d3, %d3, 3;\n "
                           "add.s64 %d3, %d3, %d2;\n";

TEST(Machine, LanesReconvergeAfterABranch) {
  const Ran ran =
      run("setp.lt.u32 %p1, %t, 7;\n @%p1 bra $LOW;\n mov.u64 %d0, 1;\n bra $JOIN;\n$LOW:\n"
          " mov.u64 %d0, 2;\n$JOIN:\n shfl.sync.bfly.b32 %r0, %t, 1, 31, -1;\n"
          "cvt.u64.u32 %d1, %r0;\n shl.b64 %d0, %d0, 8;\n or.b64 %d0, %d0, %d1;\n"
          "st.global.u64 [%out], %d0;");
  ASSERT_EQ(ran.error, "");
  EXPECT_EQ(ran.words[6], 0x207u);
  EXPECT_EQ(ran.words[7], 0x106u);
}

TEST(Machine, LoopsOfDifferentLengths) {
  const Ran ran =
      run("mov.u64 %d0, 0;\n mov.u32 %r1, 0;\n$L:\n add.u64 %d0, %d0, 3;\n add.u32 %r1, %r1, 1;\n"
          "setp.le.u32 %p1, %r1, %t;\n @%p1 bra $L;\n st.global.u64 [%out], %d0;");
  ASSERT_EQ(ran.error, "");
  for (std::uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(ran.words[t], 3u * (t + 1));
}

TEST(Machine, ShufflesByMode) {
  const auto shuffle = [](const std::string &mode) {
    const Ran ran = run("shfl.sync." + mode +
                        ", -1;\n selp.u32 %r2, 256, 0, %p1;\n or.b32 %r0, %r0, %r2;\n"
                        "cvt.u64.u32 %d0, %r0;\n st.global.u64 [%out], %d0;");
    EXPECT_EQ(ran.error, "") << mode;
    return ran.words;
  };
  auto words = shuffle("up.b32 %r0|%p1, %t, 3, 0");
  EXPECT_EQ(words[2], 2u); // out of range: its own
  EXPECT_EQ(words[3], 256u);
  words = shuffle("down.b32 %r0|%p1, %t, 3, 31");
  EXPECT_EQ(words[28], 256u + 31);
  EXPECT_EQ(words[29], 29u);
  words = shuffle("idx.b32 %r0|%p1, %t, 5, 0x1807"); // segments of eight
  EXPECT_EQ(words[17], 256u + 21);
  words = shuffle("bfly.b32 %r0|%p1, %t, 16, 31");
  EXPECT_EQ(words[1], 256u + 17);
}

TEST(Machine, AShuffleFromALaneThatExitedIsUndefined) {
  const Ran ran = run("setp.eq.u32 %p1, %t, 3;\n @%p1 st.global.u64 [%out], 0;\n @%p1 exit;\n"
                      "shfl.sync.bfly.b32 %r0, %t, 1, 31, -1;\n"
                      "cvt.u64.u32 %d0, %r0;\n st.global.u64 [%out], %d0;");
  EXPECT_THAT(ran.error, HasSubstr("nobody defined"));
}

TEST(Machine, LanesThatNeverMeetAreFound) {
  const Ran ran =
      run("setp.eq.u32 %p1, %t, 3;\n @%p1 bra $L;\n shfl.sync.bfly.b32 %r0, %t, 1, 31, -1;\n$L:\n"
          "bar.sync 0;");
  EXPECT_THAT(ran.error, HasSubstr("for ever"));
}

TEST(Machine, Votes) {
  const Ran ran = run("setp.lt.u32 %p1, %t, 4;\n vote.sync.ballot.b32 %r0, %p1, -1;\n"
                      "vote.sync.any.pred %p2, %p1, -1;\n vote.sync.all.pred %p3, !%p1, -1;\n"
                      "selp.u32 %r1, 16, 0, %p2;\n or.b32 %r0, %r0, %r1;\n"
                      "selp.u32 %r1, 32, 0, %p3;\n or.b32 %r0, %r0, %r1;\n"
                      "cvt.u64.u32 %d0, %r0;\n st.global.u64 [%out], %d0;");
  ASSERT_EQ(ran.error, "");
  EXPECT_EQ(ran.words[9], 0x1fu);
}

TEST(Machine, SharedMemoryThroughABarrier) {
  const Ran ran = run(kOwn + kOther +
                          "st.shared.u64 [%d1], %d4;\n bar.sync 0;\n ld.shared.u64 %d0, [%d3];\n"
                          "st.global.u64 [%out], %d0;",
                      {}, kShared64);
  ASSERT_EQ(ran.error, "");
  EXPECT_EQ(ran.words[1], 33u);
  EXPECT_EQ(ran.words[40], 8u);
}

TEST(Machine, ARaceWithoutABarrier) {
  EXPECT_THAT(run(kOwn + kOther +
                      "st.shared.u64 [%d1], %d4;\n ld.shared.u64 %d0, [%d3];\n"
                      "st.global.u64 [%out], %d0;",
                  {}, kShared64)
                  .error,
              ::testing::AnyOf(HasSubstr("a race"), HasSubstr("no thread has written")));
  // Write after read.
  EXPECT_THAT(run(kOwn + kOther +
                      "st.shared.u64 [%d1], %d4;\n bar.sync 0;\n ld.shared.u64 %d0, [%d3];\n"
                      "st.shared.u64 [%d1], %d4;\n st.global.u64 [%out], %d0;",
                  {}, kShared64)
                  .error,
              HasSubstr("a race"));
  // Write after write.
  EXPECT_THAT(run(kOwn + "st.shared.u64 [%d2], %d4;", {}, kShared64).error, HasSubstr("a race"));
}

// Threads of one warp are ordered by a barrier of the warp, those of two are not.
TEST(Machine, AWarpsBarrierOrdersTheWarpAlone) {
  const std::string neighbour = "xor.b32 %r1, %t, 1;\n cvt.u64.u32 %d3, %r1;\n shl.b64 %d3, %d3, "
                                "3;\n add.s64 %d3, %d3, %d2;\n";
  const std::string body =
      "st.shared.u64 [%d1], %d4;\n bar.warp.sync -1;\n ld.shared.u64 %d0, [%d3];\n"
      "st.global.u64 [%out], %d0;";
  const Ran near = run(kOwn + neighbour + body, {}, kShared64);
  ASSERT_EQ(near.error, "");
  EXPECT_EQ(near.words[10], 11u);
  EXPECT_NE(run(kOwn + kOther + body, {}, kShared64).error, "");
}

TEST(Machine, ABarrierNotReachedByAll) {
  EXPECT_THAT(
      run("setp.lt.u32 %p1, %t, 32;\n @%p1 bra $L;\n bar.sync 0;\n$L:\n ret;", {}, kShared64).error,
      HasSubstr("not all threads"));
  EXPECT_THAT(run("setp.lt.u32 %p1, %t, 32;\n @%p1 bra $L;\n bar.sync 0;\n bra $M;\n$L:\n bar.sync "
                  "1;\n$M:\n",
                  {}, kShared64)
                  .error,
              HasSubstr("different barriers"));
}

TEST(Machine, ReadingUninitialisedSharedMemory) {
  EXPECT_THAT(
      run(kOwn + "ld.shared.u64 %d0, [%d1];\n st.global.u64 [%out], %d0;", {}, kShared64).error,
      HasSubstr("no thread has written"));
}

TEST(Machine, AddressesOutsideAndAskew) {
  EXPECT_THAT(run("ld.global.u64 %d0, [%in+8];", {1}).error, HasSubstr("of in, which has 8"));
  EXPECT_THAT(run("ld.global.u64 %d0, [%in+-8];", {1}).error, HasSubstr("byte -8 of in"));
  EXPECT_THAT(run("ld.global.u32 %r0, [%in+2];", {1}).error, HasSubstr("not a multiple of 4"));
  EXPECT_THAT(run("st.global.u64 [%in], %at;", {1}).error, HasSubstr("only read"));
  EXPECT_THAT(run("mov.u64 %d0, 16;\n ld.global.u64 %d1, [%d0];", {1}).error,
              HasSubstr("no argument"));
  EXPECT_THAT(run(kOwn + "st.shared.u64 [%d1+512], %d4;", {}, kShared64).error,
              HasSubstr("has 512"));
}

TEST(Machine, ValuesThatNobodyDefined) {
  EXPECT_THAT(run("st.global.u64 [%out], %d7;").error, HasSubstr("nobody defined"));
  EXPECT_THAT(run("setp.eq.u32 %p1, %r7, 0;\n @%p1 bra $L;\n$L:\n").error,
              HasSubstr("nobody defined"));
  // A selection that does not take it is fine.
  EXPECT_EQ(
      run("setp.eq.u32 %p1, %t, 99;\n selp.b64 %d0, %d7, %at, %p1;\n st.global.u64 [%out], %d0;")
          .error,
      "");
}

TEST(Machine, AnElementStoredTwice) {
  EXPECT_THAT(run("st.global.u64 [%out], %at;\n st.global.u64 [%out], %at;").error,
              HasSubstr("stored before"));
}

TEST(Machine, ApproximationsAtomicsAndTraps) {
  EXPECT_THAT(run("mov.f32 %f1, 0f3F800000;\n ex2.approx.f32 %f0, %f1;").error,
              HasSubstr("approximation"));
  EXPECT_THAT(run("mov.f32 %f1, 0f3F800000;\n div.full.f32 %f0, %f1, %f1;").error,
              HasSubstr("approximation"));
  EXPECT_THAT(run("mov.f32 %f1, 0f3F800000;\n atom.global.add.f32 %f0, [%out], %f1;").error,
              HasSubstr("atomic"));
  EXPECT_THAT(run("trap;").error, HasSubstr("trap"));
  EXPECT_THAT(run("mov.u32 %r1, 0;\n div.u32 %r0, %t, %r1;").error, HasSubstr("by zero"));
}

TEST(Machine, AsynchronousCopies) {
  const std::string copy =
      kOwn + "add.s64 %d5, %in, %at;\n cp.async.ca.shared.global [%d1], [%d5], 8;\n";
  std::vector<std::uint64_t> in(64);
  for (std::uint64_t k = 0; k < 64; ++k)
    in[k] = 100 + k;
  const Ran ran = run(copy + "cp.async.commit_group;\n cp.async.wait_group 0;\n bar.sync 0;\n" +
                          kOther + "ld.shared.u64 %d0, [%d3];\n st.global.u64 [%out], %d0;",
                      in, kShared64);
  ASSERT_EQ(ran.error, "");
  EXPECT_EQ(ran.words[0], 132u);
  EXPECT_THAT(run(copy + "cp.async.commit_group;\n ld.shared.u64 %d0, [%d1];", in, kShared64).error,
              HasSubstr("no thread has written"));
}

} // namespace
} // namespace ordo::verify::test
