// ordo-opt: runs the compiler's passes on MLIR text, one by one. A tool for tests and for whoever
// works on a pass; users run `ordo build`.
#include "compiler/lower/expand_numerics.h"
#include "compiler/lower/passes.h"
#include "compiler/target/codegen.h"
#include "compiler/target/cpu/guard_mxcsr.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  using namespace ordo::compiler;
  mlir::DialectRegistry registry;
  registerCodegenDialects(registry);
  registerStructuralPasses();
  registerExpandNumericsPass();
  mlir::registerPass(createGuardMxcsrPass);
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "the ordo compiler's passes\n", registry));
}
