// Mutants of every kernel of the contracts, on PTX and on AMDGCN: some of each, so that every rule
// has its share. `bazel run` writes the pages that are committed; `./ordo test --full` counts
// again.
//
//   ORDO_MUTANTS_JOBS   processes; by default as many as there are processors
//   ORDO_MUTANTS        a folder for what is found of each kernel: what is there is not run again
//   ORDO_MUTANTS_PAGES  where the pages go
#include "tests/mutation/draw.h"
#include "tests/mutation/gcn_mutator.h"
#include "tests/mutation/processes.h"
#include "tests/mutation/prover.h"
#include "tests/mutation/ptx_mutator.h"
#include "tests/mutation/record.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>

namespace ordo::mutation {
namespace {

constexpr int kLeast = 2000;       // mutants of proven kernels
constexpr unsigned kSeconds = 900; // for those of one kernel on one target

struct Unit {
  oracle::KernelCase which;
  std::string target;
  std::string name() const { return which.kernel + "." + target; }
};

/// Every kernel on PTX and on one chip of AMD, every second one on gfx942; the longest first.
std::vector<Unit> allUnits() {
  constexpr const char *kChips[] = {"rocm.gfx942", "rocm.gfx90a", "rocm.gfx942", "rocm.gfx1100"};
  std::vector<Unit> units, shorter;
  std::size_t number = 0;
  for (const oracle::KernelCase &each : oracle::everyKernel()) {
    std::vector<Unit> &to = takesLong(each.kernel) ? units : shorter;
    to.push_back({each, "cuda.sm_90a"});
    to.push_back({each, kChips[number++ % std::size(kChips)]});
  }
  units.insert(units.end(), shorter.begin(), shorter.end());
  return units;
}

/// What is found of each unit, run where it is not there yet.
std::vector<Record> everyRecord(const std::vector<Unit> &units, const std::string &folder) {
  const auto path = [&](std::size_t k) { return folder + "/" + units[k].name() + ".tsv"; };
  std::size_t ended = 0;
  const auto failures = inProcesses(
      units.size(), jobsOf("ORDO_MUTANTS_JOBS"), kSeconds,
      [&](std::size_t k) {
        if (readRecords(path(k)))
          return true;
        const std::vector<Record> records = drawnOf(units[k].which, units[k].target);
        return writeRecords(path(k), records) && !::testing::Test::HasFailure();
      },
      [&](std::size_t k) {
        std::fprintf(stderr, "%zu of %zu: %s\n", ++ended, units.size(), units[k].name().c_str());
      });
  for (const Failure &failure : failures)
    ADD_FAILURE() << units[failure.item].name() << " " << failure.why;
  std::vector<Record> all;
  for (std::size_t k = 0; k < units.size(); ++k)
    if (const auto records = readRecords(path(k)))
      all.insert(all.end(), records->begin(), records->end());
  return all;
}

std::string summary(const Score &score, const std::vector<Record> &records) {
  std::set<std::string> kernels;
  std::map<std::string, int> byTarget;
  for (const Record &r : records)
    if (r.verdict.end != End::Unproven) {
      kernels.insert(r.kernel);
      ++byTarget[r.target];
    }
  std::string targets;
  for (const auto &[target, count] : byTarget)
    targets += fmt::format("{}{} on {}", targets.empty() ? "" : ", ", count, target);
  return fmt::format(
      "{} mutants of {} kernels ({}): {} refused, {} equivalent, {} survive. Score: "
      "{:.1f} % of those that are not equivalent are refused. {} more of kernels "
      "that are not proven, by emulation alone.\n",
      score.all(), kernels.size(), targets, score.count(End::Unread) + score.count(End::Refused),
      score.count(End::Equivalent), score.count(End::Survivor), score.percent(), score.unproven());
}

void writePages(const std::string &folder, const std::string &counted,
                const std::vector<Record> &records) {
  const std::string made =
      fmt::format("Written by `bazel run //tests/mutation:mutation_full_test`, commit {}; "
                  "[mutation](../../../docs/proof.md#mutants) says what is done.\n\n",
                  variable("ORDO_COMMIT", "unknown"));
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/mutants.md") << "# Mutants\n\n" << made << counted;
  std::ofstream(folder + "/equivalents.md")
      << "# Mutants that are equivalent\n\n"
      << made << "Each with its reason, by target and rule. The line is the assembly's.\n"
      << equivalents(records);
}

TEST(Mutation, OfEveryKernel) {
  const std::string workspace = variable("BUILD_WORKSPACE_DIRECTORY", "");
  const std::string folder =
      variable("ORDO_MUTANTS", variable("TEST_TMPDIR", ::testing::TempDir()) + "/mutants");
  std::filesystem::create_directories(folder);
  std::vector<Record> records = everyRecord(allUnits(), folder);
  const auto readings = readRecords("tests/mutation/read_by_hand.tsv");
  ASSERT_TRUE(readings);
  applyReadings(records, *readings);
  Score score;
  for (const Record &r : records)
    score.add(familyOf(r.target), r.rule, r.verdict);
  const std::string counted = summary(score, records) + "\n" + score.table();
  std::printf("%s", counted.c_str());
  EXPECT_GE(score.all(), kLeast);
  EXPECT_EQ(score.count(End::Survivor), 0);
  for (const std::string &rule : ptxRules())
    EXPECT_GT(score.count("PTX", rule), 0) << rule;
  for (const std::string &rule : gcnRules())
    EXPECT_GT(score.count("AMDGCN", rule), 0) << rule;
  const std::string pages = variable(
      "ORDO_MUTANTS_PAGES", workspace.empty() ? "" : workspace + "/tests/mutation/results");
  if (!pages.empty())
    writePages(pages, counted, records);
}

} // namespace
} // namespace ordo::mutation
