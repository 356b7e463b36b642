#include "compiler/verify/symbolic/expansions.h"

#include "compiler/verify/gcn/expansion.h"

#include <array>
#include <vector>

namespace ordo::verify {

using dsl::DType;

std::optional<Term> Expansions::recognised(const Instruction &i, const Term *src) {
  std::optional<Term> found;
  if (i.op == Op::GcnDivFixup && i.format == DType::F32) {
    if ((found = quotient(src)))
      used_.insert("div.f32");
  } else if (i.op == Op::Select && i.width == 32) {
    if ((found = root(src)))
      used_.insert("sqrt.f32");
    else
      found = recognisedAnywhere(i, src);
  }
  return found;
}

std::optional<Term> Expansions::recognisedAnywhere(const Instruction &i, const Term *src) {
  if (i.op != Op::Select || i.width != 32)
    return std::nullopt;
  const auto found = roundedToBf16(src);
  if (found)
    used_.insert("cvt.bf16");
  return found;
}

std::optional<Term> Expansions::quotient(const Term *src) {
  const Term &denominator = src[1], &numerator = src[2];
  if (!denominator.isNode() && !numerator.isNode())
    return std::nullopt;
  const std::pair key(numerator.bits << 2 | static_cast<std::uint64_t>(numerator.state),
                      denominator.bits << 2 | static_cast<std::uint64_t>(denominator.state));
  auto it = quotients_.find(key);
  if (it == quotients_.end())
    it = quotients_.emplace(key, gcn::Expansion(*this).quotient(numerator, denominator)).first;
  if (it->second != src[0])
    return std::nullopt;
  return terms_.valueOf(terms_.fdiv(DType::F32, terms_.asFloat(DType::F32, numerator),
                                    terms_.asFloat(DType::F32, denominator)));
}

/// The condition asks for the class of y, which is x, or x scaled up.
std::optional<Term> Expansions::root(const Term *src) {
  const Pool &pool = terms_.pool();
  const auto isClass = [&](const Term &t) {
    return t.isNode() && pool.node(t.node()).kind == Kind::Gcn &&
           pool.node(t.node()).payload == static_cast<std::uint64_t>(Op::GcnClass) << 1;
  };
  if (!isClass(src[0]))
    return std::nullopt;
  const NodeId y = pool.args(src[0].node())[0];
  if (pool.node(y).kind != Kind::Select)
    return std::nullopt;
  const NodeId x = pool.args(y)[2];
  auto it = roots_.find(x);
  if (it == roots_.end())
    it = roots_.emplace(x, gcn::Expansion(*this).root(terms_.valueOf(x))).first;
  if (it->second != terms_.select(src[0], src[1], src[2], 32))
    return std::nullopt;
  return terms_.valueOf(terms_.fsqrt(DType::F32, x));
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
  // A sign does not matter to the question, and does to the rounding.
  for (const NodeId value : {x, terms_.fneg(x)}) {
    const Term high = roundedHigh(value);
    if ((isWidened ? terms_.shiftLeft(high, 16, 32) : high) != sum)
      continue;
    const NodeId narrow = terms_.fconvert(DType::BF16, value, Round::NearestEven);
    if (isWidened)
      return terms_.valueOf(terms_.fconvert(DType::F32, narrow, Round::NearestEven));
    const std::array<Term, 2> halves = {terms_.valueOf(narrow), Term::constant(0)};
    const std::array<unsigned, 2> widths = {16, 16};
    return terms_.concat(halves, widths);
  }
  return std::nullopt;
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
