// Reductions in the evaluator: over nothing, in every type; `fma` stages with starts and roundings;
// stages that round. Against plain loops on the host's floats.
#include "dsl/eval/evaluator.h"
#include "tests/unit/dsl/eval/program_builder.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace ordo::dsl {
namespace {

using namespace testing_support;
using Mask = std::vector<std::uint8_t>;

/// One reduction over x[N] of the type; for Dot of x[N] y[N].
std::uint64_t reduced(ReduceOp op, DType type, const std::string &order,
                      const std::vector<std::uint64_t> &x, const std::vector<std::uint64_t> &y = {},
                      const Mask *mask = nullptr) {
  Builder b;
  const DimId n = b.dim("N");
  const TensorId tx = b.tensor("x", type, {b.size(n)}), ty = b.tensor("y", type, {b.size(n)});
  const TensorId tm = mask ? b.tensor("m", DType::Bool, {b.size(n)}) : 0;
  const TensorId out = b.tensor("out", type, {}, Tensor::Role::Output);
  const VarId i = b.var("i", b.size(n));
  const ExprId xi = b.load(tx, {b.at(i)}), yi = b.load(ty, {b.at(i)});
  const ExprId where = mask ? b.load(tm, {b.at(i)}) : kNone;
  const ExprId body = op == ReduceOp::Dot ? b.mul(xi, yi) : xi;
  b.define("out", {}, b.reduce(op, {i}, order, body, where), out);
  const auto tensor = [&](const std::vector<std::uint64_t> &bits) {
    TensorValue t{type, {static_cast<std::int64_t>(x.size())}, {}};
    t.data.resize(x.size() * elementSize(type));
    for (std::size_t k = 0; k < bits.size(); ++k)
      storeBits(type, t.data.data() + k * elementSize(type), bits[k]);
    return t;
  };
  EvalInputs in;
  in.tensors["x"] = tensor(x);
  in.tensors["y"] = tensor(y.empty() ? x : y);
  if (mask)
    in.tensors["m"] = tensorOf(DType::Bool, {static_cast<std::int64_t>(x.size())}, *mask);
  const EvalResult result = evaluate(b.p, in);
  EXPECT_TRUE(result.ok()) << result.error;
  return result.ok() ? loadBits(type, result.outputs.at("out").data.data()) : 0;
}

TEST(OverNothing, SumsAreMinusZeroInEveryFloat) {
  for (const DType type : {DType::F64, DType::F32, DType::F16, DType::BF16})
    for (const char *order :
         {"seq", "pairs", "halves", "mid", "mid.leaf(8): bf16", "seq.from(1.5)", "halves.pad(1.5)",
          "seq(8) | lanes(4).pad(0.0) | halves", "first(2) | seq(4).from(2.0) | seq"})
      EXPECT_EQ(reduced(ReduceOp::Sum, type, order, {}), std::uint64_t{1} << (bitWidth(type) - 1))
          << order << " in " << name(type);
}

TEST(OverNothing, DotsAreMinusZeroFusedOrNot) {
  for (const DType type : {DType::F64, DType::F32})
    for (const char *order : {"seq", "fma", "fma.from(1.5)", "fma(4): bf16 | pairs",
                              "fma(4).from(0.0) | lanes(2).pad(0.0) | seq"})
      EXPECT_EQ(reduced(ReduceOp::Dot, type, order, {}), std::uint64_t{1} << (bitWidth(type) - 1))
          << order;
}

TEST(OverNothing, ExtremesAreTheirStartAndIntegersTheirs) {
  EXPECT_EQ(reduced(ReduceOp::Max, DType::F64, "", {}), 0xfff0000000000000u);
  EXPECT_EQ(reduced(ReduceOp::Min, DType::BF16, "", {}), 0x7f80u);
  EXPECT_EQ(reduced(ReduceOp::MaxNan, DType::F16, "", {}), 0xfc00u);
  EXPECT_EQ(reduced(ReduceOp::MinNan, DType::F32, "", {}), 0x7f800000u);
  for (const DType type : {DType::I32, DType::I64, DType::U32, DType::U64})
    EXPECT_EQ(reduced(ReduceOp::Sum, type, "", {}), 0u);
  EXPECT_EQ(reduced(ReduceOp::Max, DType::I32, "", {}), 0x80000000u);
  EXPECT_EQ(reduced(ReduceOp::Min, DType::I64, "", {}), ~std::uint64_t{0} >> 1);
  EXPECT_EQ(reduced(ReduceOp::Max, DType::U64, "", {}), 0u);
  EXPECT_EQ(reduced(ReduceOp::Min, DType::U32, "", {}), 0xffffffffu);
}

TEST(OverNothing, AllMaskedIsTheSame) {
  const Mask none(5, 0);
  const std::vector<std::uint64_t> nans(5, 0x7fc00000u);
  for (const char *order : {"seq", "pairs", "mid", "lanes(2) | halves", "halves: bf16"})
    EXPECT_EQ(reduced(ReduceOp::Sum, DType::F32, order, nans, {}, &none), 0x80000000u) << order;
  EXPECT_EQ(reduced(ReduceOp::Dot, DType::F32, "fma(2) | seq", nans, {}, &none), 0x80000000u);
  EXPECT_EQ(reduced(ReduceOp::Max, DType::F32, "", nans, {}, &none), 0xff800000u);
  EXPECT_EQ(reduced(ReduceOp::MaxNan, DType::F32, "", nans, {}, &none), 0xff800000u);
}

float toBf16(float v) {
  const auto u = std::bit_cast<std::uint32_t>(v);
  return std::bit_cast<float>((u + 0x7fffu + (u >> 16 & 1u)) & 0xffff0000u);
}

std::vector<std::uint64_t> randomBits(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<std::uint64_t> v(n);
  for (auto &e : v)
    e = std::bit_cast<std::uint32_t>(normal(random));
  return v;
}

float floatOf(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }

/// fma runs of n (0: all) from `start`, each step rounded to bf16 if `rounds`; then a left fold.
float fusedChain(const std::vector<std::uint64_t> &x, const std::vector<std::uint64_t> &y,
                 const Mask &mask, std::size_t n, float start, bool rounds) {
  float total = 0;
  for (std::size_t begin = 0; begin < x.size(); begin += n == 0 ? x.size() : n) {
    float acc = start;
    const std::size_t end = n == 0 ? x.size() : std::min(begin + n, x.size());
    for (std::size_t i = begin; i < end; ++i) {
      // A masked product is the identity: the step stays, and rounds.
      const float next = mask[i] ? std::fma(floatOf(x[i]), floatOf(y[i]), acc) : acc;
      acc = rounds ? toBf16(next) : next;
    }
    total = begin == 0 ? acc : total + acc;
  }
  return total;
}

TEST(FusedStages, StartAndRoundEveryStep) {
  for (std::size_t length = 1; length <= 40; ++length) {
    const auto x = randomBits(length, 1), y = randomBits(length, 2);
    Mask all(length, 1), some(length);
    for (std::size_t i = 0; i < length; ++i)
      some[i] = i % 3 != 0; // the first of every run of three, so that a start is rounded alone
    for (const Mask *mask : {&all, &some})
      for (const std::size_t n : {0u, 1u, 3u, 16u})
        for (const float start : {-0.0f, 0.0f, 1.001f})
          for (const bool rounds : {false, true}) {
            std::string order = n == 0 ? "fma" : "fma(" + std::to_string(n) + ")";
            if (start != 0.0f || !std::signbit(start))
              order += start == 0.0f ? ".from(0.0)" : ".from(1.001)";
            order += std::string(rounds ? ": bf16" : "") + (n == 0 ? "" : " | seq");
            EXPECT_EQ(reduced(ReduceOp::Dot, DType::F32, order, x, y, mask),
                      std::bit_cast<std::uint32_t>(fusedChain(x, y, *mask, n, start, rounds)))
                << order << " at " << length;
          }
  }
}

TEST(RoundingStages, RoundEachMergeAndEachValueThatPasses) {
  const std::vector<std::uint64_t> x = randomBits(3, 7);
  const float a = floatOf(x[0]), b = floatOf(x[1]), c = floatOf(x[2]);
  const auto sum = [&](const char *order) {
    return floatOf(reduced(ReduceOp::Sum, DType::F32, order, x));
  };
  EXPECT_EQ(sum("seq: bf16"), toBf16(toBf16(a + b) + c));
  EXPECT_EQ(sum("pairs: bf16"), toBf16(toBf16(a + b) + toBf16(c)));
  EXPECT_EQ(sum("halves: bf16"), toBf16(toBf16(a + c) + toBf16(b)));
  EXPECT_EQ(sum("mid: bf16"), toBf16(toBf16(a) + toBf16(toBf16(b) + toBf16(c))));
  EXPECT_EQ(sum("mid.leaf(3): bf16"), toBf16((a + b) + c));
  EXPECT_EQ(sum("lanes(2): bf16 | seq"), toBf16(a + c) + toBf16(b));
  EXPECT_EQ(sum("seq(2).from(1.0): bf16 | seq"), toBf16(toBf16(1.0f + a) + b) + toBf16(1.0f + c));
  EXPECT_EQ(sum("seq(2): bf16 | seq: f32"), toBf16(a + b) + toBf16(c));
}

// A stage that rounds to a type as wide as the accumulator's changes nothing; f16 overflows as f16.
TEST(RoundingStages, RoundAsTheTypeDoes) {
  const std::vector<std::uint64_t> x = {std::bit_cast<std::uint32_t>(60000.0f),
                                        std::bit_cast<std::uint32_t>(60000.0f)};
  EXPECT_EQ(reduced(ReduceOp::Sum, DType::F32, "seq: f32", x),
            std::bit_cast<std::uint32_t>(120000.0f));
  EXPECT_EQ(reduced(ReduceOp::Sum, DType::F32, "seq: f64", x),
            std::bit_cast<std::uint32_t>(120000.0f));
  EXPECT_EQ(reduced(ReduceOp::Sum, DType::F32, "seq: f16", x), 0x7f800000u);
}

} // namespace
} // namespace ordo::dsl
