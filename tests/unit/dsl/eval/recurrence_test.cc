// Folds and scans against plain loops written here.
#include "tests/unit/dsl/eval/program_builder.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <random>

namespace ordo::dsl {
namespace {

using namespace testing_support;

constexpr std::int64_t kHead = 3; // width of q, k and v
constexpr std::int64_t kBlock = 4;

/// Attention over blocks of four keys counted from the request's own first key: as
/// tests/sketches/attention.ordo, with one head in f32 and the exponential of program_builder.h.
Program attention(const std::string &order) {
  Builder b;
  const DimId T = b.dim("T"), S = b.dim("S"), R = b.dim("R");
  const TensorId q = b.tensor("q", DType::F32, {b.size(T), b.n(kHead)});
  const TensorId k = b.tensor("k", DType::F32, {b.size(S), b.n(kHead)});
  const TensorId v = b.tensor("v", DType::F32, {b.size(S), b.n(kHead)});
  const TensorId request = b.tensor("request", DType::I32, {b.size(T)});
  const TensorId ks = b.tensor("ks", DType::I32, {b.size(R)});
  const TensorId kl = b.tensor("kl", DType::I32, {b.size(R)});
  const TensorId first = b.tensor("first", DType::I32, {b.size(T)});
  const TensorId last = b.tensor("last", DType::I32, {b.size(T)});
  const TensorId o = b.tensor("o", DType::F32, {b.size(T), b.n(kHead)}, Tensor::Role::Output);
  const TensorId hi = b.tensor("hi", DType::F32, {b.size(T)}, Tensor::Role::Output);
  const auto cell = [&](TensorId t, ExprId at) { return b.cast(DType::Index, b.load(t, {at})); };
  const auto both = [&](ExprId x, ExprId y) { return b.op(Op::And, {x, y}); };

  const VarId t = b.var("t", b.size(T));
  const ExprId r = cell(request, b.at(t));
  const ExprId blocks = b.div(b.add(cell(kl, r), b.n(kBlock - 1)), b.n(kBlock));
  const VarId j = b.var("j", blocks);
  const ExprId begin = b.mul(b.at(j), b.n(kBlock));
  const ExprId where = both(b.op(Op::Lt, {begin, cell(last, b.at(t))}),
                            b.op(Op::Gt, {b.add(begin, b.n(kBlock)), cell(first, b.at(t))}));
  const RecurrenceId rec = b.recurrence({t}, {j}, order, where);
  const VarId own = b.var("d", b.n(kHead));
  const CarryId m = b.carry(rec, "m", DType::F32, {}, b.f32(-INFINITY));
  const CarryId l = b.carry(rec, "l", DType::F32, {}, b.f32(0.0f));
  const CarryId a = b.carry(rec, "a", DType::F32, {own}, b.f32(0.0f));

  const auto inBlock = [&](VarId c) { return b.add(begin, b.at(c)); };
  const VarId c0 = b.var("c", b.n(kBlock));
  const DefId live = b.local(rec, "live", {c0},
                             both(b.op(Op::Le, {cell(first, b.at(t)), inBlock(c0)}),
                                  b.op(Op::Lt, {inBlock(c0), cell(last, b.at(t))})));
  const VarId c1 = b.var("c", b.n(kBlock)), e = b.var("e", b.n(kHead));
  const DefId z = b.local(rec, "z", {c1},
                          b.reduce(ReduceOp::Dot, {e}, "seq",
                                   b.mul(b.load(q, {b.at(t), b.at(e)}),
                                         b.load(k, {b.add(cell(ks, r), inBlock(c1)), b.at(e)}))),
                          b.use(live, {b.at(c1)}));
  const VarId c2 = b.var("c", b.n(kBlock));
  const DefId high =
      b.local(rec, "hi", {},
              b.op(Op::Max, {b.held(m), b.reduce(ReduceOp::Max, {c2}, "", b.use(z, {b.at(c2)}),
                                                 b.use(live, {b.at(c2)}))}));
  const auto baseOf = [&](ExprId of) {
    return b.op(Op::Select, {b.op(Op::Eq, {of, b.f32(-INFINITY)}), b.f32(0), of});
  };
  const DefId base = b.local(rec, "base", {}, baseOf(b.use(high, {})));
  const VarId c3 = b.var("c", b.n(kBlock));
  const DefId p = b.local(rec, "p", {c3}, expOf(b, b.sub(b.use(z, {b.at(c3)}), b.use(base, {}))),
                          b.use(live, {b.at(c3)}));
  const DefId x = b.local(rec, "x", {}, expOf(b, b.sub(b.held(m), b.use(base, {}))));
  b.local(rec, "unused", {}, b.load(q, {b.n(-1), b.n(-1)})); // nothing needs it
  const VarId c4 = b.var("c", b.n(kBlock)), c5 = b.var("c", b.n(kBlock));
  b.p.carries[m].next = b.use(high, {});
  b.p.carries[l].next =
      b.add(b.mul(b.held(l), b.use(x, {})),
            b.reduce(ReduceOp::Sum, {c4}, "pairs", b.use(p, {b.at(c4)}), b.use(live, {b.at(c4)})));
  b.p.carries[a].next = b.add(
      b.mul(b.held(a, {b.at(own)}), b.use(x, {})),
      b.reduce(ReduceOp::Dot, {c5}, "seq",
               b.mul(b.use(p, {b.at(c5)}), b.load(v, {b.add(cell(ks, r), inBlock(c5)), b.at(own)})),
               b.use(live, {b.at(c5)})));
  const auto sided = [&](CarryId c, Side side) { return b.held(c, {}, side); };
  const DefId top =
      b.local(rec, "hi", {}, b.op(Op::Max, {sided(m, Side::Left), sided(m, Side::Right)}));
  const ExprId xs = expOf(b, b.sub(sided(m, Side::Left), baseOf(b.use(top, {}))));
  const ExprId ys = expOf(b, b.sub(sided(m, Side::Right), baseOf(b.use(top, {}))));
  b.p.carries[m].merged = b.use(top, {});
  b.p.carries[l].merged = b.add(b.mul(sided(l, Side::Left), xs), b.mul(sided(l, Side::Right), ys));
  b.p.carries[a].merged = b.add(b.mul(b.held(a, {b.at(own)}, Side::Left), xs),
                                b.mul(b.held(a, {b.at(own)}, Side::Right), ys));
  for (DefId d = live; d < top; ++d)
    b.p.recurrences[rec].stepLocals.push_back(d);
  b.p.recurrences[rec].mergeLocals = {top};

  const VarId t1 = b.var("t", b.size(T)), t2 = b.var("t", b.size(T)), d2 = b.var("d", b.n(kHead));
  b.define("hi", {t1}, b.part(rec, 0, {b.at(t1)}), hi);
  const VarId t3 = b.var("t", b.size(T)), t4 = b.var("t", b.size(T)), d4 = b.var("d", b.n(kHead));
  const DefId sum = b.define("l", {t3}, b.part(rec, 1, {b.at(t3)}));
  const DefId acc = b.define("a", {t4, d4}, b.part(rec, 2, {b.at(t4), b.at(d4)}));
  const ExprId total = b.use(sum, {b.at(t2)});
  b.define("o", {t2, d2},
           b.op(Op::Select, {b.op(Op::Eq, {total, b.f32(0)}), b.f32(0),
                             b.div(b.use(acc, {b.at(t2), b.at(d2)}), total)}),
           o);
  return std::move(b.p);
}

struct Query {
  int request, first, last;
};
struct Pack {
  std::vector<int> lengths;
  std::vector<Query> queries;
  std::vector<float> q, k, v;
};

struct State {
  float m = -INFINITY, l = 0;
  float a[kHead] = {};
};
using Absent = std::optional<State>;

State merged(const State &x, const State &y) {
  State s;
  s.m = std::max(x.m, y.m);
  const float base = s.m == -INFINITY ? 0.0f : s.m;
  const float p = expPlain(x.m - base), q = expPlain(y.m - base);
  const float left = x.l * p, right = y.l * q;
  s.l = left + right;
  for (int d = 0; d < kHead; ++d) {
    const float from = x.a[d] * p, more = y.a[d] * q;
    s.a[d] = from + more;
  }
  return s;
}

/// One block of keys, or nothing where the query sees none of it.
void step(const Pack &pack, std::size_t t, int start, int block, Absent &state) {
  const Query &query = pack.queries[t];
  const int begin = block * kBlock;
  if (begin >= query.last || begin + kBlock <= query.first)
    return;
  State s = state.value_or(State{});
  std::vector<float> z(kBlock, -INFINITY), p(kBlock, -0.0f);
  std::vector<bool> live(kBlock);
  for (int c = 0; c < kBlock; ++c) {
    live[c] = query.first <= begin + c && begin + c < query.last;
    if (!live[c])
      continue;
    const float *q = &pack.q[t * kHead], *k = &pack.k[(start + begin + c) * kHead];
    z[c] = q[0] * k[0];
    for (int e = 1; e < kHead; ++e) {
      const float product = q[e] * k[e];
      z[c] += product;
    }
  }
  const float high = std::max(s.m, *std::max_element(z.begin(), z.end()));
  const float base = high == -INFINITY ? 0.0f : high;
  for (int c = 0; c < kBlock; ++c)
    if (live[c])
      p[c] = expPlain(z[c] - base);
  const float x = expPlain(s.m - base);
  State next;
  next.m = high;
  const float kept = s.l * x, low = p[0] + p[1], up = p[2] + p[3];
  const float added = low + up;
  next.l = kept + added;
  for (int d = 0; d < kHead; ++d) {
    const auto product = [&](int c) {
      return live[c] ? p[c] * pack.v[(start + begin + c) * kHead + d] : -0.0f;
    };
    float sum = product(0);
    for (int c = 1; c < kBlock; ++c)
      sum += product(c);
    const float old = s.a[d] * x;
    next.a[d] = old + sum;
  }
  state = next;
}

Absent join(const Absent &x, const Absent &y) {
  return x && y ? Absent(merged(*x, *y)) : x ? x : y;
}

/// seq (runLength 0); seq(n) | seq; seq(n) | pairs.
State folded(const Pack &pack, std::size_t t, int runLength, bool inPairs) {
  const Query &query = pack.queries[t];
  int start = 0;
  for (int r = 0; r < query.request; ++r)
    start += pack.lengths[r];
  const int blocks = (pack.lengths[query.request] + kBlock - 1) / kBlock;
  const int run = runLength == 0 ? std::max(blocks, 1) : runLength;
  std::vector<Absent> runs;
  for (int begin = 0; begin < blocks; begin += run) {
    Absent state;
    for (int j = begin; j < std::min(begin + run, blocks); ++j)
      step(pack, t, start, j, state);
    runs.push_back(state);
  }
  while (inPairs && runs.size() > 1) {
    std::vector<Absent> next;
    for (std::size_t i = 0; i < runs.size(); i += 2)
      next.push_back(i + 1 < runs.size() ? join(runs[i], runs[i + 1]) : runs[i]);
    runs = next;
  }
  Absent all;
  for (const Absent &state : runs)
    all = join(all, state);
  return all.value_or(State{});
}

Pack randomPack(std::vector<int> lengths, std::vector<Query> queries, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  Pack pack{std::move(lengths), std::move(queries), {}, {}, {}};
  int keys = 0;
  for (const int length : pack.lengths)
    keys += length;
  for (std::size_t i = 0; i < pack.queries.size() * kHead; ++i)
    pack.q.push_back(normal(random));
  for (int i = 0; i < keys * kHead; ++i) {
    pack.k.push_back(normal(random));
    pack.v.push_back(normal(random));
  }
  return pack;
}

EvalResult run(const Program &program, const Pack &pack) {
  std::vector<std::int32_t> request, first, last, ks, kl;
  for (const Query &query : pack.queries) {
    request.push_back(query.request);
    first.push_back(query.first);
    last.push_back(query.last);
  }
  int start = 0;
  for (const int length : pack.lengths) {
    ks.push_back(start);
    kl.push_back(length);
    start += length;
  }
  const auto T = static_cast<std::int64_t>(request.size());
  const auto R = static_cast<std::int64_t>(ks.size());
  EvalInputs in;
  in.tensors["q"] = tensorOf(DType::F32, {T, kHead}, pack.q);
  in.tensors["k"] = tensorOf(DType::F32, {start, kHead}, pack.k);
  in.tensors["v"] = tensorOf(DType::F32, {start, kHead}, pack.v);
  in.tensors["request"] = tensorOf(DType::I32, {T}, request);
  in.tensors["ks"] = tensorOf(DType::I32, {R}, ks);
  in.tensors["kl"] = tensorOf(DType::I32, {R}, kl);
  in.tensors["first"] = tensorOf(DType::I32, {T}, first);
  in.tensors["last"] = tensorOf(DType::I32, {T}, last);
  return evaluate(program, in);
}

struct Cut {
  const char *order;
  int runLength;
  bool inPairs;
};

class Fold : public testing::TestWithParam<Cut> {};

TEST_P(Fold, OnlineSoftmaxEqualsPlainLoops) {
  const auto [order, runLength, inPairs] = GetParam();
  // Causal, full, windows that leave whole runs out, nothing at all; requests without keys.
  const Pack pack = randomPack({70, 0, 1, 33},
                               {{0, 0, 70},
                                {0, 0, 1},
                                {0, 30, 41},
                                {0, 69, 70},
                                {0, 5, 5},
                                {0, 0, 64},
                                {1, 0, 0},
                                {2, 0, 1},
                                {3, 0, 33},
                                {3, 16, 32},
                                {0, 40, 70},
                                {0, 0, 4}},
                               11);
  const EvalResult result = run(attention(order), pack);
  ASSERT_TRUE(result.ok()) << result.error;
  const auto hi = valuesOf<std::uint32_t>(result.outputs.at("hi"));
  const auto o = valuesOf<std::uint32_t>(result.outputs.at("o"));
  for (std::size_t t = 0; t < pack.queries.size(); ++t) {
    const State s = folded(pack, t, runLength, inPairs);
    EXPECT_EQ(hi[t], std::bit_cast<std::uint32_t>(s.m)) << "query " << t;
    for (std::size_t d = 0; d < kHead; ++d)
      EXPECT_EQ(o[t * kHead + d], std::bit_cast<std::uint32_t>(s.l == 0 ? 0.0f : s.a[d] / s.l))
          << "query " << t << " column " << d;
  }
}

TEST_P(Fold, NoQueriesAndNoRequests) {
  const Program program = attention(GetParam().order);
  EXPECT_TRUE(run(program, randomPack({}, {}, 1)).ok());
  EXPECT_TRUE(run(program, randomPack({5, 0}, {}, 1)).ok());
}

INSTANTIATE_TEST_SUITE_P(All, Fold,
                         testing::Values(Cut{"seq", 0, false}, Cut{"seq(8) | seq", 8, false},
                                         Cut{"seq(4) | pairs", 4, true},
                                         Cut{"seq(1) | pairs", 1, true},
                                         Cut{"lanes(64) | seq", 1, false}),
                         [](const auto &info) { return "Cut" + std::to_string(info.index); });

/// (s[r, i], y[r, i, t]) = scan[t in len[r] where x[start[r] + t] >= 0] from (0) {
///   next (s[i] * 2 + x[start[r] + t]) yield (s[i] - i) }
struct Scanned {
  EvalResult result;
  std::vector<float> x;
};
Scanned scan(const std::vector<float> &x, const std::vector<std::int32_t> &start,
             const std::vector<std::int32_t> &len, std::int64_t readAt) {
  Builder b;
  const DimId N = b.dim("N"), R = b.dim("R");
  const TensorId tx = b.tensor("x", DType::F32, {b.size(N)});
  const TensorId ts = b.tensor("start", DType::I32, {b.size(R)});
  const TensorId tl = b.tensor("len", DType::I32, {b.size(R)});
  const TensorId last = b.tensor("last", DType::F32, {b.size(R), b.n(2)}, Tensor::Role::Output);
  const TensorId out = b.tensor("y", DType::F32, {b.size(N), b.n(2)}, Tensor::Role::Output);
  const TensorId one = b.tensor("one", DType::F32, {b.size(R)}, Tensor::Role::Output);
  const auto cell = [&](TensorId t, ExprId at) { return b.cast(DType::Index, b.load(t, {at})); };
  const VarId r = b.var("r", b.size(R)), t = b.var("t", cell(tl, b.at(r)));
  const ExprId input = b.load(tx, {b.add(cell(ts, b.at(r)), b.at(t))});
  const RecurrenceId rec = b.recurrence({r}, {t}, "seq", b.op(Op::Ge, {input, b.f32(0)}));
  const VarId i = b.var("i", b.n(2));
  const CarryId s = b.carry(rec, "s", DType::F32, {i}, b.f32(0));
  b.p.carries[s].next = b.add(b.mul(b.held(s, {b.at(i)}), b.f32(2)), input);
  const VarId yi = b.var("i", b.n(2));
  b.yield(rec, "y", {yi}, b.sub(b.held(s, {b.at(yi)}), b.cast(DType::F32, b.at(yi))));

  const VarId r1 = b.var("r", b.size(R)), i1 = b.var("i", b.n(2));
  b.define("last", {r1, i1}, b.part(rec, 0, {b.at(r1), b.at(i1)}), last);
  const VarId r2 = b.var("r", b.size(R)), i2 = b.var("i", b.n(2));
  const VarId t2 = b.var("t", cell(tl, b.at(r2)));
  const DefId y = b.define("y", {r2, i2, t2}, b.part(rec, 1, {b.at(r2), b.at(i2), b.at(t2)}));
  const VarId r3 = b.var("r", b.size(R)), t3 = b.var("t", cell(tl, b.at(r3)));
  const VarId i3 = b.var("i", b.n(2));
  const ExprId n = b.add(cell(ts, b.at(r3)), b.at(t3));
  b.place("y", {r3, t3, i3}, {n, b.at(i3)}, {b.size(N), b.n(2)},
          b.use(y, {b.at(r3), b.at(i3), b.at(t3)}), out, b.op(Op::Ge, {b.load(tx, {n}), b.f32(0)}));
  const VarId r4 = b.var("r", b.size(R));
  b.define("one", {r4}, readAt < 0 ? b.f32(0) : b.use(y, {b.at(r4), b.n(0), b.n(readAt)}), one);
  EvalInputs in;
  const auto count = static_cast<std::int64_t>(start.size());
  in.tensors["x"] = tensorOf(DType::F32, {static_cast<std::int64_t>(x.size())}, x);
  in.tensors["start"] = tensorOf(DType::I32, {count}, start);
  in.tensors["len"] = tensorOf(DType::I32, {count}, len);
  return {evaluate(b.p, in), x};
}

TEST(Scan, EmitsEachStep) {
  const std::vector<float> x = {1, 2, -1, 3, 4, 5, -2, 6, 7};
  const std::vector<std::int32_t> start = {5, 0, 3}, len = {4, 3, 0};
  const EvalResult result = scan(x, start, len, -1).result;
  ASSERT_TRUE(result.ok()) << result.error;
  std::vector<float> y(x.size() * 2), last;
  for (std::size_t r = 0; r < 3; ++r) {
    float s = 0;
    for (int t = 0; t < len[r]; ++t) {
      const auto n = static_cast<std::size_t>(start[r] + t);
      if (x[n] < 0)
        continue;
      y[n * 2] = s;
      y[n * 2 + 1] = s - 1;
      s = s * 2 + x[n];
    }
    last.insert(last.end(), {s, s});
  }
  EXPECT_EQ(valuesOf<float>(result.outputs.at("y")), y);
  EXPECT_EQ(valuesOf<float>(result.outputs.at("last")), last);
}

TEST(Scan, NothingIsEmittedByADeadStepOrBeyondTheEnd) {
  EXPECT_EQ(scan({1, 2, -1, 3}, {0, 2}, {2, 2}, 1).result.error, "");
  EXPECT_EQ(scan({1, 2, -1, 3}, {0, 2}, {2, 2}, 0).result.error,
            "in `one` at r = 1: `y` has no value at [1, 0, 0]");
  EXPECT_EQ(scan({1, 2, 1, 3}, {0, 3}, {3, 1}, 2).result.error,
            "in `one` at r = 1: `y` has no value at [1, 0, 2]");
  EXPECT_EQ(scan({1, 2}, {0}, {-1}, -1).result.error, "t runs over -1 elements at (r, i) = (0, 0)");
  EXPECT_TRUE(scan({}, {}, {}, -1).result.ok());
  EXPECT_TRUE(scan({}, {0, 0}, {0, 0}, -1).result.ok());
}

/// Fibonacci: (a, b) changes at once; two step variables count row-major.
TEST(FoldStep, CarriesChangeTogether) {
  Builder b;
  const TensorId y = b.tensor("y", DType::I32, {}, Tensor::Role::Output);
  const TensorId z = b.tensor("z", DType::I32, {}, Tensor::Role::Output);
  const VarId i = b.var("i", b.n(3)), j = b.var("j", b.n(4));
  const RecurrenceId rec = b.recurrence({}, {i, j}, "seq");
  const auto whole = [&](std::uint64_t v) { return b.p.constant(DType::I32, v); };
  const CarryId a = b.carry(rec, "a", DType::I32, {}, whole(0));
  const CarryId c = b.carry(rec, "b", DType::I32, {}, whole(1));
  const CarryId digits = b.carry(rec, "digits", DType::I32, {}, whole(0));
  b.p.carries[a].next = b.held(c);
  b.p.carries[c].next = b.add(b.held(a), b.held(c));
  b.p.carries[digits].next = b.add(b.mul(b.held(digits), whole(7)),
                                   b.cast(DType::I32, b.add(b.mul(b.at(i), b.n(2)), b.at(j))));
  b.define("y", {}, b.part(rec, 0, {}), y);
  b.define("z", {}, b.part(rec, 2, {}), z);
  const EvalResult result = evaluate(b.p, {});
  ASSERT_TRUE(result.ok()) << result.error;
  EXPECT_EQ(valuesOf<std::int32_t>(result.outputs.at("y"))[0], 144);
  std::int32_t want = 0;
  for (int p = 0; p < 3; ++p)
    for (int q = 0; q < 4; ++q)
      want = static_cast<std::int32_t>(static_cast<std::uint32_t>(want) * 7u +
                                       static_cast<std::uint32_t>(p * 2 + q));
  EXPECT_EQ(valuesOf<std::int32_t>(result.outputs.at("z"))[0], want);
}

/// A fold in a step: s = s + prod over k in (j + 1) of 2, by an inner fold of its own.
TEST(FoldStep, FoldsInAStep) {
  Builder b;
  const TensorId y = b.tensor("y", DType::F32, {}, Tensor::Role::Output);
  const VarId j = b.var("j", b.n(5));
  const RecurrenceId outer = b.recurrence({}, {j}, "seq");
  const CarryId s = b.carry(outer, "s", DType::F32, {}, b.f32(1));
  const VarId k = b.var("k", b.add(b.at(j), b.n(1)));
  const RecurrenceId inner = b.recurrence({}, {k}, "seq");
  const CarryId x = b.carry(inner, "x", DType::F32, {}, b.held(s));
  b.p.carries[x].next = b.add(b.held(x), b.cast(DType::F32, b.at(k)));
  const DefId total = b.local(outer, "total", {}, b.part(inner, 0, {}));
  b.p.recurrences[outer].stepLocals = {total};
  b.p.carries[s].next = b.add(b.use(total, {}), b.f32(0.5f));
  b.define("y", {}, b.part(outer, 0, {}), y);
  const EvalResult result = evaluate(b.p, {});
  ASSERT_TRUE(result.ok()) << result.error;
  float want = 1;
  for (int p = 0; p < 5; ++p) {
    for (int q = 0; q < p + 1; ++q)
      want += static_cast<float>(q);
    want += 0.5f;
  }
  EXPECT_EQ(valuesOf<float>(result.outputs.at("y"))[0], want);
}

TEST(FoldStep, MalformedIsRefused) {
  for (const char *order : {"pairs", "seq: bf16", "seq.from(0.0)", "mid", "seq(2) | seq"}) {
    Builder b;
    const TensorId y = b.tensor("y", DType::F32, {}, Tensor::Role::Output);
    const RecurrenceId rec = b.recurrence({}, {b.var("j", b.n(5))}, order);
    const CarryId s = b.carry(rec, "s", DType::F32, {}, b.f32(1));
    b.p.carries[s].next = b.held(s);
    b.define("y", {}, b.part(rec, 0, {}), y);
    EXPECT_NE(evaluate(b.p, {}).error.find("malformed program"), std::string::npos) << order;
  }
  Builder b;
  const TensorId y = b.tensor("y", DType::F32, {}, Tensor::Role::Output);
  const RecurrenceId rec = b.recurrence({}, {b.var("j", b.n(5))}, "seq");
  const CarryId s = b.carry(rec, "s", DType::F32, {}, b.f32(1));
  b.p.carries[s].next = b.held(s);
  b.define("y", {}, b.held(s), y);
  EXPECT_EQ(evaluate(b.p, {}).error, "malformed program: a carry outside its recurrence");
}

} // namespace
} // namespace ordo::dsl
