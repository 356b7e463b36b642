// A kernel's bytes to instructions, by LLVM's disassembler.
#pragma once

#include "compiler/verify/gcn/object.h"
#include "compiler/verify/gcn/syntax.h"

#include <optional>
#include <vector>

namespace ordo::verify::gcn {

/// Every instruction of the kernel, in order and without gaps. What LLVM does not decode, or
/// decodes with doubt, is a failure at its address.
///
/// The operands are read off LLVM's text, which is complete: assembling it again gives the same
/// bytes (tests/unit/compiler/verify/gcn/disassemble_test.cc tries that on every instruction our
/// kernels use).
std::optional<std::vector<Instruction>> disassemble(const KernelObject &kernel,
                                                    ReadFailure &failure);

} // namespace ordo::verify::gcn
