// Inputs as modules on disk, and what loading them gives.
#pragma once

#include "dsl/sema/package.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ordo::fuzz {

bool isUtf8(std::string_view text);

/// Files in the scratch folder, removed in the end. A line `//// file nn/norm.ordo` begins a file
/// of that name; what stands before the first such line lies where its module line says.
class Modules {
public:
  ~Modules();
  /// Replaces what is there. Returns the path of the first file.
  std::string write(std::string_view input);
  /// One file, whatever it holds, where a module of that name lies.
  std::string writeOne(const std::string &module, std::string_view text);
};

/// A package and all that its kernels became.
class Contract {
public:
  explicit Contract(const std::string &path);

  bool isFine() const { return !diagnostics_.hasErrors(); }
  const std::vector<dsl::Program> &programs() const { return programs_; }
  /// Of every kernel that resolves.
  std::vector<std::string> digests() const;
  /// The kinds of what was reported, sorted.
  std::vector<std::string> kinds() const;
  std::string report() const { return diagnostics_.renderAll(); }

private:
  dsl::SourceManager sources_;
  dsl::Diagnostics diagnostics_;
  std::unique_ptr<dsl::Package> package_;
  std::vector<dsl::Program> programs_;
};

} // namespace ordo::fuzz
