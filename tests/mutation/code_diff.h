// Where a mutant's instructions are not the kernel's.
#pragma once

#include "compiler/verify/machine/instruction.h"

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>

namespace ordo::mutation {

/// A run of Kernel::code.
struct Region {
  std::size_t begin = 0, end = 0;
  bool isEmpty() const { return begin == end; }
};

/// The instructions before and after are alike in both, but for the numbers of their registers and
/// of the places that branches go to.
struct CodeDiff {
  Region kernel, mutant;
  std::map<verify::RegisterId, verify::RegisterId> registers; // the kernel's as the mutant's
  bool isEmpty() const { return kernel.isEmpty() && mutant.isEmpty(); }
};

CodeDiff diffOf(const verify::Kernel &kernel, const verify::Kernel &mutant);

std::span<const verify::Instruction> within(const verify::Kernel &kernel, const Region &region);

/// The instruction as text, registers by their names; `withOperands`: or without its operands.
std::string printed(const verify::Kernel &kernel, const verify::Instruction &i,
                    bool withOperands = true);

} // namespace ordo::mutation
