// The CPU target's code beside the same loops in C++, compiled by clang -O3 -ffp-contract=off
// -march=x86-64-v3. Bits are compared before anything is timed. The last lines are ratios: our time
// over clang's.
#include "compiler/compile.h"
#include "compiler/target/link.h"
#include "dsl/sema/package.h"
#include "runtime/cpu/library.h"
#include "tests/bench/reference.h"

#include <benchmark/benchmark.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <unistd.h>

namespace ordo::bench {
namespace {

// As many rows as stay in the second-level cache with their output.
constexpr std::int64_t kRows = 16;

struct Buffers {
  std::vector<std::vector<std::byte>> inputs;
  std::vector<std::byte> output;

  template <class T> const T *in(std::size_t i) const {
    return reinterpret_cast<const T *>(inputs[i].data());
  }
  template <class T> T *out() { return reinterpret_cast<T *>(output.data()); }
};

struct Case {
  std::string file, kernel;
  std::function<void(Buffers &)> reference;
};

[[noreturn]] void die(const std::string &why) {
  std::fprintf(stderr, "cpu_bench: %s\n", why.c_str());
  std::exit(1);
}

// Normal values about a few units, never NaN or infinite.
std::vector<std::byte> randomArray(dsl::DType type, std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0f, 2.0f);
  std::vector<std::byte> bytes(count * dsl::byteSize(type));
  for (std::int64_t i = 0; i < count; ++i) {
    const float value = normal(random);
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    if (type == dsl::DType::BF16) {
      const auto upper = static_cast<std::uint16_t>(bits >> 16);
      std::memcpy(&bytes[2 * i], &upper, 2);
    } else
      std::memcpy(&bytes[4 * i], &bits, 4);
  }
  return bytes;
}

std::int64_t elements(const dsl::Program &program, const dsl::Tensor &tensor) {
  std::int64_t count = 1;
  for (dsl::ExprId extent : tensor.shape)
    count *= program.constantIndex(extent).value_or(kRows);
  return count;
}

// A compiled kernel with its arrays.
class Kernel {
public:
  explicit Kernel(const Case &c) : name_(c.kernel) {
    dsl::SourceManager sources;
    dsl::Diagnostics diagnostics(sources);
    const auto package = dsl::Package::load(c.file, {"contracts"}, sources, diagnostics);
    if (!package)
      die(diagnostics.renderAll());
    const auto program = package->instantiate(c.kernel, diagnostics);
    if (!program)
      die(diagnostics.renderAll());
    const auto code = compiler::compile(*program, *compiler::findTarget("cpu"),
                                        compiler::Emit::Object, diagnostics);
    if (!code)
      die(diagnostics.renderAll());
    open(code->object);
    makeArrays(*program);
  }

  void run() {
    std::string error;
    if (!library_->call(name_, arguments_, error))
      die(error);
  }

  Buffers buffers;

private:
  void open(const std::string &object) {
    std::string error;
    const auto shared = compiler::linkShared(object, &error);
    if (!shared)
      die(error);
    const auto path =
        std::filesystem::temp_directory_path() / (name_ + "." + std::to_string(::getpid()) + ".so");
    std::ofstream(path, std::ios::binary) << *shared;
    library_ = runtime::Library::open(path, error);
    std::filesystem::remove(path);
    if (!library_)
      die(error);
  }

  void makeArrays(const dsl::Program &program) {
    for (const dsl::Tensor &t : program.tensors)
      if (t.role == dsl::Tensor::Role::Input)
        buffers.inputs.push_back(
            randomArray(t.type, elements(program, t), 1 + buffers.inputs.size()));
      else
        buffers.output.resize(elements(program, t) * dsl::byteSize(t.type));
    for (const auto &input : buffers.inputs)
      arguments_.push_back(runtime::Argument::pointer(input.data()));
    arguments_.push_back(runtime::Argument::pointer(buffers.output.data()));
    arguments_.push_back(runtime::Argument::word(kRows));
  }

  std::string name_;
  std::unique_ptr<runtime::Library> library_;
  std::vector<runtime::Argument> arguments_;
};

using Words = std::uint16_t;

std::vector<Case> cases() {
  const std::string norm = "contracts/nn/norm.ordo", softmax = "contracts/nn/softmax.ordo",
                    lse = "contracts/nn/log_sum_exp.ordo", orders = "tests/contracts/orders.ordo";
  const auto sum = [](void (*f)(const Words *, float *, std::int64_t)) {
    return [f](Buffers &b) { f(b.in<Words>(0), b.out<float>(), kRows); };
  };
  return {
      {norm, "rms_norm_bf16_3584",
       [](Buffers &b) { rmsNormBf16(b.in<Words>(0), b.in<Words>(1), b.out<Words>(), kRows); }},
      {norm, "rms_norm_f32_3584",
       [](Buffers &b) { rmsNormF32(b.in<float>(0), b.in<float>(1), b.out<float>(), kRows); }},
      {softmax, "softmax_bf16_3584",
       [](Buffers &b) { softmaxBf16(b.in<Words>(0), b.out<Words>(), kRows); }},
      {softmax, "softmax_f32_3584",
       [](Buffers &b) { softmaxF32(b.in<float>(0), b.out<float>(), kRows); }},
      {lse, "log_sum_exp_bf16_3584", sum(logSumExpBf16)},
      {lse, "log_sum_exp_f32_3584",
       [](Buffers &b) { logSumExpF32(b.in<float>(0), b.out<float>(), kRows); }},
      {orders, "row_sum_seq_3584", sum(rowSumSeq)},
      {orders, "row_sum_pairs_3584", sum(rowSumPairs)},
      {orders, "row_sum_halves_3584", sum(rowSumHalves)},
      {orders, "row_sum_lanes96_3584", sum(rowSumLanes96)},
      {orders, "row_sum_wide_3584", sum(rowSumWide)},
      {orders, "row_sum_chain_3584", sum(rowSumChain)},
      {orders, "row_sum_vllm_3584", sum(rowSumVllm)},
  };
}

void checkBits(Kernel &kernel, const Case &c) {
  kernel.run();
  const std::vector<std::byte> ours = kernel.buffers.output;
  std::ranges::fill(kernel.buffers.output, std::byte{0xee});
  c.reference(kernel.buffers);
  if (ours != kernel.buffers.output)
    die(c.kernel + ": the loops in C++ give other bits");
}

// Prints as usual, and keeps the processor time of each benchmark: the median where there are
// repetitions.
class Ratios : public benchmark::ConsoleReporter {
public:
  void ReportRuns(const std::vector<Run> &runs) override {
    for (const Run &run : runs)
      if (run.run_type == Run::RT_Iteration || run.aggregate_name == "median")
        times_[run.run_name.function_name] = run.GetAdjustedCPUTime();
    ConsoleReporter::ReportRuns(runs);
  }

  void print(const std::vector<Case> &all) {
    std::printf("\n%-24s %12s %12s %7s\n", "ns a row", "ordo", "clang", "ratio");
    for (const Case &c : all) {
      const auto ours = times_.find("ordo/" + c.kernel), clangs = times_.find("clang/" + c.kernel);
      if (ours != times_.end() && clangs != times_.end())
        std::printf("%-24s %12.1f %12.1f %7.2f\n", c.kernel.c_str(), ours->second / kRows,
                    clangs->second / kRows, ours->second / clangs->second);
    }
  }

private:
  std::map<std::string, double> times_;
};

int run(int argc, char **argv) {
  if (const std::string why = runtime::whyNoCpuKernels(); !why.empty())
    die(why);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  const std::vector<Case> all = cases();
  std::vector<std::unique_ptr<Kernel>> kernels;
  for (const Case &c : all) {
    Kernel *kernel = kernels.emplace_back(std::make_unique<Kernel>(c)).get();
    checkBits(*kernel, c);
    benchmark::RegisterBenchmark(("ordo/" + c.kernel).c_str(), [kernel](benchmark::State &state) {
      for (auto _ : state)
        kernel->run();
    });
    benchmark::RegisterBenchmark(("clang/" + c.kernel).c_str(),
                                 [kernel, &c](benchmark::State &state) {
                                   for (auto _ : state)
                                     c.reference(kernel->buffers);
                                 });
  }
  Ratios reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  reporter.print(all);
  return 0;
}

} // namespace
} // namespace ordo::bench

int main(int argc, char **argv) { return ordo::bench::run(argc, argv); }
