#include "compiler/verify/ptx/lexer.h"

#include "compiler/verify/ptx/syntax.h"

#include <fmt/format.h>

namespace ordo::verify::ptx {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isAlpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool startsWord(char c) { return isAlpha(c) || c == '_' || c == '$' || c == '%'; }
bool continuesWord(char c) { return startsWord(c) || isDigit(c); }

class Lexer {
public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    std::vector<Token> all;
    while (skipBlank())
      all.push_back(next());
    all.push_back({Token::Kind::End, "", line_});
    return all;
  }

private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  /// Spaces and comments; false at the end.
  bool skipBlank() {
    while (at_ < text_.size()) {
      const char c = peek();
      if (c == '\n')
        ++line_;
      if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
        ++at_;
      } else if (c == '/' && peek(1) == '/') {
        while (at_ < text_.size() && peek() != '\n')
          ++at_;
      } else if (c == '/' && peek(1) == '*') {
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos)
          throw ReadError(line_, "a comment that does not end");
        for (; at_ < end + 2; ++at_)
          line_ += peek() == '\n';
      } else {
        return true;
      }
    }
    return false;
  }

  Token next() {
    const std::size_t begin = at_;
    const char c = peek();
    if (startsWord(c)) {
      takeWord();
      return token(Token::Kind::Word, begin);
    }
    if (isDigit(c)) {
      while (continuesWord(peek()))
        ++at_;
      return token(Token::Kind::Number, begin);
    }
    if (c == '.' && isAlpha(peek(1))) {
      ++at_;
      takeWord();
      return token(Token::Kind::Dot, begin + 1);
    }
    if (c == '"') {
      for (++at_; peek() != '"'; ++at_)
        if (at_ >= text_.size() || peek() == '\n')
          throw ReadError(line_, "a string that does not end");
      ++at_;
      return token(Token::Kind::String, begin);
    }
    ++at_;
    return token(Token::Kind::Mark, begin);
  }

  /// Letters and digits, with dots and `::` inside: ld.global.L1::evict_last.u32.
  void takeWord() {
    while (true) {
      while (continuesWord(peek()))
        ++at_;
      if (peek() == '.' && continuesWord(peek(1)))
        at_ += 1;
      else if (peek() == ':' && peek(1) == ':' && continuesWord(peek(2)))
        at_ += 2;
      else
        return;
    }
  }

  Token token(Token::Kind kind, std::size_t begin) const {
    return {kind, text_.substr(begin, at_ - begin), line_};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
};

} // namespace

std::vector<Token> tokens(std::string_view text) { return Lexer(text).run(); }

} // namespace ordo::verify::ptx
