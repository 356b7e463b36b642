// Chooses a schedule and writes it into the module: `schedule` on the kernel, `bind` on each
// reduction. The lowering takes the schedule from there, so another one may be put in its place; it
// moves no bit.
#include "compiler/bind/bind.h"

#include "compiler/bind/plan.h"

#include "dsl/order/order.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace ordo::compiler {
namespace {

class BindPass : public PassWrapper<BindPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BindPass)
  BindPass() = default;
  explicit BindPass(const Target &target) { targetName = std::string(target.name); }
  BindPass(const BindPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "ordo-bind"; }
  StringRef getDescription() const override {
    return "bind the stages of orders to a target's axes";
  }

  void runOnOperation() override {
    const Target *target = findTarget(targetName.getValue());
    if (!target) {
      getOperation().emitError("ordo-bind: unknown target '") << targetName << "'";
      return signalPassFailure();
    }
    for (auto kernel : getOperation().getOps<KernelOp>())
      if (failed(target->isGpu() ? toBlock(kernel, *target) : toArrays(kernel)))
        return signalPassFailure();
  }

private:
  LogicalResult toBlock(KernelOp kernel, const Target &target) {
    auto plan = planForBlock(kernel, target);
    if (failed(plan))
      return failure();
    kernel.setScheduleAttr(plan->schedule);
    for (ReduceOp reduce : plan->space.reductions())
      setBind(reduce, plan->reductions[reduce].axes);
    return success();
  }

  // On the CPU each stage leaves an array of partial results; where the launch gives the length,
  // loops fold them in a register.
  LogicalResult toArrays(KernelOp kernel) {
    const auto space = RowSpace::of(kernel);
    if (failed(space))
      return failure();
    for (ReduceOp reduce : space->reductions()) {
      const bool hasFreeLength = llvm::any_of(reduce.getExtents(), ArrayType::isFree);
      std::vector<std::string> axes;
      if (const auto order = reduce.getOrderAttr())
        axes.assign(dsl::parseOrder(order.getSpelling().str(), nullptr)->stages.size(),
                    hasFreeLength ? "register" : "array");
      setBind(reduce, axes);
    }
    return success();
  }

  void setBind(ReduceOp reduce, const std::vector<std::string> &axes) {
    SmallVector<Attribute> names;
    for (const std::string &axis : axes)
      names.push_back(StringAttr::get(&getContext(), axis));
    if (!names.empty())
      reduce.setBindAttr(ArrayAttr::get(&getContext(), names));
  }

  Option<std::string> targetName{*this, "target", llvm::cl::desc("target, as cuda.sm_90a")};
};

} // namespace

std::unique_ptr<Pass> createBindPass(const Target &target) {
  return std::make_unique<BindPass>(target);
}

void registerBindPass() { PassRegistration<BindPass>(); }

} // namespace ordo::compiler
