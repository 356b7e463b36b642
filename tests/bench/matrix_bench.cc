// A product of 128 x 128 x 4096 by each family's matrix unit: as the evaluator's `dot` does it, and
// as matmul() alone does. Run by hand, on a quiet machine: docs/performance_cpu.md.
#include "dsl/eval/atom/atom.h"
#include "dsl/eval/evaluator.h"
#include "dsl/sema/package.h"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstring>
#include <random>

namespace ordo::dsl {
namespace {

constexpr std::int64_t kSide = 128, kDepth = 4096;

/// Normal numbers, cut to bf16.
TensorValue normal(std::mt19937 &random, std::vector<std::int64_t> shape) {
  std::normal_distribution<float> distribution;
  TensorValue value{DType::BF16, std::move(shape), {}};
  std::size_t count = 1;
  for (const std::int64_t extent : value.shape)
    count *= static_cast<std::size_t>(extent);
  for (std::size_t i = 0; i < count; ++i) {
    const float x = distribution(random);
    std::byte bytes[4];
    std::memcpy(bytes, &x, 4);
    value.data.insert(value.data.end(), {bytes[2], bytes[3]});
  }
  return value;
}

EvalInputs inputs() {
  std::mt19937 random(1);
  EvalInputs in;
  in.tensors["x"] = normal(random, {kSide, kDepth});
  in.tensors["w"] = normal(random, {kSide, kDepth});
  in.tensors["b"] = normal(random, {kSide});
  return in;
}

void evaluateProduct(benchmark::State &state, const char *target) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  const auto package =
      Package::load("tests/contracts/linear.ordo", {"contracts"}, sources, diagnostics);
  const auto program =
      package ? package->instantiate("linear.v1.whole", diagnostics, target) : std::nullopt;
  if (!program)
    return state.SkipWithError(diagnostics.renderAll().c_str());
  const EvalInputs in = inputs();
  for (auto _ : state)
    if (const EvalResult result = evaluate(*program, in); !result.ok())
      state.SkipWithError(result.error.c_str());
}

void matmulAlone(benchmark::State &state, const char *atom) {
  const EvalInputs in = inputs();
  const AtomOperands a{in.tensors.at("x").data.data(), kDepth},
      b{in.tensors.at("w").data.data(), kDepth};
  for (auto _ : state) {
    std::vector<float> c(kSide * kSide);
    if (!matmul(*findAtom(atom), kSide, kSide, kDepth, a, b, c.data()))
      state.SkipWithError("refused");
  }
}

#define ORDO_PRODUCT(target, atom)                                                                 \
  BENCHMARK_CAPTURE(evaluateProduct, atom, target)->Unit(benchmark::kMillisecond)->UseRealTime();  \
  BENCHMARK_CAPTURE(matmulAlone, atom, #atom)->Unit(benchmark::kMillisecond)->UseRealTime()

ORDO_PRODUCT("cuda.sm_90a", nv.hopper.bf16);
ORDO_PRODUCT("cuda.sm_80", nv.ampere.bf16);
ORDO_PRODUCT("rocm.gfx942", amd.cdna3.bf16);

} // namespace
} // namespace ordo::dsl

BENCHMARK_MAIN();
