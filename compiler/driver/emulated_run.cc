#include "compiler/driver/emulated_run.h"

#include "compiler/compile.h"
#include "compiler/driver/failure.h"
#include "compiler/driver/text.h"
#include "compiler/verify/emulate/emulate.h"
#include "compiler/verify/gcn/read.h"
#include "compiler/verify/ptx/read.h"
#include "dsl/eval/launch.h"

#include <fmt/core.h>

namespace ordo::compiler::driver {

namespace {

bool isEmulated(const Target &target) { return target.isGpu(); }

std::vector<std::string> emulatedTargets() {
  std::vector<std::string> names;
  for (const Target &target : targets())
    if (isEmulated(target))
      names.emplace_back(target.name);
  return names;
}

CompiledKernel compileFor(const Contract &contract, const dsl::Program &program,
                          const Target &target) {
  dsl::Diagnostics diagnostics(contract.sources());
  // PTX is text; AMDGCN is read off the code object that would run.
  const Emit stop = target.kind == Target::Kind::Rocm ? Emit::Object : Emit::Asm;
  auto compiled = compile(program, target, stop, diagnostics);
  report(diagnostics);
  if (!compiled)
    throw refusal("");
  return std::move(*compiled);
}

constexpr const char *kKnown = "the emulator knows the instructions that the compiler emits so far";

verify::Kernel readPtx(const dsl::Program &program, const CompiledKernel &compiled) {
  verify::ptx::ReadFailure failure;
  auto kernel = verify::ptx::read(compiled.assembly, program.kernel, failure);
  if (!kernel)
    throw refusal(fmt::format("line {} of the PTX: {}", failure.line, failure.message), kKnown);
  return std::move(*kernel);
}

verify::Kernel readCodeObject(const dsl::Program &program, const CompiledKernel &compiled) {
  verify::gcn::ReadFailure failure;
  auto kernel = verify::gcn::read(compiled.object, program.kernel, failure);
  if (!kernel)
    throw refusal(fmt::format("the code object at 0x{:x}: {}", failure.address, failure.message),
                  kKnown);
  return std::move(*kernel);
}

} // namespace

void requireEmulated(const std::string &target) {
  const Target *found = findTarget(target);
  if (found == nullptr || !isEmulated(*found))
    throw misuse(fmt::format("--on emu:{}: there is no emulator for this target", target),
                 fmt::format("emulated are {}", joined(emulatedTargets())));
}

std::map<std::string, dsl::TensorValue> runEmulated(const Contract &contract,
                                                    const dsl::Program &program,
                                                    const std::string &target,
                                                    const dsl::EvalInputs &inputs) {
  std::map<std::string, std::vector<std::int64_t>> shapes;
  for (const auto &[name, tensor] : inputs.tensors)
    shapes[name] = tensor.shape;
  std::string error;
  const auto bound = dsl::bindLaunch(program, shapes, inputs.dims, &error);
  if (!bound)
    throw refusal(error);
  const Target &found = *findTarget(target);
  const CompiledKernel compiled = compileFor(contract, program, found);
  const verify::Kernel kernel = found.kind == Target::Kind::Rocm ? readCodeObject(program, compiled)
                                                                 : readPtx(program, compiled);
  const auto grid = gridOf(program, compiled.launch, bound->dims);
  if (!grid)
    throw refusal("the launch has more blocks than a 64-bit integer counts");
  dsl::EvalResult result = verify::emulate(program, kernel, {*grid, compiled.launch.block}, inputs);
  if (!result.ok())
    throw refusal(result.error);
  return std::move(result.outputs);
}

} // namespace ordo::compiler::driver
