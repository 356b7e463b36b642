// Sums over rows of every declared kernel: column sums and the weight gradient of RMSNorm.
//
// Bits: f32 additions of this machine in two plain loops, in the declared order.
// Accuracy against f64. With u = 2^-24, A additions above a contribution and two products within
// it, the f32 sum is within (A + 2) u of the contributions' magnitudes, to first order. Rounded to
// E before and after the product (the transformers convention), a contribution errs by an ulp of E,
// relative, besides.
#include "tests/oracle/rows.h"

#include <gtest/gtest.h>

namespace ordo::oracle {
namespace {

const double kUnit = std::ldexp(1.0, -24);

struct Kernel {
  std::string file, name;
  bool has(const char *part) const { return name.find(part) != std::string::npos; }
  Format format() const { return formatOfKernel(name); }
  std::size_t width() const { return widthOfKernel(name); }
  /// Rows of a chunk; nested ones and runs of one are tried by the bits tests.
  std::size_t chunk() const { return has("_chunked_") ? 64 : 1; }
};
void PrintTo(const Kernel &kernel, std::ostream *out) { *out << kernel.file << ":" << kernel.name; }

std::vector<Kernel> kernels() {
  std::vector<Kernel> all;
  for (const char *file : {"contracts/nn/column_sum.ordo", "contracts/nn/norm_backward.ordo",
                           "tests/contracts/columns.ordo"})
    for (const std::string &name : kernelsOf(file)) {
      const Kernel kernel{file, name};
      if ((kernel.has("column_sum_") || kernel.has("_dw_")) && !kernel.has("_nested_") &&
          !kernel.has("_ones_"))
        all.push_back(kernel);
    }
  return all;
}

struct Inputs {
  std::vector<Row> x, dy;
  Row rstd;
};

Inputs inputs(const Kernel &kernel, std::size_t rows) {
  Random random(kernel.width() + rows);
  Inputs in;
  for (std::size_t t = 0; t < rows; ++t) {
    in.x.push_back(makeRow(kernel.format(), kernel.width(), [&] { return random.normal(); }));
    in.dy.push_back(
        makeRow(kernel.format(), kernel.width(), [&] { return 0.1 * random.normal(); }));
  }
  in.rstd = makeRow(kF32, rows, [&] { return 0.5 + random.uniform(); });
  return in;
}

Row columns(const Kernel &kernel, const Inputs &in) {
  const auto rows = static_cast<std::int64_t>(in.x.size());
  const auto wide = [&](const std::vector<Row> &matrix) {
    if (rows > 0)
      return toArray(kernel.format(), matrix);
    return Array{dtypeOf(kernel.format()), {0, static_cast<std::int64_t>(kernel.width())}, {}};
  };
  std::map<std::string, Array> arrays = {{"x", wide(in.x)}};
  if (kernel.has("_dw_")) {
    arrays["dy"] = wide(in.dy);
    arrays["rstd"] = {dsl::DType::F32, {rows}, in.rstd};
  }
  auto outputs = run(kernel.file, kernel.name, arrays);
  const char *name = kernel.has("_dw_") ? "dw" : "y";
  return outputs.contains(name) ? outputs[name].bits : Row(kernel.width(), ~0u);
}

/// A number rounded to the kernel's format.
double rounded(const Kernel &kernel, double value) {
  return decode(kernel.format(), encode(kernel.format(), value));
}

/// What row t adds to column c: in f32, as the contract rounds it.
float contribution(const Kernel &kernel, const Inputs &in, std::size_t t, std::size_t c) {
  const auto x = static_cast<float>(decode(kernel.format(), in.x[t][c]));
  if (!kernel.has("_dw_"))
    return x;
  const auto dy = static_cast<float>(decode(kernel.format(), in.dy[t][c]));
  const auto rstd = static_cast<float>(decode(kF32, in.rstd[t]));
  if (!kernel.has("_hf_"))
    return dy * x * rstd;
  // The product of two of E is exact in f64, so that it rounds once.
  return static_cast<float>(rounded(kernel, double{dy} * rounded(kernel, x * rstd)));
}

float foldOf(const Kernel &kernel, const Inputs &in, std::size_t c) {
  float sum = -0.0F;
  for (std::size_t begin = 0; begin < in.x.size(); begin += kernel.chunk()) {
    float run = -0.0F;
    for (std::size_t t = begin; t < std::min(begin + kernel.chunk(), in.x.size()); ++t)
      run += contribution(kernel, in, t, c);
    sum += run;
  }
  return sum;
}

void judge(const Kernel &kernel, const Inputs &in, std::size_t c, std::uint32_t got, Judge &out) {
  double want = 0.0, magnitude = 0.0;
  for (std::size_t t = 0; t < in.x.size(); ++t) {
    double term = decode(kernel.format(), in.x[t][c]);
    if (kernel.has("_dw_"))
      term *= decode(kernel.format(), in.dy[t][c]) * decode(kF32, in.rstd[t]);
    want += term;
    magnitude += std::fabs(term);
  }
  const std::size_t rows = in.x.size();
  const double additions = kernel.chunk() == 1 ? static_cast<double>(rows)
                                               : 64.0 + static_cast<double>((rows + 63) / 64);
  double unit = (additions + 2.0) * kUnit;
  double allowed = 0.0;
  if (kernel.has("_hf_")) {
    unit += std::ldexp(1.0, -kernel.format().fraction);
    allowed = static_cast<double>(rows) * ulp(kernel.format(), 0.0); // where a product is subnormal
  }
  allowed += 1.001 * unit * magnitude;
  out.check(decode(kF32, got), want, allowed, "column " + std::to_string(c));
}

class Columns : public ::testing::TestWithParam<Kernel> {};

TEST_P(Columns, FoldInTheDeclaredOrder) {
  const bool isWide = GetParam().width() > 1000;
  for (const std::size_t rows : isWide ? std::vector<std::size_t>{65, 130}
                                       : std::vector<std::size_t>{1, 2, 63, 64, 65, 200}) {
    const Inputs in = inputs(GetParam(), rows);
    const Row got = columns(GetParam(), in);
    std::size_t wrong = 0;
    for (std::size_t c = 0; c < got.size(); ++c)
      wrong += got[c] != encode(kF32, foldOf(GetParam(), in, c));
    EXPECT_EQ(wrong, 0u) << rows << " rows";
  }
}

TEST_P(Columns, AreWithinTheirBoundOfF64) {
  const Inputs in = inputs(GetParam(), 130);
  const Row got = columns(GetParam(), in);
  Judge out;
  for (std::size_t c = 0; c < got.size(); ++c)
    judge(GetParam(), in, c, got[c], out);
  EXPECT_LE(out.worst(), 1.0) << out.where();
}

TEST_P(Columns, AreNegativeZeroOverNoRows) {
  EXPECT_EQ(columns(GetParam(), inputs(GetParam(), 0)), Row(GetParam().width(), kF32.signBit()));
}

TEST_P(Columns, OfABatchContinueThoseOfItsFirstRows) {
  if (GetParam().chunk() > 1)
    return;
  const Inputs all = inputs(GetParam(), 10);
  Inputs first = all;
  first.x.pop_back();
  first.dy.pop_back();
  first.rstd.pop_back();
  const Row whole = columns(GetParam(), all), before = columns(GetParam(), first);
  std::size_t wrong = 0;
  for (std::size_t c = 0; c < whole.size(); ++c) {
    const auto sum = static_cast<float>(decode(kF32, before[c]));
    wrong += whole[c] != encode(kF32, sum + contribution(GetParam(), all, 9, c));
  }
  EXPECT_EQ(wrong, 0u);
}

INSTANTIATE_TEST_SUITE_P(Kernels, Columns, ::testing::ValuesIn(kernels()),
                         [](const auto &info) { return info.param.name; });

TEST(ColumnsOrders, Differ) {
  const Kernel turn{"contracts/nn/column_sum.ordo", "column_sum_f32_2048"},
      chunked{"contracts/nn/column_sum.ordo", "column_sum_chunked_f32_2048"};
  const Inputs in = inputs(turn, 200);
  const Row a = columns(turn, in), b = columns(chunked, in);
  std::size_t different = 0;
  for (std::size_t c = 0; c < a.size(); ++c)
    different += a[c] != b[c];
  EXPECT_GT(different, a.size() / 4);
}

} // namespace
} // namespace ordo::oracle
