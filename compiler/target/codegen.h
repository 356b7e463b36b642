// From bound loops to code: the last two steps of every target. No MLIR and no LLVM in this header.
#pragma once

#include "compiler/target/target.h"

#include <optional>
#include <string>

namespace mlir {
class DialectRegistry;
class ModuleOp;
} // namespace mlir

namespace ordo::compiler {

/// What a target's code generator makes of one module.
struct Emitted {
  std::string llvmIr;   // optimised, as text
  std::string assembly; // PTX, AMDGCN or x86-64 assembly, as text
  std::string object;   // an ELF file: .o, cubin or .hsaco; empty for CUDA without ptxas
  std::string note;     // why `object` is empty; else which tool made it
  int registers = -1;   // of one thread (AMD: VGPRs); -1 where it is unknown or has no meaning
  int spillBytes = -1;  // what one thread keeps in memory for want of registers; -1 unknown
  int sharedBytes = -1; // static shared memory of a block; -1 unknown or without meaning
};

/// Adds the dialects that lowerToLlvmDialect() may create, and their translations to LLVM IR.
void registerCodegenDialects(mlir::DialectRegistry &registry);

/// Lowers scf, gpu, arith, vector, memref and the ordo numerics to the LLVM dialect, in place.
///
/// A GPU module holds one gpu.module of gpu.func kernels with known_block_size; a CPU module holds
/// func.func kernels. Kernel arguments are pointers and scalars; those marked `ordo.readonly` are
/// only read, and no two overlap. What a target cannot do becomes `error`, at its location.
bool lowerToLlvmDialect(mlir::ModuleOp module, const Target &target, std::string *error);

/// Optimises and emits what lowerToLlvmDialect() made. Code that would need a library (libm,
/// libgcc, libdevice) is refused, as is whatever LLVM, ptxas or lld refuse; `error` then says why.
std::optional<Emitted> emit(mlir::ModuleOp module, const Target &target, std::string *error);

} // namespace ordo::compiler
