// Changes AMDGCN code objects, one instruction at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ordo::mutation {

struct Mutant {
  std::string rule;          // "operands", "operation", …
  std::uint64_t address = 0; // of the instruction; 0: the kernel's descriptor
  std::string before, after; // text
  std::string object;        // the changed code object
};

/// The rules, in the order in which they are applied to an instruction.
///
/// operands   exchanges the sources where their order matters
/// operation  another operation: add for sub, mul for add, min for max, or for and, …
/// fusion     a fused multiply-add without its sum, or without its product
/// relation   less for less or equal, equal for unequal
/// constant   a constant one larger
/// offset     an access four bytes further
/// register   the second source is the next register
/// lanes      an exchange with another lane
/// bound      lanes are not switched off
/// wait       no wait
/// barrier    no barrier
/// atomic     a store adds
/// order      (a + b) + c for (a + c) + b, where the sums follow each other
/// mode       the descriptor flushes, or rounds otherwise
std::vector<std::string> rules();

/// Every mutant of the kernel whose instruction assembles to as many bytes as before.
std::vector<Mutant> mutants(const std::string &object, const std::string &kernel);

} // namespace ordo::mutation
