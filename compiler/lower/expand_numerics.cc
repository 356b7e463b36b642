// Expands numerics per target:
//   1. vectors of bf16 are packed and taken apart by words (GPU);
//   2. every ordo numeric, and every arith operation on bf16 or f16, becomes arithmetic that the
//   target
//      rounds once: sixteen-bit formats go through f32, which rounds + - * / and sqrt as if once,
//      since 24 >= 2 p + 2 bits (Figueroa, 1995);
//   3. signed floor division is made total: the quotient of the least integer and -1 wraps.
#include "compiler/lower/expand_numerics.h"

#include "compiler/lower/expand_numerics_builder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace ordo::compiler {

namespace {

template <class Op> Value through32(NumericsBuilder &n, Op op) {
  const Value r =
      n.make<Op>(n.widen(op.getLhs()), n.widen(op.getRhs()), arith::FastMathFlags::none);
  return n.narrow(r, op.getType());
}

// LLVM leaves the least integer by -1 undefined and x86 traps; contracts wrap.
Value totalFloorDivision(NumericsBuilder &n, arith::FloorDivSIOp op) {
  const Type type = op.getType();
  const Value minusOne = n.integer(type, ~0ull);
  const Value special = n.compare(arith::CmpIPredicate::eq, op.getRhs(), minusOne);
  const Value divisor = n.select(special, n.integer(type, 1), op.getRhs());
  const Value quotient = n.make<arith::FloorDivSIOp>(op.getLhs(), divisor);
  quotient.getDefiningOp()->setAttr("ordo.total", n.builder().getUnitAttr());
  const Value negated = n.make<arith::SubIOp>(n.integer(type, 0), op.getLhs());
  return n.select(special, negated, quotient);
}

bool needsFloorDivision(arith::FloorDivSIOp op) {
  APInt divisor;
  const bool harmless = matchPattern(op.getRhs(), m_ConstantInt(&divisor)) && !divisor.isAllOnes();
  return isa<IntegerType>(op.getType()) && !harmless && !op->hasAttr("ordo.total");
}

// Whether an arith operation has a bf16 or f16 among its operands or results.
bool touchesHalf(Operation *op) {
  return isa_and_nonnull<arith::ArithDialect>(op->getDialect()) &&
         (llvm::any_of(op->getOperandTypes(), isHalfWidth) ||
          llvm::any_of(op->getResultTypes(), isHalfWidth));
}

bool movesOnly(Operation *op) {
  return isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp>(op);
}

Value expandHalf(NumericsBuilder &n, Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp>(
          [&](auto o) { return through32(n, o); })
      .Case([&](arith::NegFOp o) { return n.negate(o.getOperand()); })
      .Case([&](arith::CmpFOp o) {
        return n.compare(o.getPredicate(), n.widen(o.getLhs()), n.widen(o.getRhs()));
      })
      .Default([&](Operation *) { return n.refuse("write ordo.cast, ordo.max and the like"); });
}

// A bf16 that arithmetic made is an integer until it is stored. Stored as one, vectors of it stay
// vectors on x86, which has none of bf16.
void storeAsInteger(NumericsBuilder &n, LLVM::StoreOp op) {
  op.getValueMutable().assign(n.raw(op.getValue()));
}

constexpr const char *kNumber = "ordo.number";
constexpr int kNumberDepth = 6;

std::optional<APFloat> constantFloat(Value value) {
  APFloat found(0.0);
  return matchPattern(value, m_ConstantFloat(&found)) ? std::optional(found) : std::nullopt;
}

bool isFinite(Value value) {
  if (auto select = value.getDefiningOp<arith::SelectOp>())
    return isFinite(select.getTrueValue()) && isFinite(select.getFalseValue());
  const auto c = constantFloat(value);
  return c && c->isFinite();
}

bool isNormal(Value value) {
  const auto c = constantFloat(value);
  return c && c->isNormal();
}

// Whether a float is no NaN, as far as a few operations show: an extremum drops one, and sums and
// fused products with suitable constants make none. Terms::isNever proves the same on its own.
bool isNumber(Value value, int depth = kNumberDepth) {
  Operation *op = value.getDefiningOp();
  if (isFinite(value))
    return true;
  if (!op || depth == 0)
    return false;
  const auto number = [&](Value v) { return isNumber(v, depth - 1); };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<MaxOp, MinOp>([&](auto o) { return number(o.getLhs()) || number(o.getRhs()); })
      .Case([&](FmaOp o) {
        const bool isProduct =
            (isNormal(o.getA()) && number(o.getB())) || (number(o.getA()) && isNormal(o.getB()));
        return isProduct && isFinite(o.getC());
      })
      .Case([&](arith::AddFOp o) {
        return (isFinite(o.getLhs()) && number(o.getRhs())) ||
               (number(o.getLhs()) && isFinite(o.getRhs()));
      })
      .Default([](Operation *) { return false; });
}

// Before anything is expanded, since inline assembly says nothing of its result.
void markNumbers(Operation *root) {
  root->walk([](BitsOp op) {
    if (isNumber(op.getValue()))
      op->setAttr(kNumber, UnitAttr::get(op.getContext()));
  });
}

Value expandOrdo(NumericsBuilder &n, Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](SqrtOp o) { return n.sqrt(o.getOperand()); })
      .Case([&](AbsOp o) { return n.abs(o.getOperand()); })
      .Case([&](FloorOp o) { return n.floor(o.getOperand()); })
      .Case([&](FmaOp o) { return n.fma(o.getA(), o.getB(), o.getC()); })
      .Case([&](MaxOp o) { return n.extremum(true, false, o.getLhs(), o.getRhs()); })
      .Case([&](MinOp o) { return n.extremum(false, false, o.getLhs(), o.getRhs()); })
      .Case([&](MaxNanOp o) { return n.extremum(true, true, o.getLhs(), o.getRhs()); })
      .Case([&](MinNanOp o) { return n.extremum(false, true, o.getLhs(), o.getRhs()); })
      .Case([&](BitsOp o) { return n.bits(o.getValue(), o.getType(), o->hasAttr(kNumber)); })
      .Case([&](OfBitsOp o) { return n.ofBits(o.getValue(), o.getType()); })
      .Case([&](CastOp o) { return n.cast(o); })
      .Default([](Operation *) { return Value(); });
}

class ExpandNumerics : public PassWrapper<ExpandNumerics, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandNumerics)
  ExpandNumerics() = default;
  explicit ExpandNumerics(const Target &target) { targetName = std::string(target.name); }
  ExpandNumerics(const ExpandNumerics &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "ordo-expand-numerics"; }
  StringRef getDescription() const override {
    return "expand casts, extrema, square roots and 16-bit arithmetic for a target";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, LLVM::LLVMDialect, vector::VectorDialect>();
  }

  void runOnOperation() override {
    const Target *target = findTarget(targetName.getValue());
    if (!target) {
      getOperation()->emitError() << "unknown target '" << targetName << "'";
      return signalPassFailure();
    }
    // What a cast became is itself arithmetic on sixteen-bit formats: a second run would refuse it.
    constexpr const char *kDone = "ordo.expanded";
    if (getOperation()->hasAttr(kDone))
      return;
    getOperation()->setAttr(kDone, UnitAttr::get(&getContext()));
    markNumbers(getOperation());
    packVectors(getOperation(), *target);
    // Post-order, and each expansion is inserted before what it replaces: nothing is visited twice.
    getOperation()->walk([&](Operation *op) {
      if (failed(expand(op, *target)))
        signalPassFailure();
    });
  }

  Option<std::string> targetName{*this, "target", llvm::cl::desc("as in cuda.sm_90a"),
                                 llvm::cl::init("cpu")};

private:
  static LogicalResult expand(Operation *op, const Target &target) {
    NumericsBuilder n(op, target);
    Value result;
    if (isa<SqrtOp, AbsOp, FloorOp, FmaOp, MaxOp, MinOp, MaxNanOp, MinNanOp, BitsOp, OfBitsOp,
            CastOp>(op))
      result = expandOrdo(n, op);
    else if (touchesHalf(op) && !movesOnly(op))
      result = expandHalf(n, op);
    else if (auto division = dyn_cast<arith::FloorDivSIOp>(op);
             division && needsFloorDivision(division))
      result = totalFloorDivision(n, division);
    else if (auto store = dyn_cast<LLVM::StoreOp>(op);
             store && store.getValue().getType().isBF16() && target.kind == Target::Kind::Cpu) {
      storeAsInteger(n, store);
      return success();
    } else
      return success();
    if (!result)
      return failure();
    op->replaceAllUsesWith(ValueRange(result));
    op->erase();
    return success();
  }
};

} // namespace

std::unique_ptr<Pass> createExpandNumericsPass(const Target &target) {
  return std::make_unique<ExpandNumerics>(target);
}

void registerExpandNumericsPass() { PassRegistration<ExpandNumerics>(); }

} // namespace ordo::compiler
