// Work on as many threads as there are cores.
#pragma once

#include <cstddef>
#include <functional>

namespace ordo::compiler::driver {

/// Calls work(0) … work(count - 1), several at a time; it must not throw. On a terminal "VERB 3 of
/// 66" shows how far it is.
void inParallel(const char *verb, std::size_t count, const std::function<void(std::size_t)> &work);

} // namespace ordo::compiler::driver
