// RMSNorm of every declared kernel against the formula in f64.
//
// The bound. With u = 2^-24 the f32 sum of squares is within (A + 1) u relative, A the additions
// above a leaf (7 in a run, at most 4 more runs on a lane, 7 halves: 18 at 5120 columns), since its
// terms have one sign. Square root halves that; division by H, the addition of eps, the square root
// and the reciprocal add at most u/2 + u/2 + u + u; two products and 1 + w add 3 u: below 20 u. The
// store adds half an ulp. In HF order the weight multiplies a value that was rounded
// already, off by half its own ulp, and the product rounds again.
#include "tests/oracle/rows.h"

#include <gtest/gtest.h>

namespace ordo::oracle {
namespace {

constexpr const char *kNorm = "contracts/nn/norm.ordo";
constexpr const char *kOdd = "tests/contracts/odd_widths.ordo";
const double kUnit = std::ldexp(1.0, -24);

struct Kernel {
  std::string file, name;
  Format format{};
  std::size_t width = 0;
  bool centred = false, hf = false;

  Kernel(std::string file_, std::string name_)
      : file(std::move(file_)), name(std::move(name_)), format(formatOfKernel(name)),
        width(widthOfKernel(name)), centred(name.find("centred") != std::string::npos),
        hf(name.find("_hf_") != std::string::npos) {}
};

/// How a failing test names its parameter.
void PrintTo(const Kernel &kernel, std::ostream *out) { *out << kernel.file << ":" << kernel.name; }

std::vector<Kernel> kernels() {
  std::vector<Kernel> all;
  for (const char *file : {kNorm, kOdd})
    for (const std::string &name : kernelsOf(file))
      if (name.rfind("rms_norm", 0) == 0)
        all.emplace_back(file, name);
  return all;
}

std::vector<Row> normalise(const Kernel &kernel, const std::vector<Row> &x, const Row &w) {
  const Array weight{dtypeOf(kernel.format), {static_cast<std::int64_t>(w.size())}, w};
  auto outputs = run(kernel.file, kernel.name, {{"x", toArray(kernel.format, x)}, {"w", weight}});
  std::vector<Row> rows;
  for (std::size_t t = 0; t < x.size() && outputs.contains("y"); ++t)
    rows.push_back(rowOf(outputs["y"], t, kernel.width));
  rows.resize(x.size(), Row(kernel.width));
  return rows;
}

/// The formula, with nothing rounded.
std::vector<double> reference(const Kernel &kernel, const Row &x, const Row &w) {
  double squares = 0.0;
  for (double value : decodeRow(kernel.format, x))
    squares += value * value;
  const double epsilon = decode(kF32, encode(kF32, 1e-6));
  const double rstd = 1.0 / std::sqrt(squares / static_cast<double>(kernel.width) + epsilon);
  std::vector<double> y;
  for (std::size_t h = 0; h < x.size(); ++h)
    y.push_back(decode(kernel.format, x[h]) * rstd *
                (decode(kernel.format, w[h]) + (kernel.centred ? 1.0 : 0.0)));
  return y;
}

double allowed(const Kernel &kernel, double want, double weight) {
  double error = 0.5 * ulp(kernel.format, want) + 20 * kUnit * std::fabs(want);
  if (kernel.hf && !kernel.centred && weight != 0.0)
    error += 0.5001 * ulp(kernel.format, want / weight) * std::fabs(weight);
  // A product of subnormal f32 size is off by its own quantum besides.
  return error + std::ldexp(1.0, -149);
}

Row weights(const Kernel &kernel, std::uint64_t seed) {
  Random random(seed);
  const double centre = kernel.centred ? 0.0 : 1.0;
  return makeRow(kernel.format, kernel.width, [&] { return centre + 0.25 * random.normal(); });
}

/// Rows whose squares neither over- nor underflow f32 as a whole.
std::vector<Row> regularRows(const Kernel &kernel) {
  const Format &format = kernel.format;
  const std::size_t width = kernel.width;
  Random random(width + static_cast<std::size_t>(format.fraction));
  // f16 squares stay in range by themselves; the other formats are kept within 2^+-50.
  const int reach = format.exponent == 5 ? 12 : 50;
  const auto wide = [&] {
    return random.normal() * std::ldexp(1.0, static_cast<int>(random.next() % (2 * reach)) - reach);
  };
  const double smallest = std::ldexp(1.0, 1 - format.bias() - format.fraction);
  std::vector<Row> rows;
  rows.push_back(makeRow(format, width, [&] { return random.normal(); }));
  rows.push_back(makeRow(format, width, [&] { return 30.0 * random.normal(); }));
  rows.push_back(makeRow(format, width, [&] { return 1e-3 * random.normal(); }));
  rows.push_back(makeRow(format, width, wide));
  rows.push_back(makeRow(format, width, [] { return 1.0; }));
  rows.push_back(
      makeRow(format, width, [&] { return smallest * std::floor(100 * random.uniform()); }));
  rows.push_back(makeRow(format, width, [&] { return random.next() % 2 == 0 ? 0.0 : -0.0; }));
  rows.push_back(Row(width, 0u));
  rows.back()[width / 2] = encode(format, 3.0); // one in zeros
  return rows;
}

class RmsNorm : public testing::TestWithParam<Kernel> {};

TEST_P(RmsNorm, IsWithinItsBoundOfF64) {
  const Kernel &kernel = GetParam();
  const std::vector<Row> x = regularRows(kernel);
  const Row w = weights(kernel, 7);
  const std::vector<Row> y = normalise(kernel, x, w);
  Judge judge;
  for (std::size_t t = 0; t < x.size(); ++t) {
    const std::vector<double> want = reference(kernel, x[t], w);
    for (std::size_t h = 0; h < kernel.width; ++h)
      judge.check(decode(kernel.format, y[t][h]), want[h],
                  allowed(kernel, want[h], decode(kernel.format, w[h])),
                  "row " + std::to_string(t) + " column " + std::to_string(h));
  }
  EXPECT_LE(judge.worst(), 1.0) << judge.where();
}

TEST_P(RmsNorm, SpecialRows) {
  const Kernel &kernel = GetParam();
  const Format &format = kernel.format;
  const std::size_t width = kernel.width, middle = width / 2;
  Random random(3);
  const Row normal = makeRow(format, width, [&] { return random.normal(); });
  Row withNan = normal, withInfinity = normal, zeros(width), negativeZeros(width, format.signBit());
  withNan[middle] = format.nan() | 1u;
  withInfinity[middle] = format.signBit() | format.infinity();
  const Row w = weights(kernel, 11);
  const std::vector<Row> y = normalise(kernel, {withNan, withInfinity, zeros, negativeZeros}, w);
  std::size_t wrong = 0;
  for (std::size_t h = 0; h < width; ++h) {
    const double g = decode(format, w[h]) + (kernel.centred ? 1.0 : 0.0);
    const std::uint32_t zero = g < 0.0 ? format.signBit() : 0u;
    const std::uint32_t signedZero = zero ^ (normal[h] & format.signBit());
    wrong += y[0][h] != format.nan();
    wrong += y[1][h] != (h == middle ? format.nan() : signedZero);
    wrong += y[2][h] != zero;
    wrong += y[3][h] != (zero ^ format.signBit());
  }
  EXPECT_EQ(wrong, 0u);
}

TEST_P(RmsNorm, RowsDoNotSeeEachOther) {
  const Kernel &kernel = GetParam();
  const std::vector<Row> x = regularRows(kernel);
  const Row w = weights(kernel, 7);
  const std::vector<Row> together = normalise(kernel, x, w);
  EXPECT_EQ(normalise(kernel, {x[3]}, w)[0], together[3]);
  EXPECT_EQ(normalise(kernel, {x[0], x[1]}, w)[1], together[1]);
}

INSTANTIATE_TEST_SUITE_P(Kernels, RmsNorm, testing::ValuesIn(kernels()),
                         [](const auto &info) { return info.param.name; });

TEST(RmsNormOverflow, SquaresPastF32GiveZeros) {
  const Kernel kernel(kNorm, "rms_norm_bf16_128");
  const std::vector<Row> y =
      normalise(kernel, {Row(128, encode(kBf16, 1e30))}, Row(128, encode(kBf16, 1.0)));
  EXPECT_EQ(y[0], Row(128, 0u));
}

TEST(RmsNormOrders, AgreeWhereTransformersStaysInF32) {
  const Kernel ordinary(kNorm, "rms_norm_centred_bf16_2048"),
      hf(kNorm, "rms_norm_hf_centred_bf16_2048");
  const Row w = weights(ordinary, 5);
  EXPECT_EQ(normalise(ordinary, regularRows(ordinary), w), normalise(hf, regularRows(hf), w));
}

TEST(RmsNormOrders, DifferInBf16) {
  const Kernel ordinary(kNorm, "rms_norm_bf16_2048"), hf(kNorm, "rms_norm_hf_bf16_2048");
  const Row w = weights(ordinary, 5);
  const std::vector<Row> a = normalise(ordinary, regularRows(ordinary), w),
                         b = normalise(hf, regularRows(hf), w);
  std::size_t different = 0;
  for (std::size_t h = 0; h < 2048; ++h)
    different += a[0][h] != b[0][h];
  EXPECT_GT(different, 2048u / 10);
  EXPECT_LT(different, 2048u / 2);
}

// 0.0 + w would lose the sign of a weight of -0.0; the plain contract does not add.
TEST(RmsNormWeight, KeepsNegativeZero) {
  const Kernel kernel(kNorm, "rms_norm_bf16_128");
  const std::vector<Row> y =
      normalise(kernel, {Row(128, encode(kBf16, 2.0))}, Row(128, kBf16.signBit()));
  EXPECT_EQ(y[0], Row(128, kBf16.signBit()));
}

} // namespace
} // namespace ordo::oracle
