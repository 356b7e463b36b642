// PTX of nvcc and Triton, executed by the verifier's machine, against the same arithmetic in plain
// C++: bit for bit, or stopped where it has no bits of its own.
#include "tests/foreign/run.h"

#include <bit>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace ordo::foreign {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kRows = 3;

/// Of many magnitudes, so that every order of additions gives other bits.
std::vector<float> random(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> significand(-1.0f, 1.0f);
  std::uniform_int_distribution<int> exponent(-12, 12);
  std::vector<float> values(count);
  for (float &value : values)
    value = std::ldexp(significand(generator), exponent(generator));
  return values;
}

std::vector<std::uint32_t> bitsOf(const std::vector<float> &values) {
  std::vector<std::uint32_t> bits;
  for (const float value : values)
    bits.push_back(std::bit_cast<std::uint32_t>(value));
  return bits;
}

/// v[i] + v[i + half] for half = size/2 … 1.
float halves(std::vector<float> v) {
  for (std::size_t half = v.size() / 2; half > 0; half /= 2)
    for (std::size_t k = 0; k < half; ++k)
      v[k] = v[k] + v[k + half];
  return v[0];
}

float fromBf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

/// To nearest even; of numbers.
std::uint16_t toBf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

std::vector<std::uint16_t> randomBf16(std::size_t count, unsigned seed) {
  std::vector<std::uint16_t> all;
  for (const float value : random(count, seed))
    all.push_back(toBf16(value));
  return all;
}

TEST(Emulation, RowSumByATreeInSharedMemory) {
  const std::vector<float> x = random(kRows * 1024, 1);
  Launch launch;
  launch.in("x", x).out("y", kRows * 4).grid(kRows).block(256).shared(1024);
  ASSERT_EQ(launch.run(kernelOf("cuda/row_sum_tree")), "");
  std::vector<float> want;
  for (std::size_t row = 0; row < kRows; ++row) {
    std::vector<float> lanes(256, 0.0f);
    for (std::size_t k = 0; k < 1024; ++k)
      lanes[k % 256] = lanes[k % 256] + x[row * 1024 + k];
    want.push_back(halves(lanes));
  }
  EXPECT_EQ(bitsOf(launch.output<float>()), bitsOf(want));
}

TEST(Emulation, RowSumByShuffles) {
  const std::vector<float> x = random(kRows * 1024, 2);
  Launch launch;
  launch.in("x", x).out("y", kRows * 4).grid(kRows).block(256);
  ASSERT_EQ(launch.run(kernelOf("cuda/row_sum_warp")), "");
  std::vector<float> want;
  for (std::size_t row = 0; row < kRows; ++row) {
    std::vector<float> warps(32, 0.0f);
    for (std::size_t warp = 0; warp < 8; ++warp) {
      std::vector<float> lanes;
      for (std::size_t lane = 0; lane < 32; ++lane) {
        const float *v = x.data() + row * 1024 + warp * 128 + lane * 4;
        lanes.push_back(((v[0] + v[1]) + v[2]) + v[3]);
      }
      warps[warp] = halves(lanes);
    }
    want.push_back(halves(warps));
  }
  EXPECT_EQ(bitsOf(launch.output<float>()), bitsOf(want));
}

TEST(Emulation, RowSumOfTriton) {
  const std::vector<float> x = random(kRows * 1024, 3);
  Launch launch;
  launch.in("x", x).out("y", kRows * 4).value(std::int64_t{0}).value(std::int64_t{0});
  launch.grid(kRows).block(128).shared(16);
  ASSERT_EQ(launch.run(kernelOf("triton/triton_row_sum")), "");
  std::vector<float> want;
  for (std::size_t row = 0; row < kRows; ++row) {
    std::vector<float> warps;
    for (std::size_t warp = 0; warp < 4; ++warp) {
      std::vector<float> lanes;
      for (std::size_t thread = warp * 32; thread < warp * 32 + 32; ++thread) {
        const float *v = x.data() + row * 1024 + thread * 4;
        float sum = v[0];
        for (const std::size_t k : {1, 2, 3, 512, 513, 514, 515})
          sum = sum + v[k];
        lanes.push_back(sum);
      }
      warps.push_back(halves(lanes));
    }
    want.push_back(halves(warps));
  }
  EXPECT_EQ(bitsOf(launch.output<float>()), bitsOf(want));
}

TEST(Emulation, RmsNormByVectorLoads) {
  const std::vector<std::uint16_t> x = randomBf16(kRows * 1024, 4), w = randomBf16(1024, 5);
  const float eps = 1e-6f;
  Launch launch;
  launch.in("x", x).in("w", w).out("y", kRows * 2048).value(eps).grid(kRows).block(128);
  ASSERT_EQ(launch.run(kernelOf("cuda/rms_norm_vector")), "");
  std::vector<std::uint16_t> want;
  for (std::size_t row = 0; row < kRows; ++row) {
    float warps[4];
    for (std::size_t warp = 0; warp < 4; ++warp) {
      std::vector<float> lanes;
      for (std::size_t thread = warp * 32; thread < warp * 32 + 32; ++thread) {
        float squares = 0.0f;
        for (std::size_t k = 0; k < 8; ++k) {
          const float v = fromBf16(x[row * 1024 + thread * 8 + k]);
          const float square = v * v;
          squares = squares + square;
        }
        lanes.push_back(squares);
      }
      warps[warp] = halves(lanes);
    }
    const float sum = ((warps[0] + warps[1]) + warps[2]) + warps[3];
    const float scale = 1.0f / std::sqrt(sum / 1024.0f + eps);
    for (std::size_t k = 0; k < 1024; ++k) {
      const float scaled = fromBf16(x[row * 1024 + k]) * scale;
      want.push_back(toBf16(scaled * fromBf16(w[k])));
    }
  }
  EXPECT_EQ(launch.output<std::uint16_t>(), want);
}

TEST(Emulation, StopsAtARace) {
  Launch launch;
  launch.in("x", random(128, 6)).out("y", 4).block(128);
  EXPECT_THAT(launch.run(kernelOf("cuda/row_sum_race")), HasSubstr("a race: thread"));
}

TEST(Emulation, StopsAtAnAtomicAddition) {
  Launch launch;
  launch.in("x", random(256, 7)).out("y", 4).block(256);
  EXPECT_THAT(launch.run(kernelOf("cuda/row_sum_atomic")),
              HasSubstr("line 70: an atomic operation (f.add)"));
}

TEST(Emulation, StopsAtAnApproximation) {
  Launch norm;
  norm.in("x", random(512, 8)).in("w", random(512, 9)).out("y", 2048);
  norm.value(std::int32_t{1}).value(1e-6f).block(32, 4);
  EXPECT_THAT(norm.run(kernelOf("cuda/rms_norm_warp")), HasSubstr("rsqrt.approx.f32"));
  Launch threePass;
  threePass.in("x", random(256, 10)).out("y", 1024).value(std::int32_t{1}).block(128);
  // expf rounds downwards before it comes to ex2.approx.
  EXPECT_THAT(threePass.run(kernelOf("cuda/softmax_three_pass")),
              HasSubstr("line 100: arithmetic that does not round to nearest even"));
  Launch fast;
  fast.in("x", random(128, 11)).out("y", 512).block(32);
  EXPECT_THAT(fast.run(kernelOf("cuda/softmax_fast")), HasSubstr("ex2.approx.ftz.f32"));
  Launch triton;
  triton.in("x", randomBf16(1024, 12)).in("w", randomBf16(1024, 13)).out("y", 2048).value(1e-6f);
  triton.value(std::int64_t{0}).value(std::int64_t{0}).block(128).shared(16);
  EXPECT_THAT(triton.run(kernelOf("triton/triton_rms_norm")), HasSubstr("div.full.f32"));
}

// Triton's own launcher gives what the kernel needs; less is an access outside.
TEST(Emulation, StopsWhereSharedMemoryEnds) {
  Launch launch;
  launch.in("x", random(1024, 14)).out("y", 4).value(std::int64_t{0}).value(std::int64_t{0});
  launch.block(128).shared(8);
  EXPECT_THAT(launch.run(kernelOf("triton/triton_row_sum")), HasSubstr("the block has 8"));
}

} // namespace
} // namespace ordo::foreign
