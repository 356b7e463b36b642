// A kernel of the contracts, compiled for a GPU, to be run by the verifier's machine.
#pragma once

#include "compiler/compile.h"
#include "compiler/verify/emulate/emulate.h"
#include "compiler/verify/machine/instruction.h"
#include "tests/oracle/every_kernel.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ordo::emulation {

class Subject {
public:
  /// Fails the running test, and is not ok(), if the kernel does not load or compile.
  Subject(const std::string &file, const std::string &kernel, const std::string &target);

  bool ok() const { return recipe_.has_value(); }
  const dsl::Program &program() const { return *program_; }
  const std::string &name() const { return name_; }
  const std::string &target() const { return target_; }
  bool isCuda() const { return target_.starts_with("cuda."); }
  const compiler::LaunchRecipe &recipe() const { return *recipe_; }
  /// PTX or AMDGCN, as the compiler prints it.
  const std::string &assembly() const { return assembly_; }

  /// What the verifier reads: PTX as it is, AMDGCN assembled and linked. Nothing if it does not
  /// assemble.
  std::optional<std::string> assemble(const std::string &assembly) const;
  /// What the verifier's reader makes of `code`, this kernel's or a changed one; or why it refuses.
  std::optional<verify::Kernel> read(const std::string &code, std::string &error) const;
  /// This kernel, read.
  std::optional<verify::Kernel> read(std::string &error) const { return read(code_, error); }

  /// Every free dimension has `rows`.
  verify::EmulationLaunch launch(std::int64_t rows, verify::RunOrder order = {}) const;

private:
  std::string name_, target_, assembly_, code_;
  dsl::SourceManager sources_;
  dsl::Diagnostics diagnostics_{sources_};
  std::optional<dsl::Program> program_;
  std::optional<compiler::LaunchRecipe> recipe_;
};

} // namespace ordo::emulation
