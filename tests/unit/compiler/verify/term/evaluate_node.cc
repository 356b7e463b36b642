#include "tests/unit/compiler/verify/term/evaluate_node.h"

#include "compiler/verify/machine/instruction.h"
#include "dsl/eval/numeric.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ordo::verify {

using dsl::DType;
using Bits = std::uint64_t;

namespace {

Bits ones(unsigned width) { return width >= 64 ? ~Bits{0} : (Bits{1} << width) - 1; }

bool hasForm(Kind kind) {
  return kind == Kind::Integer || kind == Kind::FloorDiv || kind == Kind::AtLeastZero ||
         kind == Kind::IsZero;
}

Wide floorOf(Wide a, Wide b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }

Bits onFloats(dsl::Op op, DType type, std::initializer_list<Bits> args) {
  const Bits bits = dsl::evaluate(op, type, type, {args.begin(), args.size()}).value();
  return dsl::canonical(type, bits);
}

bool compared(dsl::Op op, DType type, Bits a, Bits b) {
  const Bits args[] = {a, b};
  return dsl::evaluate(op, DType::Bool, type, args).value() != 0;
}

double toDouble(DType type, Bits bits) {
  return std::bit_cast<double>(dsl::castBits(type, DType::F64, bits));
}

double wholeOf(double value, Round rounding) {
  switch (rounding) {
  case Round::TowardZero:
    return std::trunc(value);
  case Round::Up:
    return std::ceil(value);
  case Round::Down:
    return std::floor(value);
  case Round::NearestAway:
    return std::round(value);
  case Round::NearestEven:
    break;
  }
  return std::nearbyint(value);
}

} // namespace

std::optional<Bits> NodeEvaluator::bits(NodeId root) {
  evaluate(root);
  const Entry &entry = entries_[root];
  return entry.state == State::Known ? std::optional(entry.bits) : std::nullopt;
}

std::optional<Wide> NodeEvaluator::number(AffineId form) {
  for (const auto &[atom, factor] : affine_.form(form).terms)
    evaluate(atom);
  return value(form);
}

std::nullopt_t NodeEvaluator::none(std::string why) {
  fault_ = std::move(why);
  return std::nullopt;
}

void NodeEvaluator::operandsOf(NodeId id, std::vector<NodeId> &operands) const {
  const Node &n = pool_.node(id);
  if (hasForm(n.kind) || n.kind == Kind::Fold)
    for (const auto &[atom, factor] : affine_.form(static_cast<AffineId>(n.payload)).terms)
      operands.push_back(atom);
  if (n.kind == Kind::Fold) // its step is evaluated apart, as often as there are steps
    operands.push_back(pool_.args(id)[0]);
  else
    operands.insert(operands.end(), pool_.args(id).begin(), pool_.args(id).end());
}

void NodeEvaluator::evaluate(NodeId root) {
  entries_.resize(pool_.size());
  std::vector<NodeId> stack = {root}, operands;
  while (!stack.empty()) {
    const NodeId id = stack.back();
    if (entries_[id].state != State::Unknown) {
      stack.pop_back();
      continue;
    }
    operands.clear();
    operandsOf(id, operands);
    std::erase_if(operands, [&](NodeId o) { return entries_[o].state != State::Unknown; });
    if (!operands.empty()) {
      stack.insert(stack.end(), operands.begin(), operands.end());
      continue;
    }
    const auto result = compute(id);
    entries_[id] = result ? Entry{State::Known, *result & ones(pool_.node(id).sort.width)}
                          : Entry{State::None, 0};
    stack.pop_back();
  }
}

/// What an atom stands for in a form: its bits as a number without a sign, but that a quotient may
/// be negative.
std::optional<Wide> NodeEvaluator::atom(NodeId id) const {
  const Node &n = pool_.node(id);
  if (n.kind == Kind::FloorDiv) {
    const auto numerator = value(static_cast<AffineId>(n.payload));
    const Wide divisor = pool_.node(pool_.args(id)[0]).payload;
    return numerator ? std::optional(floorOf(*numerator, divisor)) : std::nullopt;
  }
  const Entry &entry = entries_[id];
  return entry.state == State::Known ? std::optional(Wide{entry.bits}) : std::nullopt;
}

std::optional<Wide> NodeEvaluator::value(AffineId form) const {
  const Affine &f = affine_.form(form);
  Wide sum = f.constant;
  for (const auto &[id, factor] : f.terms) {
    const auto number = atom(id);
    if (!number)
      return std::nullopt;
    sum += *number * factor;
  }
  return sum;
}

Bits NodeEvaluator::asBits(NodeId id) const {
  const Sort sort = pool_.node(id).sort;
  const Bits bits = entries_[id].bits;
  const bool isNan = sort.isFloat() && dsl::isNanBits(sort.format, bits);
  return isNan && inputs_.nan ? inputs_.nan(sort.format) : bits;
}

std::int64_t NodeEvaluator::asSigned(NodeId id) const {
  const unsigned above = 64u - pool_.node(id).sort.width;
  return static_cast<std::int64_t>(asBits(id) << above) >> above;
}

std::optional<Bits> NodeEvaluator::folded(const Node &n, std::span<const NodeId> args) {
  const auto count = value(static_cast<AffineId>(n.payload));
  if (!count || *count < 0 || entries_[args[0]].state != State::Known)
    return none("a fold of no number of steps");
  NodeInputs inputs = inputs_;
  const std::size_t carried = pool_.node(args[2]).payload, step = pool_.node(args[3]).payload;
  inputs.symbols.resize(std::max({inputs.symbols.size(), carried + 1, step + 1}));
  Bits bits = entries_[args[0]].bits;
  for (Wide k = 0; k < *count; ++k) {
    inputs.symbols[carried] = bits;
    inputs.symbols[step] = static_cast<Bits>(k);
    NodeEvaluator next(pool_, affine_, inputs);
    const auto result = next.bits(args[1]);
    if (!result)
      return none(next.fault());
    bits = *result;
  }
  return bits;
}

std::optional<Bits> NodeEvaluator::compute(NodeId id) {
  const Node &n = pool_.node(id);
  const auto args = pool_.args(id);
  if (n.kind == Kind::Fold)
    return folded(n, args);
  if (n.kind == Kind::Select) {
    if (entries_[args[0]].state != State::Known)
      return std::nullopt;
    const NodeId chosen = args[entries_[args[0]].bits != 0 ? 1 : 2];
    if (entries_[chosen].state != State::Known)
      return std::nullopt;
    return n.sort.isFloat() ? entries_[chosen].bits : asBits(chosen);
  }
  if (std::ranges::any_of(args, [&](NodeId a) { return entries_[a].state != State::Known; }))
    return std::nullopt;
  if (n.kind <= Kind::FloorDiv)
    return leaf(n, id);
  if (n.kind <= Kind::CmpLeS)
    return condition(n, args);
  if (n.kind <= Kind::OfBits)
    return ofFloats(n, args);
  if (n.kind == Kind::Gcn)
    return isOfClass(n, args);
  return ofBits(n, args);
}

std::optional<Bits> NodeEvaluator::leaf(const Node &n, NodeId id) {
  switch (n.kind) {
  case Kind::Constant:
    return n.payload;
  case Kind::Symbol:
    return inputs_.symbols.at(n.payload);
  case Kind::Input: {
    const Node &index = pool_.node(pool_.args(id)[0]);
    const auto number = value(static_cast<AffineId>(index.payload));
    const auto bits =
        number ? inputs_.element(static_cast<std::uint32_t>(n.payload), *number) : std::nullopt;
    if (!bits)
      return none("an element outside its tensor");
    return n.sort.isFloat() ? dsl::canonical(n.sort.format, *bits) : *bits;
  }
  case Kind::Integer: {
    const auto number = value(static_cast<AffineId>(n.payload));
    return number ? std::optional(static_cast<Bits>(*number)) : std::nullopt;
  }
  case Kind::FloorDiv: {
    const auto number = atom(id);
    return number ? std::optional(static_cast<Bits>(*number)) : std::nullopt;
  }
  default:
    return none("an undefined value");
  }
}

std::optional<Bits> NodeEvaluator::condition(const Node &n, std::span<const NodeId> args) {
  if (hasForm(n.kind)) {
    const auto number = value(static_cast<AffineId>(n.payload));
    if (!number)
      return std::nullopt;
    return n.kind == Kind::AtLeastZero ? *number >= 0 : *number == 0;
  }
  const Bits a = entries_[args[0]].bits, b = args.size() > 1 ? entries_[args[1]].bits : 0;
  const DType type = pool_.node(args[0]).sort.format;
  switch (n.kind) {
  case Kind::Not:
    return a ^ 1;
  case Kind::And:
    return a & b;
  case Kind::Or:
    return a | b;
  case Kind::FEq:
    return compared(dsl::Op::Eq, type, a, b);
  case Kind::FLt:
    return compared(dsl::Op::Lt, type, a, b);
  case Kind::FLe:
    return compared(dsl::Op::Le, type, a, b);
  case Kind::IsNan:
    return dsl::isNanBits(type, a);
  case Kind::CmpEq:
    return asBits(args[0]) == asBits(args[1]);
  case Kind::CmpLtU:
    return asBits(args[0]) < asBits(args[1]);
  case Kind::CmpLeU:
    return asBits(args[0]) <= asBits(args[1]);
  case Kind::CmpLtS:
    return asSigned(args[0]) < asSigned(args[1]);
  default:
    return asSigned(args[0]) <= asSigned(args[1]);
  }
}

/// v_cmp_class_f32 and its like, by the fields of the bits.
std::optional<Bits> NodeEvaluator::isOfClass(const Node &n, std::span<const NodeId> args) {
  if (n.payload != static_cast<std::uint64_t>(Op::GcnClass) << 1)
    return none("a step of AMDGCN that is not evaluated");
  const DType type = pool_.node(args[0]).sort.format;
  const dsl::FloatFormat f = dsl::floatFormat(type);
  const Bits bits = asBits(args[0]), mantissa = bits & ((Bits{1} << f.mantissaBits) - 1),
             exponent = bits >> f.mantissaBits & ((Bits{1} << f.exponentBits) - 1);
  const bool isNegative = (bits >> (dsl::bitWidth(type) - 1)) != 0;
  const bool isLast = exponent == (Bits{1} << f.exponentBits) - 1;
  unsigned bit = 0;
  if (isLast && mantissa != 0)
    bit = static_cast<unsigned>(mantissa >> (f.mantissaBits - 1)); // quiet
  else if (isLast)
    bit = isNegative ? 2 : 9;
  else if (exponent != 0)
    bit = isNegative ? 3 : 8;
  else if (mantissa != 0)
    bit = isNegative ? 4 : 7;
  else
    bit = isNegative ? 5 : 6;
  return entries_[args[1]].bits >> bit & 1;
}

std::optional<Bits> NodeEvaluator::ofFloats(const Node &n, std::span<const NodeId> args) {
  const dsl::FloatEnvironment environment;
  const DType type = n.sort.format;
  const auto rounding = static_cast<Round>(n.payload);
  std::vector<Bits> x;
  for (const NodeId arg : args)
    x.push_back(entries_[arg].bits);
  const auto foldedBy = [&](dsl::Op op) {
    Bits all = x.front();
    for (std::size_t k = 1; k < x.size(); ++k)
      all = onFloats(op, type, {all, x[k]});
    return all;
  };
  switch (n.kind) {
  case Kind::FAdd:
    return onFloats(dsl::Op::Add, type, {x[0], x[1]});
  case Kind::FMul:
    return onFloats(dsl::Op::Mul, type, {x[0], x[1]});
  case Kind::FDiv:
    return onFloats(dsl::Op::Div, type, {x[0], x[1]});
  case Kind::FFma:
    return onFloats(dsl::Op::Fma, type, {x[0], x[1], x[2]});
  case Kind::FSqrt:
    return onFloats(dsl::Op::Sqrt, type, {x[0]});
  case Kind::FNeg:
    return onFloats(dsl::Op::Neg, type, {x[0]});
  case Kind::FAbs:
    return onFloats(dsl::Op::Abs, type, {x[0]});
  case Kind::FMin:
  case Kind::FMinSet:
    return foldedBy(dsl::Op::Min);
  case Kind::FMax:
  case Kind::FMaxSet:
    return foldedBy(dsl::Op::Max);
  case Kind::FMinNan:
    return foldedBy(dsl::Op::MinNan);
  case Kind::FMaxNan:
    return foldedBy(dsl::Op::MaxNan);
  case Kind::FConvert: {
    if (rounding != Round::NearestEven && rounding != Round::TowardZero)
      return none("a cast rounded in a way that is not evaluated");
    const DType from = pool_.node(args[0]).sort.format;
    return dsl::canonical(type, dsl::castBits(from, type, x[0],
                                              rounding == Round::TowardZero
                                                  ? dsl::Rounding::TowardZero
                                                  : dsl::Rounding::NearestEven));
  }
  case Kind::FRoundInt: // exact
    return dsl::canonical(
        type, dsl::castBits(DType::F64, type,
                            std::bit_cast<Bits>(wholeOf(toDouble(type, x[0]), rounding))));
  case Kind::UToF:
    return dsl::castBits(DType::U64, type, asBits(args[0]));
  case Kind::SToF:
    return dsl::castBits(DType::I64, type, static_cast<Bits>(asSigned(args[0])));
  case Kind::OfBits:
    return dsl::canonical(type, x[0]);
  default:
    return none("an approximation");
  }
}

/// Rounded, then the nearest number of the width; of NaN 0.
std::optional<Bits> NodeEvaluator::toInteger(const Node &n, NodeId arg) {
  const double whole = wholeOf(toDouble(pool_.node(arg).sort.format, entries_[arg].bits),
                               static_cast<Round>(n.payload));
  if (std::isnan(whole))
    return 0;
  const bool isSigned = n.kind == Kind::FToS;
  const double limit = std::ldexp(1.0, n.sort.width - (isSigned ? 1 : 0));
  const Bits largest = isSigned ? ones(n.sort.width - 1u) : ones(n.sort.width);
  if (whole >= limit)
    return largest;
  if (whole <= (isSigned ? -limit : 0.0))
    return isSigned ? largest + 1 : 0;
  return isSigned ? static_cast<Bits>(static_cast<std::int64_t>(whole)) : static_cast<Bits>(whole);
}

std::optional<Bits> NodeEvaluator::concatenated(std::span<const NodeId> args) const {
  Bits bits = 0;
  unsigned at = 0;
  for (const NodeId arg : args) {
    bits |= at < 64 ? asBits(arg) << at : 0;
    at += pool_.node(arg).sort.width;
  }
  return bits;
}

std::optional<Bits> NodeEvaluator::ofBits(const Node &n, std::span<const NodeId> args) {
  const dsl::FloatEnvironment environment;
  const unsigned width = n.sort.width, from = pool_.node(args[0]).sort.width;
  const Bits a = asBits(args[0]), b = args.size() > 1 ? asBits(args[1]) : 0;
  const std::int64_t x = asSigned(args[0]), y = args.size() > 1 ? asSigned(args[1]) : 0;
  const auto foldedBy = [&](auto op) {
    Bits all = a;
    for (const NodeId arg : args.subspan(1))
      all = op(all, asBits(arg));
    return all;
  };
  switch (n.kind) {
  case Kind::FToU:
  case Kind::FToS:
    return toInteger(n, args[0]);
  case Kind::BitAnd:
    return foldedBy([](Bits p, Bits q) { return p & q; });
  case Kind::BitOr:
    return foldedBy([](Bits p, Bits q) { return p | q; });
  case Kind::BitXor:
    return foldedBy([](Bits p, Bits q) { return p ^ q; });
  case Kind::Mul:
    return foldedBy([](Bits p, Bits q) { return p * q; });
  case Kind::Shl:
    return b >= width ? 0 : a << b;
  case Kind::ShrU:
    return b >= width ? 0 : a >> b;
  case Kind::ShrS:
    return static_cast<Bits>(x >> std::min<Bits>(b, 63));
  case Kind::MulHiU:
    return static_cast<Bits>(static_cast<unsigned __int128>(a) * b >> width);
  case Kind::MulHiS:
    return static_cast<Bits>(static_cast<Wide>(x) * y >> width);
  case Kind::MinU:
    return std::min(a, b);
  case Kind::MaxU:
    return std::max(a, b);
  case Kind::MinS:
    return static_cast<Bits>(std::min(x, y));
  case Kind::MaxS:
    return static_cast<Bits>(std::max(x, y));
  case Kind::DivS:
  case Kind::RemS:
    if (y == 0)
      return none("a zero divisor");
    return static_cast<Bits>(n.kind == Kind::DivS ? static_cast<Wide>(x) / y
                                                  : static_cast<Wide>(x) % y);
  case Kind::Popc:
    return static_cast<Bits>(std::popcount(a));
  case Kind::Clz:
    return static_cast<Bits>(std::countl_zero(a)) - (64u - from);
  case Kind::Brev: {
    Bits reversed = 0;
    for (unsigned bit = 0; bit < width; ++bit)
      reversed |= (a >> bit & 1) << (width - 1 - bit);
    return reversed;
  }
  case Kind::SignExtend:
    return static_cast<Bits>(x);
  case Kind::Concat:
    return concatenated(args);
  case Kind::Extract:
    return a >> n.payload;
  default:
    return none("an unknown kind of node");
  }
}

} // namespace ordo::verify
