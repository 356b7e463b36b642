// How tightly the operators bind, for the parser and the printer.
#pragma once

namespace ordo::dsl {

enum Level : int {
  kNone = 0, // no operator; also `if`, which binds loosest
  kOr,
  kAnd,
  kNot,
  kCompare,
  kBitOr,
  kBitXor,
  kBitAnd,
  kShift,
  kAdd,
  kMultiply,
  kUnary,
  kPostfix,
};

} // namespace ordo::dsl
