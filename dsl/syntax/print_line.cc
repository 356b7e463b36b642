#include "dsl/syntax/print_line.h"

#include "dsl/syntax/precedence.h"

namespace ordo::dsl {

NodeId recurrenceIn(const Ast &ast, NodeId value) {
  if (value == kNoNode)
    return kNoNode;
  if (ast[value].kind == NodeKind::Field)
    value = ast[value].kids[0];
  const NodeKind kind = ast[value].kind;
  return kind == NodeKind::Fold || kind == NodeKind::Iterate ? value : kNoNode;
}

std::string recurrenceHead(ExprPrinter &printer, const Ast &ast, NodeId id) {
  const Node &node = ast[id];
  if (node.kind == NodeKind::Iterate) {
    const NodeKind steps = ast[node.kids[0]].kind;
    const bool plain =
        (steps == NodeKind::Number && ast[node.kids[0]].text != "inf") || steps == NodeKind::Name;
    const std::string count = printer.text(node.kids[0]);
    return "iterate " + (plain ? count : "(" + count + ")") + " (" +
           printer.list(node, 1, node.kids.size() - 1) + ")";
  }
  std::string text = node.text + '[' + printer.clauses(node, node.a) + ']';
  const std::size_t starts = node.a + 2;
  text += std::string(1, kBreakClause) + "from (";
  return text + printer.list(node, starts, starts + node.b) + ")";
}

NodeId valueOf(const Node &node) {
  switch (node.kind) {
  case NodeKind::Define:
  case NodeKind::DefineTuple:
  case NodeKind::Update:
  case NodeKind::Let:
  case NodeKind::LetFn:
  case NodeKind::LetDecl:
  case NodeKind::OrderDecl:
  case NodeKind::View:
  case NodeKind::Fn:
    return node.kids.back();
  default:
    return kNoNode;
  }
}

namespace {

class LinePrinter {
public:
  LinePrinter(const Ast &ast, ExprPrinter &printer) : ast_(ast), printer_(printer) {}

  Line line(NodeId id) {
    const Node &node = ast_[id];
    const std::size_t count = node.kids.size();
    switch (node.kind) {
    case NodeKind::Define:
    case NodeKind::Update:
    case NodeKind::DefineTuple:
      return definition(node);
    case NodeKind::Let:
    case NodeKind::LetDecl:
      return {"let " + node.text, value(node.kids[0])};
    case NodeKind::LetFn:
      return {"let " + node.text + "(" + printer_.list(node, 0, count - 1) + ")",
              value(node.kids.back())};
    case NodeKind::OrderDecl:
      return {"order " + node.text, value(node.kids[0])};
    case NodeKind::Require:
      return {"require " + printer_.list(node, 0, count), ""};
    case NodeKind::Assume:
      return {"assume " + printer_.list(node, 0, count), ""};
    case NodeKind::Next:
      return {"next (" + printer_.list(node, 0, count) + ")", ""};
    case NodeKind::Yield:
      return {"yield (" + printer_.list(node, 0, count) + ")", ""};
    case NodeKind::Kernel:
      return kernel(node);
    case NodeKind::View:
      return view(node);
    case NodeKind::Use:
      return {"use " + node.text + (count > 0 ? " (" + printer_.list(node, 0, count) + ")" : ""),
              ""};
    case NodeKind::ProfileTarget:
      return {"target " + node.text +
                  (count > 0 ? " { " + printer_.list(node, 0, count) + " }" : ""),
              ""};
    case NodeKind::Forbid:
      return {"forbid " + printer_.list(node, 0, count), ""};
    default: // the value of a block
      return {recurrenceIn(ast_, id) == kNoNode ? printer_.text(id) : "", ""};
    }
  }

private:
  std::string value(NodeId id, const std::string &mark = "=") {
    return mark + char(kBreakValue) + printer_.text(id);
  }

  Line definition(const Node &node) {
    const std::size_t indices = node.kids.size() - 2;
    std::string left = node.text;
    if (node.kind == NodeKind::DefineTuple)
      left = "(" + printer_.list(node, 0, indices) + ")";
    else if (indices > 0)
      left += "[" + printer_.list(node, 0, indices) + "]";
    if (recurrenceIn(ast_, node.kids.back()) != kNoNode)
      return {left, ""};
    std::string right = value(node.kids.back(), node.kind == NodeKind::Update ? ":=" : "=");
    if (node.kids[indices] != kNoNode)
      right += char(kBreakClause) + ("where " + printer_.text(node.kids[indices]));
    return {left, right};
  }

  Line kernel(const Node &node) {
    const std::size_t scalars = 1 + node.a, end = scalars + node.b;
    std::string right = value(node.kids[0]);
    if (node.a > 0)
      right += "<" + printer_.list(node, 1, scalars, kAdd) + ">";
    if (node.b > 0)
      right += "(" + printer_.list(node, scalars, end) + ")";
    if (node.kids.size() > end)
      right += char(kBreakClause) + printer_.text(node.kids[end]);
    return {"kernel " + node.text, right};
  }

  Line view(const Node &node) {
    const std::size_t params = node.a, indices = params + node.b, type = indices + node.c;
    std::string left = "view " + node.text;
    if (node.a > 0)
      left += "<" + printer_.list(node, 0, params) + ">";
    left += "(" + printer_.list(node, params, indices) + ")";
    left += "[" + printer_.list(node, indices, type) + "]";
    left += char(kBreakValue) + ("-> " + printer_.text(node.kids[type]));
    return {left, value(node.kids.back())};
  }

  const Ast &ast_;
  ExprPrinter &printer_;
};

} // namespace

Line lineOf(const Ast &ast, ExprPrinter &printer, NodeId id) {
  return LinePrinter(ast, printer).line(id);
}

} // namespace ordo::dsl
