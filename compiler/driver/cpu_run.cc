#include "compiler/driver/cpu_run.h"

#include "compiler/compile.h"
#include "compiler/driver/failure.h"
#include "compiler/driver/files.h"
#include "compiler/target/link.h"
#include "dsl/eval/launch.h"
#include "dsl/eval/numeric.h"
#include "runtime/cpu/library.h"

#include <fmt/core.h>

namespace ordo::compiler::driver {

namespace {

dsl::Launch bind(const dsl::Program &program, const dsl::EvalInputs &inputs) {
  std::map<std::string, std::vector<std::int64_t>> shapes;
  for (const auto &[name, tensor] : inputs.tensors)
    shapes[name] = tensor.shape;
  std::string error;
  const auto launch = dsl::bindLaunch(program, shapes, inputs.dims, &error);
  if (!launch)
    throw refusal(error);
  return *launch;
}

/// A shared object in memory.
std::string compileLibrary(const Contract &contract, const dsl::Program &program) {
  dsl::Diagnostics diagnostics(contract.sources());
  auto compiled = compile(program, *findTarget("cpu"), Emit::Object, diagnostics);
  report(diagnostics);
  if (!compiled)
    throw refusal("");
  std::string error;
  auto library = linkShared(compiled->object, &error);
  if (!library)
    throw refusal(fmt::format("cannot link the compiled kernel: {}", error));
  return std::move(*library);
}

dsl::TensorValue zeros(const dsl::Tensor &tensor, const std::vector<std::int64_t> &shape) {
  const auto count = dsl::elementCount(shape, dsl::byteSize(tensor.type));
  dsl::TensorValue value{tensor.type, shape, {}};
  value.data.resize(static_cast<std::size_t>(count.value_or(0) * dsl::byteSize(tensor.type)));
  return value;
}

runtime::Argument scalarArgument(dsl::DType type, std::uint64_t bits) {
  // An f8 is its byte; every other float travels in a vector register.
  if (dsl::isFloat(type) && dsl::bitWidth(type) > 8)
    return runtime::Argument::floating(bits);
  // A callee looks at the low bits only, but what is above them should be the value's own.
  return runtime::Argument::word(dsl::isSigned(type) ? dsl::castBits(type, dsl::DType::I64, bits)
                                                     : bits);
}

/// The arguments in launch order (compiler/compile.h).
std::vector<runtime::Argument> arguments(const dsl::Program &program, const dsl::Launch &launch,
                                         dsl::EvalInputs &inputs,
                                         std::map<std::string, dsl::TensorValue> &outputs) {
  std::vector<runtime::Argument> list;
  for (const dsl::Tensor &tensor : program.tensors) {
    auto &values = tensor.role == dsl::Tensor::Role::Input ? inputs.tensors : outputs;
    list.push_back(runtime::Argument::pointer(values.at(tensor.name).data.data()));
  }
  for (const std::int64_t size : launch.dims)
    list.push_back(runtime::Argument::word(static_cast<std::uint64_t>(size)));
  for (const dsl::Scalar &scalar : program.scalars)
    list.push_back(scalarArgument(scalar.type, inputs.scalars.at(scalar.name)));
  return list;
}

} // namespace

std::map<std::string, dsl::TensorValue>
runOnCpu(const Contract &contract, const dsl::Program &program, dsl::EvalInputs &inputs) {
  if (const std::string why = runtime::whyNoCpuKernels(); !why.empty())
    throw refusal(fmt::format("kernels of the target cpu do not run here: {}", why),
                  "--on eval computes the same bits");
  const dsl::Launch launch = bind(program, inputs);
  std::map<std::string, dsl::TensorValue> outputs;
  for (std::size_t i = 0; i < program.tensors.size(); ++i)
    if (program.tensors[i].role == dsl::Tensor::Role::Output)
      outputs[program.tensors[i].name] = zeros(program.tensors[i], launch.shapes[i]);

  const TemporaryFolder folder;
  const std::string path = folder.path() + "/kernel.so";
  writeFiles({{path, compileLibrary(contract, program)}});
  std::string error;
  const auto library = runtime::Library::open(path, error);
  if (!library ||
      !library->call(program.kernel, arguments(program, launch, inputs, outputs), error))
    throw refusal(fmt::format("cannot run the compiled kernel: {}", error));
  for (auto &[name, tensor] : outputs)
    dsl::canonicalise(tensor.type, tensor.data.data(),
                      tensor.data.size() / dsl::elementSize(tensor.type));
  return outputs;
}

} // namespace ordo::compiler::driver
