#include "compiler/driver/eval_inputs.h"

#include "compiler/driver/failure.h"
#include "compiler/driver/text.h"
#include "compiler/driver/values.h"
#include "dsl/eval/npy.h"
#include "dsl/syntax/diagnostic.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fmt/core.h>
#include <unistd.h>

namespace ordo::compiler::driver {

namespace {

using dsl::Tensor;

/// A kind of argument that is given by name: what it is called, and the option that gives it.
struct ArgumentKind {
  const char *noun;
  const char *option;
};
constexpr ArgumentKind kInput = {"input", "--in"};
constexpr ArgumentKind kOutput = {"output", "--out"};
constexpr ArgumentKind kScalar = {"launch-time scalar", "--scalar"};
constexpr ArgumentKind kDim = {"free dimension", "--dim"};

template <class T> std::vector<std::string> namesOf(const std::vector<T> &items) {
  std::vector<std::string> names;
  for (const T &item : items)
    names.push_back(item.name);
  return names;
}

/// The tensors with this property; an in-out argument is read and written.
std::vector<std::string> tensorNames(const dsl::Program &program, bool (Tensor::*has)() const) {
  std::vector<std::string> names;
  for (const Tensor &tensor : program.tensors)
    if ((tensor.*has)())
      names.push_back(tensor.name);
  return names;
}

bool contains(const std::vector<std::string> &names, const std::string &name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void requireKnown(const dsl::Program &program, const std::vector<NamedValue> &given,
                  const std::vector<std::string> &known, ArgumentKind kind) {
  for (const NamedValue &each : given) {
    if (contains(known, each.name))
      continue;
    const std::string near = dsl::didYouMean(each.name, known);
    throw misuse(fmt::format("{} has no {} '{}'", program.kernel, kind.noun, each.name),
                 known.empty() ? fmt::format("it has none; leave out {}", kind.option)
                               : (near.empty() ? "" : fmt::format("did you mean '{}'? ", near)) +
                                     fmt::format("it has {}", joined(known)));
  }
}

void requireGiven(const dsl::Program &program, const std::vector<NamedValue> &given,
                  const std::vector<std::string> &known, ArgumentKind kind) {
  const std::vector<std::string> names = namesOf(given);
  std::vector<std::string> missing;
  std::string hint = "add";
  for (const std::string &name : known) {
    if (contains(names, name))
      continue;
    missing.push_back(name);
    hint += fmt::format(" {} {}={}", kind.option, name,
                        kind.option == kInput.option ? name + ".npy" : "VALUE");
  }
  if (!missing.empty())
    throw misuse(fmt::format("{} also needs the {}{} {}", program.kernel, kind.noun,
                             missing.size() == 1 ? "" : "s", joined(missing)),
                 hint);
}

std::int64_t parseSize(const NamedValue &dim) {
  std::int64_t size = 0;
  const char *end = dim.value.data() + dim.value.size();
  const auto result = std::from_chars(dim.value.data(), end, size);
  if (result.ec != std::errc() || result.ptr != end || size < 0)
    throw misuse(fmt::format("{} = {} is no size", dim.name, dim.value),
                 "a size is a whole number, zero or more");
  return size;
}

dsl::TensorValue readArray(const std::string &path, dsl::DType type) {
  if (::access(path.c_str(), R_OK) != 0)
    throw misuse(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  std::string error;
  auto array = dsl::readNpy(path, type, &error);
  if (!array)
    throw refusal(error);
  return std::move(*array);
}

} // namespace

void requireNames(const dsl::Program &program, const EvalOptions &options) {
  const std::vector<std::string> inputs = tensorNames(program, &Tensor::isRead);
  const std::vector<std::string> scalars = namesOf(program.scalars);
  requireKnown(program, options.inputs, inputs, kInput);
  requireKnown(program, options.outputs, tensorNames(program, &Tensor::isWritten), kOutput);
  requireKnown(program, options.scalars, scalars, kScalar);
  requireKnown(program, options.dims, namesOf(program.dims), kDim);
  requireGiven(program, options.inputs, inputs, kInput);
  requireGiven(program, options.scalars, scalars, kScalar);
  for (std::size_t i = 0; i < options.outputs.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (options.outputs[i].value == options.outputs[j].value)
        throw misuse(fmt::format("the outputs {} and {} both go to {}", options.outputs[j].name,
                                 options.outputs[i].name, options.outputs[i].value));
}

dsl::EvalInputs readInputs(const dsl::Program &program, const EvalOptions &options) {
  dsl::EvalInputs inputs;
  for (const NamedValue &given : options.scalars)
    for (const dsl::Scalar &scalar : program.scalars)
      if (given.name == scalar.name)
        inputs.scalars[scalar.name] = parseValue(scalar.name, given.value, scalar.type);
  for (const NamedValue &dim : options.dims)
    inputs.dims[dim.name] = parseSize(dim);
  for (const NamedValue &given : options.inputs)
    for (const Tensor &tensor : program.tensors)
      if (given.name == tensor.name)
        inputs.tensors[tensor.name] = readArray(given.value, tensor.type);
  return inputs;
}

} // namespace ordo::compiler::driver
