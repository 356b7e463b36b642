// How far the variables of a definition run, read off the places where they stand as indices.
#pragma once

#include "dsl/sema/scope.h"
#include "dsl/term/program.h"

#include <string>
#include <vector>

namespace ordo::dsl {

/// `variable` as a whole index of a tensor or a definition, within the expression `root`.
struct ExtentUse {
  ExprId extent = kNone;
  Span span;
  std::string what; // "axis 0 of `x`"
};

/// All such places, in source order. Names are looked up in `scope`, where the definition's own
/// variables are not declared yet.
std::vector<ExtentUse> findExtents(const std::string &variable, NodeId root, const Scope &scope,
                                   const Program &program);

} // namespace ordo::dsl
