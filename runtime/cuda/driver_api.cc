#include "runtime/cuda/driver_api.h"

#include <dlfcn.h>

namespace ordo::runtime::cuda {

namespace {

std::string lastLoaderError() {
  const char *text = dlerror();
  return text ? text : "no reason given";
}

} // namespace

std::optional<Driver> Driver::open(Status &status, const std::string &library) {
  void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    status = {Status::kNoDriver, "cannot open the NVIDIA driver library: " + lastLoaderError() +
                                     "; CUDA kernels need a machine with an NVIDIA GPU and driver"};
    return std::nullopt;
  }
  Driver driver;
  std::string missing;
#define ORDO_CUDA_FIND(member, symbol, parameters)                                                 \
  driver.api_.member = reinterpret_cast<decltype(driver.api_.member)>(dlsym(handle, #symbol));     \
  if (!driver.api_.member)                                                                         \
    missing += missing.empty() ? #symbol : ", " #symbol;
  ORDO_CUDA_FUNCTIONS(ORDO_CUDA_FIND)
#undef ORDO_CUDA_FIND
  if (!missing.empty()) {
    status = {Status::kNoDriver,
              library + " lacks " + missing + "; a driver of CUDA 11.4 or newer has them all"};
    return std::nullopt;
  }
  status = {};
  return driver;
}

Status Driver::status(int result, const char *call) const {
  if (result == 0)
    return {};
  const char *name = nullptr;
  const char *text = nullptr;
  // Both leave the pointer alone for a code they do not know.
  api_.errorName(result, &name);
  api_.errorString(result, &text);
  std::string message = call;
  message += ": ";
  message += name ? name : "unknown error";
  message += " (" + std::to_string(result) + ")";
  if (text) {
    message += ": ";
    message += text;
  }
  return {result, message};
}

} // namespace ordo::runtime::cuda
