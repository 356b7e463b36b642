// Index arithmetic and bounds, against enumeration of every value of the variables and dimensions.
#include "dsl/sema/index_algebra.h"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <random>
#include <vector>

namespace ordo::dsl {
namespace {

// Variables i < 5, j < 3, s < T, and the free dimensions T and S.
struct Fixture {
  Program program;
  IndexAlgebra algebra{program};
  ExprId T, S, i, j, s;

  Fixture() {
    program.dims = {{"T"}, {"S"}};
    T = program.make(Op::Size, DType::Index, 0);
    S = program.make(Op::Size, DType::Index, 1);
    i = var("i", program.index(5));
    j = var("j", program.index(3));
    s = var("s", T);
  }
  ExprId var(const char *name, ExprId extent) {
    program.vars.push_back({name, extent});
    return program.make(Op::Var, DType::Index, program.vars.size() - 1);
  }
  ExprId op(Op op, std::initializer_list<ExprId> args) {
    return algebra.build(op, std::vector<ExprId>(args)).id;
  }
  ExprId n(std::int64_t value) { return program.index(value); }
};

std::int64_t floorDiv(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(std::floor(static_cast<double>(a) / static_cast<double>(b)));
}

struct Point {
  std::int64_t T, S, i, j, s;
};

std::int64_t evaluate(const Program &program, ExprId id, const Point &p) {
  const Expr &e = program.expr(id);
  std::vector<std::int64_t> a;
  for (ExprId arg : program.args(id))
    a.push_back(evaluate(program, arg, p));
  switch (e.op) {
  case Op::Const:
    return static_cast<std::int64_t>(e.payload);
  case Op::Size:
    return e.payload == 0 ? p.T : p.S;
  case Op::Var:
    return e.payload == 0 ? p.i : e.payload == 1 ? p.j : p.s;
  case Op::Neg:
    return -a[0];
  case Op::Add:
    return a[0] + a[1];
  case Op::Sub:
    return a[0] - a[1];
  case Op::Mul:
    return a[0] * a[1];
  case Op::Div:
    return floorDiv(a[0], a[1]);
  case Op::Rem:
    return a[0] - a[1] * floorDiv(a[0], a[1]);
  case Op::Min:
    return std::min(a[0], a[1]);
  case Op::Max:
    return std::max(a[0], a[1]);
  default:
    ADD_FAILURE();
    return 0;
  }
}

template <class Visit> void forEachPoint(Visit visit) {
  for (std::int64_t T : {0, 1, 2, 5})
    for (std::int64_t S : {0, 1, 6})
      for (std::int64_t i = 0; i < 5; ++i)
        for (std::int64_t j = 0; j < 3; ++j)
          for (std::int64_t s = 0; s < T; ++s)
            visit(Point{T, S, i, j, s});
}

TEST(IndexAlgebra, WhatIsProvenHolds) {
  std::mt19937 random(7);
  int proven = 0;
  for (int round = 0; round < 3000; ++round) {
    Fixture f;
    std::vector<ExprId> pool = {f.T, f.S, f.i, f.j, f.s, f.n(1), f.n(2), f.n(3), f.n(-2)};
    for (int k = 0; k < 6; ++k) {
      static constexpr Op kOps[] = {Op::Add, Op::Sub, Op::Mul, Op::Div,
                                    Op::Rem, Op::Min, Op::Max, Op::Add};
      const auto built =
          f.algebra.build(kOps[random() % 8], std::vector<ExprId>{pool[random() % pool.size()],
                                                                  pool[random() % pool.size()]});
      if (built.fault == IndexAlgebra::Fault::None)
        pool.push_back(built.id);
    }
    const ExprId a = pool.back(), b = pool[random() % pool.size()];
    const ExprId fact = f.algebra.compare(
        random() % 2 ? Op::Le : Op::Gt, pool[random() % pool.size()], pool[random() % pool.size()]);
    const bool hasFact = f.program.expr(fact).op != Op::Const && random() % 2;
    if (hasFact)
      f.algebra.assume(fact);
    const bool isLess = f.algebra.provesLess(a, b), isPositive = f.algebra.provesNonNegative(a),
               isEqual = f.algebra.equal(a, b);
    const Interval interval = f.algebra.interval(a);
    proven += isLess + isPositive;
    forEachPoint([&](const Point &p) {
      const std::int64_t va = evaluate(f.program, a, p), vb = evaluate(f.program, b, p);
      EXPECT_LE(interval.lo, va);
      EXPECT_GE(interval.hi, va);
      if (hasFact) {
        const auto args = f.program.args(fact);
        const std::int64_t x = evaluate(f.program, args[0], p), y = evaluate(f.program, args[1], p);
        if (f.program.expr(fact).op == Op::Le ? x > y : x <= y)
          return;
      }
      EXPECT_TRUE(!isLess || va < vb);
      EXPECT_TRUE(!isPositive || va >= 0);
      EXPECT_TRUE(!isEqual || va == vb);
    });
    if (HasFailure())
      return;
  }
  EXPECT_GT(proven, 600); // or the test would say nothing
}

TEST(IndexAlgebra, FoldsConstants) {
  Fixture f;
  EXPECT_EQ(f.op(Op::Add, {f.n(2), f.n(3)}), f.n(5));
  EXPECT_EQ(f.op(Op::Div, {f.n(-7), f.n(2)}), f.n(-4));
  EXPECT_EQ(f.op(Op::Rem, {f.n(-7), f.n(2)}), f.n(1));
  EXPECT_EQ(f.op(Op::Rem, {f.n(7), f.n(-2)}), f.n(-1));
  EXPECT_EQ(f.op(Op::Div, {f.n(7), f.n(-2)}), f.n(-4));
  const std::int64_t most = Interval::kNoUpper, least = Interval::kNoLower;
  EXPECT_EQ(f.op(Op::Rem, {f.n(least), f.n(3)}), f.n(1)); // -2^63 = 3 * floor(-2^63 / 3) + 1
  EXPECT_EQ(f.op(Op::Rem, {f.n(least), f.n(most)}), f.n(most - 1));
  EXPECT_EQ(f.op(Op::Rem, {f.n(most), f.n(least)}), f.n(-1));
  EXPECT_EQ(f.op(Op::Mul, {f.i, f.n(1)}), f.i);
  EXPECT_EQ(f.op(Op::Add, {f.n(0), f.i}), f.i);
  EXPECT_EQ(f.algebra.compare(Op::Lt, f.n(1), f.n(2)), f.program.constant(DType::Bool, 1));
}

TEST(IndexAlgebra, RefusesWhatLeaves64Bits) {
  Fixture f;
  const std::int64_t most = Interval::kNoUpper, least = Interval::kNoLower;
  const auto fault = [&](Op op, std::vector<ExprId> args) {
    return f.algebra.build(op, args).fault;
  };
  using Fault = IndexAlgebra::Fault;
  EXPECT_EQ(fault(Op::Add, {f.n(most), f.n(1)}), Fault::Overflow);
  EXPECT_EQ(fault(Op::Sub, {f.n(least), f.n(1)}), Fault::Overflow);
  EXPECT_EQ(fault(Op::Mul, {f.n(most), f.n(2)}), Fault::Overflow);
  EXPECT_EQ(fault(Op::Neg, {f.n(least)}), Fault::Overflow);
  EXPECT_EQ(fault(Op::Div, {f.n(least), f.n(-1)}), Fault::Overflow);
  EXPECT_EQ(fault(Op::Rem, {f.n(least), f.n(-1)}), Fault::None);
  EXPECT_EQ(fault(Op::Div, {f.n(1), f.n(0)}), Fault::ZeroDivisor);
  EXPECT_EQ(fault(Op::Div, {f.n(1), f.T}), Fault::UnprovenDivisor);
}

TEST(IndexAlgebra, ProvesTiling) {
  Fixture f;
  const ExprId tile = f.op(Op::Add, {f.op(Op::Mul, {f.i, f.n(3)}), f.j});
  EXPECT_TRUE(f.algebra.provesLess(tile, f.n(15)));
  EXPECT_FALSE(f.algebra.provesLess(tile, f.n(14)));
  // b < T / 8, j < 3: b * 8 + j < T
  const ExprId blocks = f.op(Op::Div, {f.T, f.n(8)});
  const ExprId b = f.var("b", blocks);
  const ExprId element = f.op(Op::Add, {f.op(Op::Mul, {b, f.n(8)}), f.j});
  EXPECT_TRUE(f.algebra.provesLess(element, f.T));
  EXPECT_FALSE(f.algebra.provesLess(f.op(Op::Add, {element, f.n(6)}), f.T));
}

TEST(IndexAlgebra, ProvesReversal) {
  Fixture f;
  const ExprId last = f.op(Op::Sub, {f.T, f.n(1)});
  const ExprId reversed = f.op(Op::Sub, {last, f.s});
  EXPECT_TRUE(f.algebra.provesNonNegative(reversed));
  EXPECT_TRUE(f.algebra.provesLess(reversed, f.T));
}

TEST(IndexAlgebra, UsesFactsAndForgetsThem) {
  Fixture f;
  const ExprId before = f.op(Op::Sub, {f.s, f.n(1)});
  EXPECT_FALSE(f.algebra.provesNonNegative(before));
  f.algebra.assume(f.algebra.compare(Op::Gt, f.s, f.n(0)));
  EXPECT_TRUE(f.algebra.provesNonNegative(before));
  f.algebra.forget(0);
  EXPECT_FALSE(f.algebra.provesNonNegative(before));
  EXPECT_FALSE(f.algebra.equal(f.T, f.S));
  f.algebra.assume(f.algebra.compare(Op::Eq, f.T, f.S));
  EXPECT_TRUE(f.algebra.equal(f.T, f.S));
  EXPECT_TRUE(f.algebra.provesLess(f.s, f.S));
}

} // namespace
} // namespace ordo::dsl
