// Whether code waits for what its loads deliver (AMDGCN): by its paths, not by running it.
#pragma once

#include "compiler/verify/machine/instruction.h"
#include "compiler/verify/machine/machine.h"

#include <string>

namespace ordo::mutation {

/// The first use, on some path of the text, of what an access has yet to deliver, or of a barrier
/// before an access to LDS is done; or empty.
std::string undelivered(const verify::Kernel &kernel);

/// The same on the paths that a wave of the block can take: branches on thread numbers alone go one
/// way, others both. Not empty, too, where there are too many paths.
std::string undeliveredInWaves(const verify::Kernel &kernel, verify::BlockShape block);

} // namespace ordo::mutation
