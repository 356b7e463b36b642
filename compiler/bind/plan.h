// A kernel's schedule on a GPU: how its rows, its reductions and its columns spread over threads.
#pragma once

#include "compiler/bind/mapping.h"
#include "compiler/bind/row_space.h"

namespace ordo::compiler {

struct Plan {
  RowSpace space;
  ScheduleAttr schedule;
  llvm::DenseMap<mlir::Operation *, Mapping> reductions; // by ReduceOp
  llvm::DenseMap<mlir::Operation *, Mapping> columns;    // by WriteOp with a column

  /// Chunks of the mapping that are unrolled with their loads kept; 0: loops that read again.
  std::int64_t resident(const Mapping &mapping) const;
};

/// Takes the kernel's schedule where it has one, else chooses. Fails with an error at the order
/// that the target cannot bind.
mlir::FailureOr<Plan> planForBlock(KernelOp kernel, const Target &target);

} // namespace ordo::compiler
