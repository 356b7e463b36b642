// A launch's signature beside the kernel: what does not fit, and what holds of sizes and blocks.
#include "compiler/verify/signature/build.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordo::verify {
namespace {

using ::testing::HasSubstr;

LaunchSignature parse(const std::string &text) {
  dsl::SourceManager sources;
  dsl::Diagnostics diagnostics(sources);
  const auto launch = parseLaunch(sources.add("--signature", text), sources, diagnostics);
  EXPECT_TRUE(launch) << diagnostics.renderAll();
  return launch.value_or(LaunchSignature{});
}

Kernel kernelOf(const std::vector<std::uint32_t> &bytes) {
  Kernel kernel;
  kernel.name = "k";
  for (const std::uint32_t each : bytes)
    kernel.parameters.push_back({"", 0, each, 0});
  return kernel;
}

TEST(SignatureOf, FitsTheKernel) {
  const LaunchSignature launch = parse("y: f32[T] out, T: i32, eps: f32; grid T; block 64, 2");
  Kernel kernel = kernelOf({8, 4, 4});
  EXPECT_EQ(mismatch(launch, kernel), "");
  EXPECT_EQ(mismatch(launch, kernelOf({8, 4})), "k takes 2 arguments, and the signature names 3");
  EXPECT_EQ(mismatch(launch, kernelOf({8, 8, 4})), "argument 2 of k has 8 bytes, and T has 4");
  kernel.requiredBlock = {128, 1, 1};
  EXPECT_EQ(mismatch(launch, kernel), "k requires a block of 128 x 1 x 1 threads");
  kernel.requiredBlock = {};
  kernel.largestBlock = {64, 1, 1};
  EXPECT_EQ(mismatch(launch, kernel), "k takes blocks of 64 threads at most");
}

class SignatureFacts : public ::testing::Test {
protected:
  void build(const std::string &text, const std::vector<std::uint32_t> &bytes) {
    signature = signatureOf(parse(text), kernelOf(bytes), terms);
  }
  bool holds(AffineId form) { return terms.facts().holds(form); }
  AffineId atom(const Term &term) { return terms.affine().atom(term.node()); }

  Terms terms;
  Signature signature;
};

TEST_F(SignatureFacts, ABlockLiesInTheGrid) {
  build("y: f32[T] out, T: i32; grid (T + 3) / 4; block 4", {8, 4});
  AffinePool &affine = terms.affine();
  const AffineId size = atom(signature.arguments[1].value);
  const AffineId row = affine.scale(atom(signature.blockIndex[0]), 4);
  // The first row of a block is one of T; the fourth need not be.
  EXPECT_TRUE(holds(affine.plus(affine.sub(size, row), -1)));
  EXPECT_FALSE(holds(affine.plus(affine.sub(size, row), -2)));
  EXPECT_TRUE(holds(affine.plus(size, -1)));
  EXPECT_EQ(signature.blockIndex[1], Term::constant(0));
  EXPECT_EQ(signature.gridSize[1], Term::constant(1));
}

TEST_F(SignatureFacts, RowsOfAFreeLength) {
  build("y: f32[T, C] out, C: i32; grid T; block 1; C <= 256", {8, 4});
  AffinePool &affine = terms.affine();
  const Term inner = terms.zeroExtend(signature.arguments[1].value, 32, 64);
  const Term block = terms.zeroExtend(signature.blockIndex[0], 32, 64);
  const AffineId first = terms.exact(terms.multiply(block, inner, 64), 64);
  const AffineId end = affine.add(first, terms.exact(inner, 64));
  const AffineId elements = signature.arguments[0].elements;
  EXPECT_TRUE(holds(affine.sub(elements, end)));
  EXPECT_FALSE(holds(affine.plus(affine.sub(elements, end), -1)));
}

TEST_F(SignatureFacts, ArgumentsAndArrays) {
  build("x: bf16[T, 8] in, y: f32[T] out, n: i64, eps: f32; grid T; block 32; shared 64; T <= 100",
        {8, 8, 8, 4});
  ASSERT_EQ(signature.arguments.size(), 4u);
  const Argument &x = signature.arguments[0], &y = signature.arguments[1];
  EXPECT_TRUE(x.isRead && !x.isWritten && y.isWritten && !y.isRead);
  EXPECT_EQ(x.tensor, 0u);
  EXPECT_EQ(y.tensor, 1u);
  EXPECT_EQ(terms.affine().scale(y.elements, 8), x.elements);
  EXPECT_EQ(signature.arguments[2].kind, Argument::Kind::Scalar);
  EXPECT_EQ(signature.arguments[3].kind, Argument::Kind::Scalar);
  EXPECT_EQ(signature.block.sharedBytes, 64u);
  EXPECT_EQ(signature.block.threads(), 32u);
  EXPECT_TRUE(holds(terms.affine().plus(terms.affine().scale(y.elements, -1), 100)));
}

} // namespace
} // namespace ordo::verify
