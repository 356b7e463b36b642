// 1. For every body, which of its indices each value varies with (a bit an index).
// 2. A body's reduction mask: the indices that reductions depend on, through definitions too.
// 3. The row rank: one past the last index that a reduction depends on, over all outputs.
// 4. Alignment, from the last definition to the first.
// 5. Uniform operations: those of aligned bodies that vary with row indices at most.
#include "compiler/bind/row_space.h"

using namespace mlir;

namespace ordo::compiler {

class RowAnalysis {
public:
  explicit RowAnalysis(KernelOp kernel) : kernel_(kernel) {}

  FailureOr<RowSpace> run() {
    for (Operation &op : kernel_.getBody().front())
      if (failed(masks(op)))
        return failure();
    if (failed(rank()))
      return failure();
    align();
    for (Operation &op : kernel_.getBody().front())
      uniforms(op);
    return std::move(space_);
  }

private:
  using Mask = std::uint64_t;
  // A value that varies with the index of a reduction around it.
  static constexpr Mask kInner = Mask{1} << 63;

  static Block *bodyOf(Operation &op) {
    return op.getNumRegions() == 1 && !op.getRegion(0).empty() ? &op.getRegion(0).front() : nullptr;
  }

  LogicalResult masks(Operation &definition) {
    Block *body = bodyOf(definition);
    if (!body)
      return success();
    if (body->getNumArguments() > 62)
      return definition.emitError("not lowered yet: more than 62 indices");
    for (BlockArgument arg : body->getArguments())
      mask_[arg] = Mask{1} << arg.getArgNumber();
    return masksIn(*body, &definition);
  }

  LogicalResult masksIn(Block &block, Operation *definition) {
    for (Operation &op : block) {
      Mask mask = 0;
      for (Value operand : op.getOperands())
        mask |= mask_.lookup(operand);
      if (auto reduce = dyn_cast<ReduceOp>(op)) {
        if (failed(reduction(reduce, definition, mask)))
          return failure();
      } else if (auto load = dyn_cast<LoadOp>(op)) {
        if (failed(through(load, definition)))
          return failure();
      }
      for (Value result : op.getResults())
        mask_[result] = mask;
    }
    return success();
  }

  LogicalResult reduction(ReduceOp reduce, Operation *definition, Mask &mask) {
    Block &body = reduce.getBody().front();
    for (BlockArgument arg : body.getArguments())
      mask_[arg] = kInner;
    if (failed(masksIn(body, definition)))
      return failure();
    reduce.getBody().walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        mask |= mask_.lookup(operand);
    });
    mask &= ~kInner;
    if (reduce->getParentOfType<ReduceOp>())
      return reduce.emitError("not lowered yet: a reduction inside a reduction");
    reduceMask_[definition] |= mask;
    hasReductions_ = true;
    reduces_.insert(definition);
    return success();
  }

  // A load of a definition with reductions depends on what it passes for the indices they depend
  // on.
  LogicalResult through(LoadOp load, Operation *definition) {
    auto define = load.getSource().getDefiningOp<DefineOp>();
    if (!define || !reduces_.contains(define))
      return success();
    reduces_.insert(definition);
    const Mask inner = reduceMask_.lookup(define);
    for (auto [i, index] : llvm::enumerate(load.getIndices()))
      if (inner >> i & 1)
        reduceMask_[definition] |= mask_.lookup(index);
    if (reduceMask_[definition] & kInner)
      return load.emitError("not lowered yet: a reduction inside a reduction");
    return success();
  }

  static std::int64_t bitsUsed(Mask mask) { return 64 - llvm::countl_zero(mask); }

  LogicalResult rank() {
    std::int64_t rank = 0;
    std::optional<ArrayType> first;
    for (auto write : kernel_.getBody().getOps<WriteOp>()) {
      const ArrayType type = write.getOutput().getType();
      if (!first)
        first = type;
      std::int64_t wanted = bitsUsed(reduceMask_.lookup(write));
      if (!hasReductions_)
        wanted = type.getRank() == 0                         ? 0
                 : ArrayType::isFree(type.getShape().back()) ? type.getRank()
                                                             : type.getRank() - 1;
      rank = std::max(rank, wanted);
    }
    if (!first)
      return kernel_.emitError("writes no output");
    for (auto write : kernel_.getBody().getOps<WriteOp>()) {
      const auto shape = write.getOutput().getType().getShape();
      const auto size = static_cast<std::int64_t>(shape.size());
      if (size != rank && size != rank + 1)
        return write.emitError("not lowered yet: an output with ")
               << size << " axes beside rows of " << rank
               << " (the indices that reductions depend on); one axis more than the rows is";
      if (shape.take_front(rank) != first->getShape().take_front(rank))
        return write.emitError("not lowered yet: outputs with different rows in one kernel");
      if (size == rank + 1 && ArrayType::isFree(shape.back()))
        return write.emitError("not lowered yet: a column of free length beside a reduction");
    }
    space_.extents_.assign(first->getShape().begin(), first->getShape().begin() + rank);
    return success();
  }

  bool passesRow(LoadOp load, Operation *definition) const {
    Block *body = bodyOf(*definition);
    const auto rank = space_.rank();
    if (static_cast<std::int64_t>(load.getIndices().size()) < rank)
      return false;
    for (std::int64_t i = 0; i < rank; ++i)
      if (load.getIndices()[i] != body->getArgument(i))
        return false;
    return true;
  }

  void align() {
    DenseSet<Operation *> broken;
    for (Operation &op : llvm::reverse(kernel_.getBody().front())) {
      const bool write = isa<WriteOp>(op);
      if (!write && !isa<DefineOp>(op))
        continue;
      const bool tall = bodyOf(op)->getNumArguments() >= space_.extents_.size();
      if (write || (tall && !broken.contains(&op)))
        space_.aligned_.insert(&op);
      const bool aligned = space_.aligned_.contains(&op);
      op.walk([&](LoadOp load) {
        Operation *define = load.getSource().getDefiningOp();
        if (define && !(aligned && passesRow(load, &op)))
          broken.insert(define);
      });
    }
  }

  void uniforms(Operation &definition) {
    if (!space_.aligned_.contains(&definition))
      return;
    const Mask row = (Mask{1} << space_.rank()) - 1;
    for (Operation &op : bodyOf(definition)->without_terminator()) {
      if (mask_.lookup(op.getResult(0)) & ~row)
        continue;
      space_.uniform_.insert(&op);
      if (auto reduce = dyn_cast<ReduceOp>(op))
        space_.reductions_.push_back(reduce);
    }
  }

  KernelOp kernel_;
  RowSpace space_;
  DenseMap<Value, Mask> mask_;
  DenseMap<Operation *, Mask> reduceMask_;
  DenseSet<Operation *> reduces_;
  bool hasReductions_ = false;
};

FailureOr<RowSpace> RowSpace::of(KernelOp kernel) { return RowAnalysis(kernel).run(); }

} // namespace ordo::compiler
