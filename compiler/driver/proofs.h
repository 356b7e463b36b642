// Proofs of compiled kernels, for `build` and `verify`.
#pragma once

#include "compiler/driver/contract.h"
#include "compiler/target/target.h"
#include "compiler/verify/certificate/certificate.h"
#include "compiler/verify/proof/prove.h"
#include "dsl/term/program.h"

#include <map>
#include <string>

namespace ordo::compiler::driver {

/// Why the verifier has nothing to say of a target, or empty.
std::string notProvable(const Target &target);

/// What lies in a bundle for one kernel and target.
struct Provable {
  const dsl::Program *program = nullptr;
  const Target *target = nullptr;
  std::map<std::string, std::string> files; // bytes by role
  verify::Launch launch;
  std::string digest, recipe; // of the contract; recipeText()
  std::string ptxas;          // its version, or empty
};

struct Proven {
  verify::Proof proof;
  std::string certificate; // its text; empty where the proof is refused
  double milliseconds = 0;
};

/// Reads the code and proves it. Of a target that is provable. Never throws.
Proven proofOf(const Provable &of);

/// The refusal for people: what, where, and the two trees. Several lines, each ended.
std::string refusalText(const Contract &contract, const verify::Refusal &refusal);

/// What is proven: "ptx", or for AMD the machine code itself, "gcn".
std::string levelOf(const Target &target);

} // namespace ordo::compiler::driver
