// What the machine's induction over loops asks of terms.
#include "compiler/verify/symbolic/domain.h"

namespace ordo::verify {

Term TermDomain::unknown(unsigned width) {
  return terms_.symbol("unknown", width, {Wide{0}, (Wide{1} << width) - 1});
}

Term TermDomain::counter(std::int64_t most) {
  const Term k = terms_.symbol("step", 64, {Wide{0}, Wide{most}});
  counters_.push_back(k.node());
  return k;
}

Term TermDomain::carried(const Term &after) {
  if (!after.isNode())
    throw DomainError("a value that a loop carries is a constant after a step");
  return Term::of(terms_.unnamed("carried", terms_.pool().node(after.node()).sort));
}

/// Modulo 2^width.
std::optional<std::int64_t> TermDomain::step(const Term &before, const Term &after,
                                             unsigned width) {
  const Term by = terms_.add(after, before, width, -1);
  if (!by.isConstant())
    return std::nullopt;
  const auto shift = 64 - width;
  return static_cast<std::int64_t>(by.bits << shift) >> shift;
}

bool TermDomain::mentions(const Term &value, const Term &what) const {
  return value.isNode() && what.isNode() && terms_.mentions(value.node(), what.node());
}

Term TermDomain::at(const Term &first, std::int64_t step, const Term &k, unsigned width) {
  // The step's number is a number of 64 bits: only what it is modulo 2^width counts.
  AffinePool &affine = terms_.affine();
  const AffineId number =
      k.isConstant() ? affine.constant(static_cast<std::int64_t>(k.bits)) : affine.atom(k.node());
  return terms_.integer(affine.combine(terms_.modular(first, width), 1, number, step), width);
}

Term TermDomain::afterLast(const Term &first, std::int64_t step, const Trips &trips,
                           unsigned width) {
  return terms_.integer(terms_.affine().combine(terms_.modular(first, width), 1, trips.count, step),
                        width);
}

/// It goes on after step k while form >= 0, form = a - b * k with b > 0; or until form = 0, where b
/// is 1. Before step 0 that holds as well, one step earlier; so it holds before every step.
std::optional<TermDomain::Trips> TermDomain::trips(const Term &continues, const Term &k,
                                                   std::int64_t most, Path path) {
  if (!continues.isNode())
    return std::nullopt;
  AffinePool &affine = terms_.affine();
  Pool &pool = terms_.pool();
  NodeId node = continues.node();
  const bool isNegated = pool.node(node).kind == Kind::Not;
  if (isNegated)
    node = pool.args(node)[0];
  const Node n = pool.node(node);
  auto form = static_cast<AffineId>(n.payload);
  const bool untilZero = n.kind == Kind::IsZero && isNegated;
  if (n.kind == Kind::AtLeastZero && isNegated)
    form = affine.plus(affine.scale(form, -1), -1);
  else if (n.kind != Kind::AtLeastZero && !untilZero)
    return std::nullopt;
  std::int64_t by = 0;
  const auto coefficient = [&] {
    by = 0;
    for (const auto &[atom, factor] : affine.form(form).terms)
      if (atom == k.node())
        by = -factor;
  };
  coefficient();
  if (untilZero && by < 0) {
    form = affine.scale(form, -1);
    coefficient();
  }
  if (by <= 0 || (untilZero && by != 1))
    return std::nullopt;
  // At k = 0, one step earlier: a + b (>= 0); until zero: a (>= 0), which is reached.
  const AffineId rest = affine.combine(form, 1, affine.atom(k.node()), by);
  if (terms_.mentions(pool.make(Kind::Integer, Sort::bits(64), rest), k.node()))
    return std::nullopt;
  const AffineId before = untilZero ? rest : affine.plus(rest, by);
  const AffineId last = untilZero ? rest : terms_.quotient(before, by);
  const AffineId count = affine.plus(last, 1);
  if (!holdsAtLeast(before, path.id) ||
      !holdsAtLeast(affine.plus(affine.scale(count, -1), most), path.id))
    return std::nullopt;
  terms_.facts().learn(k.node(), affine.sub(last, affine.atom(k.node())));
  terms_.facts().learn(k.node(), affine.combine(before, 1, affine.atom(k.node()), -by));
  return Trips{count};
}

Term TermDomain::fold(const Trips &trips, const Term &first, const Term &next, const Term &carried,
                      const Term &k, unsigned width) {
  const Sort sort = terms_.pool().node(carried.node()).sort;
  const auto node = [&](const Term &value) {
    return sort.isFloat() ? terms_.settled(terms_.asFloat(sort.format, value))
                          : terms_.asBits(width, value);
  };
  return terms_.valueOf(
      terms_.fold(trips.count, node(first), node(next), carried.node(), k.node()));
}

/// A step's values are said for every step that there is, the last one among them.
std::vector<Term> TermDomain::inLastStep(const Trips &trips, std::span<const Term> values,
                                         const Term &k, std::span<const Term> carried) {
  std::vector<Term> last(values.begin(), values.end());
  std::vector<NodeId> ofStep; // what the step's number changes
  const auto count = terms_.affine().constantOf(trips.count);
  for (Term &value : last) {
    if (std::ranges::any_of(carried, [&](const Term &c) { return mentions(value, c); }) ||
        (!count && mentions(value, k)))
      value = Term{};
    else if (value.isNode())
      ofStep.push_back(value.node());
  }
  if (!count)
    return last;
  const std::vector<Term> changed = terms_.atStep(ofStep, k.node(), *count - 1);
  auto next = changed.begin();
  for (Term &value : last)
    if (value.isNode())
      value = *next++;
  return last;
}

} // namespace ordo::verify
