#include "compiler/target/cpu/guard_mxcsr.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace ordo::compiler {

namespace {

// Round to nearest even, no flushing (FTZ and DAZ clear), all exceptions masked.
constexpr std::int64_t kMxcsr = 0x1f80;

// LLVM takes floating-point arithmetic to be free of state and may move it across the instruction
// that sets the state. A call that is never inlined is the fence: the arithmetic is behind it.
void guard(LLVM::LLVMFuncOp kernel) {
  OpBuilder b(kernel);
  const Location loc = kernel.getLoc();
  auto body = cast<LLVM::LLVMFuncOp>(b.clone(*kernel));
  body.setSymName((kernel.getSymName() + ".body").str());
  body.setLinkage(LLVM::Linkage::Internal);
  SmallVector<Attribute> passthrough;
  if (auto attributes = kernel.getPassthroughAttr())
    llvm::append_range(passthrough, attributes);
  passthrough.push_back(b.getStringAttr("noinline"));
  body.setPassthroughAttr(b.getArrayAttr(passthrough));

  Region &region = kernel.getBody();
  region.dropAllReferences();
  region.getBlocks().clear();
  Block *entry = kernel.addEntryBlock(b);
  b.setInsertionPointToStart(entry);

  const Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  const Type i32 = b.getI32Type();
  const Value one = b.create<LLVM::ConstantOp>(loc, i32, 1);
  const Value saved = b.create<LLVM::AllocaOp>(loc, pointer, i32, one);
  const Value wanted = b.create<LLVM::AllocaOp>(loc, pointer, i32, one);
  auto call = [&](StringRef intrinsic, Value slot) {
    b.create<LLVM::CallIntrinsicOp>(loc, TypeRange(), b.getStringAttr(intrinsic), ValueRange(slot),
                                    LLVM::FastmathFlagsAttr());
  };
  call("llvm.x86.sse.stmxcsr", saved);
  b.create<LLVM::StoreOp>(loc, b.create<LLVM::ConstantOp>(loc, i32, kMxcsr), wanted);
  call("llvm.x86.sse.ldmxcsr", wanted);
  b.create<LLVM::CallOp>(loc, body, entry->getArguments());
  call("llvm.x86.sse.ldmxcsr", saved);
  b.create<LLVM::ReturnOp>(loc, ValueRange());
}

class GuardMxcsr : public PassWrapper<GuardMxcsr, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(GuardMxcsr)

  StringRef getArgument() const override { return "ordo-guard-mxcsr"; }
  StringRef getDescription() const override { return "save, set and restore MXCSR around kernels"; }

  void runOnOperation() override {
    SmallVector<LLVM::LLVMFuncOp> kernels;
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (!function.isExternal() && function.getLinkage() == LLVM::Linkage::External)
        kernels.push_back(function);
    for (LLVM::LLVMFuncOp kernel : kernels) {
      if (!isa<LLVM::LLVMVoidType>(kernel.getFunctionType().getReturnType())) {
        kernel.emitOpError("is a kernel and cannot return a value");
        return signalPassFailure();
      }
      guard(kernel);
    }
  }
};

} // namespace

std::unique_ptr<Pass> createGuardMxcsrPass() { return std::make_unique<GuardMxcsr>(); }

} // namespace ordo::compiler
