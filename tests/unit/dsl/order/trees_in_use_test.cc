// The reduction trees of kernels and references in use, as orders: each against the loop that its
// source describes, on floats, to the bit.
//
// What is a recurrence and no sum (online softmax over blocks, the merge of partial attention
// states) is a `fold` with its own tests; what a matrix unit adds is tested with the atoms.
#include "dsl/order/compare.h"
#include "dsl/order/fold.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ordo::dsl {
namespace {

using Floats = std::vector<float>;

Order parsed(const std::string &text) {
  std::string error;
  const std::optional<Order> order = parseOrder(text, &error);
  EXPECT_TRUE(order && !malformed(*order)) << text << ": " << error;
  return order.value_or(Order{});
}

/// Round to nearest, ties to even, on the bits; for finite values.
float bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return std::bit_cast<float>((bits + 0x7fffu + (bits >> 16 & 1u)) & 0xffff0000u);
}

struct FloatOps {
  float add(float a, float b) const { return a + b; }
  float round(float a, DType type) const { return type == DType::BF16 ? bf16(a) : a; }
  float literal(double a) const { return static_cast<float>(a); }
};

/// Values of many magnitudes, zeros of both signs among them.
Floats values(std::size_t length) {
  std::uint32_t state = static_cast<std::uint32_t>(length) * 2654435761u + 1u;
  Floats result;
  for (std::size_t i = 0; i < length; ++i) {
    state = state * 1664525u + 1013904223u;
    const float sign = (state & 1u) != 0 ? -1.0f : 1.0f;
    const bool zero = state >> 28 == 0;
    result.push_back(zero ? std::copysign(0.0f, sign)
                          : sign * std::ldexp(static_cast<float>(state >> 8),
                                              -24 + static_cast<int>(state >> 29)));
  }
  return result;
}

using Loop = std::function<float(Floats)>;

void expectLoop(const std::string &order, const Loop &loop,
                const std::vector<std::size_t> &lengths) {
  for (const std::size_t length : lengths) {
    const Floats v = values(length);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(fold(parsed(order), v, FloatOps{}).value()),
              std::bit_cast<std::uint32_t>(loop(v)))
        << order << " at " << length;
  }
  // Signed zeros alone tell starts and pads apart.
  for (const std::size_t length : {1u, 2u, 3u, 7u}) {
    const Floats zeros(length, -0.0f);
    EXPECT_EQ(std::signbit(fold(parsed(order), zeros, FloatOps{}).value()),
              std::signbit(loop(zeros)))
        << order << " of " << length << " negative zeros";
  }
}

const std::vector<std::size_t> kRagged = {1,  2,  3,  4,  5,   7,   8,   9,   31,  32,   33,  63,
                                          64, 65, 96, 97, 255, 256, 257, 511, 513, 1000, 3584};

float leftFold(const Floats &v) {
  float sum = v[0];
  for (std::size_t i = 1; i < v.size(); ++i)
    sum += v[i];
  return sum;
}

TEST(TreesInUse, ChunkedSumOf32) {
  const auto chunks = [](const Floats &v) {
    Floats partials;
    for (std::size_t begin = 0; begin < v.size(); begin += 32)
      partials.push_back(
          leftFold({v.begin() + static_cast<std::ptrdiff_t>(begin),
                    v.begin() + static_cast<std::ptrdiff_t>(std::min(begin + 32, v.size()))}));
    return leftFold(partials);
  };
  expectLoop("seq(32) | seq", chunks, kRagged);
  // The variant that fills the row up with zeros.
  expectLoop(
      "seq(32).pad(0.0) | seq",
      [&](Floats v) {
        v.resize((v.size() + 31) / 32 * 32, 0.0f);
        return chunks(v);
      },
      kRagged);
}

TEST(TreesInUse, PairwiseAdjacentRowSum) {
  expectLoop(
      "pairs.pad(0.0)",
      [](Floats v) {
        while (v.size() > 1) {
          if (v.size() % 2 != 0)
            v.push_back(0.0f);
          Floats next;
          for (std::size_t i = 0; i < v.size(); i += 2)
            next.push_back(v[i] + v[i + 1]);
          v = next;
        }
        return v[0];
      },
      kRagged);
}

TEST(TreesInUse, HalvingTree) {
  expectLoop(
      "halves.pad(0.0)",
      [](Floats v) {
        std::size_t size = 1;
        while (size < v.size())
          size *= 2;
        v.resize(size, 0.0f);
        for (size /= 2; size >= 1; size /= 2)
          for (std::size_t i = 0; i < size; ++i)
            v[i] = v[i] + v[i + size];
        return v[0];
      },
      kRagged);
}

TEST(TreesInUse, AscendingLeftFold) {
  expectLoop("seq", leftFold, kRagged);
  expectLoop(
      "seq.from(0.0)",
      [](const Floats &v) {
        float sum = 0.0f;
        for (float x : v)
          sum += x;
        return sum;
      },
      kRagged);
}

TEST(TreesInUse, TilesOf256WithAStrideTree) {
  expectLoop(
      "pairs(256).pad(0.0) | seq.from(0.0)",
      [](Floats v) {
        v.resize((v.size() + 255) / 256 * 256, 0.0f);
        float sum = 0.0f;
        for (std::size_t tile = 0; tile < v.size(); tile += 256) {
          for (std::size_t stride = 1; stride <= 128; stride *= 2)
            for (std::size_t i = 0; i < 256; i += 2 * stride)
              v[tile + i] += v[tile + i + stride];
          sum += v[tile];
        }
        return sum;
      },
      kRagged);
}

/// Thread t takes the columns t, t + T, …, then the strides T/2 … 1 in shared memory.
float blockSum(const Floats &v, std::size_t threads, bool fromZero) {
  Floats shared(threads, 0.0f);
  for (std::size_t t = 0; t < threads; ++t)
    for (std::size_t column = t; column < v.size(); column += threads)
      shared[t] = column == t && !fromZero ? v[column] : shared[t] + v[column];
  for (std::size_t stride = threads / 2; stride >= 1; stride /= 2)
    for (std::size_t t = 0; t < stride; ++t)
      shared[t] += shared[t + stride];
  return shared[0];
}

TEST(TreesInUse, CudaBlockReduction) {
  for (const std::size_t threads : {64u, 128u, 256u, 512u}) {
    const std::string lanes = "lanes(" + std::to_string(threads) + ")";
    // Every thread has a column: what the others hold does not matter.
    for (const std::size_t length : {threads, threads + 1, 2 * threads + 3, std::size_t{3584}}) {
      const Floats v = values(length);
      EXPECT_EQ(fold(parsed(lanes + " | halves"), v, FloatOps{}).value(),
                blockSum(v, threads, false))
          << threads << " threads, " << length << " columns";
    }
    // Accumulators that begin at zero, in idle threads too.
    expectLoop(
        lanes + ".from(0.0).pad(0.0) | halves",
        [&](const Floats &v) { return blockSum(v, threads, true); }, kRagged);
  }
}

/// Ascending f32 sums in leaves of 32 or fewer, rounded once; the halves add in bf16.
float middleSplit(const Floats &v, std::size_t lo, std::size_t hi) {
  if (hi - lo <= 32) {
    float sum = v[lo];
    for (std::size_t k = lo + 1; k < hi; ++k)
      sum += v[k];
    return bf16(sum);
  }
  const std::size_t split = lo + (hi - lo) / 2;
  return bf16(middleSplit(v, lo, split) + middleSplit(v, split, hi));
}

TEST(TreesInUse, MiddleSplitOfK) {
  expectLoop(
      "mid.leaf(32): bf16", [](const Floats &v) { return middleSplit(v, 0, v.size()); }, kRagged);
}

TEST(TreesInUse, RankTree) {
  const auto ranks = [](const Floats &v, const std::function<float(float)> &node) {
    const auto add = [&](float a, float b) { return node(a + b); };
    switch (v.size()) {
    case 1:
      return v[0];
    case 2:
      return add(v[0], v[1]);
    case 4:
      return add(add(v[0], v[1]), add(v[2], v[3]));
    default:
      return add(add(add(v[0], v[1]), add(v[2], v[3])), add(add(v[4], v[5]), add(v[6], v[7])));
    }
  };
  for (const std::size_t world : {1u, 2u, 4u, 8u}) {
    const Floats v = values(world);
    EXPECT_EQ(fold(parsed("pairs"), v, FloatOps{}).value(), ranks(v, [](float x) { return x; }));
    Floats payload; // arrives in bf16, and every node adds in bf16
    for (float x : v)
      payload.push_back(bf16(x));
    EXPECT_EQ(fold(parsed("pairs: bf16"), payload, FloatOps{}).value(), ranks(payload, bf16));
  }
}

// A vocabulary cut into a fixed number of tiles, each summed in turn, the partials in tile order:
// the same on one rank or on as many as divide the tiles.
TEST(TreesInUse, VocabularyTiles) {
  for (const std::size_t tiles : {1u, 8u, 64u})
    for (const std::size_t tile : {1u, 37u, 100u}) {
      const Floats v = values(tiles * tile);
      float sum = 0.0f;
      for (std::size_t t = 0; t < tiles; ++t) {
        float partial = v[t * tile];
        for (std::size_t i = 1; i < tile; ++i)
          partial += v[t * tile + i];
        sum = t == 0 ? partial : sum + partial;
      }
      const std::string order = "seq(" + std::to_string(tile) + ") | seq";
      EXPECT_EQ(fold(parsed(order), v, FloatOps{}).value(), sum) << order;
    }
}

// One thread an output, K ascending: a multiplication and an addition each, or one fused step.
TEST(TreesInUse, PlainAscendingK) {
  const auto naive = [](const Floats &products) {
    float acc = 0.0f;
    for (const float p : products)
      acc += p;
    return acc;
  };
  expectLoop("seq.from(0.0)", naive, kRagged);
  // Tiles of K that add onto one accumulator are the same chain, whatever their width.
  for (const char *tiled : {"lanes(1, 32) | seq", "lanes(1, 64) | pairs", "seq"})
    EXPECT_EQ(name(compare(parsed(tiled), parsed("seq"), {}).verdict), "equal") << tiled;
}

// A warp's shuffles (strides 16 … 1), then the warps' sums by the first warp's.
TEST(TreesInUse, WarpShufflesThenWarps) {
  expectLoop(
      "lanes(256).from(0.0).pad(0.0) | halves(32) | halves",
      [](const Floats &v) {
        Floats thread(256, 0.0f);
        for (std::size_t i = 0; i < v.size(); ++i)
          thread[i % 256] += v[i];
        Floats warps;
        for (std::size_t warp = 0; warp < 8; ++warp) {
          Floats lane(thread.begin() + static_cast<std::ptrdiff_t>(warp * 32),
                      thread.begin() + static_cast<std::ptrdiff_t>(warp * 32 + 32));
          for (std::size_t stride = 16; stride >= 1; stride /= 2)
            for (std::size_t t = 0; t < stride; ++t)
              lane[t] += lane[t + stride];
          warps.push_back(lane[0]);
        }
        for (std::size_t stride = 4; stride >= 1; stride /= 2)
          for (std::size_t t = 0; t < stride; ++t)
            warps[t] += warps[t + stride];
        return warps[0];
      },
      kRagged);
}

// A vectorised norm: a thread's eight elements a load into one accumulator.
TEST(TreesInUse, VectorLoadsIntoOneAccumulator) {
  const auto loads = [](const Floats &v) {
    Floats shared(256, 0.0f);
    for (std::size_t t = 0; t < 256; ++t)
      for (std::size_t begin = t * 8; begin < v.size(); begin += 256 * 8)
        for (std::size_t i = begin; i < std::min(begin + 8, v.size()); ++i)
          shared[t] += v[i];
    for (std::size_t stride = 128; stride >= 1; stride /= 2)
      for (std::size_t t = 0; t < stride; ++t)
        shared[t] += shared[t + stride];
    return shared[0];
  };
  expectLoop("lanes(256, 8).from(0.0).pad(0.0) | halves", loads, {2048, 3584, 4096, 5120, 5121});
}

// What the sources derive from these rules.

// Widths of the middle split's leaves, at the widths of the models.
TEST(TreesInUse, LeavesOfTheMiddleSplit) {
  const auto leaves = [](std::int64_t k) {
    std::map<std::int64_t, int> widths;
    struct Counts {
      std::map<std::int64_t, int> &widths;
      int add(int a, int b) const { return a + b; }
      int round(int a, DType) const { // a leaf, or a merge of leaves
        if (a <= 32)
          ++widths[a];
        return a <= 32 ? 1000 : a;
      }
      int literal(double) const { return 0; }
    };
    (void)fold(parsed("mid.leaf(32): bf16"), std::vector<int>(static_cast<std::size_t>(k), 1),
               Counts{widths});
    return widths;
  };
  using Widths = std::map<std::int64_t, int>;
  EXPECT_EQ(leaves(64), (Widths{{32, 2}}));
  EXPECT_EQ(leaves(4096), (Widths{{32, 128}}));
  EXPECT_EQ(leaves(3584), (Widths{{28, 128}}));
  EXPECT_EQ(leaves(12288), (Widths{{24, 512}}));
  EXPECT_EQ(leaves(18944), (Widths{{18, 512}, {19, 512}}));
}

std::string verdictAt(const std::string &a, const std::string &b, std::int64_t length) {
  return std::string(name(compare(parsed(a), parsed(b), {length, length}).verdict));
}

TEST(TreesInUse, ShardsOfTheMiddleSplitAreItsSubtrees) {
  for (const std::int64_t k : {3584, 12288, 18944})
    for (const std::int64_t ranks : {2, 4})
      EXPECT_EQ(verdictAt("mid.leaf(32): bf16",
                          "mid(" + std::to_string(k / ranks) + ").leaf(32): bf16 | pairs: bf16", k),
                "equal")
          << k << " over " << ranks;
  // A rank tree that adds in f32 is another; a left fold over ranks is from four ranks on.
  EXPECT_EQ(verdictAt("mid.leaf(32): bf16", "mid(1792).leaf(32): bf16 | pairs", 3584), "different");
  EXPECT_EQ(verdictAt("mid.leaf(32): bf16", "mid(1792).leaf(32): bf16 | seq: bf16", 3584), "equal");
  EXPECT_EQ(verdictAt("mid.leaf(32): bf16", "mid(896).leaf(32): bf16 | seq: bf16", 3584),
            "different");
}

TEST(TreesInUse, TilesOf32AreTheMiddleSplitForPowersOfTwoOnly) {
  for (std::int64_t tiles = 1; tiles <= 128; ++tiles)
    EXPECT_EQ(verdictAt("mid.leaf(32)", "seq(32) | mid", 32 * tiles),
              std::has_single_bit(static_cast<std::uint64_t>(tiles)) ? "equal" : "different")
        << 32 * tiles;
}

TEST(TreesInUse, ChunksCutOverRanks) {
  // K = 3584 in chunks of 128: seven chunks a rank over four ranks, folded there.
  const std::string whole = "mma(128) | seq(7) | pairs";
  EXPECT_EQ(verdictAt(whole, "mma(128) | seq(7) | seq(2) | seq", 3584), "equal");
  EXPECT_EQ(verdictAt(whole, "mma(128) | seq", 3584), "different");
}

} // namespace
} // namespace ordo::dsl
