// The proof refuses none of our own kernels on any target, and what each proof takes. `bazel run`
// writes the page that is committed; `./ordo test --full` proves again.
//
//   ORDO_PROOFS_JOBS     processes; by default as many as there are processors
//   ORDO_PROOFS_TARGETS  "rocm.gfx942 rocm.gfx1100": these alone
//   ORDO_PROOFS_KERNELS  "softmax": kernels whose name holds this, alone
//   ORDO_PROOFS_PAGE     where the page goes
#include "tests/mutation/processes.h"
#include "tests/mutation/prover.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>

namespace ordo::mutation {
namespace {

constexpr unsigned kSeconds = 300; // for one proof

struct Unit {
  oracle::KernelCase which;
  std::string target;
  std::string name() const { return target + " " + which.kernel; }
};

/// What became of one; the reason is empty if it is proven.
struct Outcome {
  double milliseconds = 0;
  long megabytes = 0;
  std::uint64_t steps = 0, stores = 0, terms = 0;
  std::string reason;
};

std::vector<Unit> allUnits() {
  std::istringstream targets(
      variable("ORDO_PROOFS_TARGETS", "cuda.sm_90a rocm.gfx942 rocm.gfx90a rocm.gfx1100"));
  const std::string part = variable("ORDO_PROOFS_KERNELS", "");
  std::vector<Unit> units, shorter;
  for (std::string target; targets >> target;)
    for (const oracle::KernelCase &each : oracle::everyKernel())
      if (each.kernel.find(part) != std::string::npos)
        (takesLong(each.kernel) ? units : shorter).push_back({each, target});
  units.insert(units.end(), shorter.begin(), shorter.end());
  return units;
}

/// What this process has held at most.
long megabytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss / 1024;
}

Outcome outcomeOf(const Unit &unit) {
  Outcome outcome;
  const emulation::Subject subject(unit.which.file, unit.which.kernel, unit.target);
  if (!subject.ok()) {
    outcome.reason = "does not compile";
    return outcome;
  }
  const auto kernel = subject.read(outcome.reason);
  if (!kernel)
    return outcome;
  const auto start = std::chrono::steady_clock::now();
  const verify::Proof proof = proofOf(subject, *kernel);
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
  outcome = {taken.count(), megabytes(), proof.steps, proof.stores, proof.terms, ""};
  if (!proof.isProven())
    outcome.reason = proof.refusal->where + ": " + proof.refusal->message;
  return outcome;
}

void write(const std::string &path, const Outcome &o) {
  std::ofstream(path) << fmt::format("{} {} {} {} {}\n{}", o.milliseconds, o.megabytes, o.steps,
                                     o.stores, o.terms, o.reason);
}

std::optional<Outcome> read(const std::string &path) {
  std::ifstream file(path);
  Outcome o;
  if (!(file >> o.milliseconds >> o.megabytes >> o.steps >> o.stores >> o.terms))
    return std::nullopt;
  file.ignore();
  std::getline(file, o.reason);
  return o;
}

std::map<std::string, Outcome> everyOutcome(const std::vector<Unit> &units) {
  const std::string folder =
      fmt::format("{}/proofs{}", variable("TEST_TMPDIR", ::testing::TempDir()), getpid());
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const auto path = [&](std::size_t k) { return fmt::format("{}/{}", folder, k); };
  std::map<std::string, Outcome> all;
  const auto failures = inProcesses(
      units.size(), jobsOf("ORDO_PROOFS_JOBS"), kSeconds,
      [&](std::size_t k) {
        write(path(k), outcomeOf(units[k]));
        return true;
      },
      [&](std::size_t k) {
        const auto outcome = read(path(k));
        if (!outcome)
          return;
        all[units[k].name()] = *outcome;
        std::fprintf(stderr, "%-8s %s %.0f ms %ld MB %llu steps %llu stores %llu terms %s\n",
                     outcome->reason.empty() ? "ok" : "REFUSED", units[k].name().c_str(),
                     outcome->milliseconds, outcome->megabytes,
                     static_cast<unsigned long long>(outcome->steps),
                     static_cast<unsigned long long>(outcome->stores),
                     static_cast<unsigned long long>(outcome->terms), outcome->reason.c_str());
      });
  for (const Failure &failure : failures)
    all[units[failure.item].name()].reason = failure.why;
  return all;
}

/// Of the proven kernels of one target.
std::string row(const std::string &target, std::vector<std::pair<double, std::string>> times,
                long most, std::size_t refused) {
  std::ranges::sort(times);
  if (times.empty())
    return fmt::format("| {} | 0 | {} | | | | |\n", target, refused);
  const auto under = std::ranges::count_if(times, [](const auto &t) { return t.first < 1000; });
  return fmt::format("| {} | {} | {} | {:.0f} | {} | {:.1f} ({}) | {} |\n", target, times.size(),
                     refused, times[times.size() / 2].first, under, times.back().first / 1000,
                     times.back().second, most);
}

void writePage(const std::string &path, const std::map<std::string, Outcome> &all) {
  std::map<std::string, std::vector<std::pair<double, std::string>>> times;
  std::map<std::string, long> most;
  std::map<std::string, std::size_t> refused;
  std::string reasons;
  for (const auto &[name, outcome] : all) {
    const std::string target = name.substr(0, name.find(' '));
    const std::string kernel = name.substr(name.find(' ') + 1);
    auto &of = times[target];
    most[target] = std::max(most[target], outcome.megabytes);
    if (outcome.reason.empty()) {
      of.emplace_back(outcome.milliseconds, kernel);
      continue;
    }
    ++refused[target];
    reasons += fmt::format("- {}: {}\n", name, outcome.reason);
  }
  std::ofstream file(path);
  file << "# Proofs of our own kernels\n\n"
       << fmt::format("Written by `bazel run //tests/mutation:own_kernels_full_test`, commit {}, "
                      "{} processes at once. MB is the most that one process took, the compiler's "
                      "share in it.\n\n",
                      variable("ORDO_COMMIT", "unknown"), jobsOf("ORDO_PROOFS_JOBS"))
       << "| target | proven | refused | median ms | under 1 s | slowest s | most MB |\n"
       << "|---|---:|---:|---:|---:|---|---:|\n";
  for (const auto &[target, of] : times)
    file << row(target, of, most[target], refused[target]);
  if (!reasons.empty())
    file << "\nRefused:\n\n" << reasons;
}

TEST(OwnKernels, AreProvenOnEveryTarget) {
  const std::map<std::string, Outcome> all = everyOutcome(allUnits());
  std::set<std::string> open;
  std::ifstream list("tests/mutation/open_kernels.txt");
  EXPECT_TRUE(list);
  for (std::string line; std::getline(list, line);)
    open.insert(line);
  for (const auto &[name, outcome] : all)
    if (!open.contains(name))
      EXPECT_EQ(outcome.reason, "") << name;
    else if (outcome.reason.empty())
      std::printf("%s is proven now: open_kernels.txt need not hold it\n", name.c_str());
  const std::string workspace = variable("BUILD_WORKSPACE_DIRECTORY", "");
  const std::string page =
      variable("ORDO_PROOFS_PAGE",
               workspace.empty() ? "" : workspace + "/tests/mutation/results/own_kernels.md");
  if (!page.empty())
    writePage(page, all);
}

} // namespace
} // namespace ordo::mutation
