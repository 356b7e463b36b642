#include "compiler/target/scratch.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace ordo::compiler {

std::optional<Scratch> Scratch::create(std::string *error) {
  std::error_code code;
  const auto base = std::filesystem::temp_directory_path(code);
  std::string name = (base / "ordo-XXXXXX").string();
  if (code || !mkdtemp(name.data())) {
    *error = "cannot make a temporary folder in " + base.string();
    return std::nullopt;
  }
  return Scratch(std::move(name));
}

Scratch::~Scratch() {
  std::error_code ignored;
  if (!folder_.empty())
    std::filesystem::remove_all(folder_, ignored);
}

std::string Scratch::path(std::string_view name) const {
  return (std::filesystem::path(folder_) / name).string();
}

bool Scratch::write(std::string_view name, const std::string &bytes, std::string *error) const {
  std::ofstream file(path(name), std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (file)
    return true;
  *error = "cannot write " + path(name);
  return false;
}

std::optional<std::string> Scratch::read(std::string_view name) const {
  std::ifstream file(path(name), std::ios::binary);
  if (!file)
    return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

} // namespace ordo::compiler
