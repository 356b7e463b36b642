// The kinds of errors and warnings: names that stay when a message is reworded.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

namespace ordo::dsl {

/// Every kind there is. docs/errors.md explains each, tests/lit/fail has a case of each, and
/// tests/docs/kinds_test.py holds the three to one another.
inline constexpr std::string_view kKinds[] = {
    // Syntax
    "expected-token",
    "unexpected-end",
    "unexpected-character",
    "bad-number",
    "reserved-name",
    "missing-value",
    "module-line",
    "inout-result",
    "function-generics",
    "recurrence-place",
    "reduction-body",
    "unexpected-statement",
    "nesting-limit",
    "too-many-errors",
    // Names
    "unknown-name",
    "ambiguous-name",
    "duplicate-name",
    "duplicate-definition",
    "missing-definition",
    "used-before-definition",
    "shadowing",
    "recursion",
    "expected-value",
    "not-callable",
    "wrong-arity",
    "unused-definition",
    "unused-parameter",
    // Types and rounding
    "unknown-type",
    "type-mismatch",
    "bad-cast",
    "literal-type",
    "literal-overflow",
    "literal-underflow",
    "literal-without-context",
    "zero-divisor",
    // Indices and extents
    "not-indexable",
    "index-range",
    "index-overflow",
    "definition-index",
    "unknown-extent",
    "extent-conflict",
    "bad-extent",
    "bad-guard",
    "bad-update",
    "missing-assume",
    "bad-ranking",
    "bad-view",
    "array-size",
    "array-index",
    "iterate-count",
    // Orders
    "unknown-stage",
    "bad-order",
    "expected-order",
    "missing-order",
    "order-not-needed",
    // Kernels
    "expected-operator",
    "unknown-argument",
    "duplicate-argument",
    "missing-argument",
    "not-constant",
    "bad-require",
    "require-failed",
    "unknown-kernel",
    // Profiles
    "profile-version",
    "bad-ranks",
    "unknown-atom",
    "unmodelled-atom",
    "missing-atom",
    "atom-operand",
    "unknown-target",
    "forbidden-target",
    "changed-contract",
    // Modules
    "missing-module",
    "missing-module-line",
    "module-path",
    "module-cycle",
    // Compiling
    "not-lowered",
    "cannot-compile",
    "too-deep",
    "too-large",
    // Files
    "missing-file",
    "file-too-large",
    "invalid-utf8",
    "format-fault",
};

/// One of kKinds. Made from a string literal, which the compiler looks up: a kind that is not in
/// the list does not compile.
class Kind {
public:
  constexpr Kind() = default; // none yet: the name is empty
  consteval Kind(const char *name) : name_(name) {
    if (std::find(std::begin(kKinds), std::end(kKinds), name_) == std::end(kKinds))
      throw "not a kind of dsl/syntax/kinds.h";
  }

  constexpr std::string_view name() const { return name_; }

  friend constexpr bool operator==(Kind kind, std::string_view name) { return kind.name_ == name; }

private:
  std::string_view name_;
};

} // namespace ordo::dsl
