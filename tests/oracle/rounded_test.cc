// contracts/math, correctly rounded, against MPFR through the evaluator: every exponent, special
// values, the inputs that are hardest to round, random ones; on bf16 and f16 all inputs.
// tests/math/sweep.cc covers all 2^32 inputs of f32.
#include "tests/math/functions.h"
#include "tests/oracle/harness.h"
#include "tests/oracle/real.h"

#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <numeric>
#include <sstream>

namespace ordo::oracle {
namespace {

constexpr std::uint32_t kInfinity = 0x7f800000u;
constexpr std::uint32_t kNan = 0x7fc00000u;
constexpr std::uint32_t kSign = 0x80000000u;

const std::vector<std::string> kNames = {"exp", "exp2", "expm1", "log", "log2",  "log1p",
                                         "sin", "cos",  "tanh",  "erf", "rsqrt", "cbrt"};

std::vector<std::uint32_t> outputsOf(const std::string &function,
                                     const std::vector<std::uint32_t> &x) {
  const Array input{dsl::DType::F32, {static_cast<std::int64_t>(x.size())}, x};
  auto outputs = run("tests/contracts/rounded.ordo", function + "_rounded", {{"x", input}});
  return outputs.contains("y") ? outputs["y"].bits : std::vector<std::uint32_t>(x.size());
}

std::uint32_t applyTo(const std::string &function, std::uint32_t x) {
  return outputsOf(function, {x})[0];
}

std::uint32_t applyTo(const std::string &function, float x) {
  return applyTo(function, std::bit_cast<std::uint32_t>(x));
}

class Rounded : public ::testing::TestWithParam<std::string> {
protected:
  const math::Function &function() const { return *math::findFunction(GetParam()); }

  void expectNearest(const std::vector<std::uint32_t> &inputs) const {
    ASSERT_FALSE(inputs.empty());
    const std::vector<std::uint32_t> got = outputsOf(GetParam(), inputs);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::uint32_t want = math::exactly(function(), inputs[i]);
      if (got[i] != want && ++wrong <= 5)
        ADD_FAILURE() << GetParam() << " at 0x" << std::hex << inputs[i] << " gave 0x" << got[i]
                      << ", nearest is 0x" << want;
    }
    EXPECT_EQ(wrong, 0u);
  }
};

TEST_P(Rounded, EveryExponent) {
  std::vector<std::uint32_t> inputs;
  Random random(11);
  for (std::uint32_t high = 0; high < 512; ++high) {
    for (std::uint32_t fraction : {0u, 1u, 2u, 0x3504f3u, 0x400000u, 0x7ffffeu, 0x7fffffu})
      inputs.push_back((high << 23) | fraction);
    for (int i = 0; i < 30; ++i)
      inputs.push_back((high << 23) | static_cast<std::uint32_t>(random.next() & 0x7fffffu));
  }
  expectNearest(inputs);
}

TEST_P(Rounded, SpecialValues) {
  // Zeros, infinities, NaNs of every kind, the smallest and the largest numbers.
  expectNearest({0u,           kSign,       kInfinity,   kSign | kInfinity, kNan,
                 kSign | kNan, 0x7f800001u, 0xff800001u, 0x7fffffffu,       0xffffffffu,
                 1u,           kSign | 1u,  0x007fffffu, 0x807fffffu,       0x00800000u,
                 0x80800000u,  0x7f7fffffu, 0xff7fffffu, 0x3f800000u,       0xbf800000u});
}

// Multiples of pi/2 and ln2, the ends of overflow and of the subnormals, the cuts of the
// reductions.
TEST_P(Rounded, NearTheCuts) {
  std::vector<std::uint32_t> inputs;
  for (const std::uint32_t centre :
       {0x3f800000u, 0xbf800000u, 0x42b17218u, 0xc2aeac50u, 0xc2cff1b5u, 0xc3150000u, 0x43000000u,
        0x3eb17218u, 0xbeb17218u, 0x3f3504f3u, 0x3fb504f3u, 0x3f490fdbu, 0x3fc90fdbu, 0x40490fdbu,
        0x3ed413cdu, 0xbe95f61au, 0x41102cb4u, 0x407ad2a4u, 0x33800000u, 0xb3800000u, 0x00800000u})
    for (std::uint32_t i = 0; i <= 200; ++i)
      inputs.push_back(centre - 100 + i);
  expectNearest(inputs);
}

// What a sweep with --hard found nearest to a boundary between two floats, with the output.
TEST_P(Rounded, HardestInputs) {
  std::ifstream in("tests/math/hard.txt");
  std::vector<std::uint32_t> inputs;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string name;
    std::uint32_t input = 0, output = 0;
    if (!(words >> name >> std::hex >> input >> output) || name != GetParam())
      continue;
    inputs.push_back(input);
    EXPECT_EQ(math::exactly(function(), input), output) << line;
  }
  EXPECT_EQ(inputs.size(), 40u);
  expectNearest(inputs);
}

TEST_P(Rounded, Random) {
  std::vector<std::uint32_t> inputs(20000);
  Random random(12);
  for (std::uint32_t &x : inputs)
    x = static_cast<std::uint32_t>(random.next());
  expectNearest(inputs);
}

// Where most functions neither saturate nor are their argument.
TEST_P(Rounded, RandomNearOne) {
  std::vector<std::uint32_t> inputs(20000);
  Random random(13);
  for (std::uint32_t &x : inputs)
    x = (0x38000000u + static_cast<std::uint32_t>(random.uniform() * 0x0b000000u)) |
        (random.next() % 2 == 0 ? 0u : kSign);
  expectNearest(inputs);
}

class Narrow : public ::testing::TestWithParam<std::string> {
protected:
  // All 65,536 inputs of `format`.
  void expectAllNearest(dsl::DType type, const Format &format, const std::string &suffix) const {
    const math::Function &function = *math::findFunction(GetParam());
    Array input{type, {65536}, std::vector<std::uint32_t>(65536)};
    std::iota(input.bits.begin(), input.bits.end(), 0u);
    auto outputs = run("tests/contracts/rounded_" + suffix + ".ordo", GetParam() + "_" + suffix,
                       {{"x", input}});
    ASSERT_TRUE(outputs.contains("y"));
    std::size_t wrong = 0;
    for (const std::uint32_t x : input.bits) {
      const auto value = static_cast<float>(decode(format, x));
      const std::uint32_t want =
          encode(format, math::toOdd(function, std::bit_cast<std::uint32_t>(value)));
      if (outputs["y"].bits[x] != want && ++wrong <= 5)
        ADD_FAILURE() << GetParam() << " at 0x" << std::hex << x << " gave 0x"
                      << outputs["y"].bits[x] << ", nearest is 0x" << want;
    }
    EXPECT_EQ(wrong, 0u);
  }
};

TEST_P(Narrow, AllOfBf16) { expectAllNearest(dsl::DType::BF16, kBf16, "bf16"); }
TEST_P(Narrow, AllOfF16) { expectAllNearest(dsl::DType::F16, kF16, "f16"); }

const auto kName = [](const auto &info) { return info.param; };
INSTANTIATE_TEST_SUITE_P(Math, Rounded, ::testing::ValuesIn(kNames), kName);
INSTANTIATE_TEST_SUITE_P(Math, Narrow, ::testing::ValuesIn(kNames), kName);

// By hand, so that the oracle itself is not taken on trust.
TEST(RoundedByName, Nan) {
  for (const std::string &name : kNames)
    for (const std::uint32_t nan : {0x7fc00000u, 0xffc00000u, 0x7f800001u, 0xffffffffu})
      EXPECT_EQ(applyTo(name, nan), kNan) << name;
}

TEST(RoundedByName, ZerosKeepTheirSign) {
  for (const std::string name : {"expm1", "log1p", "sin", "tanh", "erf", "cbrt"}) {
    EXPECT_EQ(applyTo(name, 0u), 0u) << name;
    EXPECT_EQ(applyTo(name, kSign), kSign) << name;
  }
  for (const std::string name : {"exp", "exp2", "cos"})
    for (const std::uint32_t zero : {0u, kSign})
      EXPECT_EQ(applyTo(name, zero), 0x3f800000u) << name;
  EXPECT_EQ(applyTo("rsqrt", 0u), kInfinity);
  EXPECT_EQ(applyTo("rsqrt", kSign), kSign | kInfinity);
  for (const std::string name : {"log", "log2"})
    for (const std::uint32_t zero : {0u, kSign})
      EXPECT_EQ(applyTo(name, zero), kSign | kInfinity) << name;
}

TEST(RoundedByName, Subnormals) {
  constexpr std::uint32_t kLargest = 0x7fffffu;
  for (const std::uint32_t x : {1u, kLargest, kSign | 1u, kSign | kLargest}) {
    for (const std::string name : {"exp", "exp2", "cos"})
      EXPECT_EQ(applyTo(name, x), 0x3f800000u) << name;
    for (const std::string name : {"expm1", "log1p", "sin", "tanh"})
      EXPECT_EQ(applyTo(name, x), x) << name;
  }
  EXPECT_EQ(applyTo("erf", 1u), 1u);
  EXPECT_EQ(applyTo("erf", kSign | kLargest), kSign | 0x906eb9u);
  EXPECT_EQ(applyTo("log", 1u), 0xc2ce8ed0u);
  EXPECT_EQ(applyTo("log", kLargest), 0xc2aeac50u);
  EXPECT_EQ(applyTo("log2", kLargest), 0xc2fc0000u);
  EXPECT_EQ(applyTo("rsqrt", kLargest), 0x5f000001u);
  EXPECT_EQ(applyTo("cbrt", kLargest), 0x2a7fffffu);
  for (const std::string name : {"log", "log2", "rsqrt"})
    EXPECT_EQ(applyTo(name, kSign | 1u), kNan) << name;
  EXPECT_EQ(applyTo("exp", std::bit_cast<std::uint32_t>(-100.0f)), 0x1bu); // as a result
}

TEST(RoundedByName, Infinities) {
  const std::uint32_t low = kSign | kInfinity;
  for (const std::string name : {"exp", "exp2", "expm1", "log", "log2", "log1p", "cbrt"})
    EXPECT_EQ(applyTo(name, kInfinity), kInfinity) << name;
  for (const std::string name : {"log", "log2", "log1p", "rsqrt", "sin", "cos"})
    EXPECT_EQ(applyTo(name, low), kNan) << name;
  for (const std::string name : {"sin", "cos"})
    EXPECT_EQ(applyTo(name, kInfinity), kNan) << name;
  EXPECT_EQ(applyTo("exp", low), 0u);
  EXPECT_EQ(applyTo("exp2", low), 0u);
  EXPECT_EQ(applyTo("expm1", low), 0xbf800000u);
  EXPECT_EQ(applyTo("rsqrt", kInfinity), 0u);
  EXPECT_EQ(applyTo("cbrt", low), low);
  for (const std::string name : {"tanh", "erf"}) {
    EXPECT_EQ(applyTo(name, kInfinity), 0x3f800000u) << name;
    EXPECT_EQ(applyTo(name, low), 0xbf800000u) << name;
  }
}

TEST(RoundedByName, ExactCases) {
  EXPECT_EQ(applyTo("cbrt", -27.0f), std::bit_cast<std::uint32_t>(-3.0f));
  EXPECT_EQ(applyTo("cbrt", 0x1p-144f), std::bit_cast<std::uint32_t>(0x1p-48f));
  EXPECT_EQ(applyTo("rsqrt", 0.0625f), std::bit_cast<std::uint32_t>(4.0f));
  EXPECT_EQ(applyTo("rsqrt", 0x1p-148f), std::bit_cast<std::uint32_t>(0x1p74f));
  EXPECT_EQ(applyTo("log2", 0x1p-149f), std::bit_cast<std::uint32_t>(-149.0f));
  EXPECT_EQ(applyTo("exp2", -149.0f), 1u);
  EXPECT_EQ(applyTo("exp2", 127.0f), 0x7f000000u);
  EXPECT_EQ(applyTo("log", 1.0f), 0u);
}

// 2^-150 lies in the middle of 0 and 2^-149, and zero is even.
TEST(RoundedByName, MidpointToEven) { EXPECT_EQ(applyTo("exp2", -150.0f), 0u); }

TEST(RoundedByName, OverflowAndUnderflow) {
  EXPECT_EQ(applyTo("exp", 0x42b17217u), 0x7f7fff84u); // the largest finite result
  EXPECT_EQ(applyTo("exp", 0x42b17218u), kInfinity);
  EXPECT_EQ(applyTo("exp", 0xc2cff1b4u), 1u); // the last that is not zero
  EXPECT_EQ(applyTo("exp", 0xc2cff1b5u), 0u);
  EXPECT_EQ(applyTo("exp2", 128.0f), kInfinity);
  EXPECT_EQ(applyTo("expm1", 89.0f), kInfinity);
}

TEST(RoundedByName, HugeArgumentsOfSinAndCos) {
  EXPECT_NEAR(std::bit_cast<float>(applyTo("sin", 0x1p127f)), 0.62338551f, 1e-7);
  EXPECT_NEAR(std::bit_cast<float>(applyTo("cos", 0x1p127f)), 0.78191464f, 1e-7);
  EXPECT_NEAR(std::bit_cast<float>(applyTo("sin", 0x1.fffffep127f)), -0.52187652f, 1e-7);
  EXPECT_NEAR(std::bit_cast<float>(applyTo("cos", 0x1.fffffep127f)), 0.85302097f, 1e-7);
}

} // namespace
} // namespace ordo::oracle
