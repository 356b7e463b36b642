#include "compiler/target/guarded.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"

#include <mutex>

namespace ordo::compiler {

// Where the thread that runs guarded work wants LLVM's last words.
static thread_local std::string *lastWords = nullptr;

// A handler may not return to LLVM; it leaves through the recovery context of its thread.
static void onFatalError(void *, const char *reason, bool /*withCrashDump*/) {
  if (lastWords)
    *lastWords = reason;
  if (auto *recovery = llvm::CrashRecoveryContext::GetCurrent())
    recovery->HandleExit(1);
}

std::optional<std::string> runGuarded(const std::function<void()> &work) {
  // Handlers are one for the process, installed once; what they write to is the thread's.
  static std::once_flag installed;
  std::call_once(installed, [] {
    llvm::install_fatal_error_handler(onFatalError);
    llvm::CrashRecoveryContext::Enable();
  });
  std::string reason = "an internal error";
  lastWords = &reason;
  llvm::CrashRecoveryContext recovery;
  const bool fine = recovery.RunSafely([&] { work(); });
  lastWords = nullptr;
  if (fine)
    return std::nullopt;
  return reason;
}

} // namespace ordo::compiler
