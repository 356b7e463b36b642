// The PTX of the norms is proven.
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

std::vector<oracle::KernelCase> norms() {
  std::vector<oracle::KernelCase> cases = oracle::everyKernel();
  std::erase_if(cases, [](const oracle::KernelCase &c) { return !c.file.ends_with("norm.ordo"); });
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Kernels, PtxProof, ::testing::ValuesIn(norms()),
                         [](const auto &info) { return oracle::caseName(info.param, info.index); });

} // namespace
} // namespace ordo
