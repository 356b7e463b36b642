// Evaluates the kernels of a bundle, each y[t] = f(x[t]) of f32, on this machine's GPU over all
// 2^32 inputs and prints the hash of the outputs, which is the one that `sweep` prints for the CPU
// where every output has the same bits. Exit code 0: all ran; 2: something could not be tried.
//
//   device_sweep BUNDLE [TARGET]
#include "runtime/cuda/device.h"
#include "tests/gpu/bundle.h"
#include "tests/math/mix.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

namespace ordo::math {
namespace {

using runtime::cuda::Code;
using runtime::cuda::Context;
using runtime::cuda::Driver;
using runtime::cuda::Status;

constexpr std::uint64_t kInputs = std::uint64_t{1} << 32;
constexpr std::uint64_t kChunk = std::uint64_t{1} << 25;

struct Arrays {
  std::vector<std::uint32_t> x = std::vector<std::uint32_t>(kChunk), y = x;
  runtime::cuda::Buffer deviceX, deviceY;
  runtime::cuda::Stream stream;
};

template <class Work> void inParallel(const Work &work) {
  const unsigned count = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < count; ++i)
    threads.emplace_back([&, i] { work(kChunk * i / count, kChunk * (i + 1) / count, i); });
  for (std::thread &thread : threads)
    thread.join();
}

std::uint64_t hash(const Arrays &arrays) {
  std::vector<std::uint64_t> sums(std::max(1u, std::thread::hardware_concurrency()));
  inParallel([&](std::uint64_t first, std::uint64_t last, unsigned thread) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = first; i < last; ++i)
      sum += mix(arrays.x[i], canonical(arrays.y[i]));
    sums[thread] = sum;
  });
  std::uint64_t total = 0;
  for (const std::uint64_t sum : sums)
    total += sum;
  return total;
}

Status launch(const Context &context, runtime::cuda::FunctionHandle function,
              const gpu::BundleKernel &kernel, const Arrays &arrays) {
  std::uint64_t values[] = {arrays.deviceX.get(), arrays.deviceY.get(), kChunk};
  void *arguments[] = {&values[0], &values[1], &values[2]};
  std::map<std::string, std::int64_t> dims;
  for (const gpu::BundleArgument &argument : kernel.arguments)
    if (argument.kind == gpu::BundleArgument::Kind::Dimension)
      dims[argument.name] = static_cast<std::int64_t>(kChunk);
  runtime::cuda::LaunchShape shape{{1, 1, 1}, kernel.block, 0};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto extent = gpu::evaluate(kernel.grid[axis], dims);
    if (!extent)
      return {Status::kBadRequest, "the manifest's grid cannot be computed"};
    shape.grid[axis] = *extent;
  }
  return context.launch(function, shape, arguments, arrays.stream);
}

Status sweep(const Context &context, const gpu::BundleKernel &kernel, Arrays &arrays,
             std::uint64_t &sum) {
  runtime::cuda::Module module;
  runtime::cuda::FunctionHandle function = nullptr;
  Status status = context.load(kernel.code, Code::MachineOnly, module);
  if (status.ok())
    status = context.function(module, kernel.symbol, function);
  const auto bytes = [](auto &values) { return std::as_writable_bytes(std::span(values)); };
  for (std::uint64_t first = 0; first < kInputs && status.ok(); first += kChunk) {
    inParallel([&](std::uint64_t begin, std::uint64_t end, unsigned) {
      for (std::uint64_t i = begin; i < end; ++i)
        arrays.x[i] = static_cast<std::uint32_t>(first + i);
    });
    const auto x = bytes(arrays.x), y = bytes(arrays.y);
    status = context.toDevice(arrays.deviceX.get(),
                              {reinterpret_cast<const char *>(x.data()), x.size()}, arrays.stream);
    if (status.ok())
      status = launch(context, function, kernel, arrays);
    if (status.ok())
      status = context.toHost({reinterpret_cast<char *>(y.data()), y.size()}, arrays.deviceY.get(),
                              arrays.stream);
    if (status.ok())
      status = context.synchronize(arrays.stream);
    if (status.ok())
      sum += hash(arrays);
  }
  return status;
}

int fail(const std::string &why) {
  std::fprintf(stderr, "device_sweep: %s\n", why.c_str());
  return 2;
}

int run(const std::string &bundle, const std::string &target) {
  std::string error;
  const auto kernels = gpu::readBundle(bundle, target, error);
  if (!kernels)
    return fail(error);
  Status status;
  const auto driver = Driver::open(status);
  if (!driver)
    return fail(status.message);
  const auto context = Context::open(*driver, 0, status);
  if (!context)
    return fail(status.message);
  Arrays arrays;
  status = context->stream(arrays.stream);
  if (status.ok())
    status = context->allocate(kChunk * 4, arrays.deviceX);
  if (status.ok())
    status = context->allocate(kChunk * 4, arrays.deviceY);
  for (const gpu::BundleKernel &kernel : *kernels) {
    std::uint64_t sum = 0;
    const auto start = std::chrono::steady_clock::now();
    if (status.ok())
      status = sweep(*context, kernel, arrays, sum);
    if (!status.ok())
      return fail(kernel.name + ": " + status.message);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    std::printf("%s: %llu inputs on %s, hash %016llx (%.1f s)\n", kernel.name.c_str(),
                static_cast<unsigned long long>(kInputs), target.c_str(),
                static_cast<unsigned long long>(sum), spent.count());
    std::fflush(stdout);
  }
  return 0;
}

} // namespace
} // namespace ordo::math

int main(int argc, char **argv) {
  if (argc < 2 || argc > 3)
    return ordo::math::fail("expected BUNDLE [TARGET]");
  return ordo::math::run(argv[1], argc == 3 ? argv[2] : "cuda.sm_90a");
}
