// Expressions, by precedence climbing.
#include "dsl/syntax/parser_impl.h"
#include "dsl/syntax/precedence.h"

#include <algorithm>
#include <optional>

namespace ordo::dsl {

namespace {

Level levelOf(Tok kind) {
  switch (kind) {
  case Tok::Or:
    return kOr;
  case Tok::And:
    return kAnd;
  case Tok::Equal:
  case Tok::NotEqual:
  case Tok::Less:
  case Tok::LessEqual:
  case Tok::Greater:
  case Tok::GreaterEqual:
    return kCompare;
  case Tok::Pipe:
    return kBitOr;
  case Tok::Caret:
    return kBitXor;
  case Tok::Amp:
    return kBitAnd;
  case Tok::ShiftLeft:
  case Tok::ShiftRight:
    return kShift;
  case Tok::Plus:
  case Tok::Minus:
    return kAdd;
  case Tok::Star:
  case Tok::Slash:
  case Tok::Percent:
    return kMultiply;
  default:
    return kNone;
  }
}

} // namespace

bool isReduction(std::string_view name) {
  static constexpr std::string_view kReductions[] = {"sum",     "max", "min",  "max_nan",
                                                     "min_nan", "dot", "count"};
  return std::find(std::begin(kReductions), std::end(kReductions), name) != std::end(kReductions);
}

NodeId Parser::expression(const std::string &why) {
  const Nest nest(*this);
  return at(Tok::If) ? conditional() : binary(kOr, why);
}

NodeId Parser::additive(const std::string &why) {
  const Nest nest(*this);
  return binary(kAdd, why);
}

/// Operands joined by operators of `level` or tighter.
NodeId Parser::binary(int level, const std::string &why) {
  NodeId left = kNoNode;
  if (at(Tok::Not) && level <= kNot) {
    const Nest nest(*this);
    const Token &word = advance();
    const NodeId operand = binary(kNot, "after `not`");
    left = make(NodeKind::Unary, spanFrom(word), spanOf(word), "not", {operand});
  } else {
    left = unary(why);
  }
  while (true) {
    const Level here = levelOf(tok().kind);
    if (here == kNone || here < level || (at(Tok::Minus) && atNewLine()))
      return left;
    if (here == kCompare) {
      left = comparison(left);
      continue;
    }
    const Token &op = advance();
    const std::string text(textOf(op));
    const NodeId right = binary(here + 1, "after `" + text + "`");
    const Span span{file_, node(left).span.begin, tokens_[at_ - 1].end};
    left = make(NodeKind::Binary, span, spanOf(op), text, {left, right});
  }
}

/// a <= b < c: one node, so that b is written and computed once.
NodeId Parser::comparison(NodeId left) {
  const Token &first = tok();
  std::vector<NodeId> operands{left};
  std::string operators;
  while (levelOf(tok().kind) == kCompare) {
    const std::string text(textOf(advance()));
    operators += (operators.empty() ? "" : ",") + text;
    operands.push_back(binary(kCompare + 1, "after `" + text + "`"));
  }
  const Span span{file_, node(left).span.begin, tokens_[at_ - 1].end};
  return make(NodeKind::Compare, span, spanOf(first), std::move(operators), std::move(operands));
}

NodeId Parser::unary(const std::string &why) {
  if (!at(Tok::Minus) && !at(Tok::Tilde))
    return postfix(why);
  const Nest nest(*this);
  const Token &op = advance();
  const std::string text(textOf(op));
  // --x is printed as -(-x), and what is printed has to be read: it counts as deep as that.
  std::optional<Nest> parentheses;
  if (at(Tok::Minus) || at(Tok::Tilde))
    parentheses.emplace(*this);
  const NodeId operand = unary("after `" + text + "`");
  return make(NodeKind::Unary, spanFrom(op), spanOf(op), text, {operand});
}

NodeId Parser::postfix(const std::string &why) {
  const Token &first = tok();
  return suffixes(first, primary(why));
}

/// [i, j] and .part, as often as they follow.
NodeId Parser::suffixes(const Token &first, NodeId base) {
  while ((at(Tok::LeftBracket) || at(Tok::Dot)) && !atNewLine()) {
    const Token &opener = advance();
    if (opener.kind == Tok::Dot) { // dots after a name belong to the name
      const Token &part = expectName("the name of a part", "after `.`");
      base =
          make(NodeKind::Field, spanFrom(first), spanOf(part), std::string(textOf(part)), {base});
      continue;
    }
    const std::string indexed = quote(textOf(first));
    std::vector<NodeId> kids =
        list(Tok::RightBracket, opener, "an index", "after an index of " + indexed,
             [&] { return expression("as an index of " + indexed); });
    if (kids.empty())
      fail("expected-token", spanFrom(opener), "expected an index between `[` and `]`");
    kids.insert(kids.begin(), base);
    base = make(NodeKind::Index, spanFrom(first), node(base).nameSpan, "", std::move(kids));
  }
  return base;
}

NodeId Parser::primary(const std::string &why) {
  const Token &token = tok();
  // A line that begins a statement of its own is not the operand this one lacks.
  if (atNewLine() && startsStatement(at_))
    failExpected("an expression", why);
  switch (token.kind) {
  case Tok::Number:
  case Tok::Inf:
    advance();
    return make(NodeKind::Number, spanOf(token), spanOf(token), std::string(textOf(token)), {});
  case Tok::True:
  case Tok::False:
    advance();
    return make(NodeKind::BoolLit, spanOf(token), spanOf(token), std::string(textOf(token)), {});
  case Tok::Name:
    return nameOrCall();
  case Tok::LeftParen:
    return parenthesised(why);
  case Tok::LeftBracket: {
    advance();
    std::vector<NodeId> kids =
        list(Tok::RightBracket, token, "an element", "after an element of an array",
             [&] { return expression("as an element of an array"); });
    return make(NodeKind::ArrayLit, spanFrom(token), spanOf(token), "", std::move(kids));
  }
  case Tok::If:
    fail("expected-token", spanOf(token), "an `if` needs parentheses as an operand",
         "write (if c then a else b)");
  case Tok::Not:
    fail("expected-token", spanOf(token), "a `not` needs parentheses here", "write (not c)");
  default:
    failExpected("an expression", why);
  }
}

NodeId Parser::conditional() {
  const Token &word = advance();
  const NodeId condition = expression("as the condition of `if`");
  const auto part = [&](Tok kind, const std::string &why) {
    if (!at(kind))
      failExpected("`" + std::string(spelling(kind)) + "`", "to go on with `if`", &word,
                   "an `if` chooses between two values: if c then a else b");
    advance();
    return expression(why);
  };
  const NodeId then = part(Tok::Then, "after `then`");
  const NodeId otherwise = part(Tok::Else, "after `else`");
  return make(NodeKind::If, spanFrom(word), spanOf(word), "", {condition, then, otherwise});
}

/// (e) is e itself, its span widened; (a, b) is a Tuple.
NodeId Parser::parenthesised(const std::string &why) {
  const Token &opener = advance();
  std::vector<NodeId> kids = list(Tok::RightParen, opener, "an expression", "to end what `(` began",
                                  [&] { return expression("after `(`"); });
  if (kids.empty())
    fail("expected-token", spanFrom(opener),
         "expected an expression" + (why.empty() ? "" : " " + why) + ", found `()`");
  if (kids.size() > 1)
    return make(NodeKind::Tuple, spanFrom(opener), spanOf(opener), "", std::move(kids));
  node(kids[0]).span = spanFrom(opener);
  node(kids[0]).parentheses = true;
  return kids[0];
}

NodeId Parser::nameOrCall() {
  const std::string_view word = textOf(tok());
  if (startsRecurrence())
    fail("recurrence-place", spanOf(tok()), quote(word) + " is a whole value, not an operand",
         word == "iterate" ? "give it a name first: (a, b) = iterate …"
                           : "give it names first: (a, b) = " + std::string(word) + "[…] …");
  if (startsRanking())
    return ranking();
  const bool called = tok(1).kind == Tok::LeftParen;
  if (isReduction(word) && tok(1).kind == Tok::LeftBracket)
    return reduction();
  const bool function = word == "max" || word == "min" || word == "max_nan" || word == "min_nan";
  if (isReduction(word) && !(function && called)) {
    const std::string written(word);
    advance();
    failExpected(function ? "`[` or `(`" : "`[`", "after `" + written + "`", nullptr,
                 written == "dot"     ? "for example dot[k in K by seq] (x[k], y[k])"
                 : written == "count" ? "for example count[i in N] (x[i] > 0.0)"
                 : function ? "for example " + written + "[i in N] x[i], or " + written + "(a, b)"
                            : "for example sum[i in N by seq] x[i]");
  }
  Span span;
  std::string name;
  if (function) {
    span = spanOf(tok());
    name = textOf(advance());
  } else {
    name = path("a name", &span);
  }
  if (!at(Tok::LeftParen) || atNewLine())
    return make(NodeKind::Name, span, span, std::move(name), {});
  const Token &opener = advance();
  std::vector<NodeId> kids =
      list(Tok::RightParen, opener, "an argument", "after an argument of " + quote(name),
           [&] { return expression("as an argument of " + quote(name)); });
  const Span whole{file_, span.begin, tokens_[at_ - 1].end};
  return make(NodeKind::Call, whole, span, std::move(name), std::move(kids));
}

/// top[K] e in … | argmax[e in …
bool Parser::startsRanking() const {
  if (tok(1).kind != Tok::LeftBracket)
    return false;
  if (atName("argmax"))
    return tok(2).kind == Tok::Name && tok(3).kind == Tok::In;
  const std::size_t closer = closerOf(at_ + 1);
  return atName("top") && closer != 0 && tokens_[closer + 1].kind == Tok::Name &&
         tokens_[std::min(closer + 2, tokens_.size() - 1)].kind == Tok::In;
}

/// top[K] e in E where c of (z[e] descending, NaN last, e ascending) at s
/// argmax[e in E where c] of (z[e] descending, NaN last, e ascending)
NodeId Parser::ranking() {
  const Nest nest(*this);
  const Token &word = advance();
  const std::string name(textOf(word));
  const bool top = name == "top";
  const Token &opener = advance();
  std::vector<NodeId> kids;
  {
    const Brackets inside(*this, brackets_ + 1);
    if (top) {
      kids.push_back(expression("as how many `top` takes"));
      expect(Tok::RightBracket, "after how many `top` takes", &opener);
    } else {
      kids.push_back(kNoNode);
    }
    kids.push_back(binder(quote(name)));
    kids.push_back(accept(Tok::Where) ? expression("after `where`") : kNoNode);
    if (!top)
      expect(Tok::RightBracket, "in the brackets of `argmax`", &opener);
  }
  if (!atName("of"))
    failExpected("`of`", "and what `" + name + "` ranks by", nullptr,
                 "for example " + name + (top ? "[K] e in E" : "[e in E]") +
                     " of (z[e] descending, NaN last, e ascending)" + (top ? " at s" : ""));
  advance();
  const Token &keyOpener = expect(Tok::LeftParen, "after `of`");
  const std::vector<NodeId> keys = list(Tok::RightParen, keyOpener, "a key",
                                        "after a key of `" + name + "`", [&] { return rankKey(); });
  if (keys.empty())
    fail("expected-token", spanFrom(keyOpener), "expected a key between `(` and `)`");
  kids.insert(kids.end(), keys.begin(), keys.end());
  if (top && !atName("at"))
    failExpected("`at`", "and the place that `top` gives", nullptr,
                 "for example at s: the s-th of the ranking");
  if (top)
    advance();
  kids.push_back(top ? postfix("after `at`") : kNoNode);
  return make(NodeKind::Ranking, spanFrom(word), spanOf(word), name, std::move(kids));
}

/// z[e] descending | e ascending | NaN last
NodeId Parser::rankKey() {
  const Token &first = tok();
  const bool nan = atWord("NaN", Tok::Name);
  std::vector<NodeId> kids;
  std::string text;
  if (nan) {
    advance();
    text = "NaN ";
  } else {
    kids.push_back(expression("as a key"));
  }
  const std::string up = nan ? "first" : "ascending", down = nan ? "last" : "descending";
  if (!atName(up) && !atName(down))
    failExpected("`" + up + "` or `" + down + "`", nan ? "after `NaN`" : "after a key");
  const Token &direction = advance();
  text += textOf(direction);
  return make(NodeKind::RankKey, spanFrom(first), spanOf(direction), std::move(text),
              std::move(kids));
}

/// sum[h in H, i in I by row where c] body
NodeId Parser::reduction() {
  const Nest nest(*this);
  const Token &word = advance();
  const std::string name(textOf(word));
  const std::string quoted = quote(name);
  const Token &opener = advance();
  std::vector<NodeId> kids;
  clauses(opener, quoted, kids);
  const Span head = spanFrom(word);
  kids.push_back(reductionBody(word));
  return make(NodeKind::Reduce, spanFrom(word), head, name, std::move(kids));
}

/// h in H, i in I by row where c] after its `[`: binders…, order|none, where|none.
void Parser::clauses(const Token &opener, const std::string &word, std::vector<NodeId> &kids) {
  const Brackets inside(*this, brackets_ + 1);
  kids = binders(word);
  const NodeId order = accept(Tok::By) ? orderValue("after `by`") : kNoNode;
  const NodeId mask = accept(Tok::Where) ? expression("after `where`") : kNoNode;
  if (!at(Tok::RightBracket))
    failExpected(mask != kNoNode    ? "`]`"
                 : order != kNoNode ? "`|`, `where` or `]`"
                                    : "`,`, `by`, `where` or `]`",
                 "in the brackets of " + word, &opener);
  advance();
  kids.insert(kids.end(), {order, mask});
}

NodeId Parser::reductionBody(const Token &word) {
  const std::string name(textOf(word));
  const std::string why = "as the body of " + quote(name);
  if (name == "dot") {
    if (!at(Tok::LeftParen) || (atNewLine() && startsStatement(at_)))
      failExpected("`(`", why, nullptr, "dot takes its two operands in parentheses: (x[k], y[k])");
    const Token &opener = tok();
    const NodeId body = parenthesised(why);
    if (node(body).kind != NodeKind::Tuple || node(body).kids.size() != 2)
      fail("expected-token", spanFrom(opener), "`dot` takes two operands",
           "write (x[k], y[k]), or sum[…] for one");
    return body;
  }
  if (name == "count" && at(Tok::LeftParen))
    return parenthesised(why);
  const NodeId body = binary(name == "count" ? kCompare : kMultiply, why);
  refuseAmbiguousBody(word, body);
  return body;
}

/// sum[…] a + b reads as a sum of a + b and means (sum[…] a) + b: it must be said.
void Parser::refuseAmbiguousBody(const Token &word, NodeId body) {
  const std::string name(textOf(word));
  const Level here = levelOf(tok().kind);
  const bool unclear = name == "count" ? here == kAnd || here == kOr : here > kCompare;
  if (!unclear || (at(Tok::Minus) && atNewLine()))
    return;
  const std::string op(textOf(tok()));
  Diagnostic &error = report("reduction-body", spanOf(tok()),
                             "`" + op + "` after the body of " + quote(name) +
                                 " needs parentheses to say what it joins");
  error.labels.push_back({node(body).span, "the body ends here"});
  error.help = "write (" + name + "[…] a) " + op + " b, or " + name + "[…] (a " + op + " b)";
}

std::vector<NodeId> Parser::binders(const std::string &word) {
  std::vector<NodeId> kids;
  do
    kids.push_back(binder(word));
  while (accept(Tok::Comma));
  return kids;
}

NodeId Parser::binder(const std::string &word) {
  const Token &name = expectName("an index", "of " + word);
  const std::string quoted = quote(textOf(name));
  if (!at(Tok::In))
    failExpected("`in`", "after the index " + quoted + " of " + word, nullptr,
                 "for example [" + std::string(textOf(name)) + " in N by seq]");
  advance();
  const NodeId extent = expression("as the extent of " + quoted);
  return make(NodeKind::Binder, spanFrom(name), spanOf(name), std::string(textOf(name)), {extent});
}

} // namespace ordo::dsl
