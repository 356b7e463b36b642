// How far the variables of a definition run, read off the places where they stand as indices.
#pragma once

#include "dsl/sema/scope.h"
#include "dsl/term/program.h"

#include <string>
#include <vector>

namespace ordo::dsl {

/// The extents of what has indices: a tensor, a definition, a carry; none for anything else.
std::vector<ExprId> axesOf(const Entry &entry, const Program &program);

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
