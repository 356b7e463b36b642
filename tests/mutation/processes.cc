#include "tests/mutation/processes.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace ordo::mutation {
namespace {

std::string faultOf(int status) {
  if (WIFSIGNALED(status))
    return WTERMSIG(status) == SIGALRM ? "took too long"
                                       : "ended by signal " + std::to_string(WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : "failed";
}

} // namespace

std::vector<Failure> inProcesses(std::size_t count, unsigned jobs, unsigned seconds,
                                 const std::function<bool(std::size_t)> &work,
                                 const std::function<void(std::size_t)> &done) {
  std::vector<Failure> failures;
  std::map<pid_t, std::size_t> running;
  for (std::size_t next = 0; next < count || !running.empty();) {
    if (next < count && running.size() < jobs) {
      std::fflush(nullptr); // or both would print what is buffered
      const pid_t child = fork();
      if (child == 0) {
        alarm(seconds);
        const bool isDone = work(next);
        std::fflush(nullptr);
        _exit(isDone ? 0 : 1);
      }
      if (child < 0)
        failures.push_back({next, std::strerror(errno)});
      else
        running[child] = next;
      ++next;
      continue;
    }
    int status = 0;
    const pid_t ended = wait(&status);
    const auto it = running.find(ended);
    if (it == running.end())
      continue;
    if (const std::string why = faultOf(status); !why.empty())
      failures.push_back({it->second, why});
    done(it->second);
    running.erase(it);
  }
  return failures;
}

std::string variable(const char *name, const std::string &otherwise) {
  const char *value = std::getenv(name);
  return value == nullptr || *value == 0 ? otherwise : value;
}

unsigned jobsOf(const char *name) {
  const std::string text = variable(name, "");
  return text.empty() ? std::max(1u, std::thread::hardware_concurrency())
                      : static_cast<unsigned>(std::max(1, std::atoi(text.c_str())));
}

} // namespace ordo::mutation
