#include "tests/mutation/judge.h"

#include "tests/mutation/hard_inputs.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace ordo::mutation {
namespace {

using verify::RunOrder;

constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 20; // of a block; a mutant may loop

/// Elements of the widest input's row.
std::int64_t widest(const dsl::Program &program) {
  std::int64_t most = 1;
  for (const auto &[name, value] : oracle::inputsOf(program, 1).tensors) {
    std::int64_t count = 1;
    for (const std::int64_t extent : value.shape)
      count *= extent;
    most = std::max(most, count);
  }
  return most;
}

} // namespace

bool isSynchronisation(const std::string &rule) {
  return rule == rule::kBarrier || rule == rule::kLate || rule == rule::kFence ||
         rule == rule::kPart || rule == rule::kWait || rule == rule::kWeakWait;
}

Judge::Judge(const emulation::Subject &subject) : subject_(subject) {
  const dsl::Program &program = subject.program();
  const RunOrder reverse{RunOrder::Waves::Reverse, RunOrder::Lanes::Parted, 1, true};
  const RunOrder mixed{RunOrder::Waves::Interleaved, RunOrder::Lanes::Parted, 2, true};
  const RunOrder permuted{RunOrder::Waves::Permuted, RunOrder::Lanes::SmallestFirst, 3, true};
  constexpr std::int64_t kWide = 16384; // beyond that, few rows: they take long
  if (oracle::isElementwise(program)) {
    add(300, oracle::inputsOf(program, 300), {});
    for (const auto &[rows, order] : {std::pair(1, reverse), {128, mixed}, {777, permuted}})
      add(rows, hardInputs(program, rows, static_cast<std::uint64_t>(rows)), order);
  } else if (widest(program) > kWide) {
    add(2, oracle::inputsOf(program, 2), {});
    add(1, hardInputs(program, 1, 1), reverse);
  } else {
    add(7, oracle::inputsOf(program, 7), {}); // every pattern, and a ragged block
    for (const auto &[rows, order] : {std::pair(1, reverse), {8, mixed}, {13, permuted}})
      add(rows, hardInputs(program, rows, static_cast<std::uint64_t>(rows)), order);
  }
  add(0, oracle::inputsOf(program, 0), {});
  std::string error;
  Sight sight;
  sight.kernel = subject.read(error);
  EXPECT_TRUE(sight.kernel) << error;
  if (!sight.kernel)
    return;
  sight.seen = Seen::Equal;
  for (const Trial &trial : trials_)
    run(trial, sight);
  EXPECT_EQ(sight.seen, Seen::Equal) << subject.name() << ": " << sight.why;
}

void Judge::add(std::int64_t rows, dsl::EvalInputs inputs, RunOrder order) {
  Trial trial;
  trial.inputs = std::move(inputs);
  trial.want = dsl::evaluate(subject_.program(), trial.inputs);
  trial.launch = subject_.launch(rows, order);
  trial.launch.steps = kMostSteps;
  EXPECT_TRUE(trial.want.ok()) << subject_.name() << ": " << trial.want.error;
  trials_.push_back(std::move(trial));
}

Sight Judge::look(const Change &change) const {
  Sight sight;
  const auto code = subject_.assemble(changed(subject_.assembly(), change));
  if (!code)
    return sight;
  sight.kernel = subject_.read(*code, sight.why);
  sight.seen = sight.kernel ? Seen::Equal : Seen::Unread;
  for (const Trial &trial : trials_)
    if (sight.seen == Seen::Equal)
      run(trial, sight);
  return sight;
}

void Judge::run(const Trial &trial, Sight &sight) const {
  const dsl::EvalResult got =
      verify::emulate(subject_.program(), *sight.kernel, trial.launch, trial.inputs);
  if (!got.ok()) {
    sight.seen = Seen::Stopped;
    sight.why = got.error;
  } else if (!std::ranges::all_of(trial.want.outputs, [&](const auto &each) {
               return got.outputs.at(each.first).data == each.second.data;
             })) {
    sight.seen = Seen::Different;
  }
}

} // namespace ordo::mutation
