#include "tests/proof/compiled.h"

#include "compiler/verify/ptx/read.h"

#include <gtest/gtest.h>

namespace ordo {

Compiled::Compiled(const std::string &file, const std::string &kernel) {
  dsl::SourceManager sources;
  dsl::Diagnostics diagnostics{sources};
  const auto package = oracle::loadPackage(file, sources, diagnostics);
  auto program = package ? package->instantiate(kernel, diagnostics) : std::nullopt;
  auto code = program ? compiler::compile(*program, *compiler::findTarget("cuda.sm_90a"),
                                          compiler::Emit::Asm, diagnostics)
                      : std::nullopt;
  if (!code) {
    ADD_FAILURE() << file << " " << kernel << ": " << diagnostics.renderAll();
    return;
  }
  program_ = std::move(*program);
  ptx_ = std::move(code->assembly);
  launch_ = {code->launch.block, code->launch.rowExtents, code->launch.rows};
}

verify::Proof Compiled::prove(const std::string &ptx, const verify::Launch &launch) const {
  verify::ptx::ReadFailure failure;
  const auto kernel = verify::ptx::read(ptx, program_.kernel, failure);
  if (kernel)
    return verify::prove(program_, *kernel, launch);
  verify::Proof proof;
  proof.refusal = verify::Refusal{failure.message, "", std::nullopt, ""};
  return proof;
}

} // namespace ordo
