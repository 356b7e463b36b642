// Builds exact arithmetic out of what a target rounds correctly. Private to expand-numerics.
#pragma once

#include "compiler/dialect/Ordo.h"
#include "compiler/target/target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace ordo::compiler {

/// Emits scalar operations at one place of the code, for one target. Functions that return a null
/// Value have reported an error at that place.
class NumericsBuilder {
public:
  NumericsBuilder(mlir::Operation *before, const Target &target)
      : target_(target), b_(before), loc_(before->getLoc()), op_(before) {}

  // Conversions (expand_numerics_casts.cc).
  /// A cast's result: rounded once.
  mlir::Value cast(CastOp op);
  /// A bf16 or f16 as f32; exact. f32 and f64 pass.
  mlir::Value widen(mlir::Value value);
  /// An f32 rounded to `type`, bf16 or f16, to nearest even. f32 and f64 pass.
  mlir::Value narrow(mlir::Value value, mlir::Type type);
  /// The same for a value that `type` holds exactly, or a NaN.
  mlir::Value narrowExact(mlir::Value value, mlir::Type type);
  /// An f64 rounded to bf16 or f16.
  mlir::Value narrowDouble(mlir::Value value, mlir::Type type);

  // Functions (expand_numerics_functions.cc).
  mlir::Value sqrt(mlir::Value value);
  mlir::Value abs(mlir::Value value);
  mlir::Value negate(mlir::Value value);
  mlir::Value floor(mlir::Value value);
  mlir::Value fma(mlir::Value a, mlir::Value b, mlir::Value c);
  /// max or min; keeps a NaN or drops it. -0 is below +0.
  mlir::Value extremum(bool max, bool keepNan, mlir::Value a, mlir::Value b);
  /// `isNumber`: the value is known to be no NaN.
  mlir::Value bits(mlir::Value value, mlir::Type type, bool isNumber);
  mlir::Value ofBits(mlir::Value value, mlir::Type type);

  // Vocabulary.
  template <class Op, class... Args> mlir::Value make(Args &&...args) {
    return b_.create<Op>(loc_, std::forward<Args>(args)...);
  }
  mlir::Value integer(mlir::Type type, std::uint64_t value);
  mlir::Value bitcast(mlir::Value value, mlir::Type type);
  /// The bits of a float as an integer of its width.
  mlir::Value raw(mlir::Value value);
  mlir::Value intrinsic(llvm::StringRef name, mlir::Type result, mlir::ValueRange operands);
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no);
  mlir::Value compare(mlir::arith::CmpFPredicate p, mlir::Value a, mlir::Value b);
  mlir::Value compare(mlir::arith::CmpIPredicate p, mlir::Value a, mlir::Value b);
  mlir::Value isNan(mlir::Value value) {
    return compare(mlir::arith::CmpFPredicate::UNO, value, value);
  }
  mlir::Value refuse(const llvm::Twine &why);

  mlir::Type f32() { return b_.getF32Type(); }
  mlir::Type f64() { return b_.getF64Type(); }
  mlir::Type integerType(unsigned width) { return b_.getIntegerType(width); }
  const Target &target() const { return target_; }
  mlir::OpBuilder &builder() { return b_; }
  mlir::Location loc() const { return loc_; }

private:
  mlir::Value instruction(bool max, bool keepNan, mlir::Value a, mlir::Value b);
  bool hasInstruction(bool keepNan, mlir::Type type) const;
  mlir::Value toOdd(mlir::Value value);
  mlir::Value towardZero(mlir::Value value, mlir::Type type);
  mlir::Value floatToFloat(mlir::Value value, mlir::Type type, RoundingKind rounding);
  mlir::Value floatToInteger(mlir::Value value, mlir::Type type, RoundingKind rounding,
                             bool isUnsigned);
  mlir::Value integerToFloat(mlir::Value value, mlir::Type type, RoundingKind rounding,
                             bool isUnsigned);
  mlir::Value cutMagnitude(mlir::Value magnitude, unsigned bits, bool odd);

  const Target &target_;
  mlir::OpBuilder b_;
  mlir::Location loc_;
  mlir::Operation *op_;
};

inline bool isHalfWidth(mlir::Type type) { return type.isBF16() || type.isF16(); }

/// Loads and stores of whole vectors of bf16: pairs of rounded values packed in one instruction,
/// and elements taken apart by words (expand_numerics_vectors.cc). Runs before the scalar
/// expansion.
void packVectors(mlir::Operation *root, const Target &target);

} // namespace ordo::compiler
