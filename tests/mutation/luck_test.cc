// Kernels without one of their barriers, races let pass: some order of the waves shows it. So a
// race that the machine stops at is one that a device might lose.
#include "dsl/eval/evaluator.h"
#include "tests/emulation/subject.h"
#include "tests/mutation/gcn_mutator.h"
#include "tests/mutation/ptx_mutator.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace ordo::mutation {
namespace {

using verify::RunOrder;

class Luck : public ::testing::TestWithParam<const char *> {
protected:
  /// Whether the code gives the evaluator's bits under the order.
  static bool isLucky(const emulation::Subject &subject, const verify::Kernel &kernel,
                      RunOrder order) {
    constexpr std::int64_t kRows = 3;
    const dsl::EvalInputs inputs = oracle::inputsOf(subject.program(), kRows);
    const dsl::EvalResult want = dsl::evaluate(subject.program(), inputs);
    order.stopsAtRaces = false;
    const dsl::EvalResult got =
        verify::emulate(subject.program(), kernel, subject.launch(kRows, order), inputs);
    return got.ok() && std::ranges::all_of(want.outputs, [&](const auto &each) {
             return got.outputs.at(each.first).data == each.second.data;
           });
  }

  static bool isAlwaysLucky(const emulation::Subject &subject, const verify::Kernel &kernel) {
    constexpr std::uint64_t kSeeds = 8;
    for (const auto waves : {RunOrder::Waves::InTurn, RunOrder::Waves::Reverse,
                             RunOrder::Waves::Permuted, RunOrder::Waves::Interleaved})
      for (std::uint64_t seed = 0; seed < kSeeds; ++seed)
        if (!isLucky(subject, kernel, {waves, RunOrder::Lanes::SmallestFirst, seed, false}))
          return false;
    return true;
  }
};

TEST_P(Luck, EndsUnderSomeOrder) {
  int barriers = 0;
  for (const char *kernel : {"centre_tree3_1000", "centre_lanes96_1000", "centre_pairs_1000"}) {
    const emulation::Subject subject("tests/contracts/orders.ordo", kernel, GetParam());
    ASSERT_TRUE(subject.ok());
    std::string error;
    EXPECT_TRUE(isAlwaysLucky(subject, *subject.read(error)));
    for (const Change &change :
         subject.isCuda() ? ptxChanges(subject.assembly()) : gcnChanges(subject.assembly())) {
      if (change.rule != rule::kBarrier)
        continue;
      const auto code = subject.assemble(changed(subject.assembly(), change));
      const auto mutant = subject.read(code.value_or(""), error);
      ASSERT_TRUE(mutant) << error;
      EXPECT_FALSE(isAlwaysLucky(subject, *mutant)) << kernel << ", line " << change.edits[0].line;
      ++barriers;
    }
  }
  EXPECT_GE(barriers, 3);
}

INSTANTIATE_TEST_SUITE_P(Targets, Luck,
                         ::testing::Values("cuda.sm_90a", "rocm.gfx942", "rocm.gfx1100"),
                         [](const auto &info) { return std::string(info.param).substr(5); });

} // namespace
} // namespace ordo::mutation
