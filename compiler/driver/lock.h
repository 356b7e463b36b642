// Lock files: what a profile's version meant when it was frozen (docs/profiles.md).
#pragma once

#include "compiler/driver/contract.h"

#include <map>
#include <string>

namespace ordo::compiler::driver {

/// Programs, their `mma` open or not, by the names of Contract::kernels(); those of profiles
/// suffice.
using Programs = std::map<std::string, dsl::Program>;

/// A fingerprint as a lock has it.
struct Fingerprint {
  std::string profile;
  std::string resolution; // "every target", or "mma = nv.hopper.bf16 version 1"
  std::string digest;     // 64 hexadecimal digits
  bool isLocked = false;
};

/// `norm.lock` for `norm.ordo`.
std::string lockPath(const std::string &contract);

/// Compares the contract's profiles with the lock file beside it, where there is one. Throws a
/// refusal that names the kernels and lines of what changed under an unchanged version, or says
/// that the file is no lock file. With `write`, versions that the lock does not hold are added to
/// it; nothing that it holds is changed or dropped.
std::vector<Fingerprint> compareWithLock(const Contract &contract, const Programs &programs,
                                         bool write);

/// The same for these kernels alone; those outside profiles count for nothing. Says nothing of
/// other kernels of their profiles.
void requireUnchanged(const Contract &contract, const Programs &programs);

} // namespace ordo::compiler::driver
