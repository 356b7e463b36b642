// 1. Each reduction with an order gets its mapping; the limits of the target speak here.
// 2. The first of them that is a chain of lanes is the primary; order-free reductions and columns
// take
//    its chunks, so that a thread meets the same elements in each phase and can keep them.
// 3. Threads a row: enough for the widest mapping. Short rows share a block.
#include "compiler/bind/plan.h"

#include "dsl/order/order.h"

using namespace mlir;

namespace ordo::compiler {
namespace {

// Elements a thread keeps from the first phase to the last.
constexpr std::int64_t kMaxResident = 64;
// A block of short rows has this many threads.
constexpr std::int64_t kBlockThreads = 128;
constexpr std::int64_t kDefaultSlots = 256;

// Folded by each thread in loops, which keep no loads.
bool isLoop(const Mapping &m) {
  return m.front == Mapping::Front::Whole || m.front == Mapping::Front::Loops;
}

class Planner {
public:
  Planner(KernelOp kernel, const Target &target, Plan &plan)
      : kernel_(kernel), target_(target), plan_(plan) {}

  LogicalResult run() {
    for (ReduceOp reduce : plan_.space.reductions())
      if (failed(ordered(reduce)))
        return failure();
    const Mapping *primary = choosePrimary();
    for (ReduceOp reduce : plan_.space.reductions())
      if (!reduce.getOrderAttr())
        orderFree(reduce, primary);
    for (auto write : kernel_.getBody().getOps<WriteOp>())
      column(write, primary);
    schedule();
    return checkShared();
  }

private:
  static std::int64_t lengthOf(ReduceOp reduce) { return reduce.getExtents().front(); }
  static bool hasFreeLength(ReduceOp reduce) { return ArrayType::isFree(lengthOf(reduce)); }

  LogicalResult ordered(ReduceOp reduce) {
    if (reduce.getExtents().size() != 1)
      return reduce.emitError("not lowered yet: a reduction over several indices");
    if (!reduce.getOrderAttr())
      return success();
    const auto order = dsl::parseOrder(reduce.getOrderAttr().getSpelling().str(), nullptr);
    Unbound why;
    auto mapping = hasFreeLength(reduce) ? mapToLoops(*order, why)
                                         : mapToBlock(*order, lengthOf(reduce), target_, why);
    if (!mapping) {
      InFlightDiagnostic error = reduce.emitError(why.reason);
      if (!why.help.empty())
        error.attachNote() << "help: " << why.help;
      return error;
    }
    plan_.reductions[reduce] = std::move(*mapping);
    return success();
  }

  const Mapping *choosePrimary() {
    for (ReduceOp reduce : plan_.space.reductions()) {
      const auto it = plan_.reductions.find(reduce);
      if (it != plan_.reductions.end() && it->second.front == Mapping::Front::Chain)
        return primary_ = std::make_unique<Mapping>(it->second), primary_.get();
    }
    return nullptr;
  }

  // Chunks of the widest load of the narrowest array.
  Mapping byWidth(std::int64_t length) {
    std::int64_t bytes = 8;
    for (BlockArgument arg : kernel_.getBody().getArguments())
      if (auto type = dyn_cast<ArrayType>(arg.getType()))
        bytes = std::min<std::int64_t>(
            bytes, std::max(1u, type.getElementType().getIntOrFloatBitWidth() / 8));
    Mapping like;
    like.runs = target_.vectorBytes / bytes;
    like.length = length;
    like.slots = std::min(kDefaultSlots, powerOfTwo(std::max<std::int64_t>(like.chunks(), 1)));
    return mapLike(like, length);
  }

  Mapping free(const Mapping *primary, std::int64_t length) {
    return primary ? mapLike(*primary, length) : byWidth(length);
  }

  void orderFree(ReduceOp reduce, const Mapping *primary) {
    if (!hasFreeLength(reduce)) {
      plan_.reductions[reduce] = free(primary, lengthOf(reduce));
      return;
    }
    Unbound none;
    plan_.reductions[reduce] = *mapToLoops(*dsl::parseOrder("seq", nullptr), none);
  }

  void column(WriteOp write, const Mapping *primary) {
    const auto shape = write.getOutput().getType().getShape();
    if (static_cast<std::int64_t>(shape.size()) > plan_.space.rank())
      plan_.columns[write] = free(primary, shape.back());
  }

  void schedule() {
    if ((plan_.schedule = kernel_.getScheduleAttr()))
      return;
    std::int64_t slots = 1, chunk = 1, resident = 0;
    auto meet = [&](const Mapping &m) {
      slots = std::max(slots, m.slots);
      chunk = std::max(chunk, m.chunk());
      resident = std::max(resident, unrolled(m));
    };
    for (auto &[op, m] : plan_.reductions)
      meet(m);
    for (auto &[op, m] : plan_.columns)
      meet(m);
    const std::int64_t threads = powerOfTwo(slots);
    const std::int64_t rows =
        threads <= target_.warp ? std::max<std::int64_t>(1, kBlockThreads / threads) : 1;
    plan_.schedule =
        ScheduleAttr::get(kernel_.getContext(), rows, threads, chunk, resident, target_.warp);
  }

  std::int64_t unrolled(const Mapping &m) {
    if (m.front == Mapping::Front::Strided)
      return m.depth();
    if (isLoop(m))
      return 0;
    std::int64_t bytes = 1;
    for (BlockArgument arg : kernel_.getBody().getArguments())
      if (auto type = dyn_cast<ArrayType>(arg.getType()))
        bytes = std::max<std::int64_t>(bytes, type.getElementType().getIntOrFloatBitWidth() / 8);
    const std::int64_t held = m.depth() * m.chunk();
    return held <= kMaxResident && held * bytes <= target_.registerBytes ? m.depth() : 0;
  }

  // Each exchange has a buffer of its own: a value a thread.
  LogicalResult checkShared() {
    const std::int64_t threads = plan_.schedule.getThreads() * plan_.schedule.getRows();
    if (threads > target_.maxThreads)
      return kernel_.emitError("its schedule has ")
             << threads << " threads, and a block of " << target_.name << " holds "
             << target_.maxThreads;
    std::int64_t bytes = 0;
    for (ReduceOp reduce : plan_.space.reductions())
      for (std::size_t i = 0; i < plan_.reductions[reduce].back.size(); ++i)
        bytes += threads * 8;
    if (bytes > target_.sharedBytes)
      return kernel_.emitError("its reductions exchange ")
             << bytes << " bytes, and a block of " << target_.name << " has " << target_.sharedBytes
             << " of shared memory";
    return success();
  }

  KernelOp kernel_;
  const Target &target_;
  Plan &plan_;
  std::unique_ptr<Mapping> primary_;
};

} // namespace

std::int64_t Plan::resident(const Mapping &mapping) const {
  if (isLoop(mapping))
    return 0;
  return mapping.depth() <= schedule.getResident() ? mapping.depth() : 0;
}

FailureOr<Plan> planForBlock(KernelOp kernel, const Target &target) {
  auto space = RowSpace::of(kernel);
  if (failed(space))
    return failure();
  Plan plan;
  plan.space = std::move(*space);
  if (failed(Planner(kernel, target, plan).run()))
    return failure();
  return plan;
}

} // namespace ordo::compiler
