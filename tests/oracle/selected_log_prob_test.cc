// The selected log-probability of every declared kernel against f64.
//
// The bound, with u = 2^-24, is that of log_sum_exp (softmax_test.cc): a term is within (|d| + E) u
// with E = 1.79 for the f32 tier's exp, or 1 where it is correctly rounded, the sum within
// (mean |d| + E + 35) u, and log adds up to 0.59 ulp; then two sums round.
#include "tests/oracle/rows.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace ordo::oracle {
namespace {

const double kUnit = std::ldexp(1.0, -24);
constexpr const char *kFile = "contracts/nn/selected_log_prob.ordo";
constexpr std::int32_t kIgnore = -100;

std::vector<std::uint32_t> logProbs(const std::string &kernel, const std::vector<Row> &logits,
                                    const std::vector<std::int32_t> &targets) {
  Array target{dsl::DType::I32, {static_cast<std::int64_t>(targets.size())}, {}};
  for (const std::int32_t value : targets)
    target.bits.push_back(static_cast<std::uint32_t>(value));
  auto outputs =
      run(kFile, kernel, {{"logits", toArray(formatOfKernel(kernel), logits)}, {"target", target}},
          {{"ignore", static_cast<std::uint32_t>(kIgnore)}});
  return outputs.contains("logp") ? outputs["logp"].bits
                                  : std::vector<std::uint32_t>(targets.size(), ~0u);
}

class SelectedLogProb : public ::testing::TestWithParam<std::string> {
protected:
  Format format() const { return formatOfKernel(GetParam()); }
  std::size_t width() const { return widthOfKernel(GetParam()); }
  bool has(const char *part) const { return GetParam().find(part) != std::string::npos; }

  Row row(const std::function<double()> &draw) const { return makeRow(format(), width(), draw); }

  void judge(const Row &logits, std::int32_t target, std::uint32_t got, Judge &out) const {
    const std::vector<double> x = decodeRow(format(), logits);
    const double largest = *std::ranges::max_element(x);
    double sum = 0.0, weighted = 0.0;
    for (const double value : x) {
      const double e = std::exp(value - largest);
      sum += e;
      weighted += e == 0.0 ? 0.0 : (largest - value) * e;
    }
    const double log = std::log(sum), z = x[static_cast<std::size_t>(target)];
    const double want = z - (largest + log);
    const double exponential = has("_rounded_") ? 1.0 : 1.55;
    double allowed = (weighted / sum + exponential + 35.0) * kUnit + 0.59 * ulp(kF32, log) +
                     0.5 * ulp(kF32, want);
    allowed += 0.5 * ulp(kF32, has("softmax") ? z - largest : largest + log);
    out.check(decode(kF32, got), want, allowed, "target " + std::to_string(target));
  }
};

TEST_P(SelectedLogProb, WithinItsBound) {
  Random random(width());
  std::vector<Row> logits = {
      row([&] { return random.normal(); }),           row([&] { return 8.0 * random.normal(); }),
      row([&] { return 1000.0 * random.normal(); }),  row([] { return -3.25; }),
      row([&] { return -110.0 * random.uniform(); }), row([&] { return random.normal(); })};
  // Masked columns are -inf.
  for (std::size_t v = 1; v < width(); v += 3)
    logits.back()[v] = format().signBit() | format().infinity();
  const auto last = static_cast<std::int32_t>(width()) - 1;
  std::vector<Row> rows;
  std::vector<std::int32_t> targets;
  for (const Row &row : logits)
    for (const std::int32_t target : {0, 30000, last - last % 3}) {
      rows.push_back(row);
      targets.push_back(target);
    }
  const std::vector<std::uint32_t> got = logProbs(GetParam(), rows, targets);
  Judge out;
  for (std::size_t t = 0; t < rows.size(); ++t)
    judge(rows[t], targets[t], got[t], out);
  EXPECT_LE(out.worst(), 1.0) << out.where();
  EXPECT_GE(out.worst(), 0.01) << out.where(); // 35 additions hardly ever err in one direction
}

TEST_P(SelectedLogProb, IgnoredAndAbsentTargets) {
  Random random(7);
  const Row plain = row([&] { return random.normal(); });
  Row broken = plain;
  broken[5] = format().nan();
  Row masked = plain;
  masked[9] = format().signBit() | format().infinity();
  const auto columns = static_cast<std::int32_t>(width());
  const std::vector<std::uint32_t> got =
      logProbs(GetParam(), {plain, broken, broken, plain, plain, masked},
               {kIgnore, kIgnore, 5, columns, -1, 9});
  EXPECT_EQ(got[0], 0u);
  EXPECT_EQ(got[1], 0u); // whatever the logits are
  EXPECT_EQ(got[2], kF32.nan());
  const std::uint32_t nothing = kF32.signBit() | kF32.infinity();
  EXPECT_EQ(got[3], nothing);
  EXPECT_EQ(got[4], nothing);
  EXPECT_EQ(got[5], nothing);
}

// The same row gives the same bits, whatever its neighbours and its place.
TEST_P(SelectedLogProb, RowsAreIndependent) {
  Random random(8);
  const Row mine = row([&] { return 4.0 * random.normal(); });
  const Row other = row([&] { return 900.0 * random.normal(); });
  const std::uint32_t alone = logProbs(GetParam(), {mine}, {77})[0];
  EXPECT_EQ(logProbs(GetParam(), {other, mine, other}, {1, 77, kIgnore})[1], alone);
}

INSTANTIATE_TEST_SUITE_P(Kernels, SelectedLogProb, ::testing::ValuesIn(kernelsOf(kFile)),
                         [](const auto &info) { return info.param; });

} // namespace
} // namespace ordo::oracle
