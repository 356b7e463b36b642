#include "dsl/syntax/print_expr.h"

#include "dsl/syntax/precedence.h"
#include "dsl/syntax/print_line.h"

#include <algorithm>

namespace ordo::dsl {

namespace {

// Each ends with a SoftBreak.
constexpr std::string_view kComma = ",\x02", kPipe = " |\x03";

int levelOfBinary(std::string_view op) {
  if (op == "or")
    return kOr;
  if (op == "and")
    return kAnd;
  if (op == "|")
    return kBitOr;
  if (op == "^")
    return kBitXor;
  if (op == "&")
    return kBitAnd;
  if (op == "<<" || op == ">>")
    return kShift;
  return op == "+" || op == "-" ? kAdd : kMultiply;
}

/// The level at which a node may stand without parentheses.
int levelOfNode(const Node &node) {
  switch (node.kind) {
  case NodeKind::Binary:
    return levelOfBinary(node.text);
  case NodeKind::Compare:
    return kCompare;
  case NodeKind::Unary:
    return node.text == "not" ? kNot : kUnary;
  case NodeKind::If:
    return kNone;
  default:
    return kPostfix;
  }
}

} // namespace

std::string ExprPrinter::text(NodeId id, int level) {
  out_.clear();
  expr(id, level);
  return std::move(out_);
}

std::string ExprPrinter::list(const Node &node, std::size_t from, std::size_t to, int level) {
  out_.clear();
  kids(node, from, to, level, kComma);
  return std::move(out_);
}

void ExprPrinter::kids(const Node &node, std::size_t from, std::size_t to, int level,
                       std::string_view separator) {
  for (std::size_t i = from; i < to; ++i) {
    if (i > from)
      out_ += separator;
    expr(node.kids[i], level);
  }
}

std::string ExprPrinter::clauses(const Node &node, std::size_t binders) {
  out_.clear();
  bound(node, binders);
  return std::move(out_);
}

void ExprPrinter::bound(const Node &node, std::size_t binders) {
  kids(node, 0, binders, kNone, kComma);
  if (node.kids[binders] != kNoNode) {
    out_ += " by ";
    expr(node.kids[binders], kNone);
  }
  where(node.kids[binders + 1]);
}

void ExprPrinter::where(NodeId mask) {
  if (mask == kNoNode)
    return;
  out_ += kBreakClause;
  out_ += "where ";
  expr(mask, kNone);
}

void ExprPrinter::wrapped(NodeId id) {
  out_ += '(';
  expr(id, kNone);
  out_ += ')';
}

/// sum[h in H by row where c] body
void ExprPrinter::reduction(const Node &node, int level) {
  const std::size_t binders = node.kids.size() - 3;
  const NodeId body = node.kids.back();
  const bool closed = node.text == "dot" || node.text == "count"; // their bodies end visibly
  // Its body reaches to the right, so as an operand it needs parentheses.
  const bool parentheses = !closed && level > kNone;
  if (parentheses)
    out_ += '(';
  out_ += node.text + '[';
  bound(node, binders);
  out_ += ']';
  if (node.text == "dot") {
    expr(body, kNone);
  } else if (node.text == "count") {
    out_ += ' ';
    wrapped(body);
  } else {
    out_ += kBreakProduct;
    expr(body, ast_[body].kind == NodeKind::Reduce ? kNone : kMultiply);
  }
  if (parentheses)
    out_ += ')';
}

/// top[K] e in E where c of (…) at s; argmax[e in E where c] of (…)
void ExprPrinter::ranking(const Node &node) {
  const bool top = node.text == "top";
  out_ += node.text + '[';
  if (top) {
    expr(node.kids[0], kNone);
    out_ += "] ";
  }
  expr(node.kids[1], kNone);
  where(node.kids[2]);
  if (!top)
    out_ += ']';
  out_ += std::string(1, kBreakItem) + "of (";
  kids(node, 3, node.kids.size() - 1, kNone, kComma);
  out_ += ')';
  if (!top)
    return;
  out_ += std::string(1, kBreakItem) + "at ";
  expr(node.kids.back(), kPostfix);
}

/// forall t: c | distinct(a for n in N) | disjoint(a, b for r in R)
void ExprPrinter::assumption(const Node &node) {
  const std::size_t count = node.kids.size();
  if (node.kind == NodeKind::Forall) {
    out_ += "forall ";
    kids(node, 0, count - 2, kNone, ", ");
    where(node.kids[count - 2]);
    out_ += std::string(":") + char(kBreakItem);
    expr(node.kids[count - 1], kNone);
    return;
  }
  const std::size_t values = node.kind == NodeKind::Disjoint ? 2 : 1;
  out_ += values == 2 ? "disjoint(" : "distinct(";
  kids(node, 0, values, kNone, kComma);
  out_ += std::string(1, kBreakClause) + "for ";
  kids(node, values, count - 1, kNone, kComma);
  where(node.kids[count - 1]);
  out_ += ')';
}

/// On one line, for messages: its blocks are left out.
void ExprPrinter::recurrence(NodeId id) {
  ExprPrinter inner(ast_);
  out_ += recurrenceHead(inner, ast_, id) + " { … }";
}

/// open, kids from `from` on with commas, close.
void ExprPrinter::enclosed(char open, const Node &node, std::size_t from, char close) {
  out_ += open;
  kids(node, from, node.kids.size(), kNone, kComma);
  out_ += close;
}

/// word, then a kid.
void ExprPrinter::prefixed(const std::string &word, NodeId kid, int level) {
  out_ += word;
  expr(kid, level);
}

void ExprPrinter::expr(NodeId id, int level) {
  const Node &node = ast_[id];
  if (levelOfNode(node) < level) {
    wrapped(id);
    return;
  }
  switch (node.kind) {
  case NodeKind::Unary:
  case NodeKind::Binary:
  case NodeKind::Compare:
  case NodeKind::If:
    operation(node);
    break;
  case NodeKind::Call:
  case NodeKind::Tuple:
    out_ += node.text;
    enclosed('(', node, 0, ')');
    break;
  case NodeKind::ArrayLit:
    enclosed('[', node, 0, ']');
    break;
  case NodeKind::Index:
  case NodeKind::Field:
    suffixed(node);
    break;
  case NodeKind::Reduce:
    reduction(node, level);
    break;
  case NodeKind::Ranking:
    ranking(node);
    break;
  case NodeKind::RankKey:
    kids(node, 0, node.kids.size(), kNone, kComma);
    out_ += (node.kids.empty() ? "" : " ") + node.text;
    break;
  case NodeKind::Fold:
  case NodeKind::Iterate:
    recurrence(id);
    break;
  case NodeKind::OrderPipe:
  case NodeKind::Stage:
  case NodeKind::StageFrom:
  case NodeKind::StagePad:
  case NodeKind::StageRound:
    order(node);
    break;
  default:
    part(node, level);
  }
}

void ExprPrinter::operation(const Node &node) {
  const int own = levelOfNode(node);
  switch (node.kind) {
  case NodeKind::Unary: {
    const bool twice = ast_[node.kids[0]].kind == NodeKind::Unary && node.text != "not";
    prefixed(node.text + (node.text == "not" ? " " : ""), node.kids[0], twice ? kPostfix : own);
    break;
  }
  case NodeKind::Binary: {
    // (f - p) + s: the author says which rounds first, though the left would anyway.
    const Node &left = ast_[node.kids[0]];
    expr(node.kids[0], left.parentheses && levelOfNode(left) == own ? own + 1 : own);
    out_ += " " + node.text;
    out_ += own >= kMultiply ? kBreakProduct : kBreakSum;
    expr(node.kids[1], own + 1);
    break;
  }
  case NodeKind::Compare: {
    std::string_view operators = node.text;
    expr(node.kids[0], own + 1);
    for (std::size_t i = 1; i < node.kids.size(); ++i) {
      const std::size_t comma = std::min(operators.find(','), operators.size());
      out_ += " " + std::string(operators.substr(0, comma));
      out_ += kBreakSum;
      operators.remove_prefix(std::min(comma + 1, operators.size()));
      expr(node.kids[i], own + 1);
    }
    break;
  }
  default: // If
    prefixed("if ", node.kids[0]);
    out_ += kBreakClause;
    prefixed("then ", node.kids[1]);
    out_ += kBreakClause;
    prefixed("else ", node.kids[2]);
  }
}

/// base[i, j] | base.part
void ExprPrinter::suffixed(const Node &node) {
  const bool part = node.kind == NodeKind::Field;
  // These, too, take what follows them for their own; a number would take the dot.
  const NodeKind base = ast_[node.kids[0]].kind;
  if (base == NodeKind::Reduce || base == NodeKind::Ranking || (part && base == NodeKind::Number))
    wrapped(node.kids[0]);
  else
    expr(node.kids[0], kPostfix);
  if (part)
    out_ += '.' + node.text;
  else
    enclosed('[', node, 1, ']');
}

void ExprPrinter::order(const Node &node) {
  switch (node.kind) {
  case NodeKind::OrderPipe:
    kids(node, 0, node.kids.size(), kNone, kPipe);
    break;
  case NodeKind::Stage:
    if (node.text == "mid.leaf" && node.kids.size() == 2) {
      prefixed("mid(", node.kids[0]);
      prefixed(").leaf(", node.kids[1]);
      out_ += ')';
      break;
    }
    out_ += node.text;
    if (!node.kids.empty())
      enclosed('(', node, 0, ')');
    break;
  case NodeKind::StageRound:
    expr(node.kids[0], kNone);
    out_ += ": " + node.text;
    break;
  default: // StageFrom, StagePad
    expr(node.kids[0], kNone);
    prefixed(node.kind == NodeKind::StageFrom ? ".from(" : ".pad(", node.kids[1]);
    out_ += ')';
  }
}

/// What is no expression: types, and parts of statements and declarations.
void ExprPrinter::part(const Node &node, int level) {
  switch (node.kind) {
  case NodeKind::TensorType:
  case NodeKind::Target:
    out_ += node.text;
    if (!node.kids.empty())
      enclosed('[', node, 0, ']');
    break;
  case NodeKind::TupleType:
    enclosed('(', node, 0, ')');
    break;
  case NodeKind::Ranks:
    out_ += "over ranks";
    enclosed('(', node, 0, ')');
    break;
  case NodeKind::Forall:
  case NodeKind::Distinct:
  case NodeKind::Disjoint:
    assumption(node);
    break;
  case NodeKind::Binder:
    prefixed(node.text + " in ", node.kids[0]);
    break;
  case NodeKind::Carry:
  case NodeKind::Let: // in the head of `for`
    prefixed(node.text + " = ", node.kids[0]);
    break;
  case NodeKind::Atom:
    prefixed("atom " + node.text + " = ", node.kids[0]);
    break;
  case NodeKind::Param:
    prefixed(node.text + ": ", node.kids[0]);
    out_ += node.a != 0 ? " inout" : "";
    break;
  case NodeKind::NamedArg:
    prefixed(node.text.empty() ? "" : node.text + " = ", node.kids[0], level);
    break;
  case NodeKind::GenericBool:
    out_ += "bool " + node.text;
    break;
  case NodeKind::GenericType:
    out_ += "type " + node.text;
    break;
  case NodeKind::GenericOrder:
    out_ += "order " + node.text;
    break;
  default: // Number, BoolLit, Name, OrderName, GenericDim
    out_ += node.text;
  }
}

} // namespace ordo::dsl
