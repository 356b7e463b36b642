// The functions of contracts/math/f32.ordo beside exp, log and rsqrt (math_test.cc) against MPFR:
// every exponent, the cuts of their reductions, special values, random inputs. tests/math/sweep.cc
// measures the bounds over all 2^32 inputs.
#include "tests/math/functions.h"
#include "tests/oracle/harness.h"
#include "tests/oracle/real.h"

#include <gtest/gtest.h>

#include <bit>

namespace ordo::oracle {
namespace {

constexpr std::uint32_t kInfinity = 0x7f800000u;
constexpr std::uint32_t kNan = 0x7fc00000u;
constexpr std::uint32_t kSign = 0x80000000u;

/// The worst error in ulps, measured over all inputs and rounded up, and where it is.
struct Bound {
  std::string name;
  double ulps;
  std::uint32_t worst;
};
void PrintTo(const Bound &bound, std::ostream *out) { *out << bound.name; }

std::vector<std::uint32_t> outputsOf(const std::string &function,
                                     const std::vector<std::uint32_t> &x) {
  const Array input{dsl::DType::F32, {static_cast<std::int64_t>(x.size())}, x};
  auto outputs = run("tests/contracts/apply.ordo", function + "_f32", {{"x", input}});
  return outputs.contains("y") ? outputs["y"].bits : std::vector<std::uint32_t>(x.size());
}

std::uint32_t applyTo(const std::string &function, std::uint32_t x) {
  return outputsOf(function, {x})[0];
}

class Tier : public ::testing::TestWithParam<Bound> {
protected:
  double worst(const std::vector<std::uint32_t> &inputs) const {
    const math::Function &function = *math::findFunction(GetParam().name);
    const std::vector<std::uint32_t> got = outputsOf(GetParam().name, inputs);
    double most = 0.0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const double error = math::exactError(function, inputs[i], got[i]);
      EXPECT_LE(error, GetParam().ulps) << std::hex << "at 0x" << inputs[i] << " gave 0x" << got[i];
      most = std::max(most, error);
    }
    return most;
  }
};

TEST_P(Tier, WorstInput) { EXPECT_GE(worst({GetParam().worst}), GetParam().ulps - 0.0002); }

TEST_P(Tier, EveryExponent) {
  std::vector<std::uint32_t> inputs;
  Random random(21);
  for (std::uint32_t high = 0; high < 512; ++high) {
    for (std::uint32_t fraction : {0u, 1u, 2u, 0x3504f3u, 0x400000u, 0x7ffffeu, 0x7fffffu})
      inputs.push_back((high << 23) | fraction);
    for (int i = 0; i < 50; ++i)
      inputs.push_back((high << 23) | static_cast<std::uint32_t>(random.next() & 0x7fffffu));
  }
  worst(inputs);
}

TEST_P(Tier, NearTheCuts) {
  std::vector<std::uint32_t> inputs;
  for (const std::uint32_t centre :
       {0x3f800000u, 0xbf800000u, 0x42b17218u, 0xc2aeac50u, 0xc2cff1b5u, 0xc2d00000u, 0xc3150000u,
        0xc3180000u, 0x43000000u, 0x43180000u, 0x3f490fdbu, 0x3fc90fdbu, 0x40490fdbu, 0x41102cb4u,
        0x407c0000u, 0xc07c0000u, 0x3f000000u, 0x33800000u, 0xb3800000u, 0x00800000u})
    for (std::uint32_t i = 0; i <= 400; ++i)
      inputs.push_back(centre - 200 + i);
  worst(inputs);
}

TEST_P(Tier, Random) {
  std::vector<std::uint32_t> inputs;
  Random random(22);
  for (int i = 0; i < 40000; ++i) {
    inputs.push_back(static_cast<std::uint32_t>(random.next()));
    inputs.push_back((0x38000000u + static_cast<std::uint32_t>(random.uniform() * 0x0b000000u)) |
                     (random.next() % 2 == 0 ? 0u : kSign));
  }
  worst(inputs);
}

INSTANTIATE_TEST_SUITE_P(
    Functions, Tier,
    ::testing::Values(Bound{"exp_nonpositive", 0.8914, 0xc0bb2813u},
                      Bound{"exp2", 0.8785, 0xc2fcfe35u}, Bound{"sigmoid", 0.8019, 0xc2ac972bu},
                      Bound{"tanh", 0.9783, 0x3f82aab2u}, Bound{"sin", 0.7538, 0x7e98fb70u},
                      Bound{"cos", 0.7544, 0x43ceed65u}, Bound{"erf", 0.9910, 0xbf7f91d2u}),
    [](const auto &info) { return info.param.name; });

TEST(TierByName, SpecialValues) {
  const std::uint32_t one = 0x3f800000u, low = kSign | kInfinity;
  for (const std::string name : {"exp2", "sigmoid", "tanh", "sin", "cos", "erf"})
    for (const std::uint32_t nan : {0x7fc00000u, 0xffc00000u, 0x7f800001u, 0xffffffffu})
      EXPECT_EQ(applyTo(name, nan), kNan) << name;
  for (const std::string name : {"tanh", "erf", "sin"})
    for (const std::uint32_t zero : {0u, kSign})
      EXPECT_EQ(applyTo(name, zero), zero) << name;
  for (const std::string name : {"tanh", "erf"}) {
    EXPECT_EQ(applyTo(name, kInfinity), one) << name;
    EXPECT_EQ(applyTo(name, low), kSign | one) << name;
  }
  EXPECT_EQ(applyTo("sigmoid", kInfinity), one);
  EXPECT_EQ(applyTo("sigmoid", low), 0u);
  EXPECT_EQ(applyTo("sigmoid", kSign), 0x3f000000u);
  EXPECT_EQ(applyTo("exp2", kInfinity), kInfinity);
  EXPECT_EQ(applyTo("exp2", low), 0u);
  EXPECT_EQ(applyTo("exp2", std::bit_cast<std::uint32_t>(-149.0f)), 1u);
  EXPECT_EQ(applyTo("exp2", std::bit_cast<std::uint32_t>(-150.0f)), 0u);
  EXPECT_EQ(applyTo("exp2", std::bit_cast<std::uint32_t>(128.0f)), kInfinity);
  EXPECT_EQ(applyTo("cos", kSign), one);
  for (const std::string name : {"sin", "cos"})
    for (const std::uint32_t infinity : {kInfinity, low})
      EXPECT_EQ(applyTo(name, infinity), kNan) << name;
}

TEST(TierByName, Subnormals) {
  for (const std::uint32_t x : {1u, 0x7fffffu, kSign | 1u, kSign | 0x7fffffu}) {
    for (const std::string name : {"exp", "exp_nonpositive", "exp2", "cos"})
      EXPECT_EQ(applyTo(name, x), 0x3f800000u) << name;
    EXPECT_EQ(applyTo("sigmoid", x), 0x3f000000u);
    for (const std::string name : {"tanh", "sin"})
      EXPECT_EQ(applyTo(name, x), x) << name;
  }
  EXPECT_EQ(applyTo("erf", 1u), 1u);
  EXPECT_EQ(applyTo("rsqrt", 2u), std::bit_cast<std::uint32_t>(0x1p74f));
  EXPECT_EQ(applyTo("exp2", std::bit_cast<std::uint32_t>(-140.0f)), 1u << 9);
}

TEST(TierByName, HugeArgumentsOfSinAndCos) {
  EXPECT_NEAR(std::bit_cast<float>(applyTo("sin", 0x7f000000u)), 0.62338551f, 1e-7);
  EXPECT_NEAR(std::bit_cast<float>(applyTo("cos", 0x7f000000u)), 0.78191464f, 1e-7);
  EXPECT_NEAR(std::bit_cast<float>(applyTo("sin", 0x7f7fffffu)), -0.52187652f, 1e-7);
  EXPECT_NEAR(std::bit_cast<float>(applyTo("cos", 0x7f7fffffu)), 0.85302097f, 1e-7);
}

TEST(TierByName, ExactCasesAndMidpoints) {
  EXPECT_EQ(applyTo("rsqrt", std::bit_cast<std::uint32_t>(0.0625f)), 0x40800000u);
  EXPECT_EQ(applyTo("exp2", std::bit_cast<std::uint32_t>(-150.0f)), 0u); // half of 2^-149: to even
  EXPECT_EQ(applyTo("log", 0x3f800000u), 0u);
}

// Whole numbers are exact, over the whole range.
TEST(TierByName, PowersOfTwo) {
  for (int k = -149; k < 128; ++k)
    EXPECT_EQ(applyTo("exp2", std::bit_cast<std::uint32_t>(static_cast<float>(k))),
              std::bit_cast<std::uint32_t>(std::ldexp(1.0f, k)));
}

} // namespace
} // namespace ordo::oracle
