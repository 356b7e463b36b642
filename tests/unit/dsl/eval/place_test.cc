// Definitions that stand at places of their own, ragged rows, and in-place updates.
#include "tests/unit/dsl/eval/program_builder.h"

#include <gtest/gtest.h>
#include <numeric>

namespace ordo::dsl {
namespace {

using namespace testing_support;

/// for r in R, i in len[r] let n = start[r] + i { e[n, c] = 2 x[n, c] }; then
/// y[r] = sum[i in len[r]] e[start[r] + i, 0], and o[n, c] = e[n, c] placed the same way.
struct Pack {
  Builder b;
  static constexpr std::int64_t kColumns = 3;
  DefId e;

  Pack() {
    const DimId rows = b.dim("N"), requests = b.dim("R");
    const TensorId x = b.tensor("x", DType::F32, {b.size(rows), b.n(kColumns)});
    const TensorId start = b.tensor("start", DType::I32, {b.size(requests)});
    const TensorId len = b.tensor("len", DType::I32, {b.size(requests)});
    const TensorId o =
        b.tensor("o", DType::F32, {b.size(rows), b.n(kColumns)}, Tensor::Role::Output);
    const TensorId y = b.tensor("y", DType::F32, {b.size(requests)}, Tensor::Role::Output);
    const auto cell = [&](TensorId t, ExprId r) { return b.cast(DType::Index, b.load(t, {r})); };
    const auto block = [&](auto place) {
      const VarId r = b.var("r", b.size(requests));
      const VarId i = b.var("i", cell(len, b.at(r)));
      const VarId c = b.var("c", b.n(kColumns));
      const ExprId n = b.add(cell(start, b.at(r)), b.at(i));
      return place(std::vector<VarId>{r, i, c}, std::vector<ExprId>{n, b.at(c)});
    };
    const std::vector<ExprId> shape = {b.size(rows), b.n(kColumns)};
    e = block([&](const std::vector<VarId> &vars, const std::vector<ExprId> &at) {
      return b.place("e", vars, at, shape, b.add(b.load(x, at), b.load(x, at)));
    });
    block([&](const std::vector<VarId> &vars, const std::vector<ExprId> &at) {
      return b.place("o", vars, at, shape, b.use(e, at), o);
    });
    const VarId r = b.var("r", b.size(requests)), i = b.var("i", cell(len, b.at(r)));
    b.define("y", {r},
             b.reduce(ReduceOp::Sum, {i}, "seq",
                      b.use(e, {b.add(cell(start, b.at(r)), b.at(i)), b.n(0)})),
             y);
  }
  EvalResult run(std::int64_t rows, const std::vector<std::int32_t> &start,
                 const std::vector<std::int32_t> &len) {
    std::vector<float> x(static_cast<std::size_t>(rows * kColumns));
    std::iota(x.begin(), x.end(), 1.0f);
    EvalInputs in;
    const auto requests = static_cast<std::int64_t>(start.size());
    in.tensors["x"] = tensorOf(DType::F32, {rows, kColumns}, x);
    in.tensors["start"] = tensorOf(DType::I32, {requests}, start);
    in.tensors["len"] = tensorOf(DType::I32, {requests}, len);
    return evaluate(b.p, in);
  }
};

TEST(Place, RaggedPacks) {
  Pack pack;
  for (const auto &[rows, start, len] :
       {std::tuple<int, std::vector<std::int32_t>, std::vector<std::int32_t>>{
            9, {4, 0, 9, 7}, {3, 2, 0, 2}},
        {2000, {0, 1100}, {1100, 899}},
        {4, {0}, {0}},
        {0, {}, {}},
        {3, {}, {}}}) {
    const EvalResult result = pack.run(rows, start, len);
    ASSERT_TRUE(result.ok()) << result.error;
    std::vector<float> o(static_cast<std::size_t>(rows) * 3), y;
    for (std::size_t r = 0; r < start.size(); ++r) {
      float sum = -0.0f;
      for (int i = 0; i < len[r]; ++i) {
        const auto n = static_cast<std::size_t>(start[r] + i);
        for (std::size_t c = 0; c < 3; ++c)
          o[n * 3 + c] = 2 * static_cast<float>(n * 3 + c + 1);
        sum += 2 * static_cast<float>(n * 3 + 1);
      }
      y.push_back(sum);
    }
    EXPECT_EQ(valuesOf<float>(result.outputs.at("o")), o);
    EXPECT_EQ(valuesOf<float>(result.outputs.at("y")), y);
  }
}

TEST(Place, RefusesWithThePoints) {
  Pack pack;
  EXPECT_EQ(
      pack.run(9, {0, 2}, {3, 1}).error,
      "`e` is written twice at [2, 0]: by (r, i, c) = (0, 2, 0) and by (r, i, c) = (1, 0, 0)");
  EXPECT_EQ(pack.run(9, {0, 8}, {3, 2}).error,
            "`e` is written at [9, 0], by (r, i, c) = (1, 1, 0), and is [9, 3]");
  EXPECT_EQ(pack.run(9, {0, 8}, {3, -1}).error, "i runs over -1 elements at r = 1");
}

/// s1[n, i] = state[slot[n], i] + x[n] where slot[n] > 0; state[slot[n], i] := s1[n, i] under the
/// same guard; y[n, i] = state[slot[n], i]; gap[n] = s1[n, 0] if slot[n] > 0, else -1.
EvalResult update(const std::vector<std::int32_t> &slot, const std::vector<float> &state,
                  bool isGuarded = true) {
  Builder b;
  const DimId batch = b.dim("B");
  const TensorId x = b.tensor("x", DType::F32, {b.size(batch)});
  const TensorId at = b.tensor("slot", DType::I32, {b.size(batch)});
  const TensorId s = b.tensor("state", DType::F32, {b.n(4), b.n(2)}, Tensor::Role::InOut);
  const TensorId y = b.tensor("y", DType::F32, {b.size(batch), b.n(2)}, Tensor::Role::Output);
  const TensorId gap = b.tensor("gap", DType::F32, {b.size(batch)}, Tensor::Role::Output);
  const auto slotOf = [&](VarId n) { return b.load(at, {b.at(n)}); };
  const auto live = [&](VarId n) {
    return isGuarded ? b.op(Op::Gt, {slotOf(n), b.p.constant(DType::I32, 0)}) : kNone;
  };
  const auto old = [&](VarId n, VarId i) {
    return b.load(s, {b.cast(DType::Index, slotOf(n)), b.at(i)});
  };
  const VarId n0 = b.var("n", b.size(batch)), i0 = b.var("i", b.n(2));
  const DefId s1 =
      b.define("s1", {n0, i0}, b.add(old(n0, i0), b.load(x, {b.at(n0)})), kNone, live(n0));
  const VarId n1 = b.var("n", b.size(batch)), i1 = b.var("i", b.n(2));
  b.place("state", {n1, i1}, {b.cast(DType::Index, slotOf(n1)), b.at(i1)}, {b.n(4), b.n(2)},
          b.use(s1, {b.at(n1), b.at(i1)}), s, live(n1));
  const VarId n2 = b.var("n", b.size(batch)), i2 = b.var("i", b.n(2));
  b.define("y", {n2, i2}, old(n2, i2), y);
  const VarId n3 = b.var("n", b.size(batch));
  const ExprId seen = b.use(s1, {b.at(n3), b.n(0)});
  b.define("gap", {n3}, isGuarded ? b.op(Op::Select, {live(n3), seen, b.f32(-1)}) : seen, gap);
  EvalInputs in;
  std::vector<float> steps(slot.size());
  std::iota(steps.begin(), steps.end(), 1.0f);
  const auto count = static_cast<std::int64_t>(slot.size());
  in.tensors["x"] = tensorOf(DType::F32, {count}, steps);
  in.tensors["slot"] = tensorOf(DType::I32, {count}, slot);
  in.tensors["state"] = tensorOf(DType::F32, {4, 2}, state);
  return evaluate(b.p, in);
}

TEST(Update, ReadsSeeTheOldValues) {
  const std::vector<float> state = {10, 11, 20, 21, 30, 31, 40, 41};
  const EvalResult result = update({3, 0, 1}, state);
  ASSERT_TRUE(result.ok()) << result.error;
  EXPECT_EQ(valuesOf<float>(result.outputs.at("state")),
            (std::vector<float>{10, 11, 23, 24, 30, 31, 41, 42}));
  EXPECT_EQ(valuesOf<float>(result.outputs.at("y")), (std::vector<float>{40, 41, 10, 11, 20, 21}));
  EXPECT_EQ(valuesOf<float>(result.outputs.at("gap")), (std::vector<float>{41, -1, 23}));
  const EvalResult none = update({}, state);
  ASSERT_TRUE(none.ok()) << none.error;
  EXPECT_EQ(valuesOf<float>(none.outputs.at("state")), state);
}

TEST(Update, RefusesOneSlotTwice) {
  const std::vector<float> state(8, 1.0f);
  EXPECT_EQ(update({3, 0, 3}, state).error,
            "`state` is written twice at [3, 0]: by (n, i) = (0, 0) "
            "and by (n, i) = (2, 0)");
  EXPECT_TRUE(update({0, 0, 0}, state).ok()); // guarded: none writes
  EXPECT_EQ(update({1, 4}, state).error,
            "`state` is written at [4, 0], by (n, i) = (1, 0), and is [4, 2]");
  EXPECT_NE(update({1, -1}, state, false).error, "");
}

/// y[r, i] = x[r] * i over i in len[r], without a place: rows of their own lengths.
TEST(Ragged, RowsBeyondTheirExtentHaveNoValue) {
  const auto run = [](const std::vector<std::int32_t> &len, std::int64_t readAt) {
    Builder b;
    const DimId requests = b.dim("R");
    const TensorId l = b.tensor("len", DType::I32, {b.size(requests)});
    const TensorId y = b.tensor("y", DType::F32, {b.size(requests)}, Tensor::Role::Output);
    const VarId r = b.var("r", b.size(requests));
    const VarId i = b.var("i", b.cast(DType::Index, b.load(l, {b.at(r)})));
    const DefId row = b.define("row", {r, i}, b.cast(DType::F32, b.add(b.at(i), b.at(r))));
    const VarId q = b.var("q", b.size(requests));
    b.define("y", {q}, b.use(row, {b.at(q), b.n(readAt)}), y);
    EvalInputs in;
    in.tensors["len"] = tensorOf(DType::I32, {static_cast<std::int64_t>(len.size())}, len);
    return evaluate(b.p, in);
  };
  const EvalResult fine = run({3, 2, 5}, 1);
  ASSERT_TRUE(fine.ok()) << fine.error;
  EXPECT_EQ(valuesOf<float>(fine.outputs.at("y")), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(run({3, 2, 5}, 2).error, "in `y` at q = 1: `row` has no value at [1, 2]");
  EXPECT_EQ(run({3, 5}, 5).error, "in `y` at q = 0: index out of range: `row` is read at [0, 5], "
                                  "and is [2, 5]");
  EXPECT_EQ(run({3, -2}, 0).error, "i runs over -2 elements at r = 1");
  EXPECT_TRUE(run({}, 0).ok());
}

} // namespace
} // namespace ordo::dsl
