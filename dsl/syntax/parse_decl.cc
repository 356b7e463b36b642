// Declarations: module, use, op, fn, view, order, let, kernel.
#include "dsl/syntax/parser_impl.h"

#include <algorithm>

namespace ordo::dsl {

/// The `///` lines right above the current token, and whether a blank line stands above it all.
Parser::Start Parser::takeDoc() {
  Start start{"", tok().blankBefore};
  const std::vector<Comment> &comments = out_.comments;
  while (comment_ < comments.size() && comments[comment_].span.end <= tok().begin)
    ++comment_;
  const std::uint32_t since = at_ == 0 ? 0 : tokens_[at_ - 1].end;
  const auto isDocLine = [&](const Comment &comment) {
    return comment.ownLine && comment.span.begin >= since && comment.text.rfind("///", 0) == 0 &&
           comment.text.rfind("////", 0) != 0;
  };
  std::size_t first = comment_;
  while (first > 0 && isDocLine(comments[first - 1])) {
    --first;
    if (comments[first].blankBefore) // a separate paragraph above is not this one's
      break;
  }
  if (comment_ - first == 1 && comments[first].text == "///") // says nothing: a comment it stays
    return start;
  for (std::size_t i = first; i < comment_; ++i) {
    isDoc_[i] = true;
    std::string line = comments[i].text.substr(3);
    if (!line.empty() && line[0] == ' ')
      line.erase(0, 1);
    start.doc += (i == first ? "" : "\n") + line;
  }
  if (first < comment_)
    start.blankBefore = comments[first].blankBefore;
  return start;
}

/// nn.norm.rms_norm
std::string Parser::path(const std::string &what, Span *span) {
  const Token &first = tok();
  std::string text(textOf(expectName(what, "")));
  while (at(Tok::Dot) && !atNewLine()) {
    advance();
    text += "." + std::string(textOf(expectName("a name", "after `.`")));
  }
  *span = spanFrom(first);
  return text;
}

void Parser::attach(const Start &start, NodeId first) {
  node(first).doc = start.doc;
  node(first).blankBefore = start.blankBefore;
}

NodeId Parser::plainName(const std::string &what, const std::string &why) {
  const Token &name = expectName(what, why);
  return make(NodeKind::Name, spanOf(name), spanOf(name), std::string(textOf(name)), {});
}

void Parser::moduleLine() {
  if (!at(Tok::Module))
    return;
  try {
    advance();
    if (!at(Tok::Name))
      failExpected("the module's name", "after `module`", nullptr, "for example module nn.norm");
    out_.module = path("the module's name", &out_.moduleSpan);
    endOfLine("the module line");
  } catch (const Recover &) {
    skipToDeclaration(at_, false);
  }
}

void Parser::declaration() {
  const Start start = takeDoc();
  std::vector<NodeId> made;
  switch (tok().kind) {
  case Tok::Use:
    made = uses();
    break;
  case Tok::Op:
    made = {op()};
    break;
  case Tok::Fn:
    made = {fn()};
    break;
  case Tok::Order:
    made = {orderDecl()};
    break;
  case Tok::Let:
    made = lets(true);
    break;
  case Tok::Kernel:
    made = {kernel()};
    break;
  case Tok::Module:
    fail("module-line", spanOf(tok()), "`module` comes once, before everything else",
         "one file is one module");
  default:
    if (atWord("view", Tok::Name))
      made = {view()};
    else if (atWord("profile", Tok::Name))
      made = {profile()};
    else
      badDeclaration();
  }
  attach(start, made.front());
  out_.declarations.insert(out_.declarations.end(), made.begin(), made.end());
}

void Parser::badDeclaration() {
  static const std::vector<std::string> kWords = {"op",  "fn",  "view",   "order",
                                                  "let", "use", "kernel", "profile"};
  const std::string word(textOf(tok()));
  std::string help;
  if (atWord("target", Tok::Name) || atWord("forbid", Tok::Name)) {
    help = quote(word) + " stands in a profile: profile name { … }";
  } else if (at(Tok::Assume) || at(Tok::Require) || at(Tok::For)) {
    help = quote(word) + " stands in the body of an op";
  } else if (at(Tok::Name)) {
    const std::string near = didYouMean(word, kWords);
    if (!near.empty())
      help = "did you mean `" + near + "`?";
  }
  failExpected("a declaration", "(op, fn, view, order, let, kernel, profile or use)", nullptr,
               help);
}

/// use nn.norm (rms_norm, softmax), nn.linear
std::vector<NodeId> Parser::uses() {
  const Token &word = advance();
  std::vector<NodeId> made;
  do {
    const Token &begin = tok();
    if (!at(Tok::Name))
      failExpected("the name of a module", "after `use`");
    Span nameSpan;
    std::string name = path("the name of a module", &nameSpan);
    std::vector<NodeId> kids;
    if (at(Tok::LeftParen) && !atNewLine()) {
      const Token &opener = advance();
      kids = list(Tok::RightParen, opener, "a name", "after a name from " + quote(name),
                  [&] { return plainName("a name", "from " + quote(name)); });
      if (kids.empty())
        fail("expected-token", spanFrom(opener), "expected a name between `(` and `)`",
             "without names the whole module is used: use " + name);
    }
    made.push_back(make(NodeKind::Use, spanFrom(made.empty() ? word : begin), nameSpan,
                        std::move(name), std::move(kids)));
  } while (accept(Tok::Comma));
  endOfLine("`use`");
  return made;
}

/// op name<generics>(params) -> (results) { statements }
NodeId Parser::op() {
  const Token &word = advance();
  std::vector<NodeId> kids;
  std::uint32_t counts[3] = {};
  const Token *name = nullptr;
  try {
    name = &expectName("the name of an op", "after `op`");
    const std::string quoted = quote(textOf(*name));
    kids = generics(quoted);
    counts[0] = static_cast<std::uint32_t>(kids.size());
    const auto part = [&](const std::string &what, const std::string &why) {
      const std::vector<NodeId> items = params(what, quoted, why);
      kids.insert(kids.end(), items.begin(), items.end());
      return static_cast<std::uint32_t>(items.size());
    };
    counts[1] = part("parameter", "to begin the parameters of " + quoted);
    if (!at(Tok::Arrow))
      failExpected("`->`", "and the results of " + quoted, nullptr,
                   "for example -> (y: f32[T, H])");
    advance();
    counts[2] = part("result", "to begin the results of " + quoted);
    if (counts[2] == 0)
      fail("expected-token", spanOf(*name), "op " + quoted + " has no result");
    for (std::size_t i = counts[0] + counts[1]; i < kids.size(); ++i)
      if (node(kids[i]).a != 0)
        fail("inout-result", node(kids[i]).span, "a result is written, not updated",
             "`inout` follows the type of a parameter");
  } catch (const Recover &) {
    // The body is read all the same, for its own errors.
    skipToDeclaration(at_, true);
    if (at(Tok::LeftBrace))
      block(Ends::Statements, "the body of the op");
    throw;
  }
  kids.push_back(block(Ends::Statements, "the body of " + quote(textOf(*name))));
  const Span span = spanFrom(word);
  const NodeId made =
      make(NodeKind::Op, span, spanOf(*name), std::string(textOf(*name)), std::move(kids));
  node(made).a = counts[0];
  node(made).b = counts[1];
  node(made).c = counts[2];
  endOfLine("the body of " + quote(textOf(*name)));
  return made;
}

/// <H, order row>, or nothing.
std::vector<NodeId> Parser::generics(const std::string &owner) {
  if (!at(Tok::Less))
    return {};
  const Token &opener = advance();
  return list(Tok::Greater, opener, "a generic", "after a generic of " + owner,
              [&] { return generic(); });
}

/// (x: f32[T], w: f32[H])
std::vector<NodeId> Parser::params(const std::string &what, const std::string &owner,
                                   const std::string &why) {
  const Token &opener = expect(Tok::LeftParen, why);
  return list(Tok::RightParen, opener, "a " + what, "after a " + what + " of " + owner,
              [&] { return param("a " + what + " of " + owner); });
}

/// H | bool CENTRED | type E | order row
NodeId Parser::generic() {
  const Token &first = tok();
  NodeKind kind = NodeKind::GenericDim;
  std::string what = "a dimension, `bool`, `type` or `order`";
  if (accept(Tok::Order)) {
    kind = NodeKind::GenericOrder;
    what = "the name of an order";
  } else if (tok(1).kind == Tok::Name && (atName("bool") || atName("type"))) {
    kind = atName("bool") ? NodeKind::GenericBool : NodeKind::GenericType;
    what = atName("bool") ? "the name of a bool" : "the name of a type";
    advance();
  }
  const Token &name = kind == NodeKind::GenericOrder ? expectOrderName("in the generics")
                                                     : expectName(what, "in the generics");
  return make(kind, spanFrom(first), spanOf(name), std::string(textOf(name)), {});
}

/// x: E[T, H]
NodeId Parser::param(const std::string &owner) {
  const Token &name = expectName("the name of " + owner, "");
  const std::string quoted = quote(textOf(name));
  if (!at(Tok::Colon))
    failExpected("`:`", "and a type after " + quoted, nullptr,
                 "for example " + std::string(textOf(name)) + ": f32[T, H]");
  advance();
  const NodeId typed = type("as the type of " + quoted);
  const bool inout = atName("inout");
  if (inout)
    advance();
  const NodeId made =
      make(NodeKind::Param, spanFrom(name), spanOf(name), std::string(textOf(name)), {typed});
  node(made).a = inout;
  return made;
}

NodeId Parser::type(const std::string &why) {
  const Token &name = expectName("a type", why);
  const std::string quoted = quote(textOf(name));
  std::vector<NodeId> extents;
  if (at(Tok::LeftBracket) && !atNewLine()) {
    const Token &opener = advance();
    extents = list(Tok::RightBracket, opener, "an extent", "after an extent of " + quoted,
                   [&] { return expression("as an extent of " + quoted); });
    if (extents.empty())
      fail("expected-token", spanFrom(opener), "expected an extent between `[` and `]`",
           "a scalar is written " + std::string(textOf(name)));
  }
  return make(NodeKind::TensorType, spanFrom(name), spanOf(name), std::string(textOf(name)),
              std::move(extents));
}

/// (f32, f32) | (c: f32, s: f32)
NodeId Parser::tupleType(const std::string &why) {
  const Token &opener = advance();
  std::vector<NodeId> kids =
      list(Tok::RightParen, opener, "a type", "after a type of a tuple", [&] {
        const bool named = at(Tok::Name) && tok(1).kind == Tok::Colon;
        const NodeId part = named ? param("a part of the tuple") : type(why);
        if (named && node(part).a != 0)
          fail("inout-result", node(part).span, "a result is written, not updated");
        return part;
      });
  if (kids.size() < 2)
    fail("expected-token", spanFrom(opener), "a tuple has two types or more",
         "one type stands without parentheses");
  return make(NodeKind::TupleType, spanFrom(opener), spanOf(opener), "", std::move(kids));
}

/// fn name(params) -> type = value, or = { definitions, value }
NodeId Parser::fn() {
  const Token &word = advance();
  const Token &name = expectName("the name of a function", "after `fn`");
  const std::string quoted = quote(textOf(name));
  if (at(Tok::Less))
    fail("function-generics", spanOf(tok()), "a function has no generics, and " + quoted + " has",
         "write a function for each type; dimensions and orders belong to an op");
  std::vector<NodeId> kids = params("parameter", quoted, "to begin the parameters of " + quoted);
  const auto count = static_cast<std::uint32_t>(kids.size());
  for (const NodeId kid : kids)
    if (node(kid).a != 0)
      fail("inout-result", node(kid).span, "a function has values, and updates none",
           "`inout` belongs to the parameters of an op");
  if (!at(Tok::Arrow))
    failExpected("`->`", "and the type of " + quoted, nullptr,
                 "for example fn " + std::string(textOf(name)) + "(x: f32) -> f32 = x");
  advance();
  const std::string why = "as the type of " + quoted;
  kids.push_back(at(Tok::LeftParen) ? tupleType(why) : type(why));
  expect(Tok::Assign, "before the value of " + quoted);
  kids.push_back(at(Tok::LeftBrace) ? block(Ends::Value, "the body of " + quoted)
                                    : value("as the value of " + quoted));
  const NodeId made =
      make(NodeKind::Fn, spanFrom(word), spanOf(name), std::string(textOf(name)), std::move(kids));
  node(made).a = count;
  endOfLine("the function " + quoted);
  return made;
}

/// view name<generics>(params)[i, j] -> type = value
NodeId Parser::view() {
  const Token &word = advance();
  const Token &name = expectName("the name of a view", "after `view`");
  const std::string quoted = quote(textOf(name));
  std::vector<NodeId> kids = generics(quoted);
  const auto genericCount = static_cast<std::uint32_t>(kids.size());
  const std::vector<NodeId> given =
      params("parameter", quoted, "to begin the parameters of " + quoted);
  kids.insert(kids.end(), given.begin(), given.end());
  const std::vector<NodeId> indices = variables(name);
  if (indices.empty())
    failExpected("`[`", "and the indices of " + quoted, nullptr,
                 "for example view " + std::string(textOf(name)) +
                     "(pool: f32[N, P])[s] -> f32[N * P] = pool[s / P, s % P]");
  kids.insert(kids.end(), indices.begin(), indices.end());
  expect(Tok::Arrow, "and the type of " + quoted);
  kids.push_back(type("as the type of " + quoted));
  expect(Tok::Assign, "before the value of " + quoted);
  kids.push_back(expression("as the value of " + quoted));
  const NodeId made = make(NodeKind::View, spanFrom(word), spanOf(name), std::string(textOf(name)),
                           std::move(kids));
  node(made).a = genericCount;
  node(made).b = static_cast<std::uint32_t>(given.size());
  node(made).c = static_cast<std::uint32_t>(indices.size());
  endOfLine("the view " + quoted);
  return made;
}

NodeId Parser::orderDecl() {
  const Token &word = advance();
  const Token &name = expectOrderName("after `order`");
  const std::string quoted = quote(textOf(name));
  expect(Tok::Assign, "to define the order " + quoted);
  const NodeId value = orderValue("as the order " + quoted);
  const NodeId made =
      make(NodeKind::OrderDecl, spanFrom(word), spanOf(name), std::string(textOf(name)), {value});
  endOfLine("the order " + quoted);
  return made;
}

/// let hidden = 2048, s(c) = j * B + c: a node for each.
std::vector<NodeId> Parser::lets(bool topLevel) {
  const Token &word = advance();
  std::vector<NodeId> made;
  do
    made.push_back(let(made.empty() ? word : tok(), topLevel));
  while (accept(Tok::Comma));
  endOfLine("the definition of " + quote(node(made.back()).text));
  return made;
}

/// name = value | name(c) = value; `first` begins its span.
NodeId Parser::let(const Token &first, bool topLevel) {
  const Token &name =
      expectName("a name", first.kind == Tok::Let ? "after `let`" : "after `,` in `let`");
  const std::string quoted = quote(textOf(name));
  NodeKind kind = topLevel ? NodeKind::LetDecl : NodeKind::Let;
  std::vector<NodeId> kids;
  if (at(Tok::LeftParen) && !atNewLine()) {
    if (topLevel)
      fail("expected-token", spanOf(tok()), quoted + " is a function, and `let` names a constant",
           "write fn " + std::string(textOf(name)) + "(…) -> … = …");
    const Token &opener = advance();
    kind = NodeKind::LetFn;
    kids = list(Tok::RightParen, opener, "a parameter", "after a parameter of " + quoted,
                [&] { return plainName("a parameter", "of " + quoted); });
    if (kids.empty())
      fail("expected-token", spanFrom(opener), "expected a parameter between `(` and `)`",
           "a value without parameters is written let " + std::string(textOf(name)) + " = …");
  }
  expect(Tok::Assign, "to define " + quoted);
  kids.push_back(expression("as the value of " + quoted));
  return make(kind, spanFrom(first), spanOf(name), std::string(textOf(name)), std::move(kids));
}

/// kernel name = op<H = 3584, row>(eps = 1e-6) over ranks(1, 2)
NodeId Parser::kernel() {
  const Token &word = advance();
  const Token &name = expectName("the name of a kernel", "after `kernel`");
  const std::string quoted = quote(textOf(name));
  expect(Tok::Assign, "after the name of kernel " + quoted);
  Span calleeSpan;
  if (!at(Tok::Name))
    failExpected("the name of an op", "in kernel " + quoted);
  std::string callee = path("the name of an op", &calleeSpan);
  std::vector<NodeId> kids{make(NodeKind::Name, calleeSpan, calleeSpan, callee, {})};
  std::uint32_t genericCount = 0, scalarCount = 0;
  if (at(Tok::Less)) {
    const Token &opener = advance();
    const std::vector<NodeId> items =
        list(Tok::Greater, opener, "a generic", "after a generic of " + quote(callee),
             [&] { return namedGeneric(); });
    kids.insert(kids.end(), items.begin(), items.end());
    genericCount = static_cast<std::uint32_t>(items.size());
  }
  if (at(Tok::LeftParen) && !atNewLine()) {
    const Token &opener = advance();
    const std::vector<NodeId> items =
        list(Tok::RightParen, opener, "an argument", "after an argument of " + quote(callee),
             [&] { return namedScalar(); });
    kids.insert(kids.end(), items.begin(), items.end());
    scalarCount = static_cast<std::uint32_t>(items.size());
  }
  if (atName("over"))
    kids.push_back(ranks());
  const NodeId made = make(NodeKind::Kernel, spanFrom(word), spanOf(name),
                           std::string(textOf(name)), std::move(kids));
  node(made).a = genericCount;
  node(made).b = scalarCount;
  endOfLine("kernel " + quoted);
  return made;
}

/// over ranks(1, 2, 4)
NodeId Parser::ranks() {
  const Token &word = advance();
  if (!atWord("ranks", Tok::LeftParen))
    failExpected("`ranks`", "after `over`", nullptr, "for example over ranks(1, 2, 4)");
  advance();
  const Token &opener = advance();
  std::vector<NodeId> kids =
      list(Tok::RightParen, opener, "a number of ranks", "after a number of ranks",
           [&] { return expression("as a number of ranks"); });
  if (kids.empty())
    fail("expected-token", spanFrom(opener), "expected a number of ranks between `(` and `)`");
  return make(NodeKind::Ranks, spanFrom(word), spanOf(word), "", std::move(kids));
}

/// H = 3584 | row = seq(8) | lanes(128) | row
NodeId Parser::namedGeneric() {
  const Token &first = tok();
  std::string name;
  if (at(Tok::Name) && tok(1).kind == Tok::Assign) {
    name = textOf(advance());
    advance();
  }
  const std::string why = name.empty() ? "as a generic" : "as the value of " + quote(name);
  const NodeId value = startsOrder() ? orderValue(why) : additive(why);
  return make(NodeKind::NamedArg, spanFrom(first), spanOf(first), std::move(name), {value});
}

/// eps = 1e-6
NodeId Parser::namedScalar() {
  const Token &name = expectName("the name of a scalar", "");
  const std::string text(textOf(name));
  if (!at(Tok::Assign))
    failExpected("`=`", "after the scalar " + quote(text), nullptr, "write " + text + " = value");
  advance();
  const NodeId value = expression("as the value of " + quote(text));
  return make(NodeKind::NamedArg, spanFrom(name), spanOf(name), text, {value});
}

} // namespace ordo::dsl
