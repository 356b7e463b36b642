// Why a mutant that the proof takes is equal to its kernel.
#pragma once

#include "compiler/verify/machine/instruction.h"
#include "tests/mutation/change.h"

#include <functional>
#include <string>

namespace ordo::mutation {

/// Whether the proof takes the code.
using Proves = std::function<bool(const verify::Kernel &)>;

/// The reason, or empty if none is found. It is read off the instructions (operands exchanged that
/// commute), or shown by a proof of code that is altered further (variant.h): a result that may as
/// well be undefined is not used, a trap that is proven is not reached, and so on.
std::string reasonOf(const Change &change, const verify::Kernel &kernel,
                     const verify::Kernel &mutant, const Proves &proves);

} // namespace ordo::mutation
