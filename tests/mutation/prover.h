// The verifier, as the judge of mutants asks it.
#pragma once

#include "compiler/verify/proof/prove.h"
#include "tests/mutation/judge.h"

#include <string>

namespace ordo::mutation {

/// Why the verifier does not prove that the code is the subject's contract, or empty.
std::string refusalOf(const emulation::Subject &subject, const verify::Kernel &code);

/// Whether a proof takes half a minute: the widest rows, and chains of thousands of steps in one
/// thread.
bool takesLong(const std::string &kernel);

} // namespace ordo::mutation
