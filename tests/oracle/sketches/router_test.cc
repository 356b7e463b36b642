// Router, dispatch, combine and linear log-prob against plain loops and f64.
#include "tests/oracle/sketches/sketch.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

namespace ordo::oracle {
namespace {

using enum dsl::DType;

/// fma(8) | seq over two rows of bf16.
float chunked(const std::uint16_t *a, const std::uint16_t *b, std::size_t count) {
  float sum = 0;
  for (std::size_t begin = 0; begin < count; begin += 8) {
    float run = -0.0f;
    for (std::size_t i = begin; i < std::min(begin + 8, count); ++i)
      run = std::fma(floatOf(a[i]), floatOf(b[i]), run);
    sum = begin == 0 ? run : sum + run;
  }
  return sum;
}

constexpr std::size_t kHidden = 20, kExperts = 24, kTop = 5;

struct Routed {
  std::vector<std::int32_t> expert;
  std::vector<float> weight;
};

Routed routed(const std::vector<std::uint16_t> &x, const std::vector<std::uint16_t> &w) {
  static const dsl::Program program = sketch("route");
  dsl::EvalInputs in;
  in.tensors["x"] = tensorOf(BF16, {static_cast<std::int64_t>(x.size() / kHidden), kHidden}, x);
  in.tensors["w"] = tensorOf(BF16, {kExperts, kHidden}, w);
  auto outputs = evaluated(program, in);
  return {valuesOf<std::int32_t>(outputs["expert"]), valuesOf<float>(outputs["weight"])};
}

TEST(Router, TakesTheBestAndWeighsThem) {
  Random random(2);
  std::vector<std::uint16_t> w = normalBf16(kExperts * kHidden, random);
  std::copy_n(w.begin() + 3 * kHidden, kHidden, w.begin() + 17 * kHidden); // two experts that tie
  std::vector<std::uint16_t> x = normalBf16(40 * kHidden, random);
  std::fill_n(x.begin(), kHidden, 0); // all tie
  const Routed got = routed(x, w);
  ASSERT_EQ(got.expert.size(), 40 * kTop);
  for (std::size_t t = 0; t < 40; ++t) {
    std::vector<float> z;
    for (std::size_t e = 0; e < kExperts; ++e)
      z.push_back(chunked(&x[t * kHidden], &w[e * kHidden], kHidden));
    std::vector<std::int32_t> order(kExperts);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, [&](std::int32_t a, std::int32_t b) {
      const float x = z[static_cast<std::size_t>(a)], y = z[static_cast<std::size_t>(b)];
      return x != y ? x > y : a < b;
    });
    double total = 0;
    for (std::size_t s = 0; s < kTop; ++s)
      total += std::exp(double{z[static_cast<std::size_t>(order[s])]} -
                        z[static_cast<std::size_t>(order[0])]);
    for (std::size_t s = 0; s < kTop; ++s) {
      EXPECT_EQ(got.expert[t * kTop + s], order[s]) << "token " << t << " place " << s;
      const double d =
          double{z[static_cast<std::size_t>(order[s])]} - z[static_cast<std::size_t>(order[0])];
      // z - hi rounds, exp is within an ulp, twice each; two quotients and a tree of five.
      const double want = std::exp(d) / total;
      EXPECT_NEAR(got.weight[t * kTop + s], want, want * (2 * std::fabs(d) + 16) * 0x1p-24);
    }
  }
  // A token's neighbours do not matter.
  const Routed alone = routed({x.begin() + 7 * kHidden, x.begin() + 8 * kHidden}, w);
  EXPECT_TRUE(std::ranges::equal(alone.expert, std::span(got.expert).subspan(7 * kTop, kTop)));
  EXPECT_TRUE(std::ranges::equal(alone.weight, std::span(got.weight).subspan(7 * kTop, kTop)));
  EXPECT_TRUE(routed({}, w).expert.empty());
}

TEST(Router, TheBestOfThoseAllowed) {
  const dsl::Program program = sketch("best");
  Random random(8);
  std::vector<float> z = normalF32(6 * kExperts, random);
  std::vector<std::int32_t> allowed(z.size());
  for (std::size_t i = 0; i < z.size(); ++i) {
    allowed[i] = static_cast<std::int32_t>(random.next() % 3);
    if (random.next() % 9 == 0)
      z[i] = NAN;
  }
  std::fill_n(z.begin(), kExperts, NAN); // NaN is last, not out
  dsl::EvalInputs in;
  in.tensors["z"] = tensorOf(F32, {6, kExperts}, z);
  in.tensors["allowed"] = tensorOf(I32, {6, kExperts}, allowed);
  const auto got = valuesOf<std::int32_t>(evaluated(program, in)["expert"]);
  ASSERT_EQ(got.size(), 6u);
  for (std::size_t t = 0; t < 6; ++t) {
    std::int32_t best = -1;
    for (std::size_t e = 0; e < kExperts; ++e) {
      const float value = z[t * kExperts + e];
      if (allowed[t * kExperts + e] == 0)
        continue;
      const float held = best < 0 ? 0 : z[t * kExperts + static_cast<std::size_t>(best)];
      if (best < 0 || value > held || (std::isnan(held) && !std::isnan(value)))
        best = static_cast<std::int32_t>(e);
    }
    EXPECT_EQ(got[t], best) << "token " << t;
  }
  std::fill_n(allowed.begin() + 2 * kExperts, kExperts, 0);
  in.tensors["allowed"] = tensorOf(I32, {6, kExperts}, allowed);
  const std::string error = dsl::evaluate(program, in).error;
  EXPECT_NE(error.find("0 candidates"), std::string::npos) << error;
  EXPECT_NE(error.find("t = 2"), std::string::npos) << error;
}

struct Dispatched {
  std::vector<std::int32_t> row, offset;
};

Dispatched dispatched(const std::vector<std::int32_t> &expert) {
  static const dsl::Program program = sketch("dispatch");
  dsl::EvalInputs in;
  in.tensors["expert"] = tensorOf(I32, {static_cast<std::int64_t>(expert.size() / 3), 3}, expert);
  auto outputs = evaluated(program, in);
  return {valuesOf<std::int32_t>(outputs["row"]), valuesOf<std::int32_t>(outputs["offset"])};
}

/// The rows are the routes sorted by expert, then as they come.
TEST(Router, DispatchGroupsByExpert) {
  Random random(3);
  std::vector<std::int32_t> expert(3 * 29);
  for (std::int32_t &e : expert)
    e = static_cast<std::int32_t>(random.next() % 7);
  std::ranges::replace(expert, 4, 2); // an expert that nobody wants
  const Dispatched got = dispatched(expert);
  std::vector<std::size_t> routes(expert.size());
  std::iota(routes.begin(), routes.end(), std::size_t{0});
  std::ranges::sort(routes, [&](std::size_t a, std::size_t b) {
    return expert[a] != expert[b] ? expert[a] < expert[b] : a < b;
  });
  ASSERT_EQ(got.row.size(), expert.size());
  for (std::size_t place = 0; place < routes.size(); ++place)
    EXPECT_EQ(got.row[routes[place]], static_cast<std::int32_t>(place));
  ASSERT_EQ(got.offset.size(), 8u);
  for (std::int32_t e = 0; e < 8; ++e)
    EXPECT_EQ(got.offset[static_cast<std::size_t>(e)],
              std::ranges::count_if(expert, [&](std::int32_t of) { return of < e; }));
  EXPECT_EQ(dispatched({}).offset, std::vector<std::int32_t>(8));
}

TEST(Router, CombineAddsInSlotOrder) {
  constexpr std::size_t width = 9;
  const dsl::Program program = sketch("combine");
  Random random(5);
  const auto y = normalBf16(12 * width, random);
  const auto weight = normalF32(5 * 3, random);
  std::vector<std::int32_t> row(15);
  for (std::int32_t &r : row)
    r = static_cast<std::int32_t>(random.next() % 12);
  dsl::EvalInputs in;
  in.tensors["y"] = tensorOf(BF16, {12, width}, y);
  in.tensors["row"] = tensorOf(I32, {5, 3}, row);
  in.tensors["weight"] = tensorOf(F32, {5, 3}, weight);
  const auto got = valuesOf<std::uint16_t>(evaluated(program, in)["out"]);
  ASSERT_EQ(got.size(), 5 * width);
  for (std::size_t t = 0; t < 5; ++t)
    for (std::size_t h = 0; h < width; ++h) {
      float sum = 0;
      for (std::size_t s = 0; s < 3; ++s) {
        const float product =
            floatOf(y[static_cast<std::size_t>(row[t * 3 + s]) * width + h]) * weight[t * 3 + s];
        sum = s == 0 ? product : sum + product;
      }
      EXPECT_EQ(got[t * width + h], bf16Of(sum));
    }
  row[4] = 12;
  in.tensors["row"] = tensorOf(I32, {5, 3}, row);
  const std::string error = dsl::evaluate(program, in).error;
  EXPECT_NE(error.find("does not hold at (t, s) = (1, 1)"), std::string::npos) << error;
}

TEST(LinearLogp, IsTheLogarithmOfSoftmax) {
  constexpr std::size_t width = 10, columns = 60, rows = 7;
  const dsl::Program program = sketch("logp");
  Random random(6);
  const auto x = normalBf16(rows * width, random), w = normalBf16(columns * width, random);
  const std::vector<std::int32_t> target = {0, 59, -100, 14, 15, 30, -1};
  dsl::EvalInputs in;
  in.tensors["x"] = tensorOf(BF16, {rows, width}, x);
  in.tensors["w"] = tensorOf(BF16, {columns, width}, w);
  in.tensors["target"] = tensorOf(I32, {rows}, target);
  auto outputs = evaluated(program, in);
  const auto lse = valuesOf<float>(outputs["lse"]), logp = valuesOf<float>(outputs["logp"]);
  ASSERT_EQ(logp.size(), rows);
  for (std::size_t t = 0; t < rows; ++t) {
    std::vector<double> z;
    for (std::size_t v = 0; v < columns; ++v)
      z.push_back(chunked(&x[t * width], &w[v * width], width));
    const double largest = *std::ranges::max_element(z);
    double sum = 0, weighted = 0;
    for (const double value : z) {
      sum += std::exp(value - largest);
      weighted += (largest - value) * std::exp(value - largest);
    }
    const double want = largest + std::log(sum);
    // A term: z - m and m - top round, two exponentials, a product; then the sums, and the log.
    const double error = (2 * weighted / sum + 4 + 6 + 4) * 0x1p-24 + ulp(kF32, std::log(sum)) +
                         0.5 * ulp(kF32, want);
    EXPECT_NEAR(lse[t], want, error) << "row " << t;
    if (target[t] < 0) {
      EXPECT_EQ(logp[t], 0.0f);
      continue;
    }
    const double chosen = z[static_cast<std::size_t>(target[t])] - want;
    EXPECT_NEAR(logp[t], chosen, error + 0.5 * ulp(kF32, chosen)) << "row " << t;
  }
}

} // namespace
} // namespace ordo::oracle
