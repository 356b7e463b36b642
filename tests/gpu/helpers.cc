#include "tests/gpu/helpers.h"

#include <algorithm>

namespace ordo::gpu {

using runtime::cuda::Code;
using runtime::cuda::Context;
using runtime::cuda::DevicePtr;
using runtime::cuda::FunctionHandle;
using runtime::cuda::LaunchShape;
using runtime::cuda::Status;

namespace {

constexpr U64 kThreads = 256;
constexpr U64 kMostBlocks = 4096; // all kernels loop, so this is for speed only

U64 blocksFor(U64 elements) { return std::min((elements + kThreads - 1) / kThreads, kMostBlocks); }

} // namespace

std::optional<Helpers> Helpers::load(const Context &context, std::span<const char> cubin,
                                     Status &status) {
  Helpers helpers(context);
  status = context.load(cubin, Code::MachineOnly, helpers.module_);
  if (status.ok())
    status = context.stream(helpers.stream_);
  const std::pair<const char *, FunctionHandle *> functions[] = {
      {"ordo_generate", &helpers.generate_},
      {"ordo_generate_fixed", &helpers.generateFixed_},
      {"ordo_hash", &helpers.hash_},
      {"ordo_compare", &helpers.compare_},
      {"ordo_expect_bytes", &helpers.expectBytes_}};
  for (const auto &[symbol, handle] : functions)
    if (status.ok())
      status = context.function(helpers.module_, symbol, *handle);
  if (!status.ok())
    return std::nullopt;
  return helpers;
}

// Each value has exactly the type of the kernel's parameter: the driver copies by the kernel's
// sizes.
template <class... T> Status Helpers::call(FunctionHandle function, U64 blocks, T... values) const {
  void *arguments[] = {&values...};
  const LaunchShape shape{{static_cast<std::int64_t>(blocks), 1, 1}, {kThreads, 1, 1}, 0};
  return context_->launch(function, shape, arguments, stream_);
}

Status Helpers::generate(DevicePtr out, const Source &source, U64 rows,
                         Arrangement arrangement) const {
  return call(generate_, std::min<U64>(rows, 65536), out, source, rows, arrangement);
}

Status Helpers::generateFixed(DevicePtr out, const Source &source, U32 pattern) const {
  return call(generateFixed_, blocksFor(source.columns), out, source, pattern);
}

Status Helpers::hash(DevicePtr data, U32 bytes, U64 count, DevicePtr sum) const {
  return call(hash_, blocksFor(count), data, bytes, count, sum);
}

Status Helpers::compare(DevicePtr got, DevicePtr expected, Format format, U64 rows, U64 columns,
                        Arrangement arrangement, DevicePtr result) const {
  return call(compare_, std::min<U64>(rows, 65536), got, expected, format, rows, columns,
              arrangement, result);
}

Status Helpers::expectBytes(DevicePtr data, U64 bytes, unsigned char value,
                            DevicePtr others) const {
  return call(expectBytes_, blocksFor(bytes), data, bytes, static_cast<U32>(value), others);
}

} // namespace ordo::gpu
