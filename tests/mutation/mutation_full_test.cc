// Mutants of every kernel of the contracts, on PTX and on AMDGCN: some of each, so that every rule
// has its share. `bazel run` writes the table that is committed; `./ordo test --full` counts again.
#include "tests/emulation/subject.h"
#include "tests/mutation/gcn_mutator.h"
#include "tests/mutation/judge.h"
#include "tests/mutation/prover.h"
#include "tests/mutation/ptx_mutator.h"
#include "tests/mutation/score.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace ordo::mutation {
namespace {

constexpr std::size_t kOfEachKernel = 4, kOfLong = 1; // in each family
constexpr const char *kResult = "tests/mutation/results/mutation.md";

class Full {
public:
  void kernel(const oracle::KernelCase &each, const std::string &target) {
    const emulation::Subject subject(each.file, each.kernel, target);
    if (!subject.ok())
      return;
    const std::string family = subject.isCuda() ? "PTX" : "AMDGCN";
    std::map<std::string, std::vector<Change>> byRule;
    for (Change &change :
         subject.isCuda() ? ptxChanges(subject.assembly()) : gcnChanges(subject.assembly()))
      byRule[change.rule].push_back(std::move(change));
    const Judge judge(subject, subject.isCuda() && !takesLong(each.kernel) ? refusalOf : Prover());
    std::size_t left = takesLong(each.kernel) ? kOfLong : kOfEachKernel;
    for (const std::string &rule : rarestFirst(byRule, family)) {
      if (left == 0)
        break;
      std::vector<Change> &all = byRule[rule];
      std::ranges::shuffle(all, random_);
      left -= one(judge, all, family, target) ? 1 : 0;
    }
  }

  const Score &score() const { return score_; }

private:
  std::vector<std::string> rarestFirst(const std::map<std::string, std::vector<Change>> &byRule,
                                       const std::string &family) {
    std::vector<std::string> rules;
    for (const auto &[rule, all] : byRule)
      rules.push_back(rule);
    std::ranges::shuffle(rules, random_);
    std::ranges::sort(rules, {}, [&](const auto &rule) { return score_.count(family, rule); });
    return rules;
  }

  /// The first that assembles.
  bool one(const Judge &judge, const std::vector<Change> &all, const std::string &family,
           const std::string &target) {
    constexpr std::size_t kTries = 4;
    for (std::size_t k = 0; k < std::min(all.size(), kTries); ++k) {
      const auto verdict = judge.judge(all[k], true);
      if (!verdict)
        continue;
      score_.add(family, all[k].rule, *verdict);
      if (verdict->end == End::Survivor)
        ADD_FAILURE() << target << ", " << all[k].rule << ": `" << all[k].before << "` as `"
                      << all[k].after << "`: " << verdict->why;
      return true;
    }
    return false;
  }

  Score score_;
  std::mt19937 random_{4};
};

/// The table's place in the source tree, where `bazel run` tells it.
std::string committed() {
  const char *workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  return workspace == nullptr ? "" : std::string(workspace) + "/" + kResult;
}

TEST(Mutation, OfEveryKernel) {
  Full full;
  std::size_t number = 0;
  const std::vector<oracle::KernelCase> all = oracle::everyKernel();
  for (const oracle::KernelCase &each : all) {
    full.kernel(each, "cuda.sm_90a");
    constexpr const char *kChips[] = {"rocm.gfx942", "rocm.gfx90a", "rocm.gfx1100"};
    full.kernel(each, kChips[number++ % std::size(kChips)]);
    std::fprintf(stderr, "%zu of %zu kernels, %d mutants\n", number, all.size(),
                 full.score().all());
  }
  const Score &score = full.score();
  EXPECT_GE(score.all(), 2000);
  EXPECT_EQ(score.count(End::Survivor), 0);
  for (const std::string &rule : ptxRules())
    EXPECT_GT(score.count("PTX", rule), 0) << rule;
  for (const std::string &rule : gcnRules())
    EXPECT_GT(score.count("AMDGCN", rule), 0) << rule;
  std::printf("%s", score.table().c_str());
  if (const std::string path = committed(); !path.empty())
    std::ofstream(path) << score.table();
}

} // namespace
} // namespace ordo::mutation
