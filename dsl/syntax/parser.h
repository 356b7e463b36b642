// Tokens to the tree of ast.h.
//
// Lines. A statement ends with its line, with no mark. It goes on to the next line when
//   - it stands inside ( ) or [ ], in a list of generics < >, or in the head of a declaration;
//   - the line ends where more is needed: after an operator, `=`, `,`, `then`, `else`, …;
//   - the next line begins with what can only continue: `where`, `then`, `else`, `,` or a binary
//     operator other than `-`.
// So a line that begins with a name, `(`, `[` or `-` begins something new.
//
// The step of a fold is a block of statements that ends with `next (…)`; `merge` may begin a line.
//
// Precedence, loosest first: or; and; not; comparisons (a <= b < c is one chain); |; ^; &; << >>;
// + -; * / %; - ~ (prefix); call, index and part of a tuple. `if c then a else b` reaches as far
// right as it can and needs parentheses as an operand. The body of a reduction is a product; `dot`
// takes (a, b); `count` takes a comparison or a parenthesised condition. What follows an
// unparenthesised body with + or - is refused, because it reads both ways. fold, scan and iterate
// are whole values after `=`.
//
// Words such as fold, from, next, merge, top, of, at, view, profile mean what they mean only where
// the grammar has them, and are names elsewhere (contextualWords in lexer.h).
#pragma once

#include "dsl/syntax/ast.h"
#include "dsl/syntax/diagnostic.h"

namespace ordo::dsl {

/// Parses file `file` into `out`; false when an error was reported. After an error `out` holds what
/// could be read. Any bytes are safe input: nesting is limited (kNestingLimit), and so is the
/// height of a tree (kHeightLimit), hence walkers of an Ast may recurse.
bool parse(std::uint32_t file, const SourceManager &sources, Diagnostics &diagnostics, Ast &out);

/// Brackets, prefix operators, reductions and ifs inside one another.
inline constexpr int kNestingLimit = 200;
/// Nodes on a path from a statement to a leaf; a + b + c + … makes one for each operator.
inline constexpr int kHeightLimit = 1000;

} // namespace ordo::dsl
