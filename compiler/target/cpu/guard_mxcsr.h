// Keeps a CPU kernel's arithmetic independent of its caller's floating-point modes.
#pragma once

#include <memory>

namespace mlir {
class Pass;
} // namespace mlir

namespace ordo::compiler {

/// On a module of llvm.func: each public function becomes a shell that saves MXCSR, sets it to
/// round to nearest with subnormals kept and exceptions masked, calls the kernel's body, and
/// restores it.
std::unique_ptr<mlir::Pass> createGuardMxcsrPass();

} // namespace ordo::compiler
