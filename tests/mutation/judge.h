// What becomes of a mutant: whether the reader takes it, whether the verifier proves it all the
// same, and what the emulator sees of it.
#pragma once

#include "compiler/verify/machine/limits.h"
#include "dsl/eval/evaluator.h"
#include "tests/emulation/subject.h"
#include "tests/mutation/change.h"
#include "tests/mutation/score.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ordo::mutation {

class Judge {
public:
  /// Without `isProving`, or if the kernel itself is not proven, mutants end as Unproven. Fails the
  /// running test if the kernel does not give the evaluator's bits.
  explicit Judge(const emulation::Subject &subject, bool isProving = true);

  bool isProven() const { return steps_ != 0; }
  /// Of the kernel's own proof; 0: none.
  std::uint64_t steps() const { return steps_; }

  /// Nothing if the change does not assemble: it is no mutant. What the proof refuses is run only
  /// if `isLooking`.
  std::optional<Verdict> judge(const Change &change, bool isLooking) const;

private:
  struct Trial {
    dsl::EvalInputs inputs;
    dsl::EvalResult want;
    verify::EmulationLaunch launch;
  };
  void addTrials();
  void add(std::int64_t rows, dsl::EvalInputs inputs, verify::RunOrder order);
  /// Why it is refused, or empty.
  std::string refusal(const verify::Kernel &kernel) const;
  /// Runs the code on every trial, or until one tells.
  Seen look(const verify::Kernel &kernel, std::string &why) const;
  Seen run(const Trial &trial, const verify::Kernel &kernel, std::string &why) const;
  Verdict accepted(const Change &change, const verify::Kernel &mutant) const;

  const emulation::Subject &subject_;
  verify::Kernel kernel_;
  std::uint64_t steps_ = 0;
  std::vector<Trial> trials_; // the one that tells most first
};

} // namespace ordo::mutation
