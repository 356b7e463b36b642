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
/// incomplete: affine forms over variables, free dimensions and floor divisions by constants,
/// intervals for the rest, and up to two assumed facts.
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

  /// Adds what a Bool condition says about indices: its conjuncts that compare them.
  void assume(ExprId condition);
  std::size_t factCount() const { return facts_.size(); }
  void forget(std::size_t count) { facts_.resize(count); }

private:
  void extend();
  Interval intervalOf(ExprId id) const;
  Affine affineOf(ExprId id) const;
  Affine difference(ExprId a, ExprId b, std::int64_t constant);
  bool nonNegative(const Affine &form);
  bool boundedBelow(Affine form);
  bool eliminate(Affine &form, ExprId atom, std::int64_t coefficient);

  Program &program_;
  // By ExprId, filled in as the program grows: children come before parents, so a loop does.
  std::vector<Interval> intervals_;
  std::vector<Affine> affines_;
  std::vector<Affine> facts_; // each is >= 0
};

} // namespace ordo::dsl
