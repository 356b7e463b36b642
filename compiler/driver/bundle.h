// A bundle read back: its manifest, its files, its contract (docs/bundle.md).
#pragma once

#include "compiler/driver/contract.h"
#include "compiler/driver/files.h"
#include "compiler/driver/json.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ordo::compiler::driver {

struct BundledTarget {
  std::string name;                         // "cuda.sm_90a"
  std::map<std::string, std::string> files; // bytes by role
  Json launch;                              // null on a CPU
  std::optional<std::string> certificate;   // its text, where the manifest names one
};

struct BundledKernel {
  std::string name, digest;
  Json arguments, conditions;
  std::vector<BundledTarget> targets;
};

class Bundle {
public:
  /// Reads DIR/manifest.json and every file that it names. Throws misuse where there is no bundle,
  /// a refusal where the manifest is malformed or a file is not the one it describes.
  explicit Bundle(const std::string &folder);

  const std::vector<BundledKernel> &kernels() const { return kernels_; }
  const std::string &module() const { return module_; }
  const std::string &ptxas() const { return ptxas_; } // its version, or empty
  /// The contract that lies in the bundle, checked. Throws a refusal where there is none.
  std::unique_ptr<Contract> contract() const;

private:
  std::string read(const Json &file) const;
  void readKernel(const Json &kernel);
  BundledTarget target(const std::string &name, const Json &json) const;

  std::string folder_, module_, ptxas_;
  std::vector<std::pair<std::string, std::string>> sources_; // module, text
  std::vector<BundledKernel> kernels_;
};

/// A formula of the manifest as an Index expression of the program, or nothing.
std::optional<dsl::ExprId> parseFormula(const Json &formula, dsl::Program &program);

} // namespace ordo::compiler::driver
