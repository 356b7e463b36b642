// Kernels y[t] = f(x[t]) of f32 on this machine's GPU.
#pragma once

#include "runtime/cuda/device.h"
#include "tests/gpu/bundle.h"

#include <memory>
#include <span>
#include <string>

namespace ordo::math {

class Device {
public:
  /// Null, and the reason in `status`, without a GPU. Calls take at most `capacity` elements.
  static std::unique_ptr<Device> open(std::size_t capacity, runtime::cuda::Status &status);

  /// Makes `kernel` of a bundle the one that runs.
  runtime::cuda::Status use(const gpu::BundleKernel &kernel);
  /// Makes the function `symbol` of a cubin, called with x, y and a 64-bit count, the one that
  /// runs: a thread an element, 256 a block.
  runtime::cuda::Status use(std::span<const char> cubin, const std::string &symbol);

  runtime::cuda::Status write(std::span<const std::uint32_t> x);
  runtime::cuda::Status launch(std::size_t count);
  runtime::cuda::Status read(std::span<std::uint32_t> y);
  /// The median of `repeats` launches, by events.
  runtime::cuda::Status time(std::size_t count, int repeats, float &milliseconds);

private:
  Device() = default;

  // The context outlives what is made in it, and the driver the context.
  std::unique_ptr<runtime::cuda::Driver> driver_;
  std::unique_ptr<runtime::cuda::Context> context_;
  runtime::cuda::Stream stream_;
  runtime::cuda::Buffer x_, y_;
  runtime::cuda::Module module_;
  runtime::cuda::FunctionHandle function_ = nullptr;
  const gpu::BundleKernel *kernel_ = nullptr; // null: a function of a cubin
};

} // namespace ordo::math
