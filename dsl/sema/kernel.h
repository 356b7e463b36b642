// Kernel declarations.
#pragma once

#include "dsl/sema/operator.h"

#include <optional>

namespace ordo::dsl {

/// Resolves `kernel` of `module`: finds the operator, matches the arguments with its names, and
/// builds the program. Nothing after a report.
std::optional<Program> buildKernel(const Module &module, NodeId kernel, Reporter &report);

} // namespace ordo::dsl
