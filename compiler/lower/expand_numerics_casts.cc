// Conversions between number types, each rounded once. Three constructions carry them:
//   - bf16 is the upper half of an f32, so widening is a shift and narrowing is integer arithmetic;
//   - a value rounded to odd with two bits to spare rounds on as the exact one would;
//   - rounding toward zero is rounding to nearest, one step back where that went too far.
#include "compiler/lower/expand_numerics_builder.h"

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

// Saturates; takes a NaN to 0.
Value NumericsBuilder::floatToInteger(Value value, Type type, bool isUnsigned) {
  if (type.getIntOrFloatBitWidth() < 32)
    return refuse("a float to an integer of fewer than 32 bits");
  return intrinsic(isUnsigned ? "llvm.fptoui.sat" : "llvm.fptosi.sat", type, widen(value));
}

Value NumericsBuilder::integerToFloat(Value value, Type type, RoundingKind rounding,
                                      bool isUnsigned) {
  if (value.getType().isIndex())
    value = make<arith::IndexCastOp>(integerType(64), value);
  if (value.getType().isInteger(1)) { // 0 or 1: exact in every type
    const Value wide = make<arith::UIToFPOp>(isHalfWidth(type) ? f32() : type, value);
    return narrowExact(wide, type);
  }
  if (isHalfWidth(type))
    return integerToHalf(value, type, rounding, isUnsigned);
  const unsigned bits = value.getType().getIntOrFloatBitWidth();
  const bool exact = type.isF64() && bits <= 32;
  if (rounding == RoundingKind::TowardZero && !exact)
    return refuse("an integer to f32 or f64 toward zero");
  return isUnsigned ? make<arith::UIToFPOp>(type, value) : make<arith::SIToFPOp>(type, value);
}

// The magnitude is cut to at most 24 bits, the bits cut off or-ed into its last: at least 17 are
// kept, enough to round on to 11 or 8. It is then exact in f32, as is its scaling by a power of
// two.
Value NumericsBuilder::integerToHalf(Value value, Type type, RoundingKind rounding,
                                     bool isUnsigned) {
  const Type word = value.getType();
  const Value zero = integer(word, 0);
  Value isNegative, magnitude = value;
  if (!isUnsigned) {
    isNegative = compare(CmpIPredicate::slt, value, zero);
    magnitude = select(isNegative, make<arith::SubIOp>(zero, value), value);
  }
  Value scale = make<arith::ConstantOp>(b_.getF32FloatAttr(1.0f));
  auto cut = [&](unsigned limit, unsigned by) {
    const Value tooLong = compare(CmpIPredicate::uge, magnitude, integer(word, 1ull << limit));
    const Value lost = make<arith::AndIOp>(magnitude, integer(word, (1ull << by) - 1));
    const Value sticky = make<arith::ExtUIOp>(word, compare(CmpIPredicate::ne, lost, zero));
    const Value kept = make<arith::ShRUIOp>(magnitude, integer(word, by));
    magnitude = select(tooLong, make<arith::OrIOp>(kept, sticky), magnitude);
    const Value factor = make<arith::ConstantOp>(b_.getF32FloatAttr(float(1u << by)));
    scale = select(tooLong, make<arith::MulFOp>(scale, factor), scale);
  };
  if (word.getIntOrFloatBitWidth() == 64) {
    cut(40, 24);
    cut(32, 16);
  }
  cut(24, 8);
  Value single = make<arith::UIToFPOp>(f32(), magnitude);
  single = make<arith::MulFOp>(single, scale);
  if (isNegative)
    single = select(isNegative, make<arith::NegFOp>(single), single);
  return floatToFloat(single, type, rounding);
}

Value NumericsBuilder::cast(CastOp op) {
  const Value value = op.getValue();
  const Type from = value.getType(), to = op.getType();
  for (const Type type : {from, to})
    if (isa<FloatType>(type) && !isHalfWidth(type) && !type.isF32() && !type.isF64())
      return refuse("a cast from or to " + (type.isTF32() ? Twine("tf32") : Twine("f8")));
  if (isa<FloatType>(from))
    return isa<FloatType>(to) ? floatToFloat(value, to, op.getRounding())
                              : floatToInteger(value, to, op.getUnsignedResult());
  if (isa<FloatType>(to))
    return integerToFloat(value, to, op.getRounding(), op.getUnsignedSource());
  return refuse("a cast between integers");
}

} // namespace ordo::compiler
