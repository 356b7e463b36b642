// Conversions of the vector unit.
#include "compiler/verify/gcn/lowering.h"

namespace ordo::verify::gcn {
namespace {

enum class Kind : std::uint8_t { FloatToFloat, ToUnsigned, ToSigned, FromUnsigned, FromSigned };

struct Conversion {
  Kind kind;
  unsigned from, to;
  Round rounding = Round::NearestEven;
};

const std::map<std::string, Conversion, std::less<>> &conversions() {
  using enum Kind;
  constexpr Round kTruncate = Round::TowardZero;
  static const std::map<std::string, Conversion, std::less<>> kConversions = {
      {"v_cvt_f32_f16", {FloatToFloat, 16, 32}},
      {"v_cvt_f16_f32", {FloatToFloat, 32, 16}},
      {"v_cvt_f64_f32", {FloatToFloat, 32, 64}},
      {"v_cvt_f32_f64", {FloatToFloat, 64, 32}},
      {"v_cvt_f32_i32", {FromSigned, 32, 32}},
      {"v_cvt_f32_u32", {FromUnsigned, 32, 32}},
      {"v_cvt_f64_i32", {FromSigned, 32, 64}},
      {"v_cvt_f64_u32", {FromUnsigned, 32, 64}},
      {"v_cvt_f16_i16", {FromSigned, 16, 16}},
      {"v_cvt_f16_u16", {FromUnsigned, 16, 16}},
      {"v_cvt_i32_f32", {ToSigned, 32, 32, kTruncate}},
      {"v_cvt_u32_f32", {ToUnsigned, 32, 32, kTruncate}},
      {"v_cvt_i32_f64", {ToSigned, 64, 32, kTruncate}},
      {"v_cvt_u32_f64", {ToUnsigned, 64, 32, kTruncate}},
      {"v_cvt_i16_f16", {ToSigned, 16, 16, kTruncate}},
      {"v_cvt_u16_f16", {ToUnsigned, 16, 16, kTruncate}},
      {"v_cvt_flr_i32_f32", {ToSigned, 32, 32, Round::Down}},
      {"v_cvt_floor_i32_f32", {ToSigned, 32, 32, Round::Down}},
  };
  return kConversions;
}

dsl::DType floatOf(unsigned width) {
  return width == 64 ? dsl::DType::F64 : width == 32 ? dsl::DType::F32 : dsl::DType::F16;
}

} // namespace

bool Lowering::conversion(const std::string &op) {
  if (op == "v_cvt_f32_ubyte0" || op == "v_cvt_f32_ubyte1" || op == "v_cvt_f32_ubyte2" ||
      op == "v_cvt_f32_ubyte3") {
    operands(2);
    const unsigned byte = static_cast<unsigned>(op.back() - '0');
    const M value = zeroExtend(extract(source(1, 32, As::Bits), 8, 8 * byte, 32), 8, 32);
    finishFloat(floating(Op::UToF, 32, {value}), 32);
    return true;
  }
  if (op.starts_with("v_frexp_exp_i32_f") || op == "v_frexp_exp_i16_f16") {
    operands(2);
    const unsigned from = op.ends_with("f64") ? 64 : op.ends_with("f32") ? 32 : 16;
    const unsigned to = from == 16 ? 16 : 32;
    const M result = emit(Op::GcnFrexpExp, to, {source(1, from, As::Float)});
    kernel_.code.back().format = floatOf(from);
    setVector(0, result, to);
    return true;
  }
  const auto it = conversions().find(op);
  if (it == conversions().end())
    return false;
  operands(2);
  const auto [kind, from, to, rounding] = it->second;
  const bool readsFloat =
      kind == Kind::FloatToFloat || kind == Kind::ToSigned || kind == Kind::ToUnsigned;
  const M value = source(1, from, readsFloat ? As::Float : As::Bits);
  M result{};
  switch (kind) {
  case Kind::FloatToFloat:
    result = floating(Op::FConvert, to, {value});
    kernel_.code.back().from = floatOf(from);
    return finishFloat(result, to), true;
  case Kind::FromSigned:
  case Kind::FromUnsigned: {
    // `width` is the integer's; the result has the float's.
    verify::Instruction i = make(kind == Kind::FromSigned ? Op::SToF : Op::UToF, from);
    i.format = floatOf(to);
    i.dst = {temporary(to)};
    i.src = {value};
    return finishFloat(M::of(push(std::move(i)).dst.front()), to), true;
  }
  case Kind::ToSigned:
  case Kind::ToUnsigned: {
    verify::Instruction i = make(kind == Kind::ToSigned ? Op::FToS : Op::FToU, to);
    i.format = floatOf(from);
    i.from = floatOf(from);
    i.rounding = rounding;
    i.dst = {temporary(to)};
    i.src = {value};
    setVector(0, M::of(push(std::move(i)).dst.front()), to);
    return true;
  }
  }
  return true;
}

} // namespace ordo::verify::gcn
