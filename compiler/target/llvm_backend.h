// What every target does with LLVM: translate, optimise, print, assemble.
#pragma once

#include "compiler/target/codegen.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace mlir {
class Operation;
} // namespace mlir

namespace ordo::compiler {

/// One module on its way through LLVM for one target. Every step returns false and sets error()
/// when it refuses; nothing here prints or exits.
class LlvmBackend {
public:
  explicit LlvmBackend(const Target &target);

  /// To LLVM IR, with the target's triple and data layout.
  bool translate(mlir::Operation *module);
  /// The O3 pipeline. Arithmetic stays as written: no fast-math flag, no contraction.
  bool optimise();
  /// The code as text, or as an object file. Leaves module() as it was.
  std::optional<std::string> generate(llvm::CodeGenFileType type);

  /// From here on generate() makes less of what registers are there for.
  void sparing() { machine_->setOptLevel(llvm::CodeGenOptLevel::Less); }

  llvm::Module &module() { return *module_; }
  std::string ir() const;
  const std::string &error() const { return error_; }

private:
  bool refuseLibraryCalls();
  bool fail(std::string why);

  const Target &target_;
  llvm::LLVMContext context_;
  std::unique_ptr<llvm::TargetMachine> machine_;
  std::unique_ptr<llvm::Module> module_;
  std::string error_;
};

/// Emitted for each kind of target. `backend` has been translated and optimised.
bool emitCpu(LlvmBackend &backend, Emitted &out, std::string *error);
bool emitCuda(LlvmBackend &backend, const Target &target, Emitted &out, std::string *error);
bool emitRocm(LlvmBackend &backend, Emitted &out, std::string *error);

/// The number after `key` in `text`, or -1.
int numberAfter(std::string_view text, std::string_view key);

} // namespace ordo::compiler
