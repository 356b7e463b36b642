// One kernel to one target: the whole pipeline behind one call. No MLIR in this header.
#pragma once

#include "compiler/target/target.h"
#include "dsl/syntax/diagnostic.h"
#include "dsl/term/program.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace ordo::compiler {

/// Where to stop. Each stage's text is in CompiledKernel::text.
enum class Emit : std::uint8_t {
  Ordo,   // the ordo dialect, as imported
  Bound,  // with stages bound to axes
  Loops,  // `gpu`: scf, gpu, arith and the ordo numerics
  Llvm,   // LLVM IR, optimised
  Asm,    // `ptx`, `amdgcn` or `asm`, by the target
  Object, // everything: assembly and object
};

/// How to launch. Grid x is ceil(product of the row extents / rows); y and z are 1.
struct LaunchRecipe {
  std::array<std::int64_t, 3> block = {1, 1, 1};
  std::int64_t rows = 1;               // rows of a block
  std::vector<dsl::ExprId> rowExtents; // in the Program: Index expressions over free dimensions
  std::int64_t sharedBytes = 0;        // static shared memory, for information
};

/// The blocks of a launch for these sizes of the free dimensions (by DimId); nothing where they do
/// not fit 64 bits.
std::optional<std::array<std::int64_t, 3>>
gridOf(const dsl::Program &program, const LaunchRecipe &launch, std::span<const std::int64_t> dims);

/// The symbol is Program::kernel. Its arguments, in order: a pointer for each input tensor, one for
/// each output, every free dimension as i64 (in Program::dims order), every launch-time scalar in
/// its type. A CPU kernel takes the same and computes all rows. Pointers are aligned to
/// kPointerAlignment.
struct CompiledKernel {
  std::string text;     // of the stage asked for
  std::string assembly; // PTX, AMDGCN or x86-64 assembly
  std::string object;   // .o, cubin or hsaco; empty for CUDA where ptxas is missing
  std::string note;     // e.g. why a cubin is missing
  LaunchRecipe launch;
  int registers = -1; // of a GPU thread, as ptxas or the code object says; -1 unknown
  int spillBytes = -1;
};

inline constexpr std::int64_t kPointerAlignment = 16;

/// Compiles; on refusal reports to `diagnostics` at the place in the contract and returns nothing.
std::optional<CompiledKernel> compile(const dsl::Program &program, const Target &target, Emit stop,
                                      dsl::Diagnostics &diagnostics);

} // namespace ordo::compiler
