// A kernel's code against its contract: the claim of design section 5, or why it does not stand.
//
// For all sizes, inputs and blocks: each element of each output is stored exactly once, by one
// thread, with the value of the contract's term; nothing else is stored. What the symbolic run
// excludes (races, addresses outside, flushing, contraction, atomics) is part of it.
#pragma once

#include "compiler/verify/machine/instruction.h"
#include "compiler/verify/machine/limits.h"
#include "dsl/term/program.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ordo::verify {

/// How the kernel is launched: ceil(product of the extents / rows) blocks along x, one along y, z.
struct Launch {
  std::array<std::int64_t, 3> block = {1, 1, 1};
  std::vector<dsl::ExprId> extents; // Index expressions over free dimensions
  std::int64_t rows = 1;
};

struct Refusal {
  std::string message;           // in one line: what is wrong, with the element and the sizes
  std::string where;             // "line 40 of sm_90a, `st.global…`, thread (1, 0, 0)", or empty
  std::optional<dsl::Span> span; // a place in the contract
  std::string trees;             // contract and code side by side where values part, or empty
};

struct Proof {
  std::optional<Refusal> refusal;               // nothing: proven
  std::vector<std::string> assumptions, axioms; // for the certificate
  std::uint64_t steps = 0, stores = 0, terms = 0;

  bool isProven() const { return !refusal; }
};

/// `limits`: what takes longer is refused.
Proof prove(const dsl::Program &program, const Kernel &kernel, const Launch &launch,
            MachineLimits limits = {});

} // namespace ordo::verify
