// The text of a lock file, read and written: docs/profiles.md.
#pragma once

#include "dsl/sema/digest.h"

#include <cstddef>
#include <map>
#include <string>

namespace ordo::compiler::driver {

/// Digits of a part's digest that a lock keeps.
inline constexpr std::size_t kPartDigits = 16;

/// What a lock holds of one profile.
struct LockEntry {
  std::map<std::string, std::map<std::string, std::string>> resolutions; // kernel → digest
  std::map<std::string, dsl::ContractParts> parts;                       // of kernels
};
using Lock = std::map<std::string, LockEntry>; // by profile

/// The digest of a profile's digests, by kernel.
std::string fingerprint(const std::map<std::string, std::string> &kernels);

/// The same lock gives the same bytes.
std::string lockText(const Lock &lock);

/// Reads what lockText writes. Throws a refusal that says why the text is no whole lock file.
Lock parseLock(const std::string &text);

} // namespace ordo::compiler::driver
