// Kernels built for this CPU, loaded from a shared object and called with arguments known at run
// time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace ordo::runtime {

/// One argument: a pointer, an integer (extended to 64 bits), or the bits of a floating-point
/// number in its low bits.
struct Argument {
  enum class Kind : std::uint8_t { Word, Float };
  Kind kind = Kind::Word;
  std::uint64_t bits = 0;

  static Argument pointer(const void *address) {
    return {Kind::Word, reinterpret_cast<std::uintptr_t>(address)};
  }
  static Argument word(std::uint64_t value) { return {Kind::Word, value}; }
  static Argument floating(std::uint64_t bits) { return {Kind::Float, bits}; }
};

/// The most arguments of either kind that a call takes.
inline constexpr std::size_t kMaxArguments = 128;

/// Why kernels of the target `cpu` (x86-64 with AVX2: x86-64-v3) do not run here; "" when they do.
std::string whyNoCpuKernels();

/// A shared object in this process, unloaded when the last owner goes.
class Library {
public:
  /// Null, and the loader's reason in `error`, when `path` cannot be loaded.
  static std::unique_ptr<Library> open(const std::string &path, std::string &error);
  ~Library();
  Library(const Library &) = delete;
  Library &operator=(const Library &) = delete;

  /// Calls the kernel `symbol`, a C function that returns nothing. False, and the reason in
  /// `error`, when it is absent or takes more than kMaxArguments. Nothing else is checked: the
  /// caller knows the kernel's arguments from its manifest or program.
  bool call(const std::string &symbol, std::span<const Argument> arguments, std::string &error);

private:
  explicit Library(void *handle) : handle_(handle) {}
  void *handle_;
};

} // namespace ordo::runtime
