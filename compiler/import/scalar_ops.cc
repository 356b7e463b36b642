#include "compiler/import/scalar_ops.h"

#include "compiler/dialect/Ordo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using ordo::dsl::DType;
using Code = ordo::dsl::Op;

namespace ordo::compiler {

Type scalarType(MLIRContext &context, DType type) {
  Builder b(&context);
  switch (type) {
  case DType::F64:
    return b.getF64Type();
  case DType::F32:
    return b.getF32Type();
  case DType::F16:
    return b.getF16Type();
  case DType::BF16:
    return b.getBF16Type();
  case DType::I32:
  case DType::U32:
    return b.getI32Type();
  case DType::I64:
  case DType::U64:
    return b.getI64Type();
  case DType::Bool:
    return b.getI1Type();
  case DType::Index:
    return b.getIndexType();
  default:
    return {};
  }
}

Value emitConstant(OpBuilder &b, Location loc, DType type, std::uint64_t bits) {
  const Type t = scalarType(*b.getContext(), type);
  if (auto f = dyn_cast<FloatType>(t)) {
    const APFloat value(f.getFloatSemantics(), APInt(f.getWidth(), bits));
    return b.create<arith::ConstantOp>(loc, b.getFloatAttr(f, value));
  }
  if (t.isIndex())
    return b.create<arith::ConstantIndexOp>(loc, static_cast<std::int64_t>(bits));
  const auto width = cast<IntegerType>(t).getWidth();
  const APInt value = APInt(64, bits).zextOrTrunc(width);
  return b.create<arith::ConstantOp>(loc, b.getIntegerAttr(t, value));
}

namespace {

class Emitter {
public:
  Emitter(OpBuilder &b, Location loc, const dsl::Expr &expr, DType from, ValueRange in)
      : b_(b), loc_(loc), expr_(expr), from_(from), in_(in) {}

  Value emit() {
    switch (expr_.op) {
    case Code::Eq:
    case Code::Ne:
    case Code::Lt:
    case Code::Le:
    case Code::Gt:
    case Code::Ge:
      return compare();
    case Code::Select:
      return make<arith::SelectOp>(in_[0], in_[1], in_[2]);
    case Code::Cast:
      return cast();
    case Code::Bits:
      return b_.create<BitsOp>(loc_, resultType(), in_[0]);
    case Code::OfBits:
      return b_.create<OfBitsOp>(loc_, resultType(), in_[0]);
    default:
      return dsl::isFloat(expr_.type) ? onFloats() : onIntegers();
    }
  }

private:
  template <class O, class... Args> Value make(Args... args) { return b_.create<O>(loc_, args...); }
  Type resultType() { return scalarType(*b_.getContext(), expr_.type); }
  bool isSigned() const { return dsl::isSigned(expr_.type) || expr_.type == DType::Index; }

  Value onFloats() {
    switch (expr_.op) {
    case Code::Neg:
      return make<arith::NegFOp>(in_[0]);
    case Code::Abs:
      return make<AbsOp>(in_[0]);
    case Code::Sqrt:
      return make<SqrtOp>(in_[0]);
    case Code::Floor:
      return make<FloorOp>(in_[0]);
    case Code::Add:
      return make<arith::AddFOp>(in_[0], in_[1]);
    case Code::Sub:
      return make<arith::SubFOp>(in_[0], in_[1]);
    case Code::Mul:
      return make<arith::MulFOp>(in_[0], in_[1]);
    case Code::Div:
      return make<arith::DivFOp>(in_[0], in_[1]);
    case Code::Fma:
      return make<FmaOp>(in_[0], in_[1], in_[2]);
    case Code::Min:
      return make<MinOp>(in_[0], in_[1]);
    case Code::Max:
      return make<MaxOp>(in_[0], in_[1]);
    case Code::MinNan:
      return make<MinNanOp>(in_[0], in_[1]);
    case Code::MaxNan:
      return make<MaxNanOp>(in_[0], in_[1]);
    default:
      return {};
    }
  }

  Value onIntegers() {
    switch (expr_.op) {
    case Code::Neg:
      return make<arith::SubIOp>(zero(), in_[0]);
    case Code::Add:
      return make<arith::AddIOp>(in_[0], in_[1]);
    case Code::Sub:
      return make<arith::SubIOp>(in_[0], in_[1]);
    case Code::Mul:
      return make<arith::MulIOp>(in_[0], in_[1]);
    case Code::Div:
      return isSigned() ? make<arith::FloorDivSIOp>(in_[0], in_[1])
                        : make<arith::DivUIOp>(in_[0], in_[1]);
    case Code::Rem:
      return floorRemainder();
    case Code::MulHi:
      return mulHi();
    case Code::Min:
    case Code::MinNan:
      return isSigned() ? make<arith::MinSIOp>(in_[0], in_[1])
                        : make<arith::MinUIOp>(in_[0], in_[1]);
    case Code::Max:
    case Code::MaxNan:
      return isSigned() ? make<arith::MaxSIOp>(in_[0], in_[1])
                        : make<arith::MaxUIOp>(in_[0], in_[1]);
    case Code::Abs:
      return isSigned() ? make<arith::MaxSIOp>(in_[0], make<arith::SubIOp>(zero(), in_[0]))
                        : in_[0];
    case Code::And:
      return make<arith::AndIOp>(in_[0], in_[1]);
    case Code::Or:
      return make<arith::OrIOp>(in_[0], in_[1]);
    case Code::Xor:
      return make<arith::XOrIOp>(in_[0], in_[1]);
    case Code::Not:
      return make<arith::XOrIOp>(in_[0], emitConstant(b_, loc_, expr_.type, ~0ull));
    case Code::Shl:
      return make<arith::ShLIOp>(in_[0], amount());
    case Code::Shr:
      return isSigned() ? make<arith::ShRSIOp>(in_[0], amount())
                        : make<arith::ShRUIOp>(in_[0], amount());
    default:
      return {};
    }
  }

  Value zero() { return emitConstant(b_, loc_, expr_.type, 0); }

  // A shift's amount is taken modulo the width; LLVM calls an oversize shift poison.
  Value amount() {
    const std::uint64_t mask = dsl::bitWidth(expr_.type) - 1;
    return make<arith::AndIOp>(in_[1], emitConstant(b_, loc_, expr_.type, mask));
  }

  // The remainder takes the divisor's sign: a - floor(a / b) * b.
  Value floorRemainder() {
    if (!isSigned())
      return make<arith::RemUIOp>(in_[0], in_[1]);
    const Value quotient = make<arith::FloorDivSIOp>(in_[0], in_[1]);
    return make<arith::SubIOp>(in_[0], make<arith::MulIOp>(quotient, in_[1]));
  }

  Value mulHi() {
    if (expr_.type == DType::Index)
      return {};
    return isSigned() ? b_.create<arith::MulSIExtendedOp>(loc_, in_[0], in_[1]).getHigh()
                      : b_.create<arith::MulUIExtendedOp>(loc_, in_[0], in_[1]).getHigh();
  }

  // Comparisons with NaN are false, except !=.
  Value compare() {
    if (dsl::isFloat(from_)) {
      using P = arith::CmpFPredicate;
      const P p = pick(P::OEQ, P::UNE, P::OLT, P::OLE, P::OGT, P::OGE);
      return make<arith::CmpFOp>(p, in_[0], in_[1]);
    }
    using P = arith::CmpIPredicate;
    const bool isSigned = dsl::isSigned(from_) || from_ == DType::Index;
    const P p = isSigned ? pick(P::eq, P::ne, P::slt, P::sle, P::sgt, P::sge)
                         : pick(P::eq, P::ne, P::ult, P::ule, P::ugt, P::uge);
    return make<arith::CmpIOp>(p, in_[0], in_[1]);
  }

  template <class P> P pick(P eq, P ne, P lt, P le, P gt, P ge) const {
    switch (expr_.op) {
    case Code::Eq:
      return eq;
    case Code::Ne:
      return ne;
    case Code::Lt:
      return lt;
    case Code::Le:
      return le;
    case Code::Gt:
      return gt;
    default:
      return ge;
    }
  }

  Value cast() {
    if (expr_.payload == static_cast<std::uint64_t>(dsl::Rounding::Saturate))
      return {};
    if (expr_.payload == static_cast<std::uint64_t>(dsl::Rounding::Tf32))
      return tf32();
    if (from_ == expr_.type)
      return in_[0];
    if (dsl::isFloat(from_) || dsl::isFloat(expr_.type)) {
      const auto rounding = expr_.payload == static_cast<std::uint64_t>(dsl::Rounding::TowardZero)
                                ? RoundingKind::TowardZero
                                : RoundingKind::NearestEven;
      const bool fromUnsigned =
          !dsl::isFloat(from_) && from_ != DType::Index && !dsl::isSigned(from_);
      const bool toUnsigned = dsl::isInteger(expr_.type) && !dsl::isSigned(expr_.type);
      return b_.create<CastOp>(loc_, resultType(), in_[0], rounding, fromUnsigned, toUnsigned);
    }
    return integerCast();
  }

  // The last 13 bits rounded away, in integers. BitsOp makes a NaN the one whose bits stay.
  Value tf32() {
    const auto word = [&](std::uint32_t bits) { return emitConstant(b_, loc_, DType::U32, bits); };
    const Value bits = b_.create<BitsOp>(loc_, b_.getI32Type(), in_[0]);
    const Value last = make<arith::AndIOp>(Value(make<arith::ShRUIOp>(bits, word(13))), word(1));
    const Value sum = make<arith::AddIOp>(Value(make<arith::AddIOp>(bits, word(0xfff))), last);
    const Value rounded = make<arith::AndIOp>(sum, word(~0x1fffu));
    return b_.create<OfBitsOp>(loc_, resultType(), rounded);
  }

  // Integers wrap: truncate, or extend by the source's sign.
  Value integerCast() {
    const Type to = resultType();
    if (from_ == DType::Index || expr_.type == DType::Index)
      return from_ == DType::U32 ? make<arith::IndexCastUIOp>(to, in_[0])
                                 : make<arith::IndexCastOp>(to, in_[0]);
    const int before = dsl::bitWidth(from_), after = dsl::bitWidth(expr_.type);
    if (expr_.type == DType::Bool)
      return make<arith::CmpIOp>(arith::CmpIPredicate::ne, in_[0],
                                 emitConstant(b_, loc_, from_, 0));
    if (before == after)
      return in_[0];
    if (before > after)
      return make<arith::TruncIOp>(to, in_[0]);
    return dsl::isSigned(from_) ? make<arith::ExtSIOp>(to, in_[0])
                                : make<arith::ExtUIOp>(to, in_[0]);
  }

  OpBuilder &b_;
  Location loc_;
  const dsl::Expr &expr_;
  DType from_;
  ValueRange in_;
};

} // namespace

Value emitScalarOp(OpBuilder &builder, Location loc, const dsl::Expr &expr, DType operandType,
                   ValueRange operands) {
  return Emitter(builder, loc, expr, operandType, operands).emit();
}

} // namespace ordo::compiler
