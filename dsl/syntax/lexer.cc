#include "dsl/syntax/lexer.h"

#include "dsl/syntax/utf8.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace ordo::dsl {

namespace {

struct Spelt {
  std::string_view text;
  Tok kind;
};

constexpr Spelt kWords[] = {
    {"module", Tok::Module}, {"use", Tok::Use},         {"op", Tok::Op},
    {"fn", Tok::Fn},         {"order", Tok::Order},     {"let", Tok::Let},
    {"kernel", Tok::Kernel}, {"require", Tok::Require}, {"assume", Tok::Assume},
    {"for", Tok::For},       {"if", Tok::If},           {"then", Tok::Then},
    {"else", Tok::Else},     {"where", Tok::Where},     {"by", Tok::By},
    {"in", Tok::In},         {"and", Tok::And},         {"or", Tok::Or},
    {"not", Tok::Not},       {"true", Tok::True},       {"false", Tok::False},
    {"inf", Tok::Inf},
};

// Longer marks first: the first that matches wins.
constexpr Spelt kMarks[] = {
    {"->", Tok::Arrow},      {":=", Tok::Update},       {"<<", Tok::ShiftLeft},
    {">>", Tok::ShiftRight}, {"==", Tok::Equal},        {"!=", Tok::NotEqual},
    {"<=", Tok::LessEqual},  {">=", Tok::GreaterEqual}, {"(", Tok::LeftParen},
    {")", Tok::RightParen},  {"[", Tok::LeftBracket},   {"]", Tok::RightBracket},
    {"{", Tok::LeftBrace},   {"}", Tok::RightBrace},    {",", Tok::Comma},
    {".", Tok::Dot},         {":", Tok::Colon},         {"=", Tok::Assign},
    {"+", Tok::Plus},        {"-", Tok::Minus},         {"*", Tok::Star},
    {"/", Tok::Slash},       {"%", Tok::Percent},       {"&", Tok::Amp},
    {"|", Tok::Pipe},        {"^", Tok::Caret},         {"~", Tok::Tilde},
    {"<", Tok::Less},        {">", Tok::Greater},
};

/// What people write from other languages, and what to write here.
struct Foreign {
  std::string_view text;
  std::string_view help;
};
constexpr Foreign kForeign[] = {
    {"/*", "a comment starts with // and ends with its line"},
    {"&&", "write `and`"},
    {"||", "write `or`"},
    {"**", "write the product out: x * x"},
    {"!", "write `not`"},
    {"?", "write `if c then a else b`"},
    {"#", "a comment starts with //"},
    {"\"", "there are no strings"},
};

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isHex(char c) { return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool isNameStart(char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool isNamePart(char c) { return isNameStart(c) || isDigit(c); }

class Lexer {
public:
  Lexer(std::uint32_t file, std::string_view text, Diagnostics &diagnostics)
      : file_(file), text_(text), diagnostics_(diagnostics) {}

  Lexed run() {
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") // a byte order mark says nothing in UTF-8
      at_ = 3;
    while (at_ < text_.size())
      next();
    push(Tok::End, at_);
    return std::move(out_);
  }

private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  Span span(std::size_t begin) const {
    return {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)};
  }

  void push(Tok kind, std::size_t begin) {
    out_.tokens.push_back({kind, newlines_ > 0 || out_.tokens.empty(), newlines_ > 1,
                           static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)});
    newlines_ = 0;
  }

  void next() {
    const char c = peek();
    if (c == '\n') {
      ++newlines_;
      lineHasToken_ = false;
      ++at_;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++at_;
    } else if (c == '/' && peek(1) == '/') {
      comment();
    } else if (isNameStart(c)) {
      const std::size_t begin = at_;
      while (isNamePart(peek()))
        ++at_;
      const std::string_view word = text_.substr(begin, at_ - begin);
      const auto *found = std::find_if(std::begin(kWords), std::end(kWords),
                                       [&](const Spelt &w) { return w.text == word; });
      push(found == std::end(kWords) ? Tok::Name : found->kind, begin);
      lineHasToken_ = true;
    } else if (isDigit(c) || (c == '.' && isDigit(peek(1)))) {
      number();
      lineHasToken_ = true;
    } else {
      mark();
      lineHasToken_ = true;
    }
  }

  void comment() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && peek() != '\n') {
      const Decoded c = decodeUtf8(text_.substr(at_));
      if (c.length == 0)
        badBytes();
      else
        at_ += c.length;
    }
    std::string text(text_.substr(begin, at_ - begin));
    text.erase(text.find_last_not_of(" \t\r") + 1);
    out_.comments.push_back({span(begin), std::move(text), !lineHasToken_, newlines_ > 1});
    if (!lineHasToken_)
      newlines_ = 0; // a blank line above the comment is the comment's own
  }

  /// A run of bytes that are not UTF-8, reported once for the file.
  void badBytes() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && decodeUtf8(text_.substr(at_)).length == 0)
      ++at_;
    if (reportedBytes_)
      return;
    reportedBytes_ = true;
    const std::string_view head = text_.substr(0, 2);
    const bool utf16 = head == "\xFF\xFE" || head == "\xFE\xFF";
    report("invalid-utf8", begin, "the file is not UTF-8 here").help =
        utf16 ? "the file begins like UTF-16; save it as UTF-8"
              : "save the file as UTF-8; other bytes in the file may be wrong as well";
  }

  /// Past a limit reports go nowhere: in random bytes there would be millions.
  Diagnostic &report(Kind kind, std::size_t begin, std::string message) {
    constexpr std::size_t kLimit = 100;
    if (diagnostics_.errorCount() < kLimit)
      return diagnostics_.error(kind, span(begin), std::move(message));
    unreported_ = {};
    return unreported_;
  }

  void number();
  void digits(bool hex) {
    while (hex ? isHex(peek()) : isDigit(peek()))
      ++at_;
  }
  void badNumber(std::size_t begin, const std::string &message, std::string help) {
    report("bad-number", begin, message).help = std::move(help);
  }

  void mark() {
    const std::size_t begin = at_;
    const std::string_view rest = text_.substr(at_);
    for (const Foreign &foreign : kForeign) {
      if (rest.substr(0, foreign.text.size()) != foreign.text || rest.substr(0, 2) == "!=")
        continue;
      at_ += foreign.text.size();
      report("unexpected-character", begin,
             "`" + std::string(foreign.text) + "` means nothing in Ordo")
          .help = foreign.help;
      if (foreign.text == "#" || foreign.text == "/*" || foreign.text == "\"") // prose follows
        at_ = std::min(text_.find('\n', at_), text_.size());
      push(Tok::Error, begin);
      return;
    }
    for (const Spelt &mark : kMarks) {
      if (rest.substr(0, mark.text.size()) == mark.text) {
        at_ += mark.text.size();
        push(mark.kind, begin);
        return;
      }
    }
    unknownCharacters();
  }

  void unknownCharacters() {
    const std::size_t begin = at_;
    const Decoded c = decodeUtf8(text_.substr(at_));
    if (c.length == 0) {
      badBytes();
      push(Tok::Error, begin);
      return;
    }
    at_ += c.length;
    if (c.codePoint == ';') {
      report("unexpected-character", begin, "`;` means nothing in Ordo").help =
          "a statement ends with its line";
      ++newlines_; // what follows is read as if on a line of its own
      return;
    }
    const std::string shown = std::string(text_.substr(begin, c.length));
    Diagnostic &error =
        report("unexpected-character", begin, "`" + shown + "` means nothing in Ordo");
    if (c.codePoint >= 0x80)
      error.help =
          "names are letters, digits and _ of ASCII; other characters stand only in comments";
    else if (c.codePoint < 0x20 || c.codePoint == 0x7F)
      error.message = "a control character stands here";
    // One report for a run of such characters.
    while (at_ < text_.size() && static_cast<unsigned char>(peek()) >= 0x80) {
      const Decoded more = decodeUtf8(text_.substr(at_));
      if (more.length == 0)
        break;
      at_ += more.length;
    }
    push(Tok::Error, begin);
  }

  std::uint32_t file_;
  std::string_view text_;
  Diagnostics &diagnostics_;
  Lexed out_;
  std::size_t at_ = 0;
  int newlines_ = 0;
  bool lineHasToken_ = false;
  bool reportedBytes_ = false;
  Diagnostic unreported_;
};

/// 42, 0xCD9E, 1.0, 1e-6, 1.5e3, 0x1.8p23. Always gives a Number, so that a bad one costs one
/// error.
void Lexer::number() {
  constexpr std::size_t kLongest = 1000; // characters
  constexpr std::size_t kLongestExponent =
      5; // digits: past every format, short enough to compute with
  const std::size_t begin = at_;
  const bool hex = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
  if (hex)
    at_ += 2;
  const std::size_t whole = at_;
  digits(hex);
  const bool noWhole = at_ == whole;
  bool fraction = false, noFraction = false, noExponent = false;
  if (peek() == '.') {
    fraction = true;
    ++at_;
    const std::size_t start = at_;
    digits(hex);
    noFraction = at_ == start;
  }
  const char mark = peek();
  const bool exponent = hex ? mark == 'p' || mark == 'P' : mark == 'e' || mark == 'E';
  std::size_t exponentDigits = 0;
  if (exponent) {
    ++at_;
    if (peek() == '+' || peek() == '-')
      ++at_;
    const std::size_t start = at_;
    digits(false);
    exponentDigits = at_ - start;
    noExponent = exponentDigits == 0;
  }
  const std::size_t suffix = at_;
  while (isNamePart(peek()))
    ++at_;
  const std::string text(text_.substr(begin, std::min<std::size_t>(at_ - begin, 40)));
  const std::string quoted = "`" + text + (at_ - begin > 40 ? "…" : "") + "`";
  const std::string bad = quoted + " is not a number";
  if (at_ - begin > kLongest)
    badNumber(begin, "a number of more than 1000 characters", "write fewer digits, or an exponent");
  else if (at_ > suffix)
    badNumber(begin, bad,
              "a number has no suffix: its type comes from the context, or from a cast");
  else if (noWhole)
    badNumber(begin, bad, hex ? "write digits after 0x" : "write 0" + text);
  else if (noFraction)
    badNumber(begin, bad,
              "write a digit after the point: " + text.substr(0, text.find('.')) + ".0");
  else if (noExponent)
    badNumber(begin, bad, "write the exponent's digits");
  else if (hex && fraction && !exponent)
    badNumber(begin, bad, "a hexadecimal fraction needs its exponent: " + text + "p0");
  else if (exponentDigits > kLongestExponent)
    badNumber(begin, "the exponent of " + quoted + " is out of every type's range",
              "write `inf` or 0.0 if that is meant");
  push(Tok::Number, begin);
}

} // namespace

std::string_view spelling(Tok kind) {
  for (const Spelt &word : kWords)
    if (word.kind == kind)
      return word.text;
  for (const Spelt &mark : kMarks)
    if (mark.kind == kind)
      return mark.text;
  return "";
}

std::vector<std::string_view> reservedWords() {
  std::vector<std::string_view> words;
  for (const Spelt &word : kWords)
    words.push_back(word.text);
  return words;
}

std::vector<std::string_view> contextualWords() {
  return {"argmax",   "ascending", "at",    "atom",    "bool",   "count",  "descending", "disjoint",
          "distinct", "dot",       "first", "fold",    "forall", "forbid", "from",       "inout",
          "iterate",  "last",      "max",   "max_nan", "merge",  "min",    "min_nan",    "NaN",
          "next",     "of",        "over",  "profile", "ranks",  "scan",   "sum",        "target",
          "top",      "type",      "view",  "yield"};
}

Lexed lex(std::uint32_t file, const SourceManager &sources, Diagnostics &diagnostics) {
  return Lexer(file, sources.file(file).text, diagnostics).run();
}

} // namespace ordo::dsl
