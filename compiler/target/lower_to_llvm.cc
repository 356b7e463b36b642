// Bound loops to the LLVM dialect:
//   1. expand the numerics a target lacks, and the ordo ones;
//   2. scf to branches;
//   3. everything else to LLVM, NVVM or ROCDL in one conversion;
//   4. attributes: what arguments alias, how many threads a block has, no library calls, which
//      loops stay as they are;
//   5. on the CPU, guard the caller's floating-point modes.
//
// Upstream's convert-gpu-to-nvvm and -to-rocdl are taken apart into their patterns: as passes they
// turn square roots into library calls, and bf16 into i16 behind everybody's back.
#include "compiler/dialect/Ordo.h"
#include "compiler/lower/expand_numerics.h"
#include "compiler/target/codegen.h"
#include "compiler/target/cpu/guard_mxcsr.h"
#include "compiler/target/diagnostics.h"
#include "compiler/target/guarded.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/GPUCommon/GPUCommonPass.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

// Needs mlir/Pass/Pass.h before it.
#include "mlir/Conversion/GPUToROCDL/GPUToROCDLPass.h"

using namespace mlir;

namespace ordo::compiler {

void registerCodegenDialects(DialectRegistry &registry) {
  registry.insert<OrdoDialect, arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect,
                  gpu::GPUDialect, LLVM::LLVMDialect, memref::MemRefDialect, NVVM::NVVMDialect,
                  ROCDL::ROCDLDialect, scf::SCFDialect, vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  registerROCDLDialectTranslation(registry);
}

namespace {

// Where LLVM keeps a GPU's shared and private memory.
void mapAddressSpaces(LLVMTypeConverter &converter, Target::Kind kind) {
  populateGpuMemorySpaceAttributeConversions(converter,
                                             [kind](gpu::AddressSpace space) -> unsigned {
                                               switch (space) {
                                               case gpu::AddressSpace::Global:
                                                 return 1;
                                               case gpu::AddressSpace::Workgroup:
                                                 return 3;
                                               case gpu::AddressSpace::Private:
                                                 return kind == Target::Kind::Rocm ? 5 : 0;
                                               }
                                               return 0;
                                             });
}

class ToLlvm : public PassWrapper<ToLlvm, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ToLlvm)
  explicit ToLlvm(const Target &target) : target_(target) {}

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect, NVVM::NVVMDialect, ROCDL::ROCDLDialect>();
  }

  void runOnOperation() override {
    MLIRContext &context = getContext();
    RewritePatternSet first(&context);
    populateGpuShufflePatterns(first); // 64-bit values as two words
    arith::populateCeilFloorDivExpandOpsPatterns(first);
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(first))))
      return signalPassFailure();

    LLVMTypeConverter converter(&context);
    RewritePatternSet patterns(&context);
    populate(converter, patterns);

    LLVMConversionTarget conversion(context);
    conversion.addIllegalDialect<OrdoDialect, arith::ArithDialect, cf::ControlFlowDialect,
                                 func::FuncDialect, gpu::GPUDialect, memref::MemRefDialect,
                                 vector::VectorDialect>();
    conversion.addLegalDialect<NVVM::NVVMDialect, ROCDL::ROCDLDialect>();
    conversion.addLegalOp<ModuleOp, gpu::GPUModuleOp, gpu::ModuleEndOp>();
    if (failed(applyPartialConversion(getOperation(), conversion, std::move(patterns))))
      signalPassFailure();
  }

private:
  void populate(LLVMTypeConverter &converter, RewritePatternSet &patterns) const {
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
    populateFuncToLLVMConversionPatterns(converter, patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    if (!target_.isGpu())
      return;
    mapAddressSpaces(converter, target_.kind);
    if (target_.kind == Target::Kind::Cuda)
      populateGpuToNVVMConversionPatterns(converter, patterns);
    else
      populateGpuToROCDLConversionPatterns(converter, patterns, gpu::amd::Runtime::Unknown);
  }

  const Target &target_;
};

// Arguments: tensors do not overlap (the contract says so, the runtime checks), inputs are only
// read. Functions: LLVM must not recognise a loop as memset, nor emit tables for unwinding.
void annotate(LLVM::LLVMFuncOp function, const Target &target) {
  Builder b(function.getContext());
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (!isa<LLVM::LLVMPointerType>(function.getArgument(i).getType()))
      continue;
    function.setArgAttr(i, "llvm.noalias", b.getUnitAttr());
    function.setArgAttr(i, "llvm.nocapture", b.getUnitAttr());
    if (function.removeArgAttr(i, "ordo.readonly"))
      function.setArgAttr(i, "llvm.readonly", b.getUnitAttr());
  }
  SmallVector<Attribute> passthrough = {b.getStringAttr("no-builtins"),
                                        b.getStringAttr("nounwind")};
  auto set = [&](StringRef key, StringRef value) {
    passthrough.push_back(b.getStrArrayAttr({key, value}));
  };
  set("denormal-fp-math", "ieee,ieee");
  if (target.kind == Target::Kind::Rocm) {
    function->setAttr("rocdl.uniform_work_group_size", b.getBoolAttr(true));
    set("amdgpu-ieee", "false"); // v_max and v_min drop a signalling NaN too
    // By default LLVM plans registers for blocks of up to 1024 threads, or of 256.
    if (auto block = function->getAttrOfType<DenseI32ArrayAttr>("rocdl.reqd_work_group_size")) {
      std::int64_t threads = 1;
      for (const std::int32_t n : block.asArrayRef())
        threads *= n;
      const std::string range = std::to_string(threads) + "," + std::to_string(threads);
      function->setAttr("rocdl.flat_work_group_size", b.getStringAttr(range));
    }
  }
  function.setPassthroughAttr(b.getArrayAttr(passthrough));
}

// A GPU's loop whose bound the launch gives is not unrolled: one step of it stays one step of the
// code, off which the verifier reads an invariant. (Upstream's lowering of scf drops annotations.)
void keepLoops(LLVM::LLVMFuncOp function) {
  MLIRContext *context = function.getContext();
  const auto unroll =
      LLVM::LoopUnrollAttr::get(context, BoolAttr::get(context, true), {}, {}, {}, {}, {}, {});
  const auto keep = LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {}, {}, {}, {}, {},
                                                  {}, {}, {}, {}, {}, {});
  DominanceInfo dominance(function);
  function.walk([&](LLVM::BrOp latch) {
    auto header = dyn_cast<LLVM::CondBrOp>(latch.getDest()->getTerminator());
    if (!header || !dominance.dominates(latch.getDest(), latch->getBlock()))
      return;
    auto test = header.getCondition().getDefiningOp<LLVM::ICmpOp>();
    if (test && !matchPattern(test.getRhs(), m_Constant()))
      latch.setLoopAnnotationAttr(keep);
  });
}

class Annotate : public PassWrapper<Annotate, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Annotate)
  explicit Annotate(const Target &target) : target_(target) {}

  void runOnOperation() override {
    getOperation().walk([&](LLVM::LLVMFuncOp function) {
      if (function.isExternal())
        return;
      annotate(function, target_);
      if (target_.isGpu())
        keepLoops(function);
    });
  }

private:
  const Target &target_;
};

} // namespace

bool lowerToLlvmDialect(ModuleOp module, const Target &target, std::string *error) {
  DiagnosticText text(module.getContext());
  PassManager manager(module.getContext());
  manager.addPass(createExpandNumericsPass(target));
  manager.addPass(createConvertSCFToCFPass());
  manager.addPass(std::make_unique<ToLlvm>(target));
  manager.addPass(createReconcileUnrealizedCastsPass());
  manager.addPass(std::make_unique<Annotate>(target));
  if (target.kind == Target::Kind::Cpu)
    manager.addPass(createGuardMxcsrPass());
  bool done = false;
  const auto crash = runGuarded([&] { done = succeeded(manager.run(module)); });
  if (!done)
    *error = text.take(crash ? "MLIR stopped: " + *crash : "lowering to LLVM failed");
  return done;
}

} // namespace ordo::compiler
