// Packed operations: two of 32 bits in a register pair, or two of 16 bits in a register.
#include "compiler/verify/gcn/lowering.h"

namespace ordo::verify::gcn {
namespace {

/// "[0,1,1]" → bits; missing ones are `otherwise`.
std::vector<bool> bitsOf(const Modifier *found, bool otherwise) {
  std::vector<bool> bits;
  if (found != nullptr)
    for (const char c : found->value)
      if (c == '0' || c == '1')
        bits.push_back(c == '1');
  bits.resize(3, otherwise);
  return bits;
}

} // namespace

bool Lowering::packed(const std::string &op) {
  struct Shape {
    Op op;
    unsigned width; // of each half
    std::size_t sources;
  };
  static const std::map<std::string, Shape, std::less<>> kPacked = {
      {"v_pk_add_f32", {Op::FAdd, 32, 2}},   {"v_pk_mul_f32", {Op::FMul, 32, 2}},
      {"v_pk_fma_f32", {Op::FFma, 32, 3}},   {"v_pk_add_f16", {Op::FAdd, 16, 2}},
      {"v_pk_mul_f16", {Op::FMul, 16, 2}},   {"v_pk_fma_f16", {Op::FFma, 16, 3}},
      {"v_pk_add_u16", {Op::Add, 16, 2}},    {"v_pk_sub_u16", {Op::Sub, 16, 2}},
      {"v_pk_add_i16", {Op::Add, 16, 2}},    {"v_pk_sub_i16", {Op::Sub, 16, 2}},
      {"v_pk_mul_lo_u16", {Op::Mul, 16, 2}},
  };
  const bool isMove = op == "v_pk_mov_b32";
  const auto it = kPacked.find(op);
  if (!isMove && it == kPacked.end())
    return false;
  const std::vector<bool> low = bitsOf(modifier("op_sel"), false);
  const std::vector<bool> high = bitsOf(modifier("op_sel_hi"), true);
  const std::vector<bool> negatesLow = bitsOf(modifier("neg_lo"), false);
  const std::vector<bool> negatesHigh = bitsOf(modifier("neg_hi"), false);
  for (const char *name : {"op_sel", "op_sel_hi", "neg_lo", "neg_hi"})
    take(name);
  const unsigned width = isMove ? 32 : it->second.width;
  const std::size_t sources = isMove ? 2 : it->second.sources;
  operands(sources + 1);
  const auto half = [&](std::size_t k, bool isHigh, bool negates, bool isFloat) {
    if (at(k + 1).isImmediate())
      refuse("a constant in a packed operation is not modelled");
    const M whole = raw(at(k + 1), 2 * width, As::Bits);
    const M value = extract(whole, width, isHigh ? width : 0, 2 * width);
    if (negates && !isFloat)
      refuse("a sign modifier on packed integers");
    return negates ? floating(Op::FNeg, width, {value}) : value;
  };
  if (isMove) { // the first half from the first source, the second from the second
    const M a = half(0, low[0], false, false), b = half(1, low[1], false, false);
    setVector(0, concat(a, b, 32), 64);
    return true;
  }
  const bool isFloat = op.find("_f") != std::string::npos;
  M results[2];
  for (int part = 0; part < 2; ++part) {
    std::vector<M> src;
    for (std::size_t k = 0; k < sources; ++k)
      src.push_back(half(k, part == 0 ? low[k] : high[k],
                         part == 0 ? negatesLow[k] : negatesHigh[k], isFloat));
    results[part] = isFloat ? floating(it->second.op, width, std::move(src))
                            : emit(it->second.op, width, std::move(src));
  }
  setVector(0, concat(results[0], results[1], width), 2 * width);
  return true;
}

} // namespace ordo::verify::gcn
