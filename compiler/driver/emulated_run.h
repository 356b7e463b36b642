// Runs a kernel as the code that `build` makes for a GPU, on this CPU.
#pragma once

#include "compiler/driver/contract.h"
#include "dsl/eval/evaluator.h"

#include <map>
#include <string>

namespace ordo::compiler::driver {

/// Throws misuse unless `target` names a GPU whose code is emulated.
void requireEmulated(const std::string &target);

/// Compiles `program` for `target`, reads the code back and executes it in the verifier's machine
/// (compiler/verify/emulate). NaNs are canonical, as the evaluator's are. Throws a refusal, which
/// names the thread and the line where one misbehaves.
std::map<std::string, dsl::TensorValue> runEmulated(const Contract &contract,
                                                    const dsl::Program &program,
                                                    const std::string &target,
                                                    const dsl::EvalInputs &inputs);

} // namespace ordo::compiler::driver
