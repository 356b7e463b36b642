// From files to resolved kernels: loading modules, checking operators, instantiating kernels.
#pragma once

#include "dsl/syntax/ast.h"
#include "dsl/syntax/diagnostic.h"
#include "dsl/term/program.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ordo::dsl {

/// A module and everything it uses, parsed, names resolved, generic operators checked.
class Package {
public:
  /// Reads `path`, and each module it uses from `roots` (module a.b.c is ROOT/a/b/c.ordo; the root
  /// implied by the file's own module line is tried first). Errors go to `diagnostics`; nothing is
  /// returned when there are any.
  static std::unique_ptr<Package> load(const std::string &path,
                                       const std::vector<std::string> &roots,
                                       SourceManager &sources, Diagnostics &diagnostics);
  ~Package();

  /// The kernels declared in the file itself, in source order.
  std::vector<std::string> kernels() const;

  /// Resolves one kernel: dimensions to numbers, types and orders to values, functions inlined,
  /// every `require` over constants settled. Reports why not.
  std::optional<Program> instantiate(const std::string &kernel, Diagnostics &diagnostics) const;

  const Ast &root() const;

private:
  struct Impl;
  explicit Package(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace ordo::dsl
