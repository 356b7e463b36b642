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

/// False, with a report, when an `mma` stage meets a target of the profile that names no atom.
bool hasAtoms(const Program &program, const KernelInfo &kernel, const ProfileInfo &profile,
              Reporter &report);

} // namespace ordo::dsl
