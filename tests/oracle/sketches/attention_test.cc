// Attention against softmax in f64, and the invariance that it is for.
//
// The bound, with u = 2^-24. A score is a dot of 16 exact products, each added with one rounding,
// and one product with the scale: within 17 u of the sum of its magnitudes, in units of log2. A
// weight 2^(z - m) has that error twice (its own and the maximum's, which cancels only in part),
// exp2's, and one rescaling of two roundings a block and merge. It is rounded to bf16 before it
// meets v (half an ulp is 2^-8 of it at most), and not before the sum of weights.
#include "tests/oracle/sketches/sketch.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace ordo::oracle {
namespace {

constexpr std::size_t kHeads = 4, kGroup = 2, kWidth = 16;
constexpr double kScale = 0x1.715476p-2;

struct Query {
  int request, first, last;
};

/// Requests one after another from `offset` on, of these many keys.
struct Pack {
  std::vector<std::int32_t> lengths;
  std::vector<Query> queries;
  std::int32_t offset = 0;
  std::vector<std::uint16_t> q, k, v;

  std::int32_t start(int request) const {
    std::int32_t at = offset;
    for (int r = 0; r < request; ++r)
      at += lengths[static_cast<std::size_t>(r)];
    return at;
  }
};

constexpr std::size_t kQueryRow = kHeads * kWidth, kKeyRow = kHeads / kGroup * kWidth;

Pack makePack(std::vector<std::int32_t> lengths, std::vector<Query> queries, std::uint64_t seed) {
  Pack pack{std::move(lengths), std::move(queries), 3, {}, {}, {}};
  Random random(seed);
  const auto keys = static_cast<std::size_t>(pack.start(static_cast<int>(pack.lengths.size())) + 2);
  pack.q = normalBf16(pack.queries.size() * kQueryRow, random);
  pack.k = normalBf16(keys * kKeyRow, random);
  pack.v = normalBf16(keys * kKeyRow, random);
  return pack;
}

struct Answer {
  std::vector<std::uint16_t> o;
  std::vector<float> lse2;
};

Answer answer(const dsl::Program &program, const Pack &pack) {
  std::vector<std::int32_t> request, first, last, ks;
  for (const Query &query : pack.queries) {
    request.push_back(query.request);
    first.push_back(query.first);
    last.push_back(query.last);
  }
  for (std::size_t r = 0; r < pack.lengths.size(); ++r)
    ks.push_back(pack.start(static_cast<int>(r)));
  const auto T = static_cast<std::int64_t>(request.size());
  const auto R = static_cast<std::int64_t>(ks.size());
  const auto S = static_cast<std::int64_t>(pack.k.size() / kKeyRow);
  using enum dsl::DType;
  dsl::EvalInputs in;
  in.tensors["q"] = tensorOf(BF16, {T, kHeads, kWidth}, pack.q);
  in.tensors["k"] = tensorOf(BF16, {S, kHeads / kGroup, kWidth}, pack.k);
  in.tensors["v"] = tensorOf(BF16, {S, kHeads / kGroup, kWidth}, pack.v);
  in.tensors["request"] = tensorOf(I32, {T}, request);
  in.tensors["first"] = tensorOf(I32, {T}, first);
  in.tensors["last"] = tensorOf(I32, {T}, last);
  in.tensors["ks"] = tensorOf(I32, {R}, ks);
  in.tensors["kl"] = tensorOf(I32, {R}, pack.lengths);
  auto outputs = evaluated(program, in);
  return {valuesOf<std::uint16_t>(outputs["o"]), valuesOf<float>(outputs["lse2"])};
}

/// Every element within its bound of the softmax in f64.
void judge(const Pack &pack, const Answer &got) {
  const double u = std::ldexp(1.0, -24);
  ASSERT_EQ(got.o.size(), pack.queries.size() * kQueryRow);
  for (std::size_t t = 0; t < pack.queries.size(); ++t)
    for (std::size_t h = 0; h < kHeads; ++h) {
      const Query &query = pack.queries[t];
      std::vector<double> z;
      double largest = -HUGE_VAL, scoreError = 0, total = 0;
      const auto row = [&](int s) {
        return (static_cast<std::size_t>(pack.start(query.request) + s) * (kHeads / kGroup) +
                h / kGroup) *
               kWidth;
      };
      for (int s = query.first; s < query.last; ++s) {
        double sum = 0, magnitude = 0;
        for (std::size_t e = 0; e < kWidth; ++e) {
          const double product =
              double{floatOf(pack.q[(t * kHeads + h) * kWidth + e])} * floatOf(pack.k[row(s) + e]);
          sum += product;
          magnitude += std::fabs(product);
        }
        z.push_back(sum * kScale);
        largest = std::max(largest, z.back());
        scoreError = std::max(scoreError, 18 * u * magnitude * kScale);
      }
      for (double &score : z)
        total += score = std::exp2(score - largest);
      const double lse = got.lse2[t * kHeads + h];
      const std::string where = "query " + std::to_string(t) + " head " + std::to_string(h);
      if (z.empty()) {
        EXPECT_EQ(lse, -HUGE_VAL) << where;
        for (std::size_t d = 0; d < kWidth; ++d)
          EXPECT_EQ(got.o[(t * kHeads + h) * kWidth + d], 0) << where;
        continue;
      }
      const double weightError =
          2 * 0.7 * scoreError + (8.0 + 4.0 * static_cast<double>(query.last)) * u;
      const double want = largest + std::log2(total);
      EXPECT_NEAR(lse, want,
                  scoreError + 2 * weightError + 2 * ulp(kF32, want) + ulp(kF32, largest))
          << where;
      for (std::size_t d = 0; d < kWidth; ++d) {
        double sum = 0, magnitude = 0;
        for (int s = query.first; s < query.last; ++s) {
          const double part =
              z[static_cast<std::size_t>(s - query.first)] / total * floatOf(pack.v[row(s) + d]);
          sum += part;
          magnitude += std::fabs(part);
        }
        EXPECT_NEAR(floatOf(got.o[(t * kHeads + h) * kWidth + d]), sum,
                    0.5 * ulp(kBf16, std::fabs(sum) + magnitude * 0.005) +
                        magnitude * (std::ldexp(1.0, -8) + 2 * weightError))
            << where << " column " << d;
      }
    }
}

/// Full, causal, prefix, windows, nothing; a request without keys.
Pack mixed() {
  return makePack({70, 0, 1, 33},
                  {{0, 0, 70},
                   {0, 0, 1},
                   {0, 0, 36},
                   {0, 30, 41},
                   {0, 69, 70},
                   {0, 5, 5},
                   {0, 40, 70},
                   {1, 0, 0},
                   {2, 0, 1},
                   {3, 0, 33},
                   {3, 16, 32}},
                  17);
}

class Attention : public testing::TestWithParam<const char *> {
protected:
  dsl::Program program_ = sketch(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Orders, Attention, testing::Values("attention_seq", "attention_split"),
                         [](const auto &info) { return std::string(info.param); });

TEST_P(Attention, IsSoftmax) {
  const Pack pack = mixed();
  judge(pack, answer(program_, pack));
}

TEST_P(Attention, TakesNothing) {
  EXPECT_TRUE(answer(program_, makePack({}, {}, 1)).o.empty());
  EXPECT_TRUE(answer(program_, makePack({0, 9}, {}, 1)).o.empty());
}

/// Alone, behind others, beside other queries, elsewhere in the cache, with other neighbours' keys:
/// the same bits.
TEST_P(Attention, NothingElseMovesABit) {
  const Pack pack = mixed();
  const Answer all = answer(program_, pack);
  for (std::size_t t = 0; t < pack.queries.size(); ++t) {
    Query query = pack.queries[t];
    const auto r = static_cast<std::size_t>(query.request);
    Random random(t + 100);
    Pack alone;
    alone.lengths = {static_cast<std::int32_t>(random.next() % 7), pack.lengths[r],
                     static_cast<std::int32_t>(random.next() % 5)};
    query.request = 1;
    alone.queries = {{0, 0, alone.lengths[0]}, query};
    alone.offset = static_cast<std::int32_t>(random.next() % 9);
    const auto keys = static_cast<std::size_t>(alone.start(3)) * kKeyRow;
    alone.q = normalBf16(2 * kQueryRow, random);
    alone.k = normalBf16(keys, random);
    alone.v = normalBf16(keys, random);
    std::fill(alone.v.begin() + alone.start(2) * static_cast<std::int32_t>(kKeyRow), alone.v.end(),
              0x7fc0); // a stale page's NaN
    const auto copy = [](const std::vector<std::uint16_t> &from, std::size_t at,
                         std::vector<std::uint16_t> &to, std::size_t place, std::size_t count) {
      std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(at), count,
                  to.begin() + static_cast<std::ptrdiff_t>(place));
    };
    const std::size_t from = static_cast<std::size_t>(pack.start(static_cast<int>(r))) * kKeyRow;
    const std::size_t to = static_cast<std::size_t>(alone.start(1)) * kKeyRow;
    copy(pack.k, from, alone.k, to, static_cast<std::size_t>(pack.lengths[r]) * kKeyRow);
    copy(pack.v, from, alone.v, to, static_cast<std::size_t>(pack.lengths[r]) * kKeyRow);
    copy(pack.q, t * kQueryRow, alone.q, kQueryRow, kQueryRow);
    const Answer one = answer(program_, alone);
    ASSERT_EQ(one.o.size(), 2 * kQueryRow);
    EXPECT_TRUE(std::equal(one.o.begin() + kQueryRow, one.o.end(),
                           all.o.begin() + static_cast<std::ptrdiff_t>(t * kQueryRow)))
        << "query " << t;
    for (std::size_t h = 0; h < kHeads; ++h)
      EXPECT_EQ(one.lse2[kHeads + h], all.lse2[t * kHeads + h]) << "query " << t;
  }
}

/// A cache that has grown since gives an earlier query what it gave.
TEST_P(Attention, LaterKeysDoNotMatter) {
  const Pack now = makePack({70}, {{0, 0, 21}}, 5);
  Pack then = now;
  then.lengths = {21};
  then.offset = 3;
  EXPECT_EQ(answer(program_, now).o, answer(program_, then).o);
}

TEST(AttentionOrders, GiveDifferentBitsOfOneValue) {
  const Pack pack = mixed();
  const Answer one = answer(sketch("attention_seq"), pack);
  const Answer split = answer(sketch("attention_split"), pack);
  EXPECT_NE(one.lse2, split.lse2);
}

TEST(AttentionOrders, BrokenPromisesAreRefused) {
  const dsl::Program program = sketch("attention_seq");
  const auto refused = [&](const Pack &pack) {
    dsl::EvalInputs in;
    using enum dsl::DType;
    const Query &query = pack.queries[0];
    const auto S = static_cast<std::int64_t>(pack.k.size() / kKeyRow);
    in.tensors["q"] = tensorOf(BF16, {1, kHeads, kWidth}, pack.q);
    in.tensors["k"] = tensorOf(BF16, {S, kHeads / kGroup, kWidth}, pack.k);
    in.tensors["v"] = tensorOf(BF16, {S, kHeads / kGroup, kWidth}, pack.v);
    in.tensors["request"] = tensorOf<std::int32_t>(I32, {1}, {query.request});
    in.tensors["first"] = tensorOf<std::int32_t>(I32, {1}, {query.first});
    in.tensors["last"] = tensorOf<std::int32_t>(I32, {1}, {query.last});
    in.tensors["ks"] = tensorOf<std::int32_t>(I32, {1}, {pack.offset});
    in.tensors["kl"] = tensorOf(I32, {1}, pack.lengths);
    return dsl::evaluate(program, in).error;
  };
  EXPECT_EQ(refused(makePack({9}, {{0, 0, 9}}, 1)), "");
  EXPECT_NE(refused(makePack({9}, {{0, 0, 10}}, 1)).find("assume"), std::string::npos);
  EXPECT_NE(refused(makePack({9}, {{0, 5, 4}}, 1)).find("assume"), std::string::npos);
  EXPECT_NE(refused(makePack({9}, {{1, 0, 0}}, 1)).find("assume"), std::string::npos);
  Pack outside = makePack({9}, {{0, 0, 9}}, 1);
  outside.offset = 6;
  EXPECT_NE(refused(outside).find("assume"), std::string::npos);
}

} // namespace
} // namespace ordo::oracle
