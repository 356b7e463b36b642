#include "compiler/lower/passes.h"

#include "compiler/bind/bind.h"

namespace ordo::compiler {

void registerStructuralPasses() {
  registerBindPass();
  registerLowerToGpuPass();
  registerLowerToCpuPass();
}

} // namespace ordo::compiler
