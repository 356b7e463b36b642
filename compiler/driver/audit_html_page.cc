#include "compiler/driver/audit_html_page.h"

#include <cstdint>
#include <fmt/core.h>
#include <optional>

namespace ordo::compiler::driver {

namespace {

struct Character {
  std::uint32_t code;
  std::size_t size; // bytes
};

/// The character at the start of `text`; nothing where the bytes are no UTF-8 (overlong forms,
/// surrogates and what lies past U+10FFFF included).
std::optional<Character> firstCharacter(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80)
    return Character{byte(0), 1};
  const std::size_t size = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < size)
    return std::nullopt;
  std::uint32_t code = byte(0) & (0x7fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80)
      return std::nullopt;
    code = code << 6 | (byte(i) & 0x3fu);
  }
  const std::uint32_t least = size == 4 ? 0x10000 : size == 3 ? 0x800 : 0x80;
  if (code < least || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
    return std::nullopt;
  return Character{code, size};
}

/// Characters that a page would not show, or that make it show others elsewhere.
bool hides(std::uint32_t code) {
  if (code == '\t' || code == '\n')
    return false;
  return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == 0xad || code == 0x61c ||
         code == 0x180e || (code >= 0x200b && code <= 0x200f) ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) ||
         code == 0xfeff || (code >= 0xfff9 && code <= 0xfffb) || (code & 0xfffe) == 0xfffe ||
         (code >= 0xe0000 && code <= 0xe007f);
}

void append(std::string &out, std::uint32_t code, std::string_view bytes) {
  switch (code) {
  case '&':
    out += "&amp;";
    return;
  case '<':
    out += "&lt;";
    return;
  case '>':
    out += "&gt;";
    return;
  case '"':
    out += "&quot;";
    return;
  case '\'':
    out += "&#39;";
    return;
  default:
    if (hides(code))
      out += fmt::format("[U+{:04X}]", code);
    else
      out += bytes;
  }
}

} // namespace

std::string htmlText(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  while (!text.empty()) {
    const std::optional<Character> character = firstCharacter(text);
    const std::size_t size = character ? character->size : 1;
    if (character)
      append(out, character->code, text.substr(0, size));
    else
      out += "\xef\xbf\xbd";
    text.remove_prefix(size);
  }
  return out;
}

std::string htmlCode(std::string_view text) {
  return fmt::format("<code>{}</code>", htmlText(text));
}

std::string htmlLink(std::string_view anchor, std::string_view label) {
  return fmt::format("<a href=\"#{}\">{}</a>", htmlText(anchor), label);
}

std::string htmlTable(const std::vector<std::string> &headings,
                      const std::vector<std::vector<std::string>> &rows,
                      const std::vector<std::string> &ids) {
  std::string text = "<div class=\"wide\"><table>\n<thead><tr>";
  std::vector<std::string> classes;
  for (const std::string &heading : headings) {
    const bool isNarrow = heading.starts_with("#");
    classes.push_back(isNarrow ? " class=\"narrow\"" : "");
    text += fmt::format("<th scope=\"col\"{}>{}</th>", classes.back(),
                        htmlText(std::string_view(heading).substr(isNarrow ? 1 : 0)));
  }
  text += "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += i < ids.size() ? fmt::format("<tr id=\"{}\">", htmlText(ids[i])) : "<tr>";
    for (std::size_t cell = 0; cell < rows[i].size(); ++cell)
      text += fmt::format("<td{}>{}</td>", classes[cell], rows[i][cell]);
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string htmlDocument(std::string_view title, std::string_view body) {
  // The policy makes the page's promise binding: a browser that honours it loads and runs nothing.
  return fmt::format(R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{}</title>
<style>
{}</style>
</head>
<body>
<main>
{}</main>
</body>
</html>
)",
                     htmlText(title), htmlStyle(), body);
}

void HtmlSections::add(std::string_view id, std::string_view title, std::string_view body) {
  ++count_;
  const std::string number = fmt::format("<span class=\"number\">{}</span>", count_);
  contents_ += htmlLink(id, number + " " + htmlText(title)) + "\n";
  text_ += fmt::format("<section id=\"{}\">\n<h2>{} {}</h2>\n{}</section>\n", htmlText(id), number,
                       htmlText(title), body);
}

std::string HtmlSections::contents() const {
  return fmt::format("<nav aria-label=\"Contents\">\n{}</nav>\n", contents_);
}

} // namespace ordo::compiler::driver
