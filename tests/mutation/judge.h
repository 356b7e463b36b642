// What becomes of a mutant: whether the reader takes it, whether the verifier proves it all the
// same, and what the emulator sees of it.
#pragma once

#include "dsl/eval/evaluator.h"
#include "tests/emulation/subject.h"
#include "tests/mutation/change.h"

#include <optional>
#include <string>
#include <vector>

namespace ordo::mutation {

/// What the emulator sees.
enum class Seen {
  NoMutant,  // it does not assemble
  Unread,    // the reader refuses it
  Stopped,   // a race, an address outside, a value nobody defined, …
  Different, // other bits than the evaluator's
  Equal,     // the evaluator's bits for all inputs, sizes and orders that were tried
};

struct Sight {
  Seen seen = Seen::NoMutant;
  std::string why; // Unread, Stopped
  std::optional<verify::Kernel> kernel;
};

class Judge {
public:
  /// Fails the running test if the kernel itself does not give the evaluator's bits.
  explicit Judge(const emulation::Subject &subject);

  /// Runs the mutant on every trial, or until one tells.
  Sight look(const Change &change) const;

private:
  struct Trial {
    dsl::EvalInputs inputs;
    dsl::EvalResult want;
    verify::EmulationLaunch launch;
  };
  void add(std::int64_t rows, dsl::EvalInputs inputs, verify::RunOrder order);
  void run(const Trial &trial, Sight &sight) const;

  const emulation::Subject &subject_;
  std::vector<Trial> trials_; // the one that tells most first
};

/// Whether the change is one of order between threads: equal bits are no evidence for these.
bool isSynchronisation(const std::string &rule);

} // namespace ordo::mutation
