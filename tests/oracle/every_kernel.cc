#include "tests/oracle/every_kernel.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <set>

namespace ordo::oracle {

using dsl::DType;
using dsl::TensorValue;

namespace {

std::uint64_t lowBits(const std::byte *at, int bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, bytes);
  return bits;
}

// Patterns of rows in turn: plain values, any bits, signed zeros, subnormals and zeros, all -inf,
// one huge value.
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
// pattern. Where rows are folded the columns take the patterns in turn: one with a NaN would leave
// no column without. A whole number beside rows may choose a column, so every second one is small.
void fill(TensorValue &value, bool isElementwise, bool isFolded, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const int bytes = dsl::byteSize(value.type);
  const std::int64_t columns = isElementwise || value.shape.empty() ? 1 : value.shape.back();
  const bool isWeight = value.shape.size() < 2 && !isElementwise;
  for (std::size_t i = 0; i * bytes < value.data.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const std::int64_t row = at / columns, column = at % columns;
    std::uint64_t bits = isFolded ? element(value.type, isWeight ? 0 : column, row, random())
                                  : element(value.type, isWeight ? 0 : row, column, random());
    if (isWeight && !dsl::isFloat(value.type) && at % 2 == 0)
      bits &= 0x7f;
    std::memcpy(&value.data[i * bytes], &bits, bytes);
  }
}

// Dimensions that a reduction runs over.
std::set<dsl::ExprId> freeExtents(const dsl::Program &program) {
  std::set<dsl::ExprId> all;
  for (const dsl::Reduction &r : program.reductions)
    for (const dsl::VarId v : r.vars)
      if (!program.constantIndex(program.vars[v].extent))
        all.insert(program.vars[v].extent);
  return all;
}

// An axis before the last is folded.
bool foldsRows(const dsl::Program &program, const dsl::Tensor &tensor) {
  const std::set<dsl::ExprId> folded = freeExtents(program);
  return tensor.shape.size() > 1 &&
         std::any_of(tensor.shape.begin(), tensor.shape.end() - 1,
                     [&](dsl::ExprId extent) { return folded.contains(extent); });
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
  for (const char *file : {"contracts/nn/norm.ordo",
                           "contracts/nn/softmax.ordo",
                           "contracts/nn/log_sum_exp.ordo",
                           "contracts/nn/swiglu.ordo",
                           "contracts/nn/gelu.ordo",
                           "contracts/nn/sigmoid_gate.ordo",
                           "contracts/nn/selected_log_prob.ordo",
                           "contracts/nn/norm_backward.ordo",
                           "contracts/nn/column_sum.ordo",
                           "contracts/random/philox.ordo",
                           "contracts/random/noise.ordo",
                           "tests/contracts/odd_widths.ordo",
                           "tests/contracts/orders.ordo",
                           "tests/contracts/apply.ordo",
                           "tests/contracts/rounded.ordo",
                           "tests/contracts/composed.ordo",
                           "tests/contracts/chains.ordo",
                           "tests/contracts/tensorfloat.ordo",
                           "tests/contracts/words.ordo",
                           "tests/contracts/every_type.ordo",
                           "tests/contracts/columns.ordo"}) {
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
  return program.reductions.empty() &&
         std::ranges::all_of(program.tensors,
                             [](const dsl::Tensor &t) { return t.shape.size() < 2; });
}

std::optional<std::int64_t> foldedRows(const dsl::Program &program) {
  if (freeExtents(program).empty())
    return std::nullopt;
  constexpr std::int64_t kWide = 200, kMany = 300, kTwoChunks = 66;
  for (const dsl::Tensor &t : program.tensors)
    for (const dsl::ExprId extent : t.shape)
      if (program.constantIndex(extent).value_or(0) > kWide)
        return kTwoChunks;
  return kMany;
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
    fill(value, isElementwise(program), foldsRows(program, t), static_cast<std::uint64_t>(rows));
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
