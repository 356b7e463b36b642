#include "compiler/target/codegen.h"
#include "compiler/target/diagnostics.h"
#include "compiler/target/guarded.h"
#include "compiler/target/llvm_backend.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace ordo::compiler {

// What LLVM reads: the one gpu.module of a GPU's module, or all of a CPU's.
static Operation *codeOf(ModuleOp module, const Target &target, std::string *error) {
  if (!target.isGpu())
    return module;
  auto kernels = module.getOps<gpu::GPUModuleOp>();
  if (kernels.empty() || std::next(kernels.begin()) != kernels.end()) {
    *error = "a GPU's module holds exactly one gpu.module";
    return nullptr;
  }
  return *kernels.begin();
}

static bool emitInto(Emitted &out, ModuleOp module, const Target &target, DiagnosticText &text,
                     std::string *error) {
  Operation *code = codeOf(module, target, error);
  if (!code)
    return false;
  LlvmBackend backend(target);
  if (!backend.translate(code)) {
    *error = text.take(backend.error());
    return false;
  }
  if (!backend.optimise()) {
    *error = backend.error();
    return false;
  }
  out.llvmIr = backend.ir();
  switch (target.kind) {
  case Target::Kind::Cpu:
    return emitCpu(backend, out, error);
  case Target::Kind::Cuda:
    return emitCuda(backend, target, out, error);
  case Target::Kind::Rocm:
    return emitRocm(backend, out, error);
  }
  return false;
}

std::optional<Emitted> emit(ModuleOp module, const Target &target, std::string *error) {
  Emitted out;
  bool done = false;
  // Out here, so that the context loses its handler even where LLVM gives up.
  DiagnosticText text(module.getContext());
  const auto crash = runGuarded([&] { done = emitInto(out, module, target, text, error); });
  if (crash) {
    *error = "LLVM stopped: " + *crash;
    return std::nullopt;
  }
  if (!done)
    return std::nullopt;
  return out;
}

} // namespace ordo::compiler
