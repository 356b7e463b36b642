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

/// The profile that declares it; null outside one.
const dsl::ProfileInfo *profileOf(const Contract &contract, const dsl::KernelInfo &kernel);

/// Whether the program has an `mma` stage and nothing says by which atom it folds: its bits, and
/// its digest, are not settled.
bool isOpen(const dsl::Program &program);

/// The kernel for a target of its profile. Without one, what its targets agree on. Throws misuse
/// that lists the targets where they do not agree, a refusal where no profile says.
dsl::Program resolvedProgram(Contract &contract, const std::string &kernel,
                             const std::string &target);

/// The rule that sema found by that name.
const dsl::AtomRule &atomOf(const dsl::MatrixUnit &unit);

/// "mma = nv.hopper.bf16 version 1"
std::string resolutionText(const dsl::AtomRule &atom);

} // namespace ordo::compiler::driver
