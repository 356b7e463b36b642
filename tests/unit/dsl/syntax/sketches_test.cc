// Every sketch of the language reads, and is in the printer's layout.
#include "dsl/syntax/printer.h"
#include "tests/unit/dsl/syntax/testing.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

namespace ordo::dsl {
namespace {

using testing::Parsed;

constexpr const char *kFolder = "tests/sketches";

std::string read(const std::string &name) {
  std::ifstream in(std::string(kFolder) + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

class Sketches : public ::testing::TestWithParam<const char *> {};

TEST_P(Sketches, ReadsAndPrintsAsItself) {
  const std::string name = GetParam();
  const std::string text = read(name);
  ASSERT_FALSE(text.empty()) << name;
  const Parsed parsed(text, name);
  ASSERT_TRUE(parsed.ok) << parsed.rendered();
  EXPECT_EQ(parsed.ast.module + ".ordo", name);
  const std::string once = print(parsed.ast);
  EXPECT_EQ(once, text);
  const Parsed again(once, name);
  ASSERT_TRUE(again.ok) << again.rendered();
  EXPECT_EQ(again.tree(), parsed.tree());
}

/// With its spaces doubled, outside comments, the text comes back.
TEST_P(Sketches, LayoutSaysNothing) {
  const std::string text = read(GetParam());
  std::string loose;
  for (std::size_t i = 0; i < text.size(); ++i) {
    loose += text[i];
    if (text[i] == ' ' && i > 0 && text[i - 1] != '\n' && text[i - 1] != ' ' && text[i + 1] != '/')
      loose += ' ';
  }
  const Parsed parsed(text), changed(loose);
  ASSERT_TRUE(changed.ok) << changed.rendered();
  // A comment keeps its own spaces: compare what is no comment.
  Ast bare = changed.ast, plain = parsed.ast;
  for (Ast *ast : {&bare, &plain}) {
    ast->comments.clear();
    for (Node &node : ast->nodes)
      node.doc.clear();
  }
  EXPECT_EQ(print(bare), print(plain));
}

const char *const kNames[] = {"attention.ordo",  "delta.ordo",  "flow.ordo",
                              "linear.ordo",     "norm.ordo",   "philox.ordo",
                              "qwen3_next.ordo", "router.ordo", "kernels.ordo"};
INSTANTIATE_TEST_SUITE_P(All, Sketches, ::testing::ValuesIn(kNames), [](const auto &info) {
  const std::string name = info.param;
  return name.substr(0, name.find('.'));
});

TEST(SketchesFolder, HoldsNoOthers) {
  std::set<std::string> found;
  for (const auto &entry : std::filesystem::directory_iterator(kFolder))
    if (entry.path().extension() == ".ordo")
      found.insert(entry.path().filename().string());
  EXPECT_EQ(found, std::set<std::string>(std::begin(kNames), std::end(kNames)));
}

} // namespace
} // namespace ordo::dsl
