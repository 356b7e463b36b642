// The structural lowering passes. Each is one file; ordo-opt runs them by name.
#pragma once

#include "compiler/target/target.h"

#include <memory>

namespace mlir {
class Pass;
}

namespace ordo::compiler {

/// `ordo-lower-to-gpu{target=…}`: ordo.kernel to a gpu.func of loops, shuffles and shared memory.
std::unique_ptr<mlir::Pass> createLowerToGpuPass(const Target &target);
void registerLowerToGpuPass();

/// `ordo-lower-to-cpu`: ordo.kernel to a func.func of loops.
std::unique_ptr<mlir::Pass> createLowerToCpuPass();
void registerLowerToCpuPass();

/// Registers the passes above and `ordo-bind` with MLIR's command line.
void registerStructuralPasses();

} // namespace ordo::compiler
