// ordo.kernel to one func.func that computes every row in turn:
// 1. The function and a loop over the rows.
// 2. Definitions in order: what is uniform in a row, reductions through arrays of partial results.
// 3. Outputs: a loop over the column.
#include "compiler/bind/mapping.h"
#include "compiler/bind/row_space.h"
#include "compiler/lower/array_reduce.h"
#include "compiler/lower/body.h"
#include "compiler/lower/chunk.h"
#include "compiler/lower/loop_reduce.h"
#include "compiler/lower/passes.h"

#include "dsl/order/order.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace ordo::compiler {
namespace {

// A reduction whose order moves no bit takes one that vectorises.
constexpr const char *kFreeOrder = "lanes(32) | halves";
constexpr const char *kFreeOrderInLoops = "seq";

class CpuLowering : public BodyEmitter {
public:
  using BodyEmitter::BodyEmitter;

  LogicalResult run() {
    createFunction();
    const Location loc = kernel.getLoc();
    const Value rows = rowCount(loc);
    auto loop = b.create<scf::ForOp>(loc, constantIndex(b, loc, 0), rows, constantIndex(b, loc, 1));
    b.create<func::ReturnOp>(loc);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    enterRow(rowIndices(loc, loop.getInductionVar()));
    return definitions();
  }

private:
  void createFunction() {
    const auto pointer = LLVM::LLVMPointerType::get(b.getContext());
    auto func = b.create<func::FuncOp>(kernel.getLoc(), kernel.getSymName(),
                                       b.getFunctionType(parameters(pointer), {}));
    for (unsigned i = 0; i < kernel.getInputs(); ++i)
      func.setArgAttr(i, "ordo.readonly", b.getUnitAttr());
    entry_ = func.addEntryBlock();
    b.setInsertionPointToStart(entry_);
    bindArguments(func.getArguments());
  }

  LogicalResult definitions() {
    for (Operation &op : kernel.getBody().front()) {
      auto define = dyn_cast<DefineOp>(op);
      if (define && !space.isAligned(define))
        continue;
      if (failed(emitUniform(&op)))
        return failure();
      if (auto write = dyn_cast<WriteOp>(op))
        if (failed(store(write)))
          return failure();
    }
    return success();
  }

  FailureOr<Value> emitReduction(ReduceOp reduce) override {
    if (reduce.getExtents().size() != 1)
      return reduce.emitError("not lowered yet: a reduction over several indices");
    const std::int64_t length = reduce.getExtents().front();
    const bool hasFreeLength = ArrayType::isFree(length);
    const auto attribute = reduce.getOrderAttr();
    const auto order = dsl::parseOrder(attribute       ? attribute.getSpelling().str()
                                       : hasFreeLength ? kFreeOrderInLoops
                                                       : kFreeOrder,
                                       nullptr);
    const auto element = [&](Value index) { return emitElement(reduce, index); };
    if (hasFreeLength)
      return foldInLoops(reduce, *order, element);
    return ArrayReduce(b, reduce.getLoc(), entry_, reduce.getKind(), reduce.getType(), element)
        .fold(*order, length);
  }

  FailureOr<Value> foldInLoops(ReduceOp reduce, const dsl::Order &order,
                               llvm::function_ref<Value(Value)> element) {
    const Location loc = reduce.getLoc();
    Unbound why;
    const auto mapping = mapToLoops(order, why);
    if (!mapping) {
      InFlightDiagnostic error = reduce.emitError(why.reason);
      error.attachNote() << "help: " << why.help;
      return error;
    }
    const Value identity = emitIdentity(b, loc, reduce.getKind(), reduce.getType());
    return LoopReduce(b, loc, reduce.getKind(), identity, element)
        .fold(*mapping, extent(loc, reduce.getExtents().front()));
  }

  Value loadElement(LoadOp load, BlockArgument array, ValueRange indices) override {
    const auto type = cast<ArrayType>(array.getType());
    return loadVector(b, load.getLoc(), pointer(array),
                      linear(load.getLoc(), type.getShape(), indices), type.getElementType(), 1)
        .front();
  }

  LogicalResult store(WriteOp write) {
    const Location loc = write.getLoc();
    const auto shape = write.getOutput().getType().getShape();
    SmallVector<Value> indices(row()), column;
    OpBuilder::InsertionGuard guard(b);
    if (static_cast<std::int64_t>(shape.size()) > space.rank()) {
      auto loop = b.create<scf::ForOp>(loc, constantIndex(b, loc, 0), extent(loc, shape.back()),
                                       constantIndex(b, loc, 1));
      b.setInsertionPoint(loop.getBody()->getTerminator());
      column.push_back(loop.getInductionVar());
      indices.push_back(column.front());
    }
    const Value value = emitAt(write, column);
    if (!value)
      return failure();
    storeVector(b, loc, pointer(cast<BlockArgument>(write.getOutput())),
                linear(loc, shape, indices), value);
    return success();
  }

  Block *entry_ = nullptr;
};

class LowerToCpuPass : public PassWrapper<LowerToCpuPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerToCpuPass)

  StringRef getArgument() const override { return "ordo-lower-to-cpu"; }
  StringRef getDescription() const override {
    return "lower ordo.kernel to loops of a CPU function";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, func::FuncDialect, LLVM::LLVMDialect,
                    memref::MemRefDialect, scf::SCFDialect, vector::VectorDialect>();
  }

  void runOnOperation() override {
    for (KernelOp kernel : llvm::make_early_inc_range(getOperation().getOps<KernelOp>())) {
      auto space = RowSpace::of(kernel);
      if (failed(space))
        return signalPassFailure();
      OpBuilder builder(kernel);
      if (failed(CpuLowering(builder, kernel, *space).run()))
        return signalPassFailure();
      kernel.erase();
    }
  }
};

} // namespace

std::unique_ptr<Pass> createLowerToCpuPass() { return std::make_unique<LowerToCpuPass>(); }

void registerLowerToCpuPass() { PassRegistration<LowerToCpuPass>(); }

} // namespace ordo::compiler
