// The bundle's index, docs/bundle.md: schema 1. No JSON library in this header.
#pragma once

#include "compiler/compile.h"
#include "compiler/driver/files.h"

#include <optional>
#include <string>
#include <vector>

namespace ordo::compiler::driver {

/// One file of a kernel and what it is: "object", "assembly", "ptx", "cubin" or "hsaco".
struct Artifact {
  std::string role;
  OutputFile file;
};

struct BuiltTarget {
  const Target *target = nullptr;
  CompiledKernel kernel;
  std::vector<Artifact> artifacts;
  std::optional<OutputFile> certificate; // of a kernel that is proven
};

struct BuiltKernel {
  dsl::Program program;
  std::string digest; // of the contract
  std::vector<BuiltTarget> targets;
};

/// The tools whose versions decide the bytes of a bundle.
struct Generator {
  std::string llvm;
  std::string ptxas; // empty: not found
};

/// What a tensor argument is: "input", "output", or "inout" where it is read and updated.
inline std::string roleText(const dsl::Tensor &tensor) {
  return !tensor.isRead() ? "output" : tensor.isWritten() ? "inout" : "input";
}

/// The operator with its module: "nn.norm.rms_norm".
inline std::string operatorName(const dsl::Program &program) {
  return program.module + "." + program.op;
}

/// A module of the contract, as it was read: what the kernels are proven against.
struct ContractSource {
  std::string module; // "nn.norm"
  OutputFile file;
};

/// The manifest of a bundle; the first source declares the kernels. The same arguments give the
/// same bytes.
std::string manifestText(const std::vector<ContractSource> &sources, const Generator &generator,
                         const std::vector<BuiltKernel> &kernels);

} // namespace ordo::compiler::driver
