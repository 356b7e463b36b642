// fold against the plain loops of plain_orders.h: trees as strings, so equality is exact.
#include "dsl/order/fold.h"

#include "tests/unit/dsl/order/plain_orders.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace ordo::dsl {
namespace {

using plain::Values;

Order parsed(const std::string &text) {
  std::string error;
  const std::optional<Order> order = parseOrder(text, &error);
  EXPECT_TRUE(order) << text << ": " << error;
  return order.value_or(Order{});
}

struct TreeOps {
  std::string add(const std::string &a, const std::string &b) const { return plain::plus(a, b); }
  std::string round(const std::string &x, DType) const { return plain::emitted(x, true); }
  std::string literal(double value) const { return std::to_string(value).substr(0, 3); }
};

std::string folded(const std::string &order, const Values &values) {
  return fold(parsed(order), values, TreeOps{}).value_or("");
}

std::string folded(const std::string &order, std::size_t length) {
  return folded(order, plain::elements(length));
}

std::string only(const Values &values) {
  EXPECT_LE(values.size(), 1u);
  return values.empty() ? "" : values.front();
}

const std::size_t kLengths[] = {0,  1,  2,  3,  4,  5,  6,  7,   8,   9,   10,  11,  12, 13, 14, 15,
                                16, 17, 18, 19, 20, 21, 22, 23,  24,  25,  26,  27,  28, 29, 30, 31,
                                32, 33, 34, 35, 36, 37, 38, 39,  40,  41,  42,  43,  44, 45, 46, 47,
                                48, 49, 50, 51, 52, 53, 54, 55,  56,  57,  58,  59,  60, 61, 62, 63,
                                64, 65, 66, 67, 68, 69, 70, 127, 128, 129, 255, 1000};

TEST(Fold, TotalStages) {
  for (std::size_t length : kLengths)
    for (bool round : {false, true}) {
      const Values v = plain::elements(length);
      const std::string suffix = round ? ": bf16" : "";
      EXPECT_EQ(folded("seq" + suffix, v), only(plain::total(plain::seqOf, v, round)));
      EXPECT_EQ(folded("pairs" + suffix, v), only(plain::total(plain::pairsOf, v, round)));
      EXPECT_EQ(folded("halves" + suffix, v), only(plain::total(plain::halvesOf, v, round)));
      EXPECT_EQ(folded("mid" + suffix, v), only(plain::total(plain::midWithLeaf(1), v, round)));
      EXPECT_EQ(folded("mid.leaf(32)" + suffix, v),
                only(plain::total(plain::midWithLeaf(32), v, round)));
      EXPECT_EQ(folded("mid.leaf(3)" + suffix, v),
                only(plain::total(plain::midWithLeaf(3), v, round)));
    }
}

TEST(Fold, StagesOfRuns) {
  for (std::size_t length : kLengths)
    for (std::size_t n : {1u, 2u, 3u, 5u, 8u, 32u, 100u})
      for (bool round : {false, true}) {
        const Values v = plain::elements(length);
        const std::string size = "(" + std::to_string(n) + ")";
        const std::string end = std::string(round ? ": f16" : "") + " | seq";
        const auto expect = [&](const std::string &stage, const plain::FoldRun &run) {
          EXPECT_EQ(folded(stage + end, v),
                    only(plain::total(plain::seqOf, plain::runs(run, n, v, round))))
              << stage << end << " at " << length;
        };
        expect("seq" + size, plain::seqOf);
        expect("pairs" + size, plain::pairsOf);
        expect("halves" + size, plain::halvesOf);
        expect("mid" + size, plain::midWithLeaf(1));
        expect("mid" + size + ".leaf(2)", plain::midWithLeaf(2));
      }
}

TEST(Fold, Lanes) {
  for (std::size_t length : kLengths)
    for (std::size_t n : {1u, 2u, 3u, 4u, 7u, 64u})
      for (std::size_t w : {1u, 2u, 3u, 8u})
        for (bool round : {false, true}) {
          const Values v = plain::elements(length);
          const std::string order = "lanes(" + std::to_string(n) + ", " + std::to_string(w) + ")" +
                                    (round ? ": f32" : "") + " | halves";
          EXPECT_EQ(folded(order, v),
                    only(plain::total(plain::halvesOf, plain::lanes(n, w, v, round))))
              << order << " at " << length;
        }
}

TEST(Fold, PipesOfThree) {
  for (std::size_t length : kLengths) {
    const Values v = plain::elements(length);
    EXPECT_EQ(
        folded("seq(8) | lanes(4) | halves", v),
        only(plain::total(plain::halvesOf, plain::lanes(4, 1, plain::runs(plain::seqOf, 8, v)))));
    EXPECT_EQ(
        folded("pairs(4): bf16 | mid(3) | pairs", v),
        only(plain::total(plain::pairsOf, plain::runs(plain::midWithLeaf(1), 3,
                                                      plain::runs(plain::pairsOf, 4, v, true)))));
  }
}

// Trees written out by hand, so that the loops above are not the only word on the table.
TEST(Fold, ByHand) {
  EXPECT_EQ(folded("seq", 4), "(((v0+v1)+v2)+v3)");
  EXPECT_EQ(folded("seq(2) | seq", 5), "(((v0+v1)+(v2+v3))+v4)");
  EXPECT_EQ(folded("lanes(2) | seq", 5), "(((v0+v2)+v4)+(v1+v3))");
  EXPECT_EQ(folded("lanes(2, 2) | seq", 7), "((((v0+v1)+v4)+v5)+((v2+v3)+v6))");
  EXPECT_EQ(folded("pairs", 7), "(((v0+v1)+(v2+v3))+((v4+v5)+v6))");
  EXPECT_EQ(folded("halves", 5), "(((v0+v4)+v2)+(v1+v3))");
  EXPECT_EQ(folded("halves", 6), "(((v0+v4)+v2)+((v1+v5)+v3))");
  EXPECT_EQ(folded("mid", 5), "((v0+v1)+(v2+(v3+v4)))");
  EXPECT_EQ(folded("mid.leaf(2)", 5), "((v0+v1)+(v2+(v3+v4)))");
  EXPECT_EQ(folded("mid.leaf(3)", 5), "((v0+v1)+((v2+v3)+v4))");
}

TEST(Fold, EmptySequencesHaveNoValue) {
  for (const char *order :
       {"seq", "lanes(4).pad(0.0) | pairs", "seq.from(1.0)", "mid", "first(2) | seq(4) | seq"})
    EXPECT_EQ(fold(parsed(order), Values{}, TreeOps{}), std::nullopt) << order;
  EXPECT_EQ(fold(Order{}, Values{}, TreeOps{}), std::nullopt);
}

TEST(Fold, NoOrderIsALeftFold) {
  EXPECT_EQ(fold(Order{}, plain::elements(3), TreeOps{}), "((v0+v1)+v2)");
  EXPECT_EQ(fold(Order{}, plain::elements(1), TreeOps{}), "v0");
}

TEST(Fold, Starts) {
  EXPECT_EQ(folded("seq.from(0.5)", 1), "(0.5+v0)");
  EXPECT_EQ(folded("seq(2).from(0.5) | seq", 3), "(((0.5+v0)+v1)+(0.5+v2))");
  EXPECT_EQ(folded("lanes(2).from(0.5) | seq", 3), "(((0.5+v0)+v2)+(0.5+v1))");
  EXPECT_EQ(folded("lanes(4, 2).from(0.5) | seq", 3), "(((0.5+v0)+v1)+(0.5+v2))");
  EXPECT_EQ(folded("first(2) | seq(3).from(0.5) | seq", 3), "(((0.5+v0)+v1)+(0.5+v2))");
  EXPECT_EQ(folded("seq.from(0.5): f16", 2), "[([(0.5+v0)]+v1)]");
}

TEST(Fold, Pads) {
  EXPECT_EQ(folded("seq(3).pad(0.5) | seq", 4), "(((v0+v1)+v2)+((v3+0.5)+0.5))");
  EXPECT_EQ(folded("seq(2).pad(0.5) | seq", 4), "((v0+v1)+(v2+v3))");
  EXPECT_EQ(folded("lanes(2).pad(0.5) | seq", 3), "((v0+v2)+(v1+0.5))");
  EXPECT_EQ(folded("lanes(3).pad(0.5) | seq", 1), "((v0+0.5)+0.5)");
  EXPECT_EQ(folded("lanes(2, 2).pad(0.5) | seq", 5), "((((v0+v1)+v4)+0.5)+(((v2+v3)+0.5)+0.5))");
  EXPECT_EQ(folded("pairs.pad(0.5)", 3), "((v0+v1)+(v2+0.5))");
  EXPECT_EQ(folded("halves.pad(0.5)", 3), "((v0+v2)+(v1+0.5))");
  EXPECT_EQ(folded("mid.pad(0.5)", 3), "((v0+v1)+(v2+0.5))");
  EXPECT_EQ(folded("halves(4).pad(0.5) | seq", 5), "(((v0+v2)+(v1+v3))+((v4+0.5)+(0.5+0.5)))");
}

TEST(Fold, FirstByHand) {
  EXPECT_EQ(folded("first(2) | seq(3) | pairs", 6), "(((v0+v1)+((v2+v3)+v4))+v5)");
  EXPECT_EQ(folded("first(3) | seq(4) | seq", 2), "(v0+v1)");
  EXPECT_EQ(folded("first(3) | seq(4) | seq", 3), "((v0+v1)+v2)");
  EXPECT_EQ(folded("first(1) | halves(4) | seq", 5), "(v0+((v1+v3)+(v2+v4)))");
  EXPECT_EQ(folded("first(2) | seq(3): f16 | seq", 4), "([(v0+v1)]+[(v2+v3)])");
  EXPECT_EQ(folded("first(2) | seq(3).pad(0.5) | seq", 4), "(((v0+v1)+0.5)+((v2+v3)+0.5))");
  EXPECT_EQ(folded("first(2) | seq(3).pad(0.5) | seq", 1), "((v0+0.5)+0.5)");
  EXPECT_EQ(folded("first(1) | lanes(2, 2) | seq", 7), "(((v0+v3)+v4)+(((v1+v2)+v5)+v6))");
  // A residue: at K = 70 in chunks of 32, a chunk of 6 and then whole ones.
  EXPECT_EQ(folded("first(6) | seq(32) | seq", 70),
            only(plain::total(plain::seqOf,
                              plain::firstThenRuns(6, plain::seqOf, 32, plain::elements(70)))));
}

TEST(Fold, First) {
  for (std::size_t length : kLengths)
    for (std::size_t n : {1u, 2u, 3u, 4u, 7u, 32u})
      for (std::size_t r = 1; r <= n; r += n > 8 ? 5 : 1)
        for (bool round : {false, true}) {
          const Values v = plain::elements(length);
          const std::string size = "(" + std::to_string(n) + ")";
          const auto expect = [&](const std::string &stage, const plain::FoldRun &run) {
            const std::string order = "first(" + std::to_string(r) + ") | " + stage + size +
                                      (round ? ": f16" : "") + " | pairs";
            EXPECT_EQ(folded(order, v),
                      only(plain::total(plain::pairsOf, plain::firstThenRuns(r, run, n, v, round))))
                << order << " at " << length;
          };
          expect("seq", plain::seqOf);
          expect("pairs", plain::pairsOf);
          expect("halves", plain::halvesOf);
          expect("mid", plain::midWithLeaf(1));
        }
}

TEST(Fold, FirstBeforeLanes) {
  for (std::size_t length : kLengths)
    for (std::size_t n : {1u, 2u, 3u, 5u})
      for (std::size_t w : {1u, 2u, 3u, 8u})
        for (std::size_t r = 1; r <= w; ++r) {
          const std::string order = "first(" + std::to_string(r) + ") | lanes(" +
                                    std::to_string(n) + ", " + std::to_string(w) + ") | halves";
          const Values lanes = plain::firstThenLanes(r, n, w, plain::elements(length));
          EXPECT_EQ(folded(order, length), only(plain::total(plain::halvesOf, lanes)))
              << order << " at " << length;
        }
}

TEST(Fold, RoundsPassedValues) {
  EXPECT_EQ(folded("seq: bf16", 1), "[v0]");
  EXPECT_EQ(folded("lanes(4): bf16 | seq", 3), "(([v0]+[v1])+[v2])");
  EXPECT_EQ(folded("pairs: bf16", 3), "[([(v0+v1)]+[v2])]");
  EXPECT_EQ(folded("halves: bf16", 3), "[([(v0+v2)]+[v1])]");
}

TEST(Fold, MidRoundsALeafOnce) {
  EXPECT_EQ(folded("mid.leaf(3): bf16", 3), "[((v0+v1)+v2)]");
  EXPECT_EQ(folded("mid.leaf(3): bf16", 6), "[([((v0+v1)+v2)]+[((v3+v4)+v5)])]");
  EXPECT_EQ(folded("mid: bf16", 2), "[([v0]+[v1])]");
}

TEST(Fold, RefusesWhatItCannotFold) {
  EXPECT_THROW(folded("fma(2) | seq", 4), std::invalid_argument);
  EXPECT_THROW(folded("lanes(2)", 4), std::invalid_argument);
}

struct Sum {
  std::int64_t value;
  std::int64_t depth;
};

struct SumOps {
  Sum add(Sum a, Sum b) const { return {a.value + b.value, std::max(a.depth, b.depth) + 1}; }
  Sum round(Sum a, DType) const { return a; }
  Sum literal(double) const { return {0, 0}; }
};

TEST(Fold, LongSequencesNeedNoStack) {
  const std::int64_t length = 152064;
  std::vector<Sum> values;
  for (std::int64_t i = 0; i < length; ++i)
    values.push_back({i, 0});
  const auto run = [&](const char *order) { return fold(parsed(order), values, SumOps{}).value(); };
  for (const char *order : {"seq", "seq(8) | lanes(1024) | halves", "lanes(256, 8) | halves",
                            "pairs", "halves", "mid", "mid.leaf(32)", "first(5) | seq(32) | seq"})
    EXPECT_EQ(run(order).value, length * (length - 1) / 2) << order;
  EXPECT_EQ(run("seq").depth, length - 1);
  EXPECT_EQ(run("pairs").depth, 18);
  EXPECT_EQ(run("mid").depth, 18);
  EXPECT_EQ(run("seq(8) | lanes(1024) | halves").depth, 7 + 18 + 10);
}

// Values need no default constructor; callbacks may keep state.
struct NoDefault {
  explicit NoDefault(int v) : value(v) {}
  int value;
};
struct CountingOps {
  NoDefault add(NoDefault a, NoDefault b) {
    ++merges;
    return NoDefault(a.value + b.value);
  }
  NoDefault round(NoDefault a, DType) { return a; }
  NoDefault literal(double v) { return NoDefault(static_cast<int>(v)); }
  int merges = 0;
};

TEST(Fold, CallbacksKeepState) {
  CountingOps ops;
  const auto sum =
      fold(parsed("seq(3).pad(7) | halves"), std::vector<NoDefault>(10, NoDefault(1)), ops);
  EXPECT_EQ(sum->value, 10 + 2 * 7);
  EXPECT_EQ(ops.merges, 4 * 2 + 3);
}

} // namespace
} // namespace ordo::dsl
