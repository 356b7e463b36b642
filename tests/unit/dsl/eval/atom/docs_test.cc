// docs/orders.md lists the atoms as they are.
#include "dsl/eval/atom/atom.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace ordo::dsl {
namespace {

std::string arithmeticOf(const AtomRule &rule) {
  switch (rule.arithmetic) {
  case AtomArithmetic::TruncatedSum:
    return rule.startsFromZero ? "cut sum, one step from zero" : "cut sum";
  case AtomArithmetic::TwoStageSum:
    return "two-stage sum";
  case AtomArithmetic::FlushedPairs:
    return "flushed pairs";
  case AtomArithmetic::SequentialFma:
    return "fma chain";
  case AtomArithmetic::Unmodelled:
    break;
  }
  return "unmodelled";
}

std::string rowOf(const AtomRule &rule) {
  const bool isCut = rule.arithmetic == AtomArithmetic::TruncatedSum ||
                     rule.arithmetic == AtomArithmetic::TwoStageSum;
  return fmt::format("| `{}` | {} | {} | {} | {} | {} | {} | {} |", rule.name, rule.version,
                     name(rule.operand), name(rule.accumulator), arithmeticOf(rule),
                     rule.products == 0 ? "" : std::to_string(rule.products),
                     isCut ? std::to_string(rule.fractionBits) : "",
                     rule.arithmetic == AtomArithmetic::Unmodelled ? "" : name(rule.provenance));
}

TEST(Docs, ListEveryAtomAndNoOther) {
  std::ifstream page("docs/orders.md");
  ASSERT_TRUE(page);
  std::vector<std::string> found, wanted;
  for (std::string line; std::getline(page, line);)
    if (line.starts_with("| `nv.") || line.starts_with("| `amd."))
      found.push_back(line);
  for (const AtomRule &rule : atoms())
    wanted.push_back(rowOf(rule));
  EXPECT_EQ(found, wanted);
}

} // namespace
} // namespace ordo::dsl
