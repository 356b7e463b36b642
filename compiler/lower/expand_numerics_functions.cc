// Square root, extrema and the rest: each exact or rounded once, none a library call.
#include "compiler/lower/expand_numerics_builder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace ordo::compiler {

Value NumericsBuilder::refuse(const Twine &why) {
  op_->emitOpError() << "is not lowered yet for " << target_.name << ": " << why;
  return {};
}

Value NumericsBuilder::integer(Type type, std::uint64_t value) {
  const APInt bits = APInt(64, value).zextOrTrunc(cast<IntegerType>(type).getWidth());
  return make<arith::ConstantOp>(b_.getIntegerAttr(type, bits));
}

Value NumericsBuilder::bitcast(Value value, Type type) {
  return value.getType() == type ? value : make<arith::BitcastOp>(type, value);
}

Value NumericsBuilder::raw(Value value) {
  return bitcast(value, integerType(value.getType().getIntOrFloatBitWidth()));
}

Value NumericsBuilder::intrinsic(StringRef name, Type result, ValueRange operands) {
  return b_
      .create<LLVM::CallIntrinsicOp>(
          loc_, TypeRange(result), b_.getStringAttr(name), operands,
          LLVM::FastmathFlagsAttr::get(b_.getContext(), LLVM::FastmathFlags::none))
      .getResult(0);
}

Value NumericsBuilder::select(Value condition, Value yes, Value no) {
  return make<arith::SelectOp>(condition, yes, no);
}

Value NumericsBuilder::compare(CmpFPredicate p, Value a, Value b) {
  return make<arith::CmpFOp>(p, a, b);
}

Value NumericsBuilder::compare(CmpIPredicate p, Value a, Value b) {
  return make<arith::CmpIOp>(p, a, b);
}

Value NumericsBuilder::sqrt(Value value) {
  const Type type = value.getType();
  const Value wide = widen(value);
  // Upstream's conversions make a library call of the operation llvm.intr.sqrt; a call by name
  // stays.
  return narrow(intrinsic("llvm.sqrt", wide.getType(), wide), type);
}

Value NumericsBuilder::abs(Value value) {
  const Type type = value.getType();
  if (!isHalfWidth(type))
    return intrinsic("llvm.fabs", type, value);
  const Value bits = raw(value);
  return bitcast(make<arith::AndIOp>(bits, integer(bits.getType(), 0x7fff)), type);
}

Value NumericsBuilder::negate(Value value) {
  const Value bits = raw(value);
  return bitcast(make<arith::XOrIOp>(bits, integer(bits.getType(), 0x8000)), value.getType());
}

Value NumericsBuilder::floor(Value value) {
  const Type type = value.getType();
  const Value wide = widen(value);
  return narrowExact(intrinsic("llvm.floor", wide.getType(), wide), type);
}

// On bf16 and f16 the product is exact in f64, and so is the error of the sum (two-sum, Knuth). The
// sum is then rounded to odd: where it is inexact and even, the neighbour towards the error is odd.
// A value rounded to odd with two bits to spare rounds on as the exact one would (Boldo and
// Melquiond, 2008).
Value NumericsBuilder::fma(Value a, Value b, Value c) {
  const Type type = a.getType();
  if (!isHalfWidth(type))
    return intrinsic("llvm.fma", type, {a, b, c});
  auto exact = [&](Value v) { return make<arith::ExtFOp>(f64(), widen(v)); };
  const Value p = make<arith::MulFOp>(exact(a), exact(b)), q = exact(c);
  const Value sum = make<arith::AddFOp>(p, q);
  const Value q1 = make<arith::SubFOp>(sum, p);
  const Value p1 = make<arith::SubFOp>(sum, q1);
  const Value error = make<arith::AddFOp>(make<arith::SubFOp>(p, p1), make<arith::SubFOp>(q, q1));

  const Type i64 = integerType(64);
  const Value zero = make<arith::ConstantOp>(b_.getF64FloatAttr(0.0)), one = integer(i64, 1);
  const Value bits = raw(sum), nothing = integer(i64, 0);
  // Ordered: an infinite or NaN sum has a NaN for its error, and stays.
  const Value inexact = compare(CmpFPredicate::ONE, error, zero);
  const Value isEven = compare(CmpIPredicate::eq, make<arith::AndIOp>(bits, one), nothing);
  const Value signs = make<arith::XOrIOp>(bits, raw(error));
  const Value outward = compare(CmpIPredicate::sge, signs, nothing);
  const Value odd = select(outward, make<arith::AddIOp>(bits, one), make<arith::SubIOp>(bits, one));
  const Value adjusted = select(make<arith::AndIOp>(inexact, isEven), odd, bits);
  return narrowDouble(bitcast(adjusted, f64()), type);
}

// PTX's max.f32 and max.f64 drop a NaN and order the zeros; max.NaN.f32 keeps it (PTX ISA, max).
// AMD's v_max_f32 and v_max_f64 drop a NaN, a signalling one where the mode's IEEE bit is off, as
// it is here, and order the zeros (the ISA manuals' pseudocode). As inline assembly, since
// InstCombine turns the intrinsics into llvm.maxnum, which does neither reliably.
Value NumericsBuilder::instruction(bool max, bool keepNan, Value a, Value b) {
  const Type type = a.getType();
  const bool isDouble = type.isF64(), isCuda = target_.kind == Target::Kind::Cuda;
  const std::string name = std::string(max ? "max" : "min"), width = isDouble ? "f64" : "f32";
  const std::string code = isCuda ? name + (keepNan ? ".NaN." : ".") + width + " $0, $1, $2;"
                                  : "v_" + name + "_" + width + " $0, $1, $2";
  const char *registers = !isCuda ? "=v,v,v" : isDouble ? "=d,d,d" : "=f,f,f";
  return b_
      .create<LLVM::InlineAsmOp>(loc_, TypeRange(type), ValueRange({a, b}), code, registers,
                                 /*has_side_effects=*/false, /*is_align_stack=*/false,
                                 LLVM::AsmDialectAttr(), ArrayAttr())
      .getResult(0);
}

bool NumericsBuilder::hasInstruction(bool keepNan, Type type) const {
  return target_.kind == Target::Kind::Rocm
             ? !keepNan
             : target_.kind == Target::Kind::Cuda && !(type.isF64() && keepNan);
}

// Elsewhere by comparisons: equal values differ at most in a zero's sign, which an and (max) or an
// or (min) of their bits orders; with a NaN every comparison fails and leaves b, which one select
// corrects. LLVM's own llvm.maximum loses the NaN in vectors of f16 on x86 (LLVM 19).
Value NumericsBuilder::extremum(bool max, bool keepNan, Value a, Value b) {
  const Type type = a.getType();
  const Value x = widen(a), y = widen(b);
  if (hasInstruction(keepNan, x.getType()))
    return narrowExact(instruction(max, keepNan, x, y), type);
  const Value further = compare(max ? CmpFPredicate::OGT : CmpFPredicate::OLT, x, y);
  const Value bits = max ? make<arith::AndIOp>(raw(x), raw(y)) : make<arith::OrIOp>(raw(x), raw(y));
  const Value equal = compare(CmpFPredicate::OEQ, x, y);
  Value r = select(equal, bitcast(bits, x.getType()), select(further, x, y));
  r = select(isNan(keepNan ? x : y), x, r);
  return narrowExact(r, type);
}

Value NumericsBuilder::bits(Value value, Type type, bool isNumber) {
  const Type from = value.getType();
  const std::uint64_t nan = from.isBF16()  ? 0x7fc0
                            : from.isF16() ? 0x7e00
                            : from.isF32() ? 0x7fc00000
                                           : 0x7ff8000000000000;
  const Value word = raw(value);
  const Value canonical =
      isNumber ? word : select(isNan(widen(value)), integer(word.getType(), nan), word);
  return word.getType() == type ? canonical : make<arith::ExtUIOp>(type, canonical);
}

Value NumericsBuilder::ofBits(Value value, Type type) {
  const Type word = integerType(type.getIntOrFloatBitWidth());
  const unsigned from = value.getType().getIntOrFloatBitWidth(), to = word.getIntOrFloatBitWidth();
  if (from > to)
    value = make<arith::TruncIOp>(word, value);
  else if (from < to)
    value = make<arith::ExtUIOp>(word, value);
  return bitcast(value, type);
}

} // namespace ordo::compiler
