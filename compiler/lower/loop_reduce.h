// An order over a sequence whose length the launch gives: loops within loops, one accumulator each.
#pragma once

#include "compiler/bind/mapping.h"
#include "compiler/dialect/Ordo.h"

#include "mlir/IR/Builders.h"

namespace ordo::compiler {

class LoopReduce {
public:
  /// `element(index)` emits the value at an index (null on failure); every run starts from
  /// `identity`.
  LoopReduce(mlir::OpBuilder &b, mlir::Location loc, ReduceKind kind, mlir::Value identity,
             llvm::function_ref<mlir::Value(mlir::Value)> element)
      : b_(b), loc_(loc), kind_(kind), identity_(identity), element_(element) {}

  /// Folds elements 0 … `length` - 1 (an index) by the runs of a mapping to loops.
  mlir::FailureOr<mlir::Value> fold(const Mapping &mapping, mlir::Value length);

private:
  mlir::Value run(llvm::ArrayRef<std::int64_t> widths, mlir::Value begin, mlir::Value end);
  mlir::Value part(llvm::ArrayRef<std::int64_t> widths, mlir::Value begin, mlir::Value end);

  mlir::OpBuilder &b_;
  mlir::Location loc_;
  ReduceKind kind_;
  mlir::Value identity_;
  llvm::function_ref<mlir::Value(mlir::Value)> element_;
  bool failed_ = false;
};

} // namespace ordo::compiler
