// The loops of a kernel's code, where they have the shape that one step can stand for all.
#pragma once

#include "compiler/verify/machine/instruction.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ordo::verify {

/// A natural loop: `head` is entered from outside, and reached again by one edge.
struct Loop {
  std::uint32_t head = 0;  // indices into Kernel::code
  std::uint32_t exit = 0;  // the one branch that leaves it, at the end of a step
  std::uint32_t after = 0; // where that leads
  bool leavesWhenTaken = false;
  std::vector<bool> body;          // by index into Kernel::code
  std::vector<RegisterId> written; // in the body, each once
  /// Why one step cannot stand for all: several exits, barriers, shared memory. Empty: it can.
  std::string obstacle;
};

/// Innermost last. Where code can enter a loop beside its head, the loop's obstacle says so.
std::vector<Loop> loops(const Kernel &kernel);

} // namespace ordo::verify
