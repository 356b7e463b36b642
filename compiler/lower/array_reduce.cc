#include "compiler/lower/array_reduce.h"

#include "compiler/lower/block_reduce.h"
#include "compiler/lower/body.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <bit>

using namespace mlir;
using ordo::dsl::Stage;

namespace ordo::compiler {
namespace {

// A run of more elements is a loop.
constexpr std::int64_t kMaxUnroll = 64;
// Partial results on the stack.
constexpr std::int64_t kMaxArray = 1 << 18;

bool isRun(const Stage &s) {
  return s.n > 0 && s.kind != Stage::Kind::Lanes && s.kind != Stage::Kind::First;
}

bool isLowered(const Stage &s) {
  using enum Stage::Kind;
  return !s.round && !s.start && !s.pad &&
         (s.kind == Seq || s.kind == Lanes || s.kind == Pairs || s.kind == Halves);
}

} // namespace

FailureOr<Value> ArrayReduce::fold(const dsl::Order &order, std::int64_t length) {
  if (length == 0)
    return emitIdentity(b_, loc_, kind_, type_);
  for (const Stage &s : order.stages)
    if (!isLowered(s))
      return emitError(loc_) << "not lowered yet: `" << dsl::toString(s) << "`";
  llvm::ArrayRef<Stage> stages = order.stages;
  Slots slots{stages.take_while(isRun), 1, length};
  for (const Stage &s : slots.stages)
    slots.width *= s.n;
  const bool isLoop = slots.stages.size() == 1 && slots.stages[0].kind == Stage::Kind::Seq;
  if (slots.width > kMaxUnroll && !isLoop)
    return emitError(loc_) << "not lowered yet: a tree over runs of " << slots.width
                           << " elements; " << kMaxUnroll << " are";
  stages = stages.drop_front(slots.stages.size());
  if (stages.front().kind == Stage::Kind::Seq) {
    const Value sum = chainAll(slots);
    return failed_ ? FailureOr<Value>(failure()) : sum;
  }
  if (stages.front().isTotal() && slots.count() > kMaxArray)
    return emitError(loc_) << "`" << dsl::toString(stages.front()) << "` over " << slots.count()
                           << " values: the CPU keeps " << kMaxArray << " partial results";
  Array values;
  if (stages.front().kind == Stage::Kind::Lanes) {
    values = lanes(stages.front(), slots);
    stages = stages.drop_front();
  } else {
    values = materialise(slots);
  }
  if (failed_)
    return failure();
  for (const Stage &s : stages)
    values = apply(s, values);
  return get(values, index(0));
}

//===----------------------------------------------------------------------===//
// The front: elements to slots, slots to lanes
//===----------------------------------------------------------------------===//

// The value of slot `number`, of which the first `elements` elements are there.
Value ArrayReduce::slot(const Slots &slots, Value number, std::int64_t elements) {
  const Value begin = times(number, slots.width);
  if (elements > kMaxUnroll)
    return slotLoop(begin, elements);
  SmallVector<Value> values;
  for (std::int64_t j = 0; j < elements; ++j) {
    const Value value = element_(plus(begin, j));
    if (!value) {
      failed_ = true;
      return emitIdentity(b_, loc_, kind_, type_);
    }
    values.push_back(value);
  }
  for (const Stage &s : slots.stages)
    values = foldInThread(b_, loc_, kind_, s, values);
  return values.front();
}

Value ArrayReduce::slotLoop(Value begin, std::int64_t elements) {
  return loopCarry(elements, emitIdentity(b_, loc_, kind_, type_),
                   [&](Value j, Value sum) -> Value {
                     const Value value = element_(b_.create<arith::AddIOp>(loc_, begin, j));
                     failed_ |= !value;
                     return value ? combine(sum, value) : sum;
                   });
}

Value ArrayReduce::chainAll(const Slots &slots) {
  const Value start = emitIdentity(b_, loc_, kind_, type_);
  Value sum = loopCarry(slots.full(), start, [&](Value i, Value carried) {
    return combine(carried, slot(slots, i, slots.width));
  });
  if (slots.rest())
    sum = combine(sum, slot(slots, index(slots.full()), slots.rest()));
  return sum;
}

ArrayReduce::Array ArrayReduce::materialise(const Slots &slots) {
  Array values = allocate(slots.count());
  loop(slots.full(), [&](Value i) { set(values, i, slot(slots, i, slots.width)); });
  if (slots.rest())
    set(values, index(slots.full()), slot(slots, index(slots.full()), slots.rest()));
  return values;
}

// sums[lane] ⊕= the chain of `count` slots from `first`; the last of them is the ragged one if
// `ragged`.
void ArrayReduce::extendLane(Array &sums, Value lane, const Slots &slots, Value first,
                             std::int64_t count, bool ragged) {
  Value sum = get(sums, lane);
  for (std::int64_t j = 0; j < count; ++j) {
    const bool last = ragged && j + 1 == count;
    sum = combine(sum, slot(slots, plus(first, j), last ? slots.rest() : slots.width));
  }
  set(sums, lane, sum);
}

// Rounds of n runs of w slots; the loop over lanes is the inner one, and independent.
ArrayReduce::Array ArrayReduce::lanes(const Stage &stage, const Slots &slots) {
  Array sums = allocate(stage.n);
  const Value start = emitIdentity(b_, loc_, kind_, type_);
  loop(stage.n, [&](Value lane) { set(sums, lane, start); });
  const std::int64_t round = stage.n * stage.w;
  const std::int64_t rounds = slots.full() / round;
  loop(rounds, [&](Value k) {
    const Value base = times(k, round);
    loop(stage.n, [&](Value lane) {
      const Value first = b_.create<arith::AddIOp>(loc_, base, times(lane, stage.w));
      extendLane(sums, lane, slots, first, stage.w, false);
    });
  });
  const std::int64_t left = slots.full() - rounds * round; // whole slots of the last round
  loop(left / stage.w, [&](Value lane) {
    extendLane(sums, lane, slots, plus(times(lane, stage.w), rounds * round), stage.w, false);
  });
  const std::int64_t taken = left / stage.w * stage.w;
  const std::int64_t more = left - taken + (slots.rest() > 0);
  if (more > 0)
    extendLane(sums, index(left / stage.w), slots, index(rounds * round + taken), more,
               slots.rest() > 0);
  sums.length = std::min(stage.n, (slots.count() + stage.w - 1) / stage.w);
  return sums;
}

//===----------------------------------------------------------------------===//
// The back: arrays to one value
//===----------------------------------------------------------------------===//

ArrayReduce::Array ArrayReduce::apply(const Stage &stage, Array values) {
  if (stage.isTotal()) {
    if (stage.kind == Stage::Kind::Halves)
      halves(values);
    else if (stage.kind == Stage::Kind::Pairs)
      pairs(values);
    else
      set(values, index(0), chain(values));
    values.length = 1;
    return values;
  }
  // The same front, over an array.
  ArrayReduce inner(b_, loc_, entry_, kind_, type_, [&](Value at) { return get(values, at); });
  if (stage.kind == Stage::Kind::Lanes)
    return inner.lanes(stage, {{}, 1, values.length});
  return inner.materialise({stage, stage.n, values.length});
}

void ArrayReduce::halves(Array &values) {
  std::int64_t length = values.length;
  for (auto half = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(length)) / 2);
       half >= 1; half /= 2) {
    loop(std::min(half, length - half),
         [&](Value i) { set(values, i, combine(get(values, i), get(values, plus(i, half)))); });
    length = std::min(length, half);
  }
}

void ArrayReduce::pairs(Array &values) {
  for (std::int64_t length = values.length; length > 1; length = (length + 1) / 2) {
    loop(length / 2, [&](Value i) {
      const Value left = times(i, 2);
      set(values, i, combine(get(values, left), get(values, plus(left, 1))));
    });
    if (length % 2)
      set(values, index(length / 2), get(values, index(length - 1)));
  }
}

Value ArrayReduce::chain(const Array &values) {
  return loopCarry(values.length, emitIdentity(b_, loc_, kind_, type_),
                   [&](Value i, Value sum) { return combine(sum, get(values, i)); });
}

//===----------------------------------------------------------------------===//
// Small pieces
//===----------------------------------------------------------------------===//

ArrayReduce::Array ArrayReduce::allocate(std::int64_t length) {
  OpBuilder at(entry_, entry_->begin());
  auto buffer = at.create<memref::AllocaOp>(loc_, MemRefType::get({length}, type_));
  buffer.setAlignment(64);
  return {buffer, length};
}

Value ArrayReduce::get(const Array &values, Value at) {
  return b_.create<memref::LoadOp>(loc_, values.buffer, at);
}

void ArrayReduce::set(const Array &values, Value at, Value value) {
  b_.create<memref::StoreOp>(loc_, value, values.buffer, at);
}

Value ArrayReduce::combine(Value x, Value y) { return emitCombine(b_, loc_, kind_, x, y); }

Value ArrayReduce::index(std::int64_t n) { return constantIndex(b_, loc_, n); }

Value ArrayReduce::plus(Value x, std::int64_t n) {
  return n == 0 ? x : b_.create<arith::AddIOp>(loc_, x, index(n)).getResult();
}

Value ArrayReduce::times(Value x, std::int64_t n) {
  return n == 1 ? x : b_.create<arith::MulIOp>(loc_, x, index(n)).getResult();
}

void ArrayReduce::loop(std::int64_t count, llvm::function_ref<void(Value)> body) {
  if (count == 0)
    return;
  auto loop = b_.create<scf::ForOp>(loc_, index(0), index(count), index(1));
  OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPoint(loop.getBody()->getTerminator());
  body(loop.getInductionVar());
}

Value ArrayReduce::loopCarry(std::int64_t count, Value init,
                             llvm::function_ref<Value(Value, Value)> body) {
  if (count == 0)
    return init;
  auto loop = b_.create<scf::ForOp>(loc_, index(0), index(count), index(1), ValueRange{init});
  OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToEnd(loop.getBody());
  const Value next = body(loop.getInductionVar(), loop.getRegionIterArg(0));
  b_.create<scf::YieldOp>(loc_, next);
  return loop.getResult(0);
}

} // namespace ordo::compiler
