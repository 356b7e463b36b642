// A folder for tools that read and write files; gone with the object.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace ordo::compiler {

class Scratch {
public:
  /// A new folder in the system's temporary one; nothing and `error` if it cannot be made.
  static std::optional<Scratch> create(std::string *error);
  Scratch(Scratch &&other) noexcept : folder_(std::exchange(other.folder_, {})) {}
  Scratch &operator=(Scratch &&) = delete;
  ~Scratch();

  std::string path(std::string_view name) const;
  bool write(std::string_view name, const std::string &bytes, std::string *error) const;
  std::optional<std::string> read(std::string_view name) const;

private:
  explicit Scratch(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
};

} // namespace ordo::compiler
