// One element at a time. The verifier knows these very trees (verify/gcn/expansion.h): a change
// here is one there, and docs/amdgcn.md has the argument why they are right.
#include "compiler/target/rocm/exact_division.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace ordo::compiler {

namespace {

class Builder {
public:
  explicit Builder(Instruction *at) : ir_(at), type_(at->getType()->getScalarType()) {}

  Value *quotient(Value *n, Value *d) {
    const bool isDouble = type_->isDoubleTy();
    auto [scaledD, unused] = scaled(n, d, false);
    auto [scaledN, flag] = scaled(n, d, true);
    Value *minusD = ir_.CreateFNeg(scaledD), *one = number(1);
    // From 2^-23 to the nearest, a significand of all ones excepted.
    Value *r = call(Intrinsic::amdgcn_rcp, {scaledD});
    for (int step = 0; step < (isDouble ? 3 : 1); ++step)
      r = fma(r, fma(minusD, r, one), r);
    // There, and nowhere else, the remainder is half an ulp of 1: r is 2^-k, the nearest the next.
    const double half = isDouble ? 0x1p-53 : 0x1p-24;
    Value *ulps = ir_.CreateFMul(fma(minusD, r, one), number(1 / half));
    r = fma(r, ir_.CreateFMul(call(Intrinsic::trunc, {ulps}), number(2 * half)), r);
    Value *q = ir_.CreateFMul(scaledN, r);
    q = fma(fma(minusD, q, scaledN), r, q);
    Value *last = fma(minusD, q, scaledN);
    q = call(Intrinsic::amdgcn_div_fmas, {last, r, q, flag});
    return call(Intrinsic::amdgcn_div_fixup, {q, d, n});
  }

  /// Of f64.
  Value *root(Value *x) {
    Value *isSmall = ir_.CreateFCmpOLT(x, number(0x1p-767));
    Value *y = ir_.CreateFMul(x, ir_.CreateSelect(isSmall, number(0x1p256), number(1)));
    // Goldschmidt's steps, to less than an ulp.
    Value *r = call(Intrinsic::amdgcn_rsq, {y});
    Value *g = ir_.CreateFMul(y, r), *h = ir_.CreateFMul(r, number(0.5));
    Value *e = fma(ir_.CreateFNeg(h), g, number(0.5));
    g = fma(g, e, g);
    h = fma(h, e, h);
    g = fma(fma(ir_.CreateFNeg(g), g, y), h, g);
    // It or a neighbour (Tuckerman's test): the one whose product with the next lower is below y.
    Value *below = fma(g, number(-0x1.0000000000001p-53), g);
    Value *above = fma(g, number(0x1.0000000000001p-53), g);
    Value *under = fma(ir_.CreateFNeg(below), g, y), *over = fma(ir_.CreateFNeg(above), g, y);
    Value *result = ir_.CreateSelect(ir_.CreateFCmpOLE(under, number(0)), below, g);
    result = ir_.CreateSelect(ir_.CreateFCmpOGT(over, number(0)), above, result);
    // Zeros and +inf are their own.
    result = ir_.CreateSelect(isOneOf(y, fcZero | fcPosInf), y, result);
    return ir_.CreateFMul(result, ir_.CreateSelect(isSmall, number(0x1p-128), number(1)));
  }

  /// `each` of every element.
  Value *ofElements(Type *type, ArrayRef<Value *> operands,
                    function_ref<Value *(ArrayRef<Value *>)> each) {
    auto *vector = dyn_cast<FixedVectorType>(type);
    if (!vector)
      return each(operands);
    Value *result = PoisonValue::get(type);
    for (unsigned k = 0; k < vector->getNumElements(); ++k) {
      SmallVector<Value *, 2> elements;
      for (Value *operand : operands)
        elements.push_back(ir_.CreateExtractElement(operand, k));
      result = ir_.CreateInsertElement(result, each(elements), k);
    }
    return result;
  }

private:
  Value *number(double value) { return ConstantFP::get(type_, value); }
  Value *call(Intrinsic::ID id, ArrayRef<Value *> arguments) {
    return ir_.CreateIntrinsic(id, {type_}, arguments);
  }
  Value *fma(Value *a, Value *b, Value *c) { return call(Intrinsic::fma, {a, b, c}); }
  Value *isOneOf(Value *x, unsigned classes) {
    return ir_.CreateIntrinsic(Intrinsic::is_fpclass, {type_}, {x, ir_.getInt32(classes)});
  }
  std::pair<Value *, Value *> scaled(Value *n, Value *d, bool isNumerator) {
    Value *both = call(Intrinsic::amdgcn_div_scale, {n, d, ir_.getInt1(isNumerator)});
    return {ir_.CreateExtractValue(both, 0), ir_.CreateExtractValue(both, 1)};
  }

  IRBuilder<> ir_;
  Type *type_;
};

Value *expanded(Instruction &i) {
  Builder b(&i);
  if (i.getOpcode() == Instruction::FDiv)
    return b.ofElements(i.getType(), {i.getOperand(0), i.getOperand(1)},
                        [&](ArrayRef<Value *> of) { return b.quotient(of[0], of[1]); });
  return b.ofElements(i.getType(), {i.getOperand(0)},
                      [&](ArrayRef<Value *> of) { return b.root(of[0]); });
}

bool isApproximated(const Instruction &i) {
  const Type *type = i.getType()->getScalarType();
  if (i.getOpcode() == Instruction::FDiv)
    return type->isFloatTy() || type->isDoubleTy();
  const auto *call = dyn_cast<IntrinsicInst>(&i);
  return call && call->getIntrinsicID() == Intrinsic::sqrt && type->isDoubleTy();
}

} // namespace

void expandDivisions(Module &module) {
  for (Function &function : module) {
    SmallVector<Instruction *> found;
    for (Instruction &i : instructions(function))
      if (isApproximated(i))
        found.push_back(&i);
    for (Instruction *i : found) {
      i->replaceAllUsesWith(expanded(*i));
      i->eraseFromParent();
    }
  }
}

} // namespace ordo::compiler
