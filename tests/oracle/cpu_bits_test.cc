// Compiled CPU kernels against the evaluator, bit for bit, for every kernel of the contracts and
// for every shape of order. A NaN is one value.
#include "compiler/compile.h"
#include "compiler/target/link.h"
#include "runtime/cpu/library.h"
#include "tests/oracle/every_kernel.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>

namespace ordo {
namespace {

class CpuBits : public ::testing::TestWithParam<oracle::KernelCase> {
protected:
  void SetUp() override {
    ASSERT_FALSE(GetParam().kernel.empty()) << GetParam().file << " does not load";
    ASSERT_EQ(runtime::whyNoCpuKernels(), "");
    const auto package = oracle::loadPackage(GetParam().file, sources_, diagnostics_);
    ASSERT_TRUE(package) << diagnostics_.renderAll();
    program_ = package->instantiate(GetParam().kernel, diagnostics_);
    ASSERT_TRUE(program_) << diagnostics_.renderAll();
    compileAndOpen();
  }

  void compileAndOpen() {
    const auto code = compiler::compile(*program_, *compiler::findTarget("cpu"),
                                        compiler::Emit::Object, diagnostics_);
    ASSERT_TRUE(code) << diagnostics_.renderAll();
    std::string error;
    const auto shared = compiler::linkShared(code->object, &error);
    ASSERT_TRUE(shared) << error;
    const std::string path =
        std::string(std::getenv("TEST_TMPDIR")) + "/" + GetParam().kernel + ".so";
    std::ofstream(path, std::ios::binary) << *shared;
    library_ = runtime::Library::open(path, error);
    ASSERT_TRUE(library_) << error;
  }

  void compare(std::int64_t rows) {
    dsl::EvalInputs inputs = oracle::inputsOf(*program_, rows);
    std::map<std::string, dsl::TensorValue> outputs;
    std::vector<runtime::Argument> arguments;
    for (const dsl::Tensor &t : program_->tensors) {
      const bool isInput = t.role == dsl::Tensor::Role::Input;
      if (!isInput)
        outputs[t.name] = oracle::emptyArray(*program_, t, rows);
      dsl::TensorValue &value = (isInput ? inputs.tensors : outputs).at(t.name);
      arguments.push_back(runtime::Argument::pointer(value.data.data()));
    }
    for (std::size_t i = 0; i < program_->dims.size(); ++i)
      arguments.push_back(runtime::Argument::word(rows));
    for (const dsl::Scalar &scalar : program_->scalars)
      arguments.push_back(dsl::isFloat(scalar.type)
                              ? runtime::Argument::floating(inputs.scalars.at(scalar.name))
                              : runtime::Argument::word(inputs.scalars.at(scalar.name)));
    const dsl::EvalResult want = dsl::evaluate(*program_, inputs);
    ASSERT_TRUE(want.ok()) << want.error;
    std::string error;
    ASSERT_TRUE(library_->call(GetParam().kernel, arguments, error)) << error;
    for (const auto &[name, value] : want.outputs)
      oracle::expectSameBits(name, value, outputs[name]);
  }

  dsl::SourceManager sources_;
  dsl::Diagnostics diagnostics_{sources_};
  std::optional<dsl::Program> program_;
  std::unique_ptr<runtime::Library> library_;
};

TEST_P(CpuBits, EqualTheEvaluators) {
  compare(oracle::isElementwise(*program_) ? 20000 : oracle::foldedRows(*program_).value_or(6));
  compare(1);
  compare(0);
}

INSTANTIATE_TEST_SUITE_P(Kernels, CpuBits, ::testing::ValuesIn(oracle::everyKernel()),
                         [](const auto &info) { return oracle::caseName(info.param, info.index); });

} // namespace
} // namespace ordo
