// Exact integers, of any sign: what indices are made of. Where nothing linear says it, an atom
// does.
#include "compiler/verify/machine/fault.h"
#include "compiler/verify/term/fractions.h"
#include "compiler/verify/term/terms.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <tuple>

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

/// Whether the coefficients times the factor, which is below 2^63, fit 64 bits.
bool fitsProduct(const Affine &form, Wide factor) {
  const auto fits = [&](std::int64_t v) {
    const Wide product = v * factor;
    return product < power(63) && -product < power(63);
  };
  return fits(form.constant) &&
         std::ranges::all_of(form.terms, [&](const auto &term) { return fits(term.second); });
}

/// The greatest common divisor of the coefficients and `divisor`.
std::int64_t commonFactor(const Affine &form, std::int64_t divisor) {
  std::int64_t common = divisor;
  for (const auto &[atom, factor] : form.terms)
    common = std::gcd(common, factor);
  return common;
}

} // namespace

/// floor(factor * x / divisor) with the simplest fraction that gives the same for every x that the
/// bounds allow: a division by a magic number is the division that it is for. Nothing where x has
/// no bounds, or the fraction is as simple as that.
std::optional<AffineId> Terms::simplestQuotient(AffineId x, Wide factor, Wide divisor) {
  const Interval of = facts_.interval(x);
  constexpr Wide kMost = std::numeric_limits<std::int64_t>::max();
  const bool isBounded = of.high && *of.high >= 1 && *of.high <= power(64);
  if (!isBounded || factor <= 0 || factor / divisor >= power(31) || divisor <= *of.high ||
      !facts_.holds(x))
    return std::nullopt;
  const auto [numerator, denominator] = largestBelow({factor, divisor}, *of.high);
  // Of the upper half of a product the fraction is as large as that, if it is by no magic number.
  const bool isSimple = divisor > *of.high + 1 || denominator <= divisor / 4;
  if (!isSimple || numerator > kMost || denominator > kMost ||
      !fitsProduct(affine_.form(x), numerator))
    return std::nullopt;
  const AffineId result = quotient(affine_.scale(x, static_cast<std::int64_t>(numerator)),
                                   static_cast<std::int64_t>(denominator));
  defineQuotient(result, x, factor, divisor);
  return result;
}

/// floor(m * x / d), m > 0, where the numbers fit.
std::optional<AffineId> Terms::quotientOf(AffineId x, Wide m, Wide d) {
  if (m >= power(63) || d >= power(63))
    return simplestQuotient(x, m, d);
  const Wide common = std::gcd(static_cast<std::int64_t>(m), static_cast<std::int64_t>(d));
  m /= common;
  d /= common;
  if (const auto simplest = simplestQuotient(x, m, d))
    return simplest;
  const Affine &form = affine_.form(x);
  if (!fitsProduct(form, m))
    return std::nullopt;
  return quotient(affine_.scale(x, static_cast<std::int64_t>(m)), static_cast<std::int64_t>(d));
}

/// d * q <= m * x < d * (q + 1) of a quotient q that is floor(m * x / d) as well.
void Terms::defineQuotient(AffineId quotient, AffineId x, Wide m, Wide d) {
  if (m >= power(40) || d >= power(40))
    return; // of no use to the elimination
  const auto factor = static_cast<std::int64_t>(m), divisor = static_cast<std::int64_t>(d);
  const Affine form = affine_.form(quotient);
  for (const auto &[atom, times] : form.terms) {
    if (pool_.node(atom).kind != Kind::FloorDiv)
      continue;
    const AffineId below = affine_.combine(x, factor, quotient, -divisor);
    facts_.learn(atom, below);
    facts_.learn(atom, affine_.plus(affine_.scale(below, -1), divisor - 1));
  }
}

/// {k, x}: form = k * x, the coefficients of x and its constant without a common factor, k > 0.
std::pair<std::int64_t, AffineId> Terms::primitive(AffineId form) {
  const Affine f = affine_.form(form);
  std::int64_t common = f.constant == INT64_MIN ? 1 : std::abs(f.constant);
  for (const auto &[atom, factor] : f.terms)
    common = factor == INT64_MIN ? 1 : std::gcd(common, factor);
  if (common <= 1)
    return {1, form};
  return {common, *affine_.dividedBy(form, common)};
}

/// floor((k*x + floor(m*x / b)) / d) = floor((k*b + m) * x / (b * d)).
std::optional<AffineId> Terms::flatQuotient(AffineId rest, std::int64_t divisor) {
  const Affine r = affine_.form(rest);
  for (const auto &[inner, count] : r.terms) {
    if (pool_.node(inner).kind != Kind::FloorDiv)
      continue;
    const auto by = static_cast<std::int64_t>(pool_.node(pool_.args(inner)[0]).payload);
    const auto [m, x] = primitive(static_cast<AffineId>(pool_.node(inner).payload));
    // The quotient once, so many divisors more or less taken out.
    const auto times = static_cast<std::int64_t>(floorDivided(Wide{count} - 1, divisor));
    if (Wide{times} * divisor != Wide{count} - 1)
      continue;
    const AffineId other = affine_.sub(rest, affine_.scale(affine_.atom(inner), count));
    Wide k = 0;
    if (!affine_.form(other).isConstant() || affine_.form(other).constant != 0) {
      const auto [common, same] = primitive(other);
      if (same != x)
        continue;
      k = common;
    }
    if (const auto flat = quotientOf(x, k * by + m, Wide{by} * divisor))
      return affine_.combine(*flat, 1, affine_.atom(inner), times);
  }
  return std::nullopt;
}

/// floor((floor(f / b) + g) / d) = floor((f + b * g) / (b * d)), where the numbers fit.
std::optional<AffineId> Terms::nestedQuotient(AffineId rest, std::int64_t divisor) {
  const Affine r = affine_.form(rest);
  for (const auto &[inner, factor] : r.terms) {
    if (factor != 1 || pool_.node(inner).kind != Kind::FloorDiv)
      continue;
    const auto by = static_cast<std::int64_t>(pool_.node(pool_.args(inner)[0]).payload);
    std::int64_t together = 0;
    const AffineId others = affine_.sub(rest, affine_.atom(inner));
    if (__builtin_mul_overflow(by, divisor, &together) ||
        !fitsProduct(affine_.form(others), Wide{by} * 2))
      continue;
    const auto numerator = static_cast<AffineId>(pool_.node(inner).payload);
    return quotient(affine_.combine(numerator, 1, others, by), together);
  }
  return std::nullopt;
}

AffineId Terms::quotient(AffineId form, std::int64_t divisor) {
  if (!affine_.form(form).isConstant()) {
    const auto [factor, x] = primitive(form);
    const std::int64_t common = std::gcd(factor, divisor);
    if (const auto simplest = simplestQuotient(x, factor / common, divisor / common))
      return *simplest;
  }
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
  if (const auto nested = nestedQuotient(rest, divisor))
    return affine_.add(whole, *nested);
  if (const auto flat = flatQuotient(rest, divisor))
    return affine_.add(whole, *flat);
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

/// Modulo 2^w a factor of 2^(w-1) and more is one below zero: 192 * a is -64 * a in 8 bits. So
/// where one factor the other way round, or the constant too, brings the form into range, it is
/// exact.
std::optional<AffineId> Terms::otherRepresentative(AffineId form, unsigned width) {
  constexpr unsigned kNarrow = 16; // numbers of full registers are seldom there for a part of them
  if (width > kNarrow)
    return std::nullopt;
  const Affine f = affine_.form(form);
  const std::int64_t modulus = std::int64_t{1} << width;
  for (const auto &[atom, factor] : f.terms)
    for (const std::int64_t constant : {std::int64_t{0}, modulus, -modulus}) {
      const AffineId other = affine_.plus(
          affine_.combine(form, 1, affine_.atom(atom), factor < 0 ? modulus : -modulus), constant);
      if (facts_.within(other, 0, modulus))
        return other;
    }
  return std::nullopt;
}

/// The product of atoms, of which those that are products are opened; it need not have bounds yet.
NodeId Terms::productNode(NodeId a, NodeId b) {
  std::vector<NodeId> factors;
  for (const NodeId side : {a, b}) {
    const Node &n = pool_.node(side);
    if (n.kind == Kind::Mul && n.payload == kExactProduct)
      factors.insert(factors.end(), pool_.args(side).begin(), pool_.args(side).end());
    else
      factors.push_back(side);
  }
  std::ranges::sort(factors);
  return pool_.make(Kind::Mul, Sort::bits(64), kExactProduct, factors);
}

NodeId Terms::productAtom(NodeId a, NodeId b) {
  const NodeId node = productNode(a, b);
  if (isRegistered(node))
    return node;
  const Interval i = facts_.ofAtom(a), j = facts_.ofAtom(b);
  const bool isBounded = i.low && i.high && j.low && j.high && *i.low >= 0 && *j.low >= 0 &&
                         *i.high < power(63) && *j.high < power(63);
  if (isBounded && *i.high * *j.high < power(63)) {
    facts_.bound(node, {*i.low * *j.low, *i.high * *j.high});
    registers(node);
    // (most - x) * y >= 0, where that is a small number.
    for (const auto &[most, x, y] : {std::tuple(*i.high, a, b), std::tuple(*j.high, b, a)})
      if (most < power(31))
        facts_.define(node, affine_.combine(affine_.atom(y), static_cast<std::int64_t>(most),
                                            affine_.atom(node), -1));
    return node;
  }
  if (!isBounded || !(boundByFacts(node, a, b) || boundByFacts(node, b, a)))
    throw DomainError(fmt::format("the product of {} and {} is not known to fit 63 bits",
                                  toString(pool_, affine_, a, 6), toString(pool_, affine_, b, 6)));
  return node;
}

/// A fact c - k*a + ... >= 0 times b >= 0 is a fact of products: where those of the other atoms are
/// known, it bounds a * b.
bool Terms::boundByFacts(NodeId node, NodeId a, NodeId b) {
  std::vector<AffineId> learnt;
  std::optional<Wide> high;
  for (const AffineId fact : facts_.about(a)) {
    const Affine f = affine_.form(fact);
    AffineId others = affine_.scale(affine_.atom(b), f.constant); // all terms but a's, times b
    std::int64_t factor = 0;
    bool isKnown = true;
    for (const auto &[atom, times] : f.terms) {
      if (atom == a) {
        factor = times;
        continue;
      }
      const NodeId product = productNode(atom, b);
      isKnown = isKnown && isRegistered(product);
      if (isKnown)
        others = affine_.combine(others, 1, affine_.atom(product), times);
    }
    if (!isKnown || factor == 0)
      continue;
    learnt.push_back(affine_.combine(others, 1, affine_.atom(node), factor));
    const auto most = facts_.interval(others).high;
    if (factor < 0 && most && *most >= 0 && *most / -Wide{factor} < power(63))
      high = std::min(high.value_or(power(63)), *most / -Wide{factor});
  }
  if (!high)
    return false;
  facts_.bound(node, {Wide{0}, *high});
  registers(node);
  for (const AffineId form : learnt)
    facts_.define(node, form);
  return true;
}

void Terms::limitProduct(AffineId a, AffineId b, Wide most) {
  const Affine x = affine_.form(a), y = affine_.form(b);
  if (!isAtom(x) || !isAtom(y) || x.constant != 0 || y.constant != 0 || most >= power(63))
    return;
  const NodeId node = productNode(x.terms.front().first, y.terms.front().first);
  if (!registers(node))
    return;
  facts_.bound(node, {Wide{0}, most});
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
