// What a kernel computes once a row. A row is one value of the leading indices of the outputs:
// those that reductions depend on. Everything else varies along a column.
#pragma once

#include "compiler/dialect/Ordo.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace ordo::compiler {

class RowSpace {
public:
  /// Fails, with an error at the place, for a kernel whose outputs have no common rows.
  static mlir::FailureOr<RowSpace> of(KernelOp kernel);

  /// The leading extents of every output (as ArrayType stores them).
  llvm::ArrayRef<std::int64_t> extents() const { return extents_; }
  std::int64_t rank() const { return static_cast<std::int64_t>(extents_.size()); }

  /// The body of a definition is aligned when every load of it passes the row's own indices first:
  /// its uniform part is then computed once a row. An unaligned definition is repeated where it is
  /// used.
  bool isAligned(DefineOp define) const { return aligned_.contains(define.getOperation()); }

  /// The operation's value is one for the whole row (only for operations of aligned bodies, outside
  /// reductions).
  bool isUniform(mlir::Operation *op) const { return uniform_.contains(op); }

  /// The row's reductions in the order they are computed.
  llvm::ArrayRef<ReduceOp> reductions() const { return reductions_; }

private:
  llvm::SmallVector<std::int64_t> extents_;
  llvm::DenseSet<mlir::Operation *> aligned_;
  llvm::DenseSet<mlir::Operation *> uniform_;
  llvm::SmallVector<ReduceOp> reductions_;
  friend class RowAnalysis;
};

} // namespace ordo::compiler
