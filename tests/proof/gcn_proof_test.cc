// The AMDGCN of the kernels below is proven on each chip.
#include "compiler/verify/proof/prove.h"
#include "tests/emulation/subject.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace ordo {
namespace {

struct Case {
  oracle::KernelCase kernel;
  std::string chip;
};

void PrintTo(const Case &c, std::ostream *out) { *out << c.kernel.kernel << " on " << c.chip; }

verify::Proof proofOf(const emulation::Subject &subject) {
  std::string error;
  const auto code = subject.read(error);
  verify::Proof proof;
  if (!code) {
    proof.refusal = verify::Refusal{error, "", std::nullopt, ""};
    return proof;
  }
  const compiler::LaunchRecipe &recipe = subject.recipe();
  return verify::prove(subject.program(), *code, {recipe.block, recipe.rowExtents, recipe.rows});
}

class GcnProof : public ::testing::TestWithParam<Case> {};

TEST_P(GcnProof, Stands) {
  const auto &[kernel, chip] = GetParam();
  const emulation::Subject subject(kernel.file, kernel.kernel, "rocm." + chip);
  ASSERT_TRUE(subject.ok());
  const verify::Proof proof = proofOf(subject);
  if (proof.refusal)
    FAIL() << proof.refusal->message << "\n"
           << proof.refusal->where << "\n"
           << proof.refusal->trees;
  EXPECT_GT(proof.stores, 0u);
}

/// Whole files on gfx942, a sample on the others.
std::vector<Case> kernels() {
  std::vector<Case> cases;
  for (const oracle::KernelCase &each : oracle::everyKernel())
    if (each.file.ends_with("nn/norm.ordo") || each.file.ends_with("nn/norm_backward.ordo") ||
        each.file.ends_with("nn/column_sum.ordo"))
      cases.push_back({each, "gfx942"});
  const auto add = [&](const char *file, std::initializer_list<const char *> names,
                       std::initializer_list<const char *> chips) {
    for (const char *name : names)
      for (const char *chip : chips)
        cases.push_back({{file, name}, chip});
  };
  const auto kAll = {"gfx942", "gfx90a", "gfx1100"};
  add("contracts/nn/softmax.ordo", {"softmax_bf16_128", "softmax_f16_128", "softmax_f32_128"},
      kAll);
  add("contracts/nn/log_sum_exp.ordo", {"log_sum_exp_bf16_128", "log_sum_exp_f16_128"}, kAll);
  add("contracts/nn/swiglu.ordo", {"swiglu_bf16_512"}, kAll);
  add("contracts/nn/gelu.ordo", {"gelu_bf16_3584", "gelu_tanh_bf16_3584"}, kAll);
  add("tests/contracts/odd_widths.ordo", {"log_softmax_f32_1", "log_sum_exp_bf16_7"}, kAll);
  // A row's number, the lesser of two, that is multiplied in halves.
  add("tests/contracts/odd_widths.ordo", {"rms_norm_bf16_7", "rms_norm_f32_7"}, kAll);
  add("tests/contracts/orders.ordo", {"row_sum_seq_100"}, kAll);
  // Runs within runs, questions that are asked twice, a row of any length, numbers of a few bits.
  add("tests/contracts/columns.ordo",
      {"column_sum_nested_f32_7", "gradients_129", "both_free_seq", "planes_3_50"}, kAll);
  add("contracts/random/philox.ordo", {"philox4x32_10"}, kAll);
  // Bits of floats in halves, and signs of choices.
  add("contracts/random/noise.ordo", {"noise_64"}, kAll);
  add("tests/contracts/rounded.ordo", {"log_rounded"}, kAll);
  // Products of 64 bits in halves, quotients of them, shifts by data.
  add("tests/contracts/apply.ordo", {"sin_f32"}, kAll);
  add("tests/contracts/rounded.ordo", {"cos_rounded"}, kAll);
  // Lanes that EXEC turns off hold what nobody defined.
  add("tests/contracts/chains.ordo", {"chain_30"}, kAll);
  const auto kOthers = {"gfx90a", "gfx1100"};
  add("contracts/nn/norm.ordo",
      {"rms_norm_bf16_2048", "rms_norm_bf16_5120", "rms_norm_centred_bf16_128",
       "rms_norm_hf_bf16_2048", "rms_norm_f32_3584"},
      kOthers);
  add("contracts/nn/column_sum.ordo",
      {"column_sum_bf16_2048", "column_sum_f32_2048", "column_sum_chunked_bf16_2048"}, kOthers);
  add("contracts/nn/norm_backward.ordo", {"rms_norm_dw_bf16_2048", "rms_norm_dw_chunked_bf16_2048"},
      kOthers);
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Kernels, GcnProof, ::testing::ValuesIn(kernels()), [](const auto &info) {
  return oracle::caseName(info.param.kernel, info.index) + "_" + info.param.chip;
});

/// What a proof rests on goes with it: divisions, roots and rounding to bf16 are single steps.
TEST(GcnAxioms, AreThoseOfTheStepsThatWereTaken) {
  const emulation::Subject subject("contracts/nn/norm.ordo", "rms_norm_bf16_2048", "rocm.gfx942");
  ASSERT_TRUE(subject.ok());
  const verify::Proof proof = proofOf(subject);
  ASSERT_TRUE(proof.isProven()) << proof.refusal->message;
  std::set<std::string> steps;
  for (const std::string &axiom : proof.axioms)
    steps.insert(axiom.substr(0, axiom.find(':')));
  EXPECT_EQ(steps, (std::set<std::string>{"cvt.bf16", "div.f32", "sqrt.f32"}));
}

TEST(GcnAxioms, OfF64) {
  const emulation::Subject subject("contracts/nn/gelu.ordo", "gelu_tanh_f32_3584", "rocm.gfx942");
  ASSERT_TRUE(subject.ok());
  EXPECT_TRUE(std::ranges::any_of(proofOf(subject).axioms, [](const std::string &axiom) {
    return axiom.starts_with("div.f64: ");
  }));
}

} // namespace
} // namespace ordo
