// From a resolved kernel to the files that one target needs.
#pragma once

#include "compiler/driver/contract.h"
#include "compiler/driver/manifest.h"

#include <string>
#include <vector>

namespace ordo::compiler::driver {

/// The targets spelt in the list, each once, in the order given. Throws misuse that lists the known
/// targets and proposes the nearest.
std::vector<const Target *> targetsNamed(const std::vector<std::string> &names);

/// The files of a compiled kernel: KERNEL.TARGET.o and .s for a CPU, .ptx and .cubin (where ptxas
/// was there) for CUDA, .hsaco and .s for ROCm.
std::vector<Artifact> artifactsOf(const std::string &kernel, const Target &target,
                                  const CompiledKernel &compiled);

/// For CUDA, whether ptxas was there. Its version is then the kernel's note.
bool hasCubin(const BuiltTarget &built);

/// Compiles every kernel for every target, two at a time. Diagnostics go to stderr, all of them, in
/// the order of kernels and targets; then a refusal is thrown. Notes go to stderr, each text once.
std::vector<BuiltKernel> compileAll(Contract &contract, const std::vector<std::string> &kernels,
                                    const std::vector<const Target *> &targets, Emit stop);

} // namespace ordo::compiler::driver
