// `ordo check`: the file, everything it uses and every kernel it declares.

#include "compiler/driver/contract.h"
#include "compiler/driver/failure.h"
#include "compiler/driver/text.h"

#include <fmt/core.h>

namespace ordo::compiler::driver {

int runCheck(const SourceOptions &options) {
  Contract contract(options);
  if (!options.kernel.empty()) {
    contract.program(options.kernel);
    fmt::print("{}: ok, kernel {}\n", contract.path(), options.kernel);
    return kFine;
  }
  bool isGood = true;
  for (const std::string &kernel : contract.kernels()) {
    try {
      contract.program(kernel);
    } catch (const Failure &) {
      isGood = false; // reported; the next kernel may have something else to say
    }
  }
  if (!isGood)
    return kRefused;
  fmt::print("{}: ok, {}\n", contract.path(), counted(contract.kernels().size(), "kernel"));
  return kFine;
}

} // namespace ordo::compiler::driver
