#include "dsl/eval/evaluator.h"

#include "dsl/eval/launch.h"
#include "dsl/eval/machine.h"
#include "dsl/eval/numeric.h"

#include <algorithm>
#include <fmt/format.h>
#include <new>

namespace ordo::dsl {
namespace {

using machine::EvalError;
using machine::Machine;

std::optional<Launch> bind(const Program &program, const EvalInputs &inputs, std::string *error) {
  std::map<std::string, std::vector<std::int64_t>> shapes;
  for (const auto &[name, tensor] : inputs.tensors)
    shapes[name] = tensor.shape;
  return bindLaunch(program, shapes, inputs.dims, error);
}

void checkTensor(const Tensor &wanted, const TensorValue &given) {
  if (given.type != wanted.type)
    throw EvalError(fmt::format("input `{}` is {}; wanted is {}", wanted.name, name(given.type),
                                name(wanted.type)));
  const auto count = elementCount(given.shape, byteSize(given.type));
  if (!count || given.data.size() != static_cast<std::size_t>(*count) *
                                         static_cast<std::size_t>(byteSize(given.type)))
    throw EvalError(fmt::format("input `{}` of {}{} holds {} bytes", wanted.name, name(given.type),
                                shapeText(given.shape), given.data.size()));
  if (given.type == DType::Bool &&
      std::ranges::any_of(given.data, [](std::byte b) { return b > std::byte{1}; }))
    throw EvalError(fmt::format("input `{}` has a bool that is neither 0 nor 1", wanted.name));
}

void setInputs(const Program &program, const EvalInputs &inputs, Machine &machine) {
  for (TensorId t = 0; t < program.tensors.size(); ++t) {
    const Tensor &tensor = program.tensors[t];
    if (!tensor.isRead())
      continue;
    const TensorValue &value = inputs.tensors.at(tensor.name);
    checkTensor(tensor, value);
    machine.setInput(t, value.data.data());
  }
  for (ScalarId s = 0; s < program.scalars.size(); ++s) {
    const auto it = inputs.scalars.find(program.scalars[s].name);
    if (it == inputs.scalars.end())
      throw EvalError(fmt::format("scalar `{}` is missing; it is {}", program.scalars[s].name,
                                  name(program.scalars[s].type)));
    machine.setScalar(s, it->second);
  }
  for (const auto &[name, bits] : inputs.scalars)
    if (std::ranges::find(program.scalars, name, &Scalar::name) == program.scalars.end())
      throw EvalError(fmt::format("there is no scalar `{}`", name));
}

/// Zero bits, and what an InOut was.
std::vector<TensorValue> makeOutputs(const Program &program, const Launch &launch,
                                     const EvalInputs &inputs) {
  std::vector<TensorValue> outputs(program.tensors.size());
  for (TensorId t = 0; t < program.tensors.size(); ++t) {
    const Tensor &tensor = program.tensors[t];
    if (!tensor.isWritten())
      continue;
    if (tensor.isRead()) {
      outputs[t] = inputs.tensors.at(tensor.name);
      continue;
    }
    const auto count = elementCount(launch.shapes[t], byteSize(tensor.type));
    outputs[t] = {tensor.type, launch.shapes[t], {}};
    outputs[t].data.resize(static_cast<std::size_t>(*count) *
                           static_cast<std::size_t>(byteSize(tensor.type)));
  }
  return outputs;
}

/// By each assumption: the number of definitions that must be there before it can be checked.
std::vector<std::size_t> checkedAfter(const Program &program) {
  std::vector<std::size_t> after;
  for (const Assumption &assumption : program.assumptions) {
    std::vector<ExprId> roots = {assumption.where, assumption.condition, assumption.value,
                                 assumption.length};
    for (const VarId var : assumption.vars)
      roots.push_back(program.vars.at(var).extent);
    std::size_t &last = after.emplace_back(0);
    for (const ExprId id : machine::reachable(program, std::move(roots)))
      if (program.expr(id).op == Op::Use)
        last = std::max(last, static_cast<std::size_t>(program.expr(id).payload) + 1);
  }
  return after;
}

void run(const Program &program, const Launch &launch, const EvalInputs &inputs,
         EvalResult &result) {
  Machine machine(program, launch);
  setInputs(program, inputs, machine);
  std::vector<TensorValue> outputs = makeOutputs(program, launch, inputs);
  std::vector<bool> written(program.tensors.size());
  const std::vector<std::size_t> after = checkedAfter(program);
  for (DefId id = 0; id <= program.definitions.size(); ++id) {
    for (std::size_t a = 0; a < after.size(); ++a)
      if (after[a] == id)
        machine.check(program.assumptions[a]);
    if (id == program.definitions.size())
      break;
    const Definition &definition = program.definitions[id];
    const TensorId t = definition.output;
    if (t != kNone && (t >= outputs.size() || !program.tensors[t].isWritten() ||
                       definition.isUpdate != program.tensors[t].isRead()))
      throw EvalError("malformed program: a definition writes what is no output");
    machine.runDefinition(id, t == kNone ? nullptr : outputs[t].data.data());
    if (t != kNone)
      written[t] = true;
  }
  for (TensorId t = 0; t < program.tensors.size(); ++t) {
    if (!program.tensors[t].isWritten())
      continue;
    if (!written[t])
      throw EvalError(fmt::format("output `{}` has no definition", program.tensors[t].name));
    TensorValue &output = outputs[t];
    canonicalise(output.type, output.data.data(), output.data.size() / elementSize(output.type));
    result.outputs[program.tensors[t].name] = std::move(output);
  }
}

} // namespace

EvalResult evaluate(const Program &program, const EvalInputs &inputs) {
  EvalResult result;
  const auto launch = bind(program, inputs, &result.error);
  if (!launch)
    return result;
  const FloatEnvironment environment;
  try {
    run(program, *launch, inputs, result);
  } catch (const EvalError &error) {
    result.error = error.what();
  } catch (const std::bad_alloc &) {
    result.error = "not enough memory for the outputs and the definitions between";
  } catch (const std::length_error &) {
    result.error = "not enough memory for the outputs and the definitions between";
  }
  if (!result.ok())
    result.outputs.clear();
  return result;
}

} // namespace ordo::dsl
