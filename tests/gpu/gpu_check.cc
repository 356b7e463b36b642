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

/// The whole run: what came of it so far is on disk after every case, so that a run cut short
/// leaves that.
class Session {
public:
  Session(const Options &options, const Helpers &helpers)
      : options_(options), helpers_(helpers), device_(describeDevice(helpers.context())) {
    std::printf("%s\n", device_.dump().c_str());
  }

  /// False when the device could not go on.
  bool runAll();
  bool write(bool finished) const;
  U64 passed() const { return passed_; }
  U64 failed() const { return failed_; }

private:
  bool runKernel(const BundleKernel &kernel);
  Status runCase(const BundleKernel &kernel, const std::string &path);
  void fail(const std::string &text) {
    std::printf("FAIL %s\n", text.c_str());
    ++failed_;
  }

  const Options &options_;
  const Helpers &helpers_;
  Json device_;
  Json cases_ = Json::array();
  U64 passed_ = 0;
  U64 failed_ = 0;
};

bool Session::write(bool finished) const {
  if (options_.out.empty())
    return true;
  const Json result = {
      {"device", device_},    {"target", options_.target}, {"quick", options_.check.quick},
      {"finished", finished}, {"passed", passed_},         {"failed", failed_},
      {"cases", cases_}};
  return writeFile(options_.out, result.dump(1) + "\n");
}

Status Session::runCase(const BundleKernel &kernel, const std::string &path) {
  CheckReport report;
  report.kernel = kernel.name;
  Status status;
  std::string error;
  if (const auto work = readCase(path, error)) {
    status = checkCase(helpers_, kernel, *work, options_.check, report);
    error = status.message;
  }
  if (!error.empty()) {
    ++report.failed;
    report.failures.push_back(error);
  }
  print(report);
  cases_.push_back(describe(report, kernel));
  ++(report.failed == 0 ? passed_ : failed_);
  return status;
}

bool Session::runKernel(const BundleKernel &kernel) {
  const std::vector<std::string> paths = casesOf(options_, kernel.name);
  if (paths.empty())
    fail(kernel.name + ": there is no case for it in " + options_.cases);
  for (const std::string &path : paths) {
    const Status status = runCase(kernel, path);
    write(false);
    // A refused launch passes; a fault in a kernel takes the context with it.
    if (!status.ok() && !helpers_.context().synchronize().ok())
      return false;
  }
  return true;
}

bool Session::runAll() {
  for (const std::string &bundle : options_.bundles) {
    std::string error;
    const auto kernels = readBundle(bundle, options_.target, error);
    if (!kernels) {
      fail(error);
      continue;
    }
    for (const BundleKernel &kernel : *kernels)
      if (kernel.name.find(options_.only) != std::string::npos && !runKernel(kernel)) {
        fail("the device stopped working; what comes after was not run");
        return false;
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
  Session session(options, *helpers);
  const bool finished = session.runAll();
  if (!session.write(finished)) {
    std::fprintf(stderr, "gpu_check: cannot write %s\n", options.out.c_str());
    return 2;
  }
  std::printf("%llu passed, %llu failed\n", static_cast<unsigned long long>(session.passed()),
              static_cast<unsigned long long>(session.failed()));
  return finished && session.failed() == 0 && session.passed() > 0 ? 0 : 1;
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
