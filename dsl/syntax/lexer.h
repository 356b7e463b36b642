// Characters to tokens and comments.
#pragma once

#include "dsl/syntax/ast.h"
#include "dsl/syntax/diagnostic.h"

#include <string_view>
#include <vector>

namespace ordo::dsl {

enum class Tok : std::uint8_t {
  End,
  Error, // a character that starts no token; reported by the lexer, so the parser stays silent
  Name,
  Number,
  // Reserved words
  Module,
  Use,
  Op,
  Fn,
  Order,
  Let,
  Kernel,
  Require,
  Assume,
  For,
  If,
  Then,
  Else,
  Where,
  By,
  In,
  And,
  Or,
  Not,
  True,
  False,
  Inf,
  // Marks
  LeftParen,
  RightParen,
  LeftBracket,
  RightBracket,
  LeftBrace,
  RightBrace,
  Comma,
  Dot,
  Colon,
  Arrow,
  Assign,
  Update, // Update is `:=`
  Plus,
  Minus,
  Star,
  Slash,
  Percent,
  Amp,
  Pipe,
  Caret,
  Tilde,
  ShiftLeft,
  ShiftRight,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
};

/// The reserved word or mark as written, without quotes; "" for the others.
std::string_view spelling(Tok kind);

/// The reserved words, in no order.
std::vector<std::string_view> reservedWords();
/// Words that the parser knows by where they stand; elsewhere they are names.
std::vector<std::string_view> contextualWords();

struct Token {
  Tok kind = Tok::End;
  bool newlineBefore = false; // first on its line
  bool blankBefore = false;   // and a blank line stands above
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

struct Lexed {
  std::vector<Token> tokens; // the last one is End
  std::vector<Comment> comments;
};

/// Never fails: what cannot be read is reported (the first hundred) and becomes an Error token.
Lexed lex(std::uint32_t file, const SourceManager &sources, Diagnostics &diagnostics);

} // namespace ordo::dsl
