// Owners of what lives on a CUDA device: context, modules, memory, streams, events, graphs.
//
// Every call returns a Status. An owner's Driver must outlive it, and so must the Context. Not
// thread-safe: one thread, on which the context is current.
#pragma once

#include "runtime/cuda/driver_api.h"

#include <array>
#include <span>
#include <utility>

namespace ordo::runtime::cuda {

/// A handle that `Close` gives back; movable, not copyable.
template <class Handle, auto Close> class Owner {
public:
  Owner() = default;
  Owner(const Driver &driver, Handle handle) : driver_(&driver), handle_(handle) {}
  Owner(Owner &&other) noexcept
      : driver_(other.driver_), handle_(std::exchange(other.handle_, Handle{})) {}
  Owner &operator=(Owner &&other) noexcept {
    std::swap(driver_, other.driver_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owner() {
    if (handle_ != Handle{})
      (driver_->api().*Close)(handle_);
  }

  Handle get() const { return handle_; }

private:
  const Driver *driver_ = nullptr;
  Handle handle_ = {};
};

using Module = Owner<ModuleHandle, &DriverApi::moduleUnload>;
using Buffer = Owner<DevicePtr, &DriverApi::release>;
using Stream = Owner<StreamHandle, &DriverApi::streamDestroy>;
using Event = Owner<EventHandle, &DriverApi::eventDestroy>;
using Graph = Owner<GraphExecHandle, &DriverApi::graphExecDestroy>;

/// A kernel's launch shape. `shared` is dynamic shared memory in bytes.
struct LaunchShape {
  std::array<std::int64_t, 3> grid = {1, 1, 1};
  std::array<std::int64_t, 3> block = {1, 1, 1};
  std::int64_t shared = 0;
};

enum class Code : std::uint8_t {
  MachineOnly, // a cubin, as it was compiled
  AllowPtx, // PTX too: the driver compiles it, so what runs is not what was checked ahead of time
};

/// A device's primary context, current on this thread, and everything that is made in it.
class Context {
public:
  static std::optional<Context> open(const Driver &driver, int ordinal, Status &status);
  Context(Context &&other) noexcept
      : driver_(other.driver_), device_(std::exchange(other.device_, -1)) {}
  Context &operator=(Context &&other) noexcept {
    std::swap(driver_, other.driver_);
    std::swap(device_, other.device_);
    return *this;
  }
  ~Context();

  const Driver &driver() const { return *driver_; }
  Status name(std::string &out) const;
  Status attribute(DeviceAttribute attribute, int &out) const;
  Status attribute(FunctionHandle function, FunctionAttribute attribute, int &out) const;
  /// As the driver writes it: 13020 is CUDA 13.2.
  Status version(int &out) const;
  /// Bytes.
  Status memory(std::size_t &free, std::size_t &total) const;
  /// Waits for the device; reports what earlier asynchronous work did wrong.
  Status synchronize() const;

  /// `image` is a cubin, or PTX where that is allowed.
  Status load(std::span<const char> image, Code code, Module &out) const;
  Status function(const Module &module, const std::string &symbol, FunctionHandle &out) const;

  /// Bytes of device memory, aligned to 256. Zero bytes give an empty buffer (address 0).
  Status allocate(std::size_t bytes, Buffer &out) const;
  /// Asynchronous in `stream`, except that host memory which is not pinned is read or written
  /// before the call returns.
  Status toDevice(DevicePtr to, std::span<const char> from, const Stream &stream) const;
  Status toHost(std::span<char> to, DevicePtr from, const Stream &stream) const;
  Status copy(DevicePtr to, DevicePtr from, std::size_t bytes, const Stream &stream) const;
  Status fill(DevicePtr to, unsigned char byte, std::size_t bytes, const Stream &stream) const;

  Status stream(Stream &out) const;
  Status synchronize(const Stream &stream) const;
  Status event(Event &out) const;
  Status record(const Event &event, const Stream &stream) const;
  /// Waits for `end`.
  Status elapsed(const Event &start, const Event &end, float &milliseconds) const;

  /// `arguments[i]` points to the i-th argument's value. A grid with an empty axis launches
  /// nothing.
  Status launch(FunctionHandle function, const LaunchShape &shape, std::span<void *const> arguments,
                const Stream &stream) const;

  /// What is issued to `stream` between the two is recorded, not run.
  Status beginCapture(const Stream &stream) const;
  Status endCapture(const Stream &stream, Graph &out) const;
  Status launch(const Graph &graph, const Stream &stream) const;

private:
  Context(const Driver &driver, int device) : driver_(&driver), device_(device) {}
  const Driver *driver_;
  int device_ = -1;
};

} // namespace ordo::runtime::cuda
