// `ordo audit --ptx`: reads a kernel that Ordo did not make, runs one block of it for all inputs,
// sizes and blocks, and shows what it stores.
#include "compiler/driver/ptx_audit.h"

#include "compiler/driver/contract.h"
#include "compiler/driver/failure.h"
#include "compiler/driver/text.h"
#include "compiler/verify/ptx/read.h"
#include "compiler/verify/signature/build.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <iterator>

namespace ordo::compiler::driver {

namespace {

constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 26;

std::string readPtx(const std::string &path) {
  requireReadable(path);
  std::error_code error;
  if (const auto bytes = std::filesystem::file_size(path, error); !error && bytes > kMostBytes)
    throw misuse(fmt::format("{} has {}, and PTX of {} is read", path, humanBytes(bytes),
                             humanBytes(kMostBytes)));
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

[[noreturn]] void refuseLine(const std::string &path, const verify::ptx::ReadFailure &failure) {
  const std::string place = failure.line == 0 ? path : fmt::format("{}:{}", path, failure.line);
  throw refusal(fmt::format("{}: {}", place, failure.message));
}

/// The kernel that is named, or the only one.
std::string nameOf(const PtxOptions &options, const std::string &text) {
  verify::ptx::ReadFailure failure;
  const auto names = verify::ptx::entries(text, failure);
  if (!names)
    refuseLine(options.file, failure);
  const bool isThere = std::find(names->begin(), names->end(), options.kernel) != names->end();
  if (isThere || (options.kernel.empty() && names->size() == 1))
    return isThere ? options.kernel : names->front();
  if (options.kernel.empty())
    throw misuse(fmt::format("which kernel of {}?", options.file),
                 fmt::format("--kernel NAME; it has {}", joined(*names)));
  throw misuse(fmt::format("{} has no kernel {}", options.file, options.kernel),
               fmt::format("it has {}", joined(*names)));
}

verify::Kernel kernelOf(const PtxOptions &options) {
  const std::string text = readPtx(options.file);
  const std::string name = nameOf(options, text);
  verify::ptx::ReadFailure failure;
  auto kernel = verify::ptx::read(text, name, failure);
  if (!kernel)
    refuseLine(options.file, failure);
  return std::move(*kernel);
}

verify::LaunchSignature launchOf(const std::string &text) {
  dsl::SourceManager sources;
  dsl::Diagnostics diagnostics(sources);
  auto launch = verify::parseLaunch(sources.add("--signature", text), sources, diagnostics);
  report(diagnostics);
  if (!launch)
    throw Failure{kMisuse, "", "docs/foreign.md shows what a signature is"};
  return std::move(*launch);
}

/// "race.ptx:65: a race: …", and the line.
Failure refusalOf(const PtxAudit &audit) {
  const verify::Fault &fault = *audit.found.fault;
  const verify::SourceLine &line = audit.kernel.lines.at(fault.line);
  if (fault.line == 0)
    return refusal(fmt::format("{}: {}", audit.path, fault.message));
  std::string code =
      line.text.substr(std::min(line.text.find_first_not_of(" \t"), line.text.size()));
  std::replace(code.begin(), code.end(), '\t', ' ');
  return refusal(fmt::format("{}:{}: {}", audit.path, line.number, fault.message),
                 fmt::format("at `{}`{}", code,
                             fault.hasThread ? fmt::format(", thread ({}, {}, {})", fault.thread[0],
                                                           fault.thread[1], fault.thread[2])
                                             : ""));
}

} // namespace

int runPtxAudit(const PtxOptions &options) {
  PtxAudit audit;
  audit.path = options.file;
  audit.signature = options.signature;
  audit.launch = launchOf(options.signature);
  audit.kernel = kernelOf(options);
  if (const std::string why = verify::mismatch(audit.launch, audit.kernel); !why.empty())
    throw misuse(why, "the signature has the arguments that the kernel takes, in its order");
  audit.found = verify::audit(audit.kernel, audit.launch);
  const std::string text = options.json ? ptxAuditJson(audit) : ptxAuditText(audit);
  std::fputs(text.c_str(), stdout);
  if (!audit.found.fault)
    return kFine;
  std::fflush(stdout);
  throw refusalOf(audit);
}

} // namespace ordo::compiler::driver
