// The AMDGCN code objects of every kernel of the contracts, emulated, against the evaluator, bit
// for bit. A NaN is one value.
#include "compiler/compile.h"
#include "compiler/verify/emulate/emulate.h"
#include "compiler/verify/gcn/disassemble.h"
#include "compiler/verify/gcn/read.h"
#include "dsl/eval/evaluator.h"
#include "dsl/eval/launch.h"
#include "tests/oracle/every_kernel.h"
#include "tests/unit/compiler/verify/gcn/assemble.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace ordo {
namespace {

using verify::Approximation;

class GcnBits : public ::testing::TestWithParam<oracle::KernelCase> {
protected:
  void SetUp() override {
    ASSERT_FALSE(GetParam().kernel.empty()) << GetParam().file << " does not load";
    const auto package = oracle::loadPackage(GetParam().file, sources_, diagnostics_);
    ASSERT_TRUE(package) << diagnostics_.renderAll();
    program_ = package->instantiate(GetParam().kernel, diagnostics_);
    ASSERT_TRUE(program_) << diagnostics_.renderAll();
  }

  void load(const char *target) {
    const auto code = compiler::compile(*program_, *compiler::findTarget(target),
                                        compiler::Emit::Object, diagnostics_);
    ASSERT_TRUE(code) << diagnostics_.renderAll();
    recipe_ = code->launch;
    verify::gcn::ReadFailure failure;
    kernel_ = verify::gcn::read(code->object, GetParam().kernel, failure);
    ASSERT_TRUE(kernel_) << std::hex << failure.address << ": " << failure.message;
    expectWholeText(code->object);
  }

  /// The reader takes operands off LLVM's text. It says all: assembled again it gives the bytes.
  void expectWholeText(const std::string &bytes) {
    verify::gcn::ReadFailure failure;
    const auto object = verify::gcn::readObject(bytes, GetParam().kernel, failure);
    ASSERT_TRUE(object) << failure.message;
    const auto code = verify::gcn::disassemble(*object, failure);
    ASSERT_TRUE(code) << failure.message;
    std::string text;
    for (const verify::gcn::Instruction &part : *code)
      text += part.text + (part.pairsWithNext ? " :: " : "\n");
    EXPECT_EQ(verify::gcn::assembleInstruction(object->chip, object->waveSize, text), object->code);
  }

  void compare(std::int64_t rows, Approximation within = Approximation::Nearest) {
    const dsl::EvalInputs inputs = oracle::inputsOf(*program_, rows);
    const dsl::EvalResult want = dsl::evaluate(*program_, inputs);
    ASSERT_TRUE(want.ok()) << want.error;
    const std::vector<std::int64_t> dims(program_->dims.size(), rows);
    const auto grid = compiler::gridOf(*program_, recipe_, dims);
    ASSERT_TRUE(grid);
    const dsl::EvalResult got =
        verify::emulate(*program_, *kernel_, {*grid, recipe_.block}, inputs, within);
    ASSERT_TRUE(got.ok()) << rows << " rows: " << got.error;
    for (const auto &[name, value] : want.outputs)
      oracle::expectSameBits(name, value, got.outputs.at(name));
  }

  bool approximates() const {
    return std::ranges::any_of(
        kernel_->code, [](const verify::Instruction &i) { return i.op == verify::Op::Approx; });
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

TEST_P(GcnBits, EqualTheEvaluators) {
  for (const char *target : {"rocm.gfx942", "rocm.gfx90a", "rocm.gfx1100"}) {
    SCOPED_TRACE(target);
    load(target);
    if (HasFatalFailure())
      return;
    compare(0);
    compare(1);
    if (!isHuge())
      compare(oracle::isElementwise(*program_) ? 300 : oracle::foldedRows(*program_).value_or(7));
    // Division and square root are right whatever v_rcp and v_sqrt give within their error.
    if (!isHuge() && approximates())
      for (const auto within : {Approximation::Below, Approximation::Above, Approximation::Mixed})
        compare(2, within);
    if (HasFailure())
      return;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, GcnBits, ::testing::ValuesIn(oracle::everyKernel()),
                         [](const auto &info) { return oracle::caseName(info.param, info.index); });

} // namespace
} // namespace ordo
