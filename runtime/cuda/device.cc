#include "runtime/cuda/device.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace ordo::runtime::cuda {

namespace {

constexpr unsigned kNonBlocking = 1;   // CU_STREAM_NON_BLOCKING
constexpr int kCaptureThreadLocal = 1; // CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
constexpr std::int64_t kMaxGridX = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMaxGridYZ = 65535;

bool isElf(std::span<const char> image) {
  constexpr std::string_view kMagic = "\x7f"
                                      "ELF";
  return image.size() >= kMagic.size() && std::equal(kMagic.begin(), kMagic.end(), image.begin());
}

} // namespace

std::optional<Context> Context::open(const Driver &driver, int ordinal, Status &status) {
  const DriverApi &api = driver.api();
  int count = 0;
  int device = 0;
  ContextHandle context = nullptr;
  if (status = driver.status(api.init(0), "cuInit"); !status.ok())
    return std::nullopt;
  if (status = driver.status(api.deviceCount(&count), "cuDeviceGetCount"); !status.ok())
    return std::nullopt;
  if (ordinal < 0 || ordinal >= count) {
    status = {Status::kBadRequest, "there is no CUDA device " + std::to_string(ordinal) +
                                       ": the driver sees " + std::to_string(count)};
    return std::nullopt;
  }
  if (status = driver.status(api.deviceGet(&device, ordinal), "cuDeviceGet"); !status.ok())
    return std::nullopt;
  status = driver.status(api.primaryRetain(&context, device), "cuDevicePrimaryCtxRetain");
  if (!status.ok())
    return std::nullopt;
  Context result(driver, device); // gives the context back if the next call fails
  if (status = driver.status(api.setCurrent(context), "cuCtxSetCurrent"); !status.ok())
    return std::nullopt;
  return result;
}

Context::~Context() {
  if (device_ >= 0)
    driver_->api().primaryRelease(device_);
}

Status Context::name(std::string &out) const {
  std::array<char, 256> text{};
  Status status = driver_->status(
      driver_->api().deviceName(text.data(), static_cast<int>(text.size()), device_),
      "cuDeviceGetName");
  out = text.data();
  return status;
}

Status Context::attribute(DeviceAttribute attribute, int &out) const {
  return driver_->status(driver_->api().deviceAttribute(&out, static_cast<int>(attribute), device_),
                         "cuDeviceGetAttribute");
}

Status Context::attribute(FunctionHandle function, FunctionAttribute attribute, int &out) const {
  return driver_->status(
      driver_->api().functionAttribute(&out, static_cast<int>(attribute), function),
      "cuFuncGetAttribute");
}

Status Context::version(int &out) const {
  return driver_->status(driver_->api().driverVersion(&out), "cuDriverGetVersion");
}

Status Context::memory(std::size_t &free, std::size_t &total) const {
  return driver_->status(driver_->api().memoryInfo(&free, &total), "cuMemGetInfo");
}

Status Context::synchronize() const {
  return driver_->status(driver_->api().synchronize(), "cuCtxSynchronize");
}

Status Context::load(std::span<const char> image, Code code, Module &out) const {
  ModuleHandle handle = nullptr;
  if (isElf(image)) {
    Status status = driver_->status(
        driver_->api().moduleLoad(&handle, image.data(), 0, nullptr, nullptr), "cuModuleLoadData");
    if (status.ok())
      out = Module(*driver_, handle);
    return status;
  }
  if (code == Code::MachineOnly)
    return {
        Status::kBadRequest,
        "the code is not a cubin; PTX would be compiled by the driver, so what runs would not be "
        "what was checked: allow it explicitly"};
  std::vector<char> text(image.begin(), image.end());
  text.push_back('\0'); // the driver expects a C string
  Status status = driver_->status(
      driver_->api().moduleLoad(&handle, text.data(), 0, nullptr, nullptr), "cuModuleLoadData");
  if (status.ok())
    out = Module(*driver_, handle);
  return status;
}

Status Context::function(const Module &module, const std::string &symbol,
                         FunctionHandle &out) const {
  Status status = driver_->status(driver_->api().moduleFunction(&out, module.get(), symbol.c_str()),
                                  "cuModuleGetFunction");
  if (!status.ok())
    status.message += " (symbol " + symbol + ")";
  return status;
}

Status Context::allocate(std::size_t bytes, Buffer &out) const {
  if (bytes == 0) {
    out = Buffer();
    return {};
  }
  DevicePtr address = 0;
  Status status = driver_->status(driver_->api().allocate(&address, bytes), "cuMemAlloc");
  if (status.ok())
    out = Buffer(*driver_, address);
  else
    status.message += " (" + std::to_string(bytes) + " bytes)";
  return status;
}

Status Context::toDevice(DevicePtr to, std::span<const char> from, const Stream &stream) const {
  return driver_->status(driver_->api().toDevice(to, from.data(), from.size(), stream.get()),
                         "cuMemcpyHtoD");
}

Status Context::toHost(std::span<char> to, DevicePtr from, const Stream &stream) const {
  return driver_->status(driver_->api().toHost(to.data(), from, to.size(), stream.get()),
                         "cuMemcpyDtoH");
}

Status Context::copy(DevicePtr to, DevicePtr from, std::size_t bytes, const Stream &stream) const {
  return driver_->status(driver_->api().copy(to, from, bytes, stream.get()), "cuMemcpyDtoD");
}

Status Context::fill(DevicePtr to, unsigned char byte, std::size_t bytes,
                     const Stream &stream) const {
  return driver_->status(driver_->api().fill(to, byte, bytes, stream.get()), "cuMemsetD8");
}

Status Context::stream(Stream &out) const {
  StreamHandle handle = nullptr;
  Status status =
      driver_->status(driver_->api().streamCreate(&handle, kNonBlocking), "cuStreamCreate");
  if (status.ok())
    out = Stream(*driver_, handle);
  return status;
}

Status Context::synchronize(const Stream &stream) const {
  return driver_->status(driver_->api().streamSynchronize(stream.get()), "cuStreamSynchronize");
}

Status Context::event(Event &out) const {
  EventHandle handle = nullptr;
  Status status = driver_->status(driver_->api().eventCreate(&handle, 0), "cuEventCreate");
  if (status.ok())
    out = Event(*driver_, handle);
  return status;
}

Status Context::record(const Event &event, const Stream &stream) const {
  return driver_->status(driver_->api().eventRecord(event.get(), stream.get()), "cuEventRecord");
}

Status Context::elapsed(const Event &start, const Event &end, float &milliseconds) const {
  Status status = driver_->status(driver_->api().eventSynchronize(end.get()), "cuEventSynchronize");
  if (!status.ok())
    return status;
  return driver_->status(driver_->api().eventElapsed(&milliseconds, start.get(), end.get()),
                         "cuEventElapsedTime");
}

Status Context::launch(FunctionHandle function, const LaunchShape &shape,
                       std::span<void *const> arguments, const Stream &stream) const {
  for (int axis = 0; axis < 3; ++axis) {
    const std::int64_t limit = axis == 0 ? kMaxGridX : kMaxGridYZ;
    if (shape.grid[axis] < 0 || shape.grid[axis] > limit)
      return {Status::kBadRequest, "a grid of " + std::to_string(shape.grid[axis]) +
                                       " blocks along axis " + std::to_string(axis) +
                                       " cannot be launched; the limit is " +
                                       std::to_string(limit)};
    if (shape.block[axis] < 1 || shape.block[axis] > 1024)
      return {Status::kBadRequest, "a block of " + std::to_string(shape.block[axis]) +
                                       " threads along axis " + std::to_string(axis) +
                                       " cannot be launched"};
  }
  if (shape.shared < 0 || shape.shared > kMaxGridX)
    return {Status::kBadRequest, "dynamic shared memory of " + std::to_string(shape.shared) +
                                     " bytes cannot be launched"};
  if (std::ranges::find(shape.grid, 0) != shape.grid.end())
    return {}; // the driver refuses an empty grid, and there is nothing to compute
  const auto at = [](std::int64_t value) { return static_cast<unsigned>(value); };
  return driver_->status(driver_->api().launch(function, at(shape.grid[0]), at(shape.grid[1]),
                                               at(shape.grid[2]), at(shape.block[0]),
                                               at(shape.block[1]), at(shape.block[2]),
                                               at(shape.shared), stream.get(),
                                               const_cast<void **>(arguments.data()), nullptr),
                         "cuLaunchKernel");
}

Status Context::beginCapture(const Stream &stream) const {
  return driver_->status(driver_->api().captureBegin(stream.get(), kCaptureThreadLocal),
                         "cuStreamBeginCapture");
}

Status Context::endCapture(const Stream &stream, Graph &out) const {
  GraphHandle graph = nullptr;
  Status status =
      driver_->status(driver_->api().captureEnd(stream.get(), &graph), "cuStreamEndCapture");
  if (!status.ok())
    return status;
  GraphExecHandle exec = nullptr;
  status = driver_->status(driver_->api().graphInstantiate(&exec, graph, 0), "cuGraphInstantiate");
  driver_->api().graphDestroy(graph);
  if (status.ok())
    out = Graph(*driver_, exec);
  return status;
}

Status Context::launch(const Graph &graph, const Stream &stream) const {
  return driver_->status(driver_->api().graphLaunch(graph.get(), stream.get()), "cuGraphLaunch");
}

} // namespace ordo::runtime::cuda
