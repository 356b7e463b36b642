// Integer arithmetic, logic and shifts.
#include "compiler/verify/ptx/lowering.h"

#include <map>

namespace ordo::verify::ptx {

using M = verify::Operand; // of the machine

bool Lowering::integer(const std::string &op) {
  static const std::map<std::string, Op> kLogic = {
      {"and", Op::And}, {"or", Op::Or}, {"xor", Op::Xor}};
  if (const auto it = kLogic.find(op); it != kLogic.end()) {
    logic(it->second);
  } else if (op == "add" || op == "sub") {
    addSub(op == "add" ? Op::Add : Op::Sub);
  } else if (op == "addc" || op == "subc") {
    carryChain(op == "addc" ? Op::AddCarry : Op::SubBorrow, true);
  } else if (op == "mul" || op == "mad") {
    multiply(op == "mad");
  } else if (op == "madc") {
    multiplyCarry();
  } else if (op == "div" || op == "rem" || op == "min" || op == "max") {
    const Type type = takeType();
    const bool s = type.isSigned();
    binaryInteger(op == "div"   ? (s ? Op::DivS : Op::DivU)
                  : op == "rem" ? (s ? Op::RemS : Op::RemU)
                  : op == "min" ? (s ? Op::MinS : Op::MinU)
                                : (s ? Op::MaxS : Op::MaxU),
                  type);
  } else if (op == "not" || op == "neg" || op == "abs") {
    const Type type = takeType();
    operands(2);
    const M a = type.width == 1 ? predicate(at(1)) : value(1, type.width);
    emit(op == "not"   ? Op::Not
         : op == "neg" ? Op::NegI
                       : Op::AbsI,
         type.width, destination(0, type.width), {a});
  } else if (op == "popc" || op == "clz" || op == "brev") {
    const Type type = takeType();
    operands(2);
    const M a = value(1, type.width);
    const std::uint8_t result = op == "brev" ? type.width : 32;
    emit(op == "popc"  ? Op::Popc
         : op == "clz" ? Op::Clz
                       : Op::Brev,
         type.width, destination(0, result), {a});
  } else if (op == "shl" || op == "shr") {
    shift(op == "shl");
  } else if (op == "shf") {
    funnel();
  } else if (op == "bfe" || op == "bfi") {
    bitField(op == "bfi");
  } else if (op == "lop3") {
    threeInputLogic();
  } else if (op == "prmt") {
    const Type type = takeType();
    operands(4);
    const M a = value(1, 32), b = value(2, 32), selector = value(3, 32);
    emit(Op::BytePermute, type.width, destination(0, 32), {a, b, selector});
  } else {
    return false;
  }
  return true;
}

void Lowering::addSub(Op op) {
  const Type type = takeType();
  if (take("cc")) {
    words_.push_back(type.width == 32 ? "u32" : "u64");
    return carryChain(op == Op::Add ? Op::AddCarry : Op::SubBorrow, false);
  }
  operands(3);
  const M a = value(1, type.width), b = value(2, type.width);
  emit(op, type.width, destination(0, type.width), {a, b});
}

/// add.cc, addc, addc.cc: the carry is one predicate of the machine.
void Lowering::carryChain(Op op, bool takesCarry) {
  const Type type = takeType();
  const bool writesCarry = !takesCarry || take("cc");
  operands(3);
  if (carry_ == kNoRegister) {
    if (takesCarry)
      refuse("no instruction before it writes the carry");
    carry_ = temporary(1);
  }
  const M a = value(1, type.width), b = value(2, type.width);
  Instruction i = make(op, type.width);
  i.dst = {destination(0, type.width), writesCarry ? carry_ : temporary(1)};
  i.src = {a, b, takesCarry ? M::of(carry_) : M::imm(0)};
  emit(std::move(i));
}

/// mul and mad, .lo, .hi and .wide.
void Lowering::multiply(bool adds) {
  const Type type = takeType();
  operands(adds ? 4 : 3);
  const bool isWide = take("wide"), isHigh = !isWide && take("hi");
  if (!isWide && !isHigh && !take("lo"))
    refuse("neither .lo, .hi nor .wide");
  const bool writesCarry = adds && take("cc");
  const std::uint8_t width = isWide ? type.width * 2 : type.width;
  if (width > 64)
    refuse("products of 128 bits are not modelled");
  M a = value(1, type.width), b = value(2, type.width);
  if (isWide) {
    a = M::of(extended(a, type.width, width, type.isSigned()));
    b = M::of(extended(b, type.width, width, type.isSigned()));
  }
  const Op op = !isHigh ? Op::Mul : type.isSigned() ? Op::MulHiS : Op::MulHiU;
  if (!adds) {
    emit(op, width, destination(0, width), {a, b});
    return;
  }
  const M c = value(3, width);
  const RegisterId product = temporary(width);
  emit(op, width, product, {a, b});
  if (!writesCarry) {
    emit(Op::Add, width, destination(0, width), {M::of(product), c});
    return;
  }
  if (carry_ == kNoRegister)
    carry_ = temporary(1);
  Instruction i = make(Op::AddCarry, width);
  i.dst = {destination(0, width), carry_};
  i.src = {M::of(product), c, M::imm(0)};
  emit(std::move(i));
}

/// madc.lo/.hi (.cc): the product, plus an addend, plus the carry.
void Lowering::multiplyCarry() {
  const Type type = takeType();
  operands(4);
  const bool isHigh = take("hi");
  if (!isHigh && !take("lo"))
    refuse("neither .lo nor .hi");
  if (carry_ == kNoRegister)
    refuse("no instruction before it writes the carry");
  const bool writesCarry = take("cc");
  const M a = value(1, type.width), b = value(2, type.width), c = value(3, type.width);
  const RegisterId product = temporary(type.width);
  emit(!isHigh ? Op::Mul : type.isSigned() ? Op::MulHiS : Op::MulHiU, type.width, product, {a, b});
  Instruction i = make(Op::AddCarry, type.width);
  i.dst = {destination(0, type.width), writesCarry ? carry_ : temporary(1)};
  i.src = {M::of(product), c, M::of(carry_)};
  emit(std::move(i));
}

void Lowering::binaryInteger(Op op, const Type &type) {
  operands(3);
  const M a = value(1, type.width), b = value(2, type.width);
  emit(op, type.width, destination(0, type.width), {a, b});
}

void Lowering::shift(bool isLeft) {
  const Type type = takeType();
  operands(3);
  const M a = value(1, type.width);
  M amount = value(2, 32);
  // The amount has 32 bits whatever the value has.
  if (amount.isRegister() && type.width != 32) {
    const RegisterId all = temporary(32);
    emit(Op::MinU, 32, all, {amount, M::imm(type.width)});
    if (type.width > 32) {
      amount = M::of(extended(M::of(all), 32, type.width, false));
    } else {
      const RegisterId low = temporary(type.width);
      emit(Op::Extract, type.width, low, {M::of(all)}).fromWidth = 32;
      amount = M::of(low);
    }
  } else if (!amount.isRegister()) {
    amount = M::imm(std::min<std::uint64_t>(amount.bits, type.width));
  }
  emit(isLeft            ? Op::Shl
       : type.isSigned() ? Op::ShrS
                         : Op::ShrU,
       type.width, destination(0, type.width), {a, amount});
}

void Lowering::funnel() {
  takeType();
  operands(4);
  const bool isLeft = take("l");
  if (!isLeft && !take("r"))
    refuse("neither .l nor .r");
  const bool wraps = take("wrap");
  if (!wraps && !take("clamp"))
    refuse("neither .wrap nor .clamp");
  const M low = value(1, 32), high = value(2, 32), amount = value(3, 32);
  const RegisterId bounded = temporary(32);
  emit(wraps ? Op::And : Op::MinU, 32, bounded, {amount, M::imm(wraps ? 31 : 32)});
  emit(isLeft ? Op::FunnelLeft : Op::FunnelRight, 32, destination(0, 32),
       {low, high, M::of(bounded)});
}

void Lowering::bitField(bool inserts) {
  const Type type = takeType();
  operands(inserts ? 5 : 4);
  std::vector<M> src = {value(1, type.width)};
  if (inserts)
    src.push_back(value(2, type.width));
  const std::size_t first = inserts ? 3 : 2;
  src.push_back(value(first, 32));
  src.push_back(value(first + 1, 32));
  emit(inserts           ? Op::BitInsert
       : type.isSigned() ? Op::BitFieldS
                         : Op::BitField,
       type.width, destination(0, type.width), std::move(src));
}

void Lowering::logic(Op op) {
  const Type type = takeType();
  operands(3);
  const bool isPredicate = type.kind == Type::Kind::Predicate;
  const M a = isPredicate ? predicate(at(1)) : value(1, type.width);
  const M b = isPredicate ? predicate(at(2)) : value(2, type.width);
  emit(op, type.width, destination(0, type.width), {a, b});
}

/// The sum of the minterms that the table holds.
void Lowering::threeInputLogic() {
  takeType();
  operands(5);
  const M inputs[3] = {value(1, 32), value(2, 32), value(3, 32)};
  if (at(4).kind != Operand::Kind::Integer || at(4).bits > 255)
    refuse("the table is not a number below 256");
  M inverted[3];
  for (int k = 0; k < 3; ++k) {
    const RegisterId reg = temporary(32);
    emit(Op::Not, 32, reg, {inputs[k]});
    inverted[k] = M::of(reg);
  }
  const auto combine = [&](Op op, M a, M b) {
    const RegisterId reg = temporary(32);
    emit(op, 32, reg, {a, b});
    return M::of(reg);
  };
  M sum = M::imm(0);
  for (int row = 0; row < 8; ++row) {
    if (((at(4).bits >> row) & 1) == 0)
      continue;
    M term = (row & 4) != 0 ? inputs[0] : inverted[0];
    term = combine(Op::And, term, (row & 2) != 0 ? inputs[1] : inverted[1]);
    term = combine(Op::And, term, (row & 1) != 0 ? inputs[2] : inverted[2]);
    sum = combine(Op::Or, sum, term);
  }
  emit(Op::Mov, 32, destination(0, 32), {sum});
}

} // namespace ordo::verify::ptx
