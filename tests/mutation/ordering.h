// Arguments by happens-before for mutants of synchronisation, whose bits say nothing. They are of
// the code alone: they hold for all sizes, inputs and blocks, and share nothing with the verifier's
// machine but its instructions.
#pragma once

#include "compiler/verify/machine/instruction.h"
#include "compiler/verify/machine/machine.h"

#include <string>

namespace ordo::mutation {

/// Why the mutant orders all that the kernel orders, or empty if that is not found. Both:
/// - epochs: two accesses to shared memory, one a store, between which the kernel always has a
///   barrier of the block have one in the mutant too, whichever threads make them; or no byte is
///   touched by different threads in both, as far as thread numbers tell, or only by threads of one
///   wave that its lock step or its own barrier orders (touches.h);
/// - deliveries (AMDGCN): on every path that a wave can take the mutant waits for a load before it
///   uses what it delivers, and for all accesses to LDS before a barrier (deliveries.h).
/// The mutant must have the kernel's accesses to shared memory, in their order in the text. The
/// threads of a block that is one wave need no barrier in lock step, and elsewhere the wave's.
std::string ordersAll(const verify::Kernel &kernel, const verify::Kernel &mutant,
                      verify::BlockShape block);

} // namespace ordo::mutation
