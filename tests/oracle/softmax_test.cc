// Softmax, log-softmax and log-sum-exp of every declared kernel against f64.
//
// The bound, with u = 2^-24 and d = x - m. x - m rounds to within u |d|, which is a relative error
// of its exponential; exp itself is within 0.8914 ulp, at most 1.79 u. So a term is within (|d|
// + 1.79) u, and the sum within (mean |d| + 1.79 + A) u, the mean weighted by the terms and A the
// additions above a leaf (7 in a run, at most 18 more runs on a lane, 10 halves). The reciprocal
// and the product add u each, and the store half an ulp. log makes the sum's relative error
// absolute and adds 0.59 ulp of its own.
#include "tests/oracle/rows.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace ordo::oracle {
namespace {

const double kUnit = std::ldexp(1.0, -24);
constexpr double kExp = 1.79;
constexpr double kAdditions = 7 + 18 + 10;

struct Kernel {
  std::string file, name;
  Format format{};
  std::size_t width = 0;

  Kernel(std::string file_, std::string name_)
      : file(std::move(file_)), name(std::move(name_)), format(formatOfKernel(name)),
        width(widthOfKernel(name)) {}
  bool is(const char *op) const { return name.rfind(std::string(op) + "_", 0) == 0; }
};

/// How a failing test names its parameter.
void PrintTo(const Kernel &kernel, std::ostream *out) { *out << kernel.file << ":" << kernel.name; }

std::vector<Kernel> kernels() {
  std::vector<Kernel> all;
  for (const char *file : {"contracts/nn/softmax.ordo", "contracts/nn/log_sum_exp.ordo",
                           "tests/contracts/odd_widths.ordo"})
    for (const std::string &name : kernelsOf(file))
      if (name.rfind("rms_norm", 0) != 0)
        all.emplace_back(file, name);
  return all;
}

/// A row of y for each row of x, or of the one element lse.
std::vector<Row> outputsOf(const Kernel &kernel, const std::vector<Row> &x) {
  auto outputs = run(kernel.file, kernel.name, {{"x", toArray(kernel.format, x)}});
  const char *name = kernel.is("log_sum_exp") ? "lse" : "y";
  const std::size_t columns = kernel.is("log_sum_exp") ? 1 : kernel.width;
  std::vector<Row> rows;
  for (std::size_t t = 0; t < x.size() && outputs.contains(name); ++t)
    rows.push_back(rowOf(outputs[name], t, columns));
  rows.resize(x.size(), Row(columns));
  return rows;
}

/// Rows with a finite maximum and neither NaN nor +inf.
std::vector<Row> regularRows(const Kernel &kernel) {
  const Format &format = kernel.format;
  const std::size_t width = kernel.width;
  Random random(width * 3 + static_cast<std::size_t>(format.fraction));
  const std::uint32_t masked = format.signBit() | format.infinity();
  std::vector<Row> rows;
  rows.push_back(makeRow(format, width, [&] { return random.normal(); }));
  rows.push_back(makeRow(format, width, [&] { return 20.0 * random.normal() - 7.0; }));
  rows.push_back(makeRow(format, width, [&] { return 1000.0 * random.normal(); }));
  rows.push_back(makeRow(format, width, [] { return -3.25; }));
  rows.push_back(makeRow(format, width, [&] { return random.next() % 2 == 0 ? 0.0 : -0.0; }));
  rows.push_back(makeRow(format, width, [&] { return 1e-40 * random.normal(); }));
  rows.push_back(makeRow(format, width, [&] { return -60.0 * random.uniform(); }));
  for (std::size_t v = 0; v < width; v += 3)
    rows.back()[v] = masked;
  rows.back()[width - 1] = encode(format, -1.5);
  rows.push_back(Row(width, masked));
  rows.back()[width / 3] = encode(format, 40.0); // one candidate
  // A spread that sends exp through its subnormal results.
  rows.push_back(makeRow(format, width, [&] { return -110.0 * random.uniform(); }));
  return rows;
}

struct Statistics {
  double largest = -HUGE_VAL, sum = 0.0, logOfSum = 0.0, sumError = 0.0;
};

Statistics summarise(const std::vector<double> &x) {
  Statistics s;
  s.largest = *std::max_element(x.begin(), x.end());
  double weighted = 0.0;
  for (double value : x)
    if (std::isfinite(value)) {
      s.sum += std::exp(value - s.largest);
      weighted += (s.largest - value) * std::exp(value - s.largest);
    }
  s.logOfSum = std::log(s.sum);
  s.sumError = (weighted / s.sum + kExp + kAdditions) * kUnit;
  return s;
}

void judge(const Kernel &kernel, const Row &bits, const Row &y, const std::string &row,
           Judge &out) {
  const std::vector<double> x = decodeRow(kernel.format, bits);
  const Statistics s = summarise(x);
  const double logError = s.sumError + 0.59 * ulp(kF32, s.logOfSum);
  if (kernel.is("log_sum_exp")) {
    const double want = s.largest + s.logOfSum;
    out.check(decode(kF32, y[0]), want, logError + 0.5 * ulp(kF32, want), row);
    return;
  }
  for (std::size_t v = 0; v < x.size(); ++v) {
    const double d = x[v] - s.largest, got = decode(kernel.format, y[v]);
    const std::string where = row + " column " + std::to_string(v);
    if (kernel.is("softmax")) {
      const double want = std::exp(d) / s.sum;
      const double relative = (std::min(-d, 1000.0) + kExp + 2.0) * kUnit + s.sumError;
      out.check(got, want,
                0.5 * ulp(kernel.format, want) + relative * want + 1.5 * std::ldexp(1.0, -149),
                where);
    } else if (std::isinf(d)) {
      // -inf stays what it is.
      out.check(got == d ? 0.0 : 1.0, 0.0, 0.5, where);
    } else {
      const double want = d - s.logOfSum;
      out.check(got, want,
                0.5 * ulp(kernel.format, want) + 0.5 * ulp(kF32, want) - d * kUnit + logError,
                where);
    }
  }
}

class Softmax : public testing::TestWithParam<Kernel> {};

TEST_P(Softmax, IsWithinItsBoundOfF64) {
  const Kernel &kernel = GetParam();
  const std::vector<Row> x = regularRows(kernel);
  const std::vector<Row> y = outputsOf(kernel, x);
  Judge worst;
  for (std::size_t t = 0; t < x.size(); ++t)
    judge(kernel, x[t], y[t], "row " + std::to_string(t), worst);
  EXPECT_LE(worst.worst(), 1.0) << worst.where();
}

TEST_P(Softmax, SpecialRows) {
  const Kernel &kernel = GetParam();
  const Format &format = kernel.format;
  const std::size_t width = kernel.width, middle = width / 2;
  Random random(5);
  Row withNan = makeRow(format, width, [&] { return random.normal(); }), withInfinity = withNan;
  withNan[middle] = format.nan() | format.signBit() | 1u;
  withInfinity[middle] = format.infinity();
  const Row nothing(width, format.signBit() | format.infinity());
  const std::vector<Row> y =
      outputsOf(kernel, {withNan, withInfinity, nothing, Row(width, format.nan())});
  if (kernel.is("log_sum_exp")) {
    EXPECT_EQ(
        y, (std::vector<Row>{
               {kF32.nan()}, {kF32.infinity()}, {kF32.signBit() | kF32.infinity()}, {kF32.nan()}}));
    return;
  }
  for (const Row &row : y)
    EXPECT_EQ(row, Row(width, format.nan()));
}

TEST_P(Softmax, RowsDoNotSeeEachOther) {
  const Kernel &kernel = GetParam();
  std::vector<Row> x = regularRows(kernel);
  x.resize(3);
  const std::vector<Row> together = outputsOf(kernel, x);
  EXPECT_EQ(outputsOf(kernel, {x[2]})[0], together[2]);
  EXPECT_EQ(outputsOf(kernel, {x[1], x[0]})[0], together[1]);
}

INSTANTIATE_TEST_SUITE_P(Kernels, Softmax, testing::ValuesIn(kernels()),
                         [](const auto &info) { return info.param.name; });

TEST(SoftmaxOfOneColumn, IsOne) {
  const char *file = "tests/contracts/odd_widths.ordo";
  for (double value : {0.0, -0.0, 3.5, -1e4, 1e30}) {
    const std::vector<Row> x = {{encode(kBf16, value)}};
    EXPECT_EQ(outputsOf(Kernel(file, "softmax_bf16_1"), x)[0], Row{encode(kBf16, 1.0)});
    EXPECT_EQ(outputsOf(Kernel(file, "log_softmax_bf16_1"), x)[0], Row{0u});
    EXPECT_EQ(decode(kF32, outputsOf(Kernel(file, "log_sum_exp_bf16_1"), x)[0][0]),
              decode(kBf16, x[0][0]));
  }
}

} // namespace
} // namespace ordo::oracle
