// The proof refuses none of our own kernels, and takes none for another's contract.
#include "dsl/eval/evaluator.h"
#include "tests/mutation/hard_inputs.h"
#include "tests/mutation/prover.h"

#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <string>

namespace ordo::mutation {
namespace {

constexpr const char *kTarget = "cuda.sm_90a";

/// "TARGET KERNEL": what the proof does not reach yet, a line each. What is proven leaves the list.
std::set<std::string> openKernels() {
  std::ifstream file("tests/mutation/open_kernels.txt");
  EXPECT_TRUE(file);
  std::set<std::string> names;
  for (std::string line; std::getline(file, line);)
    names.insert(line);
  return names;
}

class OwnKernels : public ::testing::TestWithParam<oracle::KernelCase> {};

TEST_P(OwnKernels, AreProven) {
  if (takesLong(GetParam().kernel))
    GTEST_SKIP() << "its proof takes long; `./ordo test --full` makes it";
  const emulation::Subject subject(GetParam().file, GetParam().kernel, kTarget);
  ASSERT_TRUE(subject.ok());
  std::string error;
  const auto kernel = subject.read(error);
  ASSERT_TRUE(kernel) << error;
  const std::string refusal = refusalOf(subject, *kernel);
  static const std::set<std::string> kOpen = openKernels();
  if (!kOpen.contains(std::string(kTarget) + " " + GetParam().kernel))
    EXPECT_EQ(refusal, "");
  else if (refusal.empty())
    std::printf("%s is proven now: open_kernels.txt need not hold it\n", GetParam().kernel.c_str());
}

INSTANTIATE_TEST_SUITE_P(Kernels, OwnKernels, ::testing::ValuesIn(oracle::everyKernel()),
                         [](const auto &info) { return oracle::caseName(info.param, info.index); });

/// Kernels of one signature that sum 100 or 7 elements in different orders.
class OtherContracts : public ::testing::TestWithParam<const char *> {
protected:
  /// Whether the two contracts' bits are equal wherever they are tried.
  static bool areEqual(const dsl::Program &a, const dsl::Program &b) {
    constexpr std::int64_t kRows = 40;
    for (std::uint64_t seed = 1; seed < 4; ++seed) {
      const dsl::EvalInputs inputs = hardInputs(a, kRows, seed);
      const dsl::EvalResult one = dsl::evaluate(a, inputs), two = dsl::evaluate(b, inputs);
      for (const auto &[name, value] : one.outputs)
        if (value.data != two.outputs.at(name).data)
          return false;
    }
    return true;
  }
};

TEST_P(OtherContracts, AreRefusedUnlessTheyAreEqual) {
  std::vector<std::unique_ptr<emulation::Subject>> subjects;
  for (const oracle::KernelCase &each : oracle::everyKernel())
    if (each.kernel.starts_with("row_sum_") && each.kernel.ends_with(GetParam()))
      subjects.push_back(std::make_unique<emulation::Subject>(each.file, each.kernel, kTarget));
  ASSERT_GE(subjects.size(), 10u);
  int refused = 0;
  for (const auto &code : subjects) {
    std::string error;
    const auto kernel = code->read(error);
    ASSERT_TRUE(kernel) << error;
    const auto &recipe = code->recipe();
    for (const auto &contract : subjects) {
      const verify::Proof proof = verify::prove(contract->program(), *kernel,
                                                {recipe.block, recipe.rowExtents, recipe.rows});
      refused += proof.isProven() ? 0 : 1;
      if (proof.isProven())
        EXPECT_TRUE(areEqual(code->program(), contract->program()))
            << code->name() << " for " << contract->name();
    }
  }
  EXPECT_GE(refused, 50);
}

INSTANTIATE_TEST_SUITE_P(Lengths, OtherContracts, ::testing::Values("_7", "_100"),
                         [](const auto &info) { return "Of" + std::string(info.param + 1); });

/// Launches that are not the kernel's.
TEST(OtherLaunches, AreRefused) {
  for (const char *name : {"rms_norm_bf16_2048", "rms_norm_centred_bf16_128"}) {
    const emulation::Subject subject("contracts/nn/norm.ordo", name, kTarget);
    ASSERT_TRUE(subject.ok());
    std::string error;
    const auto kernel = subject.read(error);
    ASSERT_TRUE(kernel) << error;
    const auto &[block, rows, extents, shared] = subject.recipe();
    const verify::Launch own{block, extents, rows};
    EXPECT_TRUE(verify::prove(subject.program(), *kernel, own).isProven());
    std::vector<verify::Launch> others(5, own);
    others[0].rows = rows + 1;
    others[1].block[0] /= 2;
    others[2].block[0] *= 2;
    std::swap(others[3].block[0], others[3].block[1]);
    others[4].extents.insert(others[4].extents.end(), extents.begin(), extents.end());
    for (const verify::Launch &other : others)
      EXPECT_FALSE(verify::prove(subject.program(), *kernel, other).isProven())
          << name << ": " << &other - others.data();
  }
}

} // namespace
} // namespace ordo::mutation
