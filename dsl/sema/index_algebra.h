// Exact index arithmetic: constants fold, and bounds are shown or not.
#pragma once

#include "dsl/term/program.h"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace ordo::dsl {

/// lo <= value <= hi; the ends of int64 stand for no bound.
struct Interval {
  static constexpr std::int64_t kNoLower = std::numeric_limits<std::int64_t>::min();
  static constexpr std::int64_t kNoUpper = std::numeric_limits<std::int64_t>::max();
  std::int64_t lo = kNoLower;
  std::int64_t hi = kNoUpper;
};

/// constant + Σ coefficient * atom. Atoms are variables, free dimensions, and what is not affine.
struct Affine {
  std::map<ExprId, std::int64_t> terms;
  std::int64_t constant = 0;
  bool isKnown = true; // false once a coefficient left 64 bits

  void add(const Affine &other, std::int64_t factor);
};

/// Builds Index expressions of one program and reasons about them. The proofs are sound and
/// incomplete: affine forms over variables, free dimensions, data, and floor divisions by
/// constants, intervals for the rest, and a bounded search through assumed facts.
class IndexAlgebra {
public:
  explicit IndexAlgebra(Program &program) : program_(program) {}

  enum class Fault : std::uint8_t { None, Overflow, ZeroDivisor, UnprovenDivisor };
  struct Built {
    ExprId id = kNone;
    Fault fault = Fault::None;
  };
  /// Neg Add Sub Mul Div Rem Min Max on Index operands, constants folded. Division floors; unless
  /// `trustDivisor`, its divisor must be shown to be positive or a constant other than zero.
  Built build(Op op, std::span<const ExprId> args, bool trustDivisor = false);
  /// Eq Ne Lt Le Gt Ge on Index operands; a constant Bool where both are constant.
  ExprId compare(Op op, ExprId left, ExprId right);

  bool equal(ExprId a, ExprId b);
  bool provesNonNegative(ExprId a);
  bool provesLess(ExprId a, ExprId b);
  Interval interval(ExprId a);

  /// An integer as an index, which is exact. (A u64 past 2^63 is no index; nothing is known of it.)
  ExprId indexOf(ExprId value);
  /// Adds what a Bool condition says about indices and integers: its conjuncts that compare them.
  void assume(ExprId condition);
  std::size_t factCount() const { return facts_.size(); }
  void forget(std::size_t count) { facts_.resize(count); }
  /// The same for every value of `vars` at which `where`, if there is one, holds. Good for the rest
  /// of the program.
  void assumeForAll(std::vector<VarId> vars, ExprId where, ExprId condition);
  /// The condition with other expressions in the place of variables; nothing where one of them
  /// stands under a reduction.
  std::optional<ExprId> substitute(ExprId id, const std::map<VarId, ExprId> &values);
  /// Forgets expressions that the program has no more.
  void truncate();

private:
  struct ForAll {
    std::vector<VarId> vars;
    ExprId where;
    ExprId condition;
  };
  struct Search;

  void extend();
  Interval intervalOf(ExprId id) const;
  Interval castInterval(ExprId from) const;
  Affine affineOf(ExprId id) const;
  Affine difference(ExprId a, ExprId b, std::int64_t constant);
  bool nonNegative(const Affine &form);
  bool boundedBelow(Affine form);
  bool eliminate(Affine &form, ExprId atom, std::int64_t coefficient);
  bool eliminateQuotient(Affine &form, ExprId atom, std::int64_t coefficient);
  std::optional<ExprId> rankingExtent(ExprId cast) const;
  bool search(const Affine &form, int depth, Search &search);
  bool splitChoice(const Affine &form, ExprId atom, int depth, Search &search);
  bool useFact(const Affine &form, const Affine &fact, int depth, Search &search);
  void addInstances(const Affine &form);
  void instantiate(const ForAll &fact, const std::vector<ExprId> &accesses);
  bool fits(const ForAll &fact, const std::map<VarId, ExprId> &values);
  bool provesCondition(ExprId condition);
  bool provesComparison(Op op, ExprId a, ExprId b);
  std::vector<ExprId> accessesIn(ExprId root) const;

  Program &program_;
  // By ExprId, filled in as the program grows: children come before parents, so a loop does.
  std::vector<Interval> intervals_;
  std::vector<Affine> affines_;
  std::vector<Affine> facts_; // each is >= 0
  std::vector<ForAll> quantified_;
  int openProofs_ = 0; // proofs within proofs
};

} // namespace ordo::dsl
