// The tree back to text, in one canonical layout.
#pragma once

#include "dsl/syntax/ast.h"

#include <string>

namespace ordo::dsl {

/// The module as text: two spaces of indent, at most 100 columns where a line can be broken, `=` of
/// neighbouring lines in one column, parentheses where needed and around a left
/// operand that the author grouped, comments kept. Parsing the text
/// gives the same tree, and printing that the same text. `ast` must come from a parse without
/// errors.
std::string print(const Ast &ast);

/// One expression, order or type on one line, for messages and audits.
std::string printNode(const Ast &ast, NodeId id);

} // namespace ordo::dsl
