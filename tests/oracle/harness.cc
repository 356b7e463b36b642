#include "tests/oracle/harness.h"

#include "dsl/eval/evaluator.h"
#include "dsl/sema/package.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <memory>

namespace ordo::oracle {
namespace {

dsl::TensorValue toTensor(const Array &array) {
  dsl::TensorValue tensor;
  tensor.type = array.type;
  tensor.shape = array.shape;
  const std::size_t size = static_cast<std::size_t>(dsl::byteSize(array.type));
  const std::size_t part = std::min<std::size_t>(size, 4); // an element of 64 bits has two
  tensor.data.resize(array.bits.size() * part);
  for (std::size_t i = 0; i < array.bits.size(); ++i)
    std::memcpy(tensor.data.data() + i * part, &array.bits[i], part);
  return tensor;
}

Array fromTensor(const dsl::TensorValue &tensor) {
  Array array;
  array.type = tensor.type;
  array.shape = tensor.shape;
  const std::size_t size = static_cast<std::size_t>(dsl::byteSize(tensor.type));
  const std::size_t part = std::min<std::size_t>(size, 4);
  array.bits.resize(tensor.data.size() / part);
  for (std::size_t i = 0; i < array.bits.size(); ++i)
    std::memcpy(&array.bits[i], tensor.data.data() + i * part, part);
  return array;
}

} // namespace

std::map<std::string, Array> run(const std::string &file, const std::string &kernel,
                                 const std::map<std::string, Array> &inputs,
                                 const std::map<std::string, std::uint64_t> &scalars) {
  dsl::SourceManager sources;
  dsl::Diagnostics diagnostics(sources);
  const auto package = dsl::Package::load(file, {"contracts"}, sources, diagnostics);
  const auto program = package ? package->instantiate(kernel, diagnostics) : std::nullopt;
  if (!program) {
    ADD_FAILURE() << file << ":" << kernel << "\n" << diagnostics.renderAll();
    return {};
  }
  dsl::EvalInputs values;
  for (const auto &[name, array] : inputs)
    values.tensors.emplace(name, toTensor(array));
  values.scalars = {scalars.begin(), scalars.end()};
  const dsl::EvalResult result = dsl::evaluate(*program, values);
  if (!result.ok()) {
    ADD_FAILURE() << file << ":" << kernel << ": " << result.error;
    return {};
  }
  std::map<std::string, Array> outputs;
  for (const auto &[name, tensor] : result.outputs)
    outputs.emplace(name, fromTensor(tensor));
  return outputs;
}

std::vector<std::string> kernelsOf(const std::string &file) {
  dsl::SourceManager sources;
  dsl::Diagnostics diagnostics(sources);
  const auto package = dsl::Package::load(file, {"contracts"}, sources, diagnostics);
  if (package)
    return package->kernels();
  ADD_FAILURE() << diagnostics.renderAll();
  return {};
}

} // namespace ordo::oracle
