#include "compiler/target/llvm_backend.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <charconv>
#include <mutex>

namespace ordo::compiler {

namespace {

std::string_view triple(Target::Kind kind) {
  switch (kind) {
  case Target::Kind::Cpu:
    return "x86_64-unknown-linux-gnu";
  case Target::Kind::Cuda:
    return "nvptx64-nvidia-cuda";
  case Target::Kind::Rocm:
    return "amdgcn-amd-amdhsa";
  }
  return "";
}

void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser(); // of inline assembly
  });
}

// Errors are kept; remarks and warnings are about speed and have no reader here.
struct KeepErrors : llvm::DiagnosticHandler {
  explicit KeepErrors(std::string *text) : text(text) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error)
      return true;
    llvm::raw_string_ostream out(*text);
    if (!text->empty())
      out << "\n";
    llvm::DiagnosticPrinterRawOStream printer(out);
    info.print(printer);
    return true;
  }
  std::string *text;
};

} // namespace

LlvmBackend::LlvmBackend(const Target &target) : target_(target) {
  initializeTargets();
  context_.setDiagnosticHandler(std::make_unique<KeepErrors>(&error_));
}

bool LlvmBackend::fail(std::string why) {
  if (error_.empty())
    error_ = std::move(why);
  return false;
}

bool LlvmBackend::translate(mlir::Operation *module) {
  const std::string name(triple(target_.kind));
  const llvm::Target *llvmTarget = llvm::TargetRegistry::lookupTarget(name, error_);
  if (!llvmTarget)
    return fail("LLVM has no target " + name);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  machine_.reset(llvmTarget->createTargetMachine(
      name, std::string(target_.chip), std::string(target_.features), options, llvm::Reloc::PIC_,
      std::nullopt, llvm::CodeGenOptLevel::Aggressive));
  if (!machine_)
    return fail("LLVM has no code generator for " + std::string(target_.chip));
  module_ = mlir::translateModuleToLLVMIR(module, context_, "ordo");
  if (!module_)
    return fail("translation to LLVM IR failed");
  module_->setTargetTriple(name);
  module_->setDataLayout(machine_->createDataLayout());
  return true;
}

bool LlvmBackend::optimise() {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = !target_.isGpu();
  llvm::PassBuilder builder(machine_.get(), tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(*module_, modules);

  llvm::raw_string_ostream out(error_);
  if (llvm::verifyModule(*module_, &out))
    return fail("LLVM's optimiser left an invalid module");
  return error_.empty() && refuseLibraryCalls();
}

// What is only declared would be looked for in a library: refuse it by name.
bool LlvmBackend::refuseLibraryCalls() {
  for (const llvm::Function &function : *module_)
    if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty())
      return fail("the code calls '" + function.getName().str() +
                  "', which no contract defines and no target has");
  return true;
}

std::optional<std::string> LlvmBackend::generate(llvm::CodeGenFileType type) {
  // Code generation rewrites the module it is given.
  const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*module_);
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream out(text);
  llvm::legacy::PassManager passes;
  if (machine_->addPassesToEmitFile(passes, out, nullptr, type)) {
    fail("LLVM cannot write this kind of file for " + std::string(target_.name));
    return std::nullopt;
  }
  passes.run(*copy);
  if (!error_.empty())
    return std::nullopt;
  return std::string(text.str());
}

std::string LlvmBackend::ir() const {
  std::string text;
  llvm::raw_string_ostream out(text);
  module_->print(out, nullptr);
  return text;
}

int numberAfter(std::string_view text, std::string_view key) {
  std::size_t at = text.find(key);
  if (at == std::string_view::npos)
    return -1;
  at = text.find_first_not_of(" \t", at + key.size());
  int value = -1;
  if (at != std::string_view::npos)
    std::from_chars(text.data() + at, text.data() + text.size(), value);
  return value;
}

} // namespace ordo::compiler
