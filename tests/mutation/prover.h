// The proof of a kernel of the contracts, or of code in its place.
#pragma once

#include "compiler/verify/machine/instruction.h"
#include "compiler/verify/machine/limits.h"
#include "compiler/verify/proof/prove.h"
#include "tests/emulation/subject.h"

#include <string>

namespace ordo::mutation {

verify::Proof proofOf(const emulation::Subject &subject, const verify::Kernel &code,
                      verify::MachineLimits limits = {});

/// Why the verifier does not prove that the code is the subject's contract, or empty.
std::string refusalOf(const emulation::Subject &subject, const verify::Kernel &code);

/// Whether a proof takes half a minute: the widest rows, and chains of thousands of steps in one
/// thread.
bool takesLong(const std::string &kernel);

} // namespace ordo::mutation
