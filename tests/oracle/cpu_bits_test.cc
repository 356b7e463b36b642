// Compiled CPU kernels against the evaluator, bit for bit, for every kernel of the contracts and
// for every shape of order. A NaN is one value.
#include "compiler/compile.h"
#include "compiler/target/link.h"
#include "dsl/eval/evaluator.h"
#include "dsl/sema/package.h"
#include "runtime/cpu/library.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <random>

namespace ordo {
namespace {

using dsl::DType;
using dsl::TensorValue;

struct Case {
  std::string file, kernel;
};
void PrintTo(const Case &c, std::ostream *out) { *out << c.file << ":" << c.kernel; }

std::unique_ptr<dsl::Package> load(const std::string &file, dsl::SourceManager &sources,
                                   dsl::Diagnostics &diagnostics) {
  return dsl::Package::load(file, {"contracts"}, sources, diagnostics);
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char *file :
       {"contracts/nn/norm.ordo", "contracts/nn/softmax.ordo", "contracts/nn/log_sum_exp.ordo",
        "contracts/random/philox.ordo", "tests/contracts/odd_widths.ordo",
        "tests/contracts/orders.ordo", "tests/contracts/apply.ordo", "tests/contracts/chains.ordo",
        "tests/contracts/words.ordo"}) {
    dsl::SourceManager sources;
    dsl::Diagnostics diagnostics(sources);
    const auto package = load(file, sources, diagnostics);
    if (!package) { // a case of its own, so that the file's fault shows as a failure
      all.push_back({file, ""});
      continue;
    }
    for (const std::string &kernel : package->kernels())
      all.push_back({file, kernel});
  }
  return all;
}

std::uint64_t lowBits(const std::byte *at, int bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, bytes);
  return bits;
}

// Row patterns in turn: plain values, any bits, signed zeros, subnormals and zeros, all -inf, one
// huge value.
std::uint64_t element(DType type, std::int64_t row, std::int64_t column, std::uint64_t random) {
  const int width = dsl::bitWidth(type);
  if (!dsl::isFloat(type)) // any bits
    return width == 64 ? random : random & ((std::uint64_t{1} << width) - 1);
  const dsl::FloatFormat f = dsl::floatFormat(type);
  const std::uint64_t sign = std::uint64_t{random >> 63} << (width - 1);
  const std::uint64_t mantissa = random & ((std::uint64_t{1} << f.mantissaBits) - 1);
  const auto exponent = [&](std::uint64_t e) { return e << f.mantissaBits; };
  const std::uint64_t plain = sign | exponent(f.bias - 4 + (random >> 40) % 7) | mantissa;
  switch (row % 6) {
  case 0:
    return plain;
  case 1:
    return width == 64 ? random : random & ((std::uint64_t{1} << width) - 1);
  case 2:
    return sign;
  case 3:
    return sign | mantissa;
  case 4:
    return std::uint64_t{1} << (width - 1) | exponent((1u << f.exponentBits) - 1);
  default:
    return column == 3 ? exponent((1u << f.exponentBits) - 2) | mantissa : plain;
  }
}

TensorValue array(const dsl::Program &program, const dsl::Tensor &tensor, std::int64_t rows) {
  TensorValue value{tensor.type, {}, {}};
  std::int64_t count = 1;
  for (dsl::ExprId extent : tensor.shape) {
    value.shape.push_back(program.constantIndex(extent).value_or(rows));
    count *= value.shape.back();
  }
  value.data.resize(count * dsl::byteSize(tensor.type), std::byte{0xee});
  return value;
}

// A weight (one axis beside others' two) is plain; an operand of an elementwise kernel takes every
// pattern.
void fill(TensorValue &value, bool isElementwise, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const int bytes = dsl::byteSize(value.type);
  const std::int64_t columns = isElementwise || value.shape.empty() ? 1 : value.shape.back();
  const bool isWeight = value.shape.size() < 2 && !isElementwise;
  for (std::size_t i = 0; i * bytes < value.data.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const std::uint64_t bits =
        element(value.type, isWeight ? 0 : at / columns, at % columns, random());
    std::memcpy(&value.data[i * bytes], &bits, bytes);
  }
}

class CpuBits : public ::testing::TestWithParam<Case> {
protected:
  void SetUp() override {
    ASSERT_FALSE(GetParam().kernel.empty()) << GetParam().file << " does not load";
    ASSERT_EQ(runtime::whyNoCpuKernels(), "");
    const auto package = load(GetParam().file, sources_, diagnostics_);
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

  bool isElementwise() const {
    return std::ranges::all_of(program_->tensors,
                               [](const dsl::Tensor &t) { return t.shape.size() < 2; });
  }

  void compare(std::int64_t rows) {
    dsl::EvalInputs inputs;
    std::map<std::string, TensorValue> outputs;
    std::vector<runtime::Argument> arguments;
    for (const dsl::Tensor &t : program_->tensors) {
      const bool isInput = t.role == dsl::Tensor::Role::Input;
      TensorValue &value = (isInput ? inputs.tensors : outputs)[t.name];
      value = array(*program_, t, rows);
      if (isInput)
        fill(value, isElementwise(), rows);
      arguments.push_back(runtime::Argument::pointer(value.data.data()));
    }
    for (std::size_t i = 0; i < program_->dims.size(); ++i)
      arguments.push_back(runtime::Argument::word(rows));
    const dsl::EvalResult want = dsl::evaluate(*program_, inputs);
    ASSERT_TRUE(want.ok()) << want.error;
    std::string error;
    ASSERT_TRUE(library_->call(GetParam().kernel, arguments, error)) << error;
    for (const auto &[name, value] : want.outputs)
      compareBits(name, value, outputs[name]);
  }

  static void compareBits(const std::string &name, const TensorValue &want,
                          const TensorValue &got) {
    const int bytes = dsl::byteSize(want.type);
    ASSERT_EQ(want.data.size(), got.data.size());
    for (std::size_t at = 0; at < want.data.size(); at += bytes) {
      const std::uint64_t w = lowBits(&want.data[at], bytes), g = lowBits(&got.data[at], bytes);
      const bool bothNan = dsl::isNanBits(want.type, w) && dsl::isNanBits(want.type, g);
      ASSERT_TRUE(w == g || bothNan)
          << name << ", element " << at / bytes << ": 0x" << std::hex << g << ", expected 0x" << w;
    }
  }

  dsl::SourceManager sources_;
  dsl::Diagnostics diagnostics_{sources_};
  std::optional<dsl::Program> program_;
  std::unique_ptr<runtime::Library> library_;
};

TEST_P(CpuBits, EqualTheEvaluators) {
  compare(isElementwise() ? 20000 : 6);
  compare(1);
  compare(0);
}

INSTANTIATE_TEST_SUITE_P(Kernels, CpuBits, ::testing::ValuesIn(cases()), [](const auto &info) {
  return info.param.kernel.empty() ? "broken_file_" + std::to_string(info.index)
                                   : info.param.kernel;
});

} // namespace
} // namespace ordo
