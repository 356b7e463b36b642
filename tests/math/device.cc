#include "tests/math/device.h"

#include <algorithm>

namespace ordo::math {

using runtime::cuda::Code;
using runtime::cuda::Context;
using runtime::cuda::Driver;
using runtime::cuda::Status;

std::unique_ptr<Device> Device::open(std::size_t capacity, Status &status) {
  auto driver = Driver::open(status);
  if (!driver)
    return nullptr;
  std::unique_ptr<Device> device(new Device);
  device->driver_ = std::make_unique<Driver>(std::move(*driver));
  auto context = Context::open(*device->driver_, 0, status);
  if (!context)
    return nullptr;
  device->context_ = std::make_unique<Context>(std::move(*context));
  status = device->context_->stream(device->stream_);
  for (runtime::cuda::Buffer *buffer : {&device->x_, &device->y_})
    if (status.ok())
      status = device->context_->allocate(capacity * sizeof(std::uint32_t), *buffer);
  return status.ok() ? std::move(device) : nullptr;
}

Status Device::use(const gpu::BundleKernel &kernel) {
  const Status status = use(kernel.code, kernel.symbol);
  kernel_ = &kernel;
  return status;
}

Status Device::use(std::span<const char> cubin, const std::string &symbol) {
  kernel_ = nullptr;
  module_ = {};
  const Status status = context_->load(cubin, Code::MachineOnly, module_);
  return status.ok() ? context_->function(module_, symbol, function_) : status;
}

Status Device::write(std::span<const std::uint32_t> x) {
  return context_->toDevice(x_.get(), {reinterpret_cast<const char *>(x.data()), x.size_bytes()},
                            stream_);
}

Status Device::read(std::span<std::uint32_t> y) {
  const Status status =
      context_->toHost({reinterpret_cast<char *>(y.data()), y.size_bytes()}, y_.get(), stream_);
  return status.ok() ? context_->synchronize(stream_) : status;
}

Status Device::launch(std::size_t count) {
  std::uint64_t values[] = {x_.get(), y_.get(), count};
  void *arguments[] = {&values[0], &values[1], &values[2]};
  runtime::cuda::LaunchShape shape;
  if (!kernel_) {
    shape.block = {256, 1, 1};
    shape.grid = {static_cast<std::int64_t>((count + 255) / 256), 1, 1};
    return context_->launch(function_, shape, arguments, stream_);
  }
  std::map<std::string, std::int64_t> dims;
  for (const gpu::BundleArgument &argument : kernel_->arguments)
    if (argument.kind == gpu::BundleArgument::Kind::Dimension)
      dims[argument.name] = static_cast<std::int64_t>(count);
  shape.block = kernel_->block;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto extent = gpu::evaluate(kernel_->grid[axis], dims);
    if (!extent)
      return {Status::kBadRequest, "the manifest's grid cannot be computed"};
    shape.grid[axis] = *extent;
  }
  return context_->launch(function_, shape, arguments, stream_);
}

Status Device::time(std::size_t count, int repeats, float &milliseconds) {
  runtime::cuda::Event start, end;
  Status status = context_->event(start);
  if (status.ok())
    status = context_->event(end);
  std::vector<float> times;
  for (int i = 0; i < repeats + 3 && status.ok(); ++i) {
    status = context_->record(start, stream_);
    if (status.ok())
      status = launch(count);
    if (status.ok())
      status = context_->record(end, stream_);
    float time = 0.0f;
    if (status.ok())
      status = context_->elapsed(start, end, time);
    if (i >= 3) // the first ones warm up
      times.push_back(time);
  }
  std::ranges::sort(times);
  milliseconds = times.empty() ? 0.0f : times[times.size() / 2];
  return status;
}

} // namespace ordo::math
