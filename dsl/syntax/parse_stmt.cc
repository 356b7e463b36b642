// Blocks and the statements in them.
#include "dsl/syntax/parser_impl.h"

namespace ordo::dsl {

NodeId Parser::block(bool hasValue, const std::string &owner) {
  const Brackets inside(*this, 0);
  const Token &opener = expect(Tok::LeftBrace, "to begin " + owner);
  std::vector<NodeId> kids;
  bool valueRead = false, failed = false;
  while (!at(Tok::RightBrace)) {
    const std::size_t start = begin_ = at_;
    if (at(Tok::End) || (tok().newlineBefore && startsDeclaration(at_)))
      failExpected("`}`", "to end " + owner, &opener);
    try {
      const bool blank = tok().blankBefore;
      if (!hasValue || startsStatement(at_)) {
        const std::vector<NodeId> made = statement();
        node(made.front()).blankBefore = blank;
        kids.insert(kids.end(), made.begin(), made.end());
        continue;
      }
      kids.push_back(expression("as the value of " + owner));
      node(kids.back()).blankBefore = blank;
      valueRead = true;
      if (!at(Tok::RightBrace))
        failExpected("`}`", "after the value of " + owner, &opener,
                     "the value is the block's last expression");
    } catch (const Recover &) {
      failed = true;
      skipToStatement(start);
    }
  }
  if (hasValue && !valueRead && !failed)
    fail("missing-value", spanOf(tok()), owner + " has no value",
         "end the block with an expression");
  advance();
  return make(NodeKind::Block, spanFrom(opener), spanOf(opener), "", std::move(kids));
}

std::vector<NodeId> Parser::statement() {
  refuseUnsupportedStatement();
  if (at(Tok::Let))
    return lets(false);
  if (at(Tok::Require))
    return {require()};
  if (at(Tok::Name) && (startsDefinition(at_) || tok(1).kind == Tok::LeftBracket))
    return {define()};
  std::string help;
  if (at(Tok::Name) && tok(1).kind == Tok::LeftParen && closerOf(at_ + 1) != 0 &&
      tokens_[closerOf(at_ + 1) + 1].kind == Tok::Assign)
    help = "indices stand in brackets: " + std::string(textOf(tok())) + "[…] = …";
  failExpected("a statement", "(a definition `y[i] = …`, `let` or `require`)", nullptr, help);
}

/// The parts of the language that are still to come, named, so that nobody looks for a typing
/// mistake.
void Parser::refuseUnsupportedStatement() {
  if (at(Tok::Assume))
    notSupported(spanOf(tok()), "assume");
  if (at(Tok::For))
    notSupported(spanOf(tok()), "for");
  if (at(Tok::LeftParen) && startsStatement(at_)) {
    const Token &value = tokens_[std::min(closerOf(at_) + 2, tokens_.size() - 1)];
    for (const char *recurrence : {"fold", "scan"}) // the larger of the two novelties
      if (textOf(value) == recurrence)
        notSupported(spanOf(value), recurrence);
    notSupported({file_, tok().begin, tokens_[closerOf(at_)].end}, "a tuple on the left of `=`");
  }
  if (at(Tok::Let) && tok(1).kind == Tok::Name && tok(2).kind == Tok::LeftParen)
    notSupported(spanOf(tok(1)), "a function local to an op");
  if (startsDefinition(at_) && tok(1).kind == Tok::LeftBracket) {
    const Token &assign = tokens_[closerOf(at_ + 1) + 1];
    if (assign.kind == Tok::Update)
      notSupported(spanOf(assign), "an update in place (`:=`)");
  }
  if (at(Tok::Name) && tok(1).kind == Tok::Update)
    notSupported(spanOf(tok(1)), "an update in place (`:=`)");
}

NodeId Parser::define() {
  const Token &name = expectName("the name of a definition", "");
  const std::string quoted = quote(textOf(name));
  std::vector<NodeId> kids;
  if (at(Tok::LeftBracket)) {
    const Token &opener = advance();
    kids = list(Tok::RightBracket, opener, "an index", "after an index of " + quoted, [&] {
      const bool plain =
          at(Tok::Name) && (tok(1).kind == Tok::Comma || tok(1).kind == Tok::RightBracket);
      if (!plain && !at(Tok::End) && !at(Tok::Error))
        fail("definition-index", spanOf(tok()),
             "the indices of a definition are variables, found " + found(),
             "write " + std::string(textOf(name)) + "[i] = … and use i on the right");
      const Token &index = expectName("an index", "of " + quoted);
      return make(NodeKind::Name, spanOf(index), spanOf(index), std::string(textOf(index)), {});
    });
    if (kids.empty())
      fail("definition-index", spanFrom(opener), "an empty index",
           "a value without indices is written " + std::string(textOf(name)) + " = …");
  }
  expect(Tok::Assign, "to define " + quoted);
  const NodeId value = expression("as the value of " + quoted);
  NodeId guard = kNoNode;
  if (accept(Tok::Where))
    guard = expression("after `where`");
  const Span span = spanFrom(name);
  endOfLine("the definition of " + quoted);
  kids.push_back(guard);
  kids.push_back(value);
  return make(NodeKind::Define, span, spanOf(name), std::string(textOf(name)), std::move(kids));
}

NodeId Parser::require() {
  const Token &word = advance();
  std::vector<NodeId> kids;
  do
    kids.push_back(expression("as a condition of `require`"));
  while (accept(Tok::Comma));
  const Span span = spanFrom(word);
  endOfLine("`require`");
  return make(NodeKind::Require, span, spanOf(word), "", std::move(kids));
}

void Parser::endOfLine(const std::string &after) {
  if (at(Tok::End) || at(Tok::RightBrace) || tok().newlineBefore)
    return;
  failExpected("the end of the line", "after " + after);
}

} // namespace ordo::dsl
