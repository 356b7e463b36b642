#include "tests/mutation/prover.h"

#include <algorithm>

namespace ordo::mutation {

verify::Proof proofOf(const emulation::Subject &subject, const verify::Kernel &code,
                      verify::MachineLimits limits) {
  const compiler::LaunchRecipe &recipe = subject.recipe();
  return verify::prove(subject.program(), code, {recipe.block, recipe.rowExtents, recipe.rows},
                       limits);
}

std::string refusalOf(const emulation::Subject &subject, const verify::Kernel &code) {
  const verify::Proof proof = proofOf(subject, code);
  return proof.isProven() ? "" : proof.refusal->where + ": " + proof.refusal->message;
}

bool takesLong(const std::string &kernel) {
  return std::ranges::any_of(std::initializer_list<const char *>{"_152064", "_151936", "_seq_3584",
                                                                 "_one_3584", "_seq_1000",
                                                                 "_one_1000"},
                             [&](const char *end) { return kernel.ends_with(end); });
}

} // namespace ordo::mutation
