#include "compiler/driver/parallel.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fmt/core.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace ordo::compiler::driver {

namespace {

/// "3 of 66 …" on a terminal, rewritten in place; nothing in a pipe.
class Progress {
public:
  Progress(const char *verb, std::size_t total)
      : verb_(verb), total_(total), isShown_(::isatty(STDERR_FILENO) != 0) {}
  ~Progress() {
    if (isShown_)
      std::fputs("\r\x1b[K", stderr);
  }
  void step(std::size_t done) const {
    if (isShown_)
      fmt::print(stderr, "\r\x1b[K{} {} of {}", verb_, std::min(done + 1, total_), total_);
  }

private:
  const char *verb_;
  std::size_t total_;
  bool isShown_;
};

} // namespace

void inParallel(const char *verb, std::size_t count, const std::function<void(std::size_t)> &work) {
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> done = 0;
  const Progress progress(verb, count);
  const auto take = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      progress.step(done);
      work(i);
      ++done;
    }
  };
  const std::size_t helpers =
      std::min<std::size_t>(std::max(1U, std::thread::hardware_concurrency()), count);
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < helpers; ++i)
    threads.emplace_back(take);
  take();
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace ordo::compiler::driver
