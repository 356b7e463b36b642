// An order on the CPU: partial results in arrays, in loops that a vectoriser can take.
#pragma once

#include "compiler/dialect/Ordo.h"
#include "dsl/order/order.h"

#include "mlir/IR/Builders.h"

#include <functional>

namespace ordo::compiler {

class ArrayReduce {
public:
  /// `element(index)` emits the value at an index (null on failure); `entry` is where arrays are
  /// allocated, so that loops around the reduction reuse them.
  ArrayReduce(mlir::OpBuilder &b, mlir::Location loc, mlir::Block *entry, ReduceKind kind,
              mlir::Type type, std::function<mlir::Value(mlir::Value)> element)
      : b_(b), loc_(loc), entry_(entry), kind_(kind), type_(type), element_(std::move(element)) {}

  /// Folds `length` elements by `order`; fails with an error for what is not lowered yet.
  mlir::FailureOr<mlir::Value> fold(const dsl::Order &order, std::int64_t length);

private:
  struct Array {
    mlir::Value buffer;
    std::int64_t length = 0;
  };

  /// Runs at the front of the order: a slot is `width` adjacent elements folded by `stages`.
  struct Slots {
    llvm::ArrayRef<dsl::Stage> stages;
    std::int64_t width = 1;
    std::int64_t length = 0;
    std::int64_t full() const { return length / width; }
    std::int64_t rest() const { return length % width; }
    std::int64_t count() const { return full() + (rest() > 0); }
  };

  mlir::Value slot(const Slots &slots, mlir::Value number, std::int64_t elements);
  mlir::Value slotLoop(mlir::Value begin, std::int64_t elements);
  mlir::Value chainAll(const Slots &slots);
  Array materialise(const Slots &slots);
  Array lanes(const dsl::Stage &stage, const Slots &slots);
  void extendLane(Array &sums, mlir::Value lane, const Slots &slots, mlir::Value first,
                  std::int64_t count, bool ragged);

  Array apply(const dsl::Stage &stage, Array values);
  void halves(Array &values);
  void pairs(Array &values);
  mlir::Value chain(const Array &values);

  Array allocate(std::int64_t length);
  mlir::Value get(const Array &values, mlir::Value at);
  void set(const Array &values, mlir::Value at, mlir::Value value);
  mlir::Value combine(mlir::Value x, mlir::Value y);
  mlir::Value plus(mlir::Value x, std::int64_t n);
  mlir::Value times(mlir::Value x, std::int64_t n);
  mlir::Value index(std::int64_t n);
  void loop(std::int64_t count, llvm::function_ref<void(mlir::Value)> body);
  mlir::Value loopCarry(std::int64_t count, mlir::Value init,
                        llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> body);

  mlir::OpBuilder &b_;
  mlir::Location loc_;
  mlir::Block *entry_;
  ReduceKind kind_;
  mlir::Type type_;
  std::function<mlir::Value(mlir::Value)> element_;
  bool failed_ = false;
};

} // namespace ordo::compiler
