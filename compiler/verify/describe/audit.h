// A kernel that our compiler did not make: what it stores, or why that cannot be said.
#pragma once

#include "compiler/verify/describe/describe.h"
#include "compiler/verify/describe/finding.h"
#include "compiler/verify/machine/fault.h"
#include "compiler/verify/signature/launch.h"

#include <optional>
#include <vector>

namespace ordo::verify {

struct KernelAudit {
  std::vector<Finding> findings;
  std::optional<Fault> fault; // why there is no tree
  KernelTree tree;
};

/// The launch must fit the kernel (signature/build.h). One block is run, for all inputs, sizes and
/// blocks; what no contract has a word for is kept by name. That every element is written once, no
/// one asks here.
KernelAudit audit(const Kernel &kernel, const LaunchSignature &launch);

} // namespace ordo::verify
