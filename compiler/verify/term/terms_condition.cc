// Conditions on integers: one node where they say the same of what they speak of.
#include "compiler/verify/term/terms.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace ordo::verify {
namespace {

/// What divisors and constants may be: their products fit 64 bits.
constexpr std::int64_t kRoom = std::int64_t{1} << 30;
constexpr int kDeep = 4; // numbers made of numbers

/// The greatest common divisor of the coefficients.
std::int64_t commonFactor(const Affine &form) {
  std::int64_t common = 0;
  for (const auto &[atom, factor] : form.terms)
    common = factor == INT64_MIN ? 1 : std::gcd(common, factor);
  return common;
}

} // namespace

Term Terms::atLeastZero(AffineId form) {
  if (facts_.holds(form))
    return Term::constant(1);
  const AffineId negated = affine_.plus(affine_.scale(form, -1), -1);
  if (facts_.holds(negated))
    return Term::constant(0);
  if (const auto known = ofWrapped(form))
    return *known;
  // Of a condition and its negation one is kept, the one with a positive first coefficient.
  const bool isNegated = affine_.form(form).terms.front().second < 0;
  const Term condition =
      Term::of(pool_.make(Kind::AtLeastZero, Sort::bits(1), isNegated ? negated : form));
  const Term known = isOfOneFloat(form) ? knownCondition(condition) : condition;
  return isNegated ? notBit(known) : known;
}

Term Terms::isZero(AffineId form) {
  if (const auto constant = affine_.constantOf(form))
    return Term::constant(*constant == 0);
  if (facts_.holds(affine_.plus(form, -1)) ||
      facts_.holds(affine_.plus(affine_.scale(form, -1), -1)))
    return Term::constant(0);
  if (affine_.form(form).terms.front().second < 0)
    form = affine_.scale(form, -1);
  if (const std::int64_t common = commonFactor(affine_.form(form)); common > 1) {
    const auto divided = affine_.dividedBy(form, common);
    return divided ? isZero(*divided) : Term::constant(0);
  }
  if (const auto known = isQuotient(form))
    return *known;
  if (const auto bit = isBitOfQuotients(form))
    return *bit;
  if (isBelowABit(form))
    return notBit(isZero(affine_.plus(form, 1)));
  const Affine &f = affine_.form(form);
  const NodeId atom = f.terms.front().first;
  if (f.terms.size() == 1 && f.terms.front().second == 1 && (f.constant == 0 || f.constant == -1)) {
    // A bit, as a number, is 1; or 0.
    const bool isChosen = isChosenBit(atom, pool_.node(atom).sort.width);
    if (isChosen || (pool_.node(atom).sort == Sort::bits(1) && !isIndexLike(atom))) {
      const Term bit = Term::of(isChosen ? pool_.args(atom)[0] : atom);
      return f.constant != 0 ? bit : notBit(bit);
    }
  }
  const Term condition = Term::of(pool_.make(Kind::IsZero, Sort::bits(1), form));
  return isOfOneFloat(form) ? knownCondition(condition) : condition;
}

/// Whether something in it is neither a size nor a place.
bool Terms::isOfData(AffineId form, int depth) const {
  return std::ranges::any_of(affine_.form(form).terms, [&](const auto &term) {
    const Node &n = pool_.node(term.first);
    if (n.kind == Kind::Integer || n.kind == Kind::FloorDiv)
      return depth > 0 && isOfData(static_cast<AffineId>(n.payload), depth - 1);
    return !isIndexLike(term.first);
  });
}

/// floor(x / d) = q is d*q <= x < d*q + d; of sizes and places only where the facts know a half of
/// it.
std::optional<Term> Terms::isQuotient(AffineId form) {
  const Affine &f = affine_.form(form);
  const NodeId atom = f.terms.front().first;
  if (f.terms.size() != 1 || f.terms.front().second != 1 || pool_.node(atom).kind != Kind::FloorDiv)
    return std::nullopt;
  const auto divisor = static_cast<std::int64_t>(pool_.node(pool_.args(atom)[0]).payload);
  const auto x = static_cast<AffineId>(pool_.node(atom).payload);
  if (divisor > kRoom || std::abs(f.constant) > kRoom || std::abs(affine_.form(x).constant) > kRoom)
    return std::nullopt;
  const AffineId above = affine_.plus(x, f.constant * divisor); // x - d*q
  const AffineId below = affine_.plus(affine_.scale(above, -1), divisor - 1);
  const bool isAbove = facts_.holds(above), isBelow = facts_.holds(below);
  if (!isAbove && !isBelow && !isOfData(x, kDeep))
    return std::nullopt;
  return andBit(isAbove ? Term::constant(1) : atLeastZero(above),
                isBelow ? Term::constant(1) : atLeastZero(below));
}

/// What is asked of a number of w bits alone, x modulo 2^w: of x itself, where its bounds leave one
/// multiple of 2^w between them.
std::optional<Term> Terms::ofWrapped(AffineId form) {
  const Affine f = affine_.form(form);
  if (f.terms.size() != 1 || std::abs(f.terms.front().second) != 1)
    return std::nullopt;
  const NodeId atom = f.terms.front().first;
  const Node n = pool_.node(atom);
  if (n.kind != Kind::Integer || n.sort.width > 62 || isOfFloatBits(atom))
    return std::nullopt;
  const auto x = static_cast<AffineId>(n.payload);
  const Interval of = facts_.interval(x);
  // atom <= most, or its negation.
  const bool isNegated = f.terms.front().second > 0;
  const Wide most = isNegated ? -Wide{f.constant} - 1 : Wide{f.constant};
  const Wide modulus = Wide{1} << n.sort.width;
  if (!of.low || !of.high || most < 0 || most >= modulus - 1 || *of.low < -modulus ||
      *of.high >= 2 * modulus)
    return std::nullopt;
  const auto between = [&](Wide low, Wide high) -> std::optional<Term> {
    std::optional<Wide> turn;
    for (const Wide at : {-modulus, Wide{0}, modulus}) {
      if (*of.high < at + low || *of.low > at + high)
        continue;
      if (turn)
        return std::nullopt;
      turn = at;
    }
    if (!turn)
      return Term::constant(0);
    const auto least = static_cast<std::int64_t>(*turn + low);
    const AffineId above = affine_.plus(x, -least);
    const auto room = static_cast<std::int64_t>(high - low);
    return andBit(atLeastZero(above), atLeastZero(affine_.plus(affine_.scale(above, -1), room)));
  };
  if (const auto below = between(0, most))
    return isNegated ? notBit(*below) : *below;
  if (const auto above = between(most + 1, modulus - 1))
    return isNegated ? *above : notBit(*above);
  return std::nullopt;
}

/// floor(x / c) - 2 * floor(x / 2c) is one bit, which is set where x modulo 2c is c at least.
std::optional<Term> Terms::isBitOfQuotients(AffineId form) {
  const Affine f = affine_.form(form);
  if (f.terms.size() != 2)
    return std::nullopt;
  const bool isFirst = std::abs(f.terms[0].second) == 1;
  const auto [lower, factor] = f.terms[isFirst ? 0 : 1];
  const auto [upper, twice] = f.terms[isFirst ? 1 : 0];
  const auto bit = -factor * f.constant; // that is asked for
  if (std::abs(factor) != 1 || twice != -2 * factor || (bit != 0 && bit != 1) ||
      pool_.node(lower).kind != Kind::FloorDiv || pool_.node(upper).kind != Kind::FloorDiv ||
      pool_.node(lower).payload != pool_.node(upper).payload)
    return std::nullopt;
  const auto c = static_cast<std::int64_t>(pool_.node(pool_.args(lower)[0]).payload),
             both = static_cast<std::int64_t>(pool_.node(pool_.args(upper)[0]).payload);
  const auto x = static_cast<AffineId>(pool_.node(lower).payload);
  if (c > kRoom || both != 2 * c || std::abs(affine_.form(x).constant) > kRoom)
    return std::nullopt;
  const AffineId rest = affine_.combine(x, -1, affine_.atom(upper), both);
  const Term isClear = atLeastZero(affine_.plus(rest, c - 1));
  return bit == 0 ? isClear : notBit(isClear);
}

/// A number of one bit less 1, by its quotients: what is asked of it is asked of the bit.
bool Terms::isBelowABit(AffineId form) {
  const Affine &f = affine_.form(form);
  return std::ranges::any_of(f.terms,
                             [&](const auto &term) {
                               return std::abs(term.second) == 2 &&
                                      pool_.node(term.first).kind == Kind::FloorDiv;
                             }) &&
         facts_.within(form, -1, 1);
}

/// Of numbers that may wrap it is their difference that is zero, or its opposite.
Term Terms::isZeroModulo(AffineId difference, unsigned width) {
  const Affine &form = affine_.form(difference);
  if (!form.isConstant() && form.terms.front().second < 0)
    difference = combined(difference, -1, difference, 0, width);
  return isZero(exact(integer(difference, width), width));
}

} // namespace ordo::verify
