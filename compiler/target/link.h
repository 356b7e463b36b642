// Links what a code generator emits into what a loader takes, with lld in this process.
#pragma once

#include <optional>
#include <string>

namespace ordo::compiler {

/// Links one relocatable ELF file into a shared one: AMD's .hsaco, or the CPU's .so. Undefined
/// symbols are errors. Calls from several threads take turns, since lld has one state a process.
std::optional<std::string> linkShared(const std::string &object, std::string *error);

} // namespace ordo::compiler
