// Runs a sketch's kernel through the evaluator. Shares no code with it but the values' container.
#pragma once

#include "dsl/eval/evaluator.h"
#include "tests/oracle/real.h"

#include <cstring>
#include <string>
#include <vector>

namespace ordo::oracle {

/// Kernel `name` of tests/oracle/sketches/small.ordo; fails the running test where it does not
/// check.
dsl::Program sketch(const std::string &name);

template <class T>
dsl::TensorValue tensorOf(dsl::DType type, std::vector<std::int64_t> shape,
                          const std::vector<T> &values) {
  dsl::TensorValue tensor{type, std::move(shape), {}};
  tensor.data.resize(values.size() * sizeof(T));
  if (!values.empty())
    std::memcpy(tensor.data.data(), values.data(), tensor.data.size());
  return tensor;
}
template <class T> std::vector<T> valuesOf(const dsl::TensorValue &tensor) {
  std::vector<T> values(tensor.data.size() / sizeof(T));
  if (!values.empty())
    std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
  return values;
}

inline std::uint16_t bf16Of(double value) {
  return static_cast<std::uint16_t>(encode(kBf16, value));
}
inline float floatOf(std::uint16_t bits) { return static_cast<float>(decode(kBf16, bits)); }

inline std::vector<std::uint16_t> normalBf16(std::size_t count, Random &random) {
  std::vector<std::uint16_t> values(count);
  for (std::uint16_t &value : values)
    value = bf16Of(random.normal());
  return values;
}
inline std::vector<float> normalF32(std::size_t count, Random &random) {
  std::vector<float> values(count);
  for (float &value : values)
    value = static_cast<float>(random.normal());
  return values;
}

/// seq(4) | pairs over f32, over nothing -0.0.
inline float treeSum(std::vector<float> values) {
  std::vector<float> runs;
  for (std::size_t i = 0; i < values.size(); ++i)
    i % 4 == 0 ? runs.push_back(values[i]) : void(runs.back() += values[i]);
  while (runs.size() > 1) {
    std::vector<float> next;
    for (std::size_t i = 0; i < runs.size(); i += 2)
      next.push_back(i + 1 < runs.size() ? runs[i] + runs[i + 1] : runs[i]);
    runs = next;
  }
  return runs.empty() ? -0.0f : runs[0];
}

/// The outputs; a refusal fails the running test and gives none.
std::map<std::string, dsl::TensorValue> evaluated(const dsl::Program &program,
                                                  const dsl::EvalInputs &inputs);

} // namespace ordo::oracle
