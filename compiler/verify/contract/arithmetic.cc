// The language's arithmetic (docs/numbers.md) on values.
#include "compiler/verify/contract/value.h"
#include "compiler/verify/machine/fault.h"

#include <algorithm>
#include <fmt/format.h>

namespace ordo::verify {

using dsl::DType;
using Code = dsl::Op;

namespace {

unsigned widthOf(DType type) { return static_cast<unsigned>(dsl::bitWidth(type)); }

std::uint64_t ones(unsigned width) { return ~std::uint64_t{0} >> (64 - width); }

/// The two's complement number of the type's width.
std::int64_t numberOf(DType type, std::uint64_t bits) {
  const unsigned above = 64 - widthOf(type);
  return static_cast<std::int64_t>(bits << above) >> above;
}

bool isComparison(Code op) { return op >= Code::Eq && op <= Code::Ge; }

[[noreturn]] void refuse(Code op, DType type) {
  throw DomainError(fmt::format("`{}` on {} is not proven yet", dsl::name(op), dsl::name(type)));
}

} // namespace

Value Arithmetic::constant(DType type, std::uint64_t bits) {
  if (dsl::isFloat(type))
    return ofFloat(terms_.floatConstant(type, bits));
  if (type == DType::Index)
    return index(terms_.affine().constant(static_cast<std::int64_t>(bits)));
  return ofTerm(Term::constant(bits));
}

Value Arithmetic::ofBits(DType type, const Term &bits) {
  if (dsl::isFloat(type))
    return ofFloat(terms_.asFloat(type, bits));
  if (type == DType::Bool) // a byte
    return ofTerm(terms_.notBit(terms_.compare(Op::CmpEq, bits, Term::constant(0), 8)));
  return ofTerm(bits);
}

Value Arithmetic::undefined(DType type) {
  if (dsl::isFloat(type))
    return ofFloat(terms_.asFloat(type, Term{}));
  if (type == DType::Index)
    throw DomainError("an index is used that has no value");
  return ofTerm(Term{});
}

bool Arithmetic::isUndefined(DType type, const Value &value) const {
  if (type == DType::Index)
    return false;
  return dsl::isFloat(type) ? terms_.pool().node(value.id).kind == Kind::Undefined
                            : value.bits.isUndefined();
}

Value Arithmetic::settled(DType type, const Value &value) {
  return dsl::isFloat(type) ? ofFloat(terms_.settled(value.id)) : value;
}

NodeId Arithmetic::stored(DType type, const Value &value) {
  if (dsl::isFloat(type))
    return terms_.asElement(type, Term::of(value.id));
  if (type == DType::Bool && !value.bits.isUndefined())
    return terms_.asElement(type, terms_.zeroExtend(value.bits, 1, 8));
  return terms_.asElement(type, value.bits);
}

NodeId Arithmetic::node(DType type, const Value &value) {
  return dsl::isFloat(type) ? terms_.settled(value.id) : terms_.asBits(widthOf(type), value.bits);
}

Value Arithmetic::ofNode(DType type, NodeId node) {
  return dsl::isFloat(type) ? ofFloat(node) : ofTerm(terms_.valueOf(node));
}

Value Arithmetic::apply(const dsl::Expr &e, DType from, std::span<const Value> args) {
  if (e.op == Code::Select)
    return select(e.type, args[0].bits, args[1], args[2]);
  if (std::ranges::any_of(args, [&](const Value &arg) { return isUndefined(from, arg); }))
    return undefined(e.type);
  if (isComparison(e.op))
    return ofTerm(compare(e.op, from, args[0], args[1]));
  switch (e.op) {
  case Code::Fma:
    return fma(e.type, args[0], args[1], args[2]);
  case Code::Cast:
    return cast(e.type, from, args[0], static_cast<dsl::Rounding>(e.payload));
  case Code::Bits:
    return ofTerm(
        terms_.zeroExtend(terms_.canonicalBits(from, args[0].id), widthOf(from), widthOf(e.type)));
  case Code::OfBits:
    return ofFloat(
        terms_.asFloat(e.type, terms_.extract(args[0].bits, 0, widthOf(e.type), widthOf(from))));
  default:
    return args.size() == 1 ? unary(e.op, e.type, args[0]) : binary(e.op, e.type, args[0], args[1]);
  }
}

Value Arithmetic::fma(DType type, const Value &a, const Value &b, const Value &c) {
  return ofFloat(terms_.ffma(type, a.id, b.id, c.id));
}

Value Arithmetic::select(DType type, const Term &condition, const Value &a, const Value &b) {
  if (type == DType::Index)
    return index(terms_.choice(condition, a.id, b.id));
  if (!dsl::isFloat(type))
    return ofTerm(terms_.select(condition, a.bits, b.bits, widthOf(type)));
  const Term x = Term::of(terms_.settled(a.id)), y = Term::of(terms_.settled(b.id));
  return ofFloat(terms_.asFloat(type, terms_.select(condition, x, y, widthOf(type))));
}

Value Arithmetic::unary(Code op, DType type, const Value &a) {
  if (dsl::isFloat(type)) {
    const NodeId x = terms_.settled(a.id);
    switch (op) {
    case Code::Neg:
      return ofFloat(terms_.fneg(x));
    case Code::Abs:
      return ofFloat(terms_.fabs(x));
    case Code::Sqrt:
      return ofFloat(terms_.fsqrt(type, x));
    case Code::Floor:
      return ofFloat(terms_.froundInt(x, Round::Down));
    default:
      refuse(op, type);
    }
  }
  if (type == DType::Index) {
    AffinePool &affine = terms_.affine();
    if (op == Code::Neg)
      return index(affine.scale(a.id, -1));
    if (op == Code::Abs) // 2 * max(0, x) - x
      return index(affine.combine(terms_.maximum(affine.constant(0), a.id), 2, a.id, -1));
    refuse(op, type);
  }
  if (op == Code::Not)
    return ofTerm(type == DType::Bool
                      ? terms_.notBit(a.bits)
                      : terms_.bitXor(a.bits, Term::constant(ones(widthOf(type))), widthOf(type)));
  if (op == Code::Neg)
    return ofTerm(terms_.add(Term::constant(0), a.bits, widthOf(type), -1));
  if (op == Code::Abs)
    return dsl::isSigned(type) ? ofTerm(machine(Op::AbsI, widthOf(type), {a.bits})) : a;
  refuse(op, type);
}

Value Arithmetic::binary(Code op, DType type, const Value &a, const Value &b) {
  if (dsl::isFloat(type))
    return onFloats(op, type, a.id, b.id);
  if (type == DType::Index)
    return onIndices(op, a.id, b.id);
  if (type == DType::Bool)
    return ofTerm(onBools(op, a.bits, b.bits));
  return ofTerm(onIntegers(op, type, a.bits, b.bits));
}

Value Arithmetic::onFloats(Code op, DType type, NodeId a, NodeId b) {
  switch (op) {
  case Code::Add:
    return ofFloat(terms_.fadd(type, a, b));
  case Code::Sub:
    return ofFloat(terms_.fadd(type, a, terms_.fneg(terms_.settled(b))));
  case Code::Mul:
    return ofFloat(terms_.fmul(type, a, b));
  case Code::Div:
    return ofFloat(terms_.fdiv(type, a, b));
  case Code::Min:
    return ofFloat(terms_.fminmax(Kind::FMin, a, b));
  case Code::Max:
    return ofFloat(terms_.fminmax(Kind::FMax, a, b));
  case Code::MinNan:
    return ofFloat(terms_.fminmax(Kind::FMinNan, a, b));
  case Code::MaxNan:
    return ofFloat(terms_.fminmax(Kind::FMaxNan, a, b));
  default:
    refuse(op, type);
  }
}

Value Arithmetic::onIndices(Code op, AffineId a, AffineId b) {
  AffinePool &affine = terms_.affine();
  switch (op) {
  case Code::Add:
    return index(affine.add(a, b));
  case Code::Sub:
    return index(affine.sub(a, b));
  case Code::Mul:
    return index(terms_.product(a, b));
  case Code::Min:
  case Code::MinNan:
    return index(terms_.minimum(a, b));
  case Code::Max:
  case Code::MaxNan:
    return index(terms_.maximum(a, b));
  case Code::Div:
  case Code::Rem:
    break;
  default:
    refuse(op, DType::Index);
  }
  const auto divisor = affine.constantOf(b);
  if (!divisor || *divisor == 0 || *divisor == INT64_MIN)
    throw DomainError("a division of an index by what is no number is not proven yet");
  const AffineId quotient =
      *divisor > 0 ? terms_.quotient(a, *divisor) : terms_.quotient(affine.scale(a, -1), -*divisor);
  return index(op == Code::Div ? quotient : affine.combine(a, 1, quotient, -*divisor));
}

Term Arithmetic::onBools(Code op, const Term &a, const Term &b) {
  switch (op) {
  case Code::And:
    return terms_.andBit(a, b);
  case Code::Or:
    return terms_.orBit(a, b);
  case Code::Xor:
    return terms_.bitXor(a, b, 1);
  default:
    refuse(op, DType::Bool);
  }
}

/// An operation that Terms has for the machine alone.
Term Arithmetic::machine(Op op, unsigned width, std::initializer_list<Term> src) {
  Instruction i;
  i.op = op;
  i.width = static_cast<std::uint8_t>(width);
  i.src.resize(src.size());
  Term result;
  terms_.apply(i, src.begin(), &result);
  return result;
}

Term Arithmetic::onIntegers(Code op, DType type, const Term &a, const Term &b) {
  const unsigned width = widthOf(type);
  const bool isSigned = dsl::isSigned(type);
  switch (op) {
  case Code::Add:
    return terms_.add(a, b, width);
  case Code::Sub:
    return terms_.add(a, b, width, -1);
  case Code::Mul:
    return terms_.multiply(a, b, width);
  case Code::MulHi:
    return machine(isSigned ? Op::MulHiS : Op::MulHiU, width, {a, b});
  case Code::Div:
    return floorQuotient(type, a, b);
  case Code::Rem:
    return floorRemainder(type, a, b);
  case Code::Min:
  case Code::MinNan:
    return terms_.minMax(isSigned ? Kind::MinS : Kind::MinU, a, b, width);
  case Code::Max:
  case Code::MaxNan:
    return terms_.minMax(isSigned ? Kind::MaxS : Kind::MaxU, a, b, width);
  case Code::And:
    return terms_.bitAnd(a, b, width);
  case Code::Or:
    return terms_.bitOr(a, b, width);
  case Code::Xor:
    return terms_.bitXor(a, b, width);
  case Code::Shl:
  case Code::Shr:
    return shifted(op, type, a, b);
  default:
    refuse(op, type);
  }
}

/// The amount counts modulo the width.
Term Arithmetic::shifted(Code op, DType type, const Term &a, const Term &by) {
  const unsigned width = widthOf(type);
  const bool isSigned = dsl::isSigned(type);
  if (!by.isConstant()) {
    const Op shift = op == Code::Shl ? Op::Shl : isSigned ? Op::ShrS : Op::ShrU;
    return machine(shift, width, {a, terms_.bitAnd(by, Term::constant(width - 1), width)});
  }
  const auto amount = static_cast<unsigned>(by.bits % width);
  if (op == Code::Shl)
    return terms_.shiftLeft(a, amount, width);
  return isSigned ? terms_.shiftRightSigned(a, amount, width) : terms_.shiftRight(a, amount, width);
}

/// Rounded down. Where the sign of a is not known: truncated, and one less if that is not exact and
/// below zero.
Term Arithmetic::floorQuotient(DType type, const Term &a, const Term &b) {
  const unsigned width = widthOf(type);
  if (!b.isConstant() || b.bits == 0)
    throw DomainError("a division by what is no number is not proven yet");
  if (!dsl::isSigned(type))
    return terms_.floorDivide(a, b.bits, width);
  const std::int64_t divisor = numberOf(type, b.bits);
  if (divisor == -1 || divisor == INT64_MIN) // wraps; and -2^63 is no number to divide by below
    return divisor == -1 ? terms_.add(Term::constant(0), a, width, -1)
                         : machine(Op::DivS, width, {a, b});
  const AffineId form = terms_.modular(a, width);
  const Wide half = Wide{1} << (width - 1);
  if (terms_.facts().within(form, -half, half))
    return terms_.integer(divisor > 0 ? terms_.quotient(form, divisor)
                                      : terms_.quotient(terms_.affine().scale(form, -1), -divisor),
                          width);
  const Term truncated = machine(Op::DivS, width, {a, b});
  const Term rest = terms_.add(a, terms_.multiply(truncated, b, width), width, -1);
  const Term zero = Term::constant(0);
  const Term isBelow = divisor > 0 ? terms_.compare(Op::CmpLtS, a, zero, width)
                                   : terms_.compare(Op::CmpLtS, zero, a, width);
  const Term isExact = terms_.compare(Op::CmpEq, rest, zero, width);
  const Term isLess = terms_.andBit(isBelow, terms_.notBit(isExact));
  return terms_.add(truncated, terms_.zeroExtend(isLess, 1, width), width, -1);
}

Term Arithmetic::floorRemainder(DType type, const Term &a, const Term &b) {
  const unsigned width = widthOf(type);
  if (!dsl::isSigned(type) && b.isConstant() && b.bits != 0)
    return terms_.remainder(a, b.bits, width);
  const Term quotient = floorQuotient(type, a, b);
  return terms_.add(a, terms_.multiply(quotient, b, width), width, -1);
}

} // namespace ordo::verify
