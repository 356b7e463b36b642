// AMD: assembly text and a code object, linked by lld as a library.
#include "compiler/target/link.h"
#include "compiler/target/llvm_backend.h"
#include "compiler/target/rocm/exact_division.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace ordo::compiler {

// Maxima and minima are v_max and v_min in assembly, which hides them from the optimiser: for it,
// maxnum may give either zero. The code generator makes v_max and v_min of maxnum too, and chooses
// registers better than for assembly. With a constant it would go on to v_med3, so those stay.
static void revealExtrema(Module &module) {
  for (Function &function : module)
    for (Instruction &i : make_early_inc_range(instructions(function))) {
      auto *call = dyn_cast<CallInst>(&i);
      const auto *code = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
      if (!code || any_of(call->args(), [](const Use &use) { return isa<Constant>(use); }))
        continue;
      const StringRef text = code->getAsmString();
      const bool isMax = text.starts_with("v_max_"), isMin = text.starts_with("v_min_");
      if (!isMax && !isMin)
        continue;
      call->replaceAllUsesWith(
          IRBuilder<>(call).CreateBinaryIntrinsic(isMax ? Intrinsic::maxnum : Intrinsic::minnum,
                                                  call->getArgOperand(0), call->getArgOperand(1)));
      call->eraseFromParent();
    }
}

static constexpr std::string_view kSpilled = ".private_segment_fixed_size:";

bool emitRocm(LlvmBackend &backend, Emitted &out, std::string *error) {
  // What the code object's readers must know; LLVM's own default moves between versions.
  backend.module().setModuleFlag(llvm::Module::Error, "amdhsa_code_object_version",
                                 llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(
                                     llvm::Type::getInt32Ty(backend.module().getContext()), 500)));
  revealExtrema(backend.module());
  expandDivisions(backend.module());
  auto assembly = backend.generate(llvm::CodeGenFileType::AssemblyFile);
  // Loads and constants in flight may take more registers than there are; then fewer are.
  if (assembly && numberAfter(*assembly, kSpilled) > 0) {
    backend.sparing();
    assembly = backend.generate(llvm::CodeGenFileType::AssemblyFile);
  }
  auto object = assembly ? backend.generate(llvm::CodeGenFileType::ObjectFile) : std::nullopt;
  if (!object) {
    *error = backend.error();
    return false;
  }
  auto linked = linkShared(*object, error);
  if (!linked)
    return false;
  out.assembly = std::move(*assembly);
  out.object = std::move(*linked);
  // From the metadata at the text's end.
  out.registers = numberAfter(out.assembly, ".vgpr_count:");
  out.spillBytes = numberAfter(out.assembly, kSpilled);
  out.sharedBytes = numberAfter(out.assembly, ".group_segment_fixed_size:");
  return true;
}

} // namespace ordo::compiler
