// The evaluator's bits of every declared kernel against plain C++ loops in float: the same casts,
// the same order, operation for operation. The bounds of norm_test and softmax_test would let a
// wrong order pass; this does not.
#include "tests/oracle/rows.h"
#include "tools/math/mirror_f32.h"

#include <gtest/gtest.h>

namespace ordo::oracle {
namespace {

using math_mirror::expF32;
using math_mirror::logF32;
using math_mirror::rsqrtF32;

/// seq(8) | lanes(lanes) | halves.
float orderedSum(const std::vector<float> &values, std::size_t lanes) {
  std::vector<float> lane;
  for (std::size_t run = 0; run * 8 < values.size(); ++run) {
    float sum = values[run * 8];
    for (std::size_t i = run * 8 + 1; i < std::min(run * 8 + 8, values.size()); ++i)
      sum += values[i];
    if (run < lanes)
      lane.push_back(sum);
    else
      lane[run % lanes] += sum;
  }
  std::size_t half = 1;
  while (half < lane.size())
    half *= 2;
  for (half /= 2; half >= 1; half /= 2)
    for (std::size_t i = 0; i < half && i + half < lane.size(); ++i)
      lane[i] += lane[i + half];
  return lane[0];
}

/// Of the order that the modules give a row of this width.
std::size_t lanesFor(std::size_t width) {
  if (width <= 128)
    return 16;
  if (width == 256)
    return 32;
  return width > 10000 ? 1024 : 128;
}

struct Kernel {
  std::string file, name;
};
void PrintTo(const Kernel &kernel, std::ostream *out) { *out << kernel.file << ":" << kernel.name; }

std::vector<Kernel> kernels() {
  std::vector<Kernel> all;
  for (const char *file : {"contracts/nn/norm.ordo", "contracts/nn/softmax.ordo",
                           "contracts/nn/log_sum_exp.ordo", "tests/contracts/odd_widths.ordo"})
    for (const std::string &name : kernelsOf(file))
      all.push_back({file, name});
  return all;
}

std::vector<float> floats(const Format &format, const Row &row) {
  std::vector<float> values;
  for (std::uint32_t bits : row)
    values.push_back(static_cast<float>(decode(format, bits)));
  return values;
}

Row norm(const std::string &name, const Format &format, const std::vector<float> &x,
         const std::vector<float> &w) {
  const bool centred = name.find("centred") != std::string::npos;
  const bool hf = name.find("_hf_") != std::string::npos;
  std::vector<float> squares;
  for (float value : x)
    squares.push_back(value * value);
  const float sum = orderedSum(squares, lanesFor(x.size()));
  const float mean = sum / static_cast<float>(x.size()) + 1e-6f;
  const float rstd = hf ? rsqrtF32(mean) : 1.0f / std::sqrt(mean);
  Row y;
  for (std::size_t h = 0; h < x.size(); ++h) {
    float n = x[h] * rstd;
    if (hf && !centred)
      n = static_cast<float>(decode(format, encode(format, n)));
    y.push_back(encode(format, n * (centred ? 1.0f + w[h] : w[h])));
  }
  return y;
}

Row softmax(const std::string &name, const Format &format, const std::vector<float> &x) {
  float largest = -HUGE_VALF;
  for (float value : x)
    largest = value > largest ? value : largest;
  const bool logSumExp = name.rfind("log_sum_exp", 0) == 0;
  const float base = logSumExp && std::isinf(largest) ? 0.0f : largest;
  std::vector<float> terms;
  for (float value : x)
    terms.push_back(expF32(value - base));
  const float sum = orderedSum(terms, lanesFor(x.size()));
  if (logSumExp)
    return {encode(kF32, base + logF32(sum))};
  const bool logarithm = name.rfind("log_softmax", 0) == 0;
  const float constant = logarithm ? logF32(sum) : 1.0f / sum;
  Row y;
  for (std::size_t v = 0; v < x.size(); ++v)
    y.push_back(encode(format, logarithm ? (x[v] - largest) - constant : terms[v] * constant));
  return y;
}

std::vector<Row> makeRows(const Format &format, std::size_t width) {
  Random random(width + 17);
  std::vector<Row> rows;
  for (double scale : {1.0, 20.0, 1e-3})
    rows.push_back(makeRow(format, width, [&] { return scale * random.normal(); }));
  Row special = rows[0];
  special[width / 2] = format.nan();
  rows.push_back(special);
  special[width / 2] = format.infinity();
  rows.push_back(special);
  special[width / 2] = format.infinity() | format.signBit();
  rows.push_back(special);
  // Any bits: NaN, infinities and subnormals among numbers of every size.
  for (int i = 0; i < 4; ++i) {
    rows.emplace_back(width);
    for (std::uint32_t &bits : rows.back())
      bits = static_cast<std::uint32_t>(random.next()) & (2 * format.signBit() - 1);
    for (std::uint32_t &bits : rows.back())
      // Two of the four rows stay finite, since one NaN decides a row.
      if (i < 2 && (bits & format.infinity()) == format.infinity())
        bits &= ~(1u << format.fraction);
  }
  return rows;
}

class Bits : public testing::TestWithParam<Kernel> {};

TEST_P(Bits, AreThoseOfPlainLoops) {
  const auto &[file, name] = GetParam();
  const Format format = formatOfKernel(name);
  const std::size_t width = widthOfKernel(name);
  const bool isNorm = name.rfind("rms_norm", 0) == 0;
  const std::vector<Row> rows = makeRows(format, width);
  Random random(99);
  const Row w = makeRow(format, width, [&] { return 0.5 + random.normal(); });

  std::map<std::string, Array> inputs = {{"x", toArray(format, rows)}};
  if (isNorm)
    inputs["w"] = {dtypeOf(format), {static_cast<std::int64_t>(width)}, w};
  auto outputs = run(file, name, inputs);
  ASSERT_EQ(outputs.size(), 1u);
  const Array &output = outputs.begin()->second;
  const std::size_t columns = output.bits.size() / rows.size();

  for (std::size_t t = 0; t < rows.size(); ++t) {
    const std::vector<float> x = floats(format, rows[t]);
    const Row want = isNorm ? norm(name, format, x, floats(format, w)) : softmax(name, format, x);
    const Row got = rowOf(output, t, columns);
    ASSERT_EQ(got.size(), want.size());
    std::size_t different = 0;
    for (std::size_t i = 0; i < want.size(); ++i)
      different += got[i] != want[i];
    EXPECT_EQ(different, 0u) << "row " << t;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Bits, testing::ValuesIn(kernels()),
                         [](const auto &info) { return info.param.name; });

} // namespace
} // namespace ordo::oracle
