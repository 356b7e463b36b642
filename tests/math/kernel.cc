#include "tests/math/kernel.h"

#include "tests/math/mix.h"

#include <array>
#include <cstdio>
#include <cstdlib>

namespace ordo::math {

std::unique_ptr<Kernel> Kernel::open(const std::string &path, const std::string &symbol,
                                     std::string &error) {
  auto kernel = std::make_unique<Kernel>();
  kernel->library_ = runtime::Library::open(path, error);
  kernel->symbol_ = symbol;
  if (!kernel->library_)
    return nullptr;
  const std::array<runtime::Argument, 3> nothing = {runtime::Argument::pointer(nullptr),
                                                    runtime::Argument::pointer(nullptr),
                                                    runtime::Argument::word(0)};
  return kernel->library_->call(symbol, nothing, error) ? std::move(kernel) : nullptr;
}

void Kernel::run(std::span<const std::uint32_t> x, std::span<std::uint32_t> y) {
  const std::array<runtime::Argument, 3> arguments = {runtime::Argument::pointer(x.data()),
                                                      runtime::Argument::pointer(y.data()),
                                                      runtime::Argument::word(x.size())};
  std::string error;
  if (!library_->call(symbol_, arguments, error)) {
    std::fprintf(stderr, "cannot call %s: %s\n", symbol_.c_str(), error.c_str());
    std::abort(); // open() has called it
  }
  for (std::uint32_t &bits : y)
    bits = canonical(bits);
}

} // namespace ordo::math
