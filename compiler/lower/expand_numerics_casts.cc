// Conversions between number types, each rounded once. Three constructions carry them:
//   - bf16 is the upper half of an f32, so widening is a shift and narrowing is integer arithmetic;
//   - a value rounded to odd with two bits to spare rounds on as the exact one would;
//   - rounding toward zero is rounding to nearest, one step back where that went too far.
#include "compiler/lower/expand_numerics_builder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace ordo::compiler {

Value NumericsBuilder::widen(Value value) {
  if (value.getType().isF16())
    return make<arith::ExtFOp>(f32(), value);
  if (!value.getType().isBF16())
    return value;
  const Type i32 = integerType(32);
  const Value word = make<arith::ExtUIOp>(i32, raw(value));
  return bitcast(make<arith::ShLIOp>(word, integer(i32, 16)), f32());
}

Value NumericsBuilder::narrowExact(Value value, Type type) {
  if (type.isF16())
    return make<arith::TruncFOp>(type, value);
  if (!type.isBF16())
    return value;
  const Value upper = make<arith::ShRUIOp>(raw(value), integer(integerType(32), 16));
  const Value bits = make<arith::TruncIOp>(integerType(16), upper);
  // A NaN may keep its payload in the half that goes.
  return bitcast(select(isNan(value), integer(integerType(16), 0x7fc0), bits), type);
}

Value NumericsBuilder::narrow(Value value, Type type) {
  if (type.isF16()) {
    // Without the fence InstCombine narrows a division of widened values to f16, which gfx942
    // misrounds.
    if (target_.kind == Target::Kind::Rocm)
      value = intrinsic("llvm.arithmetic.fence", f32(), value);
    return make<arith::TruncFOp>(type, value);
  }
  if (!type.isBF16())
    return value;
  if (target_.kind == Target::Kind::Cuda)
    return make<arith::TruncFOp>(type, value);
  // Adds just less than half of the last place kept, or just half if that place is odd. No overflow
  // but into infinity, as it should be.
  const Type i32 = integerType(32), i16 = integerType(16);
  const Value word = raw(value), sixteen = integer(i32, 16);
  const Value last = make<arith::AndIOp>(make<arith::ShRUIOp>(word, sixteen), integer(i32, 1));
  const Value half = make<arith::AddIOp>(last, integer(i32, 0x7fff));
  const Value rounded = make<arith::ShRUIOp>(make<arith::AddIOp>(word, half), sixteen);
  const Value bits = make<arith::TruncIOp>(i16, rounded);
  return bitcast(select(isNan(value), integer(i16, 0x7fc0), bits), type);
}

// An f64 to f32, rounded to odd: of the two neighbours of an inexact value, the one with an odd
// last bit.
Value NumericsBuilder::toOdd(Value value) {
  const Type i32 = integerType(32);
  const Value nearest = make<arith::TruncFOp>(f32(), value);
  const Value back = make<arith::ExtFOp>(f64(), nearest);
  const Value bits = raw(nearest), one = integer(i32, 1);
  const Value tooFar = compare(CmpFPredicate::OGT, abs(back), abs(value));
  const Value truncated = select(tooFar, make<arith::SubIOp>(bits, one), bits);
  const Value odd = make<arith::OrIOp>(truncated, one);
  const Value inexact = compare(CmpFPredicate::ONE, back, value);
  return bitcast(select(inexact, odd, bits), f32());
}

Value NumericsBuilder::narrowDouble(Value value, Type type) { return narrow(toOdd(value), type); }

Value NumericsBuilder::towardZero(Value value, Type type) {
  if (type.isBF16()) {
    const Value single = value.getType().isF64() ? towardZero(value, f32()) : value;
    return narrowExact(single, type); // dropping bits rounds toward zero
  }
  const Value nearest = value.getType().isF64() && type.isF16()
                            ? narrowDouble(value, type)
                            : Value(make<arith::TruncFOp>(type, value));
  const Value back = make<arith::ExtFOp>(value.getType(), nearest);
  const Value bits = raw(nearest);
  // The step back from infinity is the largest finite value.
  const Value less = make<arith::SubIOp>(bits, integer(bits.getType(), 1));
  const Value tooFar = compare(CmpFPredicate::OGT, abs(back), abs(value));
  return bitcast(select(tooFar, less, bits), type);
}

Value NumericsBuilder::floatToFloat(Value value, Type type, RoundingKind rounding) {
  const Type from = value.getType();
  if (from == type)
    return value;
  const Value wide = widen(value);
  const unsigned before = wide.getType().getIntOrFloatBitWidth(),
                 after = type.getIntOrFloatBitWidth();
  if (after >= before)
    return after == before ? wide : make<arith::ExtFOp>(type, wide);
  if (rounding == RoundingKind::TowardZero)
    return towardZero(wide, type);
  if (before == 32)
    return narrow(wide, type);
  return after == 32 ? make<arith::TruncFOp>(type, wide) : narrowDouble(wide, type);
}

// Rounds, saturates, takes a NaN to 0. A bool is whether the value is not zero, which a NaN is not.
Value NumericsBuilder::floatToInteger(Value value, Type type, RoundingKind rounding,
                                      bool isUnsigned) {
  Value wide = widen(value);
  if (type.isInteger(1)) {
    const Value zero = make<arith::ConstantOp>(b_.getFloatAttr(wide.getType(), 0.0));
    return compare(CmpFPredicate::UNE, wide, zero);
  }
  if (rounding == RoundingKind::NearestEven)
    wide = intrinsic("llvm.roundeven", wide.getType(), wide);
  return intrinsic(isUnsigned ? "llvm.fptoui.sat" : "llvm.fptosi.sat", type, wide);
}

// A magnitude cut to its leading `bits` bits: toward zero, or to odd, where what is cut off is
// or-ed into the last bit kept.
Value NumericsBuilder::cutMagnitude(Value magnitude, unsigned bits, bool odd) {
  const Type word = magnitude.getType();
  const unsigned width = word.getIntOrFloatBitWidth();
  if (width <= bits)
    return magnitude;
  const Value zero = integer(word, 0), one = integer(word, 1);
  const Value leading = make<LLVM::CountLeadingZerosOp>(word, magnitude, /*is_zero_poison=*/false);
  const Value excess =
      make<arith::MaxSIOp>(make<arith::SubIOp>(integer(word, width - bits), leading), zero);
  const Value mask = make<arith::ShLIOp>(integer(word, ~0ull), excess);
  const Value kept = make<arith::AndIOp>(magnitude, mask);
  if (!odd)
    return kept;
  const Value inexact = compare(CmpIPredicate::ne, kept, magnitude);
  const Value last = make<arith::ShLIOp>(one, excess);
  return select(inexact, make<arith::OrIOp>(kept, last), kept);
}

// Where the conversion cannot round as asked, the magnitude is cut to what the type holds (toward
// zero), or rounded to odd to the 24 bits of an f32, which then rounds on to bf16 or f16.
Value NumericsBuilder::integerToFloat(Value value, Type type, RoundingKind rounding,
                                      bool isUnsigned) {
  if (value.getType().isIndex())
    value = make<arith::IndexCastOp>(integerType(64), value);
  const Type wide = isHalfWidth(type) ? f32() : type;
  const Type word = value.getType();
  if (word.isInteger(1)) // 0 or 1: exact in every type
    return narrowExact(make<arith::UIToFPOp>(wide, value), type);
  if (rounding == RoundingKind::NearestEven && wide == type)
    return isUnsigned ? make<arith::UIToFPOp>(type, value) : make<arith::SIToFPOp>(type, value);

  Value isNegative, magnitude = value;
  if (!isUnsigned) {
    const Value zero = integer(word, 0);
    isNegative = compare(CmpIPredicate::slt, value, zero);
    magnitude = select(isNegative, make<arith::SubIOp>(zero, value), value);
  }
  const bool odd = rounding == RoundingKind::NearestEven;
  magnitude = cutMagnitude(magnitude, wide.isF64() ? 53 : 24, odd);
  Value exact = make<arith::UIToFPOp>(wide, magnitude);
  if (isNegative)
    exact = select(isNegative, make<arith::NegFOp>(exact), exact);
  return floatToFloat(exact, type, rounding);
}

Value NumericsBuilder::cast(CastOp op) {
  const Value value = op.getValue();
  const Type from = value.getType(), to = op.getType();
  for (const Type type : {from, to})
    if (isa<FloatType>(type) && !isHalfWidth(type) && !type.isF32() && !type.isF64())
      return refuse("a cast from or to " + (type.isTF32() ? Twine("tf32") : Twine("f8")));
  if (isa<FloatType>(from))
    return isa<FloatType>(to) ? floatToFloat(value, to, op.getRounding())
                              : floatToInteger(value, to, op.getRounding(), op.getUnsignedResult());
  if (isa<FloatType>(to))
    return integerToFloat(value, to, op.getRounding(), op.getUnsignedSource());
  return refuse("a cast between integers");
}

} // namespace ordo::compiler
