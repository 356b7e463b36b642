// A contract's function as a kernel y[t] = f(x[t]) of f32 in a shared object.
#pragma once

#include "runtime/cpu/library.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace ordo::math {

class Kernel {
public:
  /// Null, and the reason in `error`, where `path` cannot be loaded or has no `symbol`.
  static std::unique_ptr<Kernel> open(const std::string &path, const std::string &symbol,
                                      std::string &error);

  /// y[i] = f(x[i]) by their bits; of one length. A NaN becomes 0x7fc00000. Thread-safe.
  void run(std::span<const std::uint32_t> x, std::span<std::uint32_t> y);

private:
  std::unique_ptr<runtime::Library> library_;
  std::string symbol_;
};

} // namespace ordo::math
