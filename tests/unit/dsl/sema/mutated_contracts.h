// Contracts that hold every construct, in a folder where a test may change them.
#pragma once

#include "dsl/sema/package.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ordo::dsl {

using Digests = std::vector<std::string>;

/// A folder with the modules of the project, those of its tests, and three of its own that together
/// hold every construct: everything.ordo, rest.ordo and data.ordo.
class Contracts {
public:
  explicit Contracts(const std::string &name);

  void write(const std::string &path, const std::string &text) const;
  std::string read(const std::string &path) const;

  /// Of every kernel of `path`, in source order, for every target of its profile; nothing when
  /// anything is refused.
  std::optional<Digests> digests(const std::string &path, std::string *why = nullptr) const;

private:
  std::filesystem::path root_;
};

} // namespace ordo::dsl
