// Inputs that are hard on arithmetic: not-a-numbers, infinities, zeros of both signs, subnormals,
// the largest and the smallest values, and plain ones between.
#pragma once

#include "dsl/eval/evaluator.h"
#include "dsl/term/program.h"

#include <cstdint>

namespace ordo::mutation {

/// Rows of four kinds in turn: finite and mostly small; one not finite among plain ones; all kinds
/// at once; large. What is no float is as oracle::inputsOf has it.
dsl::EvalInputs hardInputs(const dsl::Program &program, std::int64_t rows, std::uint64_t seed);

} // namespace ordo::mutation
