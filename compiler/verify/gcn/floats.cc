// Float arithmetic of the vector unit, each operation rounded once to nearest even.
//
// What is not IEEE arithmetic is refused: v_mad and v_mac flush subnormals, the legacy products
// make 0 * anything zero, output modifiers (mul:2, div:2) flush too.
#include "compiler/verify/gcn/lowering.h"

#include <algorithm>

namespace ordo::verify::gcn {
namespace {

struct Shape {
  std::string stem;
  unsigned width; // 0: no float
};

/// "v_add_f32" → "v_add", 32.
Shape shapeOf(const std::string &op) {
  for (const unsigned width : {16u, 32u, 64u}) {
    const std::string suffix = fmt::format("_f{}", width);
    if (op.ends_with(suffix))
      return {op.substr(0, op.size() - suffix.size()), width};
  }
  return {op, 0};
}

std::uint64_t quietNan(unsigned width) {
  return width == 64 ? 0x7ff8000000000000u : width == 32 ? 0x7fc00000u : 0x7e00u;
}

} // namespace

bool Lowering::arithmetic(const std::string &op) {
  const auto [stem, width] = shapeOf(op);
  if (width == 0 || isScalar_)
    return false;
  const auto src = [&](std::size_t index) { return source(index, width, As::Float); };
  static const std::map<std::string, Op, std::less<>> kUnary = {
      {"v_trunc", Op::FRoundInt}, {"v_ceil", Op::FRoundInt}, {"v_floor", Op::FRoundInt},
      {"v_rndne", Op::FRoundInt}, {"v_fract", Op::GcnFract}, {"v_frexp_mant", Op::GcnFrexpMant}};
  static const std::map<std::string, Op, std::less<>> kBinary = {
      {"v_add", Op::FAdd}, {"v_sub", Op::FSub}, {"v_subrev", Op::FSub}, {"v_mul", Op::FMul}};
  // Their errors are documented, their bits are not: the machine's user chooses within them.
  static const std::map<std::string, std::string, std::less<>> kApproximations = {
      {"v_rcp", "rcp"},  {"v_rsq", "rsq"}, {"v_sqrt", "sqrt"}, {"v_exp", "exp2"},
      {"v_log", "log2"}, {"v_sin", "sin"}, {"v_cos", "cos"}};
  if (const auto it = kBinary.find(stem); it != kBinary.end()) {
    operands(3);
    const M a = src(1), b = src(2);
    finishFloat(
        floating(it->second, width, stem == "v_subrev" ? std::vector{b, a} : std::vector{a, b}),
        width);
  } else if (const auto unary = kUnary.find(stem); unary != kUnary.end()) {
    operands(2);
    const M value = floating(unary->second, width, {src(1)});
    kernel_.code.back().rounding = stem == "v_trunc"   ? Round::TowardZero
                                   : stem == "v_ceil"  ? Round::Up
                                   : stem == "v_floor" ? Round::Down
                                                       : Round::NearestEven;
    finishFloat(value, width);
  } else if (const auto found = kApproximations.find(stem); found != kApproximations.end()) {
    operands(2);
    const M value = floating(Op::Approx, width, {src(1)});
    kernel_.code.back().what = found->second;
    finishFloat(value, width);
  } else if (stem == "v_fma" || stem == "v_fmac" || stem == "v_fmaak" || stem == "v_fmamk") {
    const bool accumulates = stem == "v_fmac";
    operands(accumulates ? 3 : 4);
    const M a = src(1), b = src(2), c = accumulates ? src(0) : src(3);
    // fmaak: a * b + K; fmamk: a * K + b, and the text has K where b stands.
    finishFloat(floating(Op::FFma, width, {a, b, c}), width);
  } else if (stem == "v_max" || stem == "v_min") {
    minMax(stem == "v_max" ? Op::FMax : Op::FMin, width);
  } else if (stem == "v_max3" || stem == "v_min3") {
    operands(4);
    const Op each = stem == "v_max3" ? Op::FMax : Op::FMin;
    const M a = src(1), b = src(2), c = src(3);
    finishFloat(minMaxOf(each, width, minMaxOf(each, width, a, b), c), width);
  } else if (stem == "v_maxmin" || stem == "v_minmax") {
    // gfx11: the minimum of a maximum and the third, or the maximum of a minimum and it.
    operands(4);
    const bool isMaxFirst = stem == "v_maxmin";
    const M a = src(1), b = src(2), c = src(3);
    const M inner = minMaxOf(isMaxFirst ? Op::FMax : Op::FMin, width, a, b);
    finishFloat(minMaxOf(isMaxFirst ? Op::FMin : Op::FMax, width, inner, c), width);
  } else if (stem == "v_med3") {
    operands(4);
    const M a = src(1), b = src(2), c = src(3);
    finishFloat(floating(Op::GcnMed3, width, {a, b, c}), width);
  } else if (stem == "v_div_scale") {
    divScale(width);
  } else if (stem == "v_div_fmas") {
    operands(4);
    const M a = src(1), b = src(2), c = src(3);
    Operand vcc;
    vcc.kind = Operand::Kind::Vcc;
    vcc.count = object_.waveSize == 64 ? 2 : 1;
    vcc.text = "vcc";
    finishFloat(floating(Op::GcnDivFmas, width, {a, b, c, laneOf(vcc)}), width);
  } else if (stem == "v_div_fixup") {
    operands(4);
    const M a = src(1), b = src(2), c = src(3);
    finishFloat(floating(Op::GcnDivFixup, width, {a, b, c}), width);
  } else if (stem == "v_ldexp") {
    operands(3);
    const M exponent = source(2, width == 16 ? 16 : 32, As::Bits);
    finishFloat(floating(Op::GcnLdexp, width, {src(1), exponent}), width);
  } else {
    return false;
  }
  return true;
}

/// clamp to [0, 1], of which a NaN becomes 0 as the descriptor's DX10_CLAMP says; then the write.
void Lowering::finishFloat(M value, unsigned width) {
  if (take("clamp")) {
    if (!object_.clampsNan)
      refuse("clamp keeps NaN in this kernel's mode, which is not modelled");
    kernel_.code.back().saturates = true;
  }
  if (modifier("op_sel") != nullptr && width != 16)
    refuse("op_sel on this width");
  setVector(0, value, width);
  if (width == 16)
    take("op_sel");
}

void Lowering::minMax(Op op, unsigned width) {
  operands(3);
  const M a = source(1, width, As::Float);
  const bool isSame = at_->modifiers.empty() && at(1).text == at(2).text;
  const M b = isSame ? a : source(2, width, As::Float);
  finishFloat(minMaxOf(op, width, a, b), width);
}

/// Whether the register holds no signalling NaN: a sum, a product, or the maximum of a value and
/// itself, which quiet one. Asked is the code before, as far back as nothing jumps in and EXEC
/// stays.
bool Lowering::isQuieted(M value) const {
  const auto writes = [](const verify::Instruction &i, RegisterId reg) {
    return std::find(i.dst.begin(), i.dst.end(), reg) != i.dst.end();
  };
  for (std::size_t k = kernel_.code.size(); k-- > lastEntry_;) {
    const verify::Instruction &i = kernel_.code[k];
    if (writes(i, value.reg)) {
      const bool isOne = i.src.size() == 2 && i.src[0].isRegister() && i.src[1].isRegister() &&
                         i.src[0].reg == i.src[1].reg;
      const bool quiets = i.op == Op::FAdd || i.op == Op::FSub || i.op == Op::FMul ||
                          i.op == Op::FFma || ((i.op == Op::FMax || i.op == Op::FMin) && isOne);
      return quiets && i.guard == guard_ && i.dst.size() == 1;
    }
    if (writes(i, on_))
      return false;
  }
  return false;
}

/// The machine's FMin and FMax drop every NaN; in IEEE mode a signalling one makes the result NaN.
Lowering::M Lowering::minMaxOf(Op op, unsigned width, M a, M b) {
  const bool isSame = a.reg == b.reg && a.bits == b.bits;
  if (!object_.ieee || isSame)
    return floating(op, width, {a, b});
  constexpr std::uint64_t kSignalling = 1;
  M signals = M::imm(0);
  for (const M value : {a, b}) {
    if (!value.isRegister() || isQuieted(value))
      continue;
    const M one = floating(Op::GcnClass, width, {value, M::imm(kSignalling)});
    signals = signals.isRegister() ? emit(Op::Or, 1, {signals, one}) : one;
  }
  const M larger = floating(op, width, {a, b});
  if (!signals.isRegister())
    return larger;
  return emit(Op::Select, width, {signals, M::imm(quietNan(width)), larger});
}

/// vdst, flag, the value to scale, denominator, numerator.
void Lowering::divScale(unsigned width) {
  operands(5);
  verify::Instruction i = make(Op::GcnDivScale, width);
  i.format = width == 64 ? dsl::DType::F64 : dsl::DType::F32;
  for (std::size_t k = 2; k < 5; ++k)
    i.src.push_back(source(k, width, As::Float));
  i.dst = {temporary(width), temporary(1)};
  const verify::Instruction &pushed = push(std::move(i));
  const M scaled = M::of(pushed.dst[0]), flag = M::of(pushed.dst[1]);
  setVector(0, scaled, width);
  setMask(at(1), flag);
}

} // namespace ordo::verify::gcn
