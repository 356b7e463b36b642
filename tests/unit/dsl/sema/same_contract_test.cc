// A text that differs only in names, layout or the order of declarations is the same contract.
#include "dsl/syntax/lexer.h"
#include "dsl/syntax/parser.h"
#include "tests/unit/dsl/sema/mutated_contracts.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace ordo::dsl {
namespace {

/// `text` with every name of its own spelt otherwise.
std::string renamed(const std::string &text) {
  std::set<std::string> kept = {"f32",     "f64",
                                "f16",     "bf16",
                                "i32",     "u32",
                                "bool",    "exp",
                                "log",     "rsqrt",
                                "sqrt",    "abs",
                                "max",     "min",
                                "fma",     "floor",
                                "bits",    "seq",
                                "pairs",   "halves",
                                "lanes",   "mid",
                                "first",   "sum",
                                "dot",     "max_nan",
                                "min_nan", "i64",
                                "u64",     "mulhi",
                                "mma",     "f8e4m3fn",
                                "f8e5m2",  "exp_nonpositive"};
  for (const std::string_view word : contextualWords())
    kept.emplace(word);
  SourceManager sources;
  Diagnostics diagnostics(sources);
  const Lexed lexed = lex(sources.add("m", text), sources, diagnostics);
  std::string out;
  std::uint32_t copied = 0;
  std::set<std::string> merged;
  Tok line = Tok::End;
  for (std::size_t i = 0; i + 1 < lexed.tokens.size(); ++i) {
    const Token &token = lexed.tokens[i];
    if (token.newlineBefore || i == 0)
      line = token.kind;
    const auto wordAt = [&](std::size_t at) {
      return text.substr(lexed.tokens[at].begin, lexed.tokens[at].end - lexed.tokens[at].begin);
    };
    const std::string word = wordAt(i);
    if (i > 1 && wordAt(i - 2) == "merge")
      merged = {word, wordAt(i + 2)};
    // Of the parts of a word with dots, those of a merge's carries are the author's own.
    const bool isBefore = lexed.tokens[i + 1].kind == Tok::Dot && !merged.contains(word);
    const bool isAfter =
        i > 1 && lexed.tokens[i - 1].kind == Tok::Dot && !merged.contains(wordAt(i - 2));
    const bool isDotted = isBefore || isAfter;
    if (token.kind != Tok::Name || line == Tok::Module || line == Tok::Use || isDotted ||
        kept.contains(word))
      continue;
    out += text.substr(copied, token.end - copied) + "_q";
    copied = token.end;
  }
  return out + text.substr(copied);
}

/// `text` with a comment on every line, wider gaps and blank lines.
std::string reformatted(const std::string &text) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    for (const char c : text.substr(at, end - at))
      out += c == ' ' ? "   " : std::string(1, c);
    out += "  // sum[h in H by seq] 1.0\n\n";
    at = end + 1;
  }
  return out;
}

/// The declarations in reverse, those of a profile too.
std::string reversed(const std::string &text) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  const std::uint32_t file = sources.add("m", text);
  Ast ast;
  EXPECT_TRUE(parse(file, sources, diagnostics, ast)) << diagnostics.renderAll();
  const auto textOf = [&](NodeId id) { return std::string(sources.text(ast[id].span)) + "\n"; };
  std::string head = "module " + ast.module + "\n", rest;
  for (NodeId id : ast.declarations) {
    const Node &n = ast[id];
    if (n.kind == NodeKind::Use) {
      head += textOf(id);
      continue;
    }
    std::string one = textOf(id);
    if (n.kind == NodeKind::Profile) {
      std::string members;
      for (NodeId kid : n.kids)
        members.insert(0, textOf(kid));
      one = "profile " + n.text + " {\n" + members + "}\n";
    }
    rest.insert(0, one);
  }
  return head + rest;
}

TEST(SameContract, NamesLayoutAndOrderOfDeclarationsMoveNothing) {
  const Contracts contracts("same");
  for (const std::string path : {"everything.ordo", "rest.ordo", "data.ordo", "nn/norm.ordo",
                                 "nn/softmax.ordo", "nn/log_sum_exp.ordo"}) {
    const std::string text = contracts.read(path);
    auto before = contracts.digests(path);
    ASSERT_TRUE(before);
    ASSERT_FALSE(before->empty());
    const auto same = [&](const std::string &changed, bool keepsTurn) {
      EXPECT_NE(changed, text);
      contracts.write(path, changed);
      std::string why;
      auto after = contracts.digests(path, &why);
      ASSERT_TRUE(after) << path << "\n" << why << changed;
      Digests expected = *before;
      if (!keepsTurn) {
        std::ranges::sort(expected);
        std::ranges::sort(*after);
      }
      EXPECT_EQ(expected, *after) << changed;
    };
    same(renamed(text), true);
    same(reformatted(text), true);
    same(reversed(text), false);
    contracts.write(path, text);
  }
}

} // namespace
} // namespace ordo::dsl
