// Numerics that each target does in its own way, or not at all.
#pragma once

#include "compiler/target/target.h"

#include <memory>

namespace mlir {
class Pass;
} // namespace mlir

namespace ordo::compiler {

/// Expands the ordo numerics and all arithmetic on bf16 and f16 into what the target rounds
/// correctly. What it has no exact expansion for is an error at the operation. Runs on any
/// operation, before the conversions to the LLVM dialect. As
/// `ordo-expand-numerics{target=cuda.sm_90a}` in ordo-opt.
std::unique_ptr<mlir::Pass> createExpandNumericsPass(const Target &target);
void registerExpandNumericsPass();

} // namespace ordo::compiler
