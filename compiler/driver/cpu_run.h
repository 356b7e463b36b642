// Runs a kernel as the code that `build --target cpu` makes of it.
#pragma once

#include "compiler/driver/contract.h"
#include "dsl/eval/evaluator.h"

#include <map>
#include <string>

namespace ordo::compiler::driver {

/// Compiles `program` for this CPU, loads the object and runs it once. Elements that the kernel
/// does not store are zero bits, and NaNs are made canonical, as the evaluator's are. The inputs'
/// types must be the program's; shapes and requires are checked here. Throws a refusal.
std::map<std::string, dsl::TensorValue>
runOnCpu(const Contract &contract, const dsl::Program &program, dsl::EvalInputs &inputs);

} // namespace ordo::compiler::driver
