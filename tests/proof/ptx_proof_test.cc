// The PTX of the norms, of what softmax is made of and of sums over any number of rows is proven.
#include "tests/proof/compiled.h"

#include <gtest/gtest.h>

namespace ordo {
namespace {

class PtxProof : public ::testing::TestWithParam<oracle::KernelCase> {};

TEST_P(PtxProof, Stands) {
  const Compiled compiled(GetParam().file, GetParam().kernel);
  const verify::Proof proof = compiled.prove(compiled.ptx());
  if (proof.refusal)
    FAIL() << proof.refusal->message << "\n"
           << proof.refusal->where << "\n"
           << proof.refusal->trees;
  EXPECT_GT(proof.stores, 0u);
}

/// The rows of a vocabulary take longest, and differ from the others in length alone.
std::vector<oracle::KernelCase> kernels() {
  std::vector<oracle::KernelCase> cases = oracle::everyKernel();
  std::erase_if(cases, [](const oracle::KernelCase &c) {
    const auto isOf = [&](const char *file) { return c.file.ends_with(file); };
    return !(isOf("nn/norm.ordo") || isOf("nn/softmax.ordo") || isOf("nn/log_sum_exp.ordo") ||
             isOf("nn/norm_backward.ordo") || isOf("nn/column_sum.ordo") || isOf("columns.ordo")) ||
           c.kernel.ends_with("_152064");
  });
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Kernels, PtxProof, ::testing::ValuesIn(kernels()),
                         [](const auto &info) { return oracle::caseName(info.param, info.index); });

} // namespace
} // namespace ordo
