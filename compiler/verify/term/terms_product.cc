// Products of integers: exact where they are known to fit, of their halves where one is small.
#include "compiler/verify/machine/concrete.h"
#include "compiler/verify/machine/fault.h"
#include "compiler/verify/term/terms.h"

#include <algorithm>
#include <array>
#include <bit>

namespace ordo::verify {
namespace {

Wide power(unsigned width) { return Wide{1} << width; }

/// The representative in [-2^(width-1), 2^(width-1)).
std::int64_t symmetric(std::uint64_t value, unsigned width) {
  const unsigned above = 64 - width;
  return static_cast<std::int64_t>(value << above) >> above;
}

} // namespace

Term Terms::multiply(const Term &a, const Term &b, unsigned width) {
  if (a.isUndefined() || b.isUndefined())
    return {};
  if (a.isConstant() && !b.isConstant())
    return multiply(b, a, width);
  if (const auto pushed = throughSelect(
          a, b, width, [&](const Term &x, const Term &y) { return multiply(x, y, width); }))
    return *pushed;
  if (b.isConstant()) {
    const AffineId form = modular(a, width);
    return integer(combined(form, symmetric(b.bits, width), form, 0, width), width);
  }
  if (const auto known = knownProduct(a, b, width))
    return *known;
  if (const auto data = productOfData(a, b, width))
    return *data;
  const NodeId x = asBits(width, a), y = asBits(width, b);
  return opaque(Kind::Mul, width, {std::min(x, y), std::max(x, y)});
}

/// A row times its length: of indices, each product of two known not to be too large.
std::optional<Term> Terms::knownProduct(const Term &a, const Term &b, unsigned width) {
  if (!isForm(a) || !isForm(b) || !isOfIndices(a, width) || !isOfIndices(b, width))
    return std::nullopt;
  try {
    return integer(productModulo(modular(a, width), modular(b, width), width), width);
  } catch (const DomainError &) { // no bounds: it stays a product modulo 2^width
    return std::nullopt;
  }
}

/// Modulo 2^width. What counts nothing there needs no bounds: of the product of two lower halves,
/// x - 2^32 * floor(x / 2^32) each, that of the upper ones.
AffineId Terms::productModulo(AffineId a, AffineId b, unsigned width) {
  const Affine x = affine_.form(a), y = affine_.form(b);
  const Wide modulus = power(width);
  AffineId sum = affine_.constant(0);
  const auto add = [&](std::int64_t p, std::int64_t q, std::initializer_list<NodeId> atoms) {
    const Wide rest = Wide{p} * q % modulus;
    if (rest == 0)
      return;
    const Wide factor = rest >= modulus / 2   ? rest - modulus
                        : rest < -modulus / 2 ? rest + modulus
                                              : rest;
    const AffineId of = atoms.size() == 0 ? affine_.constant(1)
                        : atoms.size() == 1
                            ? affine_.atom(*atoms.begin())
                            : affine_.atom(productAtom(*atoms.begin(), *(atoms.begin() + 1)));
    sum = combined(sum, 1, of, static_cast<std::int64_t>(factor), width);
  };
  add(x.constant, y.constant, {});
  for (const auto &[atom, factor] : x.terms)
    add(factor, y.constant, {atom});
  for (const auto &[atom, factor] : y.terms) {
    add(factor, x.constant, {atom});
    for (const auto &[other, by] : x.terms)
      add(factor, by, {atom, other});
  }
  return sum;
}

Term Terms::multiplyHigh(const Term &a, std::uint64_t factor, unsigned width) {
  if (a.isUndefined())
    return a;
  if (factor == 0)
    return Term::constant(0);
  if (a.isConstant()) {
    Instruction i;
    i.op = Op::MulHiU;
    i.width = static_cast<std::uint8_t>(width);
    i.src.resize(2);
    const std::array<std::uint64_t, 2> bits = {a.bits, factor};
    return Term::constant(computeInteger(i, bits.data(), nullptr));
  }
  if (const auto pushed =
          onNumberArm(a, width, [&](const Term &x) { return multiplyHigh(x, factor, width); }))
    return *pushed;
  if (std::has_single_bit(factor))
    return shiftRight(a, width - static_cast<unsigned>(std::countr_zero(factor)), width);
  // As a quotient, where the coefficients have room.
  const AffineId number = exact(a, width);
  const Affine &form = affine_.form(number);
  const auto isSmall = [](std::int64_t v) { return v < (1 << 30) && v > -(1 << 30); };
  if (width <= 32 && isSmall(form.constant) &&
      std::ranges::all_of(form.terms, [&](const auto &term) { return isSmall(term.second); }))
    return integer(quotient(affine_.scale(number, static_cast<std::int64_t>(factor)),
                            std::int64_t{1} << width),
                   width);
  if (const auto simplest = simplestQuotient(number, Wide{factor}, power(width)))
    return integer(*simplest, width);
  const NodeId x = asBits(width, a), by = asBits(width, Term::constant(factor));
  return opaque(Kind::MulHiU, width, {std::min(x, by), std::max(x, by)});
}

/// A product of data as the sum low + 2^32 * high of exact ones: of a number of 31 bits at most,
/// and of a number of 64 bits in halves, or of 32 bits. Nothing where neither operand is as small
/// as that.
std::optional<Terms::HalfProducts> Terms::halfProducts(const Term &a, const Term &b,
                                                       unsigned width) {
  const auto isBelow = [&](AffineId form, unsigned bits) {
    const Interval of = facts_.interval(form);
    return of.low && of.high && *of.low >= 0 && *of.high < power(bits);
  };
  if (a.isConstant() || b.isConstant() || width < 32)
    return std::nullopt;
  AffineId x = exact(a, width), y = exact(b, width);
  Term other = b;
  if (!isBelow(x, 31)) {
    std::swap(x, y);
    other = a;
  }
  if (!isBelow(x, 31))
    return std::nullopt;
  try {
    if (isBelow(y, 32))
      return HalfProducts{product(x, y), affine_.constant(0)};
    if (width != 64)
      return std::nullopt;
    const AffineId low = exact(extract(other, 0, 32, 64), 32),
                   high = exact(extract(other, 32, 32, 64), 32);
    return HalfProducts{product(x, low), product(x, high)};
  } catch (const DomainError &) { // it stays a product modulo 2^width
    return std::nullopt;
  }
}

std::optional<Term> Terms::productOfData(const Term &a, const Term &b, unsigned width) {
  const auto halves = halfProducts(a, b, width);
  if (!halves)
    return std::nullopt;
  return integer(combined(halves->low, 1, halves->high, std::int64_t{1} << 32, width), width);
}

/// floor((low + 2^32 * high) / 2^width).
std::optional<Term> Terms::upperProductOfData(const Term &a, const Term &b, unsigned width) {
  const auto halves = halfProducts(a, b, width);
  if (!halves)
    return std::nullopt;
  constexpr std::int64_t kUnit = std::int64_t{1} << 32;
  const AffineId carried = affine_.add(halves->high, quotient(halves->low, kUnit));
  return integer(width == 32 ? carried : quotient(carried, kUnit), width);
}

} // namespace ordo::verify
