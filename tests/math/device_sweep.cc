// Evaluates the kernels of a bundle, each y[t] = f(x[t]) of f32, on this machine's GPU over all
// 2^32 inputs and prints the hash of the outputs, which is the one that `sweep` prints for the CPU
// where every output has the same bits. Exit code 0: all ran; 2: something could not be tried.
//
//   device_sweep BUNDLE [TARGET]
#include "tests/math/device.h"
#include "tests/math/mix.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

namespace ordo::math {
namespace {

using runtime::cuda::Status;

constexpr std::uint64_t kInputs = std::uint64_t{1} << 32;
constexpr std::uint64_t kChunk = std::uint64_t{1} << 25;

struct Arrays {
  std::vector<std::uint32_t> x = std::vector<std::uint32_t>(kChunk), y = x;
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

Status sweep(Device &device, const gpu::BundleKernel &kernel, Arrays &arrays, std::uint64_t &sum) {
  Status status = device.use(kernel);
  for (std::uint64_t first = 0; first < kInputs && status.ok(); first += kChunk) {
    inParallel([&](std::uint64_t begin, std::uint64_t end, unsigned) {
      for (std::uint64_t i = begin; i < end; ++i)
        arrays.x[i] = static_cast<std::uint32_t>(first + i);
    });
    status = device.write(arrays.x);
    if (status.ok())
      status = device.launch(kChunk);
    if (status.ok())
      status = device.read(arrays.y);
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
  const auto device = Device::open(kChunk, status);
  if (!device)
    return fail(status.message);
  Arrays arrays;
  for (const gpu::BundleKernel &kernel : *kernels) {
    std::uint64_t sum = 0;
    const auto start = std::chrono::steady_clock::now();
    status = sweep(*device, kernel, arrays, sum);
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
