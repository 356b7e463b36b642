// How fast the functions of the math library are on this machine's GPU, beside CUDA's own.
//
//   device_time BUNDLE REFERENCE.cubin    BUNDLE: of tests/contracts/throughput.ordo
//
// A kernel evaluates its function 16 times an element on 2^24 elements from 0.5 to 4.5; the time is
// the median of 20 launches. Prints a table in Markdown: 10^9 evaluations a second.
#include "tests/math/device.h"

#include <bit>
#include <cstdio>
#include <fstream>
#include <iterator>

namespace ordo::math {
namespace {

using runtime::cuda::Status;

constexpr std::size_t kElements = std::size_t{1} << 24;
constexpr int kEvaluations = 16, kRepeats = 20;

int fail(const std::string &why) {
  std::fprintf(stderr, "device_time: %s\n", why.c_str());
  return 2;
}

/// 10^9 evaluations a second of what `device` runs; 0 where it has no such function.
double rate(Device &device, const Status &used) {
  float milliseconds = 0.0f;
  if (!used.ok() || !device.time(kElements, kRepeats, milliseconds).ok() || milliseconds <= 0.0f)
    return 0.0;
  return static_cast<double>(kElements) * kEvaluations / milliseconds * 1e-6;
}

std::string cell(double rate) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f", rate);
  return rate > 0.0 ? text : "-";
}

int run(const std::string &bundle, const std::string &reference) {
  std::string error;
  const auto kernels = gpu::readBundle(bundle, "cuda.sm_90a", error);
  if (!kernels)
    return fail(error);
  std::ifstream in(reference, std::ios::binary);
  const std::vector<char> cubin{std::istreambuf_iterator<char>(in), {}};
  Status status;
  const auto device = Device::open(kElements, status);
  if (!device)
    return fail(status.message);
  std::vector<std::uint32_t> x(kElements);
  for (std::size_t i = 0; i < kElements; ++i)
    x[i] = std::bit_cast<std::uint32_t>(0.5f + 4.0f * static_cast<float>(i) / kElements);
  if (status = device->write(x); !status.ok())
    return fail(status.message);
  std::map<std::string, std::map<std::string, double>> rates; // function, tier
  for (const gpu::BundleKernel &kernel : *kernels) {
    const std::size_t at = kernel.name.rfind('_');
    rates[kernel.name.substr(0, at)][kernel.name.substr(at + 1)] =
        rate(*device, device->use(kernel));
  }
  std::printf("| function | correctly rounded | f32 tier | CUDA |\n|---|---|---|---|\n");
  for (auto &[function, tiers] : rates)
    std::printf("| %s | %s | %s | %s |\n", function.c_str(), cell(tiers["rounded"]).c_str(),
                cell(tiers["f32"]).c_str(),
                cell(rate(*device, device->use(cubin, "cuda_" + function))).c_str());
  return 0;
}

} // namespace
} // namespace ordo::math

int main(int argc, char **argv) {
  if (argc != 3)
    return ordo::math::fail("expected BUNDLE REFERENCE.cubin");
  return ordo::math::run(argv[1], argv[2]);
}
