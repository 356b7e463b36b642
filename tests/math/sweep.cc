// Evaluates a contract's function, as the code that `ordo build --target cpu` made of it, over all
// 2^32 inputs, and compares every output with the correctly rounded value (functions.h).
//
//   sweep exp exp.so exp_f32 --state exp.sweep
//
// Inputs are taken in chunks by several threads. Each finished chunk is a line of the state file; a
// run that is started again with the same kernel goes on from there. Exit code 0: all correctly
// rounded; 1: not.
#include "tests/math/functions.h"
#include "tests/math/kernel.h"
#include "tests/math/mix.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>
#include <vector>

namespace ordo::math {
namespace {

constexpr std::uint64_t kInputs = std::uint64_t{1} << 32;
constexpr std::uint64_t kChunk = std::uint64_t{1} << 22;
constexpr std::size_t kBatch = 4096; // of one call: its arrays stay in the nearest cache

struct Options {
  std::string function, library, symbol, state, hard, list;
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  std::uint64_t stride = 1;
  std::uint64_t random = 10'000'000;
  std::size_t show = 20;
};

struct Miss {
  std::uint32_t input, got, want;
};

/// What a part of the sweep found.
struct Tally {
  std::uint64_t inputs = 0, misrounded = 0, byMpfr = 0, hash = 0;
  double worst = 0.0; // in ulps of f32, by the library's f64
  std::uint32_t worstInput = 0;
  std::vector<Miss> misses; // the first ones
  std::vector<std::pair<std::uint32_t, std::uint32_t>> hard;

  void add(const Tally &other, std::size_t show) {
    inputs += other.inputs;
    misrounded += other.misrounded;
    byMpfr += other.byMpfr;
    hash += other.hash;
    if (other.worst > worst) {
      worst = other.worst;
      worstInput = other.worstInput;
    }
    for (const Miss &miss : other.misses)
      if (misses.size() < show)
        misses.push_back(miss);
    hard.insert(hard.end(), other.hard.begin(), other.hard.end());
  }
};

/// |got - value| in ulps of f32 at `value`, as exactError has it, to 2^-22.
double roughError(float got, double value) {
  constexpr double kLimit = 0x1p128;
  if (std::isnan(got) || std::isnan(value))
    return std::isnan(got) == std::isnan(value) ? 0.0 : HUGE_VAL;
  const double magnitude = std::fabs(value);
  if (std::isinf(got) && magnitude >= kLimit)
    return std::signbit(got) == std::signbit(value) ? 0.0 : HUGE_VAL;
  if (std::isinf(value))
    return HUGE_VAL;
  const double given = std::isinf(got) ? std::copysign(kLimit, got) : static_cast<double>(got);
  const double clamped = std::clamp(magnitude, 0x1p-126, 0x1.fp127);
  const std::uint64_t binade = std::bit_cast<std::uint64_t>(clamped) >> 52;
  return std::fabs(given - value) * std::bit_cast<double>((2046 + 23 - binade) << 52);
}

class Sweep {
public:
  Sweep(const Options &options, const Function &function, Kernel &kernel)
      : options_(options), function_(function), kernel_(kernel) {}

  /// Inputs first, first + stride, …
  Tally range(std::uint64_t first, std::uint64_t count) const {
    Tally tally;
    std::vector<std::uint32_t> x(kBatch);
    for (std::uint64_t done = 0; done < count; done += x.size()) {
      x.resize(std::min<std::uint64_t>(kBatch, count - done));
      for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<std::uint32_t>(first + (done + i) * options_.stride);
      batch(x, tally);
    }
    return tally;
  }

  void batch(std::span<const std::uint32_t> x, Tally &tally) const {
    std::vector<std::uint32_t> y(x.size());
    kernel_.run(x, y);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double value = function_.library(static_cast<double>(std::bit_cast<float>(x[i])));
      const bool isHard = isNearBoundary(value);
      const auto rounded = static_cast<float>(value);
      const std::uint32_t want = isHard              ? exactly(function_, x[i])
                                 : std::isnan(value) ? 0x7fc00000u
                                                     : std::bit_cast<std::uint32_t>(rounded);
      tally.hash += mix(x[i], y[i]);
      if (isHard) {
        ++tally.byMpfr;
        if (!options_.hard.empty())
          tally.hard.emplace_back(x[i], want);
      }
      const double error = roughError(std::bit_cast<float>(y[i]), value);
      if (error > tally.worst) {
        tally.worst = error;
        tally.worstInput = x[i];
      }
      if (y[i] == want)
        continue;
      ++tally.misrounded;
      if (tally.misses.size() < options_.show)
        tally.misses.push_back({x[i], y[i], want});
    }
    tally.inputs += x.size();
  }

private:
  const Options &options_;
  const Function &function_;
  Kernel &kernel_;
};

// A chunk a line: its number, then the tally. The first line names what was swept.
class State {
public:
  State(const std::string &path, const std::string &title) : path_(path) {
    if (path.empty())
      return;
    std::ifstream in(path);
    std::string line;
    if (std::getline(in, line) && line != title)
      throw std::runtime_error(fmt::format("{} is of another sweep: {}", path, line));
    while (std::getline(in, line))
      if (line.ends_with(" .")) // whole
        read(line);
    in.close();
    const bool isNew = !std::ifstream(path).good();
    out_.open(path, std::ios::app);
    if (isNew)
      out_ << title << "\n";
  }

  const std::map<std::uint64_t, Tally> &done() const { return done_; }

  void write(std::uint64_t chunk, const Tally &t) {
    if (path_.empty())
      return;
    out_ << fmt::format("{} {} {} {} {:016x} {:.9g} {:08x}", chunk, t.inputs, t.misrounded,
                        t.byMpfr, t.hash, t.worst, t.worstInput);
    for (const Miss &miss : t.misses)
      out_ << fmt::format(" {:08x} {:08x} {:08x}", miss.input, miss.got, miss.want);
    out_ << " ." << std::endl;
  }

private:
  void read(const std::string &line) {
    std::istringstream in(line);
    std::uint64_t chunk = 0;
    Tally t;
    in >> chunk >> t.inputs >> t.misrounded >> t.byMpfr >> std::hex >> t.hash >> std::dec >>
        t.worst >> std::hex >> t.worstInput;
    for (Miss miss; in >> miss.input >> miss.got >> miss.want;)
      t.misses.push_back(miss);
    done_[chunk] = t;
  }

  std::string path_;
  std::ofstream out_;
  std::map<std::uint64_t, Tally> done_;
};

class Progress {
public:
  explicit Progress(std::uint64_t total) : total_(total) {}
  void show(std::uint64_t done) const {
    if (!isShown_)
      return;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    fmt::print(stderr, "\r{:5.1f} %, {:.0f} s ", 100.0 * double(done) / double(total_),
               spent.count());
    if (done == total_)
      fmt::print(stderr, "\n");
  }

private:
  std::uint64_t total_;
  bool isShown_ = isatty(STDERR_FILENO) != 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

Tally all(const Options &options, const Sweep &sweep, State &state) {
  const std::uint64_t inputs = kInputs / options.stride;
  const std::uint64_t chunk = std::min(kChunk, inputs), chunks = inputs / chunk;
  Tally total;
  for (const auto &[number, tally] : state.done())
    total.add(tally, options.show);
  std::mutex mutex;
  std::atomic<std::uint64_t> next = 0;
  std::uint64_t done = state.done().size();
  const Progress progress(chunks);
  auto work = [&] {
    for (std::uint64_t i = next++; i < chunks; i = next++) {
      if (state.done().contains(i))
        continue;
      const Tally tally = sweep.range(options.stride / 2 + i * chunk * options.stride, chunk);
      const std::lock_guard lock(mutex);
      total.add(tally, options.show);
      state.write(i, tally);
      progress.show(++done);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < options.threads; ++i)
    threads.emplace_back(work);
  for (std::thread &thread : threads)
    thread.join();
  return total;
}

// Random inputs, all by MPFR, and how far the library is from it there in ulps of f64.
struct Trial {
  std::uint64_t misrounded = 0;
  double library = 0.0;
  std::uint32_t libraryInput = 0;
};

double libraryError(const Function &function, std::uint32_t input, mpfr_t x, mpfr_t y) {
  mpfr_set_flt(x, std::bit_cast<float>(input), MPFR_RNDN);
  const double value = function.library(mpfr_get_d(x, MPFR_RNDN));
  function.exact(y, x);
  if (std::isnan(value) || mpfr_nan_p(y))
    return std::isnan(value) && mpfr_nan_p(y) ? 0.0 : HUGE_VAL;
  const double want = mpfr_get_d(y, MPFR_RNDN);
  // Far past the ends of f32 the library need only be there too.
  if (std::isinf(value) || std::fabs(want) < 0x1p-1000)
    return std::fabs(value) < 0x1p-900 || std::fabs(want) > 0x1p1000 ? 0.0 : HUGE_VAL;
  mpfr_sub_d(y, y, value, MPFR_RNDN);
  mpfr_div_2si(y, y, std::ilogb(want) - 52, MPFR_RNDN);
  return std::fabs(mpfr_get_d(y, MPFR_RNDN));
}

Trial tryRandom(const Options &options, const Function &function, Kernel &kernel) {
  Trial total;
  std::mutex mutex;
  auto work = [&](std::uint64_t seed, std::uint64_t count) {
    Trial trial;
    mpfr_t x, y;
    mpfr_init2(x, 24);
    mpfr_init2(y, 200);
    std::uint32_t input = 0, output = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      input = static_cast<std::uint32_t>(
          mix(static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(i)) >> 32);
      kernel.run({&input, 1}, {&output, 1});
      trial.misrounded += output != exactly(function, input);
      const double error = libraryError(function, input, x, y);
      if (error > trial.library) {
        trial.library = error;
        trial.libraryInput = input;
      }
    }
    mpfr_clear(x);
    mpfr_clear(y);
    const std::lock_guard lock(mutex);
    total.misrounded += trial.misrounded;
    if (trial.library > total.library) {
      total.library = trial.library;
      total.libraryInput = trial.libraryInput;
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < options.threads; ++i)
    threads.emplace_back(work, i + 1, options.random / options.threads);
  for (std::thread &thread : threads)
    thread.join();
  return total;
}

// Lines of an input, or of an input and its output, in hexadecimal.
Tally fromList(const Options &options, const Sweep &sweep) {
  std::vector<std::uint32_t> inputs;
  std::ifstream in(options.list);
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line[0] != '#')
      inputs.push_back(static_cast<std::uint32_t>(std::stoul(line, nullptr, 16)));
  Tally tally;
  sweep.batch(inputs, tally);
  return tally;
}

void report(const Options &options, const Tally &tally) {
  for (const Miss &miss : tally.misses)
    fmt::print("misrounded: x {:08x} = {:a}, got {:08x}, nearest {:08x}\n", miss.input,
               std::bit_cast<float>(miss.input), miss.got, miss.want);
  fmt::print("{}: {} inputs, {} misrounded, {} by MPFR, hash {:016x}\n", options.function,
             tally.inputs, tally.misrounded, tally.byMpfr, tally.hash);
  if (tally.inputs == 0)
    return;
  fmt::print("{}: worst error {:.4f} ulp at {:08x} = {:a}\n", options.function, tally.worst,
             tally.worstInput, std::bit_cast<float>(tally.worstInput));
}

void writeHard(const Options &options, const Function &function, Tally &tally) {
  if (options.hard.empty())
    return;
  std::ranges::sort(tally.hard);
  std::ofstream out(options.hard);
  for (const auto &[input, output] : tally.hard)
    out << fmt::format("{:08x} {:08x} {:.4f}\n", input, output, boundaryDistance(function, input));
}

std::uint64_t fingerprint(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (std::istreambuf_iterator<char> it(in), end; it != end; ++it)
    hash = (hash ^ static_cast<unsigned char>(*it)) * 0x100000001b3u;
  return hash;
}

int run(const Options &options) {
  const Function *function = findFunction(options.function);
  if (!function) {
    fmt::print(stderr, "sweep: no function `{}`\n", options.function);
    return 2;
  }
  std::string error;
  const auto kernel = Kernel::open(options.library, options.symbol, error);
  if (!kernel) {
    fmt::print(stderr, "sweep: {}\n", error);
    return 2;
  }
  const Sweep sweep(options, *function, *kernel);
  if (!options.list.empty()) {
    Tally tally = fromList(options, sweep);
    report(options, tally);
    writeHard(options, *function, tally);
    return tally.misrounded == 0 ? 0 : 1;
  }
  if (!options.hard.empty() && !options.state.empty()) {
    fmt::print(stderr, "sweep: --hard needs a whole run; a state file keeps no hard inputs\n");
    return 2;
  }
  State state(options.state,
              fmt::format("{} {} {:016x} stride {}", options.function, options.symbol,
                          fingerprint(options.library), options.stride));
  Tally tally = all(options, sweep, state);
  report(options, tally);
  writeHard(options, *function, tally);
  const Trial trial = tryRandom(options, *function, *kernel);
  fmt::print("{}: {} random inputs by MPFR, {} misrounded; the library is within {:.3f} ulp of f64 "
             "there (at {:08x}), {} are allowed\n",
             options.function, options.random / options.threads * options.threads, trial.misrounded,
             trial.library, trial.libraryInput, kLibraryBound);
  return tally.misrounded + trial.misrounded == 0 && trial.library < kLibraryBound / 4.0 ? 0 : 1;
}

} // namespace
} // namespace ordo::math

int main(int argc, char **argv) {
  ordo::math::Options options;
  CLI::App app("Compares a function of contracts/math with the correctly rounded value everywhere");
  app.add_option("function", options.function, "exp, exp2, …")->required();
  app.add_option("library", options.library, "the kernel's shared object")->required();
  app.add_option("symbol", options.symbol, "the kernel")->required();
  app.add_option("--threads", options.threads)->check(CLI::Range(1, 1024));
  app.add_option("--state", options.state, "the file of finished chunks, to go on from");
  app.add_option("--stride", options.stride, "every n-th input only; a power of two")
      ->check(CLI::Range(1u, 1u << 20));
  app.add_option("--random", options.random, "inputs that are compared with MPFR at random");
  app.add_option(
      "--hard", options.hard,
      "write the inputs that needed MPFR, with their outputs and how far these are from a "
      "boundary, in ulps of f64");
  app.add_option("--list", options.list, "only the inputs of this file");
  app.add_option("--show", options.show, "how many misrounded inputs to name");
  CLI11_PARSE(app, argc, argv);
  try {
    return ordo::math::run(options);
  } catch (const std::exception &error) {
    fmt::print(stderr, "sweep: {}\n", error.what());
    return 2;
  }
}
