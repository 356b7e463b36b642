// NVIDIA: PTX text, then a cubin by ptxas where that is installed.
#include "compiler/target/cuda/ptxas.h"
#include "compiler/target/llvm_backend.h"

namespace ordo::compiler {

bool emitCuda(LlvmBackend &backend, const Target &target, Emitted &out, std::string *error) {
  auto ptx = backend.generate(llvm::CodeGenFileType::AssemblyFile);
  if (!ptx) {
    *error = backend.error();
    return false;
  }
  out.assembly = std::move(*ptx);
  if (out.assembly.find(".extern .func") != std::string::npos) {
    *error = "the PTX calls a function it does not define";
    return false;
  }
  const auto ptxas = findPtxas();
  if (!ptxas) {
    out.note = "ptxas not found: PTX only";
    return true;
  }
  auto cubin = runPtxas(*ptxas, out.assembly, target.chip, error);
  if (!cubin)
    return false;
  out.object = std::move(cubin->object);
  out.note = std::move(cubin->version);
  out.registers = cubin->registers;
  out.spillBytes = cubin->spillBytes;
  out.sharedBytes = cubin->sharedBytes;
  return true;
}

} // namespace ordo::compiler
