// No text crashes, hangs or overflows the parser, the renderer or the printer.
#include "dsl/syntax/format.h"
#include "dsl/syntax/printer.h"
#include "tests/unit/dsl/syntax/testing.h"

#include <gtest/gtest.h>

#include <cctype>
#include <random>

namespace ordo::dsl {
namespace {

using testing::Parsed;

/// Parses, renders and, when it reads, prints. Failure without a word is a failure.
void survive(const std::string &text) {
  const Parsed parsed(text);
  ASSERT_EQ(parsed.ok, parsed.diagnostics.errorCount() == 0);
  ASSERT_LE(parsed.diagnostics.errorCount(), 21u);
  const std::string rendered = parsed.rendered();
  for (const char c : rendered)
    ASSERT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
  for (const Diagnostic &error : parsed.diagnostics.all()) {
    ASSERT_LE(error.span.begin, error.span.end);
    ASSERT_LE(error.span.end, text.size());
  }
  if (!parsed.ok)
    return;
  const std::string once = print(parsed.ast);
  const Parsed again(once);
  ASSERT_TRUE(again.ok) << again.rendered() << once;
  ASSERT_EQ(print(again.ast), once);
  ASSERT_TRUE(sameTree(parsed.ast, again.ast)) << once;
  ASSERT_EQ(parsed.ast.comments.size(), again.ast.comments.size()) << once;
}

class RobustSamples : public ::testing::TestWithParam<std::string_view> {};

TEST_P(RobustSamples, EveryPrefix) {
  const std::string text(GetParam());
  std::size_t read = 0;
  for (std::size_t length = 0; length <= text.size(); ++length) {
    survive(text.substr(0, length));
    if (HasFatalFailure())
      FAIL() << "at byte " << length;
    read += Parsed(text.substr(0, length)).ok;
  }
  // Cut inside an op or a fn, a file must not read as whole: only the gaps between declarations
  // may.
  EXPECT_LT(read, text.size() / 3);
}

TEST(Robust, ATruncatedOpIsAlwaysAnError) {
  const std::string text(testing::kSample);
  const std::size_t begin = text.find("op rms_norm"), end = text.find("op softmax");
  const std::size_t close = text.rfind('}', end);
  for (std::size_t length = begin + 1; length <= close; ++length) {
    const Parsed parsed(text.substr(0, length));
    ASSERT_FALSE(parsed.ok) << length;
    ASSERT_FALSE(parsed.diagnostics.all().empty());
  }
}

TEST_P(RobustSamples, AByteChangedRemovedOrAdded) {
  const std::string text(GetParam());
  std::mt19937 random(11);
  const std::string bytes = "()[]{}<>=,.:|*+-/;@\n \t0xe_aZ\xC3\xFF\x80";
  for (int i = 0; i < 4000; ++i) {
    std::string changed = text;
    for (int n = 1 + static_cast<int>(random() % 3); n > 0; --n) {
      const std::size_t at = random() % changed.size();
      const char byte = bytes[random() % bytes.size()];
      switch (random() % 3) {
      case 0:
        changed[at] = byte;
        break;
      case 1:
        changed.erase(at, 1 + random() % 8);
        break;
      default:
        changed.insert(at, 1, byte);
      }
    }
    survive(changed);
    if (HasFatalFailure())
      FAIL() << changed;
  }
}

/// Whole words in other places go deeper than bytes do.
TEST_P(RobustSamples, TokensDroppedDoubledOrMoved) {
  const std::string text(GetParam());
  std::vector<std::string> tokens;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[i])) != 0 &&
           (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
      ++end;
    tokens.push_back(text.substr(i, end - i));
    i = end;
  }
  std::mt19937 random(19);
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::string> changed = tokens;
    for (int n = 1 + static_cast<int>(random() % 2); n > 0; --n) {
      const std::size_t at = random() % changed.size(), other = random() % changed.size();
      switch (random() % 3) {
      case 0:
        changed[at].clear();
        break;
      case 1:
        changed[at] += " " + tokens[other];
        break;
      default:
        std::swap(changed[at], changed[other]);
      }
    }
    std::string joined;
    for (const std::string &token : changed)
      joined += token;
    survive(joined);
    if (HasFatalFailure())
      FAIL() << joined;
  }
}

INSTANTIATE_TEST_SUITE_P(All, RobustSamples, ::testing::Values(testing::kSample, testing::kLarger));

TEST(Robust, RandomTokens) {
  const std::vector<std::string> tokens = {
      "module",  "use",  "op",   "fn",     "order", "let",    "kernel", "require", "assume",
      "for",     "if",   "then", "else",   "where", "by",     "in",     "and",     "or",
      "not",     "true", "inf",  "sum",    "dot",   "count",  "max",    "fold",    "top",
      "seq",     "mid",  "f32",  "x",      "y",     "next",   "merge",  "yield",   "from",
      "iterate", "of",   "at",   "argmax", "scan",  "assume", "forall", "profile", "target",
      "view",    "1.0",  "8",    "(",      ")",     "[",      "]",      "{",       "}",
      ",",       ".",    ":",    "->",     "=",     ":=",     "+",      "-",       "*",
      "<",       ">",    "<=",   "|",      "~",     "\n",     "\n",     "///d\n",  "// c\n"};
  std::mt19937 random(13);
  for (int i = 0; i < 6000; ++i) {
    std::string text;
    for (int n = static_cast<int>(random() % 60); n > 0; --n)
      text += tokens[random() % tokens.size()] + " ";
    survive(text);
    if (HasFatalFailure())
      FAIL() << text;
  }
}

TEST(Robust, RandomBytes) {
  std::mt19937 random(17);
  for (int i = 0; i < 3000; ++i) {
    std::string text(random() % 200, ' ');
    for (char &byte : text)
      byte = static_cast<char>(random());
    survive(text);
    if (HasFatalFailure())
      FAIL() << i;
  }
  std::string large(1 << 20, ' ');
  for (char &byte : large)
    byte = static_cast<char>(random());
  survive(large);
}

std::string repeated(const std::string &text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i)
    out += text;
  return out;
}

TEST(Robust, DeepNestingIsRefusedInWords) {
  constexpr int kMany = 100000;
  for (const std::string &open : {"(",
                                  "[",
                                  "x[",
                                  "f(",
                                  "-",
                                  "~",
                                  "not ",
                                  "if ",
                                  "if a then ",
                                  "sum[i in ",
                                  "sum[i in N] ",
                                  "a + (",
                                  "max(",
                                  "dot[i in N](",
                                  "sum[i in N by seq(",
                                  "count[i in N] (",
                                  "top[",
                                  "f(x).c[",
                                  "argmax[e in E] of (",
                                  "top[1] e in E of ("}) {
    const Parsed parsed("let v = " + repeated(open, kMany) + "\n");
    ASSERT_FALSE(parsed.ok) << open;
    EXPECT_EQ(parsed.diagnostics.all()[0].kind, "nesting-limit") << open << parsed.rendered();
  }
  for (const std::string &open : {"{", "}", "op f(", "op f<", "kernel k = f<", "fn f() -> f32 = {",
                                  "profile p {", "view v(", "target t {"})
    survive(repeated(open, kMany));
  for (const std::string &open :
       {"for i in N {\n", "a = fold[j in N] from (0.0) {\n", "a = iterate 3 (c = d) {\n"}) {
    const Parsed parsed("op f(x: f32) -> (y: f32) {\n" + repeated(open, kMany) + "\n");
    ASSERT_FALSE(parsed.ok) << open;
    EXPECT_EQ(parsed.diagnostics.all()[0].kind, "nesting-limit") << open;
  }
  survive("op f(x: f32) -> (y: f32) {\n  assume " + repeated("forall t: ", kMany) + "\n}\n");
  survive("op f(x: f32) -> (y: f32) {\n  assume " + repeated("distinct(", kMany) + "\n}\n");
}

TEST(Robust, NestingUpToTheLimitIsFine) {
  const int depth = kNestingLimit - 2;
  survive("let v = " + repeated("(", depth) + "a" + repeated(")", depth) + "\n");
  EXPECT_TRUE(Parsed("let v = " + repeated("(", depth) + "a" + repeated(")", depth) + "\n").ok);
  EXPECT_TRUE(Parsed("let v = " + repeated("f(", depth) + "a" + repeated(")", depth) + "\n").ok);
  // Printed as -(-(-a)), which has to read as well.
  EXPECT_TRUE(Parsed("let v = " + repeated("-", depth / 2) + "a\n").ok);
  for (const std::string &prefix : {"-", "~", "-~", "not "})
    for (const int count : {depth / 2, depth / 2 + 1, depth / 2 + 2, depth})
      survive("let v = " + repeated(prefix, count) + "a\n");
}

TEST(Robust, LongChainsAreRefusedInWords) {
  EXPECT_TRUE(Parsed("let v = a" + repeated(" + a", kHeightLimit - 10) + "\n").ok);
  for (const std::string &link : {" + a", " * a", "[0]", " and a", " - a < a == a"}) {
    const Parsed parsed("let v = a" + repeated(link, 100000) + "\n");
    if (link == " - a < a == a") { // one flat chain of comparisons
      EXPECT_TRUE(parsed.ok) << parsed.rendered();
      continue;
    }
    ASSERT_EQ(parsed.diagnostics.errorCount(), 1u) << link;
    EXPECT_EQ(parsed.diagnostics.all()[0].kind, "nesting-limit");
  }
}

TEST(Robust, LongFilesTakeLinearTime) {
  survive("let v = f(" + repeated("a, ", 100000) + "a)\n");
  survive(repeated("let v = 1\n", 100000));
  survive(repeated("order o = seq(8) | pairs // c\n", 50000));
  survive("op f(x: f32) -> (y: f32) {\n" + repeated("a[t] = x\n", 50000) + "}\n");
  survive("op f(x: f32) -> (y: f32) {\n" + repeated("a[t = x\n", 50000) + "}\n");
  survive("let v = " + std::string(1 << 20, 'a') + " b\n");
  survive("//" + std::string(1 << 20, '/') + "\n\xFF");
}

TEST(Robust, AFileTooLargeIsRefused) {
  const Parsed parsed(std::string((16 << 20) + 1, '\n'));
  ASSERT_FALSE(parsed.ok);
  EXPECT_EQ(parsed.diagnostics.all()[0].kind, "file-too-large");
}

} // namespace
} // namespace ordo::dsl
