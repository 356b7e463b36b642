// Drops every wait and every barrier of compiled AMDGCN kernels, one at a time. Hardware might give
// the right bits all the same; the emulator must notice, or the wait was not needed.
#include "compiler/compile.h"
#include "compiler/verify/emulate/emulate.h"
#include "compiler/verify/gcn/disassemble.h"
#include "compiler/verify/gcn/read.h"
#include "dsl/eval/evaluator.h"
#include "tests/mutation/deliveries.h"
#include "tests/oracle/every_kernel.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace ordo {
namespace {

struct Subject {
  const char *file, *kernel, *target;
};
void PrintTo(const Subject &s, std::ostream *out) { *out << s.kernel << " on " << s.target; }

class GcnWaits : public ::testing::TestWithParam<Subject> {
protected:
  void SetUp() override {
    const auto package = oracle::loadPackage(GetParam().file, sources_, diagnostics_);
    ASSERT_TRUE(package) << diagnostics_.renderAll();
    program_ = package->instantiate(GetParam().kernel, diagnostics_);
    ASSERT_TRUE(program_) << diagnostics_.renderAll();
    const auto code = compiler::compile(*program_, *compiler::findTarget(GetParam().target),
                                        compiler::Emit::Object, diagnostics_);
    ASSERT_TRUE(code) << diagnostics_.renderAll();
    recipe_ = code->launch;
    object_ = code->object;
    inputs_ = oracle::inputsOf(*program_, kRows);
    want_ = dsl::evaluate(*program_, inputs_);
    ASSERT_TRUE(want_.ok()) << want_.error;
  }

  /// The error of the code object's run, or "different", or "equal".
  std::string outcome(const std::string &object) {
    verify::gcn::ReadFailure failure;
    const auto kernel = verify::gcn::read(object, GetParam().kernel, failure);
    if (!kernel)
      return failure.message;
    const auto grid = compiler::gridOf(*program_, recipe_,
                                       std::vector<std::int64_t>(program_->dims.size(), kRows));
    const auto got = verify::emulate(*program_, *kernel, {*grid, recipe_.block}, inputs_);
    if (!got.ok())
      return got.error;
    return std::ranges::all_of(want_.outputs,
                               [&](const auto &each) {
                                 return got.outputs.at(each.first).data == each.second.data;
                               })
               ? "equal"
               : "different";
  }

  static constexpr std::int64_t kRows = 2;

  /// What nobody notices is not needed: on no path that a wave can take.
  void expectNotNeeded(const std::string &mutant, const verify::gcn::Instruction &wait) {
    verify::gcn::ReadFailure failure;
    const auto kernel = verify::gcn::read(mutant, GetParam().kernel, failure);
    ASSERT_TRUE(kernel) << failure.message;
    verify::BlockShape block;
    for (std::size_t axis = 0; axis < 3; ++axis)
      block.size[axis] = static_cast<std::uint32_t>(recipe_.block[axis]);
    EXPECT_EQ(mutation::undeliveredInWaves(*kernel, block), "")
        << std::hex << wait.address << ": " << wait.text;
  }

  dsl::SourceManager sources_;
  dsl::Diagnostics diagnostics_{sources_};
  std::optional<dsl::Program> program_;
  compiler::LaunchRecipe recipe_;
  std::string object_;
  dsl::EvalInputs inputs_;
  dsl::EvalResult want_;
};

TEST_P(GcnWaits, AreMissed) {
  ASSERT_EQ(outcome(object_), "equal");
  verify::gcn::ReadFailure failure;
  const auto kernel = verify::gcn::readObject(object_, GetParam().kernel, failure);
  ASSERT_TRUE(kernel) << failure.message;
  const auto code = verify::gcn::disassemble(*kernel, failure);
  ASSERT_TRUE(code) << failure.message;
  const std::string bytes(kernel->code.begin(), kernel->code.end());
  const std::size_t start = object_.find(bytes);
  ASSERT_NE(start, std::string::npos);
  int dropped = 0, missed = 0;
  for (const verify::gcn::Instruction &each : *code) {
    const bool isBarrier = each.mnemonic == "s_barrier";
    if (!isBarrier && each.mnemonic != "s_waitcnt")
      continue;
    std::string mutant = object_;
    const std::string nop("\0\0\x80\xbf", 4); // s_nop 0
    mutant.replace(start + (each.address - kernel->address), 4, nop);
    const std::string got = outcome(mutant);
    ++dropped;
    missed += got != "equal";
    EXPECT_NE(got, "different") << std::hex << each.address << ": " << each.text;
    if (isBarrier)
      EXPECT_NE(got, "equal") << std::hex << each.address;
    else if (got == "equal")
      expectNotNeeded(mutant, each);
  }
  std::printf("%s on %s: %d dropped, %d noticed\n", GetParam().kernel, GetParam().target, dropped,
              missed);
}

constexpr const char *kNorm = "contracts/nn/norm.ordo", *kOrders = "tests/contracts/orders.ordo",
                     *kSoftmax = "contracts/nn/softmax.ordo";

INSTANTIATE_TEST_SUITE_P(Kernels, GcnWaits,
                         ::testing::Values(Subject{kNorm, "rms_norm_bf16_2048", "rocm.gfx942"},
                                           Subject{kNorm, "rms_norm_bf16_2048", "rocm.gfx90a"},
                                           Subject{kNorm, "rms_norm_bf16_2048", "rocm.gfx1100"},
                                           Subject{kOrders, "centre_tree3_1000", "rocm.gfx942"},
                                           Subject{kOrders, "centre_tree3_1000", "rocm.gfx90a"},
                                           Subject{kOrders, "centre_tree3_1000", "rocm.gfx1100"},
                                           Subject{kSoftmax, "softmax_bf16_2048", "rocm.gfx942"},
                                           Subject{kSoftmax, "softmax_bf16_2048", "rocm.gfx1100"}));

} // namespace
} // namespace ordo
