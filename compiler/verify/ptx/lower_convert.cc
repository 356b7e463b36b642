// Conversions, moves, comparisons and selections.
#include "compiler/verify/machine/machine.h"
#include "compiler/verify/ptx/lowering.h"

#include <algorithm>
#include <array>
#include <map>

namespace ordo::verify::ptx {

using M = verify::Operand;

bool Lowering::conversion(const std::string &op) {
  if (op == "cvt")
    convert();
  else if (op == "mov")
    moveValue();
  else if (op == "cvta")
    toGeneric();
  else if (op == "setp" || op == "set")
    compare(op == "setp");
  else if (op == "selp")
    select();
  else
    return false;
  return true;
}

void Lowering::convert() {
  const Type from = takeType();
  const Type to = takeType();
  Instruction i = make(Op::FConvert, to.width);
  static constexpr std::pair<std::string_view, Round> kToIntegral[] = {{"rni", Round::NearestEven},
                                                                       {"rzi", Round::TowardZero},
                                                                       {"rmi", Round::Down},
                                                                       {"rpi", Round::Up}};
  std::optional<Round> integral;
  for (const auto &[word, rounding] : kToIntegral)
    if (take(word))
      integral = rounding;
  const std::optional<Round> rounding = takeRounding();
  floatFlags(i);
  i.rounding = integral.value_or(rounding.value_or(Round::NearestEven));
  if (!to.isFloat() && !from.isFloat()) {
    if (i.saturates || i.flushes || integral || rounding)
      refuse("this conversion of integers is not modelled");
    return convertIntegers(to, from);
  }
  if (to.isPacked || from.isPacked)
    return convertPacked(to, from, i);
  operands(2);
  if (to.isFloat() && from.isFloat()) {
    i.op = integral ? Op::FRoundInt : Op::FConvert;
    if (integral && to.format != from.format)
      refuse("rounding to an integral value in another format is not modelled");
    if (!integral && !rounding && (to.width <= from.width) && to.format != from.format)
      refuse("has no rounding");
  } else if (to.isFloat()) {
    if (!rounding || from.width < 8)
      refuse("has no rounding");
    i.op = from.isSigned() ? Op::SToF : Op::UToF;
    i.width = from.width;
  } else {
    if (!integral)
      refuse("has no rounding");
    i.op = to.isSigned() ? Op::FToS : Op::FToU;
    i.saturates = false; // it saturates anyway
  }
  i.format = to.isFloat() ? to.format : from.format;
  i.from = from.format;
  i.src = {value(1, from.width)};
  i.dst = {destination(0, to.width, to.isSigned())};
  emit(std::move(i));
}

/// cvt.rn.bf16x2.f32 d, a, b: a is the upper half.
void Lowering::convertPacked(const Type &to, const Type &from, const Instruction &pattern) {
  if (!to.isPacked || from.width != 32 || !from.isFloat() || from.isPacked)
    refuse("this conversion is not modelled");
  operands(3);
  RegisterId results[2];
  for (int half = 0; half < 2; ++half) {
    Instruction i = pattern;
    i.width = 16;
    i.format = to.format;
    i.from = from.format;
    i.src = {value(half == 0 ? 2 : 1, 32)};
    results[half] = temporary(16);
    i.dst = {results[half]};
    emit(std::move(i));
  }
  emit(Op::Concat, 32, destination(0, 32), {M::of(results[0]), M::of(results[1])}).fromWidth = 16;
}

void Lowering::convertIntegers(const Type &to, const Type &from) {
  operands(2);
  const M a = value(1, from.width);
  const RegisterId dst = destination(0, to.width, to.isSigned());
  if (to.width > from.width)
    emit(from.isSigned() ? Op::SignExtend : Op::ZeroExtend, to.width, dst, {a}).fromWidth =
        from.width;
  else if (to.width < from.width)
    emit(Op::Extract, to.width, dst, {a}).fromWidth = from.width;
  else
    emit(Op::Mov, to.width, dst, {a});
}

void Lowering::moveValue() {
  const Type type = takeType();
  operands(2);
  if (type.kind == Type::Kind::Predicate) {
    const M a = predicate(at(1));
    emit(Op::Mov, 1, destination(0, 1), {a});
    return;
  }
  if (at(0).kind == Operand::Kind::Vector || at(1).kind == Operand::Kind::Vector)
    return moveVector(type.width);
  const bool isOffset = at(1).kind == Operand::Kind::Address;
  if (isOffset && at(1).parts.empty())
    refuse("an address without a name is not modelled here");
  const std::string &name = isOffset ? at(1).parts[0].name : at(1).name;
  if (const Variable *v = variable(name)) {
    if (type.width < 32 || v->space != Space::Shared)
      refuse(fmt::format("the address of `{}` is not modelled here", name));
    emit(Op::Mov, type.width, destination(0, type.width),
         {M::imm(mask(v->address + (isOffset ? at(1).bits : 0), type.width))});
    return;
  }
  const M a = value(1, type.width);
  emit(Op::Mov, type.width, destination(0, type.width), {a});
}

/// mov.b32 {lo, hi}, r and back.
void Lowering::moveVector(std::uint8_t width) {
  const bool unpacks = at(0).kind == Operand::Kind::Vector;
  const Operand &vector = unpacks ? at(0) : at(1);
  const std::size_t count = vector.parts.size();
  if (count != 2 && count != 4)
    refuse("a vector of this size is not modelled");
  const auto part = static_cast<std::uint8_t>(width / count);
  if (unpacks) {
    const M whole = value(1, width);
    for (std::size_t k = 0; k < count; ++k) {
      if (vector.parts[k].kind == Operand::Kind::Sink)
        continue;
      Instruction &i = emit(Op::Extract, part, destination(vector.parts[k], part), {whole});
      i.fromWidth = width;
      i.bit = static_cast<std::uint8_t>(k * part);
    }
    return;
  }
  std::vector<M> parts;
  for (const Operand &element : vector.parts)
    parts.push_back(value(element, part));
  emit(Op::Concat, width, destination(0, width), std::move(parts)).fromWidth = part;
}

/// cvta.to.global.u64 and cvta.shared.u64: global addresses are generic ones; shared memory has a
/// window.
void Lowering::toGeneric() {
  const Type type = takeType();
  operands(2);
  const bool fromGeneric = take("to");
  const bool isShared = take("shared") || take("shared::cta");
  if (type.width != 64 || (!isShared && !take("global")))
    refuse("this space is not modelled");
  M a;
  if (const Variable *v = variable(at(1).name)) {
    if (v->space != Space::Shared || !isShared)
      refuse(fmt::format("the address of `{}` is not modelled here", at(1).name));
    a = M::imm(v->address);
  } else {
    a = value(1, 64);
  }
  if (!isShared)
    emit(Op::Mov, 64, destination(0, 64), {a});
  else
    emit(fromGeneric ? Op::Sub : Op::Add, 64, destination(0, 64), {a, M::imm(kSharedWindow)});
}

namespace {

/// a REL b as an operation, with the operands exchanged or the result negated.
struct Relation {
  Op op;
  bool exchanged = false, negated = false;
};

const std::map<std::string, Relation> &floatRelations() {
  static const std::map<std::string, Relation> kRelations = {
      {"eq", {Op::FCmpEq}},
      {"ne", {Op::FCmpNe}}, // replaced below: ordered ne is false with a NaN
      {"lt", {Op::FCmpLt}},
      {"le", {Op::FCmpLe}},
      {"gt", {Op::FCmpLt, true}},
      {"ge", {Op::FCmpLe, true}},
      {"equ", {Op::FCmpEq}},
      {"neu", {Op::FCmpNe}},
      {"ltu", {Op::FCmpLe, true, true}},
      {"leu", {Op::FCmpLt, true, true}},
      {"gtu", {Op::FCmpLe, false, true}},
      {"geu", {Op::FCmpLt, false, true}},
      {"num", {Op::FIsNan, false, true}},
      {"nan", {Op::FIsNan}},
  };
  return kRelations;
}

std::optional<Relation> integerRelation(const std::string &word, bool isSigned) {
  const Op lt = isSigned ? Op::CmpLtS : Op::CmpLtU, le = isSigned ? Op::CmpLeS : Op::CmpLeU;
  const std::map<std::string, Relation> kRelations = {
      {"eq", {Op::CmpEq}},
      {"ne", {Op::CmpNe}},
      {"lt", {lt}},
      {"le", {le}},
      {"gt", {lt, true}},
      {"ge", {le, true}},
      {"lo", {Op::CmpLtU}},
      {"ls", {Op::CmpLeU}},
      {"hi", {Op::CmpLtU, true}},
      {"hs", {Op::CmpLeU, true}},
  };
  const auto it = kRelations.find(word);
  return it == kRelations.end() ? std::nullopt : std::optional(it->second);
}

} // namespace

/// Operands 1 and 2 by the relation, in a temporary of one bit.
RegisterId Lowering::comparison(const std::string &relation, const Type &type) {
  if (type.isPacked)
    refuse("comparisons of two halves are not modelled");
  Relation r;
  if (type.isFloat()) {
    const auto it = floatRelations().find(relation);
    if (it == floatRelations().end())
      refuseWord(relation);
    r = it->second;
  } else {
    const auto found = integerRelation(relation, type.isSigned());
    if (!found)
      refuseWord(relation);
    r = *found;
  }
  M a = value(1, type.width), b = value(2, type.width);
  if (r.exchanged)
    std::swap(a, b);
  const auto result = [&](Op op, std::vector<M> src) {
    Instruction i = make(op, type.width);
    i.format = type.format;
    const RegisterId reg = temporary(1);
    i.dst = {reg};
    i.src = std::move(src);
    emit(std::move(i));
    return reg;
  };
  RegisterId reg = result(r.op, {a, b});
  const bool both = type.isFloat() && (relation == "ne" || relation == "equ");
  if (both || r.negated) {
    // ne: unequal and no NaN. equ: equal, or a NaN.
    if (both) {
      const RegisterId nan = result(Op::FIsNan, {a, b});
      const RegisterId combined = temporary(1);
      if (relation == "equ") {
        emit(Op::Or, 1, combined, {M::of(reg), M::of(nan)});
      } else {
        const RegisterId ordered = temporary(1);
        emit(Op::Not, 1, ordered, {M::of(nan)});
        emit(Op::And, 1, combined, {M::of(reg), M::of(ordered)});
      }
      return combined;
    }
    const RegisterId negated = temporary(1);
    emit(Op::Not, 1, negated, {M::of(reg)});
    reg = negated;
  }
  return reg;
}

void Lowering::compare(bool toPredicate) {
  const Type from = takeType();
  const Type to = toPredicate ? Type{Type::Kind::Predicate, 1} : takeType();
  std::optional<Op> combine;
  for (const auto &[word, op] : std::initializer_list<std::pair<std::string_view, Op>>{
           {"and", Op::And}, {"or", Op::Or}, {"xor", Op::Xor}})
    if (take(word))
      combine = op;
  const bool flushes = take("ftz");
  if (words_.empty())
    refuse("has no relation");
  const std::string relation = words_.front();
  words_.erase(words_.begin());
  operands(combine ? 4 : 3);
  const std::size_t first = kernel_.code.size();
  RegisterId result = comparison(relation, from);
  for (std::size_t k = first; k < kernel_.code.size(); ++k)
    kernel_.code[k].flushes = flushes;
  const auto combined = [&](RegisterId reg, const M &with) {
    if (!combine)
      return reg;
    const RegisterId both = temporary(1);
    emit(*combine, 1, both, {M::of(reg), with});
    return both;
  };
  const M with = combine ? predicate(at(3)) : M::imm(0);
  if (!toPredicate) {
    const std::uint64_t ones = to.isFloat() ? 0x3f800000 : ~std::uint64_t{0} >> (64 - to.width);
    emit(Op::Select, to.width, destination(0, to.width),
         {M::of(combined(result, with)), M::imm(ones), M::imm(0)});
    return;
  }
  if (at(0).kind != Operand::Kind::Pair) {
    emit(Op::Mov, 1, destination(0, 1), {M::of(combined(result, with))});
    return;
  }
  // p|q: q has the opposite relation, combined with the same predicate.
  const RegisterId opposite = temporary(1);
  emit(Op::Not, 1, opposite, {M::of(result)});
  const RegisterId p = combined(result, with), q = combined(opposite, with);
  emit(Op::Mov, 1, destination(at(0).parts[0], 1), {M::of(p)});
  emit(Op::Mov, 1, destination(at(0).parts[1], 1), {M::of(q)});
}

void Lowering::select() {
  const Type type = takeType();
  operands(4);
  const M a = value(1, type.width), b = value(2, type.width), condition = predicate(at(3));
  emit(Op::Select, type.width, destination(0, type.width), {condition, a, b});
}

} // namespace ordo::verify::ptx
