// Emits the bodies of definitions at chosen indices. Shared by the GPU and the CPU lowering, which
// differ in how they read arrays and run reductions.
#pragma once

#include "compiler/bind/row_space.h"

#include "mlir/IR/Builders.h"

#include <map>
#include <vector>

namespace ordo::compiler {

class BodyEmitter {
public:
  using Scope = llvm::DenseMap<mlir::Value, mlir::Value>;

  BodyEmitter(mlir::OpBuilder &builder, KernelOp kernel, const RowSpace &space)
      : b(builder), kernel(kernel), space(space) {}
  virtual ~BodyEmitter() = default;

  /// The function's parameters in launch order: `pointer` for each array, i64 for each free
  /// dimension, scalars in their types.
  llvm::SmallVector<mlir::Type> parameters(mlir::Type pointer);
  /// Takes the function's arguments, in that order.
  void bindArguments(mlir::ValueRange arguments);
  /// How many rows there are.
  mlir::Value rowCount(mlir::Location loc);
  /// The indices of row number `row`, the last fastest.
  llvm::SmallVector<mlir::Value> rowIndices(mlir::Location loc, mlir::Value row);
  /// The indices of the row that code emitted from now on computes.
  void enterRow(mlir::ValueRange indices);
  /// Emits what an operation of the kernel computes once a row: a constant, or the uniform part of
  /// a definition or an output. Reductions go to emitReduction.
  mlir::LogicalResult emitUniform(mlir::Operation *definition);

  /// The value of an output at a column (none for a row's own value).
  mlir::Value emitAt(WriteOp write, mlir::ValueRange column);
  /// The value of a reduction's element at an index.
  mlir::Value emitElement(ReduceOp reduce, mlir::Value index);

  /// The size of an extent: a constant or a free dimension.
  mlir::Value extent(mlir::Location loc, std::int64_t extent);
  /// Row-major linear index over `shape`.
  mlir::Value linear(mlir::Location loc, llvm::ArrayRef<std::int64_t> shape,
                     mlir::ValueRange indices);
  /// The pointer of an array argument.
  mlir::Value pointer(mlir::BlockArgument array) const { return values_.lookup(array); }
  llvm::ArrayRef<mlir::Value> row() const { return row_; }

protected:
  virtual mlir::Value loadElement(LoadOp load, mlir::BlockArgument array,
                                  mlir::ValueRange indices) = 0;
  virtual mlir::FailureOr<mlir::Value> emitReduction(ReduceOp reduce) = 0;

  mlir::OpBuilder &b;
  KernelOp kernel;
  const RowSpace &space;

private:
  /// A definition at indices, within the element being emitted.
  using Point = std::pair<mlir::Operation *, std::vector<void *>>;

  mlir::Value emitDefinition(DefineOp define, mlir::ValueRange indices);
  mlir::Value emitBlock(mlir::Block &block, Scope &scope);
  mlir::Value emitOp(mlir::Operation &op, Scope &scope);
  mlir::Value emitLoad(LoadOp load, Scope &scope);
  mlir::Value lookup(mlir::Value source, const Scope &scope) const;

  Scope values_; // arguments, and what was emitted once a row
  llvm::SmallVector<mlir::Value> row_;
  llvm::SmallVector<mlir::Value> sizes_;
  // What the current element has computed: a definition used twice is emitted once.
  std::map<Point, mlir::Value> known_;
  int depth_ = 0;
};

/// op(a, b) of a reduction, the left operand first.
mlir::Value emitCombine(mlir::OpBuilder &builder, mlir::Location loc, ReduceKind kind,
                        mlir::Value a, mlir::Value b);
/// The start that changes nothing: -0.0 of a float sum, -inf of max, …
mlir::Value emitIdentity(mlir::OpBuilder &builder, mlir::Location loc, ReduceKind kind,
                         mlir::Type type);

mlir::Value constantIndex(mlir::OpBuilder &builder, mlir::Location loc, std::int64_t value);

} // namespace ordo::compiler
