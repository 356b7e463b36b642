// The language's comparisons and casts (docs/numbers.md) on values.
#include "compiler/verify/contract/value.h"
#include "compiler/verify/machine/fault.h"

#include <fmt/format.h>

namespace ordo::verify {

using dsl::DType;
using Code = dsl::Op;

namespace {

unsigned widthOf(DType type) { return static_cast<unsigned>(dsl::bitWidth(type)); }

bool isF8(DType type) { return dsl::isFloat(type) && dsl::bitWidth(type) == 8; }

} // namespace

Term Arithmetic::compare(Code op, DType from, const Value &a, const Value &b) {
  switch (op) {
  case Code::Eq:
    return equal(from, a, b);
  case Code::Ne:
    return terms_.notBit(equal(from, a, b));
  case Code::Lt:
    return less(false, from, a, b);
  case Code::Le:
    return less(true, from, a, b);
  case Code::Gt:
    return less(false, from, b, a);
  default:
    return less(true, from, b, a);
  }
}

Term Arithmetic::equal(DType from, const Value &a, const Value &b) {
  if (dsl::isFloat(from))
    return terms_.fcompare(Kind::FEq, a.id, b.id);
  if (from != DType::Index)
    return terms_.compare(Op::CmpEq, a.bits, b.bits, widthOf(from));
  if (const auto n = narrowed(a.id, b.id))
    return terms_.compare(Op::CmpEq, n->a, n->b, n->width);
  return terms_.isZero(terms_.affine().sub(b.id, a.id));
}

Term Arithmetic::less(bool orEqual, DType from, const Value &a, const Value &b) {
  if (dsl::isFloat(from))
    return terms_.fcompare(orEqual ? Kind::FLe : Kind::FLt, a.id, b.id);
  const Op ofSigned = orEqual ? Op::CmpLeS : Op::CmpLtS;
  if (from != DType::Index)
    return terms_.compare(dsl::isSigned(from) ? ofSigned
                          : orEqual           ? Op::CmpLeU
                                              : Op::CmpLtU,
                          a.bits, b.bits, widthOf(from));
  if (const auto n = narrowed(a.id, b.id))
    return terms_.compare(ofSigned, n->a, n->b, n->width);
  const AffineId difference = terms_.affine().sub(b.id, a.id);
  return terms_.atLeastZero(orEqual ? difference : terms_.affine().plus(difference, -1));
}

/// Data that meets an index is compared in its own width, as code does.
std::optional<Arithmetic::Narrow> Arithmetic::narrowed(AffineId a, AffineId b) {
  const auto x = signed_.find(a), y = signed_.find(b);
  if (x == signed_.end() && y == signed_.end())
    return std::nullopt;
  const unsigned width = x != signed_.end() ? x->second.width : y->second.width;
  const auto inWidth = [&](AffineId form, const auto &source) -> std::optional<Term> {
    if (source != signed_.end())
      return source->second.width == width ? std::optional(source->second.value) : std::nullopt;
    const Wide half = Wide{1} << (width - 1);
    if (!terms_.facts().within(form, -half, half))
      return std::nullopt;
    return terms_.integer(form, width);
  };
  const auto p = inWidth(a, x), q = inWidth(b, y);
  return p && q ? std::optional(Narrow{*p, *q, width}) : std::nullopt;
}

Value Arithmetic::cast(DType to, DType from, const Value &value, dsl::Rounding rounding) {
  if (isF8(to) || isF8(from))
    throw DomainError("a cast from or to an f8 is not proven yet");
  if (rounding == dsl::Rounding::Tf32)
    return toTf32(value.id);
  if (to == from)
    return value;
  if (dsl::isFloat(from))
    return fromFloat(to, value.id,
                     rounding == dsl::Rounding::TowardZero ? Round::TowardZero
                                                           : Round::NearestEven);
  if (from == DType::Index)
    return fromIndex(to, value.id);
  return fromInteger(to, from, value.bits);
}

Value Arithmetic::fromFloat(DType to, NodeId value, Round rounding) {
  if (dsl::isFloat(to))
    return ofFloat(terms_.fconvert(to, value, rounding));
  if (to == DType::Bool) {
    const NodeId zero = terms_.floatConstant(terms_.pool().node(value).sort.format, 0);
    return ofTerm(terms_.notBit(terms_.fcompare(Kind::FEq, value, zero)));
  }
  if (to == DType::Index)
    return index(terms_.exactSigned(terms_.toInteger(value, 64, true, rounding), 64));
  return ofTerm(terms_.toInteger(value, widthOf(to), dsl::isSigned(to), rounding));
}

Value Arithmetic::fromIndex(DType to, AffineId value) {
  if (dsl::isFloat(to)) // as an i64
    return ofFloat(terms_.fromInteger(to, terms_.integer(value, 64), 64, true));
  if (to == DType::Bool)
    return ofTerm(terms_.notBit(terms_.isZero(value)));
  return ofTerm(terms_.integer(value, widthOf(to)));
}

Value Arithmetic::fromInteger(DType to, DType from, const Term &value) {
  const unsigned before = widthOf(from), after = widthOf(to);
  const bool isSigned = from != DType::Bool && dsl::isSigned(from);
  if (dsl::isFloat(to)) {
    if (from == DType::Bool)
      return ofFloat(terms_.fromInteger(to, terms_.zeroExtend(value, 1, 32), 32, false));
    return ofFloat(terms_.fromInteger(to, value, before, isSigned));
  }
  if (to == DType::Index) {
    if (from == DType::Bool)
      return index(terms_.exact(terms_.zeroExtend(value, 1, 64), 64));
    if (!isSigned)
      return index(terms_.exact(value, before));
    const AffineId form = terms_.exactSigned(value, before);
    if (!value.isConstant())
      signed_[form] = {value, before};
    return index(form);
  }
  if (to == DType::Bool)
    return ofTerm(terms_.notBit(terms_.compare(Op::CmpEq, value, Term::constant(0), before)));
  if (after <= before)
    return ofTerm(terms_.extract(value, 0, after, before));
  return ofTerm(isSigned ? terms_.signExtend(value, before, after)
                         : terms_.zeroExtend(value, before, after));
}

/// The last 13 bits rounded away, to nearest even: (u + 0xfff + bit 13 of u) without them.
Value Arithmetic::toTf32(NodeId value) {
  const auto word = [](std::uint64_t bits) { return Term::constant(bits); };
  const Term bits = terms_.canonicalBits(DType::F32, value);
  const Term last = terms_.bitAnd(terms_.shiftRight(bits, 13, 32), word(1), 32);
  const Term sum = terms_.add(terms_.add(bits, word(0xfff), 32), last, 32);
  return ofFloat(terms_.asFloat(DType::F32, terms_.bitAnd(sum, word(0xffffe000), 32)));
}

} // namespace ordo::verify
