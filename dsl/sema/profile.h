// Profiles and kernels as declared: targets, atoms, ranks.
#pragma once

#include "dsl/sema/module.h"
#include "dsl/sema/package.h"

#include <utility>
#include <vector>

namespace ordo::dsl {

/// Checks what profiles and kernels of every module say beside their contracts, and lists those of
/// the root in source order; `places` tells where each kernel's declaration and names are. Reports
/// an unknown atom, a profile without a version, a number of ranks that is none.
void describeDeclarations(const ModuleSet &set, Reporter &report, std::vector<KernelInfo> &kernels,
                          std::vector<std::pair<const Module *, NodeId>> &places,
                          std::vector<ProfileInfo> &profiles);

/// False, with a report, when the kernel has no profile or its profile no such target.
bool hasTarget(const KernelInfo &kernel, const ProfileInfo *profile, const std::string &target,
               Reporter &report);

/// Sets program.matrix, where the program has an `mma` stage, to the atom of `target`, or without
/// one to the atom that all targets name. False, with a report, when a target of the profile names
/// no atom, or one that does not take the operands of a `dot`.
bool resolveAtoms(Program &program, const KernelInfo &kernel, const ProfileInfo &profile,
                  const std::string &target, Reporter &report);

} // namespace ordo::dsl
