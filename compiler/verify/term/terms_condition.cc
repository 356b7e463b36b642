// Conditions on integers: one node where they say the same of what they speak of.
#include "compiler/verify/term/terms.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace ordo::verify {
namespace {

/// What divisors and constants may be: their products fit 64 bits.
constexpr std::int64_t kRoom = std::int64_t{1} << 30;

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

/// floor(x / d) = q is a bound of x, where the facts know the other: d*q <= x < d*q + d.
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
  if (facts_.holds(above))
    return atLeastZero(below);
  if (facts_.holds(below))
    return atLeastZero(above);
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
