// NVIDIA's driver, opened at run time: nothing here is needed to build or to link.
//
// Only the functions that ordo launches kernels with. Types are the driver's, by layout: the header
// cuda.h is not needed either.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace ordo::runtime::cuda {

/// An address on the device.
using DevicePtr = std::uint64_t;

// The driver's opaque handles.
using ContextHandle = struct ContextTag *;
using ModuleHandle = struct ModuleTag *;
using FunctionHandle = struct FunctionTag *;
using StreamHandle = struct StreamTag *;
using EventHandle = struct EventTag *;
using GraphHandle = struct GraphTag *;
using GraphExecHandle = struct GraphExecTag *;

/// CUdevice_attribute and CUfunction_attribute values that ordo asks for.
enum class DeviceAttribute : int {
  MultiprocessorCount = 16,
  L2CacheBytes = 38,
  ComputeMajor = 75,
  ComputeMinor = 76,
};
enum class FunctionAttribute : int { SharedBytes = 1, LocalBytes = 3, Registers = 4 };

/// How a call ended. `code` is the driver's CUresult; negative where the driver was never reached.
struct Status {
  static constexpr int kNoDriver = -1;   // the library is missing or lacks a function
  static constexpr int kBadRequest = -2; // refused before the driver was asked

  int code = 0;
  std::string message; // empty when ok

  bool ok() const { return code == 0; }
};

// member, symbol, parameters. The suffixes are part of the ABI: cuMemAlloc without one is the
// 32-bit call of CUDA 3.
#define ORDO_CUDA_FUNCTIONS(X)                                                                     \
  X(init, cuInit, (unsigned flags))                                                                \
  X(driverVersion, cuDriverGetVersion, (int *version))                                             \
  X(deviceCount, cuDeviceGetCount, (int *count))                                                   \
  X(deviceGet, cuDeviceGet, (int *device, int ordinal))                                            \
  X(deviceName, cuDeviceGetName, (char *name, int size, int device))                               \
  X(deviceAttribute, cuDeviceGetAttribute, (int *value, int attribute, int device))                \
  X(primaryRetain, cuDevicePrimaryCtxRetain, (ContextHandle * context, int device))                \
  X(primaryRelease, cuDevicePrimaryCtxRelease_v2, (int device))                                    \
  X(setCurrent, cuCtxSetCurrent, (ContextHandle context))                                          \
  X(synchronize, cuCtxSynchronize, ())                                                             \
  X(memoryInfo, cuMemGetInfo_v2, (std::size_t *free, std::size_t *total))                          \
  X(allocate, cuMemAlloc_v2, (DevicePtr * address, std::size_t bytes))                             \
  X(release, cuMemFree_v2, (DevicePtr address))                                                    \
  X(toDevice, cuMemcpyHtoDAsync_v2,                                                                \
    (DevicePtr to, const void *from, std::size_t bytes, StreamHandle stream))                      \
  X(toHost, cuMemcpyDtoHAsync_v2,                                                                  \
    (void *to, DevicePtr from, std::size_t bytes, StreamHandle stream))                            \
  X(copy, cuMemcpyDtoDAsync_v2,                                                                    \
    (DevicePtr to, DevicePtr from, std::size_t bytes, StreamHandle stream))                        \
  X(fill, cuMemsetD8Async,                                                                         \
    (DevicePtr to, unsigned char byte, std::size_t bytes, StreamHandle stream))                    \
  X(moduleLoad, cuModuleLoadDataEx,                                                                \
    (ModuleHandle * module, const void *image, unsigned count, int *options, void **values))       \
  X(moduleUnload, cuModuleUnload, (ModuleHandle module))                                           \
  X(moduleFunction, cuModuleGetFunction,                                                           \
    (FunctionHandle * function, ModuleHandle module, const char *name))                            \
  X(functionAttribute, cuFuncGetAttribute, (int *value, int attribute, FunctionHandle function))   \
  X(launch, cuLaunchKernel,                                                                        \
    (FunctionHandle function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,     \
     unsigned blockY, unsigned blockZ, unsigned sharedBytes, StreamHandle stream,                  \
     void **arguments, void **extra))                                                              \
  X(streamCreate, cuStreamCreate, (StreamHandle * stream, unsigned flags))                         \
  X(streamDestroy, cuStreamDestroy_v2, (StreamHandle stream))                                      \
  X(streamSynchronize, cuStreamSynchronize, (StreamHandle stream))                                 \
  X(captureBegin, cuStreamBeginCapture_v2, (StreamHandle stream, int mode))                        \
  X(captureEnd, cuStreamEndCapture, (StreamHandle stream, GraphHandle * graph))                    \
  X(graphInstantiate, cuGraphInstantiateWithFlags,                                                 \
    (GraphExecHandle * exec, GraphHandle graph, unsigned long long flags))                         \
  X(graphLaunch, cuGraphLaunch, (GraphExecHandle exec, StreamHandle stream))                       \
  X(graphDestroy, cuGraphDestroy, (GraphHandle graph))                                             \
  X(graphExecDestroy, cuGraphExecDestroy, (GraphExecHandle exec))                                  \
  X(eventCreate, cuEventCreate, (EventHandle * event, unsigned flags))                             \
  X(eventDestroy, cuEventDestroy_v2, (EventHandle event))                                          \
  X(eventRecord, cuEventRecord, (EventHandle event, StreamHandle stream))                          \
  X(eventSynchronize, cuEventSynchronize, (EventHandle event))                                     \
  X(eventElapsed, cuEventElapsedTime, (float *milliseconds, EventHandle start, EventHandle end))   \
  X(errorName, cuGetErrorName, (int code, const char **name))                                      \
  X(errorString, cuGetErrorString, (int code, const char **text))

/// The driver's functions. Each returns a CUresult; see NVIDIA's driver API for their meaning.
struct DriverApi {
#define ORDO_CUDA_MEMBER(member, symbol, parameters) int(*member) parameters = nullptr;
  ORDO_CUDA_FUNCTIONS(ORDO_CUDA_MEMBER)
#undef ORDO_CUDA_MEMBER
};

/// The driver library with all its functions found. It stays loaded until the process ends:
/// unloading it while its threads run is not supported.
class Driver {
public:
  /// Opens `library`. On failure `status` says what is missing and what would provide it.
  static std::optional<Driver> open(Status &status, const std::string &library = "libcuda.so.1");

  const DriverApi &api() const { return api_; }

  /// The status of a call that answered `result`: "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2): out of
  /// memory".
  Status status(int result, const char *call) const;

private:
  Driver() = default;
  DriverApi api_;
};

} // namespace ordo::runtime::cuda
