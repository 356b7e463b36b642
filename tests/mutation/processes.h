// Work in several processes of this machine: what fails, crashes or does not end takes nothing else
// with it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace ordo::mutation {

struct Failure {
  std::size_t item = 0;
  std::string why; // "ended by signal 11"
};

/// Calls work(0) … work(count - 1), each in a process forked from this one, at most `jobs` at a
/// time; one that takes longer than `seconds` is ended. `work` returns whether it did it. `done` is
/// called here after each, in the order in which they end.
std::vector<Failure> inProcesses(std::size_t count, unsigned jobs, unsigned seconds,
                                 const std::function<bool(std::size_t)> &work,
                                 const std::function<void(std::size_t)> &done);

/// An environment variable; `otherwise` if it is not set or empty.
std::string variable(const char *name, const std::string &otherwise);

/// As many processes as the variable says, or as there are processors.
unsigned jobsOf(const char *name);

} // namespace ordo::mutation
