// Laws of floats.
#include "compiler/verify/machine/concrete.h"
#include "compiler/verify/term/terms.h"

#include <algorithm>
#include <bit>

namespace ordo::verify {

using dsl::DType;

namespace {

std::uint64_t oneOf(DType format) {
  const dsl::FloatFormat f = dsl::floatFormat(format);
  return static_cast<std::uint64_t>(f.bias) << f.mantissaBits;
}

/// How deep an arm of a choice is searched for choices on the same condition.
constexpr int kGivenDepth = 3;

std::uint64_t signBit(DType format) { return std::uint64_t{1} << (dsl::bitWidth(format) - 1); }

/// The operation of two that makes the set.
Kind treeOf(Kind kind) {
  return kind == Kind::FMinSet ? Kind::FMin : kind == Kind::FMaxSet ? Kind::FMax : kind;
}

/// The bits of 2^-k if `bits` is 2^k, both normal.
std::optional<std::uint64_t> reciprocalOfPower(DType format, std::uint64_t bits) {
  const dsl::FloatFormat f = dsl::floatFormat(format);
  const std::uint64_t mantissa = (std::uint64_t{1} << f.mantissaBits) - 1;
  const auto top = (std::int64_t{1} << f.exponentBits) - 1;
  const auto exponent = static_cast<std::int64_t>((bits & ~signBit(format)) >> f.mantissaBits);
  const std::int64_t inverse = 2 * f.bias - exponent;
  if ((bits & mantissa) != 0 || exponent <= 0 || exponent >= top || inverse <= 0 || inverse >= top)
    return std::nullopt;
  return (bits & signBit(format)) | static_cast<std::uint64_t>(inverse) << f.mantissaBits;
}

} // namespace

NodeId Terms::oneIn(DType format) { return floatConstant(format, oneOf(format)); }

NodeId Terms::floatConstant(DType format, std::uint64_t bits) {
  if (dsl::isNanBits(format, bits))
    bits = dsl::canonicalNan(format);
  return pool_.make(Kind::Constant, Sort::of(format), bits);
}

std::optional<std::uint64_t> Terms::floatBits(NodeId node) const {
  const Node &n = pool_.node(node);
  return n.kind == Kind::Constant ? std::optional(n.payload) : std::nullopt;
}

bool Terms::allConstant(std::initializer_list<NodeId> args) const {
  return std::ranges::all_of(args, [&](NodeId a) { return floatBits(a).has_value(); });
}

/// Host arithmetic, as the emulator has it.
NodeId Terms::folded(Op op, DType format, std::initializer_list<NodeId> args) {
  Instruction i;
  i.op = op;
  i.format = format;
  i.width = static_cast<std::uint8_t>(dsl::bitWidth(format));
  std::vector<std::uint64_t> bits;
  for (const NodeId arg : args) {
    bits.push_back(*floatBits(arg));
    i.src.push_back({});
  }
  return floatConstant(format, computeFloat(i, bits.data(), NanStyle::Canonical));
}

/// The value without its sign, and whether it had one: x of -x, |c| of a constant c.
std::pair<NodeId, bool> Terms::withoutSign(NodeId a) {
  const Node n = pool_.node(a);
  if (n.kind == Kind::FNeg)
    return {pool_.args(a)[0], true};
  if (n.kind == Kind::Constant && !dsl::isNanBits(n.sort.format, n.payload) &&
      (n.payload & signBit(n.sort.format)) != 0)
    return {floatConstant(n.sort.format, n.payload & ~signBit(n.sort.format)), true};
  return {a, false};
}

NodeId Terms::fneg(NodeId a) {
  a = settled(a);
  const Node n = pool_.node(a);
  if (n.kind == Kind::Constant)
    return dsl::isNanBits(n.sort.format, n.payload)
               ? a
               : floatConstant(n.sort.format, n.payload ^ signBit(n.sort.format));
  if (n.kind == Kind::FNeg)
    return pool_.args(a)[0];
  if (n.kind == Kind::Select) {
    const std::vector<NodeId> args(pool_.args(a).begin(), pool_.args(a).end());
    const auto isSimple = [&](NodeId arm) {
      return isChosenConstant(arm) || pool_.node(arm).kind == Kind::FNeg;
    };
    if (isSimple(args[1]) || isSimple(args[2]))
      return selectFloat(args[0], fneg(args[1]), fneg(args[2]));
  }
  return pool_.make(Kind::FNeg, n.sort, 0, {a});
}

NodeId Terms::fabs(NodeId a) {
  a = settled(a);
  const auto [bare, negative] = withoutSign(a);
  const Node n = pool_.node(bare);
  if (n.kind == Kind::Constant || n.kind == Kind::FAbs)
    return bare;
  return pool_.make(Kind::FAbs, n.sort, 0, {bare});
}

NodeId Terms::fadd(DType format, NodeId a, NodeId b) {
  a = settled(a);
  b = settled(b);
  if (const auto pushed =
          onArms({a, b}, [&](std::span<const NodeId> x) { return fadd(format, x[0], x[1]); }))
    return *pushed;
  if (allConstant({a, b}))
    return folded(Op::FAdd, format, {a, b});
  const auto isNegativeZero = [&](NodeId x) { return floatBits(x) == signBit(format); };
  if (isNegativeZero(a))
    return b;
  if (isNegativeZero(b))
    return a;
  if (a == b) // both round the exact 2 * x
    return fmul(format, a,
                floatConstant(format, oneOf(format) + (std::uint64_t{1}
                                                       << dsl::floatFormat(format).mantissaBits)));
  for (const auto &[x, y] : {std::pair(a, b), std::pair(b, a)})
    if (const auto sum = withDifference(format, x, y))
      return *sum;
  if (b < a)
    std::swap(a, b);
  return extended(pool_.make(Kind::FAdd, Sort::of(format), 0, {a, b}));
}

NodeId Terms::fmul(DType format, NodeId a, NodeId b) {
  a = settled(a);
  b = settled(b);
  if (const auto pushed =
          onArms({a, b}, [&](std::span<const NodeId> x) { return fmul(format, x[0], x[1]); }))
    return *pushed;
  if (allConstant({a, b}))
    return folded(Op::FMul, format, {a, b});
  const auto [x, xNegative] = withoutSign(a);
  const auto [y, yNegative] = withoutSign(b);
  const auto signedResult = [&, negative = xNegative != yNegative](NodeId product) {
    return negative ? fneg(product) : product;
  };
  if (xNegative || yNegative) // without signs they may be choices
    return signedResult(fmul(format, x, y));
  if (floatBits(x) == oneOf(format))
    return signedResult(y);
  if (floatBits(y) == oneOf(format))
    return signedResult(x);
  return signedResult(
      pool_.make(Kind::FMul, Sort::of(format), 0, {std::min(x, y), std::max(x, y)}));
}

NodeId Terms::fdiv(DType format, NodeId a, NodeId b) {
  a = settled(a);
  b = settled(b);
  if (const auto pushed =
          onArms({a, b}, [&](std::span<const NodeId> x) { return fdiv(format, x[0], x[1]); }))
    return *pushed;
  if (allConstant({a, b}))
    return folded(Op::FDiv, format, {a, b});
  if (const auto bits = floatBits(b))
    if (const auto inverse = reciprocalOfPower(format, *bits)) // the same exact value is rounded
      return fmul(format, a, floatConstant(format, *inverse));
  const auto [x, xNegative] = withoutSign(a);
  const auto [y, yNegative] = withoutSign(b);
  const NodeId quotient = xNegative || yNegative
                              ? fdiv(format, x, y)
                              : pool_.make(Kind::FDiv, Sort::of(format), 0, {x, y});
  return xNegative != yNegative ? fneg(quotient) : quotient;
}

NodeId Terms::ffma(DType format, NodeId a, NodeId b, NodeId c) {
  a = settled(a);
  b = settled(b);
  c = settled(c);
  if (const auto pushed = onArms(
          {a, b, c}, [&](std::span<const NodeId> x) { return ffma(format, x[0], x[1], x[2]); }))
    return *pushed;
  if (allConstant({a, b, c}))
    return folded(Op::FFma, format, {a, b, c});
  if (floatBits(c) == signBit(format)) // a * b + -0.0 rounds a * b
    return fmul(format, a, b);
  auto [x, xNegative] = withoutSign(a);
  auto [y, yNegative] = withoutSign(b);
  if (floatBits(x) == oneOf(format))
    return fadd(format, xNegative != yNegative ? fneg(y) : y, c);
  if (floatBits(y) == oneOf(format))
    return fadd(format, xNegative != yNegative ? fneg(x) : x, c);
  if (y < x)
    std::swap(x, y);
  if (xNegative != yNegative)
    x = fneg(x);
  return extended(pool_.make(Kind::FFma, Sort::of(format), 0, {x, y, c}));
}

NodeId Terms::fsqrt(DType format, NodeId a) {
  a = settled(a);
  if (allConstant({a}))
    return folded(Op::FSqrt, format, {a});
  return pool_.make(Kind::FSqrt, Sort::of(format), 0, {a});
}

/// Kept as they come; settled() makes one set of a tree of them.
NodeId Terms::fminmax(Kind kind, NodeId a, NodeId b) {
  if (a == b)
    return a;
  const DType format = pool_.node(a).sort.format;
  const Op op = kind == Kind::FMin      ? Op::FMin
                : kind == Kind::FMax    ? Op::FMax
                : kind == Kind::FMinNan ? Op::FMinNan
                                        : Op::FMaxNan;
  if (allConstant({a, b}))
    return folded(op, format, {a, b});
  if (kind == Kind::FMinNan || kind == Kind::FMaxNan) {
    a = settled(a);
    b = settled(b);
  }
  return pool_.make(kind, Sort::of(format), 0, {std::min(a, b), std::max(a, b)});
}

/// FMin and FMax are commutative, associative and idempotent (a NaN drops out, -0 < +0): a tree of
/// them is the set of its leaves.
NodeId Terms::settled(NodeId root) {
  const Node n = pool_.node(root);
  if (n.kind != Kind::FMin && n.kind != Kind::FMax)
    return root;
  if (const auto it = settled_.find(root); it != settled_.end())
    return it->second;
  std::vector<NodeId> stack = {root}, leaves, visited = {root};
  std::unordered_map<NodeId, bool> seen;
  const Kind set = n.kind == Kind::FMin ? Kind::FMinSet : Kind::FMaxSet;
  while (!stack.empty()) {
    const NodeId at = stack.back();
    stack.pop_back();
    if (!seen.emplace(at, true).second)
      continue;
    const Kind kind = pool_.node(at).kind;
    if (kind == n.kind || kind == set)
      stack.insert(stack.end(), pool_.args(at).begin(), pool_.args(at).end());
    else
      leaves.push_back(settled(at)); // a tree of the other kind
  }
  joinRanges(n.kind, leaves);
  // Of constants only the extreme one counts.
  NodeId extreme = 0;
  bool hasConstant = false;
  std::erase_if(leaves, [&](NodeId leaf) {
    if (!floatBits(leaf))
      return false;
    extreme = hasConstant ? fminmax(n.kind, extreme, leaf) : leaf;
    hasConstant = true;
    return true;
  });
  if (hasConstant)
    leaves.push_back(extreme);
  std::ranges::sort(leaves);
  const NodeId result = leaves.size() == 1 ? leaves.front() : pool_.make(set, n.sort, 0, leaves);
  settled_[root] = result;
  return result;
}

/// The narrow value that `a` is the exact image of in f32.
std::optional<NodeId> Terms::narrowOperand(DType to, NodeId a) {
  const auto [bare, negative] = withoutSign(a);
  const Node n = pool_.node(bare);
  std::optional<NodeId> narrow;
  if (n.kind == Kind::FConvert && pool_.node(pool_.args(bare)[0]).sort.format == to)
    narrow = pool_.args(bare)[0];
  if (n.kind == Kind::Constant) {
    Instruction i;
    i.op = Op::FConvert;
    i.from = n.sort.format;
    i.format = to;
    i.src.resize(1);
    const std::uint64_t there = computeFloat(i, &n.payload, NanStyle::Canonical);
    std::swap(i.from, i.format);
    if (computeFloat(i, &there, NanStyle::Canonical) == n.payload)
      narrow = floatConstant(to, there);
  }
  if (narrow && negative)
    narrow = fneg(*narrow);
  return narrow;
}

/// One operation on narrow values in f32, rounded again, is the narrow operation: 24 >= 2 * 11 + 2
/// (Figueroa 1995). Not for fma.
std::optional<NodeId> Terms::narrowed(DType to, NodeId a) {
  if (pool_.node(a).sort.format != DType::F32 || (to != DType::BF16 && to != DType::F16))
    return std::nullopt;
  const auto [bare, negative] = withoutSign(a);
  const Node n = pool_.node(bare);
  if (n.kind != Kind::FAdd && n.kind != Kind::FMul && n.kind != Kind::FDiv && n.kind != Kind::FSqrt)
    return std::nullopt;
  std::vector<NodeId> operands;
  bool hasData = false;
  const std::vector<NodeId> args(pool_.args(bare).begin(), pool_.args(bare).end());
  for (const NodeId arg : args) {
    const auto narrow = narrowOperand(to, arg);
    if (!narrow)
      return std::nullopt;
    hasData |= !floatBits(*narrow);
    operands.push_back(*narrow);
  }
  if (!hasData)
    return std::nullopt;
  NodeId result = 0;
  if (n.kind == Kind::FAdd)
    result = fadd(to, operands[0], operands[1]);
  else if (n.kind == Kind::FMul)
    result = fmul(to, operands[0], operands[1]);
  else if (n.kind == Kind::FDiv)
    result = fdiv(to, operands[0], operands[1]);
  else
    result = fsqrt(to, operands[0]);
  return negative ? fneg(result) : result;
}

/// An extremum of exact images is the image of the extremum.
std::optional<NodeId> Terms::narrowExtremum(DType to, NodeId a) {
  const Node n = pool_.node(a);
  std::vector<NodeId> narrow;
  const std::vector<NodeId> args(pool_.args(a).begin(), pool_.args(a).end());
  for (const NodeId arg : args) {
    const auto operand = narrowOperand(to, arg);
    if (!operand)
      return std::nullopt;
    narrow.push_back(*operand);
  }
  const Kind kind = treeOf(n.kind);
  NodeId result = narrow.front();
  for (std::size_t k = 1; k < narrow.size(); ++k)
    result = fminmax(kind, result, narrow[k]);
  return settled(result);
}

NodeId Terms::fconvert(DType to, NodeId a, Round rounding) {
  a = settled(a);
  const Node n = pool_.node(a);
  if (n.sort.format == to)
    return a;
  const bool widens =
      dsl::floatFormat(to).mantissaBits >= dsl::floatFormat(n.sort.format).mantissaBits &&
      dsl::floatFormat(to).exponentBits >= dsl::floatFormat(n.sort.format).exponentBits;
  if (widens)
    rounding = Round::NearestEven; // exact
  if (n.kind == Kind::Constant) {
    Instruction i;
    i.op = Op::FConvert;
    i.from = n.sort.format;
    i.format = to;
    i.rounding = rounding;
    i.src.resize(1);
    return floatConstant(to, computeFloat(i, &n.payload, NanStyle::Canonical));
  }
  // A wider image is exact and keeps order.
  const bool isExtremum = n.kind == Kind::FMinSet || n.kind == Kind::FMaxSet ||
                          n.kind == Kind::FMinNan || n.kind == Kind::FMaxNan;
  if (widens && isExtremum) {
    const std::vector<NodeId> args(pool_.args(a).begin(), pool_.args(a).end());
    const Kind kind = treeOf(n.kind);
    NodeId result = fconvert(to, args.front(), rounding);
    for (std::size_t k = 1; k < args.size(); ++k)
      result = fminmax(kind, result, fconvert(to, args[k], rounding));
    return settled(result);
  }
  // So does a narrower one of what are images of its values.
  if (!widens && isExtremum)
    if (const auto narrow = narrowExtremum(to, a))
      return *narrow;
  if (n.kind == Kind::FNeg && (rounding == Round::NearestEven || rounding == Round::TowardZero))
    return fneg(fconvert(to, pool_.args(a)[0], rounding));
  // There and back.
  if (n.kind == Kind::FConvert && pool_.node(pool_.args(a)[0]).sort.format == to) {
    const dsl::FloatFormat narrow = dsl::floatFormat(to), wide = dsl::floatFormat(n.sort.format);
    if (wide.mantissaBits >= narrow.mantissaBits && wide.exponentBits >= narrow.exponentBits)
      return pool_.args(a)[0];
  }
  if (rounding == Round::NearestEven && !widens)
    if (const auto narrow = narrowed(to, a))
      return *narrow;
  if (n.kind == Kind::Select) {
    const std::vector<NodeId> args(pool_.args(a).begin(), pool_.args(a).end());
    // Where the cast of an arm is simpler than the arm.
    const auto isSimple = [&](NodeId arm) {
      return floatBits(arm) || (pool_.node(arm).kind == Kind::FConvert &&
                                pool_.node(pool_.args(arm)[0]).sort.format == to);
    };
    if (isSimple(args[1]) || isSimple(args[2]))
      return selectFloat(args[0], fconvert(to, args[1], rounding), fconvert(to, args[2], rounding));
  }
  return pool_.make(Kind::FConvert, Sort::of(to), static_cast<std::uint64_t>(rounding), {a});
}

NodeId Terms::froundInt(NodeId a, Round rounding) {
  a = settled(a);
  return pool_.make(Kind::FRoundInt, pool_.node(a).sort, static_cast<std::uint64_t>(rounding), {a});
}

NodeId Terms::fromInteger(DType to, const Term &a, unsigned width, bool isSigned) {
  if (a.isConstant()) {
    Instruction i;
    i.op = isSigned ? Op::SToF : Op::UToF;
    i.format = to;
    i.width = static_cast<std::uint8_t>(width);
    i.src.resize(1);
    return floatConstant(to, computeFloat(i, &a.bits, NanStyle::Canonical));
  }
  // The number counts, not the width and the sign that it is read with.
  const Wide half = Wide{1} << (width - 1);
  const AffineId form = isSigned ? modular(a, width) : exact(a, width);
  if (isSigned && !facts_.within(form, -half, half))
    return pool_.make(Kind::SToF, Sort::of(to), 0, {asBits(width, a)});
  const bool isNegative = !facts_.holds(form); // or may be
  const Term number = integer(form, 64);
  if (number.isConstant())
    return fromInteger(to, number, 64, isNegative);
  return pool_.make(isNegative ? Kind::SToF : Kind::UToF, Sort::of(to), 0, {number.node()});
}

Term Terms::toInteger(NodeId a, unsigned width, bool isSigned, Round rounding) {
  a = settled(a);
  const Node n = pool_.node(a);
  if (n.kind == Kind::Constant) {
    Instruction i;
    i.op = isSigned ? Op::FToS : Op::FToU;
    i.format = n.sort.format;
    i.width = static_cast<std::uint8_t>(width);
    i.rounding = rounding;
    i.src.resize(1);
    return Term::constant(computeFloat(i, &n.payload, NanStyle::Canonical));
  }
  // An integral value is rounded to itself.
  if (rounding != Round::TowardZero)
    a = froundInt(a, rounding);
  return opaque(isSigned ? Kind::FToS : Kind::FToU, width, {a},
                static_cast<std::uint64_t>(Round::TowardZero));
}

Term Terms::isNan(NodeId a) {
  a = withoutSign(settled(a)).first;
  const Node n = pool_.node(a);
  if (n.kind == Kind::Constant)
    return Term::constant(dsl::isNanBits(n.sort.format, n.payload));
  if (n.kind == Kind::FAbs)
    return isNan(pool_.args(a)[0]);
  const bool hasInfinity = n.sort.format == DType::F64 || n.sort.format == DType::F32 ||
                           n.sort.format == DType::F16 || n.sort.format == DType::BF16;
  if (n.kind == Kind::FConvert && hasInfinity) // a cast of a number is a number
    return isNan(pool_.args(a)[0]);
  if (isNever(a, true, kGivenDepth * 2))
    return Term::constant(0);
  return knownCondition(Term::of(pool_.make(Kind::IsNan, Sort::bits(1), 0, {a})));
}

Term Terms::canonicalBits(DType format, NodeId a) {
  a = settled(a);
  if (const auto bits = floatBits(a))
    return Term::constant(*bits);
  return select(isNan(a), Term::constant(dsl::canonicalNan(format)), Term::of(a),
                static_cast<unsigned>(dsl::bitWidth(format)));
}

NodeId Terms::selectFloat(NodeId condition, NodeId a, NodeId b) {
  if (a == b)
    return a;
  const Node n = pool_.node(condition);
  if (n.kind == Kind::Not)
    return selectFloat(pool_.args(condition)[0], b, a);
  // Of floats a NaN is one value.
  const auto isNanConstant = [&](NodeId x) {
    const auto bits = floatBits(x);
    return bits && dsl::isNanBits(pool_.node(x).sort.format, *bits);
  };
  if (n.kind == Kind::IsNan && isNanConstant(a) && isNan(b) == Term::of(condition))
    return b;
  if (n.kind == Kind::IsNan || n.kind == Kind::FEq)
    if (const auto extremum = asExtremum(condition, a, b))
      return *extremum;
  if (n.kind == Kind::IsNan)
    if (const auto half = asUpperHalf(condition, a, b))
      return *half;
  if (n.kind == Kind::FEq &&
      isOrderedEqual(pool_.args(condition)[0], pool_.args(condition)[1], a, b))
    return b;
  a = settled(given(a, condition, true, kGivenDepth));
  b = settled(given(b, condition, false, kGivenDepth));
  if (a == b)
    return a;
  if (pool_.node(a).kind == Kind::FNeg && pool_.node(b).kind == Kind::FNeg)
    return fneg(selectFloat(condition, pool_.args(a)[0], pool_.args(b)[0]));
  if (const auto bounded = asBound(condition, a, b))
    return *bounded;
  if (const auto bounded = asBounded(condition, a, b))
    return *bounded;
  if (const auto one = asOneChoice(condition, a, b))
    return *one;
  return pool_.make(Kind::Select, pool_.node(a).sort, 0, {condition, a, b});
}

NodeId Terms::asFloat(DType format, const Term &value) {
  const auto width = static_cast<unsigned>(dsl::bitWidth(format));
  if (value.isConstant())
    return floatConstant(format, value.bits);
  if (value.isUndefined())
    return pool_.make(Kind::Undefined, Sort::of(format));
  const NodeId id = value.node();
  const Node n = pool_.node(id);
  if (n.sort == Sort::of(format))
    return id;
  if (n.kind == Kind::Undefined)
    return pool_.make(Kind::Undefined, Sort::of(format));
  if (n.kind == Kind::Select && n.sort.width == width) {
    const std::uint64_t key = std::uint64_t{id} << 8 | static_cast<std::uint64_t>(format);
    if (const auto it = floats_.find(key); it != floats_.end())
      return it->second;
    const std::vector<NodeId> args(pool_.args(id).begin(), pool_.args(id).end());
    const NodeId result = selectFloat(args[0], asFloat(format, constantOrNode(args[1])),
                                      asFloat(format, constantOrNode(args[2])));
    floats_[key] = result;
    return result;
  }
  // A bf16 in the upper half of an f32 is its exact image.
  if (format == DType::F32) {
    const std::vector<Slice> parts = slices(value, 32);
    if (parts.size() == 2 && parts[0].width == 16 && parts[0].value == Term::constant(0))
      return fconvert(DType::F32, asFloat(DType::BF16, parts[1].value), Round::NearestEven);
  }
  return pool_.make(Kind::OfBits, Sort::of(format), 0, {id});
}

NodeId Terms::asElement(DType type, const Term &value) {
  if (dsl::isFloat(type))
    return settled(asFloat(type, value));
  return asBits(static_cast<unsigned>(type == DType::Bool ? 8 : dsl::bitWidth(type)), value);
}

} // namespace ordo::verify
