// What becomes of a mutant: whether the reader takes it, whether the verifier proves it all the
// same, and what the emulator sees of it.
#pragma once

#include "dsl/eval/evaluator.h"
#include "tests/emulation/subject.h"
#include "tests/mutation/change.h"
#include "tests/mutation/score.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ordo::mutation {

/// Why the verifier refuses the code; empty if it proves it.
using Prover = std::function<std::string(const emulation::Subject &, const verify::Kernel &)>;

class Judge {
public:
  /// Without a prover, or if it does not prove the kernel itself, mutants end as Unproven. Fails
  /// the running test if the kernel does not give the evaluator's bits.
  explicit Judge(const emulation::Subject &subject, Prover prover = nullptr);

  /// Nothing if the change does not assemble: it is no mutant. What the proof refuses is run only
  /// if `isLooking`.
  std::optional<Verdict> judge(const Change &change, bool isLooking) const;

private:
  struct Trial {
    dsl::EvalInputs inputs;
    dsl::EvalResult want;
    verify::EmulationLaunch launch;
  };
  void add(std::int64_t rows, dsl::EvalInputs inputs, verify::RunOrder order);
  /// Runs the code on every trial, or until one tells.
  Seen look(const verify::Kernel &kernel, std::string &why) const;
  Seen run(const Trial &trial, const verify::Kernel &kernel, std::string &why) const;
  Verdict accepted(const Change &change, const verify::Kernel &mutant) const;

  const emulation::Subject &subject_;
  Prover prover_;
  verify::Kernel kernel_;
  std::vector<Trial> trials_; // the one that tells most first
};

} // namespace ordo::mutation
