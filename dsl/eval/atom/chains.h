// Whole chains of one rule over decoded or packed operands; callers want atom.h.
#pragma once

#include "dsl/eval/atom/atom.h"

namespace ordo::dsl::atom {

/// The k-th element of a row, bits zero-extended.
struct Row {
  const void *data;
  std::int64_t first;  // element of k = 0
  std::int64_t stride; // elements from k to k + 1
  int bytes;

  std::uint64_t operator[](std::int64_t k) const;
};

/// Why `rule` cannot be run from accumulator `c` over `length` products, or null.
const char *unmodelled(const AtomRule &rule, std::int64_t length, std::uint64_t c);

/// The chain's result; the rule is modelled there. Needs the default floating-point environment.
std::uint64_t runChain(const AtomRule &rule, const Row &a, const Row &b, std::int64_t length,
                       std::uint64_t c);

} // namespace ordo::dsl::atom
