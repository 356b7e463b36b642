// What an audit of PTX that Ordo did not make found.
#pragma once

#include "compiler/verify/describe/audit.h"
#include "compiler/verify/machine/instruction.h"
#include "compiler/verify/signature/launch.h"

#include <string>

namespace ordo::compiler::driver {

struct PtxAudit {
  std::string path, signature; // as given
  verify::Kernel kernel;
  verify::LaunchSignature launch;
  verify::KernelAudit found;
};

/// "(T + 3) / 4".
std::string textOf(const verify::Extent &extent);
/// For a terminal; without the refusal, which goes elsewhere.
std::string ptxAuditText(const PtxAudit &audit);
std::string ptxAuditJson(const PtxAudit &audit);

} // namespace ordo::compiler::driver
