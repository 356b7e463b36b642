// What `eval` is given, checked against the kernel's arguments.
#pragma once

#include "compiler/driver/options.h"
#include "dsl/eval/evaluator.h"
#include "dsl/term/program.h"

namespace ordo::compiler::driver {

/// Throws misuse for a name that the kernel does not have, and for an input or scalar that it has
/// and that is not given, and when two outputs go to one file.
void requireNames(const dsl::Program &program, const EvalOptions &options);

/// Reads every input array and parses every scalar. Throws misuse for a file that cannot be read
/// and for a value that does not parse, a refusal for an array of another type.
dsl::EvalInputs readInputs(const dsl::Program &program, const EvalOptions &options);

} // namespace ordo::compiler::driver
