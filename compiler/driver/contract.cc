#include "compiler/driver/contract.h"

#include "compiler/driver/failure.h"
#include "compiler/driver/text.h"

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ordo::compiler::driver {

namespace {

/// A path below the working folder without that folder: modules found through a root have long
/// ones.
std::string shortPath(const std::string &path) {
  std::error_code error;
  const std::string here = std::filesystem::current_path(error).string() + "/";
  return !error && path.starts_with(here) ? path.substr(here.size()) : path;
}

Failure unknownKernel(const Contract &contract, const std::string &kernel) {
  const std::vector<std::string> known = contract.kernels();
  if (known.empty())
    return misuse(fmt::format("{} declares no kernels", contract.path()),
                  "a kernel fixes an operator's dimensions: kernel NAME = OP<H = 128, …>");
  const std::string near = dsl::didYouMean(kernel, known);
  return misuse(fmt::format("{} has no kernel '{}'", contract.path(), kernel),
                (near.empty() ? "" : fmt::format("did you mean '{}'? ", near)) +
                    fmt::format("its kernels: {}", joined(known)));
}

} // namespace

void requireReadable(const std::string &path) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0)
    throw misuse(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  if (S_ISDIR(info.st_mode))
    throw misuse(fmt::format("{} is a folder, not a contract", path),
                 "name a file that ends in .ordo");
  if (::access(path.c_str(), R_OK) != 0)
    throw misuse(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
}

void report(const dsl::Diagnostics &diagnostics) {
  if (!diagnostics.all().empty())
    std::fputs(diagnostics.renderAll().c_str(), stderr);
}

Contract::Contract(const SourceOptions &options) : path_(options.file) {
  requireReadable(path_);
  dsl::Diagnostics diagnostics(sources_);
  package_ = dsl::Package::load(path_, options.roots, sources_, diagnostics);
  report(diagnostics);
  if (!package_)
    throw refusal("");
}

dsl::Program Contract::program(const std::string &kernel, const std::string &target) {
  requireKernel(*this, kernel);
  dsl::Diagnostics diagnostics(sources_);
  std::optional<dsl::Program> program = package_->instantiate(kernel, diagnostics, target);
  report(diagnostics);
  if (!program)
    throw refusal("");
  return std::move(*program);
}

const dsl::KernelInfo &Contract::kernel(const std::string &name) const {
  requireKernel(*this, name);
  return *package_->kernel(name);
}

std::vector<std::pair<std::string, std::string>> Contract::modules() const {
  std::vector<std::pair<std::string, std::string>> modules;
  for (const auto &[module, file] : package_->modules())
    modules.emplace_back(module, sources_.file(file).text);
  return modules;
}

std::string Contract::place(dsl::Span span) const {
  if (span.end == 0 || span.file >= sources_.size())
    return "";
  const dsl::LineColumn at = sources_.lineColumn(span.file, span.begin);
  return fmt::format("{}:{}:{}", shortPath(sources_.file(span.file).path), at.line, at.column);
}

void requireKernel(const Contract &contract, const std::string &kernel) {
  for (const std::string &name : contract.kernels())
    if (name == kernel)
      return;
  throw unknownKernel(contract, kernel);
}

std::string onlyKernel(const Contract &contract, const std::string &named) {
  if (!named.empty())
    return named;
  const std::vector<std::string> kernels = contract.kernels();
  if (kernels.size() == 1)
    return kernels.front();
  if (kernels.empty())
    throw unknownKernel(contract, "");
  throw misuse(fmt::format("which kernel of {}?", contract.path()),
               fmt::format("write {}:KERNEL with one of {}", contract.path(), joined(kernels)));
}

} // namespace ordo::compiler::driver
