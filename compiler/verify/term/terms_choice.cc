// Laws of comparisons of floats, and of operations on choices.
#include "compiler/verify/machine/concrete.h"
#include "compiler/verify/term/terms.h"

#include <algorithm>
#include <array>

namespace ordo::verify {

using dsl::DType;

namespace {
constexpr int kDeep = 4; // sums in sums
} // namespace

/// 1 for +inf, -1 for -inf, 0 for anything else.
int Terms::infinityOf(NodeId a) const {
  const auto bits = floatBits(a);
  if (!bits)
    return 0;
  const DType format = pool_.node(a).sort.format;
  const dsl::FloatFormat f = dsl::floatFormat(format);
  const std::uint64_t sign = std::uint64_t{1} << (dsl::bitWidth(format) - 1);
  const std::uint64_t infinity = ((std::uint64_t{1} << f.exponentBits) - 1) << f.mantissaBits;
  if (!f.hasInfinity || (*bits & ~sign) != infinity)
    return 0;
  return (*bits & sign) != 0 ? -1 : 1;
}

/// -a < -b is b < a; -a < c is -c < a; equality likewise.
Term Terms::fcompare(Kind kind, NodeId a, NodeId b) {
  a = settled(a);
  b = settled(b);
  if (allConstant({a, b})) {
    Instruction i;
    i.op = kind == Kind::FEq ? Op::FCmpEq : kind == Kind::FLt ? Op::FCmpLt : Op::FCmpLe;
    i.format = pool_.node(a).sort.format;
    i.src.resize(2);
    const std::uint64_t bits[2] = {*floatBits(a), *floatBits(b)};
    return Term::constant(computeFloat(i, bits, NanStyle::Canonical));
  }
  for (NodeId *side : {&a, &b}) // zeros are equal
    if (const auto bits = floatBits(*side);
        bits && *bits == std::uint64_t{1} << (dsl::bitWidth(pool_.node(*side).sort.format) - 1))
      *side = fneg(*side);
  const bool isNegated = pool_.node(a).kind == Kind::FNeg,
             isOther = pool_.node(b).kind == Kind::FNeg;
  if ((isNegated && (isOther || floatBits(b))) || (isOther && floatBits(a)))
    return fcompare(kind, fneg(b), fneg(a));
  if (const auto known = withInfinity(kind, a, b))
    return *known;
  if (kind == Kind::FEq && a == b)
    return notBit(isNan(a));
  if (kind == Kind::FEq && b < a)
    std::swap(a, b);
  return knownCondition(Term::of(pool_.make(kind, Sort::bits(1), 0, {a, b})));
}

/// Against an infinity, order is equality: x < inf of all numbers but inf.
std::optional<Term> Terms::withInfinity(Kind kind, NodeId a, NodeId b) {
  if (kind == Kind::FEq)
    return std::nullopt;
  const int low = infinityOf(a), high = infinityOf(b);
  if (low == 0 && high == 0)
    return std::nullopt;
  const NodeId x = low != 0 ? b : a;
  const Term isNumber = notBit(isNan(x)), isInfinite = fcompare(Kind::FEq, a, b);
  if (low == 1 || high == -1) // inf <= x, x <= -inf
    return kind == Kind::FLt ? Term::constant(0) : isInfinite;
  return kind == Kind::FLe ? isNumber : andBit(notBit(isInfinite), isNumber);
}

/// The operation arm by arm, where its operands are choices on one condition, or constants, and an
/// arm is a constant.
std::optional<NodeId>
Terms::onArms(std::initializer_list<NodeId> args,
              const std::function<NodeId(std::span<const NodeId>)> &operation) {
  std::optional<NodeId> condition;
  bool hasConstant = false;
  for (const NodeId arg : args) {
    if (floatBits(arg))
      continue;
    if (pool_.node(arg).kind != Kind::Select)
      return std::nullopt;
    const auto parts = pool_.args(arg);
    if (condition && *condition != parts[0])
      return std::nullopt;
    condition = parts[0];
    hasConstant |= isChosenConstant(parts[1]) || isChosenConstant(parts[2]);
  }
  if (!condition || !hasConstant)
    return std::nullopt;
  const auto arm = [&](std::size_t which) {
    std::vector<NodeId> operands;
    for (const NodeId arg : args)
      operands.push_back(floatBits(arg) ? arg : pool_.args(arg)[which]);
    return operation(operands);
  };
  const NodeId yes = arm(1), no = arm(2);
  return selectFloat(*condition, yes, no);
}

/// A constant, or a choice of two.
bool Terms::isChosenConstant(NodeId a) const {
  if (floatBits(a))
    return true;
  return pool_.node(a).kind == Kind::Select && floatBits(pool_.args(a)[1]) &&
         floatBits(pool_.args(a)[2]);
}

/// if x is a number and not -inf then x else -inf: the maximum of -inf and x. Likewise of inf.
std::optional<NodeId> Terms::asBounded(NodeId condition, NodeId a, NodeId b) {
  const int infinity = infinityOf(b);
  if (infinity == 0 || pool_.node(condition).kind != Kind::And)
    return std::nullopt;
  const DType format = pool_.node(b).sort.format;
  for (const DType compared : {format, DType::F32}) { // the comparison may be of wider images
    if (!dsl::floatFormat(compared).hasInfinity)
      continue;
    const NodeId x = imageIn(compared, a), bound = imageIn(compared, b);
    if (andBit(notBit(fcompare(Kind::FEq, x, bound)), notBit(isNan(x))) == Term::of(condition))
      return fminmax(infinity < 0 ? Kind::FMax : Kind::FMin, a, b);
  }
  return std::nullopt;
}

/// if c then (if q then x else b) else b asks for both at once; likewise where a is on both sides.
/// Nothing where neither is so.
std::optional<NodeId> Terms::asOneChoice(NodeId condition, NodeId a, NodeId b) {
  const auto parts = [&](NodeId choice) {
    const auto args = pool_.args(choice);
    return std::array<NodeId, 3>{args[0], args[1], args[2]};
  };
  const Term c = Term::of(condition);
  if (pool_.node(a).kind == Kind::Select) {
    const auto [q, x, y] = parts(a);
    if (y == b)
      return chosen(andBit(c, Term::of(q)), x, b);
    if (x == b)
      return chosen(andBit(c, notBit(Term::of(q))), y, b);
  }
  if (pool_.node(b).kind == Kind::Select) {
    const auto [q, x, y] = parts(b);
    if (x == a)
      return chosen(andBit(notBit(c), notBit(Term::of(q))), y, a);
    if (y == a)
      return chosen(andBit(notBit(c), Term::of(q)), x, a);
  }
  return std::nullopt;
}

NodeId Terms::chosen(const Term &condition, NodeId a, NodeId b) {
  if (condition.isConstant())
    return condition.bits != 0 ? a : b;
  return selectFloat(condition.node(), a, b);
}

/// Whether a constant is a normal number: times it, an infinity is no NaN.
static bool isNormal(std::optional<std::uint64_t> bits, dsl::DType format) {
  if (!bits)
    return false;
  const dsl::FloatFormat f = dsl::floatFormat(format);
  const std::uint64_t ones = (std::uint64_t{1} << f.exponentBits) - 1;
  const std::uint64_t exponent = *bits >> f.mantissaBits & ones;
  return f.hasInfinity && exponent != 0 && exponent != ones;
}

/// Never a NaN (`nan`), or never an infinity: numbers that come from integers or from an extremum
/// with a number, and sums and products of such. A sum is a NaN of an infinity and its opposite
/// alone, a product of 0 and an infinity.
bool Terms::isNever(NodeId a, bool nan, int depth) const {
  const Node n = pool_.node(a);
  if (const auto bits = floatBits(a))
    return nan ? !dsl::isNanBits(n.sort.format, *bits) : infinityOf(a) == 0;
  if (depth == 0)
    return false;
  const auto args = pool_.args(a);
  const auto never = [&](std::size_t k, bool what) { return isNever(args[k], what, depth - 1); };
  const auto isProductNumber = [&] {
    return never(0, true) && never(1, true) &&
           (isNormal(floatBits(args[0]), n.sort.format) ||
            isNormal(floatBits(args[1]), n.sort.format) || (never(0, false) && never(1, false)));
  };
  switch (n.kind) {
  case Kind::UToF: // of 64 bits none overflows f32
  case Kind::SToF:
    return n.sort.format == DType::F32 || n.sort.format == DType::F64;
  case Kind::FNeg:
  case Kind::FAbs:
    return never(0, nan);
  case Kind::FAdd:
    return nan && never(0, true) && never(1, true) && (never(0, false) || never(1, false));
  case Kind::FMul:
    return nan && isProductNumber();
  case Kind::FFma: // the exact product is an infinity of an infinity alone
    return nan && isProductNumber() && never(2, true) && never(2, false);
  case Kind::FMin: // a NaN drops out
  case Kind::FMax:
  case Kind::FMinSet:
  case Kind::FMaxSet:
    return nan && dsl::floatFormat(n.sort.format).hasInfinity &&
           std::any_of(args.begin(), args.end(),
                       [&](NodeId arg) { return isNever(arg, true, depth - 1); });
  case Kind::FMinNan:
  case Kind::FMaxNan:
    return never(0, nan) && never(1, nan);
  case Kind::Select:
    return never(1, nan) && never(2, nan);
  default:
    return false;
  }
}

/// Never -0: what comes from an integer or has no sign, and sums, of which two of -0 alone are -0.
bool Terms::isNeverNegativeZero(NodeId a, int depth) const {
  const Node n = pool_.node(a);
  if (const auto bits = floatBits(a))
    return *bits != std::uint64_t{1} << (dsl::bitWidth(n.sort.format) - 1);
  if (depth == 0 || !n.sort.isFloat())
    return false;
  const auto args = pool_.args(a);
  const auto never = [&](std::size_t k) { return isNeverNegativeZero(args[k], depth - 1); };
  switch (n.kind) {
  case Kind::UToF:
  case Kind::SToF:
  case Kind::FAbs:
    return true;
  case Kind::FAdd:
    return never(0) || never(1);
  case Kind::Select:
    return never(1) && never(2);
  default:
    return false;
  }
}

/// a - (x - y) is a + (y - x), where a is never -0: the differences are each other's opposite but
/// where both are +0, and a zero added to a then is nothing.
std::optional<NodeId> Terms::withDifference(DType format, NodeId a, NodeId b) {
  const auto isNegated = [&](NodeId id) { return pool_.node(id).kind == Kind::FNeg; };
  if (!isNegated(b) || pool_.node(pool_.args(b)[0]).kind != Kind::FAdd)
    return std::nullopt;
  const NodeId sum = pool_.args(b)[0], x = pool_.args(sum)[0], y = pool_.args(sum)[1];
  if (!(isNegated(x) || isNegated(y)) || !isNeverNegativeZero(a, kDeep))
    return std::nullopt;
  return fadd(format, a, fadd(format, fneg(x), fneg(y)));
}

/// The same value where the condition has this truth: choices on it are made.
NodeId Terms::given(NodeId a, NodeId condition, bool holds, int depth) {
  const Node n = pool_.node(a);
  if (a < condition || !n.sort.isFloat()) // a node comes after what it mentions
    return a;
  if (n.kind == Kind::Select && pool_.args(a)[0] == condition)
    return pool_.args(a)[holds ? 1 : 2];
  if (depth == 0)
    return a;
  std::vector<NodeId> args(pool_.args(a).begin(), pool_.args(a).end());
  bool isSame = true;
  for (NodeId &arg : args) {
    const NodeId before = arg;
    arg = given(before, condition, holds, depth - 1);
    isSame &= arg == before;
  }
  if (isSame)
    return a;
  switch (n.kind) {
  case Kind::FAdd:
    return fadd(n.sort.format, args[0], args[1]);
  case Kind::FMul:
    return fmul(n.sort.format, args[0], args[1]);
  case Kind::FDiv:
    return fdiv(n.sort.format, args[0], args[1]);
  case Kind::FFma:
    return ffma(n.sort.format, args[0], args[1], args[2]);
  case Kind::FNeg:
    return fneg(args[0]);
  case Kind::FAbs:
    return fabs(args[0]);
  case Kind::FConvert:
    return fconvert(n.sort.format, args[0], static_cast<Round>(n.payload));
  case Kind::Select:
    return selectFloat(args[0], args[1], args[2]);
  default:
    return a;
  }
}

} // namespace ordo::verify
