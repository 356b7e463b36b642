// The bits of a program's outputs, on the CPU: the oracle for every target.
#pragma once

#include "dsl/eval/tensor.h"
#include "dsl/term/program.h"

#include <cstdint>
#include <map>
#include <string>

namespace ordo::dsl {

struct EvalInputs {
  std::map<std::string, TensorValue> tensors;   // by name, every input and in-out argument
  std::map<std::string, std::uint64_t> scalars; // by name, every scalar, as bits of its type
  std::map<std::string, std::int64_t> dims;     // free dimensions that no input's axis shows
};

struct EvalResult {
  std::map<std::string, TensorValue> outputs; // by name, in-out arguments too; NaNs are canonical
  std::string error;                          // empty when it went well

  bool ok() const { return error.empty(); }
};

/// Runs every definition of `program`. Elements of an output that no point of its definition writes
/// are zero bits; those of an in-out argument keep what they were. Refused with a message: a
/// missing, unknown or mistyped input, a shape that does not fit, a `require` or an `assume` that
/// does not hold, a value that is needed where there is none (an index out of range, a guarded
/// definition where its guard is false, `top` with too few candidates), an element that two points
/// write, and a matrix product whose atom is not named, or not modelled where it is used.
EvalResult evaluate(const Program &program, const EvalInputs &inputs);

} // namespace ordo::dsl
