// Orders: seq(8) | lanes(128).from(0.0) | halves: bf16
#include "dsl/syntax/parser_impl.h"

#include <algorithm>

namespace ordo::dsl {

namespace {

const std::vector<std::string> kStages = {"seq", "lanes", "pairs", "halves",
                                          "mid", "fma",   "mma",   "first"};

bool isStage(std::string_view name) {
  return std::find(kStages.begin(), kStages.end(), name) != kStages.end();
}

} // namespace

const Token &Parser::expectOrderName(const std::string &why) {
  if (at(Tok::Name) && isStage(textOf(tok())))
    fail("reserved-name", spanOf(tok()),
         quote(textOf(tok())) + " is a stage and cannot be the name of an order",
         "choose another name");
  return expectName("the name of an order", why);
}

bool Parser::startsOrder() const {
  if (!at(Tok::Name))
    return false;
  return isStage(textOf(tok())) || tok(1).kind == Tok::Pipe;
}

NodeId Parser::orderValue(const std::string &why) {
  const Token &first = tok();
  std::vector<NodeId> stages;
  do
    stages.push_back(stage(stages.empty() ? why : "after `|`"));
  while (accept(Tok::Pipe));
  if (stages.size() == 1 && node(stages[0]).kind == NodeKind::OrderName)
    return stages[0];
  return make(NodeKind::OrderPipe, spanFrom(first), spanFrom(first), "", std::move(stages));
}

/// A stage with its suffixes, or the name of an order.
NodeId Parser::stage(const std::string &why) {
  if (!at(Tok::Name))
    failExpected("an order", why, nullptr, "for example seq(8) | lanes(128) | halves");
  const Token &first = tok();
  NodeId made = plainStage();
  if (node(made).kind == NodeKind::OrderName)
    return made;
  const auto suffix = [&](NodeKind kind, const std::string &word) {
    advance();
    const Token &name = advance();
    const Token &opener = expect(Tok::LeftParen, "after `." + word + "`");
    const Brackets inside(*this, brackets_ + 1);
    const NodeId value = expression("as the value of `." + word + "`");
    expect(Tok::RightParen, "after the value of `." + word + "`", &opener);
    made = make(kind, spanFrom(first), spanOf(name), "", {made, value});
  };
  while (at(Tok::Dot)) {
    const std::string_view word = textOf(tok(1));
    if (word == "from")
      suffix(NodeKind::StageFrom, "from");
    else if (word == "pad")
      suffix(NodeKind::StagePad, "pad");
    else {
      advance();
      failExpected("`from` or `pad`", "after a stage and `.`", nullptr,
                   "`.leaf(n)` follows `mid`; `: T` comes last");
    }
  }
  if (accept(Tok::Colon)) {
    const Token &round = expectName("a type", "after `:`, which the stage rounds to");
    made = make(NodeKind::StageRound, spanFrom(first), spanOf(round), std::string(textOf(round)),
                {made});
  }
  return made;
}

NodeId Parser::plainStage() {
  const Token &first = tok();
  std::string name(textOf(first));
  if (!isStage(name)) {
    Span span;
    name = path("the name of an order", &span);
    if (!at(Tok::LeftParen) || atNewLine())
      return make(NodeKind::OrderName, span, span, std::move(name), {});
    const std::string near = didYouMean(name, kStages);
    fail("unknown-stage", span, quote(name) + " is not a stage",
         near.empty() ? "stages are seq, lanes, pairs, halves, mid, fma, mma and first"
                      : "did you mean `" + near + "`?");
  }
  advance();
  if (name == "mid" && at(Tok::Dot) && textOf(tok(1)) == "leaf") {
    advance();
    advance();
    name = "mid.leaf";
    if (!at(Tok::LeftParen) || atNewLine())
      failExpected("`(`", "and the largest leaf after `mid.leaf`");
  }
  const Span nameSpan = spanFrom(first);
  std::vector<NodeId> sizes;
  if (at(Tok::LeftParen) && !atNewLine()) {
    const Token &opener = advance();
    sizes = list(Tok::RightParen, opener, "a size", "after a size of `" + name + "`",
                 [&] { return expression("as a size of `" + name + "`"); });
    if (sizes.empty())
      fail("expected-token", spanFrom(opener),
           "expected a size of `" + name + "` between `(` and `)`",
           "without a size the stage is written without parentheses");
  }
  if (name == "mid.leaf" && sizes.size() > 1)
    fail("expected-token", nameSpan, "`mid.leaf` takes one size, the largest leaf",
         "with runs, too, it is written mid(64).leaf(8)");
  // mid(64).leaf(8): runs of 64, each down to leaves of 8.
  if (name == "mid" && sizes.size() == 1 && at(Tok::Dot) && textOf(tok(1)) == "leaf") {
    advance();
    advance();
    name = "mid.leaf";
    const Token &opener = expect(Tok::LeftParen, "and the largest leaf after `.leaf`");
    const Brackets inside(*this, brackets_ + 1);
    sizes.push_back(expression("as the largest leaf of `mid`"));
    expect(Tok::RightParen, "after the largest leaf of `mid`", &opener);
  }
  return make(NodeKind::Stage, spanFrom(first), nameSpan, std::move(name), std::move(sizes));
}

} // namespace ordo::dsl
