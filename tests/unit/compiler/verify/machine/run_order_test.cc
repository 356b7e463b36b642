// Orders of waves and of lanes: right code does not see them, code that relies on luck does.
#include "compiler/verify/machine/run_order.h"

#include "tests/unit/compiler/verify/ptx/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace ordo::verify::test {
namespace {

using ::testing::HasSubstr;
using Lanes = RunOrder::Lanes;
using Waves = RunOrder::Waves;

RunOptions block(std::uint32_t threads, RunOrder order) {
  RunOptions options;
  options.threads = threads;
  options.declarations = ".shared .align 16 .b8 buf[2048];";
  options.order = order;
  return options;
}

RunOrder orderOf(Waves waves, std::uint64_t seed, bool stopsAtRaces = false) {
  return {waves, Lanes::SmallestFirst, seed, stopsAtRaces};
}

/// Every thread stores its number to one word; after a barrier, all read it.
const std::string kLastStore = "mov.u64 %d1, buf;\n cvt.u64.u32 %d2, %t;\n"
                               "st.shared.u64 [%d1], %d2;\n bar.sync 0;\n"
                               "ld.shared.u64 %d0, [%d1];\n st.global.u64 [%out], %d0;";

/// %d1: the thread's own eight bytes of buf; %d3: those of its neighbour in the warp.
const std::string kNeighbours =
    "mov.u64 %d2, buf;\n mul.wide.u32 %d1, %t, 8;\n add.s64 %d1, %d1, %d2;\n"
    "xor.b32 %r1, %t, 1;\n mul.wide.u32 %d3, %r1, 8;\n add.s64 %d3, %d3, %d2;\n"
    "cvt.u64.u32 %d4, %t;\n";

TEST(RunOrder, TheLastStoreIsTheLastWaves) {
  EXPECT_EQ(run(kLastStore, {}, block(128, orderOf(Waves::InTurn, 0))).words[5], 127u);
  EXPECT_EQ(run(kLastStore, {}, block(128, orderOf(Waves::Reverse, 0))).words[5], 31u);
}

TEST(RunOrder, EverySeedDrawsItsOwnOrder) {
  for (const Waves waves : {Waves::Permuted, Waves::Interleaved}) {
    std::set<std::uint64_t> last;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Ran ran = run(kLastStore, {}, block(128, orderOf(waves, seed)));
      ASSERT_EQ(ran.error, "");
      EXPECT_EQ(ran.words, run(kLastStore, {}, block(128, orderOf(waves, seed))).words);
      last.insert(ran.words[0]);
    }
    EXPECT_EQ(last, (std::set<std::uint64_t>{31, 63, 95, 127}));
  }
}

TEST(RunOrder, ARaceStopsUnderEveryOrder) {
  for (const Waves waves : {Waves::InTurn, Waves::Reverse, Waves::Permuted, Waves::Interleaved})
    EXPECT_THAT(run(kLastStore, {}, block(64, orderOf(waves, 1, true))).error, HasSubstr("a race"));
}

TEST(RunOrder, AMissingBarrierShows) {
  // Each wave reads what the other should have stored by now; before, the words hold 7.
  const std::string body = "xor.b32 %r1, %t, 32;\n mov.u64 %d2, buf;\n mul.wide.u32 %d1, %t, 8;\n"
                           "add.s64 %d1, %d1, %d2;\n mul.wide.u32 %d3, %r1, 8;\n"
                           "add.s64 %d3, %d3, %d2;\n mov.u64 %d5, 7;\n st.shared.u64 [%d1], %d5;\n"
                           "bar.sync 0;\n cvt.u64.u32 %d4, %t;\n st.shared.u64 [%d1], %d4;\n"
                           "ld.shared.u64 %d0, [%d3];\n st.global.u64 [%out], %d0;";
  const auto inTurn = run(body, {}, block(64, orderOf(Waves::InTurn, 0))).words;
  EXPECT_EQ(inTurn[0], 7u);
  EXPECT_EQ(inTurn[32], 0u);
  const auto reverse = run(body, {}, block(64, orderOf(Waves::Reverse, 0))).words;
  EXPECT_EQ(reverse[0], 32u);
  EXPECT_EQ(reverse[32], 7u);
}

TEST(RunOrder, LanesThatAreThoughtToMoveTogether) {
  const std::string body = kNeighbours + "mov.u64 %d5, 77;\n st.shared.u64 [%d1], %d5;\n"
                                         "bar.sync 0;\n st.shared.u64 [%d1], %d4;\n"
                                         "ld.shared.u64 %d0, [%d3];\n st.global.u64 [%out], %d0;";
  RunOrder order = orderOf(Waves::InTurn, 0);
  const auto lucky = run(body, {}, block(32, order)).words;
  for (std::uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(lucky[t], t ^ 1);
  order.lanes = Lanes::Parted;
  int unlucky = 0;
  for (order.seed = 0; order.seed < 100; ++order.seed)
    unlucky += run(body, {}, block(32, order)).words != lucky;
  EXPECT_GT(unlucky, 0);
}

TEST(RunOrder, PartedLanesMeetAgain) {
  // A loop of different lengths, an exchange among all lanes, a barrier: nothing is left to luck.
  const std::string body = kNeighbours +
                           "mov.u64 %d5, 0;\n mov.u32 %r2, 0;\n$L:\n add.u64 %d5, %d5, 3;\n"
                           "add.u32 %r2, %r2, 1;\n setp.le.u32 %p1, %r2, %t;\n @%p1 bra $L;\n"
                           "shfl.sync.bfly.b32 %r3, %t, 1, 31, -1;\n cvt.u64.u32 %d6, %r3;\n"
                           "add.u64 %d5, %d5, %d6;\n st.shared.u64 [%d1], %d5;\n bar.sync 0;\n"
                           "ld.shared.u64 %d0, [%d3];\n st.global.u64 [%out], %d0;";
  const Ran want = run(body, {}, block(96, orderOf(Waves::InTurn, 0, true)));
  ASSERT_EQ(want.error, "");
  for (const Waves waves : {Waves::Reverse, Waves::Permuted, Waves::Interleaved})
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const Ran got = run(body, {}, block(96, {waves, Lanes::Parted, seed, true}));
      ASSERT_EQ(got.error, "");
      EXPECT_EQ(got.words, want.words);
    }
}

} // namespace
} // namespace ordo::verify::test
