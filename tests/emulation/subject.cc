#include "tests/emulation/subject.h"

#include "compiler/target/link.h"
#include "compiler/verify/gcn/read.h"
#include "compiler/verify/ptx/read.h"
#include "tests/unit/compiler/verify/gcn/assemble.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ordo::emulation {

Subject::Subject(const std::string &file, const std::string &kernel, const std::string &target)
    : name_(kernel), target_(target) {
  const auto package = oracle::loadPackage(file, sources_, diagnostics_);
  program_ = package ? package->instantiate(kernel, diagnostics_) : std::nullopt;
  const auto compiled =
      program_
          ? compiler::compile(*program_, *compiler::findTarget(target),
                              isCuda() ? compiler::Emit::Asm : compiler::Emit::Object, diagnostics_)
          : std::nullopt;
  if (!compiled) {
    ADD_FAILURE() << file << ":" << kernel << " on " << target << "\n" << diagnostics_.renderAll();
    return;
  }
  assembly_ = compiled->assembly;
  code_ = isCuda() ? compiled->assembly : compiled->object;
  recipe_ = compiled->launch;
}

std::optional<std::string> Subject::assemble(const std::string &assembly) const {
  if (isCuda())
    return assembly;
  const std::string chip = target_.substr(std::string("rocm.").size());
  std::string messages;
  const std::string object =
      verify::gcn::assemble(chip, chip == "gfx1100" ? 32 : 64, assembly, messages);
  return object.empty() ? std::nullopt : compiler::linkShared(object, &messages);
}

std::optional<verify::Kernel> Subject::read(const std::string &code, std::string &error) const {
  if (isCuda()) {
    verify::ptx::ReadFailure failure;
    auto kernel = verify::ptx::read(code, name_, failure);
    error = fmt::format("line {}: {}", failure.line, failure.message);
    return kernel;
  }
  verify::gcn::ReadFailure failure;
  auto kernel = verify::gcn::read(code, name_, failure);
  error = fmt::format("{:#x}: {}", failure.address, failure.message);
  return kernel;
}

verify::EmulationLaunch Subject::launch(std::int64_t rows, verify::RunOrder order) const {
  const auto grid =
      compiler::gridOf(*program_, *recipe_, std::vector<std::int64_t>(program_->dims.size(), rows));
  verify::EmulationLaunch launch;
  launch.grid = *grid; // the rows of a test fit
  launch.block = recipe_->block;
  launch.order = order;
  return launch;
}

} // namespace ordo::emulation
