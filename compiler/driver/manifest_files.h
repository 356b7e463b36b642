// What an old bundle's manifest says is its own.
#pragma once

#include <string>
#include <vector>

namespace ordo::compiler::driver {

/// The file names that a manifest lists; none when `text` is no manifest of ours.
std::vector<std::string> filesOfManifest(const std::string &text);

} // namespace ordo::compiler::driver
