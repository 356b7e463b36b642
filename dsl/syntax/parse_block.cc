// Blocks, and the constructs made of them: for, fold, scan, iterate.
#include "dsl/syntax/parser_impl.h"

namespace ordo::dsl {

NodeId Parser::block(Ends ends, const std::string &owner) {
  const Nest nest(*this);
  const Brackets inside(*this, 0);
  const Token &opener = expect(Tok::LeftBrace, "to begin " + owner);
  std::vector<NodeId> kids;
  bool ended = ends == Ends::Statements, failed = false;
  while (!at(Tok::RightBrace)) {
    const std::size_t start = begin_ = at_;
    if (at(Tok::End) || (tok().newlineBefore && startsDeclaration(at_)))
      failExpected("`}`", "to end " + owner, &opener);
    try {
      const bool blank = tok().blankBefore;
      const std::size_t first = kids.size();
      if (blockEnd(ends, owner, opener, kids))
        ended = true;
      else {
        const std::vector<NodeId> made = statement();
        kids.insert(kids.end(), made.begin(), made.end());
      }
      node(kids[first]).blankBefore = blank;
    } catch (const Recover &) {
      failed = true;
      skipToStatement(start);
    }
  }
  if (!ended && !failed) { // the block itself is whole: nothing is skipped
    const bool value = ends == Ends::Value;
    report("missing-value", spanOf(tok()),
           owner + (value ? " has no value" : " does not say what comes `next`"))
        .help = value ? "end the block with an expression"
                      : "end the block with next (…), the carry after the step";
  }
  advance();
  return make(NodeKind::Block, spanFrom(opener), spanOf(opener), "", std::move(kids));
}

/// What a block ends with, if it stands here; then `}` must follow.
bool Parser::blockEnd(Ends ends, const std::string &owner, const Token &opener,
                      std::vector<NodeId> &kids) {
  std::string last, help;
  if (ends == Ends::Statements)
    return false;
  if (ends == Ends::Value) {
    if (startsStatement(at_))
      return false;
    kids.push_back(value("as the value of " + owner));
    last = "the value";
    help = "the value is the block's last expression";
  } else {
    if (!atWord("next", Tok::LeftParen))
      return false;
    kids.push_back(results(NodeKind::Next, owner));
    last = "`next`";
    help = "`next` ends the block";
    if (ends == Ends::NextAndYield) {
      if (!atWord("yield", Tok::LeftParen))
        failExpected("`yield`", "after `next`, in " + owner, nullptr,
                     "a scan says what each step emits: yield (…); a fold emits nothing");
      const bool blank = tok().blankBefore;
      kids.push_back(results(NodeKind::Yield, owner));
      node(kids.back()).blankBefore = blank;
      last = "`yield`";
      help = "`next` and `yield` end the block";
    }
  }
  if (!at(Tok::RightBrace))
    failExpected("`}`", "after " + last + " of " + owner, &opener, help);
  return true;
}

/// next (a, b) | yield (a, b)
NodeId Parser::results(NodeKind kind, const std::string &owner) {
  const Token &word = advance();
  const std::string name(textOf(word));
  const Token &opener = advance();
  std::vector<NodeId> kids =
      list(Tok::RightParen, opener, "a value", "after a value of `" + name + "`",
           [&] { return expression("as a value of `" + name + "`, in " + owner); });
  if (kids.empty())
    fail("expected-token", spanFrom(opener), "expected a value between `(` and `)`");
  return make(kind, spanFrom(word), spanOf(word), "", std::move(kids));
}

/// for r in R, i in len[r] let n = start[r] + i { statements }
NodeId Parser::forBlock() {
  const Token &word = advance();
  std::vector<NodeId> kids = binders("`for`");
  const auto count = static_cast<std::uint32_t>(kids.size());
  if (accept(Tok::Let))
    do
      kids.push_back(let(tok(), false));
    while (accept(Tok::Comma));
  if (!at(Tok::LeftBrace))
    failExpected("`,`, `let` or `{`", "after an index of `for`", nullptr,
                 "for example for r in R, i in len[r] let n = start[r] + i { … }");
  kids.push_back(block(Ends::Statements, "the body of `for`"));
  const NodeId made = make(NodeKind::For, spanFrom(word), spanOf(word), "", std::move(kids));
  node(made).a = count;
  endOfLine("the body of `for`");
  return made;
}

/// fold[j in … | fold[…] from … | iterate 10 (… | iterate (n) (…
bool Parser::startsRecurrence() const {
  const Tok next = tok(1).kind;
  const std::size_t closer = closerOf(std::min(at_ + 1, tokens_.size() - 1));
  if (atName("fold") || atName("scan"))
    return next == Tok::LeftBracket && ((tok(2).kind == Tok::Name && tok(3).kind == Tok::In) ||
                                        (closer != 0 && textOf(tokens_[closer + 1]) == "from"));
  return atName("iterate") && !tok(1).newlineBefore &&
         (next == Tok::Number || next == Tok::Name ||
          (next == Tok::LeftParen && closer != 0 && tokens_[closer + 1].kind == Tok::LeftParen &&
           !tokens_[closer + 1].newlineBefore));
}

NodeId Parser::recurrence() { return atName("iterate") ? iterate() : fold(); }

/// fold[j in N by kv where c] from (a, b) { … next (…) } merge (x, y) { … next (…) }
NodeId Parser::fold() {
  const Token &word = advance();
  const std::string name(textOf(word));
  const Token &opener = advance();
  std::vector<NodeId> kids;
  clauses(opener, quote(name), kids);
  const auto bound = static_cast<std::uint32_t>(kids.size() - 2);
  if (!atName("from"))
    failExpected("`from`", "and the carry that `" + name + "` starts from", nullptr,
                 "for example " + name + "[j in N by seq] from (0.0) { next (…) }");
  advance();
  const Token &startOpener = expect(Tok::LeftParen, "after `from`");
  const std::vector<NodeId> starts =
      list(Tok::RightParen, startOpener, "a value", "after a value of `from`",
           [&] { return expression("as a value of `from`"); });
  if (starts.empty())
    fail("expected-token", spanFrom(startOpener), "expected a value between `(` and `)`");
  kids.insert(kids.end(), starts.begin(), starts.end());
  kids.push_back(
      block(name == "scan" ? Ends::NextAndYield : Ends::Next, "the step of " + quote(name)));
  kids.push_back(atWord("merge", Tok::LeftParen) ? merge(quote(name)) : kNoNode);
  const NodeId made = make(NodeKind::Fold, spanFrom(word), spanOf(word), name, std::move(kids));
  node(made).a = bound;
  node(made).b = static_cast<std::uint32_t>(starts.size());
  return made;
}

/// merge (x, y) { … next (…) }
NodeId Parser::merge(const std::string &fold) {
  const Token &word = advance();
  const Token &opener = advance();
  std::vector<NodeId> kids = list(Tok::RightParen, opener, "a name", "after a name of `merge`",
                                  [&] { return plainName("a name", "of `merge`"); });
  if (kids.size() != 2)
    fail("expected-token", spanFrom(opener), "`merge` takes two carries",
         "write merge (x, y) { … }: x of the earlier run, y of the later");
  kids.push_back(block(Ends::Next, "the merge of " + fold));
  return make(NodeKind::Merge, spanFrom(word), spanOf(word), "", std::move(kids));
}

/// iterate 10 (c = ctr, k = key) { … next (…) }.c
NodeId Parser::iterate() {
  const Token &word = advance();
  std::vector<NodeId> kids;
  if (at(Tok::LeftParen)) {
    kids.push_back(parenthesised("as the number of steps"));
  } else if (at(Tok::Number)) {
    kids.push_back(primary("as the number of steps"));
  } else {
    Span span;
    std::string name = path("the number of steps", &span);
    kids.push_back(make(NodeKind::Name, span, span, std::move(name), {}));
  }
  const Token &opener = expect(Tok::LeftParen, "and the carry after the steps of `iterate`");
  const std::vector<NodeId> carry =
      list(Tok::RightParen, opener, "a carry", "after a carry of `iterate`", [&] {
        const Token &name = expectName("the name of a carry", "of `iterate`");
        const std::string text(textOf(name));
        if (!at(Tok::Assign))
          failExpected("`=`", "and where " + quote(text) + " starts", nullptr,
                       "for example iterate 10 (" + text + " = start) { next (…) }");
        advance();
        const NodeId start = expression("as the start of " + quote(text));
        return make(NodeKind::Carry, spanFrom(name), spanOf(name), text, {start});
      });
  if (carry.empty())
    fail("expected-token", spanFrom(opener), "expected a carry between `(` and `)`");
  kids.insert(kids.end(), carry.begin(), carry.end());
  kids.push_back(block(Ends::Next, "the step of `iterate`"));
  const NodeId made = make(NodeKind::Iterate, spanFrom(word), spanOf(word), "", std::move(kids));
  if (!at(Tok::Dot) || atNewLine())
    return made;
  advance();
  const Token &part = expectName("the name of a carry", "after `.`");
  return make(NodeKind::Field, spanFrom(word), spanOf(part), std::string(textOf(part)), {made});
}

} // namespace ordo::dsl
