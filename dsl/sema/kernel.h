// Kernel declarations.
#pragma once

#include "dsl/sema/operator.h"

#include <optional>

namespace ordo::dsl {

/// Resolves `kernel` of `module`, or of a profile: finds the operator, matches the arguments with
/// its names, and builds the program, whose name is `symbol`. Nothing after a report.
std::optional<Program> buildKernel(const Module &module, NodeId kernel, const std::string &symbol,
                                   Reporter &report);

} // namespace ordo::dsl
