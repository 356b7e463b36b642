#include "compiler/driver/audit_html_page.h"

#include <cctype>
#include <gtest/gtest.h>

namespace ordo::compiler::driver {
namespace {

TEST(HtmlText, MarkupIsText) {
  EXPECT_EQ(htmlText("<b a=\"1\" c='2'> & &lt;"),
            "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt; &amp; &amp;lt;");
  EXPECT_EQ(htmlText("├─ ⊕ 𝄞 ü\n\t"), "├─ ⊕ 𝄞 ü\n\t");
}

TEST(HtmlText, WhatHidesOrReordersIsSpeltOut) {
  EXPECT_EQ(htmlText("a\u202eb"), "a[U+202E]b");
  EXPECT_EQ(htmlText("\u2066\u200b\ufeff\u00ad"), "[U+2066][U+200B][U+FEFF][U+00AD]");
  EXPECT_EQ(htmlText(std::string_view("\0\r\x7f", 3)), "[U+0000][U+000D][U+007F]");
  EXPECT_EQ(htmlText("\u0085\U000e0041\ufffe"), "[U+0085][U+E0041][U+FFFE]");
}

TEST(HtmlText, BytesThatAreNoUtf8AreReplacedOneByOne) {
  const std::string replacement = "\ufffd";
  EXPECT_EQ(htmlText("\xff<"), replacement + "&lt;");
  EXPECT_EQ(htmlText("\xc3"), replacement);                             // cut short
  EXPECT_EQ(htmlText("\xe2\x82<"), replacement + replacement + "&lt;"); // the same
  EXPECT_EQ(htmlText("\xc0\xbc"), replacement + replacement);           // overlong '<'
  EXPECT_EQ(htmlText("\xe0\x80\xbc"), replacement + replacement + replacement);
  EXPECT_EQ(htmlText("\xed\xa0\x80"), replacement + replacement + replacement); // a surrogate
  EXPECT_EQ(htmlText("\xf4\x90\x80\x80").size(), 4 * replacement.size());       // past U+10FFFF
  EXPECT_EQ(htmlText("\x80z"), replacement + "z");
}

TEST(HtmlTable, HeadingsAreEscapedAndNarrowOnesSay) {
  EXPECT_EQ(htmlTable({"#", "<i>"}, {{"1", "<b>x</b>"}}, {"row-1"}),
            "<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\" class=\"narrow\"></th>"
            "<th scope=\"col\">&lt;i&gt;</th></tr></thead>\n<tbody>\n"
            "<tr id=\"row-1\"><td class=\"narrow\">1</td><td><b>x</b></td></tr>\n"
            "</tbody></table></div>\n");
}

TEST(HtmlSections, AreNumberedAndListed) {
  HtmlSections sections;
  sections.add("one", "First & last", "<p>a</p>");
  sections.add("two", "Second", "<p>b</p>");
  EXPECT_NE(sections.contents().find("href=\"#two\"><span class=\"number\">2</span> Second"),
            std::string::npos);
  EXPECT_NE(sections.text().find("<section id=\"one\">\n<h2><span class=\"number\">1</span> First "
                                 "&amp; last</h2>\n<p>a</p></section>"),
            std::string::npos);
}

TEST(HtmlDocument, TitleIsEscaped) {
  EXPECT_NE(
      htmlDocument("</title><script>", "").find("<title>&lt;/title&gt;&lt;script&gt;</title>"),
      std::string::npos);
}

/// Drawings of orders bring their own style sheet with classes of one letter.
TEST(HtmlStyle, LeavesSingleLetterClassesAlone) {
  const std::string_view style = htmlStyle();
  for (std::size_t at = style.find('.'); at != style.npos; at = style.find('.', at + 1)) {
    const bool isClass = at + 1 < style.size() && std::isalpha(style[at + 1]) != 0;
    EXPECT_FALSE(isClass && at + 2 < style.size() && std::isalnum(style[at + 2]) == 0 &&
                 style[at + 2] != '-')
        << style.substr(at, 12);
  }
}

} // namespace
} // namespace ordo::compiler::driver
