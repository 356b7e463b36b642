// AMDGCN code objects to the machine's instructions.
#pragma once

#include "compiler/verify/gcn/object.h"
#include "compiler/verify/machine/instruction.h"

#include <optional>
#include <string_view>

namespace ordo::verify::gcn {

/// The kernel `name` of a code object, or the only one if `name` is empty. An instruction, a
/// modifier or a register that is not modelled is a failure that gives its address and text;
/// nothing is skipped. What the hardware needs beyond an instruction's meaning is trusted to LLVM:
/// wait states between dependent instructions (s_nop, s_delay_alu), clauses, prefetching.
///
/// Kernel::parameters are the kernarg segment's, unnamed, in their order; hidden ones are left out.
/// SourceLine::number is the address in the object.
std::optional<Kernel> read(std::string_view bytes, std::string_view name, ReadFailure &failure);

} // namespace ordo::verify::gcn
