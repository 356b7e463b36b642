// Exact integers, of any sign: what indices are made of. Where nothing linear says it, an atom
// does.
#include "compiler/verify/machine/fault.h"
#include "compiler/verify/term/terms.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace ordo::verify {
namespace {

Wide power(unsigned width) { return Wide{1} << width; }

Wide floorDivided(Wide a, std::int64_t b) { return a / b - (a % b < 0); }

bool isAtom(const Affine &form) { return form.terms.size() == 1 && form.terms.front().second == 1; }

std::int64_t fits64(Wide value) {
  const auto low = static_cast<std::int64_t>(value);
  if (low != value)
    throw DomainError("index arithmetic does not fit 64 bits");
  return low;
}

/// The greatest common divisor of the coefficients and `divisor`.
std::int64_t commonFactor(const Affine &form, std::int64_t divisor) {
  std::int64_t common = divisor;
  for (const auto &[atom, factor] : form.terms)
    common = std::gcd(common, factor);
  return common;
}

} // namespace

AffineId Terms::quotient(AffineId form, std::int64_t divisor) {
  const auto [whole, rest] = affine_.split(form, divisor);
  const Interval of = facts_.interval(rest);
  if (of.low && of.high && floorDivided(*of.low, divisor) == floorDivided(*of.high, divisor))
    return affine_.plus(whole, static_cast<std::int64_t>(floorDivided(*of.low, divisor)));
  if (facts_.within(rest, 0, divisor))
    return whole;
  const Affine r = affine_.form(rest);
  // floor((g * f + c) / (g * e)) = floor((f + floor(c / g)) / e).
  if (const std::int64_t common = commonFactor(r, divisor); common > 1) {
    const AffineId shared = affine_.plus(rest, -(r.constant % common));
    return affine_.add(whole, quotient(*affine_.dividedBy(shared, common), divisor / common));
  }
  // floor((g * f + c) / (g * e)) = floor(f / e), where 0 <= c < g.
  for (const auto &[atom, factor] : r.terms) {
    const std::int64_t common = std::gcd(factor, divisor);
    if (common <= 1 || common == divisor)
      continue;
    const auto [multiple, small] = affine_.split(rest, common);
    if (!affine_.form(multiple).isConstant() && !affine_.form(small).isConstant() &&
        facts_.within(small, 0, common))
      return affine_.add(whole, quotient(multiple, divisor / common));
  }
  // floor((floor(f / b) + c) / d) = floor((f + c * b) / (b * d)).
  if (isAtom(r) && pool_.node(r.terms.front().first).kind == Kind::FloorDiv) {
    const NodeId inner = r.terms.front().first;
    const auto by = static_cast<std::int64_t>(pool_.node(pool_.args(inner)[0]).payload);
    std::int64_t together = 0, moved = 0;
    if (!__builtin_mul_overflow(by, divisor, &together) &&
        !__builtin_mul_overflow(by, r.constant, &moved)) {
      const auto numerator = static_cast<AffineId>(pool_.node(inner).payload);
      return affine_.add(whole, quotient(affine_.plus(numerator, moved), together));
    }
  }
  return affine_.add(whole, affine_.atom(quotientAtom(rest, divisor)));
}

NodeId Terms::quotientAtom(AffineId form, std::int64_t divisor) {
  const NodeId by = pool_.make(Kind::Constant, Sort::bits(64), static_cast<std::uint64_t>(divisor));
  const NodeId node = pool_.make(Kind::FloorDiv, Sort::bits(64), form, {by});
  if (!registers(node))
    return node;
  const Interval of = facts_.interval(form);
  const auto floor = [&](const std::optional<Wide> &v) {
    return v ? std::optional(floorDivided(*v, divisor)) : std::nullopt;
  };
  facts_.bound(node, {floor(of.low), floor(of.high)});
  facts_.defineQuotient(node, form, divisor);
  return node;
}

/// Distributed over the terms, each pair of atoms a node of its own.
AffineId Terms::product(AffineId a, AffineId b) {
  const Affine x = affine_.form(a), y = affine_.form(b);
  AffineId sum = affine_.scale(a, y.constant);
  for (const auto &[atom, factor] : y.terms) {
    sum = affine_.combine(sum, 1, affine_.atom(atom), fits64(Wide{factor} * x.constant));
    for (const auto &[other, by] : x.terms)
      sum = affine_.combine(sum, 1, affine_.atom(productAtom(atom, other)),
                            fits64(Wide{factor} * by));
  }
  return sum;
}

NodeId Terms::productAtom(NodeId a, NodeId b) {
  std::vector<NodeId> factors;
  for (const NodeId side : {a, b}) {
    const Node &n = pool_.node(side);
    if (n.kind == Kind::Mul && n.payload == kExactProduct)
      factors.insert(factors.end(), pool_.args(side).begin(), pool_.args(side).end());
    else
      factors.push_back(side);
  }
  std::ranges::sort(factors);
  const NodeId node = pool_.make(Kind::Mul, Sort::bits(64), kExactProduct, factors);
  if (node < isRegistered_.size() && isRegistered_[node])
    return node;
  const Interval i = facts_.ofAtom(a), j = facts_.ofAtom(b);
  const bool isBounded = i.low && i.high && j.low && j.high && *i.low >= 0 && *j.low >= 0 &&
                         *i.high < power(63) && *j.high < power(63);
  if (!isBounded || *i.high * *j.high >= power(63))
    throw DomainError(fmt::format("the product of {} and {} is not known to fit 63 bits",
                                  toString(pool_, affine_, a, 6), toString(pool_, affine_, b, 6)));
  facts_.bound(node, {*i.low * *j.low, *i.high * *j.high});
  registers(node);
  return node;
}

AffineId Terms::minimum(AffineId a, AffineId b) { return extreme(Kind::MinU, a, b); }
AffineId Terms::maximum(AffineId a, AffineId b) { return extreme(Kind::MaxU, a, b); }

AffineId Terms::extreme(Kind kind, AffineId a, AffineId b) {
  const bool isMin = kind == Kind::MinU;
  const AffineId difference = affine_.sub(b, a);
  if (facts_.holds(difference))
    return isMin ? a : b;
  if (facts_.holds(affine_.scale(difference, -1)))
    return isMin ? b : a;
  const std::int64_t base = leastOf({a, b});
  const AffineId x = affine_.plus(a, -base), y = affine_.plus(b, -base);
  const NodeId p = asBits(64, integer(x, 64)), q = asBits(64, integer(y, 64));
  const NodeId node = pool_.make(kind, Sort::bits(64), 0, {std::min(p, q), std::max(p, q)});
  const AffineId m = affine_.atom(node);
  if (registers(node)) {
    const Interval i = facts_.interval(x), j = facts_.interval(y);
    facts_.bound(node, {isMin ? std::min(*i.low, *j.low) : std::max(*i.low, *j.low),
                        isMin ? std::min(*i.high, *j.high) : std::max(*i.high, *j.high)});
    for (const AffineId side : {x, y})
      facts_.define(node, isMin ? affine_.sub(side, m) : affine_.sub(m, side));
  }
  return affine_.plus(m, base);
}

/// A number that none of the forms is below, 0 if that will do: less it, all fit 63 bits without a
/// sign.
std::int64_t Terms::leastOf(std::initializer_list<AffineId> forms) {
  Wide least = 0;
  for (const AffineId form : forms) {
    const Interval of = facts_.interval(form);
    if (!of.low || !of.high || *of.low < -power(62) || *of.high >= power(62))
      throw DomainError(
          fmt::format("the index {} is not known to fit 62 bits", formText(pool_, affine_, form)));
    if (*of.low < 0 && !facts_.holds(form))
      least = std::min(least, *of.low);
  }
  return static_cast<std::int64_t>(least);
}

AffineId Terms::choice(const Term &condition, AffineId a, AffineId b) {
  if (condition.isConstant())
    return condition.bits != 0 ? a : b;
  if (condition.isUndefined())
    throw DomainError("an index depends on a value that there is not");
  if (a == b)
    return a;
  const std::int64_t base = leastOf({a, b});
  const AffineId x = affine_.plus(a, -base), y = affine_.plus(b, -base);
  const Term chosen = select(condition, integer(x, 64), integer(y, 64), 64);
  const bool isChoice = chosen.isNode() && pool_.node(chosen.node()).kind == Kind::Select;
  if (isChoice && registers(chosen.node())) {
    const Interval i = facts_.interval(x), j = facts_.interval(y);
    facts_.bound(chosen.node(), {std::min(*i.low, *j.low), std::max(*i.high, *j.high)});
  }
  return affine_.plus(exact(chosen, 64), base);
}

/// s = ((s + 2^(w-1)) mod 2^w) - 2^(w-1), whose first part has no sign.
AffineId Terms::exactSigned(const Term &value, unsigned width) {
  const AffineId form = modular(value, width);
  const Wide half = power(width - 1);
  if (facts_.within(form, -half, half))
    return form;
  const Term shifted = add(value, Term::constant(std::uint64_t{1} << (width - 1)), width);
  AffineId above = 0;
  if (width < 64) {
    above = exact(shifted, width);
  } else { // exact() looks for bounds by sums that do not fit
    registerAtom(shifted.node());
    above = affine_.atom(shifted.node());
  }
  return affine_.plus(above, static_cast<std::int64_t>(-half));
}

} // namespace ordo::verify
