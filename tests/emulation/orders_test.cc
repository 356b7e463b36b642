// Contracts' kernels, their waves and lanes run in other orders than the emulator's own: the bits
// are the evaluator's all the same. A sample of the kernels, those with barriers before all.
#include "dsl/eval/evaluator.h"
#include "tests/emulation/subject.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace ordo::emulation {
namespace {

using verify::RunOrder;

constexpr RunOrder kOrders[] = {
    {RunOrder::Waves::Reverse, RunOrder::Lanes::Parted, 1, true},
    {RunOrder::Waves::Permuted, RunOrder::Lanes::Parted, 2, true},
    {RunOrder::Waves::Interleaved, RunOrder::Lanes::Parted, 3, true},
};

bool hasBarrier(const verify::Kernel &kernel) {
  return std::ranges::any_of(kernel.code,
                             [](const auto &i) { return i.op == verify::Op::Barrier; });
}

/// One kernel in so many of each file.
std::vector<oracle::KernelCase> sample() {
  constexpr std::size_t kOneIn = 5;
  std::vector<oracle::KernelCase> all;
  std::size_t number = 0;
  for (const oracle::KernelCase &each : oracle::everyKernel())
    if (number++ % kOneIn == 0 && !each.kernel.ends_with("_152064") &&
        !each.kernel.ends_with("_151936")) // these take long
      all.push_back(each);
  return all;
}

class Orders : public ::testing::TestWithParam<const char *> {};

TEST_P(Orders, LeaveTheBits) {
  int withBarrier = 0;
  for (const oracle::KernelCase &each : sample()) {
    const Subject subject(each.file, each.kernel, GetParam());
    ASSERT_TRUE(subject.ok());
    std::string error;
    const auto kernel = subject.read(error);
    ASSERT_TRUE(kernel) << error;
    withBarrier += hasBarrier(*kernel);
    const std::int64_t rows = oracle::isElementwise(subject.program()) ? 300 : 3;
    const dsl::EvalInputs inputs = oracle::inputsOf(subject.program(), rows);
    const dsl::EvalResult want = dsl::evaluate(subject.program(), inputs);
    for (const RunOrder &order : kOrders) {
      const dsl::EvalResult got =
          verify::emulate(subject.program(), *kernel, subject.launch(rows, order), inputs);
      ASSERT_TRUE(got.ok()) << each.kernel << ", order " << order.seed << ": " << got.error;
      for (const auto &[name, value] : want.outputs)
        oracle::expectSameBits(each.kernel + "." + name, value, got.outputs.at(name));
    }
  }
  EXPECT_GE(withBarrier, 10);
}

INSTANTIATE_TEST_SUITE_P(Targets, Orders,
                         ::testing::Values("cuda.sm_90a", "rocm.gfx942", "rocm.gfx1100"),
                         [](const auto &info) { return std::string(info.param).substr(5); });

} // namespace
} // namespace ordo::emulation
