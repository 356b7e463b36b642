// Trees pad on the right with the identity, which changes no bit (docs/orders.md); sums and extrema
// commute bitwise, so a butterfly gives every thread the tree's result.
#include "compiler/lower/block_reduce.h"

#include "compiler/lower/body.h"
#include "dsl/order/fold.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using ordo::dsl::Stage;

namespace ordo::compiler {
namespace {

/// What dsl/order's fold needs of a value. Rounding stages and literals are refused by bind.
struct ValueOps {
  OpBuilder &b;
  Location loc;
  ReduceKind kind;
  Value add(Value x, Value y) { return emitCombine(b, loc, kind, x, y); }
  Value round(Value x, dsl::DType) { return x; }
  Value literal(double) { return {}; }
};

} // namespace

SmallVector<Value> foldInThread(OpBuilder &b, Location loc, ReduceKind kind, const Stage &stage,
                                ArrayRef<Value> values) {
  ValueOps ops{b, loc, kind};
  const std::vector<Value> out =
      dsl::detail::StageFold<Value, ValueOps>(stage, ops).apply({values.begin(), values.end()});
  return {out.begin(), out.end()};
}

Value BlockReduce::foldValues(Stage::Kind kind, ArrayRef<Value> values) {
  Stage stage;
  stage.kind = kind;
  return foldInThread(b_, loc_, kind_, stage, values).front();
}

Value BlockReduce::fold(ArrayRef<Stage> stages, Value value, std::int64_t count) {
  for (const Stage &stage : stages) {
    if (!stage.isTotal()) {
      value = regroup(stage, value, count);
      count = dsl::resultLength(stage, count);
    } else if (stage.kind == Stage::Kind::Seq) {
      return chain(value, count);
    } else {
      return tree(stage.kind, value);
    }
  }
  return value;
}

Value BlockReduce::tree(Stage::Kind kind, Value value) {
  if (shape_.threads <= shape_.warp)
    return shuffles(kind, value, shape_.threads);
  return kind == Stage::Kind::Halves ? halvesAcrossWarps(value) : pairsAcrossWarps(value);
}

Value BlockReduce::shuffles(Stage::Kind kind, Value value, std::int64_t width) {
  SmallVector<std::int64_t> distances;
  for (std::int64_t d = 1; d < width; d *= 2)
    distances.push_back(d);
  if (kind == Stage::Kind::Halves)
    std::reverse(distances.begin(), distances.end());
  for (std::int64_t d : distances) {
    auto other =
        b_.create<gpu::ShuffleOp>(loc_, value, static_cast<int32_t>(d),
                                  static_cast<int32_t>(shape_.warp), gpu::ShuffleMode::XOR);
    value = emitCombine(b_, loc_, kind_, value, other.getShuffleResult());
  }
  return value;
}

// The far distances first: lane l of every warp folds the values of lane l of all warps.
Value BlockReduce::halvesAcrossWarps(Value value) {
  const Value buffer = share(value);
  const Value lane =
      b_.create<arith::RemUIOp>(loc_, shape_.x, constantIndex(b_, loc_, shape_.warp));
  SmallVector<Value> column;
  for (std::int64_t j = 0; j < shape_.threads; j += shape_.warp)
    column.push_back(
        read(buffer, b_.create<arith::AddIOp>(loc_, lane, constantIndex(b_, loc_, j)).getResult()));
  return shuffles(Stage::Kind::Halves, foldValues(Stage::Kind::Halves, column), shape_.warp);
}

// The near distances first: each warp's value, then the warps'.
Value BlockReduce::pairsAcrossWarps(Value value) {
  const Value buffer = share(shuffles(Stage::Kind::Pairs, value, shape_.warp));
  SmallVector<Value> warps;
  for (std::int64_t j = 0; j < shape_.threads; j += shape_.warp)
    warps.push_back(read(buffer, constantIndex(b_, loc_, j)));
  return foldValues(Stage::Kind::Pairs, warps);
}

// Every thread folds all values: reads of one address by all threads cost as much as by one.
Value BlockReduce::chain(Value value, std::int64_t count) {
  if (shape_.threads == 1)
    return value;
  const Value buffer = share(value);
  const Value first = emitIdentity(b_, loc_, kind_, value.getType());
  auto loop = b_.create<scf::ForOp>(
      loc_, constantIndex(b_, loc_, 0), constantIndex(b_, loc_, count), constantIndex(b_, loc_, 1),
      ValueRange{first}, [&](OpBuilder &inner, Location loc, Value i, ValueRange carried) {
        OpBuilder::InsertionGuard guard(b_);
        b_.setInsertionPointToEnd(inner.getInsertionBlock());
        const Value sum = emitCombine(b_, loc, kind_, carried.front(), read(buffer, i));
        b_.create<scf::YieldOp>(loc, sum);
      });
  return loop.getResult(0);
}

// A stage that leaves several values: thread i folds what value i is made of.
Value BlockReduce::regroup(const Stage &stage, Value value, std::int64_t count) {
  const Value buffer = share(value);
  const Value identity = emitIdentity(b_, loc_, kind_, value.getType());
  const bool isLanes = stage.kind == Stage::Kind::Lanes;
  const std::int64_t run = isLanes ? stage.w : stage.n;
  const std::int64_t stride = isLanes ? stage.n * stage.w : count;
  const Value begin = b_.create<arith::MulIOp>(loc_, shape_.x, constantIndex(b_, loc_, run));
  const Value end = constantIndex(b_, loc_, count);
  SmallVector<Value> values;
  for (std::int64_t group = 0; group < count; group += stride)
    for (std::int64_t j = 0; j < run; ++j) {
      const Value at = b_.create<arith::AddIOp>(loc_, begin, constantIndex(b_, loc_, group + j));
      const Value valid = b_.create<arith::CmpIOp>(loc_, arith::CmpIPredicate::ult, at, end);
      const Value safe = b_.create<arith::SelectOp>(loc_, valid, at, constantIndex(b_, loc_, 0));
      values.push_back(b_.create<arith::SelectOp>(loc_, valid, read(buffer, safe), identity));
    }
  const Value folded = foldValues(isLanes ? Stage::Kind::Seq : stage.kind, values);
  const Value mine =
      b_.create<arith::CmpIOp>(loc_, arith::CmpIPredicate::ult, shape_.x,
                               constantIndex(b_, loc_, dsl::resultLength(stage, count)));
  return b_.create<arith::SelectOp>(loc_, mine, folded, identity);
}

Value BlockReduce::slot(Value thread) {
  if (!shape_.y)
    return thread;
  const Value row =
      b_.create<arith::MulIOp>(loc_, shape_.y, constantIndex(b_, loc_, shape_.threads));
  return b_.create<arith::AddIOp>(loc_, row, thread);
}

Value BlockReduce::share(Value value) {
  const auto space = gpu::AddressSpaceAttr::get(b_.getContext(), gpu::AddressSpace::Workgroup);
  const auto type = MemRefType::get({shape_.threads * shape_.rows}, value.getType(),
                                    MemRefLayoutAttrInterface(), space);
  const Value buffer = func_.addWorkgroupAttribution(type, loc_);
  b_.create<memref::StoreOp>(loc_, value, buffer, slot(shape_.x));
  b_.create<gpu::BarrierOp>(loc_);
  return buffer;
}

Value BlockReduce::read(Value buffer, Value thread) {
  return b_.create<memref::LoadOp>(loc_, buffer, slot(thread));
}

} // namespace ordo::compiler
