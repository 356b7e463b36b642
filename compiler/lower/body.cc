#include "compiler/lower/body.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace ordo::compiler {

SmallVector<Type> BodyEmitter::parameters(Type pointer) {
  SmallVector<Type> types, scalars;
  for (BlockArgument arg : kernel.getBody().getArguments())
    if (isa<ArrayType>(arg.getType()))
      types.push_back(pointer);
    else
      scalars.push_back(arg.getType());
  types.append(kernel.getDims().size(), b.getI64Type());
  types.append(scalars);
  return types;
}

void BodyEmitter::bindArguments(ValueRange arguments) {
  const std::size_t arrays = kernel.getInputs() + kernel.getOutputs();
  const std::size_t dims = kernel.getDims().size();
  for (auto [i, source] : llvm::enumerate(kernel.getBody().getArguments()))
    values_[source] = arguments[i < arrays ? i : i + dims];
  sizes_.clear();
  for (Value size : arguments.slice(arrays, dims))
    sizes_.push_back(b.create<arith::IndexCastOp>(kernel.getLoc(), b.getIndexType(), size));
}

Value BodyEmitter::rowCount(Location loc) {
  Value count = constantIndex(b, loc, 1);
  for (std::int64_t e : space.extents())
    count = b.create<arith::MulIOp>(loc, count, extent(loc, e));
  return count;
}

SmallVector<Value> BodyEmitter::rowIndices(Location loc, Value row) {
  SmallVector<Value> indices(space.rank());
  for (std::int64_t i = space.rank() - 1; i > 0; --i) {
    const Value size = extent(loc, space.extents()[i]);
    indices[i] = b.create<arith::RemUIOp>(loc, row, size);
    row = b.create<arith::DivUIOp>(loc, row, size);
  }
  if (!indices.empty())
    indices[0] = row;
  return indices;
}

void BodyEmitter::enterRow(ValueRange indices) {
  row_.assign(indices.begin(), indices.end());
  for (Operation &op : kernel.getBody().front()) {
    auto define = dyn_cast<DefineOp>(op);
    if (!isa<WriteOp>(op) && !(define && space.isAligned(define)))
      continue;
    for (auto [i, index] : llvm::enumerate(row_))
      values_[op.getRegion(0).getArgument(i)] = index;
  }
}

LogicalResult BodyEmitter::emitUniform(Operation *definition) {
  if (definition->getNumRegions() == 0) { // a constant that definitions share
    Scope none;
    values_[definition->getResult(0)] = emitOp(*definition, none);
    return success();
  }
  for (Operation &op : definition->getRegion(0).front().without_terminator()) {
    if (!space.isUniform(&op))
      continue;
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      const FailureOr<Value> value = emitReduction(reduce);
      if (failed(value))
        return failure();
      values_[reduce] = *value;
      continue;
    }
    Scope none;
    known_.clear();
    const Value value = emitOp(op, none);
    if (!value)
      return failure();
    values_[op.getResult(0)] = value;
    for (auto [source, made] : none) // further results
      values_[source] = made;
  }
  return success();
}

Value BodyEmitter::emitAt(WriteOp write, ValueRange column) {
  known_.clear();
  Block &body = write.getBody().front();
  Scope scope;
  for (auto [arg, value] : llvm::zip_equal(body.getArguments().drop_front(row_.size()), column))
    scope[arg] = value;
  return emitBlock(body, scope);
}

Value BodyEmitter::emitElement(ReduceOp reduce, Value index) {
  known_.clear();
  Block &body = reduce.getBody().front();
  Scope scope;
  scope[body.getArgument(0)] = index;
  return emitBlock(body, scope);
}

Value BodyEmitter::lookup(Value source, const Scope &scope) const {
  if (const Value v = scope.lookup(source))
    return v;
  return values_.lookup(source);
}

Value BodyEmitter::emitBlock(Block &block, Scope &scope) {
  for (Operation &op : block.without_terminator()) {
    if (values_.contains(op.getResult(0)))
      continue;
    const Value value = emitOp(op, scope);
    if (!value)
      return {};
    scope[op.getResult(0)] = value;
  }
  return lookup(cast<YieldOp>(block.getTerminator()).getValue(), scope);
}

Value BodyEmitter::emitOp(Operation &op, Scope &scope) {
  if (auto load = dyn_cast<LoadOp>(op))
    return emitLoad(load, scope);
  if (auto size = dyn_cast<SizeOp>(op))
    return sizes_[size.getDim()];
  if (isa<ReduceOp>(op)) {
    op.emitError(
        "not lowered yet: a reduction of a definition that is used at other rows than its own");
    return {};
  }
  IRMapping mapping;
  for (Value operand : op.getOperands())
    mapping.map(operand, lookup(operand, scope));
  Operation *made = b.clone(op, mapping);
  // The high half of a product is a second result.
  for (unsigned i = 1; i < op.getNumResults(); ++i)
    scope[op.getResult(i)] = made->getResult(i);
  return made->getResult(0);
}

Value BodyEmitter::emitLoad(LoadOp load, Scope &scope) {
  SmallVector<Value> indices;
  for (Value index : load.getIndices())
    indices.push_back(lookup(index, scope));
  auto define = load.getSource().getDefiningOp<DefineOp>();
  if (!define)
    return loadElement(load, cast<BlockArgument>(load.getSource()), indices);
  return emitDefinition(define, indices);
}

Value BodyEmitter::emitDefinition(DefineOp define, ValueRange indices) {
  // Emission nests as definitions do.
  constexpr int kMaxDepth = 500;
  std::vector<void *> at;
  for (Value index : indices)
    at.push_back(index.getAsOpaquePointer());
  const Point point = {define, std::move(at)};
  if (const auto it = known_.find(point); it != known_.end())
    return it->second;
  if (depth_ == kMaxDepth) {
    define.emitError("not lowered yet: more than ")
        << kMaxDepth << " definitions, each of the one before";
    return {};
  }
  // An aligned definition has its row's indices already.
  const std::size_t fixed = space.isAligned(define) ? row_.size() : 0;
  Block &body = define.getBody().front();
  Scope scope;
  for (std::size_t i = fixed; i < indices.size(); ++i)
    scope[body.getArgument(i)] = indices[i];
  ++depth_;
  const Value value = emitBlock(body, scope);
  --depth_;
  return known_[point] = value;
}

Value BodyEmitter::extent(Location loc, std::int64_t extent) {
  return ArrayType::isFree(extent) ? sizes_[ArrayType::freeDim(extent)]
                                   : constantIndex(b, loc, extent);
}

Value BodyEmitter::linear(Location loc, ArrayRef<std::int64_t> shape, ValueRange indices) {
  Value at;
  for (auto [size, index] : llvm::zip_equal(shape, indices)) {
    if (at)
      at = b.create<arith::MulIOp>(loc, at, extent(loc, size));
    at = at ? b.create<arith::AddIOp>(loc, at, index).getResult() : index;
  }
  return at ? at : constantIndex(b, loc, 0);
}

Value emitCombine(OpBuilder &b, Location loc, ReduceKind kind, Value x, Value y) {
  const bool isFloat = isa<FloatType>(x.getType());
  switch (kind) {
  case ReduceKind::Sum:
    return isFloat ? b.create<arith::AddFOp>(loc, x, y).getResult()
                   : b.create<arith::AddIOp>(loc, x, y).getResult();
  case ReduceKind::Max:
    return b.create<MaxOp>(loc, x, y);
  case ReduceKind::Min:
    return b.create<MinOp>(loc, x, y);
  case ReduceKind::MaxNan:
    return b.create<MaxNanOp>(loc, x, y);
  case ReduceKind::MinNan:
    return b.create<MinNanOp>(loc, x, y);
  }
  llvm_unreachable("a reduction's kind");
}

Value emitIdentity(OpBuilder &b, Location loc, ReduceKind kind, Type type) {
  auto f = dyn_cast<FloatType>(type);
  if (!f)
    return b.create<arith::ConstantOp>(loc, b.getIntegerAttr(type, 0));
  const bool largest = kind == ReduceKind::Max || kind == ReduceKind::MaxNan;
  const APFloat value = kind == ReduceKind::Sum ? APFloat::getZero(f.getFloatSemantics(), true)
                                                : APFloat::getInf(f.getFloatSemantics(), largest);
  return b.create<arith::ConstantOp>(loc, b.getFloatAttr(f, value));
}

Value constantIndex(OpBuilder &b, Location loc, std::int64_t value) {
  return b.create<arith::ConstantIndexOp>(loc, value);
}

} // namespace ordo::compiler
