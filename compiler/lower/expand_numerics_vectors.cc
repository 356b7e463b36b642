// Vectors of bf16, two to a word: what a GPU loads and stores.
#include "compiler/lower/expand_numerics_builder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace ordo::compiler {

namespace {

bool isPairedBf16(VectorType type) {
  return type.getRank() == 1 && type.getElementType().isBF16() && type.getNumElements() % 2 == 0;
}

// The f32 that `element` rounds to nearest, or null.
Value roundedFrom(Value element) {
  auto cast = element.getDefiningOp<CastOp>();
  if (!cast || !cast.getValue().getType().isF32() ||
      cast.getRounding() != RoundingKind::NearestEven)
    return {};
  return cast.getValue();
}

VectorType words(VectorType type) {
  return VectorType::get({type.getNumElements() / 2}, IntegerType::get(type.getContext(), 32));
}

// A vector whose elements are all roundings of f32: cvt.rn.bf16x2.f32 makes two at once.
void packRounded(vector::FromElementsOp op, const Target &target) {
  const VectorType type = op.getType();
  SmallVector<Value> singles;
  for (Value element : op.getElements())
    singles.push_back(roundedFrom(element));
  if (!isPairedBf16(type) || !llvm::all_of(singles, [](Value v) { return v != nullptr; }))
    return;
  NumericsBuilder n(op, target);
  const VectorType pair = VectorType::get({2}, type.getElementType());
  SmallVector<Value> packed;
  for (std::size_t i = 0; i < singles.size(); i += 2) // the first operand is the upper half
    packed.push_back(n.intrinsic("llvm.nvvm.ff2bf16x2.rn", pair, {singles[i + 1], singles[i]}));
  Value result = packed.front();
  if (packed.size() > 1) {
    for (Value &two : packed)
      two = n.make<LLVM::BitcastOp>(n.integerType(32), two);
    result = n.make<vector::BitCastOp>(type, n.make<vector::FromElementsOp>(words(type), packed));
  }
  op.replaceAllUsesWith(result);
  op.erase();
}

// An element widened to f32: one shift or mask of the word that holds it.
void widenExtracted(CastOp op, const Target &target) {
  auto extract = op.getValue().getDefiningOp<vector::ExtractOp>();
  if (!extract || !op.getType().isF32() || !isPairedBf16(extract.getSourceVectorType()) ||
      extract.getNumIndices() != 1 || extract.hasDynamicPosition())
    return;
  NumericsBuilder n(op, target);
  const Type i32 = n.integerType(32);
  const std::int64_t at = extract.getStaticPosition()[0];
  const Value pairs =
      n.make<vector::BitCastOp>(words(extract.getSourceVectorType()), extract.getVector());
  const Value word = n.make<vector::ExtractOp>(pairs, at / 2);
  const Value bits = at % 2 == 0 ? n.make<arith::ShLIOp>(word, n.integer(i32, 16))
                                 : n.make<arith::AndIOp>(word, n.integer(i32, 0xffff0000));
  op.replaceAllUsesWith(n.bitcast(bits, n.f32()));
  op.erase();
}

} // namespace

void packVectors(Operation *root, const Target &target) {
  if (!target.isGpu())
    return;
  root->walk([&](CastOp op) { widenExtracted(op, target); });
  if (target.kind == Target::Kind::Cuda)
    root->walk([&](vector::FromElementsOp op) { packRounded(op, target); });
}

} // namespace ordo::compiler
