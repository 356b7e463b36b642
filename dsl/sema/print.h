// A resolved contract as text.
#pragma once

#include "dsl/term/program.h"

#include <string>

namespace ordo::dsl {

/// The kernel with its arguments, requirements and definitions, one a line; casts and roundings are
/// visible. A value that is used more than once and is more than a few operations, or that would
/// make a line too long, is named (%1, %2, …) and printed once, above its first use.
std::string printProgram(const Program &program);

/// One expression on one line, every part written out: for short ones, as extents and conditions
/// are.
std::string printExpr(const Program &program, ExprId id);

} // namespace ordo::dsl
