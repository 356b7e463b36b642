// Rows in loops of many steps: proven by induction, at a cost that does not grow with the row; and
// refused when a number in such a loop is another.
#include "compiler/verify/proof/prove.h"
#include "tests/emulation/subject.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>
#include <string>
#include <vector>

namespace ordo {
namespace {

constexpr const char *kFile = "tests/proof/wide_rows.ordo";

verify::Proof prove(const emulation::Subject &subject, const std::string &code) {
  std::string error;
  const auto kernel = subject.read(code, error);
  if (!kernel) {
    verify::Proof proof;
    proof.refusal = verify::Refusal{error, "", std::nullopt, ""};
    return proof;
  }
  const compiler::LaunchRecipe &recipe = subject.recipe();
  return verify::prove(subject.program(), *kernel, {recipe.block, recipe.rowExtents, recipe.rows});
}

verify::Proof proofOf(const char *kernel, const char *target) {
  const emulation::Subject subject(kFile, kernel, target);
  if (!subject.ok())
    return {};
  verify::Proof proof = prove(subject, subject.assemble(subject.assembly()).value_or(""));
  EXPECT_FALSE(proof.refusal) << proof.refusal->where << ": " << proof.refusal->message << "\n"
                              << proof.refusal->trees;
  return proof;
}

class WideRows : public ::testing::TestWithParam<const char *> {};

TEST_P(WideRows, ProofsDoNotGrowWithThem) {
  const verify::Proof some = proofOf("norm_262144", GetParam());
  const verify::Proof many = proofOf("norm_1048576", GetParam());
  EXPECT_GT(some.steps, 0u);
  EXPECT_LT(many.steps, some.steps + some.steps / 50); // the code differs in some address
  EXPECT_EQ(some.stores, many.stores);
  EXPECT_LT(many.stores, 20000u); // of a million elements
  EXPECT_LT(many.terms, some.terms + some.terms / 10);
}

INSTANTIATE_TEST_SUITE_P(Targets, WideRows, ::testing::Values("cuda.sm_90a", "rocm.gfx942"),
                         [](const auto &info) { return std::string(info.param).substr(5); });

TEST(WideRow, WithAShortLastStepIsProven) {
  const verify::Proof proof = proofOf("norm_16576", "cuda.sm_90a");
  EXPECT_LT(proof.stores, 16576u / 4); // its stores are those of a step
}

/// Lines of the loops, from a label to the branch back to it.
std::vector<std::size_t> loopLines(const std::vector<std::string> &lines) {
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    std::smatch label;
    if (!std::regex_match(lines[k], label, std::regex("(\\$L__BB\\w+):.*")))
      continue;
    for (std::size_t end = k + 1; end < lines.size(); ++end)
      if (lines[end].find("bra \t" + label[1].str() + ";") != std::string::npos)
        for (std::size_t inside = k + 1; inside <= end; ++inside)
          found.push_back(inside);
  }
  return found;
}

TEST(WideRow, WithAnotherNumberInItsLoopsIsRefused) {
  const emulation::Subject subject(kFile, "norm_16384", "cuda.sm_90a");
  ASSERT_TRUE(subject.ok());
  std::vector<std::string> lines;
  std::istringstream text(subject.assembly());
  for (std::string line; std::getline(text, line);)
    lines.push_back(line);
  const std::regex number("(.*(?:, |\\+))(-?\\d+)((?:\\])?(?:, \\{.*)?;)");
  int changed = 0;
  for (const std::size_t at : loopLines(lines)) {
    std::smatch parts;
    if (!std::regex_match(lines[at], parts, number))
      continue;
    std::string altered;
    for (std::size_t k = 0; k < lines.size(); ++k)
      altered +=
          (k == at ? parts[1].str() + std::to_string(std::stoll(parts[2]) + 16) + parts[3].str()
                   : lines[k]) +
          "\n";
    EXPECT_TRUE(prove(subject, altered).refusal) << lines[at];
    ++changed;
  }
  EXPECT_GE(changed, 20);
}

} // namespace
} // namespace ordo
