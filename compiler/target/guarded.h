// LLVM ends the process on what it calls fatal ("cannot select", say). A compiler's user wants a
// message.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace ordo::compiler {

/// Runs `work`. Where LLVM gives up within it, returns LLVM's words; what `work` had allocated is
/// lost.
std::optional<std::string> runGuarded(const std::function<void()> &work);

} // namespace ordo::compiler
