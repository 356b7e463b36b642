// Divisions of numbers with a sign, which compilers make of a product, shifts and a sum.
#include "compiler/verify/machine/fault.h"
#include "compiler/verify/term/fractions.h"
#include "compiler/verify/term/terms.h"

#include <algorithm>
#include <numeric>

namespace ordo::verify {
namespace {

Wide power(unsigned width) { return Wide{1} << width; }

/// d where floor(m * x / 2^bits) + (x < 0) is x / d rounded towards zero, for all x of `width` bits
/// with a sign, 0 < m < 2^width:
/// - for x >= 0, floor(m*x / 2^bits) must be floor(x / d);
/// - for x = -y, 0 < y <= 2^(width-1), 1 - ceil(m*y / 2^bits) must be -floor(y / d): the floors
/// must be
///   equal, and m*y / 2^bits no integer.
std::optional<Wide> divisorOf(Wide m, unsigned bits, unsigned width) {
  const Fraction f = largestBelow({m, power(bits)}, power(width - 1));
  const unsigned zeros = static_cast<unsigned>(__builtin_ctzll(static_cast<std::uint64_t>(m)));
  // m*y is a multiple of 2^bits for multiples of 2^(bits - zeros) alone.
  if (f.numerator != 1 || f.denominator < 2 || bits < zeros + width)
    return std::nullopt;
  return f.denominator;
}

} // namespace

/// A product's upper half that a node of this form may rest on.
std::optional<NodeId> Terms::upperProduct(NodeId node, int depth) const {
  const Node n = pool_.node(node);
  if (n.kind == Kind::MulHiS)
    return node;
  const bool hasForm = n.kind == Kind::Integer || n.kind == Kind::FloorDiv;
  if (depth == 0 || !(hasForm || n.kind == Kind::SignExtend || n.kind == Kind::Extract))
    return std::nullopt;
  if (!hasForm)
    return upperProduct(pool_.args(node)[0], depth - 1);
  for (const auto &[atom, factor] : affine_.form(static_cast<AffineId>(n.payload)).terms)
    if (const auto product = upperProduct(atom, depth - 1))
      return product;
  return std::nullopt;
}

/// (A >> k) + (A >>> width-1), where A is the upper half of a product x * m, or that and x: x / d
/// towards zero. The operands are taken from the form; it is that division if it is what they give.
std::optional<Term> Terms::asDivision(AffineId form, unsigned width) {
  const Affine f = affine_.form(form);
  if ((width != 32 && width != 64) || f.constant != 0 || f.terms.size() < 2 || f.terms.size() > 3 ||
      !std::ranges::all_of(f.terms, [](const auto &term) { return term.second == 1; }))
    return std::nullopt;
  for (const auto &[atom, factor] : f.terms) {
    const auto product = upperProduct(atom, 3);
    if (!product || pool_.node(*product).sort.width != width)
      continue;
    const bool isFirst = pool_.node(pool_.args(*product)[0]).kind == Kind::Constant;
    const NodeId multiplier = pool_.args(*product)[isFirst ? 0 : 1];
    const Term x = constantOrNode(pool_.args(*product)[isFirst ? 1 : 0]);
    if (pool_.node(multiplier).kind != Kind::Constant || x.isConstant())
      continue;
    const Wide m = static_cast<Wide>(pool_.node(multiplier).payload);
    const unsigned shift = pool_.node(atom).kind == Kind::SignExtend
                               ? width - pool_.node(pool_.args(atom)[0]).sort.width
                               : 0;
    const auto d = m == 0 ? std::nullopt : divisorOf(m, width + shift, width);
    if (!d || *d > static_cast<Wide>(~std::uint64_t{0} >> (65 - width)))
      continue;
    const bool isNegative = m >= power(width - 1); // it is m - 2^width, and x is added
    const Term a = isNegative ? add(Term::of(*product), x, width) : Term::of(*product);
    const Term shifted = shiftRightSigned(a, shift, width), sign = shiftRight(a, width - 1, width);
    if (combined(modular(shifted, width), 1, modular(sign, width), 1, width) != form)
      continue;
    return opaque(Kind::DivS, width,
                  {x.node(), asBits(width, Term::constant(static_cast<std::uint64_t>(*d)))});
  }
  return std::nullopt;
}

} // namespace ordo::verify
