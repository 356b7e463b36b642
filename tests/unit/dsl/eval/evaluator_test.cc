// The evaluator on programs built by hand, against plain loops written here.
#include "dsl/eval/evaluator.h"
#include "tests/unit/dsl/eval/program_builder.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace ordo::dsl {
namespace {

using namespace testing_support;

std::vector<std::uint16_t> randomBf16(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<std::uint16_t> v(n);
  for (auto &e : v)
    e = bf16Of(normal(random));
  return v;
}

/// seq(8) | lanes(128) | halves, by the table of design section 3.
float treeSum(std::vector<float> v) {
  std::vector<float> runs;
  for (std::size_t i = 0; i < v.size(); i += 8) {
    float s = v[i];
    for (std::size_t j = i + 1; j < std::min(i + 8, v.size()); ++j)
      s += v[j];
    runs.push_back(s);
  }
  std::vector<float> lanes;
  for (std::size_t r = 0; r < std::min<std::size_t>(128, runs.size()); ++r) {
    float s = runs[r];
    for (std::size_t i = r + 128; i < runs.size(); i += 128)
      s += runs[i];
    lanes.push_back(s);
  }
  std::size_t m = 1;
  while (m < lanes.size())
    m *= 2;
  for (std::size_t h = m / 2; h >= 1; h /= 2)
    for (std::size_t i = 0; i + h < std::min(lanes.size(), 2 * h); ++i)
      lanes[i] += lanes[i + h];
  return lanes[0];
}

class Widths : public testing::TestWithParam<int> {};

TEST_P(Widths, RmsNorm) {
  const int width = GetParam(), rows = 5;
  const auto x = randomBf16(static_cast<std::size_t>(rows * width), 1);
  const auto w = randomBf16(static_cast<std::size_t>(width), 2);
  EvalInputs in;
  in.tensors["x"] = tensorOf(DType::BF16, {rows, width}, x);
  in.tensors["w"] = tensorOf(DType::BF16, {width}, w);
  in.scalars["eps"] = std::bit_cast<std::uint32_t>(1e-6f);
  const EvalResult result = evaluate(rmsNorm(width, "seq(8) | lanes(128) | halves"), in);
  ASSERT_TRUE(result.ok()) << result.error;
  const TensorValue &y = result.outputs.at("y");
  EXPECT_EQ(y.shape, (std::vector<std::int64_t>{rows, width}));
  const auto got = valuesOf<std::uint16_t>(y);
  for (int t = 0; t < rows; ++t) {
    std::vector<float> squares;
    for (int h = 0; h < width; ++h) {
      const float v = floatOfBf16(x[static_cast<std::size_t>(t * width + h)]);
      squares.push_back(v * v);
    }
    const float rstd = 1.0f / std::sqrt(treeSum(squares) / static_cast<float>(width) + 1e-6f);
    for (int h = 0; h < width; ++h) {
      const auto i = static_cast<std::size_t>(t * width + h);
      const float scaled = floatOfBf16(x[i]) * rstd;
      ASSERT_EQ(got[i], bf16Of(scaled * floatOfBf16(w[static_cast<std::size_t>(h)])))
          << t << " " << h;
    }
  }
}

TEST_P(Widths, Softmax) {
  const int width = GetParam(), rows = 3;
  const auto x = randomBf16(static_cast<std::size_t>(rows * width), 3);
  EvalInputs in;
  in.tensors["x"] = tensorOf(DType::BF16, {rows, width}, x);
  const EvalResult result = evaluate(softmax(width, "seq(8) | lanes(128) | halves"), in);
  ASSERT_TRUE(result.ok()) << result.error;
  const auto got = valuesOf<std::uint16_t>(result.outputs.at("y"));
  for (int t = 0; t < rows; ++t) {
    float m = -INFINITY;
    for (int j = 0; j < width; ++j)
      m = std::max(m, floatOfBf16(x[static_cast<std::size_t>(t * width + j)]));
    std::vector<float> e;
    for (int j = 0; j < width; ++j)
      e.push_back(expPlain(floatOfBf16(x[static_cast<std::size_t>(t * width + j)]) - m));
    const float sum = treeSum(e);
    for (int j = 0; j < width; ++j)
      ASSERT_EQ(got[static_cast<std::size_t>(t * width + j)],
                bf16Of(e[static_cast<std::size_t>(j)] / sum));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Widths, testing::Values(1, 7, 31, 32, 128, 1000, 1024, 1025, 5120),
                         testing::PrintToStringParamName());

// One output element from one reduction over x[N], f32.
EvalResult reduceOnce(ReduceOp op, const std::string &order, const std::vector<float> &x,
                      const std::vector<std::uint8_t> *mask = nullptr) {
  Builder b;
  const DimId n = b.dim("N");
  const TensorId tx = b.tensor("x", DType::F32, {b.size(n)});
  const TensorId tm = mask ? b.tensor("m", DType::Bool, {b.size(n)}) : 0;
  const TensorId ty = b.tensor("y", DType::F32, {}, Tensor::Role::Output);
  const VarId i = b.var("i", b.size(n));
  const ExprId where = mask ? b.load(tm, {b.at(i)}) : kNone;
  b.define("y", {}, b.reduce(op, {i}, order, b.load(tx, {b.at(i)}), where), ty);
  EvalInputs in;
  const auto length = static_cast<std::int64_t>(x.size());
  in.tensors["x"] = tensorOf(DType::F32, {length}, x);
  if (mask)
    in.tensors["m"] = tensorOf(DType::Bool, {length}, *mask);
  return evaluate(b.p, in);
}

std::uint32_t onlyBits(const EvalResult &result) {
  EXPECT_TRUE(result.ok()) << result.error;
  return result.ok() ? valuesOf<std::uint32_t>(result.outputs.at("y"))[0] : 0;
}

TEST(Reduction, StartsAndIdentities) {
  EXPECT_EQ(onlyBits(reduceOnce(ReduceOp::Sum, "seq", {})), 0x80000000u);
  EXPECT_EQ(onlyBits(reduceOnce(ReduceOp::Max, "", {})), 0xff800000u);
  EXPECT_EQ(onlyBits(reduceOnce(ReduceOp::Min, "", {})), 0x7f800000u);
  EXPECT_EQ(onlyBits(reduceOnce(ReduceOp::Max, "", {NAN, NAN})), 0xff800000u);
  EXPECT_EQ(onlyBits(reduceOnce(ReduceOp::Max, "", {NAN})), 0xff800000u);
  EXPECT_EQ(onlyBits(reduceOnce(ReduceOp::Min, "pairs", {NAN, 2.0f, NAN})), 0x40000000u);
  EXPECT_EQ(onlyBits(reduceOnce(ReduceOp::MaxNan, "", {1.0f, NAN})), 0x7fc00000u);
  EXPECT_EQ(onlyBits(reduceOnce(ReduceOp::Max, "", {-0.0f, 0.0f, -0.0f})), 0u);
  EXPECT_EQ(onlyBits(reduceOnce(ReduceOp::Min, "", {0.0f, -0.0f, 0.0f})), 0x80000000u);
  EXPECT_EQ(onlyBits(reduceOnce(ReduceOp::Sum, "seq", {-0.0f, -0.0f})), 0x80000000u);
}

TEST(Reduction, WhereKeepsPositionsAndReadsNothing) {
  // pairs over four positions: (a + b) + (c + d), whatever the mask.
  const std::vector<float> x = {1.0f, NAN, 0x1p24f, 1.0f};
  const std::vector<std::uint8_t> mask = {1, 0, 1, 1};
  const float expected = 1.0f + (0x1p24f + 1.0f);
  EXPECT_EQ(onlyBits(reduceOnce(ReduceOp::Sum, "pairs", x, &mask)),
            std::bit_cast<std::uint32_t>(expected));
  const std::vector<std::uint8_t> none = {0, 0, 0, 0};
  EXPECT_EQ(onlyBits(reduceOnce(ReduceOp::Sum, "pairs", x, &none)), 0x80000000u);
  EXPECT_EQ(onlyBits(reduceOnce(ReduceOp::Max, "", x, &none)), 0xff800000u);
}

TEST(Reduction, OrderChangesBits) {
  const std::vector<float> x = {0x1p24f, 1.0f, 1.0f, 1.0f};
  EXPECT_EQ(onlyBits(reduceOnce(ReduceOp::Sum, "seq", x)), std::bit_cast<std::uint32_t>(0x1p24f));
  EXPECT_EQ(onlyBits(reduceOnce(ReduceOp::Sum, "pairs", x)),
            std::bit_cast<std::uint32_t>(0x1p24f + 2.0f));
  EXPECT_EQ(onlyBits(reduceOnce(ReduceOp::Sum, "seq(2): bf16 | seq", {1.0f, 0x1p-9f})),
            std::bit_cast<std::uint32_t>(1.0f));
  EXPECT_EQ(onlyBits(reduceOnce(ReduceOp::Sum, "mid", x)),
            std::bit_cast<std::uint32_t>(0x1p24f + 2.0f));
}

// y[i] = sum[j, k] a[i, j] * b[j, k] + a sum of sums, data-dependent extents and a gather besides.
TEST(Reduction, SeveralVariablesNestedAndRagged) {
  Builder b;
  const DimId dim = b.dim("N");
  const TensorId a = b.tensor("a", DType::F32, {b.size(dim), b.n(6)});
  const TensorId c = b.tensor("c", DType::F32, {b.n(6), b.n(5)});
  const TensorId len = b.tensor("len", DType::I32, {b.size(dim)});
  const TensorId y = b.tensor("y", DType::F32, {b.size(dim)}, Tensor::Role::Output);
  const VarId i = b.var("i", b.size(dim)), j = b.var("j", b.n(6)), k = b.var("k", b.n(5));
  const ExprId both = b.reduce(ReduceOp::Sum, {j, k}, "seq(4) | pairs",
                               b.mul(b.load(a, {b.at(i), b.at(j)}), b.load(c, {b.at(j), b.at(k)})));
  const VarId k2 = b.var("k", b.cast(DType::Index, b.load(len, {b.at(i)}))),
              j2 = b.var("j", b.n(6));
  const ExprId inner = b.reduce(ReduceOp::Sum, {k2}, "seq", b.load(c, {b.at(j2), b.at(k2)}));
  const ExprId nested =
      b.reduce(ReduceOp::Sum, {j2}, "seq", b.mul(b.load(a, {b.at(i), b.at(j2)}), inner));
  b.define("y", {i}, b.sub(both, nested), y);
  std::mt19937 random(4);
  std::normal_distribution<float> normal;
  const int rows = 70;
  std::vector<float> av(rows * 6), cv(30);
  std::vector<std::int32_t> lens(rows);
  for (float &v : av)
    v = normal(random);
  for (float &v : cv)
    v = normal(random);
  for (int t = 0; t < rows; ++t)
    lens[static_cast<std::size_t>(t)] = t % 6;
  EvalInputs in;
  in.tensors["a"] = tensorOf(DType::F32, {rows, 6}, av);
  in.tensors["c"] = tensorOf(DType::F32, {6, 5}, cv);
  in.tensors["len"] = tensorOf(DType::I32, {rows}, lens);
  const EvalResult result = evaluate(b.p, in);
  ASSERT_TRUE(result.ok()) << result.error;
  const auto got = valuesOf<float>(result.outputs.at("y"));
  for (std::size_t t = 0; t < rows; ++t) {
    std::vector<float> products, runs;
    float second = 0;
    for (std::size_t jj = 0; jj < 6; ++jj) {
      for (std::size_t kk = 0; kk < 5; ++kk)
        products.push_back(av[t * 6 + jj] * cv[jj * 5 + kk]);
      float s = -0.0f;
      for (std::size_t kk = 0; kk < static_cast<std::size_t>(lens[t]); ++kk)
        s = s + cv[jj * 5 + kk];
      const float product = av[t * 6 + jj] * s;
      second = jj == 0 ? product : second + product;
    }
    for (std::size_t r = 0; r < 30; r += 4) {
      float s = products[r];
      for (std::size_t q = r + 1; q < std::min<std::size_t>(r + 4, 30); ++q)
        s += products[q];
      runs.push_back(s);
    }
    ASSERT_EQ(runs.size(), 8u);
    const float first =
        ((runs[0] + runs[1]) + (runs[2] + runs[3])) + ((runs[4] + runs[5]) + (runs[6] + runs[7]));
    ASSERT_EQ(std::bit_cast<std::uint32_t>(got[t]), std::bit_cast<std::uint32_t>(first - second))
        << t;
  }
}

// A reduction over columns inside y[t, h]: its point is h, not the leading variable.
TEST(Reduction, OfATrailingVariableIsComputedOnce) {
  Builder b;
  const DimId dim = b.dim("T");
  const TensorId x = b.tensor("x", DType::F32, {b.size(dim), b.n(40)});
  const TensorId y = b.tensor("y", DType::F32, {b.size(dim), b.n(40)}, Tensor::Role::Output);
  const VarId t = b.var("t", b.size(dim)), h = b.var("h", b.n(40)), s = b.var("s", b.size(dim));
  const ExprId column = b.reduce(ReduceOp::Sum, {s}, "seq", b.load(x, {b.at(s), b.at(h)}));
  b.define("y", {t, h}, b.sub(b.load(x, {b.at(t), b.at(h)}), column), y);
  std::vector<float> xv(50 * 40);
  for (std::size_t i = 0; i < xv.size(); ++i)
    xv[i] = static_cast<float>(i % 97) * 0.37f;
  EvalInputs in;
  in.tensors["x"] = tensorOf(DType::F32, {50, 40}, xv);
  const EvalResult result = evaluate(b.p, in);
  ASSERT_TRUE(result.ok()) << result.error;
  const auto got = valuesOf<float>(result.outputs.at("y"));
  for (std::size_t col = 0; col < 40; ++col) {
    float sum = xv[col];
    for (std::size_t row = 1; row < 50; ++row)
      sum += xv[row * 40 + col];
    for (std::size_t row = 0; row < 50; ++row)
      ASSERT_EQ(got[row * 40 + col], xv[row * 40 + col] - sum);
  }
}

TEST(Reduction, CountAndFusedDot) {
  Builder b;
  const DimId dim = b.dim("N");
  const TensorId x = b.tensor("x", DType::F32, {b.size(dim)});
  const TensorId n = b.tensor("n", DType::I32, {}, Tensor::Role::Output);
  const TensorId d = b.tensor("d", DType::F32, {}, Tensor::Role::Output);
  const VarId i = b.var("i", b.size(dim)), j = b.var("j", b.size(dim));
  const ExprId positive = b.op(Op::Gt, {b.load(x, {b.at(i)}), b.f32(0.0f)});
  b.define("n", {}, b.reduce(ReduceOp::Count, {i}, "", positive, kNone, DType::I32), n);
  const ExprId xj = b.load(x, {b.at(j)});
  b.define(
      "d", {},
      b.reduce(ReduceOp::Dot, {j}, "fma(3) | seq", b.mul(xj, xj), b.op(Op::Ne, {xj, b.f32(7.0f)})),
      d);
  const std::vector<float> xv = {1.1f, -2.3f, 7.0f, 0.7f, 1e-3f, -0.0f, 3.3f};
  EvalInputs in;
  in.tensors["x"] = tensorOf(DType::F32, {7}, xv);
  const EvalResult result = evaluate(b.p, in);
  ASSERT_TRUE(result.ok()) << result.error;
  EXPECT_EQ(valuesOf<std::int32_t>(result.outputs.at("n"))[0], 5);
  const auto f = [](float a, float acc) { return std::fma(a, a, acc); };
  const float r0 = f(xv[1], f(xv[0], -0.0f));
  const float r1 = f(xv[5], f(xv[4], f(xv[3], -0.0f)));
  const float expected = (r0 + r1) + f(xv[6], -0.0f);
  EXPECT_EQ(valuesOf<float>(result.outputs.at("d"))[0], expected);
}

Program gather(bool guarded) {
  Builder b;
  const DimId dim = b.dim("N");
  const TensorId at = b.tensor("at", DType::I32, {b.size(dim)});
  const TensorId x = b.tensor("x", DType::F32, {b.n(4)});
  const TensorId y = b.tensor("y", DType::F32, {b.size(dim)}, Tensor::Role::Output);
  const VarId i = b.var("i", b.size(dim));
  const ExprId index = b.cast(DType::Index, b.load(at, {b.at(i)}));
  const ExprId inside =
      b.op(Op::And, {b.op(Op::Ge, {index, b.n(0)}), b.op(Op::Lt, {index, b.n(4)})});
  const ExprId value = b.load(x, {index});
  b.define("y", {i}, guarded ? b.op(Op::Select, {inside, value, b.f32(-1.0f)}) : value, y);
  return std::move(b.p);
}

TEST(Index, OutOfRangeIsAnErrorOnlyWhereItIsUsed) {
  EvalInputs in;
  in.tensors["at"] = tensorOf<std::int32_t>(DType::I32, {5}, {3, -1, 4, 0, 1 << 30});
  in.tensors["x"] = tensorOf<float>(DType::F32, {4}, {10, 11, 12, 13});
  const EvalResult chosen = evaluate(gather(true), in);
  ASSERT_TRUE(chosen.ok()) << chosen.error;
  EXPECT_EQ(valuesOf<float>(chosen.outputs.at("y")), (std::vector<float>{13, -1, -1, 10, -1}));
  const EvalResult plain = evaluate(gather(false), in);
  EXPECT_NE(plain.error.find("in `y` at i = 1: index out of range"), std::string::npos)
      << plain.error;
  EXPECT_TRUE(plain.outputs.empty());
}

TEST(Definition, WhereGuardsTheStoreAndLaterReads) {
  Builder b;
  const TensorId x = b.tensor("x", DType::F32, {b.n(8)});
  const TensorId y = b.tensor("y", DType::F32, {b.n(8)}, Tensor::Role::Output);
  const VarId i = b.var("i", b.n(8)), j = b.var("j", b.n(8));
  const ExprId even = b.op(Op::Eq, {b.op(Op::Rem, {b.at(i), b.n(2)}), b.n(0)});
  // x[i + 1] would leave the array at i = 7, which the guard excludes.
  const DefId d = b.define("d", {i}, b.load(x, {b.add(b.at(i), b.n(1))}), kNone, even);
  const ExprId evenJ = b.op(Op::Eq, {b.op(Op::Rem, {b.at(j), b.n(2)}), b.n(0)});
  Definition last;
  last.name = "y";
  last.vars = {j};
  last.output = y;
  const ExprId use = b.use(d, {b.at(j)});
  const ExprId chosen = b.op(Op::Select, {evenJ, use, b.f32(0.5f)});
  Program good = b.p, bad = b.p;
  last.value = chosen;
  good.definitions.push_back(last);
  last.value = use;
  bad.definitions.push_back(last);
  EvalInputs in;
  in.tensors["x"] = tensorOf<float>(DType::F32, {8}, {0, 1, 2, 3, 4, 5, 6, 7});
  const EvalResult result = evaluate(good, in);
  ASSERT_TRUE(result.ok()) << result.error;
  EXPECT_EQ(valuesOf<float>(result.outputs.at("y")),
            (std::vector<float>{1, 0.5f, 3, 0.5f, 5, 0.5f, 7, 0.5f}));
  EXPECT_FALSE(evaluate(bad, in).ok());
}

TEST(Launch, EmptyBatchWorks) {
  EvalInputs in;
  in.tensors["x"] = tensorOf<std::uint16_t>(DType::BF16, {0, 16}, {});
  in.tensors["w"] = tensorOf(DType::BF16, {16}, randomBf16(16, 1));
  in.scalars["eps"] = 0;
  const EvalResult result = evaluate(rmsNorm(16, "seq"), in);
  ASSERT_TRUE(result.ok()) << result.error;
  EXPECT_EQ(result.outputs.at("y").shape, (std::vector<std::int64_t>{0, 16}));
}

TEST(Launch, BadInputIsNamed) {
  const Program p = rmsNorm(16, "seq");
  EvalInputs good;
  good.tensors["x"] = tensorOf(DType::BF16, {2, 16}, randomBf16(32, 1));
  good.tensors["w"] = tensorOf(DType::BF16, {16}, randomBf16(16, 1));
  good.scalars["eps"] = 0;
  ASSERT_TRUE(evaluate(p, good).ok());
  const auto error = [&](auto change) {
    EvalInputs in = good;
    change(in);
    const EvalResult result = evaluate(p, in);
    EXPECT_TRUE(result.outputs.empty() || result.ok());
    return result.error;
  };
  EXPECT_EQ(error([](EvalInputs &in) { in.tensors.erase("w"); }),
            "input `w` is missing; it is bf16[16]");
  EXPECT_EQ(error([](EvalInputs &in) { in.tensors["z"] = in.tensors["w"]; }),
            "there is no input `z`; the inputs are x, w");
  EXPECT_EQ(error([](EvalInputs &in) { in.tensors["w"].type = DType::F16; }),
            "input `w` is f16; wanted is bf16");
  EXPECT_EQ(error([](EvalInputs &in) { in.tensors["x"].shape = {16, 2}; }),
            "input `x` has shape [16, 2]; wanted is [T, 16] (with T = 16)");
  EXPECT_EQ(error([](EvalInputs &in) { in.tensors["x"].shape = {32}; }),
            "input `x` has 1 axis, shape [32]; wanted is bf16[T, 16]");
  EXPECT_EQ(error([](EvalInputs &in) { in.tensors["x"].data.pop_back(); }),
            "input `x` of bf16[2, 16] holds 63 bytes");
  EXPECT_EQ(error([](EvalInputs &in) { in.scalars.clear(); }),
            "scalar `eps` is missing; it is f32");
  EXPECT_EQ(error([](EvalInputs &in) { in.scalars["beta"] = 0; }), "there is no scalar `beta`");
  EXPECT_EQ(error([](EvalInputs &in) { in.dims["Q"] = 1; }), "there is no free dimension `Q`");
}

TEST(Launch, RequiresAndConflictingDimensions) {
  Builder b;
  const DimId t = b.dim("T");
  const TensorId x = b.tensor("x", DType::F32, {b.size(t)});
  b.tensor("z", DType::F32, {b.mul(b.n(2), b.size(t)), b.size(t)});
  const TensorId y = b.tensor("y", DType::F32, {b.size(t)}, Tensor::Role::Output);
  const VarId i = b.var("i", b.size(t));
  b.define("y", {i}, b.load(x, {b.at(i)}), y);
  const ExprId holds = b.op(Op::Eq, {b.op(Op::Rem, {b.size(t), b.n(2)}), b.n(0)});
  b.p.requires_.push_back({holds, "T % 2 == 0", {}});
  const auto run = [&](std::int64_t n, std::int64_t m, std::int64_t k) {
    EvalInputs in;
    in.tensors["x"] = tensorOf(DType::F32, {n}, std::vector<float>(static_cast<std::size_t>(n)));
    in.tensors["z"] =
        tensorOf(DType::F32, {m, k}, std::vector<float>(static_cast<std::size_t>(m * k)));
    return evaluate(b.p, in).error;
  };
  EXPECT_EQ(run(4, 8, 4), "");
  EXPECT_EQ(run(3, 6, 3), "`require T % 2 == 0` does not hold (with T = 3)");
  EXPECT_EQ(run(4, 8, 6), "dimension T is 4 by axis 0 of `x` [4] and 6 by axis 1 of `z` [8, 6]");
  EXPECT_EQ(run(4, 9, 4), "input `z` has shape [9, 4]; wanted is [2 * T, T] (with T = 4)");
}

TEST(Output, NanIsCanonical) {
  Builder b;
  const TensorId x = b.tensor("x", DType::F32, {b.n(2)});
  const TensorId y = b.tensor("y", DType::F32, {b.n(2)}, Tensor::Role::Output);
  const VarId i = b.var("i", b.n(2));
  b.define("y", {i}, b.op(Op::Neg, {b.load(x, {b.at(i)})}), y);
  EvalInputs in;
  in.tensors["x"] = tensorOf<std::uint32_t>(DType::F32, {2}, {0x7f812345u, 0x3f800000u});
  EXPECT_EQ(valuesOf<std::uint32_t>(evaluate(b.p, in).outputs.at("y")),
            (std::vector<std::uint32_t>{0x7fc00000u, 0xbf800000u}));
}

} // namespace
} // namespace ordo::dsl
