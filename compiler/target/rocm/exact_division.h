// Division, and square root of f64, which AMD's instructions only approximate.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace ordo::compiler {

/// Replaces divisions of f32 and f64 and square roots of f64, of vectors too, by sequences whose
/// results are correctly rounded whatever v_rcp and v_rsq give within their documented error: 1 ulp
/// in f32, 2^29 ulp in f64. LLVM's own are not (docs/amdgcn.md), but for the root of f32. After the
/// optimiser, which knows what a division is.
void expandDivisions(llvm::Module &module);

} // namespace ordo::compiler
