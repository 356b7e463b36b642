// Statements and declarations without blocks as text.
#pragma once

#include "dsl/syntax/print_expr.h"

#include <string>

namespace ordo::dsl {

/// `left`, and `right` that starts with "= " or ":= ", which neighbours align.
struct Line {
  std::string left;
  std::string right;
};

/// The text of a statement, a declaration without a body, or the value of a block. Of a definition
/// by a recurrence only the left.
Line lineOf(const Ast &ast, ExprPrinter &printer, NodeId id);

/// The Fold or Iterate that `value` is, or takes a part of; kNoNode where it is an expression.
NodeId recurrenceIn(const Ast &ast, NodeId value);

/// `fold[j in N by kv] from (0.0)`, `iterate 10 (c = ctr)`: what stands before the block.
std::string recurrenceHead(ExprPrinter &printer, const Ast &ast, NodeId id);

/// The declaration's or statement's value, kNoNode where it has none.
NodeId valueOf(const Node &node);

} // namespace ordo::dsl
