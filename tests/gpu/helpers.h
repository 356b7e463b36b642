// The kernels of check_kernels.cu, called. All of it is asynchronous in one stream.
#pragma once

#include "runtime/cuda/device.h"
#include "tests/gpu/pattern.h"

#include <optional>
#include <span>

namespace ordo::gpu {

class Helpers {
public:
  /// `cubin` is that of check_kernels.cu. Nothing, and why, when the device does not take it.
  static std::optional<Helpers> load(const runtime::cuda::Context &context,
                                     std::span<const char> cubin, runtime::cuda::Status &status);

  const runtime::cuda::Context &context() const { return *context_; }
  const runtime::cuda::Stream &stream() const { return stream_; }

  /// Rows by arrangement.
  runtime::cuda::Status generate(runtime::cuda::DevicePtr out, const Source &source, U64 rows,
                                 Arrangement arrangement) const;
  /// One row of `pattern`.
  runtime::cuda::Status generateFixed(runtime::cuda::DevicePtr out, const Source &source,
                                      U32 pattern) const;
  /// Adds the hash of `count` elements to the U64 at `sum`.
  runtime::cuda::Status hash(runtime::cuda::DevicePtr data, U32 bytes, U64 count,
                             runtime::cuda::DevicePtr sum) const;
  /// Compares row t with row patternOf(t) of `expected`; updates the Mismatch at `result`.
  runtime::cuda::Status compare(runtime::cuda::DevicePtr got, runtime::cuda::DevicePtr expected,
                                Format format, U64 rows, U64 columns, Arrangement arrangement,
                                runtime::cuda::DevicePtr result) const;
  /// Adds the number of bytes that are not `value` to the U64 at `others`.
  runtime::cuda::Status expectBytes(runtime::cuda::DevicePtr data, U64 bytes, unsigned char value,
                                    runtime::cuda::DevicePtr others) const;

private:
  explicit Helpers(const runtime::cuda::Context &context) : context_(&context) {}
  template <class... T>
  runtime::cuda::Status call(runtime::cuda::FunctionHandle function, U64 blocks, T... values) const;

  const runtime::cuda::Context *context_;
  runtime::cuda::Module module_;
  runtime::cuda::Stream stream_;
  runtime::cuda::FunctionHandle generate_ = nullptr;
  runtime::cuda::FunctionHandle generateFixed_ = nullptr;
  runtime::cuda::FunctionHandle hash_ = nullptr;
  runtime::cuda::FunctionHandle compare_ = nullptr;
  runtime::cuda::FunctionHandle expectBytes_ = nullptr;
};

} // namespace ordo::gpu
