// x86-64: assembly and a relocatable object that needs nobody.
#include "compiler/target/llvm_backend.h"

#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ObjectFile.h"

namespace ordo::compiler {

// The name of a symbol that `object` leaves to others, or nothing.
static std::optional<std::string> undefinedSymbol(const std::string &object, std::string *error) {
  const llvm::MemoryBufferRef buffer(object, "object");
  auto file = llvm::object::ObjectFile::createELFObjectFile(buffer);
  if (!file) {
    *error = llvm::toString(file.takeError());
    return std::nullopt;
  }
  for (const llvm::object::ELFSymbolRef symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags || !name) {
      llvm::consumeError(flags.takeError());
      llvm::consumeError(name.takeError());
      *error = "the object's symbol table cannot be read";
      return std::nullopt;
    }
    // Entry 0 of every ELF symbol table is undefined and nameless.
    if ((*flags & llvm::object::SymbolRef::SF_Undefined) && !name->empty())
      return name->str();
  }
  return std::nullopt;
}

bool emitCpu(LlvmBackend &backend, Emitted &out, std::string *error) {
  auto assembly = backend.generate(llvm::CodeGenFileType::AssemblyFile);
  auto object = assembly ? backend.generate(llvm::CodeGenFileType::ObjectFile) : std::nullopt;
  if (!object) {
    *error = backend.error();
    return false;
  }
  error->clear();
  if (auto name = undefinedSymbol(*object, error))
    *error = "the code calls '" + *name + "' of a library; a kernel carries all its arithmetic";
  if (!error->empty())
    return false;
  out.assembly = std::move(*assembly);
  out.object = std::move(*object);
  return true;
}

} // namespace ordo::compiler
