// `ordo eval`: a kernel's bits, from .npy files to .npy files.

#include "compiler/driver/contract.h"
#include "compiler/driver/cpu_run.h"
#include "compiler/driver/emulated_run.h"
#include "compiler/driver/eval_inputs.h"
#include "compiler/driver/failure.h"
#include "compiler/driver/files.h"
#include "compiler/driver/profiles.h"
#include "compiler/driver/text.h"
#include "compiler/driver/values.h"
#include "dsl/eval/launch.h"
#include "dsl/eval/npy.h"

#include <fmt/core.h>

namespace ordo::compiler::driver {

namespace {

constexpr std::size_t kShownValues = 6;
constexpr std::string_view kEmulated = "emu:";

using Outputs = std::map<std::string, dsl::TensorValue>;

Outputs compute(const Contract &contract, const dsl::Program &program, dsl::EvalInputs &inputs,
                const std::string &on) {
  if (on == "cpu")
    return runOnCpu(contract, program, inputs);
  if (on.starts_with(kEmulated))
    return runEmulated(contract, program, on.substr(kEmulated.size()), inputs);
  dsl::EvalResult result = dsl::evaluate(program, inputs);
  if (!result.ok())
    throw refusal(result.error);
  return std::move(result.outputs);
}

/// The file of each output that has one.
std::map<std::string, std::string> pathsOf(const EvalOptions &options) {
  std::map<std::string, std::string> paths;
  for (const NamedValue &output : options.outputs)
    paths[output.name] = output.value;
  return paths;
}

void writeOutputs(const Outputs &outputs, const std::map<std::string, std::string> &paths) {
  std::vector<OutputFile> files;
  for (const auto &[name, path] : paths)
    files.push_back({path, dsl::npyBytes(outputs.at(name))});
  writeFiles(files);
}

/// "T = 3, N = 4": the sizes that the call fixed.
std::string dimsText(const dsl::Program &program, const dsl::EvalInputs &inputs) {
  std::map<std::string, std::vector<std::int64_t>> shapes;
  for (const auto &[name, tensor] : inputs.tensors)
    shapes[name] = tensor.shape;
  std::string ignored;
  const auto launch = dsl::bindLaunch(program, shapes, inputs.dims, &ignored);
  std::vector<std::string> sizes;
  for (std::size_t dim = 0; launch && dim < program.dims.size(); ++dim)
    sizes.push_back(fmt::format("{} = {}", program.dims[dim].name, launch->dims[dim]));
  return joined(sizes);
}

/// ", mma = nv.hopper.bf16 version 1 (measured)"
std::string unitText(const dsl::Program &program) {
  if (!program.matrix)
    return "";
  const dsl::AtomRule &atom = atomOf(*program.matrix);
  return fmt::format(", {} ({})", resolutionText(atom), dsl::name(atom.provenance));
}

std::string methodText(const std::string &on) {
  if (on == "cpu")
    return "as compiled for this CPU";
  if (on.starts_with(kEmulated))
    return fmt::format("as compiled for {}, emulated", on.substr(kEmulated.size()));
  return "by the evaluator";
}

/// One line for the call, one for each output with its first values.
void printSummary(const dsl::Program &program, const EvalOptions &options,
                  const dsl::EvalInputs &inputs, const Outputs &outputs,
                  const std::map<std::string, std::string> &paths) {
  std::vector<std::vector<std::string>> rows;
  for (const dsl::Tensor &tensor : program.tensors) {
    if (!tensor.isWritten())
      continue;
    const dsl::TensorValue &value = outputs.at(tensor.name);
    const auto path = paths.find(tensor.name);
    rows.push_back(
        {tensor.name, fmt::format("{}{}", dsl::name(value.type), dsl::shapeText(value.shape)),
         path == paths.end() ? "not written" : path->second, firstValues(value, kShownValues)});
  }
  const std::string dims = dimsText(program, inputs);
  fmt::print("{} {}{}{}{}\n{}", program.kernel, methodText(options.on), unitText(program),
             dims.empty() ? "" : ", ", dims, table(rows, "  "));
}

} // namespace

int runEval(const EvalOptions &options) {
  if (options.on.starts_with(kEmulated))
    requireEmulated(options.on.substr(kEmulated.size()));
  Contract contract(options.source);
  const dsl::Program program =
      resolvedProgram(contract, onlyKernel(contract, options.source.kernel), options.target);
  requireNames(program, options);
  const std::map<std::string, std::string> paths = pathsOf(options);
  for (const auto &[name, path] : paths)
    requireWritableFile(path);
  dsl::EvalInputs inputs = readInputs(program, options);
  const Outputs outputs = compute(contract, program, inputs, options.on);
  writeOutputs(outputs, paths);
  printSummary(program, options, inputs, outputs, paths);
  return kFine;
}

} // namespace ordo::compiler::driver
