// The statements of blocks.
#include "dsl/syntax/parser_impl.h"

namespace ordo::dsl {

std::vector<NodeId> Parser::statement() {
  if (at(Tok::Let))
    return lets(false);
  if (at(Tok::Require))
    return {require()};
  if (at(Tok::Assume))
    return {assume()};
  if (at(Tok::For))
    return {forBlock()};
  if (at(Tok::LeftParen) && startsStatement(at_))
    return {defineTuple()};
  if (at(Tok::Name) && (startsDefinition(at_) || tok(1).kind == Tok::LeftBracket)) {
    const std::size_t closer = tok(1).kind == Tok::LeftBracket ? closerOf(at_ + 1) : at_;
    const bool updates = tokens_[closer + 1].kind == Tok::Update;
    return {updates ? update() : define()};
  }
  std::string help;
  if (at(Tok::Name) && tok(1).kind == Tok::LeftParen && closerOf(at_ + 1) != 0 &&
      tokens_[closerOf(at_ + 1) + 1].kind == Tok::Assign)
    help = "indices stand in brackets: " + std::string(textOf(tok())) +
           "[…] = …; a local function begins with `let`";
  else if (atWord("next", Tok::LeftParen) || atWord("yield", Tok::LeftParen))
    help = "`next` ends a step of fold, scan or iterate, and `yield` follows it in a scan";
  failExpected("a statement", "(a definition `y[i] = …`, `let`, `require`, `assume` or `for`)",
               nullptr, help);
}

/// What may stand on the right of `=`: an expression, or a recurrence, which is too large to be a
/// part of one.
NodeId Parser::value(const std::string &why) {
  return startsRecurrence() ? recurrence() : expression(why);
}

/// [t, h], the variables of a definition; none where there is no bracket.
std::vector<NodeId> Parser::variables(const Token &name) {
  if (!at(Tok::LeftBracket))
    return {};
  const std::string quoted = quote(textOf(name));
  const Token &opener = advance();
  std::vector<NodeId> kids =
      list(Tok::RightBracket, opener, "an index", "after an index of " + quoted, [&] {
        const bool plain =
            at(Tok::Name) && (tok(1).kind == Tok::Comma || tok(1).kind == Tok::RightBracket);
        if (!plain && !at(Tok::End) && !at(Tok::Error))
          fail("definition-index", spanOf(tok()),
               "the indices of a definition are variables, found " +
                   (at(Tok::Name) ? "an expression" : found()),
               "write " + std::string(textOf(name)) + "[i] = … and use i on the right");
        return plainName("an index", "of " + quoted);
      });
  if (kids.empty())
    fail("definition-index", spanFrom(opener), "expected an index between `[` and `]`",
         "a value without indices is written " + std::string(textOf(name)) + " = …");
  return kids;
}

/// y[t, h] = value where guard
NodeId Parser::define() {
  const Token &name = expectName("the name of a definition", "");
  std::vector<NodeId> kids = variables(name);
  expect(Tok::Assign, "to define " + quote(textOf(name)));
  return definition(NodeKind::Define, name, name, std::string(textOf(name)), std::move(kids));
}

/// (m[t], l[t]) = value where guard
NodeId Parser::defineTuple() {
  const Token &opener = advance();
  std::vector<NodeId> kids =
      list(Tok::RightParen, opener, "a name", "after a name on the left of `=`", [&] {
        const Token &name = expectName("the name of a definition", "");
        std::vector<NodeId> indices = variables(name);
        return make(NodeKind::Target, spanFrom(name), spanOf(name), std::string(textOf(name)),
                    std::move(indices));
      });
  const Span span = spanFrom(opener);
  if (kids.size() < 2)
    fail("expected-token", span, "a tuple has two names or more",
         "one name stands without parentheses");
  expect(Tok::Assign, "to define the names on the left");
  const NodeId made = definition(NodeKind::DefineTuple, opener, opener, "", std::move(kids));
  node(made).nameSpan = span;
  return made;
}

/// state[slot[n], g] := value where guard
NodeId Parser::update() {
  const Token &name = expectName("the name of an output", "");
  const std::string quoted = quote(textOf(name));
  std::vector<NodeId> kids;
  if (at(Tok::LeftBracket)) {
    const Token &opener = advance();
    kids = list(Tok::RightBracket, opener, "an index", "after an index of " + quoted,
                [&] { return expression("as an index of " + quoted); });
  }
  if (kids.empty())
    fail("definition-index", spanFrom(name), "an update names the element that it replaces",
         "write " + std::string(textOf(name)) + "[i] := …");
  expect(Tok::Update, "to update " + quoted);
  return definition(NodeKind::Update, name, name, std::string(textOf(name)), std::move(kids));
}

/// value where guard, for what `kids` define.
NodeId Parser::definition(NodeKind kind, const Token &first, const Token &name, std::string text,
                          std::vector<NodeId> kids) {
  const std::string what = text.empty() ? "the names on the left" : quote(text);
  const std::string why = "as the value of " + what;
  const NodeId given = kind == NodeKind::Update ? expression(why) : value(why);
  kids.push_back(accept(Tok::Where) ? expression("after `where`") : kNoNode);
  kids.push_back(given);
  const Span span = spanFrom(first);
  endOfLine((kind == NodeKind::Update ? "the update of " : "the definition of ") + what);
  return make(kind, span, spanOf(name), std::move(text), std::move(kids));
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

NodeId Parser::assume() {
  const Token &word = advance();
  std::vector<NodeId> kids;
  do
    kids.push_back(assumption());
  while (accept(Tok::Comma));
  const Span span = spanFrom(word);
  endOfLine("`assume`");
  return make(NodeKind::Assume, span, spanOf(word), "", std::move(kids));
}

NodeId Parser::assumption() {
  if (atWord("forall", Tok::Name))
    return forall();
  if (atWord("distinct", Tok::LeftParen))
    return over(NodeKind::Distinct);
  if (atWord("disjoint", Tok::LeftParen))
    return over(NodeKind::Disjoint);
  return expression("as a condition of `assume`");
}

/// forall t, n in B where c: condition
NodeId Parser::forall() {
  const Nest nest(*this);
  const Token &word = advance();
  std::vector<NodeId> kids;
  do
    kids.push_back(tok(1).kind == Tok::In ? binder("`forall`")
                                          : plainName("a variable", "of `forall`"));
  while (accept(Tok::Comma));
  kids.push_back(accept(Tok::Where) ? expression("after `where`") : kNoNode);
  if (!at(Tok::Colon))
    failExpected("`:`", "and the condition of `forall`", nullptr,
                 "for example forall t: 0 <= first[t]");
  advance();
  kids.push_back(expression("as the condition of `forall`"));
  return make(NodeKind::Forall, spanFrom(word), spanOf(word), "", std::move(kids));
}

/// distinct(slot[n] for n in B where c) | disjoint(start[r], len[r] for r in R where c)
NodeId Parser::over(NodeKind kind) {
  const Token &word = advance();
  const std::string quoted = quote(textOf(word));
  const Token &opener = advance();
  const Brackets inside(*this, brackets_ + 1);
  std::vector<NodeId> kids{expression("as the value of " + quoted)};
  if (kind == NodeKind::Disjoint) {
    if (!at(Tok::Comma))
      failExpected("`,`", "and a length in `disjoint`", &opener,
                   "for example disjoint(start[r], len[r] for r in R)");
    advance();
    kids.push_back(expression("as the length in `disjoint`"));
  }
  if (!at(Tok::For))
    failExpected("`for`", "and what " + quoted + " runs over", &opener,
                 kind == NodeKind::Disjoint ? "for example disjoint(start[r], len[r] for r in R)"
                                            : "for example distinct(slot[n] for n in B)");
  advance();
  const std::vector<NodeId> bound = binders(quoted);
  kids.insert(kids.end(), bound.begin(), bound.end());
  kids.push_back(accept(Tok::Where) ? expression("after `where`") : kNoNode);
  expect(Tok::RightParen, "to end " + quoted, &opener);
  return make(kind, spanFrom(word), spanOf(word), "", std::move(kids));
}

void Parser::endOfLine(const std::string &after) {
  if (at(Tok::End) || at(Tok::RightBrace) || tok().newlineBefore)
    return;
  failExpected("the end of the line", "after " + after);
}

} // namespace ordo::dsl
