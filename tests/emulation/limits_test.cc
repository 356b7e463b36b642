// The default limit of steps: far beyond what the widest kernels take, and an end for what has
// none.
#include "compiler/verify/machine/limits.h"
#include "dsl/eval/evaluator.h"
#include "tests/emulation/subject.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordo::emulation {
namespace {

class Limits : public ::testing::TestWithParam<const char *> {
protected:
  static std::string run(const Subject &subject, const verify::Kernel &kernel,
                         std::uint64_t steps) {
    const dsl::EvalInputs inputs = oracle::inputsOf(subject.program(), 1);
    verify::EmulationLaunch launch = subject.launch(1);
    launch.limits.steps = steps;
    return verify::emulate(subject.program(), kernel, launch, inputs).error;
  }
};

TEST_P(Limits, LeaveRoomForTheWidestRow) {
  const Subject subject("contracts/nn/softmax.ordo", "softmax_f32_152064", GetParam());
  ASSERT_TRUE(subject.ok());
  std::string error;
  const auto kernel = subject.read(error);
  ASSERT_TRUE(kernel) << error;
  constexpr std::uint64_t kRoom = 64;
  EXPECT_EQ(run(subject, *kernel, verify::kStepLimit / kRoom), "");
}

TEST_P(Limits, EndWhatHasNoEnd) {
  const Subject subject("contracts/nn/softmax.ordo", "softmax_f32_128", GetParam());
  ASSERT_TRUE(subject.ok());
  std::string error;
  auto kernel = subject.read(error);
  ASSERT_TRUE(kernel) << error;
  verify::Instruction &first = kernel->code.front();
  first = verify::Instruction{};
  first.op = verify::Op::Branch;
  EXPECT_THAT(run(subject, *kernel, std::uint64_t{1} << 20),
              ::testing::HasSubstr("runs longer than is allowed"));
}

INSTANTIATE_TEST_SUITE_P(Targets, Limits, ::testing::Values("cuda.sm_90a", "rocm.gfx942"),
                         [](const auto &info) { return std::string(info.param).substr(5); });

} // namespace
} // namespace ordo::emulation
