// argmax and top, against plain sorting written here.
#include "tests/unit/dsl/eval/program_builder.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace ordo::dsl {
namespace {

using namespace testing_support;

/// expert[t, s] = top[K] e in E where ok[t, e] of (z[t, e] …, e ascending) at s; the first slot
/// alone (an argmax) without `places`.
struct Case {
  std::int64_t rows = 0, columns = 0, places = 0;
  bool isDescending = true, isNanFirst = false, isSlotFirst = false;
  std::vector<float> z;
  std::vector<std::uint8_t> ok; // empty: no `where`
};

EvalResult run(const Case &c) {
  Builder b;
  const TensorId z = b.tensor("z", DType::F32, {b.n(c.rows), b.n(c.columns)});
  const TensorId ok = b.tensor("ok", DType::Bool, {b.n(c.rows), b.n(c.columns)});
  const bool isTop = c.places != 0;
  const VarId t = b.var("t", b.n(c.rows)), e = b.var("e", b.n(c.columns));
  const VarId s = b.var("s", b.n(c.places));
  const std::vector<RankKey> keys = {{b.load(z, {b.at(t), b.at(e)}), c.isDescending, c.isNanFirst},
                                     {b.at(e)}};
  const ExprId where = c.ok.empty() ? kNone : b.load(ok, {b.at(t), b.at(e)});
  std::vector<ExprId> shape = {b.n(c.rows)};
  std::vector<VarId> vars = {t};
  if (isTop && c.isSlotFirst) {
    shape = {b.n(c.places), b.n(c.rows)};
    vars = {s, t};
  } else if (isTop) {
    shape.push_back(b.n(c.places));
    vars.push_back(s);
  }
  const TensorId y = b.tensor("y", DType::I32, shape, Tensor::Role::Output);
  b.define("y", vars,
           isTop ? b.rank(ReduceOp::Top, e, keys, where, b.n(c.places), b.at(s))
                 : b.rank(ReduceOp::ArgMax, e, keys, where),
           y);
  EvalInputs in;
  in.tensors["z"] = tensorOf(DType::F32, {c.rows, c.columns}, c.z);
  in.tensors["ok"] = tensorOf(
      DType::Bool, {c.rows, c.columns},
      c.ok.empty() ? std::vector<std::uint8_t>(static_cast<std::size_t>(c.rows * c.columns))
                   : c.ok);
  return evaluate(b.p, in);
}

/// By selection: the best of those left, again and again.
std::vector<std::int32_t> selected(const Case &c, std::int64_t row) {
  const auto at = [&](std::int64_t e) { return static_cast<std::size_t>(row * c.columns + e); };
  std::vector<std::int32_t> left, winners;
  for (std::int64_t e = 0; e < c.columns; ++e)
    if (c.ok.empty() || c.ok[at(e)] != 0)
      left.push_back(static_cast<std::int32_t>(e));
  const auto beats = [&](float a, float b) {
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) != std::isnan(b) && std::isnan(a) == c.isNanFirst;
    return c.isDescending ? a > b : a < b;
  };
  for (std::int64_t s = 0; s < std::max<std::int64_t>(c.places, 1) && !left.empty(); ++s) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < left.size(); ++k)
      if (beats(c.z[at(left[k])], c.z[at(left[best])]))
        best = k;
    winners.push_back(left[best]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
  }
  return winners;
}

TEST(Ranking, EqualsSelectionWithTiesNansAndMasks) {
  std::mt19937 random(7);
  for (int round = 0; round < 64; ++round) {
    Case c;
    c.rows = 1 + round % 5;
    c.columns = 1 + static_cast<int>(random() % 70);
    c.isDescending = round % 2 == 0;
    c.isNanFirst = round % 4 < 2;
    c.isSlotFirst = round % 8 < 4;
    for (std::int64_t i = 0; i < c.rows * c.columns; ++i) {
      const unsigned kind = random() % 10;
      const float tie = static_cast<float>(static_cast<int>(random() % 5) - 2);
      c.z.push_back(kind == 0   ? NAN
                    : kind == 1 ? INFINITY
                    : kind == 2 ? -INFINITY
                    : kind == 3 ? -0.0f
                                : tie);
      if (round % 3 == 0)
        c.ok.push_back(random() % 4 != 0);
    }
    std::size_t fewest = static_cast<std::size_t>(c.columns);
    c.places = c.columns;
    for (std::int64_t t = 0; t < c.rows; ++t)
      fewest = std::min(fewest, selected(c, t).size());
    c.places = static_cast<std::int64_t>(fewest);
    if (fewest == 0)
      continue;
    const EvalResult result = run(c);
    ASSERT_TRUE(result.ok()) << result.error;
    const auto got = valuesOf<std::int32_t>(result.outputs.at("y"));
    for (std::int64_t t = 0; t < c.rows; ++t) {
      const auto want = selected(c, t);
      for (std::int64_t s = 0; s < c.places; ++s)
        ASSERT_EQ(got[static_cast<std::size_t>(c.isSlotFirst ? s * c.rows + t : t * c.places + s)],
                  want[static_cast<std::size_t>(s)])
            << "round " << round << " row " << t << " place " << s;
    }
    c.places = 0;
    const EvalResult best = run(c);
    ASSERT_TRUE(best.ok()) << best.error;
    for (std::int64_t t = 0; t < c.rows; ++t)
      EXPECT_EQ(valuesOf<std::int32_t>(best.outputs.at("y"))[static_cast<std::size_t>(t)],
                selected(c, t)[0]);
  }
}

TEST(Ranking, TooFewCandidatesAreRefusedByPlace) {
  Case c;
  c.rows = 2;
  c.columns = 4;
  c.places = 3;
  c.z.assign(8, 1.0f);
  c.ok = {1, 1, 1, 0, 1, 0, 0, 1};
  EXPECT_EQ(run(c).error,
            "in `y` at (t, s) = (1, 0): `top` over e at t = 1 has 2 candidates; 3 are needed");
  c.places = 0;
  c.ok = {0, 0, 1, 0, 0, 0, 0, 0};
  EXPECT_EQ(run(c).error,
            "in `y` at t = 1: `argmax` over e at t = 1 has 0 candidates; 1 is needed");
  c.rows = 0;
  c.z.clear();
  c.ok.clear();
  EXPECT_TRUE(run(c).ok());
}

// The first key decides, a later one where it ties: integers of every kind, and the index.
TEST(Ranking, KeysOfEveryType) {
  const auto winner = [](DType type, const std::vector<std::uint64_t> &bits, bool isDescending) {
    Builder b;
    const auto count = static_cast<std::int64_t>(bits.size());
    const TensorId x = b.tensor("x", type, {b.n(count)});
    const TensorId y = b.tensor("y", DType::I32, {}, Tensor::Role::Output);
    const VarId i = b.var("i", b.n(count));
    b.define("y", {},
             b.rank(ReduceOp::ArgMax, i, {{b.load(x, {b.at(i)}), isDescending}, {b.at(i), true}}),
             y);
    EvalInputs in;
    in.tensors["x"] = {type, {count}, {}};
    for (const std::uint64_t value : bits) {
      const auto *bytes = reinterpret_cast<const std::byte *>(&value);
      in.tensors["x"].data.insert(in.tensors["x"].data.end(), bytes, bytes + byteSize(type));
    }
    const EvalResult result = evaluate(b.p, in);
    EXPECT_TRUE(result.ok()) << result.error;
    return result.ok() ? valuesOf<std::int32_t>(result.outputs.at("y"))[0] : -1;
  };
  EXPECT_EQ(winner(DType::I32, {5, 0xffffffff, 5, 0x80000000}, true), 2);
  EXPECT_EQ(winner(DType::I32, {5, 0xffffffff, 5, 0x80000000}, false), 3);
  EXPECT_EQ(winner(DType::U32, {5, 0xffffffff, 5, 0x80000000}, true), 1);
  EXPECT_EQ(winner(DType::I64, {1, ~0ull, 1ull << 63, 1}, true), 3);
  EXPECT_EQ(winner(DType::U64, {1, ~0ull, 1ull << 63, 1}, true), 1);
  EXPECT_EQ(winner(DType::U64, {1, ~0ull, 1ull << 63, 1}, false), 3);
  EXPECT_EQ(winner(DType::Bool, {0, 1, 0, 1, 0}, true), 3);
  EXPECT_EQ(winner(DType::BF16, {0x3f80, 0xc000, 0x4000, 0x7fc0}, true), 2);      // 1, -2, 2, NaN
  EXPECT_EQ(winner(DType::BF16, {0x3f80, 0xc000, 0x4000, 0x7fc0}, false), 1);     // NaN last
  EXPECT_EQ(winner(DType::F64, {0, 1ull << 63, 0xbff0000000000000ull}, true), 1); // zeros tie
}

} // namespace
} // namespace ordo::dsl
