// A kernel that Ordo did not make, executed on this CPU.
#pragma once

#include "compiler/verify/machine/concrete.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace ordo::foreign {

/// PTX of this folder: "cuda/row_sum_tree".
std::string textOf(const std::string &name);
/// The only kernel of it; a failure of the test where it cannot be read.
verify::Kernel kernelOf(const std::string &name);

/// The arguments of a launch, in their order.
class Launch {
public:
  template <class T> Launch &in(const std::string &name, const std::vector<T> &values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return pointer(memory_.add(name, std::move(bytes), false, 16));
  }
  Launch &out(const std::string &name, std::size_t bytes);
  template <class T> Launch &value(T value) {
    arguments_.emplace_back(sizeof(T));
    std::memcpy(arguments_.back().data(), &value, sizeof(T));
    return *this;
  }
  Launch &grid(std::uint32_t blocks) {
    launch_.grid[0] = blocks;
    return *this;
  }
  Launch &block(std::uint32_t x, std::uint32_t y = 1) {
    launch_.block.size = {x, y, 1};
    return *this;
  }
  Launch &shared(std::uint64_t bytes) {
    launch_.block.sharedBytes = bytes;
    return *this;
  }

  /// "line 82: what stopped it", or empty.
  std::string run(const verify::Kernel &kernel);
  /// Of the only output.
  template <class T> std::vector<T> output() {
    const std::vector<std::byte> &bytes = memory_.region(output_).bytes;
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }

private:
  Launch &pointer(std::uint64_t address) { return value(address); }

  verify::Memory memory_;
  verify::LaunchOf launch_;
  std::vector<std::vector<std::byte>> arguments_;
  std::size_t output_ = 0;
};

} // namespace ordo::foreign
