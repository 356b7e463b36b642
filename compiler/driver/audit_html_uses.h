// Which parts of which files make up a kernel.
#pragma once

#include "compiler/driver/contract.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ordo::compiler::driver {

/// A file that the kernel draws on.
struct UsedFile {
  dsl::Ast ast;
  std::vector<bool> isUsed; // for each of the file's declarations
};

/// Every file with a declaration that the kernel needs, the contract's own first. A declaration
/// counts where a used one names it or where an expression of the program was written. Names are
/// matched by their spelling, so a local name may bring in a declaration that is spelt alike: a
/// listing then shows a little more than the kernel needs, never less.
std::vector<UsedFile> usedFiles(const Contract &contract, const dsl::Program &program);

/// The declaration of `ast` that holds the byte `offset`; its declaration count when none does.
std::size_t declarationAt(const dsl::Ast &ast, std::uint32_t offset);

} // namespace ordo::compiler::driver
