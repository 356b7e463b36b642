// The identity of a contract: equal digests mean equal bits (design section 2).
#pragma once

#include "dsl/term/program.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ordo::dsl {

/// The bytes that stand for the contract wherever it is hashed, one line a part: arguments by
/// position (types, shapes), requirements, then what the outputs need, each expression, definition
/// and reduction numbered where a fixed walk first completes it; literals as bits, orders by
/// structure. Names, comments, places and what no output needs are not in it.
std::string canonicalForm(const Program &program);

/// The reductions that outputs need, in the order in which canonicalForm numbers them: programs
/// alike but for their orders pair up, one by one.
std::vector<std::uint32_t> reductionsInOrder(const Program &program);

/// SHA-256 of canonicalForm(program), 64 lower-case hexadecimal digits.
std::string digest(const Program &program);

} // namespace ordo::dsl
