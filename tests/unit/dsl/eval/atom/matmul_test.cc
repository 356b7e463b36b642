// The matrix form is the chain, element by element, however it is cut.
#include "dsl/eval/atom/atom.h"
#include "dsl/eval/atom/tile.h"
#include "tests/unit/dsl/eval/atom/operands.h"

#include <gtest/gtest.h>

namespace ordo::dsl {
namespace {

struct Problem {
  const AtomRule &rule;
  std::int64_t rows, columns, depth;
  std::vector<std::byte> a, b, c;

  Problem(const AtomRule &r, std::int64_t m, std::int64_t n, std::int64_t k)
      : rule(r), rows(m), columns(n), depth(k), a(m * k * bytes()), b(n * k * bytes()),
        c(m * n * accumulatorBytes()) {}
  std::size_t bytes() const { return static_cast<std::size_t>(byteSize(rule.operand)); }
  std::size_t accumulatorBytes() const {
    return static_cast<std::size_t>(byteSize(rule.accumulator));
  }
  static void fill(std::vector<std::byte> &array, std::size_t size, DType type, Operands &random,
                   Regime regime) {
    for (std::size_t i = 0; i < array.size(); i += size) {
      const std::uint64_t bits = random.next(type, regime);
      std::memcpy(&array[i], &bits, size);
    }
  }
  void fill(Operands &random, Regime regime) {
    fill(a, bytes(), rule.operand, random, regime);
    fill(b, bytes(), rule.operand, random, regime);
    if (!rule.startsFromZero)
      fill(c, accumulatorBytes(), rule.accumulator, random, regime);
  }
  std::uint64_t accumulator(std::int64_t at) const {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &c[at * accumulatorBytes()], accumulatorBytes());
    return bits;
  }
  std::optional<std::uint64_t> chained(std::int64_t m, std::int64_t n) const {
    const std::size_t row = depth * bytes();
    return chain(rule, std::span(a).subspan(m * row, row), std::span(b).subspan(n * row, row),
                 accumulator(m * columns + n));
  }
  bool run(int threads = 2) {
    return matmul(rule, rows, columns, depth, {a.data(), depth}, {b.data(), depth}, c.data(),
                  threads);
  }
};

TEST(Matmul, IsTheChainForEveryRuleRegimeAndShape) {
  Operands random(3);
  for (const AtomRule &rule : atoms()) {
    if (rule.arithmetic == AtomArithmetic::Unmodelled)
      continue;
    for (const Regime regime : kRegimes) {
      const int longest = rule.startsFromZero ? rule.products : 150;
      Problem p(rule, 1 + random.below(70), 1 + random.below(35), 1 + random.below(longest));
      p.fill(random, regime);
      const Problem before = p;
      ASSERT_TRUE(p.run());
      int different = 0;
      for (std::int64_t m = 0; m < p.rows; ++m)
        for (std::int64_t n = 0; n < p.columns; ++n)
          different += before.chained(m, n) != p.accumulator(m * p.columns + n);
      EXPECT_EQ(different, 0) << rule.name << " " << rule.version << ", "
                              << kRegimeNames[static_cast<int>(regime)] << ", " << p.rows << " x "
                              << p.columns << " x " << p.depth;
    }
  }
}

TEST(Matmul, PassesFromOneBlockOfDepthToTheNext) {
  Operands random(4);
  for (const char *name : {"nv.hopper.bf16", "nv.ampere.tf32", "amd.cdna3.f16"}) {
    Problem p(*findAtom(name), 2, 17, 2500);
    p.fill(random, Regime::Wide);
    const Problem before = p;
    ASSERT_TRUE(p.run());
    for (std::int64_t i = 0; i < 34; ++i)
      EXPECT_EQ(before.chained(i / 17, i % 17), p.accumulator(i)) << name;
  }
}

// An infinity that a chain reaches by overflow stays; one operand that is not finite spoils its row
// and column, and nothing else.
TEST(Matmul, KeepsInfinitiesAndNans) {
  Operands random(5);
  for (const char *name : {"nv.hopper.bf16", "amd.cdna3.bf16"}) {
    Problem p(*findAtom(name), 20, 40, 64);
    p.fill(random, Regime::Normal);
    const std::uint16_t huge = 0x7f00, infinity = 0x7f80, nan = 0x7fc1; // 2^127
    for (int k = 0; k < 3; ++k)
      std::memcpy(&p.a[2 * (3 * 64 + 20 * k)], &huge, 2);
    std::memcpy(&p.a[2 * (5 * 64 + 7)], &infinity, 2);
    std::memcpy(&p.b[2 * (6 * 64 + 50)], &nan, 2);
    const Problem before = p;
    ASSERT_TRUE(p.run());
    for (std::int64_t i = 0; i < 800; ++i)
      EXPECT_EQ(before.chained(i / 40, i % 40), p.accumulator(i)) << name;
  }
}

// Where the floor on the exponent decides: products near 2^-149 from a zero accumulator.
TEST(Matmul, KeepsTheFloorOnTheExponent) {
  Operands random(12);
  Problem p(*findAtom("nv.hopper.bf16"), 64, 128, 16);
  for (std::vector<std::byte> *array : {&p.a, &p.b})
    for (std::size_t i = 0; i < array->size(); i += 2) {
      const int exponent = 127 - 74 - random.below(5);
      const auto bits =
          static_cast<std::uint16_t>(random.below(2) << 15 | exponent << 7 | random.below(128));
      std::memcpy(&(*array)[i], &bits, 2);
    }
  const Problem before = p;
  ASSERT_TRUE(p.run());
  AtomRule unbounded = p.rule;
  unbounded.leastExponent = kNoLeastExponent;
  Problem other(unbounded, 64, 128, 16);
  other.a = p.a;
  other.b = p.b;
  ASSERT_TRUE(other.run());
  EXPECT_NE(p.c, other.c);
  for (std::int64_t i = 0; i < 64 * 128; ++i)
    ASSERT_EQ(before.chained(i / 128, i % 128), p.accumulator(i));
}

TEST(Matmul, ReadsByStrides) {
  Operands random(6);
  Problem p(*findAtom("nv.hopper.f16"), 9, 21, 45);
  p.fill(random, Regime::Wide);
  std::vector<std::byte> transposed(p.b.size());
  for (int n = 0; n < 21; ++n)
    for (int k = 0; k < 45; ++k)
      std::memcpy(&transposed[2 * (k * 21 + n)], &p.b[2 * (n * 45 + k)], 2);
  Problem q = p;
  ASSERT_TRUE(p.run());
  ASSERT_TRUE(matmul(q.rule, 9, 21, 45, {q.a.data(), 45}, {transposed.data(), 1, 21}, q.c.data()));
  EXPECT_EQ(p.c, q.c);
}

TEST(Matmul, IsTheSameForAnyNumberOfThreads) {
  Operands random(9);
  Problem p(*findAtom("nv.ampere.bf16"), 130, 50, 100);
  p.fill(random, Regime::VeryWide);
  Problem q = p;
  ASSERT_TRUE(p.run(1));
  ASSERT_TRUE(q.run(5));
  EXPECT_EQ(p.c, q.c);
}

TEST(Matmul, OverNothingLeavesTheAccumulator) {
  Problem p(*findAtom("nv.hopper.bf16"), 1, 1, 0);
  const std::uint32_t minusZero = 0x80000000;
  std::memcpy(p.c.data(), &minusZero, 4);
  ASSERT_TRUE(p.run());
  EXPECT_EQ(p.accumulator(0), minusZero);
}

TEST(Tile, NeedsNoAvx2) {
  using namespace atom;
  Operands random(10);
  for (const char *name : {"nv.hopper.tf32", "amd.cdna3.f16", "nv.volta.f16"}) {
    const AtomRule &rule = *findAtom(name);
    const OperandFormat format(rule);
    ASSERT_TRUE(hasTile(rule));
    for (const Regime regime : {Regime::Normal, Regime::VeryWide, Regime::HalfZeros}) {
      const std::int64_t depth = 6 * rule.products;
      std::vector<std::int32_t> as, ae, bs, be;
      const auto draw = [&](std::vector<std::int32_t> &s, std::vector<std::int32_t> &e, int shift) {
        const auto bits = static_cast<std::uint32_t>(random.next(rule.operand, regime));
        const Decoded v = decode(format, bits);
        s.push_back(v.significand << shift);
        e.push_back(v.exponent);
      };
      for (std::int64_t k = 0; k < depth; ++k)
        draw(as, ae, preShift(rule));
      for (std::int64_t k = 0; k < depth * kLanes; ++k)
        draw(bs, be, 0);
      const TileOperands operands{as.data(), ae.data(), bs.data(), be.data(), 6};
      TileAccumulators x;
      for (int j = 0; j < kLanes; ++j)
        x.load(rule, j, static_cast<std::uint32_t>(random.next(DType::F32, regime)));
      TileAccumulators y = x;
      runTile(rule, operands, x);
      runTilePortable(rule, operands, y);
      for (int j = 0; j < kLanes; ++j)
        EXPECT_EQ(x.store(rule, j), y.store(rule, j)) << name;
    }
  }
}

} // namespace
} // namespace ordo::dsl
