// A sample of the mutants of both mutators: a few of every rule on every target. Each is refused,
// or shown to be equivalent.
#include "tests/emulation/subject.h"
#include "tests/mutation/gcn_mutator.h"
#include "tests/mutation/judge.h"
#include "tests/mutation/ptx_mutator.h"
#include "tests/mutation/score.h"

#include <algorithm>
#include <cstdio>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>

namespace ordo::mutation {
namespace {

constexpr int kOfEachRule = 4; // on each target

struct Pick {
  const char *file, *kernel;
};

/// Small kernels that hold, together, something for every rule.
constexpr Pick kPicks[] = {
    {"contracts/nn/norm.ordo", "rms_norm_bf16_2048"},
    {"contracts/nn/norm.ordo", "rms_norm_centred_bf16_128"},
    {"tests/contracts/orders.ordo", "row_sum_lanes96_1000"},
    {"tests/contracts/orders.ordo", "centre_tree3_1000"},
    {"tests/contracts/orders.ordo", "row_sum_pairs_100"},
    {"tests/contracts/every_type.ordo", "quotients"},
    {"tests/contracts/words.ordo", "words_of_both_widths"},
    {"tests/contracts/composed.ordo", "gelu_erf_composed"},
    {"tests/contracts/apply.ordo", "rsqrt_f32"},
};

/// A change drawn from a kernel's.
struct Drawn {
  const Judge *judge;
  const Change *change;
};

class Sample {
public:
  explicit Sample(const std::string &target) {
    for (const Pick &pick : kPicks) {
      subjects_.push_back(std::make_unique<emulation::Subject>(pick.file, pick.kernel, target));
      const emulation::Subject &subject = *subjects_.back();
      judges_.push_back(std::make_unique<Judge>(subject));
      changes_.push_back(subject.isCuda() ? ptxChanges(subject.assembly())
                                          : gcnChanges(subject.assembly()));
    }
    for (std::size_t k = 0; k < changes_.size(); ++k)
      for (const Change &change : changes_[k])
        byRule_[change.rule].push_back({judges_[k].get(), &change});
    std::mt19937 random(4);
    for (auto &[rule, all] : byRule_) {
      std::shuffle(all.begin(), all.end(), random);
      std::ranges::partition(all, [](const Drawn &drawn) { return drawn.judge->isProven(); });
    }
  }

  /// Brings some of each rule to their ends.
  void judge(const std::string &target, Score &score) const {
    for (const auto &[rule, all] : byRule_) {
      int left = kOfEachRule;
      for (const Drawn &drawn : all)
        if (left > 0 && bring(target, drawn, score))
          --left;
    }
  }

private:
  static bool bring(const std::string &target, const Drawn &drawn, Score &score) {
    const auto verdict = drawn.judge->judge(*drawn.change, false);
    if (!verdict)
      return false;
    score.add(target, drawn.change->rule, *verdict);
    if (verdict->end == End::Survivor)
      ADD_FAILURE() << drawn.change->rule << " on " << target << ": `" << drawn.change->before
                    << "` as `" << drawn.change->after << "`: " << verdict->why;
    return true;
  }

  std::vector<std::unique_ptr<emulation::Subject>> subjects_;
  std::vector<std::unique_ptr<Judge>> judges_;
  std::vector<std::vector<Change>> changes_;
  std::map<std::string, std::vector<Drawn>> byRule_;
};

TEST(Mutation, Score) {
  Score score;
  for (const char *target : {"cuda.sm_90a", "rocm.gfx942", "rocm.gfx1100"}) {
    Sample(target).judge(target, score);
    for (const std::string &rule : std::string(target) == "cuda.sm_90a" ? ptxRules() : gcnRules())
      EXPECT_GT(score.count(target, rule), 0) << rule << " on " << target;
  }
  std::printf("%s", score.table().c_str());
  EXPECT_GE(score.all(), 200);
  EXPECT_EQ(score.count(End::Survivor), 0);
  // Flushing and atomics never pass for the kernel, whatever the bits; a barrier that is gone,
  // only where it orders nothing.
  for (const char *rule : {rule::kMode, rule::kAtomic}) {
    EXPECT_EQ(score.count(rule, Seen::Different), 0) << rule;
    EXPECT_EQ(score.count(rule, Seen::Equal), 0) << rule;
  }
  for (const char *rule : {rule::kBarrier, rule::kFence, rule::kPart})
    EXPECT_EQ(score.count(rule, Seen::Equal), score.count(rule, End::Equivalent)) << rule;
}

} // namespace
} // namespace ordo::mutation
