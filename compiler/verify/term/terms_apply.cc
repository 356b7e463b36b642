// An operation of the machine as a term.
#include "compiler/verify/machine/concrete.h"
#include "compiler/verify/term/terms.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace ordo::verify {
namespace {

bool isComparison(Op op) { return op >= Op::CmpEq && op <= Op::CmpLeS; }

std::optional<Kind> plainInteger(Op op) {
  switch (op) {
  case Op::MulHiU:
    return Kind::MulHiU;
  case Op::MulHiS:
    return Kind::MulHiS;
  case Op::DivS:
    return Kind::DivS;
  case Op::RemS:
    return Kind::RemS;
  case Op::Popc:
    return Kind::Popc;
  case Op::Clz:
    return Kind::Clz;
  case Op::Brev:
    return Kind::Brev;
  default:
    return std::nullopt;
  }
}

unsigned resultWidth(const Instruction &i) {
  return i.op == Op::Popc || i.op == Op::Clz ? 32u : i.width;
}

/// The number of bits of a shift or of a field; it must be known.
unsigned known(const Term &amount) {
  if (!amount.isConstant())
    throw DomainError("a shift by a number that is not known");
  return static_cast<unsigned>(std::min<std::uint64_t>(amount.bits, 255));
}

} // namespace

void Terms::apply(const Instruction &i, const Term *src, Term *dst) {
  bool isConstant = true;
  const bool mayBeUndefined = i.op == Op::Select || i.op == Op::Mov;
  for (std::size_t k = 0; k < i.src.size(); ++k) {
    isConstant &= src[k].isConstant();
    if (src[k].isUndefined() && !mayBeUndefined) {
      std::fill_n(dst, i.dst.size(), Term{});
      return;
    }
  }
  if (i.flushes)
    throw DomainError("flushes subnormals to zero: no contract does");
  if (i.saturates)
    throw DomainError("saturates to [0, 1]: no contract does");
  if (i.mayContract)
    throw DomainError("a product or a sum without .rn, which the assembler may contract");
  if (i.op == Op::AddCarry || i.op == Op::SubBorrow) {
    withCarry(i, src, dst);
    return;
  }
  if (i.op >= Op::GcnDivScale && i.op <= Op::GcnMed3) {
    ofGcn(i, src, dst);
    return;
  }
  if (isConstant && !isFloatOperation(i.op) && i.op != Op::Approx && i.op != Op::Select &&
      i.op != Op::Mov) {
    std::array<std::uint64_t, kMostOperands> bits{};
    for (std::size_t k = 0; k < i.src.size(); ++k)
      bits[k] = src[k].bits;
    std::uint64_t second = 0;
    dst[0] = Term::constant(computeInteger(i, bits.data(), &second));
    return;
  }
  dst[0] =
      isFloatOperation(i.op) || i.op == Op::Approx ? floatResult(i, src) : integerResult(i, src);
}

Term Terms::integerResult(const Instruction &i, const Term *src) {
  const unsigned w = i.width;
  if (isComparison(i.op))
    return compare(i.op, src[0], src[1], w);
  switch (i.op) {
  case Op::Mov:
    return src[0];
  case Op::Add:
    return add(src[0], src[1], w);
  case Op::Sub:
    return add(src[0], src[1], w, -1);
  case Op::NegI:
    return add(Term::constant(0), src[0], w, -1);
  case Op::AbsI:
    return select(compare(Op::CmpLtS, src[0], Term::constant(0), w),
                  add(Term::constant(0), src[0], w, -1), src[0], w);
  case Op::Mul:
    return multiply(src[0], src[1], w);
  case Op::MinU:
    return minMax(Kind::MinU, src[0], src[1], w);
  case Op::MinS:
    return minMax(Kind::MinS, src[0], src[1], w);
  case Op::MaxU:
    return minMax(Kind::MaxU, src[0], src[1], w);
  case Op::MaxS:
    return minMax(Kind::MaxS, src[0], src[1], w);
  case Op::And:
    return bitAnd(src[0], src[1], w);
  case Op::Or:
    return bitOr(src[0], src[1], w);
  case Op::Xor:
    return bitXor(src[0], src[1], w);
  case Op::Not:
    return invert(src[0], w);
  case Op::ZeroExtend:
    return zeroExtend(src[0], i.fromWidth, w);
  case Op::SignExtend:
    return signExtend(src[0], i.fromWidth, w);
  case Op::Extract:
    return extract(src[0], i.bit, w, i.fromWidth);
  case Op::Select:
    return select(src[0], src[1], src[2], w);
  case Op::DivU:
  case Op::RemU:
    if (!src[1].isConstant() || src[1].bits == 0)
      throw DomainError("a division by a number that is not known, or zero");
    return i.op == Op::DivU ? floorDivide(src[0], src[1].bits, w)
                            : remainder(src[0], src[1].bits, w);
  case Op::DivS:
  case Op::RemS:
    if (src[1].isConstant() && facts_.within(exact(src[0], w), 0, Wide{1} << (w - 1)) &&
        src[1].bits != 0 && src[1].bits >> (w - 1) == 0)
      return i.op == Op::DivS ? floorDivide(src[0], src[1].bits, w)
                              : remainder(src[0], src[1].bits, w);
    break;
  case Op::Concat: {
    const std::vector<unsigned> widths(i.src.size(), i.fromWidth);
    return concat({src, i.src.size()}, widths);
  }
  default:
    break;
  }
  if ((i.op == Op::MulHiU || i.op == Op::MulHiS) && (src[0].isConstant() || src[1].isConstant())) {
    const Term &factor = src[0].isConstant() ? src[0] : src[1];
    const Term &other = src[0].isConstant() ? src[1] : src[0];
    if (i.op == Op::MulHiU)
      return multiplyHigh(other, factor.bits, w);
    if (facts_.within(exact(other, w), 0, Wide{1} << (w - 1))) {
      const Term high = multiplyHigh(other, factor.bits, w);
      // Read with a sign, the factor is less by 2^w.
      return factor.bits >> (w - 1) == 0 ? high : add(high, other, w, -1);
    }
  }
  if (i.op == Op::MulHiU)
    if (const auto high = upperProductOfData(src[0], src[1], w))
      return *high;
  if (const auto kind = plainInteger(i.op)) {
    NodeId x = asBits(w, src[0]);
    if (i.src.size() == 1)
      return opaque(*kind, resultWidth(i), {x});
    NodeId y = asBits(w, src[1]);
    if ((i.op == Op::MulHiU || i.op == Op::MulHiS) && y < x)
      std::swap(x, y);
    return opaque(*kind, w, {x, y});
  }
  return shift(i, src);
}

Term Terms::shift(const Instruction &i, const Term *src) {
  const unsigned w = i.width;
  switch (i.op) {
  case Op::Shl:
  case Op::ShrU:
  case Op::ShrS:
    if (!src[1].isConstant()) {
      const Kind kind = i.op == Op::Shl ? Kind::Shl : i.op == Op::ShrU ? Kind::ShrU : Kind::ShrS;
      const unsigned from = pool_.node(src[1].node()).sort.width; // a narrow amount is its number
      const Term amount = from < w ? zeroExtend(src[1], from, w) : src[1];
      return opaque(kind, w, {asBits(w, src[0]), asBits(w, amount)});
    }
    return i.op == Op::Shl    ? shiftLeft(src[0], known(src[1]), w)
           : i.op == Op::ShrU ? shiftRight(src[0], known(src[1]), w)
                              : shiftRightSigned(src[0], known(src[1]), w);
  case Op::BitField:
  case Op::BitFieldS: {
    const unsigned at = known(src[1]) & 255, length = std::min(known(src[2]) & 255, w);
    if (length == 0 || at + length > w)
      throw DomainError("a bit field beyond the register is not modelled");
    const Term field = extract(src[0], at, length, w);
    return i.op == Op::BitField ? zeroExtend(field, length, w) : signExtend(field, length, w);
  }
  case Op::BitInsert: {
    const unsigned at = known(src[2]) & 255, length = std::min(known(src[3]) & 255, w);
    if (length == 0 || at + length > w)
      throw DomainError("a bit field beyond the register is not modelled");
    std::vector<Term> parts;
    std::vector<unsigned> widths;
    const auto part = [&](const Term &t, unsigned bit, unsigned width) {
      if (width == 0)
        return;
      parts.push_back(extract(t, bit, width, w));
      widths.push_back(width);
    };
    part(src[1], 0, at);
    part(src[0], 0, length);
    part(src[1], at + length, w - at - length);
    return concat(parts, widths);
  }
  case Op::FunnelLeft:
  case Op::FunnelRight: {
    const unsigned by = known(src[2]);
    const std::array<Term, 2> both = {src[0], src[1]};
    const std::array<unsigned, 2> widths = {w, w};
    return extract(concat(both, widths), i.op == Op::FunnelRight ? by : w - by, w, 2 * w);
  }
  case Op::BytePermute:
    return bytePermute(src);
  default:
    throw DomainError(fmt::format("{} on values that are not known is not modelled", name(i.op)));
  }
}

Term Terms::bytePermute(const Term *src) {
  if (!src[2].isConstant())
    throw DomainError("a permutation of bytes that is not known");
  std::vector<Term> parts;
  const std::array<unsigned, 4> widths = {8, 8, 8, 8};
  for (unsigned k = 0; k < 4; ++k) {
    const auto from = static_cast<unsigned>(src[2].bits >> (4 * k)) & 15;
    if (from >= 8)
      throw DomainError("a permutation that spreads signs is not modelled");
    parts.push_back(extract(src[from / 4], from % 4 * 8, 8, 32));
  }
  return concat(parts, widths);
}

/// The parts of a sum or difference of numbers that lie in several registers: the lower part's
/// carry stays a node until the upper part asks for it.
void Terms::withCarry(const Instruction &i, const Term *src, Term *dst) {
  const unsigned w = i.width;
  const std::int64_t sign = i.op == Op::AddCarry ? 1 : -1;
  const Kind kind = i.op == Op::AddCarry ? Kind::Carry : Kind::Borrow;
  const Term carry = src[2];
  if (carry.isConstant()) {
    const Term sum = add(add(src[0], src[1], w, sign), carry, w, sign);
    dst[0] = sum;
    if (i.dst.size() < 2)
      return;
    if (src[0].isConstant() && src[1].isConstant()) {
      const std::array<std::uint64_t, 3> bits = {src[0].bits, src[1].bits, carry.bits};
      std::uint64_t second = 0;
      computeInteger(i, bits.data(), &second);
      dst[1] = Term::constant(second);
      return;
    }
    if (carry.bits == 0 && src[1] == Term::constant(0)) {
      dst[1] = carry;
      return;
    }
    if (carry.bits != 0) {
      dst[1] = Term{};
      return;
    }
    dst[1] = opaque(kind, 1, {asBits(w, src[0]), asBits(w, src[1])});
    return;
  }
  const Node n = pool_.node(carry.node());
  const std::vector<NodeId> low(pool_.args(carry.node()).begin(), pool_.args(carry.node()).end());
  if (n.kind != kind || w != 32 || pool_.node(low[0]).sort.width != 32)
    throw DomainError("a carry of another sum is not modelled");
  const std::array<unsigned, 2> widths = {32, 32};
  const auto whole = [&](NodeId part, const Term &high) {
    const std::array<Term, 2> both = {constantOrNode(part), high};
    return concat(both, widths);
  };
  // Of a sum either upper half may belong to either lower one: those that make a number do.
  const std::function<bool(const Term &, int)> isWhole = [&](const Term &x, int depth) {
    const Kind of = x.isNode() ? pool_.node(x.node()).kind : Kind::Constant;
    if (of != Kind::Select || depth == 0)
      return of != Kind::Concat;
    const std::array<NodeId, 2> arms = {pool_.args(x.node())[1], pool_.args(x.node())[2]};
    return isWhole(constantOrNode(arms[0]), depth - 1) &&
           isWhole(constantOrNode(arms[1]), depth - 1);
  };
  const auto isNumber = [&](const Term &x) { return isWhole(x, 3); };
  Term a = whole(low[0], src[0]), b = whole(low[1], src[1]);
  if (kind == Kind::Carry && !(isNumber(a) && isNumber(b))) {
    const Term x = whole(low[0], src[1]), y = whole(low[1], src[0]);
    if (isNumber(x) && isNumber(y)) {
      a = x;
      b = y;
    }
  }
  const Term sum = add(a, b, 64, sign);
  dst[0] = extract(sum, 32, 32, 64);
  if (i.dst.size() > 1)
    dst[1] = Term{}; // of 64 bits: no code that is read uses it
}

Term Terms::floatResult(const Instruction &i, const Term *src) {
  const dsl::DType f = i.format;
  const bool isConversion = i.op == Op::FConvert || i.op == Op::FToU || i.op == Op::FToS ||
                            i.op == Op::UToF || i.op == Op::SToF || i.op == Op::FRoundInt;
  if (!isConversion && i.rounding != Round::NearestEven)
    throw DomainError("rounds otherwise than to nearest even: no contract does");
  const auto x = [&](std::size_t k) { return asFloat(f, src[k]); };
  switch (i.op) {
  case Op::FAdd:
    return constantOrNode(fadd(f, x(0), x(1)));
  case Op::FSub:
    return constantOrNode(fadd(f, x(0), fneg(x(1))));
  case Op::FMul:
    return constantOrNode(fmul(f, x(0), x(1)));
  case Op::FDiv:
    return constantOrNode(fdiv(f, x(0), x(1)));
  case Op::FRcp:
    return constantOrNode(fdiv(f, oneIn(f), x(0)));
  case Op::FFma:
    return constantOrNode(ffma(f, x(0), x(1), x(2)));
  case Op::FSqrt:
    return constantOrNode(fsqrt(f, x(0)));
  case Op::FNeg:
    return constantOrNode(fneg(x(0)));
  case Op::FAbs:
    return constantOrNode(fabs(x(0)));
  case Op::FMin:
    return constantOrNode(fminmax(Kind::FMin, x(0), x(1)));
  case Op::FMax:
    return constantOrNode(fminmax(Kind::FMax, x(0), x(1)));
  case Op::FMinNan:
    return constantOrNode(fminmax(Kind::FMinNan, x(0), x(1)));
  case Op::FMaxNan:
    return constantOrNode(fminmax(Kind::FMaxNan, x(0), x(1)));
  case Op::FCmpEq:
    return fcompare(Kind::FEq, x(0), x(1));
  case Op::FCmpNe: // true with a NaN, as the emulator has it
    return notBit(fcompare(Kind::FEq, x(0), x(1)));
  case Op::FCmpLt:
    return fcompare(Kind::FLt, x(0), x(1));
  case Op::FCmpLe:
    return fcompare(Kind::FLe, x(0), x(1));
  case Op::FIsNan:
    return i.src.size() == 1 ? isNan(x(0)) : orBit(isNan(x(0)), isNan(x(1)));
  case Op::FConvert:
    return constantOrNode(fconvert(f, asFloat(i.from, src[0]), i.rounding));
  case Op::FRoundInt:
    return constantOrNode(froundInt(x(0), i.rounding));
  case Op::FToU:
  case Op::FToS:
    return toInteger(asFloat(i.from, src[0]), i.width, i.op == Op::FToS, i.rounding);
  case Op::UToF:
  case Op::SToF:
    if (i.rounding != Round::NearestEven)
      throw DomainError("rounds an integer otherwise than to nearest even: no contract does");
    return constantOrNode(fromInteger(f, src[0], i.width, i.op == Op::SToF));
  case Op::Approx:
    return approximation(i, src);
  default:
    throw DomainError(fmt::format("{} is not modelled", name(i.op)));
  }
}

Term Terms::approximation(const Instruction &i, const Term *src) {
  auto it = std::ranges::find(pool_.approximations, i.what);
  const auto number = static_cast<std::uint64_t>(it - pool_.approximations.begin());
  if (it == pool_.approximations.end())
    pool_.approximations.push_back(i.what);
  std::vector<NodeId> args;
  for (std::size_t k = 0; k < i.src.size(); ++k)
    args.push_back(settled(asFloat(i.format, src[k])));
  return Term::of(pool_.make(Kind::Approx, Sort::of(i.format), number, args));
}

/// 2^exponent, of a known exponent or a choice of two, if it is normal: x * 2^k rounds what ldexp
/// rounds.
std::optional<NodeId> Terms::powerOfTwo(dsl::DType format, const Term &exponent) {
  const dsl::FloatFormat f = dsl::floatFormat(format);
  if (exponent.isConstant()) {
    const std::int64_t biased = std::int64_t{static_cast<std::int32_t>(exponent.bits)} + f.bias;
    if (biased < 1 || biased >= (1 << f.exponentBits) - 1)
      return std::nullopt;
    return floatConstant(format, static_cast<std::uint64_t>(biased) << f.mantissaBits);
  }
  if (!exponent.isNode() || pool_.node(exponent.node()).kind != Kind::Select)
    return std::nullopt;
  const std::array<NodeId, 3> parts = {pool_.args(exponent.node())[0],
                                       pool_.args(exponent.node())[1],
                                       pool_.args(exponent.node())[2]};
  if (pool_.node(parts[1]).kind != Kind::Constant || pool_.node(parts[2]).kind != Kind::Constant)
    return std::nullopt;
  const auto a = powerOfTwo(format, constantOrNode(parts[1])),
             b = powerOfTwo(format, constantOrNode(parts[2]));
  return a && b ? std::optional(selectFloat(parts[0], *a, *b)) : std::nullopt;
}

/// Kept as they are; ends of expansions are recognised by the reader of AMDGCN (gcn/).
void Terms::ofGcn(const Instruction &i, const Term *src, Term *dst) {
  bool isConstant = true;
  for (std::size_t k = 0; k < i.src.size(); ++k)
    isConstant &= src[k].isConstant();
  if (isConstant) {
    std::array<std::uint64_t, kMostOperands> bits{};
    for (std::size_t k = 0; k < i.src.size(); ++k)
      bits[k] = src[k].bits;
    std::uint64_t second = 0;
    dst[0] = Term::constant(computeGcn(i, bits.data(), &second));
    if (i.dst.size() > 1)
      dst[1] = Term::constant(second);
    return;
  }
  if (i.op == Op::GcnClass && src[1].isConstant()) {
    dst[0] = isOfClass(asFloat(i.format, src[0]), src[1].bits);
    return;
  }
  if (i.op == Op::GcnLdexp)
    if (const auto factor = powerOfTwo(i.format, src[1])) {
      dst[0] = constantOrNode(fmul(i.format, asFloat(i.format, src[0]), *factor));
      return;
    }
  std::vector<NodeId> args;
  for (std::size_t k = 0; k < i.src.size(); ++k) {
    const bool isBits = (i.op == Op::GcnClass || i.op == Op::GcnLdexp) ? k == 1
                        : i.op == Op::GcnDivFmas                       ? k == 3
                                                                       : false;
    args.push_back(isBits ? asBits(i.op == Op::GcnDivFmas ? 1 : 32, src[k])
                          : settled(asFloat(i.format, src[k])));
  }
  const auto payload = static_cast<std::uint64_t>(i.op) << 1;
  const bool givesBits = i.op == Op::GcnClass || i.op == Op::GcnFrexpExp;
  const Sort sort = givesBits ? Sort::bits(i.op == Op::GcnClass ? 1 : 32) : Sort::of(i.format);
  dst[0] = Term::of(pool_.make(Kind::Gcn, sort, payload, args));
  if (i.dst.size() > 1)
    dst[1] = Term::of(pool_.make(Kind::Gcn, Sort::bits(1), payload | 1, args));
}

} // namespace ordo::verify
