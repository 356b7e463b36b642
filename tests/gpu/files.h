// Whole files in and out.
#pragma once

#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ordo::gpu {

/// The bytes of a file; nothing, and why, when it cannot be read.
inline std::optional<std::vector<char>> readFile(const std::string &path, std::string &error) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) {
    error = "cannot read " + path;
    return std::nullopt;
  }
  std::vector<char> bytes(static_cast<std::size_t>(in.tellg()));
  in.seekg(0);
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!in) {
    error = "cannot read " + path;
    return std::nullopt;
  }
  return bytes;
}

/// False when the file cannot be written whole.
inline bool writeFile(const std::string &path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.flush();
  return out.good();
}

} // namespace ordo::gpu
