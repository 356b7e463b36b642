// The identity of a contract: equal digests mean equal bits (design section 2).
#pragma once

#include "dsl/eval/atom/atom.h"
#include "dsl/term/program.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ordo::dsl {

/// The bytes that stand for the contract wherever it is hashed, one line a part: arguments by
/// position (types, shapes), requirements, then what the outputs need, each expression, definition
/// and reduction numbered where a fixed walk first completes it; literals as bits, orders by
/// structure; last, where `mma` is resolved, the atom's name and the version of its rule. Names,
/// comments, places and what no output needs are not in it.
std::string canonicalForm(const Program &program);

/// The reductions that outputs need, in the order in which canonicalForm numbers them: programs
/// alike but for their orders pair up, one by one.
std::vector<std::uint32_t> reductionsInOrder(const Program &program);

/// SHA-256 of canonicalForm(program), 64 lower-case hexadecimal digits.
std::string digest(const Program &program);

/// Whether an output needs a reduction with an `mma` stage, whose bits a matrix unit decides.
bool needsAtom(const Program &program);

/// The digest of another resolution: with `mma` for what Program::matrix says. The same as
/// digest(program) where needsAtom is false.
std::string digest(const Program &program, const AtomRule &mma);

/// SHA-256 of `text`, 64 lower-case hexadecimal digits.
std::string sha256Hex(const std::string &text);

/// Digests of pieces, by which two versions of a contract show where they part. A piece holds what
/// it refers to, so the first definition that is new is the one that changed.
struct ContractParts {
  std::string arguments;                // types and shapes
  std::vector<std::string> requires_;   // as Program::requires_, then Program::assumptions
  std::vector<std::string> definitions; // as Program::definitions
  std::vector<std::string> orders;      // spelt out, as reductionsInOrder numbers them
};
ContractParts partsOf(const Program &program);

} // namespace ordo::dsl
