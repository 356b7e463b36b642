// How a command ends when it does not succeed.
#pragma once

#include <string>

namespace ordo::compiler::driver {

/// Design section 6: 0 fine, 1 refused or different, 2 misuse, 3 unknown.
enum ExitCode : int { kFine = 0, kRefused = 1, kMisuse = 2, kUnknown = 3 };

/// Thrown by a command, printed by `main` as `ordo: error: MESSAGE` and `  hint: HINT`. A failure
/// whose message is empty has been reported already (diagnostics of a contract).
struct Failure {
  int exitCode = kMisuse;
  std::string message;
  std::string hint;
};

/// The command line or the file system cannot serve the request.
inline Failure misuse(std::string message, std::string hint = "") {
  return {kMisuse, std::move(message), std::move(hint)};
}
/// The request is understood; a contract, an array or a target says no.
inline Failure refusal(std::string message, std::string hint = "") {
  return {kRefused, std::move(message), std::move(hint)};
}

} // namespace ordo::compiler::driver
