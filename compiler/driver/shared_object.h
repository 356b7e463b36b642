// From an object file in memory to a shared object on disk.
#pragma once

#include <string>

namespace ordo::compiler::driver {

/// Links one x86-64 object into a shared object PATH with lld, in this process; PATH + ".o" is left
/// beside it. Throws a refusal that carries the linker's words. Not thread-safe: lld is not.
void linkSharedObject(const std::string &object, const std::string &path);

} // namespace ordo::compiler::driver
