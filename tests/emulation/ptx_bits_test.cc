// The PTX of every kernel of the contracts, emulated, against the evaluator, bit for bit. A NaN is
// one value.
#include "compiler/compile.h"
#include "compiler/verify/emulate/emulate.h"
#include "compiler/verify/ptx/read.h"
#include "dsl/eval/evaluator.h"
#include "dsl/eval/launch.h"
#include "tests/oracle/every_kernel.h"

#include <gtest/gtest.h>

namespace ordo {
namespace {

class PtxBits : public ::testing::TestWithParam<oracle::KernelCase> {
protected:
  void SetUp() override {
    ASSERT_FALSE(GetParam().kernel.empty()) << GetParam().file << " does not load";
    const auto package = oracle::loadPackage(GetParam().file, sources_, diagnostics_);
    ASSERT_TRUE(package) << diagnostics_.renderAll();
    program_ = package->instantiate(GetParam().kernel, diagnostics_);
    ASSERT_TRUE(program_) << diagnostics_.renderAll();
    const auto code = compiler::compile(*program_, *compiler::findTarget("cuda.sm_90a"),
                                        compiler::Emit::Asm, diagnostics_);
    ASSERT_TRUE(code) << diagnostics_.renderAll();
    recipe_ = code->launch;
    verify::ptx::ReadFailure failure;
    kernel_ = verify::ptx::read(code->assembly, GetParam().kernel, failure);
    ASSERT_TRUE(kernel_) << "line " << failure.line << ": " << failure.message;
  }

  void compare(std::int64_t rows) {
    const dsl::EvalInputs inputs = oracle::inputsOf(*program_, rows);
    const dsl::EvalResult want = dsl::evaluate(*program_, inputs);
    ASSERT_TRUE(want.ok()) << want.error;
    const std::vector<std::int64_t> dims(program_->dims.size(), rows);
    const auto grid = compiler::gridOf(*program_, recipe_, dims);
    ASSERT_TRUE(grid);
    const dsl::EvalResult got =
        verify::emulate(*program_, *kernel_, {*grid, recipe_.block}, inputs);
    ASSERT_TRUE(got.ok()) << rows << " rows: " << got.error;
    for (const auto &[name, value] : want.outputs)
      oracle::expectSameBits(name, value, got.outputs.at(name));
  }

  /// The largest rows take long; they differ from the others in length alone.
  bool isHuge() const {
    return GetParam().kernel.ends_with("_152064") || GetParam().kernel.ends_with("_151936");
  }

  dsl::SourceManager sources_;
  dsl::Diagnostics diagnostics_{sources_};
  std::optional<dsl::Program> program_;
  compiler::LaunchRecipe recipe_;
  std::optional<verify::Kernel> kernel_;
};

TEST_P(PtxBits, EqualTheEvaluators) {
  compare(0);
  compare(isHuge() ? 2 : 1);
  if (!isHuge())
    compare(oracle::isElementwise(*program_) ? 300 : oracle::foldedRows(*program_).value_or(7));
}

INSTANTIATE_TEST_SUITE_P(Kernels, PtxBits, ::testing::ValuesIn(oracle::everyKernel()),
                         [](const auto &info) { return oracle::caseName(info.param, info.index); });

} // namespace
} // namespace ordo
