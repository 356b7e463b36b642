// Mutants of AMDGCN kernels in the emulator: refused when read, stopped when run, different bits,
// or equal bits. Which of the last are equivalent is for the proof to say; here they are counted,
// and no rule may pass unseen.
#include "compiler/compile.h"
#include "compiler/verify/emulate/emulate.h"
#include "compiler/verify/gcn/read.h"
#include "dsl/eval/evaluator.h"
#include "tests/mutation/gcn_mutator.h"
#include "tests/oracle/every_kernel.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>

namespace ordo::mutation {
namespace {

struct Subject {
  const char *file, *kernel, *target;
};

constexpr Subject kSubjects[] = {
    {"contracts/nn/norm.ordo", "rms_norm_bf16_2048", "rocm.gfx942"},
    {"contracts/nn/norm.ordo", "rms_norm_centred_bf16_128", "rocm.gfx1100"},
    {"contracts/nn/softmax.ordo", "softmax_f32_128", "rocm.gfx90a"},
    {"tests/contracts/orders.ordo", "row_sum_lanes96_1000", "rocm.gfx942"},
    {"tests/contracts/orders.ordo", "centre_tree3_1000", "rocm.gfx1100"},
};

struct Score {
  int refused = 0, stopped = 0, different = 0, equal = 0;
  int all() const { return refused + stopped + different + equal; }
};

class Judge {
public:
  explicit Judge(const Subject &subject) : subject_(subject) {
    const auto package = oracle::loadPackage(subject.file, sources_, diagnostics_);
    program_ = package->instantiate(subject.kernel, diagnostics_);
    const auto code = compiler::compile(*program_, *compiler::findTarget(subject.target),
                                        compiler::Emit::Object, diagnostics_);
    object_ = code->object;
    inputs_ = oracle::inputsOf(*program_, kRows);
    want_ = dsl::evaluate(*program_, inputs_);
    const auto grid = compiler::gridOf(*program_, code->launch,
                                       std::vector<std::int64_t>(program_->dims.size(), kRows));
    launch_ = {*grid, code->launch.block, std::uint64_t{1} << 20};
  }

  const std::string &object() const { return object_; }

  void count(const Mutant &mutant, Score &score) const {
    verify::gcn::ReadFailure failure;
    const auto kernel = verify::gcn::read(mutant.object, subject_.kernel, failure);
    if (!kernel) {
      ++score.refused;
      return;
    }
    const auto got = verify::emulate(*program_, *kernel, launch_, inputs_);
    if (!got.ok())
      ++score.stopped;
    else if (std::ranges::all_of(want_.outputs, [&](const auto &each) {
               return got.outputs.at(each.first).data == each.second.data;
             }))
      ++score.equal;
    else
      ++score.different;
  }

private:
  static constexpr std::int64_t kRows = 6; // every pattern of the inputs

  Subject subject_;
  dsl::SourceManager sources_;
  dsl::Diagnostics diagnostics_{sources_};
  std::optional<dsl::Program> program_;
  std::string object_;
  dsl::EvalInputs inputs_;
  dsl::EvalResult want_;
  verify::EmulationLaunch launch_;
};

TEST(GcnMutants, AreSeen) {
  std::map<std::string, Score> scores;
  for (const Subject &subject : kSubjects) {
    const Judge judge(subject);
    for (const Mutant &mutant : mutants(judge.object(), subject.kernel))
      judge.count(mutant, scores[mutant.rule]);
  }
  Score total;
  for (const std::string &rule : rules()) {
    const Score &s = scores[rule];
    std::printf("%-10s %4d mutants: %4d refused, %4d stopped, %4d different, %4d equal\n",
                rule.c_str(), s.all(), s.refused, s.stopped, s.different, s.equal);
    EXPECT_GT(s.all(), 0) << rule;
    EXPECT_LT(s.equal, s.all()) << rule;
    total.refused += s.refused;
    total.stopped += s.stopped;
    total.different += s.different;
    total.equal += s.equal;
  }
  std::printf("%-10s %4d mutants: %4d refused, %4d stopped, %4d different, %4d equal\n", "all",
              total.all(), total.refused, total.stopped, total.different, total.equal);
  // What leaves the language is never run.
  for (const char *rule : {"mode", "atomic"})
    EXPECT_EQ(scores[rule].refused, scores[rule].all()) << rule;
  EXPECT_EQ(scores["barrier"].equal, 0);
}

} // namespace
} // namespace ordo::mutation
