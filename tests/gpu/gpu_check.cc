// gpu_check: runs the kernels of bundles on this machine's GPU against the evaluator's bits.
//
//   gpu_check --cases DIR --helpers check_kernels.cubin [OPTION...] BUNDLE...
//
// Exit code 0: every bit is right; 1: something differs; 2: it could not be tried.
#include "tests/gpu/check.h"
#include "tests/gpu/files.h"

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace ordo::gpu {

namespace {

using runtime::cuda::Context;
using runtime::cuda::DeviceAttribute;
using runtime::cuda::Driver;
using runtime::cuda::Status;
using Json = nlohmann::ordered_json;

constexpr const char *kUsage =
    "usage: gpu_check --cases DIR --helpers CUBIN [--target NAME] [--out JSON] [--only TEXT]\n"
    "                 [--quick] [--limit-mib N] [--libcuda FILE] BUNDLE...\n";

struct Options {
  std::string cases, helpers, out, only;
  std::string target = "cuda.sm_90a";
  std::string library = "libcuda.so.1";
  std::vector<std::string> bundles;
  CheckOptions check;
};

std::optional<Options> parse(int argc, char **argv) {
  Options options;
  const std::map<std::string, std::string *> texts = {
      {"--cases", &options.cases},   {"--helpers", &options.helpers},
      {"--out", &options.out},       {"--only", &options.only},
      {"--target", &options.target}, {"--libcuda", &options.library}};
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--quick") {
      options.check.quick = true;
    } else if (const auto text = texts.find(word); text != texts.end() && i + 1 < argc) {
      *text->second = argv[++i];
    } else if (word == "--limit-mib" && i + 1 < argc) {
      options.check.tensorLimit = std::strtoull(argv[++i], nullptr, 10) << 20;
    } else if (!word.starts_with("-")) {
      options.bundles.push_back(word);
    } else {
      return std::nullopt;
    }
  }
  if (options.cases.empty() || options.helpers.empty() || options.bundles.empty())
    return std::nullopt;
  return options;
}

Json describeDevice(const Context &context) {
  std::string name;
  int version = 0;
  int processors = 0;
  int cache = 0;
  std::size_t free = 0;
  std::size_t total = 0;
  for (const Status &status :
       {context.name(name), context.version(version),
        context.attribute(DeviceAttribute::MultiprocessorCount, processors),
        context.attribute(DeviceAttribute::L2CacheBytes, cache), context.memory(free, total)})
    if (!status.ok())
      std::fprintf(stderr, "gpu_check: %s\n", status.message.c_str());
  return {{"name", name},
          {"driver_cuda", version},
          {"multiprocessors", processors},
          {"l2_bytes", cache},
          {"memory_bytes", total}};
}

Json describe(const CheckReport &report, const BundleKernel &kernel) {
  return {{"kernel", report.kernel},
          {"contract_digest", kernel.digest},
          {"set", report.set},
          {"failed", report.failed},
          {"failures", report.failures},
          {"launches", report.launches},
          {"rows", report.rows},
          {"elements", report.elements},
          {"largest_rows", report.largestRows},
          {"registers", report.registers},
          {"local_bytes", report.localBytes},
          {"shared_bytes", report.sharedBytes}};
}

void print(const CheckReport &report) {
  std::printf("%s %s, %s: %llu launches, %llu rows, %llu elements, T up to %llu; %d registers\n",
              report.failed == 0 ? "ok  " : "FAIL", report.kernel.c_str(), report.set.c_str(),
              static_cast<unsigned long long>(report.launches),
              static_cast<unsigned long long>(report.rows),
              static_cast<unsigned long long>(report.elements),
              static_cast<unsigned long long>(report.largestRows), report.registers);
  for (const std::string &failure : report.failures)
    std::printf("     %s\n", failure.c_str());
  if (report.failed > report.failures.size())
    std::printf("     and %llu more\n",
                static_cast<unsigned long long>(report.failed - report.failures.size()));
  std::fflush(stdout);
}

/// The case files of a kernel. Having none is a failure of the run, not a kernel without one.
std::vector<std::string> casesOf(const Options &options, const std::string &kernel) {
  std::vector<std::string> paths;
  for (const char *set : {"plain", "special"}) {
    const std::string path = options.cases + "/" + kernel + "." + set + ".case";
    if (std::filesystem::exists(path))
      paths.push_back(path);
  }
  return paths;
}

/// Runs everything; false when the device could not go on.
bool runAll(const Options &options, const Helpers &helpers, Json &results, U64 &failed) {
  for (const std::string &bundle : options.bundles) {
    std::string error;
    const auto kernels = readBundle(bundle, options.target, error);
    if (!kernels) {
      std::printf("FAIL %s\n", error.c_str());
      ++failed;
      continue;
    }
    for (const BundleKernel &kernel : *kernels) {
      if (kernel.name.find(options.only) == std::string::npos)
        continue;
      const std::vector<std::string> paths = casesOf(options, kernel.name);
      if (paths.empty()) {
        std::printf("FAIL %s: there is no case for it in %s\n", kernel.name.c_str(),
                    options.cases.c_str());
        ++failed;
      }
      for (const std::string &path : paths) {
        CheckReport report;
        report.kernel = kernel.name;
        Status status;
        if (const auto work = readCase(path, error)) {
          status = checkCase(helpers, kernel, *work, options.check, report);
        } else {
          ++report.failed;
          report.failures.push_back(error);
        }
        if (!status.ok()) {
          ++report.failed;
          report.failures.push_back(status.message);
        }
        print(report);
        results.push_back(describe(report, kernel));
        failed += report.failed != 0;
        // A refused launch passes; a fault in a kernel takes the context with it.
        if (!status.ok() && !helpers.context().synchronize().ok())
          return false;
      }
    }
  }
  return true;
}

int run(const Options &options) {
  Status status;
  std::string error;
  const auto cubin = readFile(options.helpers, error);
  const auto driver = Driver::open(status, options.library);
  const auto context = driver ? Context::open(*driver, 0, status) : std::nullopt;
  if (context && !cubin)
    status = {Status::kBadRequest, error};
  const auto helpers = context && cubin ? Helpers::load(*context, *cubin, status) : std::nullopt;
  if (!helpers) {
    std::fprintf(stderr, "gpu_check: %s\n", status.message.c_str());
    return 2;
  }
  const Json device = describeDevice(*context);
  std::printf("%s\n", device.dump().c_str());
  Json results = Json::array();
  U64 failed = 0;
  const bool finished = runAll(options, *helpers, results, failed);
  if (!finished)
    std::printf("FAIL the device stopped working; what came after was not run\n");
  const U64 passed = static_cast<U64>(
      std::ranges::count_if(results, [](const Json &result) { return result["failed"] == 0; }));
  if (!options.out.empty() && !writeFile(options.out, Json{{"device", device},
                                                           {"target", options.target},
                                                           {"quick", options.check.quick},
                                                           {"finished", finished},
                                                           {"passed", passed},
                                                           {"failed", failed},
                                                           {"cases", results}}
                                                              .dump(1) +
                                                          "\n")) {
    std::fprintf(stderr, "gpu_check: cannot write %s\n", options.out.c_str());
    return 2;
  }
  std::printf("%llu passed, %llu failed\n", static_cast<unsigned long long>(passed),
              static_cast<unsigned long long>(failed));
  return finished && failed == 0 && passed > 0 ? 0 : 1;
}

} // namespace

} // namespace ordo::gpu

int main(int argc, char **argv) {
  const auto options = ordo::gpu::parse(argc, argv);
  if (!options) {
    std::fputs(ordo::gpu::kUsage, stderr);
    return 2;
  }
  return ordo::gpu::run(*options);
}
