// A kernel's code, run on this CPU on a contract's inputs.
#pragma once

#include "compiler/verify/machine/gcn_steps.h"
#include "compiler/verify/machine/instruction.h"
#include "compiler/verify/machine/limits.h"
#include "compiler/verify/machine/run_order.h"
#include "dsl/eval/evaluator.h"
#include "dsl/term/program.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>

namespace ordo::verify {

struct EmulationLaunch {
  std::array<std::int64_t, 3> grid = {1, 1, 1}; // blocks; a zero: nothing runs
  std::array<std::int64_t, 3> block = {1, 1, 1};
  MachineLimits limits = {};
  RunOrder order = {};
};

/// Runs `kernel`, which must take a pointer for each input and output of `program`, then its free
/// dimensions as 64-bit integers, then its scalars (compiler/compile.h). Every element of an output
/// must be stored once (at most once where the output's definition has a `where`); NaNs are made
/// canonical. What is not in order (an address outside, a race, a barrier that not all reach, a
/// value nobody defined, an approximation) is the error, with the thread and the line.
dsl::EvalResult emulate(const dsl::Program &program, const Kernel &kernel,
                        const EmulationLaunch &launch, const dsl::EvalInputs &inputs,
                        Approximation approximations = Approximation::Nearest);

} // namespace ordo::verify
