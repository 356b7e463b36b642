// Terms have the evaluator's bits, share what is equal, print short and never recurse.
#include "dsl/eval/evaluator.h"
#include "dsl/term/term.h"
#include "tests/unit/dsl/eval/program_builder.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <random>

namespace ordo::dsl {
namespace {

using namespace testing_support;

TermInputs inputsOf(const Program &p, const EvalInputs &in) {
  TermInputs inputs;
  for (const Tensor &t : p.tensors)
    inputs.tensors.push_back(in.tensors.contains(t.name) ? &in.tensors.at(t.name) : nullptr);
  for (const Scalar &s : p.scalars)
    inputs.scalars.push_back(in.scalars.at(s.name));
  return inputs;
}

/// Every element of the outputs, both ways.
void expectSameBits(const Program &p, const EvalInputs &in, std::vector<std::int64_t> dims) {
  const EvalResult result = evaluate(p, in);
  ASSERT_TRUE(result.ok()) << result.error;
  TermPool pool;
  for (TensorId t = 0; t < p.tensors.size(); ++t) {
    if (p.tensors[t].role != Tensor::Role::Output)
      continue;
    const TensorValue &y = result.outputs.at(p.tensors[t].name);
    const std::size_t size = elementSize(y.type);
    std::vector<TermId> roots;
    for (std::size_t i = 0; i < y.data.size() / size; ++i) {
      std::vector<std::int64_t> index(y.shape.size());
      auto rest = static_cast<std::int64_t>(i);
      for (std::size_t k = index.size(); k-- > 0; rest /= y.shape[k])
        index[k] = rest % y.shape[k];
      std::string error;
      const auto term = expand(p, t, index, dims, pool, &error);
      ASSERT_TRUE(term) << error;
      roots.push_back(*term);
    }
    std::string error;
    const auto bits = evaluateTerms(pool, roots, inputsOf(p, in), &error);
    ASSERT_TRUE(bits) << error;
    for (std::size_t i = 0; i < roots.size(); ++i)
      ASSERT_EQ((*bits)[i], loadBits(y.type, y.data.data() + i * size))
          << i << ": " << toString(pool, roots[i], p);
  }
}

std::vector<std::uint16_t> randomBf16(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<std::uint16_t> v(n);
  for (auto &e : v)
    e = bf16Of(normal(random));
  return v;
}

TEST(Term, NormAndSoftmaxHaveTheEvaluatorsBits) {
  for (const char *order :
       {"seq", "pairs", "halves", "mid", "mid.leaf(4): bf16", "seq(3) | lanes(4) | halves",
        "lanes(4, 2): bf16 | pairs", "first(3) | seq(4) | seq", "seq(8).from(1.5) | pairs",
        "halves(8).pad(0.0) | seq"}) {
    SCOPED_TRACE(order);
    EvalInputs in;
    in.tensors["x"] = tensorOf(DType::BF16, {2, 37}, randomBf16(74, 1));
    in.tensors["w"] = tensorOf(DType::BF16, {37}, randomBf16(37, 2));
    in.scalars["eps"] = 0x358637bd;
    expectSameBits(rmsNorm(37, order), in, {2});
    EvalInputs soft;
    soft.tensors["x"] = in.tensors["x"];
    expectSameBits(softmax(37, order), soft, {2});
  }
}

/// Random programs: an expression over indices and loads, a nested reduction with masks, a fused
/// dot, a count, data-dependent choice.
class RandomProgram {
public:
  explicit RandomProgram(unsigned seed) : random_(seed) {
    rows_ = b_.dim("T");
    x_ = b_.tensor("x", DType::F32, {b_.size(rows_), b_.n(kWidth)});
    w_ = b_.tensor("w", DType::BF16, {b_.n(kWidth)});
    k_ = b_.tensor("k", DType::I32, {b_.size(rows_)});
    y_ = b_.tensor("y", DType::F32, {b_.size(rows_), b_.n(kWidth)}, Tensor::Role::Output);
    scalar_ = b_.scalar("s", DType::F32);
    const VarId t = b_.var("t", b_.size(rows_)), h = b_.var("h", b_.n(kWidth)),
                g = b_.var("g", b_.n(3));
    const ExprId inner = b_.reduce(pick({ReduceOp::Sum, ReduceOp::Max, ReduceOp::MinNan}), {g},
                                   order(), leaf(t, h, g), mask(t, g));
    const ExprId outer = b_.reduce(pick({ReduceOp::Sum, ReduceOp::Min, ReduceOp::MaxNan}), {h},
                                   order(), b_.mul(inner, leaf(t, h, h)), mask(t, h));
    const DefId d = b_.define("d", {t}, outer);
    const VarId t1 = b_.var("t", b_.size(rows_)), h1 = b_.var("h", b_.n(kWidth)),
                p = b_.var("p", b_.n(4)), q = b_.var("q", b_.n(kWidth));
    const ExprId dot = b_.reduce(ReduceOp::Dot, {p, q}, "fma(5) | pairs",
                                 b_.mul(leaf(t1, q, p), leaf(t1, q, q)), mask(t1, q));
    const ExprId count = b_.reduce(ReduceOp::Count, {q}, "", mask(t1, q, true), kNone, DType::I32);
    const ExprId used = b_.use(d, {b_.op(Op::Rem, {b_.add(b_.at(t1), b_.at(h1)), b_.size(rows_)})});
    ExprId value = b_.add(b_.sub(used, dot), b_.cast(DType::F32, count));
    value = b_.op(Op::Select, {mask(t1, h1, true), value, leaf(t1, h1, h1)});
    b_.define("y", {t1, h1}, value, y_);
  }

  const Program &program() const { return b_.p; }
  EvalInputs inputs(std::int64_t rows) {
    EvalInputs in;
    std::normal_distribution<float> normal;
    std::vector<float> x(static_cast<std::size_t>(rows * kWidth));
    for (float &v : x)
      v = random_() % 17 == 0 ? special() : normal(random_);
    std::vector<std::int32_t> k(static_cast<std::size_t>(rows));
    for (auto &v : k)
      v = static_cast<std::int32_t>(random_() % kWidth);
    in.tensors["x"] = tensorOf(DType::F32, {rows, kWidth}, x);
    in.tensors["w"] = tensorOf(DType::BF16, {kWidth}, randomBf16(kWidth, random_()));
    in.tensors["k"] = tensorOf(DType::I32, {rows}, k);
    in.scalars["s"] = 0x3f2aaaabu;
    return in;
  }

private:
  static constexpr std::int64_t kWidth = 11;

  template <class T> T pick(std::initializer_list<T> list) {
    return *(list.begin() + random_() % list.size());
  }
  std::string order() {
    return pick<const char *>({"seq", "pairs", "mid: bf16", "lanes(2) | halves", "seq(2) | pairs",
                               "lanes(2, 2) | seq", "halves(4) | mid"});
  }
  float special() { return pick({0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1e-40f, -3e38f}); }
  ExprId leaf(VarId t, VarId h, VarId g) {
    const ExprId gathered = b_.cast(DType::Index, b_.load(k_, {b_.at(t)}));
    ExprId e = pick({b_.load(x_, {b_.at(t), b_.at(h)}), b_.load(x_, {b_.at(t), gathered}),
                     b_.cast(DType::F32, b_.load(w_, {b_.at(h)}))});
    const ExprId f = pick({b_.cast(DType::F32, b_.at(g)), scalar_, b_.f32(1.25f)});
    for (int i = 0; i < 3; ++i)
      e = b_.op(pick({Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Min, Op::MaxNan}), {e, f});
    if (random_() % 2)
      e = b_.cast(DType::F32, b_.cast(pick({DType::F16, DType::BF16}), e));
    return e;
  }
  /// By the index or by data.
  ExprId mask(VarId t, VarId h, bool always = false) {
    const ExprId k = b_.cast(DType::Index, b_.load(k_, {b_.at(t)}));
    const ExprId byData = b_.op(Op::Le, {b_.at(h), k});
    const ExprId byIndex = b_.op(Op::Ne, {b_.op(Op::Rem, {b_.at(h), b_.n(3)}), b_.n(1)});
    return always ? pick({byData, byIndex}) : pick({byData, byIndex, ExprId{kNone}});
  }

  std::mt19937 random_;
  Builder b_;
  DimId rows_;
  TensorId x_, w_, k_, y_;
  ExprId scalar_;
};

TEST(Term, RandomProgramsHaveTheEvaluatorsBits) {
  for (unsigned seed = 0; seed < 120; ++seed) {
    SCOPED_TRACE(seed);
    RandomProgram random(seed);
    expectSameBits(random.program(), random.inputs(3), {3});
    if (HasFatalFailure())
      return;
  }
}

/// A chain over a million elements on a stack of 128 KiB: whatever recursed over it would fault.
TEST(Term, AMillionTermsNeedNoStack) {
  const auto body = [](void *) -> void * {
    constexpr std::int64_t kLength = 1'000'000;
    Builder b;
    const TensorId x = b.tensor("x", DType::F32, {b.n(kLength)});
    const TensorId y = b.tensor("y", DType::F32, {}, Tensor::Role::Output);
    const VarId i = b.var("i", b.n(kLength));
    b.define("y", {}, b.reduce(ReduceOp::Sum, {i}, "seq", b.load(x, {b.at(i)})), y);
    EvalInputs in;
    std::vector<float> ones(kLength, 1.0f);
    in.tensors["x"] = tensorOf(DType::F32, {kLength}, ones);
    TermPool pool;
    std::string error;
    const auto term = expand(b.p, y, {}, {}, pool, &error);
    EXPECT_TRUE(term) << error;
    EXPECT_EQ(pool.term(*term).size, 3u * kLength - 1); // adds, loads and their indices
    const TermId roots[] = {*term};
    const auto bits = evaluateTerms(pool, roots, inputsOf(b.p, in), &error);
    EXPECT_EQ(bits.value()[0], std::bit_cast<std::uint32_t>(1e6f));
    EXPECT_EQ(toString(pool, *term, b.p), "x[0] + x[1] + x[2] + x[3] + …999,995 more… + x[999999]");
    return nullptr;
  };
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 128 << 10), 0);
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &attributes, body, nullptr), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

TEST(Term, EqualTreesAreOneTermAndHashTheSameInEveryPool) {
  const Program p = rmsNorm(8, "pairs");
  TermPool one, two;
  std::string error;
  const std::int64_t dims[] = {2};
  const auto at = [&](TermPool &pool, std::int64_t t, std::int64_t h) {
    const std::int64_t index[] = {t, h};
    return expand(p, 2, index, dims, pool, &error).value();
  };
  const TermId a = at(one, 0, 0);
  const std::size_t size = one.size();
  EXPECT_EQ(at(one, 0, 0), a);
  EXPECT_EQ(one.size(), size);
  EXPECT_NE(at(one, 1, 0), a);
  at(two, 1, 5); // other ids
  EXPECT_EQ(two.term(at(two, 0, 0)).hash, one.term(a).hash);
  EXPECT_NE(two.term(at(two, 0, 1)).hash, one.term(a).hash);
}

TEST(Term, PrintsAsWritten) {
  const Program p = rmsNorm(4, "pairs");
  TermPool pool;
  std::string error;
  const std::int64_t index[] = {1, 2}, dims[] = {3};
  const TermId y = expand(p, 2, index, dims, pool, &error).value();
  // a + b + (c + d) is the pairs tree: what has no parentheses folds from the left.
  EXPECT_EQ(toString(pool, y, p),
            "bf16(f32(x[1, 2]) * (1 / sqrt((((f32(x[1, 0]) * f32(x[1, 0])) + "
            "(f32(x[1, 1]) * f32(x[1, 1])) + ((f32(x[1, 2]) * f32(x[1, 2])) + "
            "(f32(x[1, 3]) * f32(x[1, 3])))) / f32(4)) + eps)) * f32(w[2]))");
  EXPECT_EQ(toString(pool, y, p, {6, 2, 400}), "bf16(…4 nodes… * …47 nodes… * …3 nodes…)");
  // A wide tree stays short.
  const Program wide = rmsNorm(4096, "pairs");
  const TermId big = expand(wide, 2, index, dims, pool, &error).value();
  EXPECT_LT(toString(pool, big, wide).size(), 20000u);
}

TEST(Term, RefusesWhatItCannotExpress) {
  Builder b;
  const TensorId n = b.tensor("n", DType::I32, {});
  const TensorId x = b.tensor("x", DType::F32, {b.n(4)});
  const TensorId y = b.tensor("y", DType::F32, {}, Tensor::Role::Output);
  const VarId i = b.var("i", b.cast(DType::Index, b.load(n, {})));
  b.define("y", {}, b.reduce(ReduceOp::Sum, {i}, "seq", b.load(x, {b.at(i)})), y);
  TermPool pool;
  std::string error;
  EXPECT_FALSE(expand(b.p, y, {}, {}, pool, &error));
  EXPECT_EQ(error, "how many i there are depends on data");
  EXPECT_FALSE(expand(b.p, x, {}, {}, pool, &error));
  EXPECT_EQ(error, "no definition writes that tensor");
  const std::int64_t index[] = {0};
  EXPECT_FALSE(expand(b.p, y, index, {}, pool, &error));
  EXPECT_EQ(error, "`y` has 0 indices, and 1 were given");
}

TEST(Term, ALoadOutOfRangeIsAnErrorOnlyWhenChosen) {
  Builder b;
  const TensorId x = b.tensor("x", DType::F32, {b.n(2)});
  TermPool pool;
  const auto load = [&](std::uint64_t at) {
    return pool.make(Op::Load, DType::F32, x, {pool.constant(DType::Index, at)});
  };
  const TermId condition = pool.make(Op::Lt, DType::Bool, 0, {load(0), load(1)});
  const TermId choice = pool.make(Op::Select, DType::F32, 0, {condition, load(0), load(2)});
  const auto run = [&](std::vector<float> values) {
    const TensorValue value = tensorOf(DType::F32, {2}, values);
    const TermId roots[] = {choice};
    std::string error;
    const auto bits = evaluateTerms(pool, roots, {{&value}, {}}, &error);
    return bits ? std::to_string(std::bit_cast<float>(static_cast<std::uint32_t>(bits->front())))
                : error;
  };
  EXPECT_EQ(run({1, 2}), "1.000000");
  EXPECT_EQ(run({2, 1}), "index out of range: a load at [2] of [2]");
}

} // namespace
} // namespace ordo::dsl
