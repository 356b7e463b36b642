// A contract opened from the command line: its sources, its package, its kernels.
#pragma once

#include "compiler/driver/options.h"
#include "dsl/sema/package.h"
#include "dsl/syntax/diagnostic.h"
#include "dsl/term/program.h"

#include <memory>
#include <string>
#include <vector>

namespace ordo::compiler::driver {

class Contract {
public:
  /// Reads and checks the file. Diagnostics go to stderr. Throws Failure: misuse where the file
  /// cannot be read, a refusal where it does not check.
  explicit Contract(const SourceOptions &options);

  const std::string &path() const { return path_; }
  const std::string &module() const { return package_->root().module; }
  std::vector<std::string> kernels() const { return package_->kernels(); }
  /// Of one of kernels(). Throws misuse for another name.
  const dsl::KernelInfo &kernel(const std::string &name) const;
  const std::vector<dsl::ProfileInfo> &profiles() const { return package_->profiles(); }
  const dsl::SourceManager &sources() const { return sources_; }
  /// Every module that was read, the file itself first, with its text.
  std::vector<std::pair<std::string, std::string>> modules() const;
  /// The file itself, as parsed.
  const dsl::Ast &root() const { return package_->root(); }

  /// Resolves one kernel, for a target of its profile where one is named; without one its `mma` may
  /// stay open. Throws Failure: misuse with suggestions for an unknown name, a refusal where the
  /// kernel does not resolve.
  dsl::Program program(const std::string &kernel, const std::string &target = "");

  /// `path:line:column`, or "" for a place that is no place.
  std::string place(dsl::Span span) const;

private:
  std::string path_;
  dsl::SourceManager sources_;
  std::unique_ptr<dsl::Package> package_;
};

/// Says at once why a path cannot be read, before any parsing: throws misuse.
void requireReadable(const std::string &path);

/// Prints what was collected to stderr, errors and warnings alike.
void report(const dsl::Diagnostics &diagnostics);

/// Throws misuse with suggestions when the contract declares no kernel of that name.
void requireKernel(const Contract &contract, const std::string &kernel);

/// The one kernel a command works on: the one named, or the only one there is. Throws misuse that
/// lists the kernels otherwise.
std::string onlyKernel(const Contract &contract, const std::string &named);

} // namespace ordo::compiler::driver
