// SwiGLU, gelu and the sigmoid gate of every declared kernel against f64.
//
// The bounds, with u = 2^-24, in which an f32 operation adds one u of relative error. exp is within
// 1 u where it is correctly rounded and 1.79 u in the f32 tier (its worst error is 0.8914 ulp). So
// 1 / (1 + e) is within 3 u, or 3.79, and each product adds one; the store adds half an ulp of the
// format, and an _hf kernel two stores.
//
// gelu: an error of k u in the argument z of erf is one of k u |z| erf'(z) in erf, which rounds by
// u / 2 (half an ulp below 1) or 2 u (the f32 tier is within an ulp), and 1 + erf rounds by u times
// itself; tanh is alike. The three products add up to 3 u.
#include "tests/oracle/rows.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace ordo::oracle {
namespace {

const double kUnit = std::ldexp(1.0, -24);
// Where e^-g overflows the sigmoid is zero, and should be below 2^-127.
const double kVanishing = std::ldexp(1.0, -127);

struct Kernel {
  std::string file, name;
  Format format{};
  std::size_t width = 0;

  Kernel(std::string file_, std::string name_)
      : file(std::move(file_)), name(std::move(name_)), format(formatOfKernel(name)),
        width(widthOfKernel(name)) {}
  bool has(const char *part) const { return name.find(part) != std::string::npos; }
  double exponential() const { return has("_tier") ? 1.79 : 1.0; }
};
void PrintTo(const Kernel &kernel, std::ostream *out) { *out << kernel.file << ":" << kernel.name; }

std::vector<Kernel> kernelsIn(const std::string &file) {
  std::vector<Kernel> all;
  for (const std::string &name : kernelsOf(file))
    all.emplace_back(file, name);
  return all;
}

/// Plain values, a wide spread, subnormals, zeros of both signs, where e^-g overflows, the largest.
std::vector<Row> rowsOf(const Kernel &kernel, std::uint64_t seed) {
  const Format &format = kernel.format;
  Random random(seed * 1000 + kernel.width);
  const double largest = std::ldexp(1.0, std::min(format.bias(), 60));
  std::vector<Row> rows;
  const auto add = [&](const std::function<double()> &draw) {
    rows.push_back(makeRow(format, kernel.width, draw));
  };
  add([&] { return random.normal(); });
  add([&] { return 8.0 * random.normal(); });
  add([&] { return std::ldexp(random.normal(), -format.bias()); });
  add([&] { return random.next() % 2 == 0 ? 0.0 : -0.0; });
  add([&] { return -110.0 * random.uniform(); });
  add([&] { return 110.0 * random.uniform(); });
  add([&] { return largest * (random.uniform() - 0.5); });
  return rows;
}

double silu(double g) { return g / (1.0 + std::exp(-g)); }
double sigmoid(double g) { return 1.0 / (1.0 + std::exp(-g)); }

/// Half a unit of `format` at each of its elements near `value`.
double half(const Format &format, double value) { return 0.5 * ulp(format, value); }

// Subnormals of f32 on the way: a step of the smallest each.
const double kSteps = 4.0 * std::ldexp(1.0, -149);

void judgeSwiglu(const Kernel &kernel, double gate, double up, double got, Judge &out) {
  const double s = silu(gate), want = s * up;
  const double steps = kernel.exponential() + 2.0 + (kernel.has("product") ? 2.0 : 1.0);
  double allowed = steps * kUnit * std::fabs(want) + std::fabs(gate * up) * kVanishing +
                   half(kernel.format, want) + kSteps * (1.0 + std::fabs(up));
  if (kernel.has("_hf_"))
    allowed += 1.01 * half(kernel.format, s) * std::fabs(up);
  out.check(got, want, allowed, std::to_string(gate) + ", " + std::to_string(up));
}

void judgeGate(const Kernel &kernel, double x, double gate, double got, Judge &out) {
  const double s = sigmoid(gate), want = s * x;
  double allowed = 4.0 * kUnit * std::fabs(want) + std::fabs(x) * kVanishing +
                   half(kernel.format, want) + kSteps * (1.0 + std::fabs(x));
  if (kernel.has("_hf_"))
    allowed += 1.01 * half(kernel.format, s) * std::fabs(x);
  out.check(got, want, allowed, std::to_string(x) + ", " + std::to_string(gate));
}

void judgeGelu(const Kernel &kernel, double x, double got, Judge &out) {
  double want = 0.0, inner = 0.0, sum = 0.0;
  if (kernel.has("tanh")) {
    const double z = std::sqrt(2.0 / M_PI) * (x + 0.044715 * x * x * x);
    sum = 2.0 * sigmoid(2.0 * z);
    want = x * sigmoid(2.0 * z);
    inner = 6.0 * kUnit * std::fabs(z) / std::pow(std::cosh(std::min(std::fabs(z), 300.0)), 2.0);
  } else {
    const double z = x * M_SQRT1_2;
    sum = std::erfc(-z);
    want = 0.5 * x * sum;
    inner = 2.0 * kUnit * std::fabs(z) * 2.0 / std::sqrt(M_PI) * std::exp(-z * z);
  }
  const double rounding = (kernel.has("_tier") ? 2.0 : 0.5) * kUnit;
  const double allowed = 0.5 * std::fabs(x) * (inner + rounding + kUnit * sum) +
                         3.0 * kUnit * std::fabs(want) + half(kernel.format, want) + kSteps;
  out.check(got, want, allowed, std::to_string(x));
}

void expectWithin(const Judge &judge) {
  EXPECT_LE(judge.worst(), 1.0) << judge.where();
  // A bound that nothing comes near would show nothing.
  EXPECT_GE(judge.worst(), 0.3) << judge.where();
}

class Swiglu : public ::testing::TestWithParam<Kernel> {};

TEST_P(Swiglu, WithinItsBound) {
  const Kernel &kernel = GetParam();
  const std::vector<Row> gates = rowsOf(kernel, 1), ups = rowsOf(kernel, 2);
  // Every kind of gate meets every kind of factor, huge products left out.
  std::vector<Row> gate, up;
  for (std::size_t i = 0; i < gates.size(); ++i)
    for (std::size_t j = 0; j + 1 < ups.size(); j += i == 0 ? 1 : 3) {
      gate.push_back(gates[i]);
      up.push_back(ups[j]);
    }
  std::map<std::string, Array> inputs = {{"gate", toArray(kernel.format, gate)},
                                         {"up", toArray(kernel.format, up)}};
  if (kernel.has("packed")) {
    std::vector<Row> both = gate;
    for (std::size_t t = 0; t < both.size(); ++t)
      both[t].insert(both[t].end(), up[t].begin(), up[t].end());
    inputs = {{"x", toArray(kernel.format, both)}};
  }
  auto outputs = run(kernel.file, kernel.name, inputs);
  ASSERT_TRUE(outputs.contains("y"));
  Judge judge;
  for (std::size_t t = 0; t < gate.size(); ++t) {
    const auto g = decodeRow(kernel.format, gate[t]), f = decodeRow(kernel.format, up[t]);
    const auto y = decodeRow(kernel.format, rowOf(outputs["y"], t, kernel.width));
    for (std::size_t h = 0; h < y.size(); ++h)
      if (std::fabs(silu(g[h]) * f[h]) < std::ldexp(1.0, kernel.format.bias()))
        judgeSwiglu(kernel, g[h], f[h], y[h], judge);
  }
  expectWithin(judge);
}

class Gelu : public ::testing::TestWithParam<Kernel> {};

TEST_P(Gelu, WithinItsBound) {
  const Kernel &kernel = GetParam();
  std::vector<Row> rows = rowsOf(kernel, 3);
  // x^3 must stay finite in f32 where tanh is asked for its limit.
  for (std::uint32_t &bits : rows.back())
    bits = encode(kernel.format, std::ldexp(decode(kernel.format, bits), -20));
  auto outputs = run(kernel.file, kernel.name, {{"x", toArray(kernel.format, rows)}});
  ASSERT_TRUE(outputs.contains("y"));
  Judge judge;
  for (std::size_t t = 0; t < rows.size(); ++t) {
    const auto x = decodeRow(kernel.format, rows[t]);
    const auto y = decodeRow(kernel.format, rowOf(outputs["y"], t, kernel.width));
    for (std::size_t h = 0; h < y.size(); ++h)
      judgeGelu(kernel, x[h], y[h], judge);
  }
  expectWithin(judge);
}

class SigmoidGate : public ::testing::TestWithParam<Kernel> {};

TEST_P(SigmoidGate, WithinItsBound) {
  const Kernel &kernel = GetParam();
  const std::vector<Row> rows = rowsOf(kernel, 4);
  std::vector<Row> gates = rowsOf(kernel, 5);
  std::rotate(gates.begin(), gates.begin() + 1, gates.end());
  const bool isByRow = kernel.has("_row_");
  Array gate = toArray(kernel.format, gates);
  if (isByRow) {
    gate.shape.pop_back();
    gate.bits.clear();
    for (const Row &row : gates)
      gate.bits.push_back(row[0]);
  }
  auto outputs =
      run(kernel.file, kernel.name, {{"x", toArray(kernel.format, rows)}, {"gate", gate}});
  ASSERT_TRUE(outputs.contains("y"));
  Judge judge;
  for (std::size_t t = 0; t < rows.size(); ++t) {
    const auto x = decodeRow(kernel.format, rows[t]), g = decodeRow(kernel.format, gates[t]);
    const auto y = decodeRow(kernel.format, rowOf(outputs["y"], t, kernel.width));
    for (std::size_t h = 0; h < y.size(); ++h)
      judgeGate(kernel, x[h], g[isByRow ? 0 : h], y[h], judge);
  }
  expectWithin(judge);
}

const auto kName = [](const auto &info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Kernels, Swiglu,
                         ::testing::ValuesIn(kernelsIn("contracts/nn/swiglu.ordo")), kName);
INSTANTIATE_TEST_SUITE_P(Kernels, Gelu, ::testing::ValuesIn(kernelsIn("contracts/nn/gelu.ordo")),
                         kName);
INSTANTIATE_TEST_SUITE_P(Kernels, SigmoidGate,
                         ::testing::ValuesIn(kernelsIn("contracts/nn/sigmoid_gate.ordo")), kName);

/// One element of a kernel of bf16, the rest of its row zero.
std::uint32_t element(const std::string &file, const std::string &kernel,
                      const std::map<std::string, std::uint32_t> &values) {
  const std::size_t width = widthOfKernel(kernel);
  std::map<std::string, Array> inputs;
  for (const auto &[name, bits] : values) {
    Row row(width, 0u);
    row[width / 2] = bits;
    inputs[name] = toArray(kBf16, {row});
  }
  auto outputs = run(file, kernel, inputs);
  return outputs.contains("y") ? outputs["y"].bits[width / 2] : 0xffffffffu;
}

constexpr std::uint32_t kInf = 0x7f80, kMinusInf = 0xff80, kNan = 0x7fc0, kOne = 0x3f80;

TEST(Gates, SpecialValues) {
  const auto swiglu = [](std::uint32_t gate, std::uint32_t up) {
    return element("contracts/nn/swiglu.ordo", "swiglu_bf16_512", {{"gate", gate}, {"up", up}});
  };
  EXPECT_EQ(swiglu(kInf, kOne), kInf);
  EXPECT_EQ(swiglu(kMinusInf, kOne), kNan); // -inf / inf
  EXPECT_EQ(swiglu(kNan, kOne), kNan);
  EXPECT_EQ(swiglu(0, kOne), 0u);
  EXPECT_EQ(swiglu(0x8000, kOne), 0x8000u);
  EXPECT_EQ(swiglu(0xc2c8, kOne), 0x8000u); // -100: e^100 overflows
  for (const std::string kernel : {"gelu_bf16_3584", "gelu_tanh_bf16_3584"}) {
    const auto gelu = [&](std::uint32_t x) {
      return element("contracts/nn/gelu.ordo", kernel, {{"x", x}});
    };
    EXPECT_EQ(gelu(kInf), kInf) << kernel;
    EXPECT_EQ(gelu(kMinusInf), kNan) << kernel; // -inf * 0
    EXPECT_EQ(gelu(kNan), kNan) << kernel;
    EXPECT_EQ(gelu(0x8000), 0x8000u) << kernel;
    EXPECT_EQ(gelu(0xc120), 0x8000u) << kernel; // -10: 1 + erf is 0
  }
  const auto gate = [](std::uint32_t x, std::uint32_t g) {
    return element("contracts/nn/sigmoid_gate.ordo", "sigmoid_gate_bf16_4096",
                   {{"x", x}, {"gate", g}});
  };
  EXPECT_EQ(gate(kOne, kInf), kOne);
  EXPECT_EQ(gate(kOne, kMinusInf), 0u);
  EXPECT_EQ(gate(kInf, kMinusInf), kNan);
  EXPECT_EQ(gate(kOne, 0), 0x3f00u);
  EXPECT_EQ(gate(kOne, kNan), kNan);
}

} // namespace
} // namespace ordo::oracle
