// Expressions as lists of nodes to be computed in turn.
#pragma once

#include "dsl/term/program.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ordo::verify {

/// The nodes that some expressions need, operands first.
struct Plan {
  struct Step {
    dsl::ExprId expr = 0;
    bool varies = false; // with the variables that the plan was made for
  };
  std::vector<Step> steps;
  std::vector<std::uint32_t> operands; // of each step in turn: positions in `steps`
  std::vector<std::uint32_t> roots;    // positions in `steps`
};

/// The plan of `roots`; `changing` are the variables that change from one run to the next.
Plan planOf(const dsl::Program &program, std::span<const dsl::ExprId> roots,
            std::span<const dsl::VarId> changing = {});

/// The variables bound outside that a reduction's value depends on, in order; of reductions within
/// it, too.
std::vector<dsl::VarId> outerVariables(const dsl::Program &program,
                                       const dsl::Reduction &reduction);

} // namespace ordo::verify
