// AMD: assembly text and a code object, linked by lld as a library.
#include "compiler/target/link.h"
#include "compiler/target/llvm_backend.h"
#include "compiler/target/rocm/exact_division.h"

#include "llvm/IR/Constants.h"

namespace ordo::compiler {

bool emitRocm(LlvmBackend &backend, Emitted &out, std::string *error) {
  // What the code object's readers must know; LLVM's own default moves between versions.
  backend.module().setModuleFlag(llvm::Module::Error, "amdhsa_code_object_version",
                                 llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(
                                     llvm::Type::getInt32Ty(backend.module().getContext()), 500)));
  expandDivisions(backend.module());
  auto assembly = backend.generate(llvm::CodeGenFileType::AssemblyFile);
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
  out.spillBytes = numberAfter(out.assembly, ".private_segment_fixed_size:");
  out.sharedBytes = numberAfter(out.assembly, ".group_segment_fixed_size:");
  return true;
}

} // namespace ordo::compiler
