// Promises are tried on the inputs, and a broken one is named with the points that break it.
#include "tests/unit/dsl/eval/program_builder.h"

#include <gtest/gtest.h>

namespace ordo::dsl {
namespace {

using namespace testing_support;

/// y[r] = start[r], under one assumption over start, len and live.
struct Ranges {
  Builder b;
  TensorId start, len, live;
  VarId r;

  Ranges() {
    const DimId dim = b.dim("R");
    start = b.tensor("start", DType::I32, {b.size(dim)});
    len = b.tensor("len", DType::I32, {b.size(dim)});
    live = b.tensor("live", DType::Bool, {b.size(dim)});
    const TensorId y = b.tensor("y", DType::I32, {b.size(dim)}, Tensor::Role::Output);
    const VarId i = b.var("i", b.size(dim));
    b.define("y", {i}, b.load(start, {b.at(i)}), y);
    r = b.var("r", b.size(dim));
  }
  Assumption &assume(Assumption::Kind kind, std::string text) {
    Assumption &a = b.p.assumptions.emplace_back();
    a.kind = kind;
    a.vars = {r};
    a.text = std::move(text);
    return a;
  }
  std::string error(std::vector<std::int32_t> starts, std::vector<std::int32_t> lens,
                    std::vector<std::uint8_t> lives = {}) {
    EvalInputs in;
    const auto count = static_cast<std::int64_t>(starts.size());
    lives.resize(starts.size(), 1);
    in.tensors["start"] = tensorOf(DType::I32, {count}, starts);
    in.tensors["len"] = tensorOf(DType::I32, {count}, lens);
    in.tensors["live"] = tensorOf(DType::Bool, {count}, lives);
    return evaluate(b.p, in).error;
  }
};

TEST(Assume, Holds) {
  Ranges x;
  Assumption &a = x.assume(Assumption::Kind::Holds, "forall r: start[r] < len[r]");
  a.condition = x.b.op(Op::Lt, {x.b.load(x.start, {x.b.at(x.r)}), x.b.load(x.len, {x.b.at(x.r)})});
  EXPECT_EQ(x.error({0, 1, 2}, {1, 2, 3}), "");
  EXPECT_EQ(x.error({}, {}), "");
  EXPECT_EQ(x.error({0, 5, 6}, {1, 2, 3}),
            "`assume forall r: start[r] < len[r]` does not hold at r = 1");
  a.where = x.b.load(x.live, {x.b.at(x.r)});
  EXPECT_EQ(x.error({0, 5, 6}, {1, 2, 3}, {1, 0, 1}),
            "`assume forall r: start[r] < len[r]` does not hold at r = 2");
  EXPECT_EQ(x.error({0, 5, 6}, {1, 2, 3}, {1, 0, 0}), "");
}

TEST(Assume, HoldsOnlyWhereItCanBeRead) {
  Ranges x;
  Assumption &a = x.assume(Assumption::Kind::Holds, "forall r: 0 <= len[start[r]]");
  const ExprId inner = x.b.cast(DType::Index, x.b.load(x.start, {x.b.at(x.r)}));
  a.condition = x.b.op(Op::Le, {x.b.p.constant(DType::I32, 0), x.b.load(x.len, {inner})});
  EXPECT_EQ(x.error({1, 0}, {1, 2}), "");
  EXPECT_EQ(x.error({1, 2}, {1, 2}),
            "whether `assume forall r: 0 <= len[start[r]]` holds is not known at r = 1: index out "
            "of range: `len` is read at [2], and is [2]");
}

TEST(Assume, Distinct) {
  Ranges x;
  Assumption &a = x.assume(Assumption::Kind::Distinct, "distinct(start[r] for r in R)");
  a.value = x.b.load(x.start, {x.b.at(x.r)});
  EXPECT_EQ(x.error({3, 1, 2}, {0, 0, 0}), "");
  EXPECT_EQ(x.error({3, 1, 2, 1, 3}, {0, 0, 0, 0, 0}),
            "`assume distinct(start[r] for r in R)` does not hold at r = 1 and at r = 3: both are "
            "1");
  a.where = x.b.load(x.live, {x.b.at(x.r)});
  EXPECT_EQ(x.error({3, 1, 2, 1}, {0, 0, 0, 0}, {1, 0, 1, 1}), "");
  EXPECT_EQ(x.error({-1, 7, -1}, {0, 0, 0}),
            "`assume distinct(start[r] for r in R)` does not hold at r = 0 and at r = 2: both are "
            "-1");
}

TEST(Assume, Disjoint) {
  Ranges x;
  Assumption &a = x.assume(Assumption::Kind::Disjoint, "disjoint(start[r], len[r] for r in R)");
  a.value = x.b.load(x.start, {x.b.at(x.r)});
  a.length = x.b.load(x.len, {x.b.at(x.r)});
  EXPECT_EQ(x.error({4, 0, 7}, {3, 4, 1}), "");
  EXPECT_EQ(x.error({0, 0, 0}, {4, 0, 0}), ""); // a range without elements shares none
  EXPECT_EQ(x.error({2, 2}, {0, 0}), "");
  EXPECT_EQ(x.error({4, 0, 7}, {4, 4, 1}), "`assume disjoint(start[r], len[r] for r in R)` does "
                                           "not hold at r = 0 and at r = 2: both have 7");
  EXPECT_EQ(x.error({5, 0}, {1, 9}), "`assume disjoint(start[r], len[r] for r in R)` does not "
                                     "hold at r = 0 and at r = 1: both have 5");
  EXPECT_EQ(x.error({0x7fffffff, 0}, {0x7fffffff, 0x7fffffff}), ""); // no wrap
}

// An assumption about a definition is tried once that is there.
TEST(Assume, AboutADefinition) {
  Ranges x;
  Assumption &a = x.assume(Assumption::Kind::Distinct, "distinct(y[r] for r in R)");
  a.value = x.b.use(0, {x.b.at(x.r)});
  EXPECT_EQ(x.error({3, 1}, {0, 0}), "");
  EXPECT_NE(x.error({3, 3}, {0, 0}), "");
}

} // namespace
} // namespace ordo::dsl
