// Reductions over as many elements as the launch has: folds, in the form that induction over a
// kernel's loops gives.
#include "compiler/verify/contract/expansion.h"

#include <algorithm>
#include <fmt/format.h>

namespace ordo::verify {

using dsl::DType;
using dsl::kNone;
using dsl::Reduction;
using dsl::Stage;

namespace {

/// How many elements each level of loops takes at once, innermost first, the last one all:
/// {1, 64} for `seq(64) | seq`. Runs of one element are no level, for -0.0 + x is x.
std::vector<std::int64_t> runsOf(const dsl::Order &order) {
  std::vector<std::int64_t> runs = {1};
  for (const Stage &s : order.stages) {
    if (s.kind != Stage::Kind::Seq || s.round || s.start || s.pad)
      throw DomainError(fmt::format("`{}` over a free extent is not proven yet; `seq(n)` and a "
                                    "last `seq` are, as in `seq(64) | seq`",
                                    dsl::toString(s)));
    if (s.isTotal())
      break;
    std::int64_t run = 0;
    if (__builtin_mul_overflow(runs.back(), s.n, &run) || run > Terms::kMostSteps)
      throw DomainError("the runs of the order are longer than is proven");
    if (run != runs.back())
      runs.push_back(run);
  }
  return runs;
}

} // namespace

Value ContractTerms::Expansion::reduceFree(const dsl::Expr &e, const Prepared &p, AffineId extent) {
  const Reduction &r = program_.reductions[e.payload];
  if (r.vars.size() != 1)
    throw DomainError("a reduction over several indices, one of a free extent, is not proven yet");
  if (e.type == DType::Index || e.type == DType::Bool)
    throw DomainError(
        fmt::format("a reduction of {} over a free extent is not proven yet", dsl::name(e.type)));
  AffinePool &affine = terms_.affine();
  Facts &facts = terms_.facts();
  if (!facts.holds(extent) ||
      !facts.holds(affine.plus(affine.scale(extent, -1), Terms::kMostSteps)))
    throw DomainError(fmt::format("{} runs over {} elements, which may be less than 0 or more than "
                                  "2^47",
                                  program_.vars.at(r.vars[0]).name,
                                  formText(terms_.pool(), affine, extent)));
  const std::vector<std::int64_t> runs = runsOf(r.order);
  return foldFree(e, p, runs, affine.constant(0), extent);
}

/// The fold of `length` elements from `begin` on, the last of `runs` at a time.
///
/// The step k is a symbol of its own: that 0 <= run * k < length is a fact about k, and answers no
/// question that does not speak of k. Where length is 0 those facts contradict each other, and the
/// fold has no step that they would be wrong about.
Value ContractTerms::Expansion::foldFree(const dsl::Expr &e, const Prepared &p,
                                         std::span<const std::int64_t> runs, AffineId begin,
                                         AffineId length) {
  const Reduction &r = program_.reductions[e.payload];
  if (runs.empty()) {
    bound_.at(r.vars[0]) = begin;
    return elementOf(e, p);
  }
  AffinePool &affine = terms_.affine();
  const std::int64_t run = runs.back();
  const NodeId k = terms_.symbol("step", 64, {Wide{0}, Wide{Terms::kMostSteps}}).node();
  const AffineId count = terms_.quotient(affine.plus(length, run - 1), run);
  terms_.facts().learn(k, affine.plus(affine.sub(count, affine.atom(k)), -1));
  const AffineId rest = affine.combine(length, 1, affine.atom(k), -run);
  terms_.facts().learn(k, affine.plus(rest, -1));
  const Value element =
      foldFree(e, p, runs.first(runs.size() - 1), affine.combine(begin, 1, affine.atom(k), run),
               terms_.minimum(affine.constant(run), rest));
  const Value first = arithmetic_.constant(e.type, dsl::identityBits(r.op, e.type));
  const NodeId start = arithmetic_.node(e.type, first);
  const NodeId carried = terms_.unnamed("carried", terms_.pool().node(start).sort);
  const Value before = arithmetic_.ofNode(e.type, carried);
  const Value next = arithmetic_.binary(mergeOf(r.op), e.type, before, element);
  return arithmetic_.ofNode(e.type,
                            terms_.fold(count, start, arithmetic_.node(e.type, next), carried, k));
}

/// The reduction's element where its variables stand; one that does not count is the identity.
Value ContractTerms::Expansion::elementOf(const dsl::Expr &e, const Prepared &p) {
  const Reduction &r = program_.reductions[e.payload];
  const Value identity = arithmetic_.constant(e.type, dsl::identityBits(r.op, e.type));
  Term live = Term::constant(1);
  if (r.where != kNone) {
    std::vector<Value> condition(p.condition.steps.size());
    run(p.condition, condition, true);
    live = condition[p.condition.roots.front()].bits;
  }
  if (live == Term::constant(0))
    return identity;
  std::vector<Value> body(p.body.steps.size());
  run(p.body, body, true);
  const Value value = counted(e, body[p.body.roots.front()]);
  return live.isConstant() ? value : arithmetic_.select(e.type, live, value, identity);
}

} // namespace ordo::verify
