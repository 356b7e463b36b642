#include "compiler/lower/loop_reduce.h"

#include "compiler/lower/body.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace ordo::compiler {

FailureOr<Value> LoopReduce::fold(const Mapping &mapping, Value length) {
  SmallVector<std::int64_t> widths = {1};
  for (const dsl::Stage &stage : mapping.runStages)
    widths.push_back(widths.back() * stage.n);
  const Value all = run(widths, constantIndex(b_, loc_, 0), length);
  return failed_ ? FailureOr<Value>(failure()) : all;
}

// Elements `begin` … `end` - 1 as one left fold of parts, each of widths.back() elements, the last
// of what is left.
Value LoopReduce::run(ArrayRef<std::int64_t> widths, Value begin, Value end) {
  auto loop = b_.create<scf::ForOp>(loc_, begin, end, constantIndex(b_, loc_, widths.back()),
                                    ValueRange{identity_});
  OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToEnd(loop.getBody());
  const Value sum = loop.getRegionIterArg(0);
  const Value next = part(widths, loop.getInductionVar(), end);
  b_.create<scf::YieldOp>(loc_, next ? emitCombine(b_, loc_, kind_, sum, next) : sum);
  return loop.getResult(0);
}

Value LoopReduce::part(ArrayRef<std::int64_t> widths, Value begin, Value end) {
  if (widths.size() == 1) {
    const Value value = element_(begin);
    failed_ |= !value;
    return value;
  }
  const Value left = b_.create<arith::SubIOp>(loc_, end, begin);
  const Value width = constantIndex(b_, loc_, widths.back());
  const Value count = b_.create<arith::MinSIOp>(loc_, left, width);
  return run(widths.drop_back(), begin, b_.create<arith::AddIOp>(loc_, begin, count));
}

} // namespace ordo::compiler
