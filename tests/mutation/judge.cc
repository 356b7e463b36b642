#include "tests/mutation/judge.h"

#include "tests/mutation/hard_inputs.h"
#include "tests/mutation/ordering.h"
#include "tests/mutation/prover.h"
#include "tests/mutation/reasons.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace ordo::mutation {
namespace {

using verify::RunOrder;

// Of a block: a mutant may loop.
constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 20;
constexpr std::uint64_t kMostStepsOfWide = std::uint64_t{1} << 23;

/// Whether rows take so long that few are run.
bool isWide(const dsl::Program &program) {
  std::int64_t most = 1;
  for (const auto &[name, value] : oracle::inputsOf(program, 1).tensors) {
    std::int64_t count = 1;
    for (const std::int64_t extent : value.shape)
      count *= extent;
    most = std::max(most, count);
  }
  constexpr std::int64_t kWide = 16384;
  return most > kWide;
}

/// Changes of order between threads, and of when a load delivers: equal bits are no evidence.
bool isSynchronisation(const std::string &rule) {
  return rule == rule::kBarrier || rule == rule::kLate || rule == rule::kFence ||
         rule == rule::kPart || rule == rule::kWait || rule == rule::kWeakWait;
}

} // namespace

Judge::Judge(const emulation::Subject &subject, bool isProving) : subject_(subject) {
  addTrials();
  std::string error;
  auto kernel = subject.read(error);
  if (!kernel) {
    ADD_FAILURE() << error;
    return;
  }
  kernel_ = std::move(*kernel);
  EXPECT_EQ(look(kernel_, error), Seen::Equal) << subject.name() << ": " << error;
  if (!isProving)
    return;
  const verify::Proof proof = proofOf(subject, kernel_);
  steps_ = proof.isProven() ? std::max<std::uint64_t>(proof.steps, 1) : 0;
}

void Judge::addTrials() {
  const dsl::Program &program = subject_.program();
  const RunOrder reverse{RunOrder::Waves::Reverse, RunOrder::Lanes::Parted, 1, true};
  const RunOrder mixed{RunOrder::Waves::Interleaved, RunOrder::Lanes::Parted, 2, true};
  const RunOrder permuted{RunOrder::Waves::Permuted, RunOrder::Lanes::SmallestFirst, 3, true};
  if (oracle::isElementwise(program)) {
    add(300, oracle::inputsOf(program, 300), {});
    for (const auto &[rows, order] : {std::pair(1, reverse), {128, mixed}, {777, permuted}})
      add(rows, hardInputs(program, rows, static_cast<std::uint64_t>(rows)), order);
  } else if (isWide(program)) {
    add(2, oracle::inputsOf(program, 2), {});
    add(1, hardInputs(program, 1, 1), reverse);
  } else {
    add(7, oracle::inputsOf(program, 7), {}); // every pattern, and a ragged block
    for (const auto &[rows, order] : {std::pair(1, reverse), {8, mixed}, {13, permuted}})
      add(rows, hardInputs(program, rows, static_cast<std::uint64_t>(rows)), order);
  }
  if (const auto rows = oracle::foldedRows(program))
    add(*rows, hardInputs(program, *rows, 1), mixed);
  add(0, oracle::inputsOf(program, 0), {});
}

void Judge::add(std::int64_t rows, dsl::EvalInputs inputs, RunOrder order) {
  Trial trial;
  trial.inputs = std::move(inputs);
  trial.want = dsl::evaluate(subject_.program(), trial.inputs);
  trial.launch = subject_.launch(rows, order);
  trial.launch.limits.steps = isWide(subject_.program()) ? kMostStepsOfWide : kMostSteps;
  EXPECT_TRUE(trial.want.ok()) << subject_.name() << ": " << trial.want.error;
  trials_.push_back(std::move(trial));
}

std::optional<Verdict> Judge::judge(const Change &change, bool isLooking) const {
  const auto code = subject_.assemble(changed(subject_.assembly(), change));
  if (!code)
    return std::nullopt;
  Verdict verdict;
  const auto mutant = subject_.read(*code, verdict.why);
  if (!mutant)
    return verdict;
  verdict.why.clear();
  if (!isProven()) {
    verdict.end = End::Unproven;
    verdict.seen = look(*mutant, verdict.why);
    return verdict;
  }
  verdict.why = refusal(*mutant);
  if (verdict.why.empty())
    return accepted(change, *mutant);
  verdict.end = End::Refused;
  std::string stop;
  if (isLooking)
    verdict.seen = look(*mutant, stop);
  return verdict;
}

/// The proof takes the mutant: then it must be equal, and shown to be.
Verdict Judge::accepted(const Change &change, const verify::Kernel &mutant) const {
  Verdict verdict;
  verdict.end = End::Survivor;
  verdict.seen = look(mutant, verdict.why);
  if (verdict.seen != Seen::Equal)
    return verdict;
  if (isSynchronisation(change.rule)) {
    verify::BlockShape block;
    std::ranges::copy(subject_.recipe().block, block.size.begin());
    verdict.why = ordersAll(kernel_, mutant, block);
    verdict.end = verdict.why.empty() ? End::Survivor : End::Equivalent;
    return verdict;
  }
  verdict.end = End::Equivalent;
  verdict.why = reasonOf(change, kernel_, mutant,
                         [&](const verify::Kernel &code) { return refusal(code).empty(); });
  if (verdict.why.empty())
    verdict.why = kNotClassified;
  return verdict;
}

/// A mutant that takes many more steps than its kernel is refused for that: it may have no end.
std::string Judge::refusal(const verify::Kernel &kernel) const {
  constexpr std::uint64_t kTimes = 4, kAtLeast = 10000;
  const verify::Proof proof = proofOf(subject_, kernel, {kTimes * steps_ + kAtLeast});
  return proof.isProven() ? "" : proof.refusal->where + ": " + proof.refusal->message;
}

Seen Judge::look(const verify::Kernel &kernel, std::string &why) const {
  for (const Trial &trial : trials_)
    if (const Seen seen = run(trial, kernel, why); seen != Seen::Equal)
      return seen;
  return Seen::Equal;
}

Seen Judge::run(const Trial &trial, const verify::Kernel &kernel, std::string &why) const {
  const dsl::EvalResult got =
      verify::emulate(subject_.program(), kernel, trial.launch, trial.inputs);
  if (!got.ok()) {
    why = got.error;
    return Seen::Stopped;
  }
  return std::ranges::all_of(
             trial.want.outputs,
             [&](const auto &each) { return got.outputs.at(each.first).data == each.second.data; })
             ? Seen::Equal
             : Seen::Different;
}

} // namespace ordo::mutation
