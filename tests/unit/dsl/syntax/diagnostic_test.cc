#include "dsl/syntax/diagnostic.h"

#include <gtest/gtest.h>

namespace ordo::dsl {
namespace {

std::string render(std::string text, std::uint32_t begin, std::uint32_t end) {
  SourceManager sources;
  const std::uint32_t file = sources.add("dir/a.ordo", std::move(text));
  Diagnostics diagnostics(sources);
  diagnostics.error("shadowing", {file, begin, end}, "it is wrong");
  return diagnostics.renderAll();
}

TEST(Diagnostic, ShowsPlaceLineCaretLabelsAndHelp) {
  SourceManager sources;
  const std::uint32_t file = sources.add("a.ordo", "let a = 1\nlet b = aa + 1\n");
  Diagnostics diagnostics(sources);
  Diagnostic &error = diagnostics.error("unknown-name", {file, 18, 20}, "no `aa` here");
  error.labels.push_back({{file, 4, 5}, "`a` is declared here"});
  error.help = "did you mean `a`?";
  EXPECT_EQ(diagnostics.renderAll(), "a.ordo:2:9: error: no `aa` here [unknown-name]\n"
                                     "    2 | let b = aa + 1\n"
                                     "      |         ^~\n"
                                     "a.ordo:1:5: note: `a` is declared here\n"
                                     "    1 | let a = 1\n"
                                     "      |     ~\n"
                                     "help: did you mean `a`?\n");
}

TEST(Diagnostic, CountsErrorsNotWarnings) {
  SourceManager sources;
  const std::uint32_t file = sources.add("a.ordo", "x\n");
  Diagnostics diagnostics(sources);
  diagnostics.warning("unused-parameter", {file, 0, 1}, "odd");
  EXPECT_FALSE(diagnostics.hasErrors());
  EXPECT_NE(diagnostics.renderAll().find("a.ordo:1:1: warning: odd [unused-parameter]"),
            std::string::npos);
  diagnostics.error("bad-order", {file, 0, 1}, "bad");
  EXPECT_EQ(diagnostics.errorCount(), 1u);
  EXPECT_EQ(diagnostics.all().size(), 2u);
}

TEST(Diagnostic, AlignsUnderTabsAndWideCharacters) {
  // A tab reaches the next multiple of four; 漢 takes two columns on screen and one in the count.
  EXPECT_EQ(render("\tx\t\xE6\xBC\xA2 yy\n", 7, 9),
            "dir/a.ordo:1:6: error: it is wrong [shadowing]\n"
            "    1 |     x   \xE6\xBC\xA2 yy\n"
            "      |            ^~\n");
  // e and a combining accent: one column on screen.
  EXPECT_EQ(render("e\xCC\x81 y\n", 4, 5), "dir/a.ordo:1:4: error: it is wrong [shadowing]\n"
                                           "    1 | e\xCC\x81 y\n"
                                           "      |   ^\n");
}

TEST(Diagnostic, ShowsBytesThatAreNoTextSafely) {
  EXPECT_EQ(render("a\xFF\x1B[31m b\n", 8, 9), "dir/a.ordo:1:9: error: it is wrong [shadowing]\n"
                                               "    1 | a<FF><1B>[31m b\n"
                                               "      |               ^\n");
  const std::string bidi = render("a \xE2\x80\xAE b\n", 0, 1); // right-to-left override
  EXPECT_NE(bidi.find("a <U+202E> b"), std::string::npos) << bidi;
  SourceManager sources;
  Diagnostics diagnostics(sources);
  diagnostics.error("missing-file", {7, 0, 0}, "a \x1B[2J file"); // no such file: no place
  EXPECT_EQ(diagnostics.renderAll(), "error: a <1B>[2J file [missing-file]\n");
}

TEST(Diagnostic, MarksEndsOfLinesAndFiles) {
  EXPECT_EQ(render("ab\ncd", 2, 2), "dir/a.ordo:1:3: error: it is wrong [shadowing]\n"
                                    "    1 | ab\n"
                                    "      |   ^\n");
  EXPECT_EQ(render("ab\ncd", 1, 5), "dir/a.ordo:1:2: error: it is wrong [shadowing]\n"
                                    "    1 | ab\n"
                                    "      |  ^\n");
  EXPECT_EQ(render("", 0, 0), "dir/a.ordo:1:1: error: it is wrong [shadowing]\n"
                              "    1 | \n"
                              "      | ^\n");
}

TEST(Diagnostic, ShowsAWindowOfAVeryLongLine) {
  const std::string line(1 << 20, 'x');
  const std::string out = render(line + "Y" + line + "\n", 1 << 20, (1 << 20) + 1);
  EXPECT_LT(out.size(), 600u);
  const std::size_t y = out.find('Y'), caret = out.find('^');
  ASSERT_NE(y, std::string::npos);
  ASSERT_NE(caret, std::string::npos);
  // Each on its own line, in the same column; "…" is three bytes and one column.
  const std::size_t lineStart = out.rfind('\n', y), caretStart = out.rfind('\n', caret);
  EXPECT_EQ(y - lineStart - 2, caret - caretStart);
}

TEST(Diagnostic, SuggestsTheNearestName) {
  EXPECT_EQ(didYouMean("halfs", {"seq", "halves", "pairs"}), "");
  EXPECT_EQ(didYouMean("halvs", {"seq", "halves", "pairs"}), "halves");
  EXPECT_EQ(didYouMean("kernal", {"op", "kernel"}), "kernel");
  EXPECT_EQ(didYouMean("sq", {"seq", "mid"}), "seq");
  EXPECT_EQ(didYouMean("rwo", {"red", "row"}), "row"); // a swap is one edit
  EXPECT_EQ(didYouMean("wor", {"row"}), "");           // and these are no neighbours
  EXPECT_EQ(didYouMean("kerenl", {"kernel"}), "kernel");
  EXPECT_EQ(didYouMean("abcd", {"badc"}), ""); // two swaps, two edits
  EXPECT_EQ(didYouMean("ab", {"ba"}), "ba");
  EXPECT_EQ(didYouMean("h", {"t", "H"}), ""); // every letter is a letter away from every other
  EXPECT_EQ(didYouMean("", {"a"}), "");
  EXPECT_EQ(didYouMean(std::string(100000, 'a'), {std::string(100000, 'b')}), "");
}

} // namespace
} // namespace ordo::dsl
