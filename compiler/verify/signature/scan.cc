#include "compiler/verify/signature/scan.h"

#include <fmt/format.h>
#include <string_view>

namespace ordo::verify {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool startsName(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// How long the word at the head of `text` is; 0: none begins there.
std::size_t lengthOfWord(std::string_view text, LaunchToken::Kind &kind) {
  const auto while_ = [&](auto holds) {
    std::size_t n = 0;
    while (n < text.size() && holds(text[n]))
      ++n;
    return n;
  };
  if (startsName(text[0])) {
    kind = LaunchToken::Kind::Name;
    return while_([](char c) { return startsName(c) || isDigit(c); });
  }
  if (isDigit(text[0])) {
    kind = LaunchToken::Kind::Number;
    return while_([](char c) { return startsName(c) || isDigit(c); });
  }
  kind = LaunchToken::Kind::Mark;
  if (text.starts_with("<=") || text.starts_with(">="))
    return 2;
  return std::string_view(":,;[]()+-*/").find(text[0]) == std::string_view::npos ? 0 : 1;
}

} // namespace

std::vector<LaunchToken> scanLaunch(std::uint32_t file, const dsl::SourceManager &sources,
                                    dsl::Diagnostics &diagnostics) {
  const std::string_view text = sources.file(file).text;
  std::vector<LaunchToken> all;
  std::size_t at = 0;
  const auto span = [&](std::size_t length) {
    return dsl::Span{file, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + length)};
  };
  while ((at = std::min(text.find_first_not_of(" \t\r\n", at), text.size())) < text.size()) {
    LaunchToken::Kind kind{};
    const std::size_t length = lengthOfWord(text.substr(at), kind);
    if (length == 0) {
      diagnostics.error("unexpected-character", span(1), "no part of a signature begins like this");
      break;
    }
    all.push_back({kind, std::string(text.substr(at, length)), span(length)});
    at += length;
  }
  all.push_back({LaunchToken::Kind::End, "", span(0)});
  return all;
}

} // namespace ordo::verify
