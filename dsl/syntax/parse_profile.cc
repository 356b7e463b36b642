// Profiles: profile name { target, let, order, kernel, forbid }
#include "dsl/syntax/parser_impl.h"

namespace ordo::dsl {

NodeId Parser::profile() {
  const Token &word = advance();
  Span nameSpan;
  std::string name = path("the name of a profile", &nameSpan);
  const std::string owner = "the profile " + quote(name);
  if (!at(Tok::LeftBrace))
    failExpected("`{`", "to begin " + owner, nullptr,
                 "the declarations of a profile stand in braces: profile " + name + " { … }");
  const Token &opener = advance();
  const Brackets inside(*this, 0);
  std::vector<NodeId> kids;
  while (!at(Tok::RightBrace)) {
    const std::size_t start = begin_ = at_;
    if (at(Tok::End) || (tok().newlineBefore && startsDeclaration(at_) && !startsMember(at_)))
      failExpected("`}`", "to end " + owner, &opener,
                   at(Tok::Use) ? "`use` stands before the profile" : "");
    try {
      const Start above = takeDoc();
      const std::vector<NodeId> made = profileMember(opener);
      attach(above, made.front());
      kids.insert(kids.end(), made.begin(), made.end());
    } catch (const Recover &) {
      skipToMember(start);
    }
  }
  advance();
  const NodeId made =
      make(NodeKind::Profile, spanFrom(word), nameSpan, std::move(name), std::move(kids));
  endOfLine(owner);
  return made;
}

std::vector<NodeId> Parser::profileMember(const Token &opener) {
  if (at(Tok::Let))
    return lets(true);
  if (at(Tok::Order))
    return {orderDecl()};
  if (at(Tok::Kernel))
    return {kernel()};
  if (atWord("target", Tok::Name))
    return {target()};
  if (atWord("forbid", Tok::Name))
    return {forbid()};
  static const std::vector<std::string> kWords = {"target", "let", "order", "kernel", "forbid"};
  const std::string near = at(Tok::Name) ? didYouMean(textOf(tok()), kWords) : "";
  failExpected("a declaration of a profile", "(target, let, order, kernel or forbid)", &opener,
               near.empty() ? "" : "did you mean `" + near + "`?");
}

bool Parser::startsMember(std::size_t index) const {
  const Token &token = tokens_[index];
  const std::string_view text = textOf(token);
  return token.kind == Tok::Let || token.kind == Tok::Order || token.kind == Tok::Kernel ||
         (token.kind == Tok::Name && (text == "target" || text == "forbid"));
}

/// From the member at `start`, which failed, to the next line that begins another or a declaration,
/// or to the `}` of the profile.
void Parser::skipToMember(std::size_t start) {
  at_ = start; // the fault may lie within braces that this must step over
  while (!at(Tok::End) && !at(Tok::RightBrace)) {
    if (at_ != start && tok().newlineBefore && (startsMember(at_) || startsDeclaration(at_)))
      return;
    if (closerOf(at_) != 0)
      at_ = closerOf(at_);
    advance();
  }
}

/// target cuda.sm_90a { atom mma = nv.hopper.bf16 }
NodeId Parser::target() {
  const Token &word = advance();
  Span nameSpan;
  std::string name = path("the name of a target", &nameSpan);
  std::vector<NodeId> kids;
  if (at(Tok::LeftBrace)) {
    const Token &opener = advance();
    const Brackets inside(*this, 0);
    while (!at(Tok::RightBrace)) {
      if (!atWord("atom", Tok::Name))
        failExpected("`atom` or `}`", "in target " + quote(name), &opener,
                     "for example target cuda.sm_90a { atom mma = nv.hopper.bf16 }");
      kids.push_back(atom());
      if (!accept(Tok::Comma) && !at(Tok::RightBrace) && !tok().newlineBefore)
        failExpected("`,`, the end of the line or `}`", "after an atom", &opener);
    }
    advance();
  }
  const NodeId made =
      make(NodeKind::ProfileTarget, spanFrom(word), nameSpan, name, std::move(kids));
  endOfLine("target " + quote(name));
  return made;
}

/// atom mma = nv.hopper.bf16
NodeId Parser::atom() {
  const Token &word = advance();
  const Token &stage = expectName("the name of a stage", "after `atom`");
  expect(Tok::Assign, "and the atom of " + quote(textOf(stage)));
  Span span;
  std::string name = path("the name of an atom", &span);
  const NodeId value = make(NodeKind::Name, span, span, std::move(name), {});
  return make(NodeKind::Atom, spanFrom(word), spanOf(stage), std::string(textOf(stage)), {value});
}

/// forbid sm_80, gfx90a
NodeId Parser::forbid() {
  const Token &word = advance();
  std::vector<NodeId> kids;
  do {
    Span span;
    std::string name = path("the name of a target", &span);
    kids.push_back(make(NodeKind::Name, span, span, std::move(name), {}));
  } while (accept(Tok::Comma));
  const Span span = spanFrom(word);
  endOfLine("`forbid`");
  return make(NodeKind::Forbid, span, spanOf(word), "", std::move(kids));
}

} // namespace ordo::dsl
