// What profiles say of targets and ranks, held against what the compiler has.
#pragma once

#include "compiler/driver/contract.h"
#include "compiler/target/target.h"

#include <string>
#include <vector>

namespace ordo::compiler::driver {

/// Refuses a profile that names a target which the compiler does not have: a misspelt `forbid`
/// would forbid nothing.
void requireKnownTargets(const Contract &contract);

/// Refuses to build a kernel for a target that its profile forbids, or one cut over ranks, which is
/// not lowered yet.
void requireBuildable(const Contract &contract, const std::vector<std::string> &kernels,
                      const std::vector<const Target *> &targets);

} // namespace ordo::compiler::driver
