// Integer arithmetic, logic and shifts of the vector unit.
#include "compiler/verify/gcn/lowering.h"

namespace ordo::verify::gcn {

namespace {

/// Operations of two sources that are one of the machine's.
struct Binary {
  Op op;
  unsigned width;
  bool isReversed;
};
const std::map<std::string, Binary, std::less<>> &binaries() {
  static const std::map<std::string, Binary, std::less<>> kBinaries = {
      {"v_add_u32", {Op::Add, 32, false}},       {"v_sub_u32", {Op::Sub, 32, false}},
      {"v_subrev_u32", {Op::Sub, 32, true}},     {"v_add_i32", {Op::Add, 32, false}},
      {"v_sub_i32", {Op::Sub, 32, false}},       {"v_mul_lo_u32", {Op::Mul, 32, false}},
      {"v_mul_hi_u32", {Op::MulHiU, 32, false}}, {"v_mul_hi_i32", {Op::MulHiS, 32, false}},
      {"v_and_b32", {Op::And, 32, false}},       {"v_or_b32", {Op::Or, 32, false}},
      {"v_xor_b32", {Op::Xor, 32, false}},       {"v_min_u32", {Op::MinU, 32, false}},
      {"v_min_i32", {Op::MinS, 32, false}},      {"v_max_u32", {Op::MaxU, 32, false}},
      {"v_max_i32", {Op::MaxS, 32, false}},      {"v_add_u16", {Op::Add, 16, false}},
      {"v_sub_u16", {Op::Sub, 16, false}},       {"v_mul_lo_u16", {Op::Mul, 16, false}},
      {"v_min_u16", {Op::MinU, 16, false}},      {"v_max_u16", {Op::MaxU, 16, false}},
      {"v_min_i16", {Op::MinS, 16, false}},      {"v_max_i16", {Op::MaxS, 16, false}},
  };
  return kBinaries;
}

/// Shifts whose amount comes first, and is taken modulo the width.
const std::map<std::string, Binary, std::less<>> &shifts() {
  static const std::map<std::string, Binary, std::less<>> kShifts = {
      {"v_lshlrev_b32", {Op::Shl, 32, true}},  {"v_lshrrev_b32", {Op::ShrU, 32, true}},
      {"v_ashrrev_i32", {Op::ShrS, 32, true}}, {"v_lshlrev_b64", {Op::Shl, 64, true}},
      {"v_lshrrev_b64", {Op::ShrU, 64, true}}, {"v_ashrrev_i64", {Op::ShrS, 64, true}},
      {"v_lshlrev_b16", {Op::Shl, 16, true}},  {"v_lshrrev_b16", {Op::ShrU, 16, true}},
      {"v_ashrrev_i16", {Op::ShrS, 16, true}},
  };
  return kShifts;
}

/// first(a, b), then second(that, c).
struct Ternary {
  Op first, second;
};
const std::map<std::string, Ternary, std::less<>> &ternaries() {
  static const std::map<std::string, Ternary, std::less<>> kTernaries = {
      {"v_add3_u32", {Op::Add, Op::Add}},     {"v_lshl_add_u32", {Op::Shl, Op::Add}},
      {"v_add_lshl_u32", {Op::Add, Op::Shl}}, {"v_lshl_or_b32", {Op::Shl, Op::Or}},
      {"v_and_or_b32", {Op::And, Op::Or}},    {"v_or3_b32", {Op::Or, Op::Or}},
      {"v_xor3_b32", {Op::Xor, Op::Xor}},     {"v_xad_u32", {Op::Xor, Op::Add}},
      {"v_min3_u32", {Op::MinU, Op::MinU}},   {"v_min3_i32", {Op::MinS, Op::MinS}},
      {"v_max3_u32", {Op::MaxU, Op::MaxU}},   {"v_max3_i32", {Op::MaxS, Op::MaxS}},
      {"v_minmax_u32", {Op::MinU, Op::MaxU}}, {"v_minmax_i32", {Op::MinS, Op::MaxS}},
      {"v_maxmin_u32", {Op::MaxU, Op::MinU}}, {"v_maxmin_i32", {Op::MaxS, Op::MinS}},
  };
  return kTernaries;
}

} // namespace

bool Lowering::integer(const std::string &op) {
  // clamp saturates integers: nothing takes it, so that it is refused.
  const auto low = [&](M value, unsigned bits) {
    return emit(Op::And, 32, {value, M::imm((1u << bits) - 1)});
  };
  const auto signedLow = [&](M value) { return signExtend(extract(value, 24, 0, 32), 24, 32); };
  if (const auto it = binaries().find(op); it != binaries().end()) {
    operands(3);
    const unsigned width = it->second.width;
    const M a = source(1, width, As::Bits), b = source(2, width, As::Bits);
    setVector(
        0,
        emit(it->second.op, width, it->second.isReversed ? std::vector{b, a} : std::vector{a, b}),
        width);
  } else if (const auto found = ternaries().find(op); found != ternaries().end()) {
    operands(4);
    const auto step = [&](Op each, M a, M b) {
      return emit(each, 32, {a, each == Op::Shl ? low(b, 5) : b});
    };
    const M a = source(1, 32, As::Bits), b = source(2, 32, As::Bits), c = source(3, 32, As::Bits);
    setVector(0, step(found->second.second, step(found->second.first, a, b), c), 32);
  } else if (op == "v_add_co_u32" || op == "v_addc_co_u32") {
    addCarry(Op::AddCarry, op == "v_addc_co_u32", false);
  } else if (op == "v_sub_co_u32" || op == "v_subb_co_u32") {
    addCarry(Op::SubBorrow, op == "v_subb_co_u32", false);
  } else if (op == "v_subrev_co_u32" || op == "v_subbrev_co_u32") {
    addCarry(Op::SubBorrow, op == "v_subbrev_co_u32", true);
  } else if (op == "v_lshl_add_u64") {
    operands(4);
    const M a = source(1, 64, As::Bits), c = source(3, 64, As::Bits);
    const M amount = low(source(2, 32, As::Bits), 3);
    setVector(0, emit(Op::Add, 64, {emit(Op::Shl, 64, {a, amount}), c}), 64);
  } else if (op == "v_mad_u64_u32" || op == "v_mad_i64_i32") {
    multiplyAdd(op == "v_mad_i64_i32");
  } else if (op == "v_mul_u32_u24" || op == "v_mad_u32_u24" || op == "v_mul_i32_i24" ||
             op == "v_mad_i32_i24") {
    const bool adds = op.starts_with("v_mad"), isSigned = op.find("i24") != std::string::npos;
    operands(adds ? 4 : 3);
    M a = source(1, 32, As::Bits), b = source(2, 32, As::Bits);
    a = isSigned ? signedLow(a) : low(a, 24);
    b = isSigned ? signedLow(b) : low(b, 24);
    M result = emit(Op::Mul, 32, {a, b});
    if (adds)
      result = emit(Op::Add, 32, {result, source(3, 32, As::Bits)});
    setVector(0, result, 32);
  } else if (op == "v_mul_hi_u32_u24") {
    operands(3);
    const M a = low(source(1, 32, As::Bits), 24), b = low(source(2, 32, As::Bits), 24);
    setVector(0, emit(Op::MulHiU, 32, {a, b}), 32);
  } else {
    return false;
  }
  return true;
}

/// vdst, carry out, a, b (, carry in).
void Lowering::addCarry(Op op, bool takesCarry, bool isReversed) {
  operands(takesCarry ? 5 : 4);
  if (moved_)
    refuse("a carry of lanes that move is not modelled");
  const M a = source(2, 32, As::Bits), b = source(3, 32, As::Bits);
  const M carry = takesCarry ? laneOf(at(4)) : M::imm(0);
  verify::Instruction i = make(op, 32);
  i.dst = {temporary(32), temporary(1)};
  i.src = {isReversed ? b : a, isReversed ? a : b, carry};
  const verify::Instruction &pushed = push(std::move(i));
  const M sum = M::of(pushed.dst[0]), out = M::of(pushed.dst[1]);
  setVector(0, sum, 32);
  setMask(at(1), out);
}

/// vdst (64 bits), carry out, a, b, c (64 bits). LLVM also multiplies so where it wants the low
/// half alone, with a high half of c that nothing has written: then the high half of the result is
/// undefined, and the low one is not.
void Lowering::multiplyAdd(bool isSigned) {
  operands(5);
  const M a = source(2, 32, As::Bits), b = source(3, 32, As::Bits);
  const Operand &addend = at(4);
  if (addend.kind == Operand::Kind::Vgpr && addend.count == 2 && !isWritten(part(addend, 1))) {
    const M low = emit(Op::Add, 32, {emit(Op::Mul, 32, {a, b}), M::of(part(addend, 0))});
    setPair(at(0), low, undefined(32));
    return setMask(at(1), undefined(1));
  }
  const M c = source(4, 64, As::Bits);
  const auto widened = [&](M value) {
    return isSigned ? signExtend(value, 32, 64) : zeroExtend(value, 32, 64);
  };
  const M product = emit(Op::Mul, 64, {widened(a), widened(b)});
  verify::Instruction i = make(Op::AddCarry, 64);
  i.dst = {temporary(64), temporary(1)};
  i.src = {product, c, M::imm(0)};
  const verify::Instruction &pushed = push(std::move(i));
  const M sum = M::of(pushed.dst[0]), out = M::of(pushed.dst[1]);
  setVector(0, sum, 64);
  // Signed: bit 64 of a sum of sign-extended terms, which no code of LLVM's reads.
  setMask(at(1), isSigned ? undefined(1) : out);
}

bool Lowering::bitwise(const std::string &op) {
  const auto five = [&](std::size_t index) {
    return emit(Op::And, 32, {source(index, 32, As::Bits), M::imm(31)});
  };
  if (const auto it = shifts().find(op); it != shifts().end()) {
    operands(3);
    const unsigned width = it->second.width;
    const unsigned amountWidth = width == 16 ? 16 : 32;
    const M amount =
        emit(Op::And, amountWidth, {source(1, amountWidth, As::Bits), M::imm(width - 1)});
    setVector(0, emit(it->second.op, width, {source(2, width, As::Bits), amount}), width);
  } else if (op == "v_mov_b32" || op == "v_mov_b64") {
    operands(2);
    const unsigned width = op == "v_mov_b64" ? 64 : 32;
    setVector(0, source(1, width, As::Bits), width);
  } else if (op == "v_accvgpr_read_b32" || op == "v_accvgpr_write_b32") {
    refuse("accumulation registers are not modelled");
  } else if (op == "v_not_b32" || op == "v_bfrev_b32") {
    operands(2);
    setVector(0, emit(op == "v_not_b32" ? Op::Not : Op::Brev, 32, {source(1, 32, As::Bits)}), 32);
  } else if (op == "v_ffbh_u32" || op == "v_ffbh_i32" || op == "v_ffbl_b32") {
    operands(2);
    setVector(0, firstBit(source(1, 32, As::Bits), 32, op == "v_ffbl_b32", op == "v_ffbh_i32"), 32);
  } else if (op == "v_xnor_b32") {
    operands(3);
    const M a = source(1, 32, As::Bits), b = source(2, 32, As::Bits);
    setVector(0, emit(Op::Not, 32, {emit(Op::Xor, 32, {a, b})}), 32);
  } else if (op == "v_bfe_u32" || op == "v_bfe_i32") {
    operands(4);
    const M value = source(1, 32, As::Bits), position = five(2), length = five(3);
    setVector(0,
              emit(op == "v_bfe_u32" ? Op::BitField : Op::BitFieldS, 32, {value, position, length}),
              32);
  } else if (op == "v_bfi_b32") {
    operands(4);
    const M choice = source(1, 32, As::Bits), a = source(2, 32, As::Bits),
            b = source(3, 32, As::Bits);
    setVector(
        0,
        emit(Op::Or, 32,
             {emit(Op::And, 32, {choice, a}), emit(Op::And, 32, {emit(Op::Not, 32, {choice}), b})}),
        32);
  } else if (op == "v_alignbit_b32" || op == "v_alignbyte_b32") {
    operands(4);
    const M high = source(1, 32, As::Bits), low = source(2, 32, As::Bits);
    M amount = five(3);
    if (op == "v_alignbyte_b32")
      amount = emit(Op::Shl, 32, {emit(Op::And, 32, {amount, M::imm(3)}), M::imm(3)});
    setVector(0, emit(Op::FunnelRight, 32, {low, high, amount}), 32);
  } else if (op == "v_bcnt_u32_b32") {
    operands(3);
    const M bits = emit(Op::Popc, 32, {source(1, 32, As::Bits)});
    setVector(0, emit(Op::Add, 32, {bits, source(2, 32, As::Bits)}), 32);
  } else if (op == "v_perm_b32") {
    permuteBytes();
  } else if (op == "v_pack_b32_f16") {
    operands(3);
    const M a = source(1, 16, As::Float), b = source(2, 16, As::Float);
    take("op_sel");
    setVector(0, concat(a, b, 16), 32);
  } else if (op == "v_cndmask_b32") {
    operands(3, 4);
    const M a = source(1, 32, As::Float), b = source(2, 32, As::Float);
    Operand vcc;
    vcc.kind = Operand::Kind::Vcc;
    vcc.count = object_.waveSize == 64 ? 2 : 1;
    vcc.text = "vcc";
    const M condition = laneOf(count() == 4 ? at(3) : vcc);
    setVector(0, emit(Op::Select, 32, {condition, b, a}), 32);
  } else {
    return false;
  }
  return true;
}

/// The place of the first bit that is 1 (of a signed value: that is not its sign), counted from the
/// top or the bottom; -1 if there is none.
Lowering::M Lowering::firstBit(M value, unsigned width, bool fromBottom, bool isSigned) {
  if (isSigned)
    value = emit(Op::Xor, width, {value, emit(Op::ShrS, width, {value, M::imm(width - 1)})});
  if (fromBottom)
    value = emit(Op::Brev, width, {value});
  const M place = emit(Op::Clz, width, {value});
  const M isThere = isNonZero(value, width);
  return emit(Op::Select, 32, {isThere, place, M::imm(0xffffffff)});
}

/// D.byte[k] = the byte that the selector's byte k names: 0 … 3 of the second source, 4 … 7 of the
/// first, 12 zero. The others (signs, ones) trap: no code of LLVM's uses them here.
void Lowering::permuteBytes() {
  operands(4);
  const M a = source(1, 32, As::Bits), b = source(2, 32, As::Bits);
  const Operand &selectorOperand = at(3);
  if (selectorOperand.kind == Operand::Kind::Vgpr)
    refuse("a selector that differs between lanes");
  const bool wasScalar = std::exchange(isScalar_, true);
  const M s = raw(selectorOperand, 32, As::Bits);
  const auto both = [&](Op op, M x, M y) { return emit(op, 32, {x, y}); };
  const M isConstant = both(Op::And, both(Op::ShrU, s, M::imm(3)), M::imm(0x01010101));
  const M wrong = both(Op::Or, both(Op::And, s, M::imm(0xf0f0f0f0)),
                       both(Op::Xor, both(Op::And, s, both(Op::Mul, isConstant, M::imm(7))),
                            both(Op::Shl, isConstant, M::imm(2))));
  verify::Instruction trap = make(Op::Trap, 32);
  trap.guard = isNonZero(wrong, 32).reg;
  push(std::move(trap));
  M nibbles = both(Op::And, s, M::imm(7));
  for (unsigned k = 1; k < 4; ++k)
    nibbles = both(Op::Or, nibbles,
                   both(Op::And, both(Op::ShrU, s, M::imm(4 * k)), M::imm(7u << (4 * k))));
  const M kept = emit(Op::Not, 32, {both(Op::Mul, isConstant, M::imm(255))});
  isScalar_ = wasScalar;
  const M bytes = emit(Op::BytePermute, 32, {b, a, nibbles});
  setVector(0, emit(Op::And, 32, {bytes, kept}), 32);
}

} // namespace ordo::verify::gcn
