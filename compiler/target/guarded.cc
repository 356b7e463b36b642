#include "compiler/target/guarded.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"

#include <mutex>

namespace ordo::compiler {

// A handler may not return to LLVM; it leaves through the recovery context of its thread.
static void onFatalError(void *message, const char *reason, bool /*withCrashDump*/) {
  *static_cast<std::string *>(message) = reason;
  if (auto *recovery = llvm::CrashRecoveryContext::GetCurrent())
    recovery->HandleExit(1);
}

std::optional<std::string> runGuarded(const std::function<void()> &work) {
  // The fatal error handler is one for the process.
  static std::mutex oneAtATime;
  const std::lock_guard lock(oneAtATime);
  std::string reason = "an internal error";
  llvm::ScopedFatalErrorHandler scoped(onFatalError, &reason);
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext recovery;
  const bool fine = recovery.RunSafely([&] { work(); });
  llvm::CrashRecoveryContext::Disable();
  if (fine)
    return std::nullopt;
  return reason;
}

} // namespace ordo::compiler
