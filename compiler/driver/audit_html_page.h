// What the HTML pages are made of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ordo::compiler::driver {

/// Any bytes as HTML text, fit for element content and for attributes in double quotes. Bytes that
/// are no UTF-8 become U+FFFD. Characters that hide or reorder text (controls, bidirectional marks,
/// zero-width ones) are spelt out as [U+202E]: what a reviewer sees is what is there.
std::string htmlText(std::string_view text);

/// `<code>` around escaped text.
std::string htmlCode(std::string_view text);

/// A link within the page; `label` is HTML already.
std::string htmlLink(std::string_view anchor, std::string_view label);

/// Cells are HTML already. A column whose heading starts with '#' holds numbers or marks and stays
/// narrow. `ids`: anchors of the rows; may be empty.
std::string htmlTable(const std::vector<std::string> &headings,
                      const std::vector<std::vector<std::string>> &rows,
                      const std::vector<std::string> &ids = {});

/// The whole document. `body` is HTML already.
std::string htmlDocument(std::string_view title, std::string_view body);

/// The style sheet that htmlDocument puts in. Its classes have two letters or more: drawings of
/// orders use single letters.
std::string_view htmlStyle();

/// Sections numbered as they come, and the list of contents that goes before them.
class HtmlSections {
public:
  /// `body` is HTML already; `id` an anchor.
  void add(std::string_view id, std::string_view title, std::string_view body);
  std::string contents() const;
  const std::string &text() const { return text_; }

private:
  std::string text_;
  std::string contents_;
  int count_ = 0;
};

} // namespace ordo::compiler::driver
