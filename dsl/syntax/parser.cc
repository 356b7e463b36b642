#include "dsl/syntax/parser_impl.h"

#include <algorithm>

namespace ordo::dsl {

namespace {

constexpr std::size_t kErrorLimit = 20;                     // of one file
constexpr std::size_t kLargestFile = std::size_t{16} << 20; // bytes

bool opens(Tok kind) {
  return kind == Tok::LeftParen || kind == Tok::LeftBracket || kind == Tok::LeftBrace;
}

Tok closerKind(Tok opener) {
  return opener == Tok::LeftParen     ? Tok::RightParen
         : opener == Tok::LeftBracket ? Tok::RightBracket
                                      : Tok::RightBrace;
}

/// For each opening bracket the index of the one that closes it, 0 where none does. A `}` closes
/// its `{` over brackets left open inside.
std::vector<std::size_t> matchBrackets(const std::vector<Token> &tokens) {
  std::vector<std::size_t> closers(tokens.size(), 0), open;
  std::size_t braces = 0; // in `open`
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Tok kind = tokens[i].kind;
    if (opens(kind)) {
      open.push_back(i);
      braces += kind == Tok::LeftBrace;
    } else if (kind == Tok::RightBrace && braces > 0) {
      while (tokens[open.back()].kind != Tok::LeftBrace)
        open.pop_back();
      closers[open.back()] = i;
      open.pop_back();
      --braces;
    } else if (!open.empty() && kind != Tok::RightBrace &&
               kind == closerKind(tokens[open.back()].kind)) {
      closers[open.back()] = i;
      open.pop_back();
    }
  }
  return closers;
}

} // namespace

std::string quote(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  if (text.size() > kLongest)
    return "`" + std::string(text.substr(0, kLongest)) + "…`";
  return "`" + std::string(text) + "`";
}

Parser::Parser(std::uint32_t file, const SourceManager &sources, Diagnostics &diagnostics, Ast &out)
    : file_(file), source_(sources.file(file).text), diagnostics_(diagnostics), out_(out) {
  Lexed lexed = lex(file, sources, diagnostics);
  tokens_ = std::move(lexed.tokens);
  out_.comments = std::move(lexed.comments);
  isDoc_.assign(out_.comments.size(), false);
  closers_ = matchBrackets(tokens_);
}

void Parser::run() {
  try {
    moduleLine();
    while (!at(Tok::End)) {
      const std::size_t start = begin_ = at_;
      try {
        declaration();
      } catch (const Recover &) {
        skipToDeclaration(start, false);
      }
    }
  } catch (const GiveUp &) {
    // What was read stays; the rest is not looked at.
  }
  std::vector<Comment> kept;
  for (std::size_t i = 0; i < out_.comments.size(); ++i)
    if (!isDoc_[i])
      kept.push_back(std::move(out_.comments[i]));
  out_.comments = std::move(kept);
}

// --- Tokens

const Token &Parser::advance() {
  const Token &token = tokens_[at_];
  if (token.kind != Tok::End)
    ++at_;
  return token;
}

bool Parser::accept(Tok kind) {
  if (!at(kind))
    return false;
  advance();
  return true;
}

const Token &Parser::expect(Tok kind, const std::string &why, const Token *opener) {
  if (!at(kind))
    failExpected("`" + std::string(spelling(kind)) + "`", why, opener);
  return advance();
}

const Token &Parser::expectName(const std::string &what, const std::string &why) {
  const std::string_view word = spelling(tok().kind);
  if (!at(Tok::Name) && !word.empty() && word[0] >= 'a' && word[0] <= 'z' && !atNewLine())
    fail("reserved-name", spanOf(tok()),
         "expected " + what + (why.empty() ? "" : " " + why) + ", and " + quote(word) +
             " is a reserved word",
         "choose another name");
  if (!at(Tok::Name))
    failExpected(what, why);
  if (isReduction(textOf(tok())))
    fail("reserved-name", spanOf(tok()),
         quote(textOf(tok())) + " is a reduction and cannot be " + what, "choose another name");
  return advance();
}

std::string Parser::found() const {
  if (at(Tok::End))
    return "the end of the file";
  if (endedTooSoon())
    return "the end of the line";
  return quote(textOf(tok()));
}

// --- Errors and recovery

Diagnostic &Parser::report(Kind kind, Span span, std::string message) {
  if (diagnostics_.errorCount() > kErrorLimit)
    throw GiveUp{};
  return diagnostics_.error(kind, span, std::move(message));
}

void Parser::fail(Kind kind, Span span, std::string message, std::string help) {
  report(kind, span, std::move(message)).help = std::move(help);
  throw Recover{};
}

void Parser::failExpected(const std::string &what, const std::string &why, const Token *opener,
                          std::string help) {
  if (at(Tok::Error)) // the lexer has said it
    throw Recover{};
  const bool end = at(Tok::End);
  // What is missing at the end of a line or file is missing after its last token.
  Span span = spanOf(tok());
  if ((end || endedTooSoon()) && at_ > 0)
    span = {file_, tokens_[at_ - 1].end, tokens_[at_ - 1].end};
  std::string message = "expected " + what + (why.empty() ? "" : " " + why);
  message += end ? ", and the file ends here" : ", found " + found();
  Diagnostic &error =
      report(end ? Kind("unexpected-end") : Kind("expected-token"), span, std::move(message));
  if (opener != nullptr)
    error.labels.push_back(
        {spanOf(*opener),
         quote(textOf(*opener)) + (opens(opener->kind) ? " opens here" : " begins here")});
  error.help = std::move(help);
  throw Recover{};
}

bool Parser::startsDeclaration(std::size_t index) const {
  const auto kindAt = [&](std::size_t i) { return tokens_[std::min(i, tokens_.size() - 1)].kind; };
  switch (tokens_[index].kind) {
  case Tok::Module:
  case Tok::Use:
  case Tok::Op:
  case Tok::Fn:
  case Tok::Order:
  case Tok::Kernel:
    return true;
  case Tok::Name: {
    const std::string_view text = textOf(tokens_[index]);
    return (text == "view" || text == "profile" || text == "target" || text == "forbid") &&
           kindAt(index + 1) == Tok::Name;
  }
  default:
    return false;
  }
}

bool Parser::startsDefinition(std::size_t index) const {
  std::size_t next = index + 1;
  if (tokens_[index].kind != Tok::Name)
    return false;
  if (tokens_[next].kind == Tok::LeftBracket) {
    if (closerOf(next) == 0)
      return false;
    next = closerOf(next) + 1;
  }
  return tokens_[next].kind == Tok::Assign || tokens_[next].kind == Tok::Update;
}

bool Parser::startsStatement(std::size_t index) const {
  switch (tokens_[index].kind) {
  case Tok::Let:
  case Tok::Require:
  case Tok::Assume:
  case Tok::For:
    return true;
  case Tok::LeftParen:
    return closerOf(index) != 0 && tokens_[closerOf(index) + 1].kind == Tok::Assign;
  default:
    return startsDefinition(index);
  }
}

/// From what failed, begun at `start`, to the next line that begins a statement or a declaration,
/// or to the `}` of this block. Whole brackets are stepped over, so that the inside of a construct
/// that was refused is not read as statements.
void Parser::skipToStatement(std::size_t start) {
  for (bool moved = at_ != start; !at(Tok::End) && !at(Tok::RightBrace); moved = true) {
    if (moved && tok().newlineBefore && (startsStatement(at_) || startsDeclaration(at_)))
      return;
    if (moved && (atWord("next", Tok::LeftParen) || atWord("yield", Tok::LeftParen)) &&
        tok().newlineBefore)
      return;
    if (opens(tok().kind) && closerOf(at_) != 0)
      at_ = closerOf(at_);
    advance();
  }
}

/// From what failed, begun at `start`, to the next line that begins a declaration. With
/// `stopAtBody`, also to the `{` of the current one.
void Parser::skipToDeclaration(std::size_t start, bool stopAtBody) {
  while (!at(Tok::End)) {
    if (at_ != start && tok().newlineBefore && (startsDeclaration(at_) || at(Tok::Let)))
      return;
    if (at(Tok::LeftBrace)) {
      if (stopAtBody)
        return;
      if (closerOf(at_) != 0)
        at_ = closerOf(at_);
    }
    advance();
  }
}

// --- Nodes

NodeId Parser::make(NodeKind kind, Span span, Span nameSpan, std::string text,
                    std::vector<NodeId> kids) {
  int height = 0;
  for (const NodeId kid : kids)
    if (kid != kNoNode)
      height = std::max<int>(height, heights_[kid]);
  if (++height > kHeightLimit)
    fail("nesting-limit", span,
         "more than " + std::to_string(kHeightLimit) + " operations inside one another",
         "give parts of it names of their own");
  heights_.push_back(static_cast<std::uint16_t>(height));
  Node made;
  made.kind = kind;
  made.span = span;
  made.nameSpan = nameSpan;
  made.text = std::move(text);
  made.kids = std::move(kids);
  out_.nodes.push_back(std::move(made));
  return static_cast<NodeId>(out_.nodes.size() - 1);
}

Parser::Nest::Nest(Parser &parser) : parser_(parser) {
  if (++parser.nesting_ <= kNestingLimit)
    return;
  --parser.nesting_; // the destructor of an object that was not made does not run
  parser.fail("nesting-limit", parser.spanOf(parser.tok()),
              "more than " + std::to_string(kNestingLimit) + " levels inside one another",
              "give parts of it names of their own");
}

namespace {

/// Hands on what the lexer and the parser found, in the order of the text, up to the limit.
void handOn(const Diagnostics &from, Diagnostics &to) {
  std::vector<const Diagnostic *> errors;
  for (const Diagnostic &error : from.all())
    errors.push_back(&error);
  std::sort(errors.begin(), errors.end(), [](const Diagnostic *a, const Diagnostic *b) {
    return a->span.begin != b->span.begin ? a->span.begin < b->span.begin : a < b;
  });
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (i == kErrorLimit) {
      to.error("too-many-errors", errors[i]->span,
               "more than " + std::to_string(kErrorLimit) +
                   " syntax errors; the rest of the file is not reported");
      return;
    }
    Diagnostic &error = to.error(errors[i]->kind, errors[i]->span, errors[i]->message);
    error.labels = errors[i]->labels;
    error.help = errors[i]->help;
  }
}

} // namespace

bool parse(std::uint32_t file, const SourceManager &sources, Diagnostics &diagnostics, Ast &out) {
  out = Ast{};
  out.file = file;
  if (sources.file(file).text.size() > kLargestFile) {
    diagnostics.error("file-too-large", {file, 0, 0}, "a module of more than 16 MiB");
    return false;
  }
  Diagnostics found(sources);
  Parser(file, sources, found, out).run();
  handOn(found, diagnostics);
  return !found.hasErrors();
}

} // namespace ordo::dsl
