#include "compiler/compile.h"

#include "compiler/bind/bind.h"
#include "compiler/bind/plan.h"
#include "compiler/dialect/Ordo.h"
#include "compiler/import/import.h"
#include "compiler/lower/expand_numerics.h"
#include "compiler/lower/passes.h"
#include "compiler/target/codegen.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace ordo::compiler {
namespace {

class Compilation {
public:
  Compilation(const dsl::Program &program, const Target &target, dsl::Diagnostics &diagnostics)
      : program_(program), target_(target), diagnostics_(diagnostics),
        context_(registry(), MLIRContext::Threading::DISABLED),
        handler_(&context_, [this](Diagnostic &d) { return report(d); }) {
    context_.printOpOnDiagnostic(false); // our users wrote no operation
  }

  std::optional<CompiledKernel> run(Emit stop) {
    module_ = importProgram(program_, context_, diagnostics_);
    if (!module_ || !step(createCanonicalizerPass()))
      return std::nullopt;
    if (stop == Emit::Ordo)
      return printed();
    if (!step(createBindPass(target_)) || !recordLaunch())
      return std::nullopt;
    if (stop == Emit::Bound)
      return printed();
    if (!step(target_.isGpu() ? createLowerToGpuPass(target_) : createLowerToCpuPass()) ||
        !step(createCanonicalizerPass()) || !step(createCSEPass()))
      return std::nullopt;
    recordShared();
    if (stop == Emit::Loops)
      return printed();
    return code(stop);
  }

private:
  static const DialectRegistry &registry() {
    static const DialectRegistry kRegistry = [] {
      DialectRegistry r;
      r.insert<OrdoDialect>();
      registerCodegenDialects(r);
      return r;
    }();
    return kRegistry;
  }

  dsl::Label kernelLabel() const {
    return {program_.kernelSpan, "in kernel `" + program_.kernel + "`"};
  }

  LogicalResult report(Diagnostic &d) {
    if (d.getSeverity() != DiagnosticSeverity::Error)
      return success();
    const auto span = toSpan(d.getLocation());
    dsl::Diagnostic &error =
        diagnostics_.error("cannot-compile", span.value_or(program_.kernelSpan), d.str());
    error.labels.push_back(kernelLabel());
    for (Diagnostic &note : d.getNotes()) {
      StringRef text = error.help = note.str();
      if (text.consume_front("help: "))
        error.help = text.str();
    }
    return success();
  }

  bool step(std::unique_ptr<Pass> pass) {
    PassManager manager(&context_);
    manager.addPass(std::move(pass));
    if (succeeded(manager.run(*module_)))
      return true;
    fail("a pass failed without saying why");
    return false;
  }

  // Every refusal is a diagnostic, even one from a layer that said nothing.
  void fail(std::string why) {
    if (!diagnostics_.hasErrors())
      diagnostics_.error("cannot-compile", program_.kernelSpan, std::move(why));
  }

  bool recordLaunch() {
    KernelOp kernel = *module_->getOps<KernelOp>().begin();
    const auto space = RowSpace::of(kernel);
    if (failed(space))
      return false;
    for (const dsl::Tensor &t : program_.tensors)
      if (t.role == dsl::Tensor::Role::Output) {
        result_.launch.rowExtents.assign(t.shape.begin(), t.shape.begin() + space->rank());
        break;
      }
    if (const auto schedule = kernel.getScheduleAttr()) {
      result_.launch.block = {schedule.getThreads(), schedule.getRows(), 1};
      result_.launch.rows = schedule.getRows();
    }
    return true;
  }

  // Static shared memory, known before any assembler reports it.
  void recordShared() {
    module_->walk([&](gpu::GPUFuncOp func) {
      for (BlockArgument buffer : func.getWorkgroupAttributions()) {
        const auto type = cast<MemRefType>(buffer.getType());
        result_.launch.sharedBytes += type.getNumElements() * type.getElementTypeBitWidth() / 8;
      }
    });
  }

  std::optional<CompiledKernel> printed() {
    llvm::raw_string_ostream out(result_.text);
    module_->print(out);
    out << "\n";
    return std::move(result_);
  }

  std::optional<CompiledKernel> code(Emit stop) {
    // Run here for its diagnostics, which have a place; lowerToLlvmDialect finds nothing left to
    // expand.
    if (!step(createExpandNumericsPass(target_)))
      return std::nullopt;
    std::string why;
    if (!lowerToLlvmDialect(*module_, target_, &why)) {
      fail(why);
      return std::nullopt;
    }
    auto emitted = emit(*module_, target_, &why);
    if (!emitted) {
      fail(why);
      return std::nullopt;
    }
    result_.text = stop == Emit::Llvm ? emitted->llvmIr : emitted->assembly;
    result_.assembly = std::move(emitted->assembly);
    result_.object = std::move(emitted->object);
    result_.note = std::move(emitted->note);
    result_.registers = emitted->registers;
    result_.spillBytes = emitted->spillBytes;
    if (emitted->sharedBytes >= 0)
      result_.launch.sharedBytes = emitted->sharedBytes;
    return std::move(result_);
  }

  const dsl::Program &program_;
  const Target &target_;
  dsl::Diagnostics &diagnostics_;
  MLIRContext context_;
  ScopedDiagnosticHandler handler_;
  OwningOpRef<ModuleOp> module_;
  CompiledKernel result_;
};

} // namespace

std::optional<CompiledKernel> compile(const dsl::Program &program, const Target &target, Emit stop,
                                      dsl::Diagnostics &diagnostics) {
  return Compilation(program, target, diagnostics).run(stop);
}

} // namespace ordo::compiler
