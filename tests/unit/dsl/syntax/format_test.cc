#include "dsl/syntax/format.h"

#include "tests/unit/dsl/syntax/testing.h"

#include <gtest/gtest.h>

namespace ordo::dsl {
namespace {

using testing::Parsed;

std::optional<std::string> formatted(const std::string &text, std::string *errors = nullptr) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  const std::optional<std::string> out = format(sources.add("m.ordo", text), sources, diagnostics);
  if (errors != nullptr)
    *errors = diagnostics.renderAll();
  EXPECT_EQ(out.has_value(), !diagnostics.hasErrors());
  return out;
}

TEST(Format, GivesTheCanonicalLayoutAndKeepsIt) {
  EXPECT_EQ(formatted("module  m\nlet a=1\r\nlet bb  = 2"), "module m\n\nlet a  = 1\nlet bb = 2\n");
  for (const std::string_view sample : {testing::kSample, testing::kLarger}) {
    const auto once = formatted(std::string(sample));
    ASSERT_TRUE(once);
    EXPECT_EQ(formatted(*once), once);
  }
  EXPECT_EQ(formatted(""), "");
}

TEST(Format, LeavesWhatDoesNotReadAlone) {
  std::string errors;
  EXPECT_EQ(formatted("let a = \n", &errors), std::nullopt);
  EXPECT_NE(errors.find("m.ordo:1:8: error: expected an expression"), std::string::npos) << errors;
}

/// A second text in place of every part of a module: none may pass for the first.
TEST(Format, SameTreeSeesEveryDifference) {
  const auto same = [](const std::string &left, const std::string &right) {
    const Parsed a(left), b(right);
    EXPECT_TRUE(a.ok && b.ok) << a.rendered() << b.rendered();
    return sameTree(a.ast, b.ast);
  };
  const std::string text = "module m\nlet a = 1 + b\nlet c = x[i] // d\n";
  EXPECT_TRUE(same(text, text));
  EXPECT_TRUE(same(text, "module m\nlet a=((1)) + (b)\n\nlet c = x[ i ]\n"));
  EXPECT_FALSE(same(text, "module n\nlet a = 1 + b\nlet c = x[i]\n"));
  EXPECT_FALSE(same(text, "module m\nlet a = 1 + b\n"));
  EXPECT_FALSE(same(text, "module m\nlet c = x[i]\nlet a = 1 + b\n"));
  EXPECT_FALSE(same(text, "module m\nlet a = 1 - b\nlet c = x[i]\n"));
  EXPECT_FALSE(same(text, "module m\nlet a = b + 1\nlet c = x[i]\n"));
  EXPECT_FALSE(same(text, "module m\nlet a = 1 + b\nlet c = x[i, i]\n"));
  EXPECT_FALSE(same(text, "module m\n/// doc\nlet a = 1 + b\nlet c = x[i]\n"));
  EXPECT_FALSE(same("let a = b - c - d\n", "let a = b - (c - d)\n"));
  EXPECT_FALSE(same("let a = sum[i in N by seq] x\n", "let a = sum[i in N where seq] x\n"));
  EXPECT_FALSE(
      same("op f(x: f32[T] inout) -> (y: f32[T]) {\n}\n", "op f(x: f32[T]) -> (y: f32[T]) {\n}\n"));
  EXPECT_FALSE(same("op f(x: f32[T], z: f32) -> (y: f32[T]) {\n}\n",
                    "op f(x: f32[T]) -> (z: f32, y: f32[T]) {\n}\n"));
}

} // namespace
} // namespace ordo::dsl
