// The recursive-descent parser; its members are spread over parser.cc (tokens, errors, recovery),
// parse_decl.cc, parse_profile.cc, parse_block.cc, parse_stmt.cc, parse_expr.cc and parse_order.cc.
#pragma once

#include "dsl/syntax/lexer.h"
#include "dsl/syntax/parser.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace ordo::dsl {

/// Thrown after an error was reported, caught where parsing can go on.
struct Recover {};
/// Thrown when there were too many errors to go on.
struct GiveUp {};

class Parser {
public:
  Parser(std::uint32_t file, const SourceManager &sources, Diagnostics &diagnostics, Ast &out);
  void run();

private:
  // --- Tokens (parser.cc)
  const Token &tok(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  bool at(Tok kind) const { return tok().kind == kind; }
  bool atName(std::string_view text) const { return at(Tok::Name) && textOf(tok()) == text; }
  /// The word `text` where a bracket follows: `next (`, `merge (`, `distinct(`.
  bool atWord(std::string_view text, Tok next) const { return atName(text) && tok(1).kind == next; }
  /// The current token begins a line, here where lines matter.
  bool atNewLine() const { return brackets_ == 0 && tok().newlineBefore; }
  /// … in the middle of a statement or declaration: its line ended before it did.
  bool endedTooSoon() const { return atNewLine() && at_ != begin_; }
  const Token &advance();
  bool accept(Tok kind);
  /// `why` completes "expected `]` …": "to close the index of `x`".
  const Token &expect(Tok kind, const std::string &why, const Token *opener = nullptr);
  const Token &expectName(const std::string &what, const std::string &why);
  /// The name of an order is no stage's: `by pairs` would still mean the stage.
  const Token &expectOrderName(const std::string &why);
  std::string_view textOf(const Token &token) const {
    return source_.substr(token.begin, token.end - token.begin);
  }
  Span spanOf(const Token &token) const { return {file_, token.begin, token.end}; }
  /// From `first` to the last token consumed.
  Span spanFrom(const Token &first) const { return {file_, first.begin, tokens_[at_ - 1].end}; }
  /// Index of the bracket that closes the one at `index`, or 0.
  std::size_t closerOf(std::size_t index) const { return closers_[index]; }
  std::string found() const;

  // --- Errors and recovery (parser.cc)
  Diagnostic &report(Kind kind, Span span, std::string message);
  [[noreturn]] void fail(Kind kind, Span span, std::string message, std::string help = "");
  [[noreturn]] void failExpected(const std::string &what, const std::string &why,
                                 const Token *opener = nullptr, std::string help = "");
  void skipToStatement(std::size_t start);
  void skipToDeclaration(std::size_t start, bool stopAtBody);
  bool startsDeclaration(std::size_t index) const;
  bool startsStatement(std::size_t index) const;
  bool startsDefinition(std::size_t index) const;

  // --- Nodes (parser.cc)
  NodeId make(NodeKind kind, Span span, Span nameSpan, std::string text, std::vector<NodeId> kids);
  Node &node(NodeId id) { return out_[id]; }

  /// Counts one level of nesting while it lives.
  class Nest {
  public:
    explicit Nest(Parser &parser);
    ~Nest() { --parser_.nesting_; }
    Nest(const Nest &) = delete;
    Nest &operator=(const Nest &) = delete;

  private:
    Parser &parser_;
  };
  /// Sets `brackets_` while it lives: +1 inside a bracket, 0 inside a block.
  class Brackets {
  public:
    Brackets(Parser &parser, int value) : parser_(parser), before_(parser.brackets_) {
      parser.brackets_ = value;
    }
    ~Brackets() { parser_.brackets_ = before_; }
    Brackets(const Brackets &) = delete;
    Brackets &operator=(const Brackets &) = delete;

  private:
    Parser &parser_;
    int before_;
  };

  /// item, item, … up to `closer`, which is consumed. `what` names an item, `why` the list.
  template <class Item>
  std::vector<NodeId> list(Tok closer, const Token &opener, const std::string &what,
                           const std::string &why, Item item) {
    const Brackets inside(*this, brackets_ + 1);
    std::vector<NodeId> items;
    if (accept(closer))
      return items;
    do {
      if (at(closer))
        failExpected(what, "after `,`", nullptr, "a list has no comma at its end");
      items.push_back(item());
    } while (accept(Tok::Comma));
    if (!at(closer))
      failExpected("`,` or `" + std::string(spelling(closer)) + "`", why, &opener);
    advance();
    return items;
  }

  // --- Declarations (parse_decl.cc)
  struct Start {
    std::string doc;
    bool blankBefore = false;
  };
  Start takeDoc();
  void attach(const Start &start, NodeId first);
  void moduleLine();
  void declaration();
  std::vector<NodeId> uses();
  NodeId op();
  NodeId fn();
  NodeId view();
  NodeId kernel();
  NodeId ranks();
  NodeId orderDecl();
  std::vector<NodeId> lets(bool topLevel);
  NodeId let(const Token &first, bool topLevel);
  NodeId generic();
  std::vector<NodeId> generics(const std::string &owner);
  std::vector<NodeId> params(const std::string &what, const std::string &owner,
                             const std::string &why);
  NodeId param(const std::string &owner);
  NodeId type(const std::string &why);
  NodeId tupleType(const std::string &why);
  NodeId namedGeneric();
  NodeId namedScalar();
  std::string path(const std::string &what, Span *span);
  NodeId plainName(const std::string &what, const std::string &why);
  void endOfLine(const std::string &after);
  [[noreturn]] void badDeclaration();

  // --- Profiles (parse_profile.cc)
  NodeId profile();
  std::vector<NodeId> profileMember(const Token &opener);
  void skipToMember(std::size_t start);
  bool startsMember(std::size_t index) const;
  NodeId target();
  NodeId atom();
  NodeId forbid();

  // --- Blocks and what holds them (parse_block.cc)
  /// What stands last in a block.
  enum class Ends : std::uint8_t { Statements, Value, Next, NextAndYield };
  /// `{ statements … }`. `owner` names what the block belongs to.
  NodeId block(Ends ends, const std::string &owner);
  bool blockEnd(Ends ends, const std::string &owner, const Token &opener,
                std::vector<NodeId> &kids);
  NodeId results(NodeKind kind, const std::string &owner);
  NodeId forBlock();
  bool startsRecurrence() const;
  NodeId recurrence();
  NodeId fold();
  NodeId merge(const std::string &fold);
  NodeId iterate();

  // --- Statements (parse_stmt.cc)
  std::vector<NodeId> statement();
  NodeId define();
  NodeId defineTuple();
  NodeId update();
  NodeId definition(NodeKind kind, const Token &first, const Token &name, std::string text,
                    std::vector<NodeId> kids);
  std::vector<NodeId> variables(const Token &name);
  NodeId require();
  NodeId assume();
  NodeId assumption();
  NodeId forall();
  NodeId over(NodeKind kind);
  NodeId value(const std::string &why);

  // --- Expressions (parse_expr.cc)
  NodeId expression(const std::string &why);
  NodeId additive(const std::string &why); // what fits between < and >
  NodeId binary(int level, const std::string &why);
  NodeId comparison(NodeId left);
  NodeId unary(const std::string &why);
  NodeId postfix(const std::string &why);
  NodeId primary(const std::string &why);
  NodeId conditional();
  NodeId parenthesised(const std::string &why);
  NodeId nameOrCall();
  NodeId reduction();
  NodeId reductionBody(const Token &word);
  /// h in H, i in I
  std::vector<NodeId> binders(const std::string &word);
  NodeId binder(const std::string &word);
  void clauses(const Token &opener, const std::string &word, std::vector<NodeId> &kids);
  void refuseAmbiguousBody(const Token &word, NodeId body);
  NodeId suffixes(const Token &first, NodeId base);
  bool startsRanking() const;
  NodeId ranking();
  NodeId rankKey();

  // --- Orders (parse_order.cc)
  NodeId orderValue(const std::string &why);
  NodeId stage(const std::string &why);
  NodeId plainStage();
  bool startsOrder() const;

  std::uint32_t file_;
  std::string_view source_;
  Diagnostics &diagnostics_;
  Ast &out_;
  std::vector<Token> tokens_;
  std::vector<std::size_t> closers_;
  std::vector<std::uint16_t> heights_; // of the tree under each node
  std::size_t at_ = 0;
  std::size_t begin_ = 0;   // where the current statement or declaration begins
  std::size_t comment_ = 0; // the next one not yet looked at
  std::vector<bool> isDoc_; // comments that became a `doc`
  int nesting_ = 0;
  int brackets_ = 0;
};

/// "`text`", cut where it is very long.
std::string quote(std::string_view text);
/// sum, max, min, max_nan, min_nan, dot, count: words that name no value.
bool isReduction(std::string_view name);

} // namespace ordo::dsl
