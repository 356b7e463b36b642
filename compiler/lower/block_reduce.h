// The back of an order: values one a thread, exchanged and folded across a block's threads.
#pragma once

#include "compiler/bind/mapping.h"
#include "compiler/dialect/Ordo.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"

namespace ordo::compiler {

/// The threads that share a row: thread `x` of `threads`, row `y` of `rows` in the block.
struct BlockShape {
  std::int64_t threads = 1;
  std::int64_t rows = 1;
  std::int64_t warp = 32;
  mlir::Value x; // index
  mlir::Value y; // index; null when rows == 1
};

class BlockReduce {
public:
  BlockReduce(mlir::OpBuilder &b, mlir::Location loc, mlir::gpu::GPUFuncOp func,
              const BlockShape &shape, ReduceKind kind)
      : b_(b), loc_(loc), func_(func), shape_(shape), kind_(kind) {}

  /// Folds `stages` over the first `count` threads' values; threads past them hold the identity.
  /// Every thread of the row gets the result.
  mlir::Value fold(llvm::ArrayRef<dsl::Stage> stages, mlir::Value value, std::int64_t count);

private:
  mlir::Value tree(dsl::Stage::Kind kind, mlir::Value value);
  mlir::Value shuffles(dsl::Stage::Kind kind, mlir::Value value, std::int64_t width);
  mlir::Value halvesAcrossWarps(mlir::Value value);
  mlir::Value pairsAcrossWarps(mlir::Value value);
  mlir::Value chain(mlir::Value value, std::int64_t count);
  mlir::Value regroup(const dsl::Stage &stage, mlir::Value value, std::int64_t count);
  mlir::Value foldValues(dsl::Stage::Kind kind, llvm::ArrayRef<mlir::Value> values);

  /// A buffer of its own for each exchange, so that one barrier an exchange is enough.
  mlir::Value share(mlir::Value value);
  mlir::Value read(mlir::Value buffer, mlir::Value thread);
  mlir::Value slot(mlir::Value thread);

  mlir::OpBuilder &b_;
  mlir::Location loc_;
  mlir::gpu::GPUFuncOp func_;
  const BlockShape &shape_;
  ReduceKind kind_;
};

/// Applies a stage to values held in one thread.
llvm::SmallVector<mlir::Value> foldInThread(mlir::OpBuilder &b, mlir::Location loc, ReduceKind kind,
                                            const dsl::Stage &stage,
                                            llvm::ArrayRef<mlir::Value> values);

} // namespace ordo::compiler
