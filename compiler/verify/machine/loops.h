// The loops of a kernel's code, where they have the shape that one step can stand for all.
#pragma once

#include "compiler/verify/machine/instruction.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ordo::verify {

/// A natural loop, and one of the branches that leave it: a step is what lies between two askings
/// of that. Where a compiler has put the exit into the middle, what comes before it is done once
/// more than there are steps.
struct Loop {
  std::uint32_t head = 0;  // where a step begins; indices into Kernel::code
  std::uint32_t exit = 0;  // the branch that ends a step
  std::uint32_t after = 0; // where that leaves the loop to
  bool leavesWhenTaken = false;
  std::vector<bool> body;          // by index into Kernel::code
  std::vector<RegisterId> written; // in the body, each once, in order
  /// Those of them that may be read behind the loop before they are written again, in order. A hint
  /// alone: what is not among them is not kept.
  std::vector<RegisterId> readAfter;
  /// Why one step cannot stand for all: barriers, shared memory. Empty: it may.
  std::string obstacle;
};

/// One for each exit of each loop, innermost last. Where code can enter a loop beside its head, the
/// loop's obstacle says so.
std::vector<Loop> loops(const Kernel &kernel);

} // namespace ordo::verify
