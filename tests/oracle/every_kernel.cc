#include "tests/oracle/every_kernel.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace ordo::oracle {

using dsl::DType;
using dsl::TensorValue;

namespace {

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

// A weight (one axis beside others' two) is plain; an operand of an elementwise kernel takes every
// pattern. A whole number beside rows may choose a column, so every second one is small.
void fill(TensorValue &value, bool isElementwise, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const int bytes = dsl::byteSize(value.type);
  const std::int64_t columns = isElementwise || value.shape.empty() ? 1 : value.shape.back();
  const bool isWeight = value.shape.size() < 2 && !isElementwise;
  for (std::size_t i = 0; i * bytes < value.data.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    std::uint64_t bits = element(value.type, isWeight ? 0 : at / columns, at % columns, random());
    if (isWeight && !dsl::isFloat(value.type) && at % 2 == 0)
      bits &= 0x7f;
    std::memcpy(&value.data[i * bytes], &bits, bytes);
  }
}

} // namespace

void PrintTo(const KernelCase &c, std::ostream *out) { *out << c.file << ":" << c.kernel; }

std::string caseName(const KernelCase &c, std::size_t index) {
  return c.kernel.empty() ? "broken_file_" + std::to_string(index) : c.kernel;
}

std::unique_ptr<dsl::Package> loadPackage(const std::string &file, dsl::SourceManager &sources,
                                          dsl::Diagnostics &diagnostics) {
  return dsl::Package::load(file, {"contracts"}, sources, diagnostics);
}

std::vector<KernelCase> everyKernel() {
  std::vector<KernelCase> all;
  for (const char *file :
       {"contracts/nn/norm.ordo", "contracts/nn/softmax.ordo", "contracts/nn/log_sum_exp.ordo",
        "contracts/nn/swiglu.ordo", "contracts/nn/gelu.ordo", "contracts/nn/sigmoid_gate.ordo",
        "contracts/nn/selected_log_prob.ordo", "contracts/random/philox.ordo",
        "contracts/random/noise.ordo", "tests/contracts/odd_widths.ordo",
        "tests/contracts/orders.ordo", "tests/contracts/apply.ordo", "tests/contracts/rounded.ordo",
        "tests/contracts/composed.ordo", "tests/contracts/chains.ordo",
        "tests/contracts/tensorfloat.ordo", "tests/contracts/words.ordo",
        "tests/contracts/every_type.ordo"}) {
    dsl::SourceManager sources;
    dsl::Diagnostics diagnostics(sources);
    const auto package = loadPackage(file, sources, diagnostics);
    if (!package) { // a case of its own, so that the file's fault shows as a failure
      all.push_back({file, ""});
      continue;
    }
    for (const std::string &kernel : package->kernels())
      all.push_back({file, kernel});
  }
  return all;
}

bool isElementwise(const dsl::Program &program) {
  return std::ranges::all_of(program.tensors,
                             [](const dsl::Tensor &t) { return t.shape.size() < 2; });
}

TensorValue emptyArray(const dsl::Program &program, const dsl::Tensor &tensor, std::int64_t rows) {
  TensorValue value{tensor.type, {}, {}};
  std::int64_t count = 1;
  for (dsl::ExprId extent : tensor.shape) {
    value.shape.push_back(program.constantIndex(extent).value_or(rows));
    count *= value.shape.back();
  }
  value.data.resize(count * dsl::byteSize(tensor.type), std::byte{0xee});
  return value;
}

dsl::EvalInputs inputsOf(const dsl::Program &program, std::int64_t rows) {
  dsl::EvalInputs inputs;
  for (const dsl::Tensor &t : program.tensors) {
    if (t.role != dsl::Tensor::Role::Input)
      continue;
    TensorValue value = emptyArray(program, t, rows);
    fill(value, isElementwise(program), static_cast<std::uint64_t>(rows));
    inputs.tensors[t.name] = std::move(value);
  }
  for (const dsl::Scalar &scalar : program.scalars)
    inputs.scalars[scalar.name] = 1; // the least number there is, or one
  return inputs;
}

void expectSameBits(const std::string &name, const TensorValue &want, const TensorValue &got) {
  const int bytes = dsl::byteSize(want.type);
  ASSERT_EQ(want.data.size(), got.data.size());
  for (std::size_t at = 0; at < want.data.size(); at += bytes) {
    const std::uint64_t w = lowBits(&want.data[at], bytes), g = lowBits(&got.data[at], bytes);
    const bool bothNan = dsl::isNanBits(want.type, w) && dsl::isNanBits(want.type, g);
    ASSERT_TRUE(w == g || bothNan)
        << name << ", element " << at / bytes << ": 0x" << std::hex << g << ", expected 0x" << w;
  }
}

} // namespace ordo::oracle
