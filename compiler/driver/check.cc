// `ordo check`: the file, everything it uses, every kernel it declares, and its lock.

#include "compiler/driver/contract.h"
#include "compiler/driver/failure.h"
#include "compiler/driver/lock.h"
#include "compiler/driver/profiles.h"
#include "compiler/driver/text.h"

#include <fmt/core.h>

namespace ordo::compiler::driver {

namespace {

int checkKernel(Contract &contract, const CheckOptions &options) {
  if (options.lock)
    throw misuse("--lock freezes whole profiles, not one kernel",
                 fmt::format("ordo check {} --lock", contract.path()));
  const std::string &kernel = options.source.kernel;
  requireUnchanged(contract, {{kernel, contract.program(kernel)}});
  fmt::print("{}: ok, kernel {}\n", contract.path(), options.source.kernel);
  return kFine;
}

/// Of the kernels that profiles declare; throws when any kernel does not resolve.
Programs resolveAll(Contract &contract) {
  Programs programs;
  bool isGood = true;
  for (const std::string &kernel : contract.kernels()) {
    try {
      dsl::Program program = contract.program(kernel);
      if (!contract.kernel(kernel).profile.empty())
        programs.emplace(kernel, std::move(program));
    } catch (const Failure &) {
      isGood = false; // reported; the next kernel may have something else to say
    }
  }
  if (!isGood)
    throw refusal("");
  return programs;
}

} // namespace

int runCheck(const CheckOptions &options) {
  Contract contract(options.source);
  requireKnownTargets(contract);
  if (!options.source.kernel.empty())
    return checkKernel(contract, options);
  if (options.lock && contract.profiles().empty())
    throw refusal(
        fmt::format("{} declares no profile, so there is nothing to lock", contract.path()));
  const Programs programs = resolveAll(contract);
  std::vector<std::vector<std::string>> rows;
  if (!contract.profiles().empty())
    for (const Fingerprint &each : compareWithLock(contract, programs, options.lock))
      rows.push_back({each.profile, each.digest.substr(0, 12),
                      each.isLocked ? "locked" : "not locked", each.resolution});
  fmt::print("{}: ok, {}\n{}", contract.path(), counted(contract.kernels().size(), "kernel"),
             table(rows, "  "));
  return kFine;
}

} // namespace ordo::compiler::driver
