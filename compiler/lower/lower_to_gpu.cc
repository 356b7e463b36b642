// ordo.kernel to one gpu.func:
// 1. The function, its row: block id times rows a block, plus the thread's row.
// 2. Loads that a thread keeps are issued first, so that they are in flight together.
// 3. Definitions in order: what is uniform in a row is computed by all its threads; a reduction
// folds its
//    front in each thread, its back across the block.
// 4. Outputs: a thread stores the chunks it owns.
#include "compiler/bind/plan.h"
#include "compiler/lower/block_reduce.h"
#include "compiler/lower/body.h"
#include "compiler/lower/chunk.h"
#include "compiler/lower/loop_reduce.h"
#include "compiler/lower/passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

#include <set>

using namespace mlir;

namespace ordo::compiler {
namespace {

// Chunks a loop has in flight: fewer in a large block, whose threads have fewer registers each.
constexpr std::int64_t kUnroll = 4;
constexpr std::int64_t kUnrollInLargeBlock = 2;
constexpr std::int64_t kLargeBlock = 512;
// Definitions that are searched for loads to issue early.
constexpr std::size_t kMaxSeen = 1000;

class GpuLowering : public BodyEmitter {
public:
  GpuLowering(OpBuilder &builder, KernelOp kernel, const Target &target, Plan &plan)
      : BodyEmitter(builder, kernel, plan.space), target_(target), plan_(plan),
        schedule_(plan.schedule) {}

  LogicalResult run() {
    createFunction();
    enterBlock();
    prefetch();
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
    b.create<gpu::ReturnOp>(kernel.getLoc());
    return success();
  }

private:
  //===--- The function and its row ---------------------------------------===//

  void createFunction() {
    const Location loc = kernel.getLoc();
    const auto pointer = LLVM::LLVMPointerType::get(b.getContext(), 1);
    auto module = b.create<gpu::GPUModuleOp>(loc, "kernels");
    b.setInsertionPointToStart(module.getBody());
    func_ = b.create<gpu::GPUFuncOp>(loc, kernel.getSymName(),
                                     b.getFunctionType(parameters(pointer), {}));
    func_->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
    func_.setKnownBlockSizeAttr(
        b.getDenseI32ArrayAttr({static_cast<int32_t>(schedule_.getThreads()),
                                static_cast<int32_t>(schedule_.getRows()), 1}));
    for (unsigned i = 0; i < kernel.getInputs(); ++i)
      func_.setArgAttr(i, "ordo.readonly", b.getUnitAttr());
    b.setInsertionPointToStart(&func_.getBody().front());
    bindArguments(func_.getArguments());
  }

  void enterBlock() {
    const Location loc = kernel.getLoc();
    shape_.threads = schedule_.getThreads();
    shape_.rows = schedule_.getRows();
    shape_.warp = schedule_.getWarp();
    shape_.x = b.create<gpu::ThreadIdOp>(loc, gpu::Dimension::x);
    Value row = b.create<gpu::BlockIdOp>(loc, gpu::Dimension::x);
    if (shape_.rows > 1) {
      shape_.y = b.create<gpu::ThreadIdOp>(loc, gpu::Dimension::y);
      row = b.create<arith::MulIOp>(loc, row, constantIndex(b, loc, shape_.rows));
      row = b.create<arith::AddIOp>(loc, row, shape_.y);
    }
    // The last block may have more rows than are left: its spare threads repeat the last row and do
    // not store.
    const Value count = rowCount(loc);
    if (shape_.rows > 1) {
      rowValid_ = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, row, count);
      const Value last = b.create<arith::SubIOp>(loc, count, constantIndex(b, loc, 1));
      row = b.create<arith::MinUIOp>(loc, row, last);
    }
    enterRow(rowIndices(loc, row));
  }

  //===--- Chunks ---------------------------------------------------------===//

  std::int64_t unroll() const {
    return shape_.threads > kLargeBlock ? kUnrollInLargeBlock : kUnroll;
  }

  bool isWhole(const Mapping &m) const { return m.front == Mapping::Front::Whole; }

  // Chunks that every thread owns entirely.
  std::int64_t fullDepth(const Mapping &m) const {
    if (isWhole(m))
      return m.length / m.chunk();
    return m.slots == shape_.threads ? m.length / (m.chunk() * m.slots) : 0;
  }

  Chunk chunkAt(Location loc, const Mapping &m, Value k, bool guarded) {
    if (isWhole(m))
      return makeChunk(b, loc, m, k, guarded, {});
    const Value skip = b.create<arith::MulIOp>(loc, k, constantIndex(b, loc, m.slots));
    const Value number = b.create<arith::AddIOp>(loc, shape_.x, skip);
    Value owned;
    if (guarded && m.slots < shape_.threads)
      owned = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, shape_.x,
                                      constantIndex(b, loc, m.slots));
    return makeChunk(b, loc, m, number, guarded, owned);
  }

  // The chunks of a resident mapping are made once and keep their loads.
  SmallVector<Chunk *> residentChunks(Location loc, const Mapping &m) {
    auto &chunks = resident_[{m.length, m.chunk(), m.slots}];
    if (chunks.empty())
      for (std::int64_t k = 0; k < m.depth(); ++k)
        chunks.push_back(
            std::make_unique<Chunk>(chunkAt(loc, m, constantIndex(b, loc, k), k >= fullDepth(m))));
    SmallVector<Chunk *> all;
    for (auto &chunk : chunks)
      all.push_back(chunk.get());
    return all;
  }

  // Calls `visit` for every chunk in order: unrolled where the mapping is resident, else in loops
  // over full chunks and a guarded rest. `carry` goes through.
  using Visit = llvm::function_ref<FailureOr<Value>(Chunk &, Value)>;
  FailureOr<Value> forChunks(Location loc, const Mapping &m, Value carry, Visit visit) {
    if (plan_.resident(m)) {
      for (Chunk *chunk : residentChunks(loc, m)) {
        current_ = chunk;
        auto next = visit(*chunk, carry);
        current_ = nullptr;
        if (failed(next))
          return failure();
        carry = *next;
      }
      return carry;
    }
    const std::int64_t full = fullDepth(m) / unroll() * unroll();
    if (full > 0) {
      auto looped = loopOverFull(loc, m, full, carry, visit);
      if (failed(looped))
        return failure();
      carry = *looped;
    }
    SmallVector<std::pair<Value, bool>> rest;
    for (std::int64_t k = full; k < m.depth(); ++k)
      rest.push_back({constantIndex(b, loc, k), k >= fullDepth(m)});
    return group(loc, m, rest, carry, visit);
  }

  FailureOr<Value> loopOverFull(Location loc, const Mapping &m, std::int64_t full, Value carry,
                                Visit visit) {
    const SmallVector<Value> init = carry ? SmallVector<Value>{carry} : SmallVector<Value>{};
    auto loop = b.create<scf::ForOp>(loc, constantIndex(b, loc, 0), constantIndex(b, loc, full),
                                     constantIndex(b, loc, unroll()), init);
    OpBuilder::InsertionGuard guard(b);
    // A loop without a carry comes with its terminator.
    if (carry)
      b.setInsertionPointToEnd(loop.getBody());
    else
      b.setInsertionPoint(loop.getBody()->getTerminator());
    SmallVector<std::pair<Value, bool>> numbers;
    for (std::int64_t u = 0; u < unroll(); ++u)
      numbers.push_back(
          {b.create<arith::AddIOp>(loc, loop.getInductionVar(), constantIndex(b, loc, u)), false});
    auto next = group(loc, m, numbers, carry ? loop.getRegionIterArg(0) : Value(), visit);
    if (failed(next))
      return failure();
    if (!carry)
      return Value();
    b.create<scf::YieldOp>(loc, *next);
    return loop.getResult(0);
  }

  // Chunks whose loads are issued together.
  FailureOr<Value> group(Location loc, const Mapping &m, ArrayRef<std::pair<Value, bool>> numbers,
                         Value carry, Visit visit) {
    std::vector<Chunk> chunks;
    for (auto [k, guarded] : numbers)
      chunks.push_back(chunkAt(loc, m, k, guarded));
    for (Chunk &chunk : chunks) {
      current_ = &chunk;
      if (loading_)
        loading_(chunk);
    }
    for (Chunk &chunk : chunks) {
      current_ = &chunk;
      auto next = visit(chunk, carry);
      if (failed(next))
        return failure();
      carry = *next;
    }
    current_ = nullptr;
    return carry;
  }

  //===--- Loads ----------------------------------------------------------===//

  bool isRowIndex(Value index) const { return llvm::is_contained(row(), index); }

  // The elements of a whole chunk, once; null where the array's rows are not the chunk's.
  SmallVector<Value> *chunkElements(Location loc, Chunk &chunk, BlockArgument array,
                                    ValueRange leading) {
    const auto type = cast<ArrayType>(array.getType());
    const auto shape = type.getShape();
    if (shape.back() != chunk.length ||
        !llvm::all_of(leading, [&](Value v) { return isRowIndex(v); }))
      return nullptr;
    std::vector<void *> key = {array.getAsOpaquePointer()};
    for (Value v : leading)
      key.push_back(v.getAsOpaquePointer());
    auto &elements = chunk.loads[key];
    if (elements.empty()) {
      SmallVector<Value> first(leading.begin(), leading.end());
      first.push_back(constantIndex(b, loc, 0));
      elements = loadChunk(b, loc, chunk, pointer(array), linear(loc, shape, first),
                           type.getElementType(), target_.vectorBytes);
    }
    return &elements;
  }

  Value loadElement(LoadOp load, BlockArgument array, ValueRange indices) override {
    const Location loc = load.getLoc();
    if (current_ && !indices.empty())
      if (const auto j = current_->elementOf(indices.back()))
        if (auto *elements = chunkElements(loc, *current_, array, indices.drop_back()))
          return (*elements)[*j];
    const auto type = cast<ArrayType>(array.getType());
    return loadVector(b, loc, pointer(array), linear(loc, type.getShape(), indices),
                      type.getElementType(), 1)
        .front();
  }

  // The arrays that a body reads along `index`, with its row's indices before.
  using Seen = std::set<std::vector<void *>>;
  void collectLoads(Block &block, const Scope &scope, Value index, Chunk &chunk, Seen &seen) {
    for (Operation &op : block.without_terminator()) {
      auto load = dyn_cast<LoadOp>(op);
      if (!load || load.getIndices().empty())
        continue;
      SmallVector<Value> indices;
      for (Value i : load.getIndices())
        indices.push_back(scope.lookup(i));
      if (auto define = load.getSource().getDefiningOp<DefineOp>()) {
        Scope inner;
        std::vector<void *> point = {define};
        for (auto [arg, value] : llvm::zip_equal(define.getBody().getArguments(), indices)) {
          inner[arg] = value;
          point.push_back(value.getAsOpaquePointer());
        }
        // Deeper than emission goes, the kernel is refused there.
        if (!seen.insert(point).second || seen.size() > kMaxSeen)
          continue;
        collectLoads(define.getBody().front(), inner, index, chunk, seen);
      } else if (indices.back() == index &&
                 llvm::all_of(indices, [](Value v) { return bool(v); })) {
        chunkElements(load.getLoc(), chunk, cast<BlockArgument>(load.getSource()),
                      ArrayRef<Value>(indices).drop_back());
      }
    }
  }

  // A scope in which the body's last index is the first of the chunk's, the others the row's.
  void collectFor(Operation *definition, Block &body, Chunk &chunk) {
    Scope scope;
    Block &outer = definition->getRegion(0).front();
    for (auto [i, value] : llvm::enumerate(row()))
      scope[outer.getArgument(i)] = value;
    scope[body.getArguments().back()] = chunk.index.front();
    Seen seen;
    collectLoads(body, scope, chunk.index.front(), chunk, seen);
  }

  void prefetch() {
    for (ReduceOp reduce : space.reductions())
      prefetchFor(reduce->getParentOp(), reduce.getBody().front(), plan_.reductions[reduce]);
    for (auto write : kernel.getBody().getOps<WriteOp>())
      if (plan_.columns.contains(write))
        prefetchFor(write, write.getBody().front(), plan_.columns[write]);
  }

  void prefetchFor(Operation *definition, Block &body, const Mapping &m) {
    if (!plan_.resident(m))
      return;
    for (Chunk *chunk : residentChunks(definition->getLoc(), m))
      collectFor(definition, body, *chunk);
  }

  //===--- Reductions -----------------------------------------------------===//

  FailureOr<Value> emitReduction(ReduceOp reduce) override {
    const Location loc = reduce.getLoc();
    const Mapping &m = plan_.reductions[reduce];
    const ReduceKind kind = reduce.getKind();
    const Value identity = emitIdentity(b, loc, kind, reduce.getType());
    if (m.front == Mapping::Front::Loops)
      return LoopReduce(b, loc, kind, identity,
                        [&](Value index) { return emitElement(reduce, index); })
          .fold(m, extent(loc, reduce.getExtents().front()));
    if (m.length == 0)
      return identity;
    loading_ = [&](Chunk &chunk) {
      collectFor(reduce->getParentOp(), reduce.getBody().front(), chunk);
    };
    const auto front = m.front == Mapping::Front::Strided ? strided(reduce, m, identity)
                                                          : chain(reduce, m, identity);
    loading_ = nullptr;
    if (failed(front) || isWhole(m))
      return front;
    return BlockReduce(b, loc, func_, shape_, kind).fold(m.back, *front, m.liveSlots());
  }

  // The values of a chunk's elements, the identity where there is none.
  FailureOr<SmallVector<Value>> elements(ReduceOp reduce, Chunk &chunk, Value identity) {
    SmallVector<Value> values;
    for (auto [j, index] : llvm::enumerate(chunk.index)) {
      Value value = emitElement(reduce, index);
      if (!value)
        return failure();
      if (chunk.guarded)
        value = b.create<arith::SelectOp>(
            reduce.getLoc(), chunk.elementValid(b, reduce.getLoc(), static_cast<std::int64_t>(j)),
            value, identity);
      values.push_back(value);
    }
    return values;
  }

  static bool isExtremum(ReduceKind kind) {
    return kind == ReduceKind::Max || kind == ReduceKind::Min || kind == ReduceKind::MaxNan ||
           kind == ReduceKind::MinNan;
  }

  // An element that is not there leaves the extremum as it is. Against an infinity in its place
  // LLVM computes the bits that the infinity keeps and no others, which no proof sees through.
  FailureOr<Value> extremumOfGuarded(ReduceOp reduce, Chunk &chunk, Value extremum) {
    const Location loc = reduce.getLoc();
    for (auto [j, index] : llvm::enumerate(chunk.index)) {
      const Value value = emitElement(reduce, index);
      if (!value)
        return failure();
      extremum = b.create<arith::SelectOp>(
          loc, chunk.elementValid(b, loc, static_cast<std::int64_t>(j)),
          emitCombine(b, loc, reduce.getKind(), extremum, value), extremum);
    }
    return extremum;
  }

  FailureOr<Value> chain(ReduceOp reduce, const Mapping &m, Value identity) {
    const Location loc = reduce.getLoc();
    return forChunks(loc, m, identity, [&](Chunk &chunk, Value sum) -> FailureOr<Value> {
      if (chunk.guarded && isExtremum(reduce.getKind()))
        return extremumOfGuarded(reduce, chunk, sum);
      auto values = elements(reduce, chunk, identity);
      if (failed(values))
        return failure();
      for (const dsl::Stage &stage : m.runStages)
        values = foldInThread(b, loc, reduce.getKind(), stage, *values);
      for (Value value : *values)
        sum = emitCombine(b, loc, reduce.getKind(), sum, value);
      return sum;
    });
  }

  FailureOr<Value> strided(ReduceOp reduce, const Mapping &m, Value identity) {
    SmallVector<Value> values;
    for (Chunk *chunk : residentChunks(reduce.getLoc(), m)) {
      current_ = chunk;
      auto value = elements(reduce, *chunk, identity);
      current_ = nullptr;
      if (failed(value))
        return failure();
      values.append(*value);
    }
    dsl::Stage halves;
    halves.kind = dsl::Stage::Kind::Halves;
    return foldInThread(b, reduce.getLoc(), reduce.getKind(), halves, values).front();
  }

  //===--- Outputs --------------------------------------------------------===//

  LogicalResult store(WriteOp write) {
    const Location loc = write.getLoc();
    OpBuilder::InsertionGuard guard(b);
    if (rowValid_)
      b.setInsertionPoint(b.create<scf::IfOp>(loc, rowValid_).thenBlock()->getTerminator());
    const auto column = plan_.columns.find(write);
    if (column == plan_.columns.end())
      return storeRow(write);
    const auto loads = keptLoads();
    const LogicalResult stored = storeColumn(write, column->second);
    // A load that was first needed behind the row's guard is not there after it.
    for (auto [chunk, kept] : loads)
      chunk->loads = kept;
    return stored;
  }

  std::vector<std::pair<Chunk *, decltype(Chunk::loads)>> keptLoads() {
    std::vector<std::pair<Chunk *, decltype(Chunk::loads)>> all;
    for (auto &[shape, chunks] : resident_)
      for (auto &chunk : chunks)
        all.push_back({chunk.get(), chunk->loads});
    return all;
  }

  LogicalResult storeRow(WriteOp write) {
    const Location loc = write.getLoc();
    const Value value = emitAt(write, {});
    if (!value)
      return failure();
    if (shape_.threads > 1) {
      const Value first = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, shape_.x,
                                                  constantIndex(b, loc, 0));
      b.setInsertionPoint(b.create<scf::IfOp>(loc, first).thenBlock()->getTerminator());
    }
    const auto array = cast<BlockArgument>(write.getOutput());
    storeVector(b, loc, pointer(array), linear(loc, write.getOutput().getType().getShape(), row()),
                value);
    return success();
  }

  LogicalResult storeColumn(WriteOp write, const Mapping &m) {
    const Location loc = write.getLoc();
    const auto array = cast<BlockArgument>(write.getOutput());
    SmallVector<Value> first(row().begin(), row().end());
    first.push_back(constantIndex(b, loc, 0));
    const Value base = linear(loc, write.getOutput().getType().getShape(), first);
    loading_ = [&](Chunk &chunk) { collectFor(write, write.getBody().front(), chunk); };
    const auto done = forChunks(loc, m, {}, [&](Chunk &chunk, Value) -> FailureOr<Value> {
      SmallVector<Value> values;
      for (Value index : chunk.index) {
        values.push_back(emitAt(write, index));
        if (!values.back())
          return failure();
      }
      storeChunk(b, loc, chunk, pointer(array), base, values, target_.vectorBytes);
      return Value();
    });
    loading_ = nullptr;
    return success(succeeded(done));
  }

  const Target &target_;
  Plan &plan_;
  ScheduleAttr schedule_;
  gpu::GPUFuncOp func_;
  BlockShape shape_;
  Value rowValid_;
  Chunk *current_ = nullptr;
  std::function<void(Chunk &)> loading_;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>,
           std::vector<std::unique_ptr<Chunk>>>
      resident_;
};

class LowerToGpuPass : public PassWrapper<LowerToGpuPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerToGpuPass)
  LowerToGpuPass() = default;
  explicit LowerToGpuPass(const Target &target) { targetName = std::string(target.name); }
  LowerToGpuPass(const LowerToGpuPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "ordo-lower-to-gpu"; }
  StringRef getDescription() const override {
    return "lower ordo.kernel to loops, shuffles and shared memory of a GPU block";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, gpu::GPUDialect, LLVM::LLVMDialect, memref::MemRefDialect,
                    scf::SCFDialect, vector::VectorDialect>();
  }

  void runOnOperation() override {
    const Target *target = findTarget(targetName.getValue());
    if (!target || !target->isGpu()) {
      getOperation().emitError("ordo-lower-to-gpu: unknown GPU target '") << targetName << "'";
      return signalPassFailure();
    }
    for (KernelOp kernel : llvm::make_early_inc_range(getOperation().getOps<KernelOp>())) {
      auto plan = planForBlock(kernel, *target);
      if (failed(plan))
        return signalPassFailure();
      OpBuilder builder(kernel);
      if (failed(GpuLowering(builder, kernel, *target, *plan).run()))
        return signalPassFailure();
      kernel.erase();
    }
  }

private:
  Option<std::string> targetName{*this, "target", llvm::cl::desc("GPU target, as cuda.sm_90a")};
};

} // namespace

std::unique_ptr<Pass> createLowerToGpuPass(const Target &target) {
  return std::make_unique<LowerToGpuPass>(target);
}

void registerLowerToGpuPass() { PassRegistration<LowerToGpuPass>(); }

} // namespace ordo::compiler
