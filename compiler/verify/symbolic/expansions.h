// Ends of expansions on AMDGCN (gcn/expansion.h), as the single steps that they are.
#pragma once

#include "compiler/verify/term/terms.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace ordo::verify {

class Expansions {
public:
  explicit Expansions(Terms &terms) : terms_(terms) {}

  /// The step that `i` ends, if its operands are what the expansion makes of the step's own
  /// (gcn/expansion.h says why those are right).
  std::optional<Term> recognised(const Instruction &i, const Term *src);
  /// The same of what rests on nothing of AMDGCN: rounding to bf16 by integers.
  std::optional<Term> recognisedAnywhere(const Instruction &i, const Term *src);
  /// What was recognised: "div.f32", "sqrt.f64", "cvt.bf16" and their like: each an axiom or a
  /// proof of its own.
  const std::set<std::string> &used() const { return used_; }

  // A domain of values, for gcn::Expansion.
  using Value = Term;
  static Term constant(unsigned, std::uint64_t bits) { return Term::constant(bits); }
  void apply(const Instruction &i, const Term *src, Term *dst) { terms_.apply(i, src, dst); }

private:
  std::optional<Term> quotient(dsl::DType format, const Term *src);
  std::optional<Term> root32(const Term *src);
  std::optional<Term> root64(const Term *src);
  std::optional<Term> roundedToBf16(const Term *src);
  Term roundedHigh(NodeId x);
  bool isRoundedHigh(const Term &sum, NodeId x, bool isWidened) const;

  Terms &terms_;
  std::set<std::string> used_;
  std::map<std::pair<NodeId, NodeId>, Term> quotients_; // by numerator, denominator
  std::map<NodeId, Term> roots_, highs_;
};

} // namespace ordo::verify
