// SALU: the wave's own arithmetic. Results go to SGPRs, conditions to SCC.
#include "compiler/verify/gcn/lowering.h"

namespace ordo::verify::gcn {
namespace {

/// "s_and_b64" → "s_and", 64; 0 where the name says no width.
std::pair<std::string, unsigned> widthOf(const std::string &op) {
  const std::size_t last = op.rfind('_');
  if (last == std::string::npos || last + 2 >= op.size())
    return {op, 0};
  const std::string digits = op.substr(last + 2);
  return {op.substr(0, last), digits == "32" ? 32u : digits == "64" ? 64u : 0u};
}

/// A constant of 16 bits in the instruction, extended.
verify::Operand constant16(const Operand &operand, bool isSigned) {
  const auto bits = static_cast<std::uint16_t>(operand.integer);
  return verify::Operand::imm(isSigned ? static_cast<std::uint32_t>(static_cast<std::int16_t>(bits))
                                       : bits);
}

bool isSignedName(const std::string &op) { return op.find("_i32") != std::string::npos; }

} // namespace

bool Lowering::scalar(const std::string &op) {
  if (!isScalar_)
    return false;
  const auto [name, width] = widthOf(op);
  struct Logic {
    Op op;
    bool invertsSecond, invertsResult;
  };
  static const std::map<std::string, Logic> kLogic = {
      {"s_and", {Op::And, false, false}}, {"s_or", {Op::Or, false, false}},
      {"s_xor", {Op::Xor, false, false}}, {"s_andn2", {Op::And, true, false}},
      {"s_orn2", {Op::Or, true, false}},  {"s_nand", {Op::And, false, true}},
      {"s_nor", {Op::Or, false, true}},   {"s_xnor", {Op::Xor, false, true}},
  };
  if (const auto it = kLogic.find(name); it != kLogic.end() && width != 0) {
    scalarLogic(it->second.op, width, it->second.invertsSecond, it->second.invertsResult);
  } else if (op == "s_mov_b32" || op == "s_mov_b64") {
    operands(2);
    setScalar(0, source(1, width, As::Bits), width);
  } else if (op == "s_movk_i32") {
    operands(2);
    setScalar(0, constant16(at(1), true), 32);
  } else if (op == "s_not_b32" || op == "s_not_b64") {
    operands(2);
    const M value = emit(Op::Not, width, {source(1, width, As::Bits)});
    setScc(isNonZero(value, width));
    setScalar(0, value, width);
  } else if (op == "s_add_u32" || op == "s_addc_u32" || op == "s_add_i32") {
    scalarAdd(Op::AddCarry, op == "s_addc_u32", isSignedName(op));
  } else if (op == "s_sub_u32" || op == "s_subb_u32" || op == "s_sub_i32") {
    scalarAdd(Op::SubBorrow, op == "s_subb_u32", isSignedName(op));
  } else if (op == "s_addk_i32" || op == "s_mulk_i32") {
    operands(2);
    const M a = source(0, 32, As::Bits);
    const M b = constant16(at(1), true);
    if (op == "s_addk_i32")
      setScc(undefined(1)); // signed overflow: nobody reads it
    setScalar(0, emit(op == "s_addk_i32" ? Op::Add : Op::Mul, 32, {a, b}), 32);
  } else if (op == "s_mul_i32" || op == "s_mul_hi_u32" || op == "s_mul_hi_i32") {
    operands(3);
    const M a = source(1, 32, As::Bits), b = source(2, 32, As::Bits);
    setScalar(0,
              emit(op == "s_mul_i32"      ? Op::Mul
                   : op == "s_mul_hi_u32" ? Op::MulHiU
                                          : Op::MulHiS,
                   32, {a, b}),
              32);
  } else if (name == "s_lshl" || name == "s_lshr" || name == "s_ashr") {
    scalarShift(name == "s_lshl" ? Op::Shl : name == "s_lshr" ? Op::ShrU : Op::ShrS, width);
  } else if (op == "s_min_u32" || op == "s_min_i32" || op == "s_max_u32" || op == "s_max_i32") {
    operands(3);
    const M a = source(1, 32, As::Bits), b = source(2, 32, As::Bits);
    const bool isMin = op.starts_with("s_min"), isSigned = isSignedName(op);
    const M result = emit(
        isMin ? (isSigned ? Op::MinS : Op::MinU) : (isSigned ? Op::MaxS : Op::MaxU), 32, {a, b});
    setScc(emit(Op::CmpEq, 32, {result, a})); // the first was chosen
    // Where they are equal the manual says that it was not.
    setScc(emit(Op::And, 1, {M::of(scc_), emit(Op::CmpNe, 32, {a, b})}));
    setScalar(0, result, 32);
  } else if (op == "s_cselect_b32" || op == "s_cselect_b64") {
    operands(3);
    const M a = source(1, width, As::Bits), b = source(2, width, As::Bits);
    setScalar(0, emit(Op::Select, width, {M::of(scc_), a, b}), width);
  } else if (op == "s_bfe_u32" || op == "s_bfe_i32") {
    operands(3);
    const M value = source(1, 32, As::Bits), field = source(2, 32, As::Bits);
    const M position = emit(Op::And, 32, {field, M::imm(31)});
    const M length = emit(Op::And, 32, {emit(Op::ShrU, 32, {field, M::imm(16)}), M::imm(127)});
    const M result =
        emit(op == "s_bfe_u32" ? Op::BitField : Op::BitFieldS, 32, {value, position, length});
    setScc(isNonZero(result, 32));
    setScalar(0, result, 32);
  } else if (op == "s_brev_b32") {
    operands(2);
    setScalar(0, emit(Op::Brev, 32, {source(1, 32, As::Bits)}), 32);
  } else if (op == "s_bcnt1_i32_b32" || op == "s_bcnt1_i32_b64") {
    operands(2);
    const M bits = emit(Op::Popc, width, {source(1, width, As::Bits)});
    setScc(isNonZero(bits, 32));
    setScalar(0, bits, 32);
  } else if (op.starts_with("s_flbit_i32") || op.starts_with("s_ff1_i32_b")) {
    operands(2);
    const unsigned bits = op.ends_with("64") ? 64 : 32;
    const bool isSigned = op == "s_flbit_i32" || op == "s_flbit_i32_i64";
    const M value = source(1, bits, As::Bits);
    setScalar(0, firstBit(value, bits, op.starts_with("s_ff1"), isSigned), 32);
  } else if (op == "s_sext_i32_i8" || op == "s_sext_i32_i16") {
    operands(2);
    const unsigned from = op == "s_sext_i32_i8" ? 8 : 16;
    setScalar(0, signExtend(extract(source(1, 32, As::Bits), from, 0, 32), from, 32), 32);
  } else if (op == "s_abs_i32") {
    operands(2);
    const M value = emit(Op::AbsI, 32, {source(1, 32, As::Bits)});
    setScc(isNonZero(value, 32));
    setScalar(0, value, 32);
  } else if (op == "s_pack_ll_b32_b16" || op == "s_pack_lh_b32_b16" || op == "s_pack_hh_b32_b16") {
    operands(3);
    const M a = source(1, 32, As::Bits), b = source(2, 32, As::Bits);
    const M low = extract(a, 16, op[7] == 'h' ? 16 : 0, 32);
    const M high = extract(b, 16, op[8] == 'h' ? 16 : 0, 32);
    setScalar(0, concat(low, high, 16), 32);
  } else if (op.find("_saveexec_") != std::string::npos) {
    static const std::map<std::string, std::pair<Logic, int>> kSave = {
        {"s_and_saveexec", {{Op::And, false, false}, -1}},
        {"s_or_saveexec", {{Op::Or, false, false}, -1}},
        {"s_xor_saveexec", {{Op::Xor, false, false}, -1}},
        {"s_andn1_saveexec", {{Op::And, false, false}, 0}},
        {"s_andn2_saveexec", {{Op::And, false, false}, 1}},
        {"s_orn1_saveexec", {{Op::Or, false, false}, 0}},
        {"s_orn2_saveexec", {{Op::Or, false, false}, 1}},
        {"s_nand_saveexec", {{Op::And, false, true}, -1}},
        {"s_nor_saveexec", {{Op::Or, false, true}, -1}},
        {"s_xnor_saveexec", {{Op::Xor, false, true}, -1}},
    };
    const auto it = kSave.find(name);
    if (it == kSave.end() || width != static_cast<unsigned>(object_.waveSize))
      return false;
    saveExec(it->second.first.op, width, it->second.second, it->second.first.invertsResult);
  } else {
    return false;
  }
  return true;
}

void Lowering::scalarLogic(Op op, unsigned width, bool invertsSecond, bool invertsResult) {
  operands(3);
  const M a = source(1, width, As::Bits);
  M b = source(2, width, As::Bits);
  if (invertsSecond)
    b = emit(Op::Not, width, {b});
  M result = emit(op, width, {a, b});
  if (invertsResult)
    result = emit(Op::Not, width, {result});
  setScc(isNonZero(result, width));
  setScalar(0, result, width);
}

/// SCC: the carry, or for signed operations the overflow.
void Lowering::scalarAdd(Op op, bool takesCarry, bool isSigned) {
  operands(3);
  const M a = source(1, 32, As::Bits), b = source(2, 32, As::Bits);
  const M carry = takesCarry ? M::of(scc_) : M::imm(0);
  verify::Instruction i = make(op, 32);
  i.dst = {temporary(32), temporary(1)};
  i.src = {a, b, carry};
  const verify::Instruction &pushed = push(std::move(i));
  const M sum = M::of(pushed.dst[0]), out = M::of(pushed.dst[1]);
  if (isSigned) {
    // The result's sign differs from both operands' (of a difference: from a's, and b's equals it).
    const M x = emit(Op::Xor, 32, {sum, a});
    const M y = op == Op::AddCarry ? emit(Op::Xor, 32, {sum, b}) : emit(Op::Xor, 32, {a, b});
    setScc(emit(Op::CmpLtS, 32, {emit(Op::And, 32, {x, y}), M::imm(0)}));
  } else {
    setScc(out);
  }
  setScalar(0, sum, 32);
}

void Lowering::scalarShift(Op op, unsigned width) {
  operands(3);
  const M value = source(1, width, As::Bits);
  const M amount = emit(Op::And, 32, {source(2, 32, As::Bits), M::imm(width - 1)});
  const M result = emit(op, width, {value, amount});
  setScc(isNonZero(result, width));
  setScalar(0, result, width);
}

/// sdst ← EXEC; EXEC ← op(ssrc, EXEC). `inverted`: 0 the source, 1 EXEC, -1 none.
void Lowering::saveExec(Op op, unsigned width, int inverted, bool invertsResult) {
  operands(2);
  M a = source(1, width, As::Bits);
  const M exec = width == 32 ? M::of(exec_[0]) : concat(M::of(exec_[0]), M::of(exec_[1]), 32);
  M b = exec;
  if (inverted == 0)
    a = emit(Op::Not, width, {a});
  if (inverted == 1)
    b = emit(Op::Not, width, {b});
  M result = emit(op, width, {a, b});
  if (invertsResult)
    result = emit(Op::Not, width, {result});
  // The source may be the destination: all is read before anything is written.
  const M zero = isNonZero(result, width);
  const M old = width == 32 ? emit(Op::Mov, 32, {exec}) : exec;
  setScc(zero);
  setScalar(0, old, width);
  if (width == 32) {
    assign(exec_[0], result);
  } else {
    assign(exec_[0], extract(result, 32, 0, 64));
    assign(exec_[1], extract(result, 32, 32, 64));
  }
  execChanged();
}

/// s_cmp_lt_i32 a, b; s_cmpk_eq_u32 a, constant; s_bitcmp1_b32.
bool Lowering::scalarCompare(const std::string &op) {
  if (op == "s_bitcmp0_b32" || op == "s_bitcmp1_b32") {
    operands(2);
    const M amount = emit(Op::And, 32, {source(1, 32, As::Bits), M::imm(31)});
    const M bit =
        emit(Op::And, 32, {emit(Op::ShrU, 32, {source(0, 32, As::Bits), amount}), M::imm(1)});
    setScc(emit(op == "s_bitcmp1_b32" ? Op::CmpNe : Op::CmpEq, 32, {bit, M::imm(0)}));
    return true;
  }
  const bool isConstant = op.starts_with("s_cmpk_");
  if (!isConstant && !op.starts_with("s_cmp_"))
    return false;
  operands(2);
  const std::string relation = op.substr(isConstant ? 7 : 6, 2);
  const std::string type = op.substr(op.rfind('_') + 1);
  const unsigned width = type == "u64" ? 64 : 32;
  const bool isSigned = type == "i32";
  if (!isSigned && type != "u32" && type != "u64")
    return false;
  const M a = source(0, width, As::Bits);
  const M b = isConstant ? constant16(at(1), isSigned) : source(1, width, As::Bits);
  const Op less = isSigned ? Op::CmpLtS : Op::CmpLtU,
           lessEqual = isSigned ? Op::CmpLeS : Op::CmpLeU;
  if (relation == "eq")
    setScc(emit(Op::CmpEq, width, {a, b}));
  else if (relation == "lg")
    setScc(emit(Op::CmpNe, width, {a, b}));
  else if (relation == "lt")
    setScc(emit(less, width, {a, b}));
  else if (relation == "le")
    setScc(emit(lessEqual, width, {a, b}));
  else if (relation == "gt")
    setScc(emit(less, width, {b, a}));
  else if (relation == "ge")
    setScc(emit(lessEqual, width, {b, a}));
  else
    return false;
  return true;
}

} // namespace ordo::verify::gcn
