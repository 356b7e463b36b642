#include "compiler/verify/symbolic/expansions.h"

#include "compiler/verify/gcn/expansion.h"

#include <array>
#include <vector>

namespace ordo::verify {

using dsl::DType;

std::optional<Term> Expansions::recognised(const Instruction &i, const Term *src) {
  const auto noted = [&](const std::optional<Term> &found, const char *step) {
    if (found)
      used_.insert(step);
    return found;
  };
  if (i.op == Op::GcnDivFixup)
    return noted(quotient(i.format, src), i.format == DType::F64 ? "div.f64" : "div.f32");
  if (i.op == Op::FMul && i.format == DType::F64)
    return noted(root64(src), "sqrt.f64");
  if (i.op != Op::Select || i.width != 32)
    return std::nullopt;
  const auto found = noted(root32(src), "sqrt.f32");
  return found ? found : recognisedAnywhere(i, src);
}

std::optional<Term> Expansions::recognisedAnywhere(const Instruction &i, const Term *src) {
  if (i.op != Op::Select || i.width != 32)
    return std::nullopt;
  const auto found = roundedToBf16(src);
  if (found)
    used_.insert("cvt.bf16");
  return found;
}

std::optional<Term> Expansions::quotient(DType format, const Term *src) {
  const Term &denominator = src[1], &numerator = src[2];
  const bool isKnown = format == DType::F32 || format == DType::F64;
  if (!isKnown || (!denominator.isNode() && !numerator.isNode()))
    return std::nullopt;
  const NodeId n = terms_.asFloat(format, numerator), d = terms_.asFloat(format, denominator);
  auto it = quotients_.find({n, d});
  if (it == quotients_.end()) {
    const Term found = gcn::Expansion(*this, format).quotient(terms_.valueOf(n), terms_.valueOf(d));
    it = quotients_.emplace(std::pair(n, d), found).first;
  }
  if (it->second != terms_.valueOf(terms_.asFloat(format, src[0])))
    return std::nullopt;
  return terms_.valueOf(terms_.fdiv(format, n, d));
}

/// If y is its own root then y else …, where y is if x < 2^-96 then 2^32 * x else x; or the
/// opposite of such a choice by -x, where x is negated.
std::optional<Term> Expansions::root32(const Term *src) {
  constexpr std::uint64_t kSmall = 0x0f800000, kSign = 0x80000000;
  const Pool &pool = terms_.pool();
  if (!src[1].isNode() || !(pool.node(src[1].node()).sort == Sort::of(DType::F32)))
    return std::nullopt;
  NodeId y = src[1].node();
  const bool isNegated = pool.node(y).kind == Kind::FNeg; // of both arms
  if (isNegated)
    y = pool.args(y)[0];
  if (pool.node(y).kind != Kind::Select)
    return std::nullopt;
  const NodeId isSmall = pool.args(y)[0], inner = pool.args(y)[2];
  if (pool.node(isSmall).kind != Kind::FLt)
    return std::nullopt;
  const NodeId bound = pool.args(isSmall)[isNegated ? 0 : 1]; // -2^-96 < -x
  if (pool.args(isSmall)[isNegated ? 1 : 0] != inner || pool.node(bound).kind != Kind::Constant ||
      pool.node(bound).payload != (isNegated ? kSmall | kSign : kSmall))
    return std::nullopt;
  const NodeId x = isNegated ? terms_.fneg(inner) : inner;
  auto it = roots_.find(x);
  if (it == roots_.end())
    it = roots_.emplace(x, gcn::Expansion(*this).root(terms_.valueOf(x))).first;
  if (it->second != terms_.select(src[0], src[1], src[2], 32))
    return std::nullopt;
  return terms_.valueOf(terms_.fsqrt(DType::F32, x));
}

/// The last product's factor says what is small: if x < 2^-767 then 2^-128 else 1.
std::optional<Term> Expansions::root64(const Term *src) {
  const Pool &pool = terms_.pool();
  constexpr std::uint64_t kSmall = 0x1000000000000000, kSign = 0x8000000000000000,
                          kDown = 0x37f0000000000000, kOne = 0x3ff0000000000000;
  const auto isConstant = [&](NodeId node, std::uint64_t bits) {
    return pool.node(node).kind == Kind::Constant && pool.node(node).payload == bits;
  };
  for (const std::size_t side : {0, 1}) {
    if (!src[side].isNode() || pool.node(src[side].node()).kind != Kind::Select)
      continue;
    const auto factor = pool.args(src[side].node());
    if (!isConstant(factor[1], kDown) || !isConstant(factor[2], kOne) ||
        pool.node(factor[0]).kind != Kind::FLt)
      continue;
    const NodeId low = pool.args(factor[0])[0], high = pool.args(factor[0])[1];
    const bool isNegated = isConstant(low, kSmall | kSign); // -2^-767 < -x
    if (!isNegated && !isConstant(high, kSmall))
      continue;
    const NodeId x = isNegated ? terms_.fneg(high) : low;
    auto it = roots_.find(x);
    if (it == roots_.end())
      it = roots_.emplace(x, gcn::Expansion(*this, DType::F64).root(terms_.valueOf(x))).first;
    const NodeId found = terms_.fmul(DType::F64, terms_.asFloat(DType::F64, src[0]),
                                     terms_.asFloat(DType::F64, src[1]));
    if (it->second == terms_.valueOf(found))
      return terms_.valueOf(terms_.fsqrt(DType::F64, x));
  }
  return std::nullopt;
}

/// if x is no NaN then the sum's upper half else 0x7fc0; as a bf16 in the lower half of a register,
/// or, widened again, in the upper.
std::optional<Term> Expansions::roundedToBf16(const Term *src) {
  const Pool &pool = terms_.pool();
  const auto isArm = [&](std::uint64_t nan) {
    return src[1] == Term::constant(nan) || src[2] == Term::constant(nan);
  };
  const bool isWidened = isArm(0x7fc00000);
  if (!src[0].isNode() || !(isWidened || isArm(0x7fc0)))
    return std::nullopt;
  const Node condition = pool.node(src[0].node());
  const NodeId isNan = condition.kind == Kind::Not ? pool.args(src[0].node())[0] : src[0].node();
  if (pool.node(isNan).kind != Kind::IsNan)
    return std::nullopt;
  const Term &sum = src[condition.kind == Kind::Not ? 1 : 2];
  const NodeId x = pool.args(isNan)[0];
  if (!(pool.node(x).sort == Sort::of(DType::F32)))
    return std::nullopt;
  if (sum.isNode() && pool.node(sum.node()).sort.isFloat()) // if x is NaN then NaN else x
    return std::nullopt;
  // A sign does not matter to the question, and does to the rounding.
  for (const NodeId value : {x, terms_.fneg(x)}) {
    if (!isRoundedHigh(sum, value, isWidened)) {
      const Term high = roundedHigh(value);
      if ((isWidened ? terms_.shiftLeft(high, 16, 32) : high) != sum)
        continue;
    }
    const NodeId narrow = terms_.fconvert(DType::BF16, value, Round::NearestEven);
    if (isWidened)
      return terms_.valueOf(terms_.fconvert(DType::F32, narrow, Round::NearestEven));
    const std::array<Term, 2> halves = {terms_.valueOf(narrow), Term::constant(0)};
    const std::array<unsigned, 2> widths = {16, 16};
    return terms_.concat(halves, widths);
  }
  return std::nullopt;
}

/// Whether `sum` is that part, as the laws write it where x has no form of its own: q mod 2^16, or
/// 2^16 * q in 32 bits, with q = floor((x + bit 16 of x + 0x7fff) / 2^16). Millions are asked for,
/// and building each to compare it takes longer than all else. No: it may still be.
bool Expansions::isRoundedHigh(const Term &sum, NodeId x, bool isWidened) const {
  constexpr std::int64_t kHalf = std::int64_t{1} << 16, kWhole = std::int64_t{1} << 32;
  const Pool &pool = terms_.pool();
  const AffinePool &affine = terms_.affine();
  if (!sum.isNode() || pool.node(sum.node()).kind != Kind::Integer ||
      pool.node(sum.node()).sort.width != 32)
    return false;
  const Affine &high = affine.form(static_cast<AffineId>(pool.node(sum.node()).payload));
  if (high.constant != 0 || high.terms.size() != (isWidened ? 1 : 2))
    return false;
  std::optional<AffineId> rounded; // x + bit 16 of x + 0x7fff
  for (const auto &[atom, factor] : high.terms) {
    if (pool.node(atom).kind != Kind::FloorDiv)
      return false;
    const bool isHalf = factor == (isWidened ? kHalf : 1);
    const auto divisor = static_cast<std::int64_t>(pool.node(pool.args(atom)[0]).payload);
    const auto form = static_cast<AffineId>(pool.node(atom).payload);
    if ((!isHalf && (isWidened || factor != -kHalf)) || divisor != (isHalf ? kHalf : kWhole) ||
        (rounded && form != *rounded))
      return false;
    rounded = form;
  }
  const Affine &of = affine.form(*rounded);
  if (of.constant != 0x7fff || of.terms.size() != 2 || of.terms[0].second != 1 ||
      of.terms[1].second != 1)
    return false;
  const NodeId first = of.terms[0].first, second = of.terms[1].first;
  const NodeId choice = first == x ? second : first;
  if ((first != x && second != x) || pool.node(choice).kind != Kind::Select)
    return false;
  const auto arms = pool.args(choice); // if bit 16 of x then 1 else 0
  const Node &bit = pool.node(arms[0]);
  const auto isNumber = [&](NodeId arm, std::uint64_t number) {
    return pool.node(arm).kind == Kind::Constant && !pool.node(arm).sort.isFloat() &&
           pool.node(arm).payload == number;
  };
  return bit.kind == Kind::Extract && bit.payload == 16 && bit.sort.width == 1 &&
         pool.args(arms[0])[0] == x && isNumber(arms[1], 1) && isNumber(arms[2], 0);
}

/// (x + (x >> 16 & 1) + 0x7fff) >> 16, the part without the choice.
Term Expansions::roundedHigh(NodeId x) {
  if (const auto it = highs_.find(x); it != highs_.end())
    return it->second;
  const Term choice = gcn::Expansion(*this).roundedToBf16(terms_.valueOf(x));
  // Not is NaN: the arm of a number.
  const Term high = choice.isNode() && terms_.pool().node(choice.node()).kind == Kind::Select
                        ? terms_.valueOf(terms_.pool().args(choice.node())[2])
                        : choice;
  highs_[x] = high;
  return high;
}

} // namespace ordo::verify
