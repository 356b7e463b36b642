#include "dsl/syntax/print_expr.h"

#include "dsl/syntax/precedence.h"
#include "dsl/syntax/print_line.h"

#include <algorithm>

namespace ordo::dsl {

namespace {

constexpr std::string_view kComma = ",\x02";

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

void ExprPrinter::expr(NodeId id, int level) {
  const Node &node = ast_[id];
  const int own = levelOfNode(node);
  if (own < level) {
    wrapped(id);
    return;
  }
  const std::size_t count = node.kids.size();
  switch (node.kind) {
  case NodeKind::Unary: {
    out_ += node.text;
    if (node.text == "not")
      out_ += ' ';
    const bool twice = ast_[node.kids[0]].kind == NodeKind::Unary && node.text != "not";
    expr(node.kids[0], twice ? kPostfix : own);
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
    for (std::size_t i = 1; i < count; ++i) {
      const std::size_t comma = std::min(operators.find(','), operators.size());
      out_ += " " + std::string(operators.substr(0, comma));
      out_ += kBreakSum;
      operators.remove_prefix(std::min(comma + 1, operators.size()));
      expr(node.kids[i], own + 1);
    }
    break;
  }
  case NodeKind::If:
    out_ += "if ";
    expr(node.kids[0], kNone);
    out_ += std::string(1, kBreakClause) + "then ";
    expr(node.kids[1], kNone);
    out_ += std::string(1, kBreakClause) + "else ";
    expr(node.kids[2], kNone);
    break;
  case NodeKind::Call:
  case NodeKind::Tuple:
    out_ += node.text + '(';
    kids(node, 0, count, kNone, kComma);
    out_ += ')';
    break;
  case NodeKind::TupleType:
    out_ += '(';
    kids(node, 0, count, kNone, kComma);
    out_ += ')';
    break;
  case NodeKind::Index:
  case NodeKind::Field: {
    // These, too, take what follows them for their own; a number would take the dot.
    const NodeKind base = ast_[node.kids[0]].kind;
    const bool greedy = base == NodeKind::Reduce || base == NodeKind::Ranking ||
                        (node.kind == NodeKind::Field && base == NodeKind::Number);
    if (greedy)
      wrapped(node.kids[0]);
    else
      expr(node.kids[0], kPostfix);
    if (node.kind == NodeKind::Field) {
      out_ += '.' + node.text;
      break;
    }
    out_ += '[';
    kids(node, 1, count, kNone, kComma);
    out_ += ']';
    break;
  }
  case NodeKind::ArrayLit:
    out_ += '[';
    kids(node, 0, count, kNone, kComma);
    out_ += ']';
    break;
  case NodeKind::Reduce:
    reduction(node, level);
    break;
  case NodeKind::Ranking:
    ranking(node);
    break;
  case NodeKind::RankKey:
    kids(node, 0, count, kNone, kComma);
    out_ += (count > 0 ? " " : "") + node.text;
    break;
  case NodeKind::Forall:
  case NodeKind::Distinct:
  case NodeKind::Disjoint:
    assumption(node);
    break;
  case NodeKind::Fold:
  case NodeKind::Iterate:
    recurrence(id);
    break;
  case NodeKind::Binder:
    out_ += node.text + " in ";
    expr(node.kids[0], kNone);
    break;
  case NodeKind::Carry:
  case NodeKind::Let: // in the head of `for`
    out_ += node.text + " = ";
    expr(node.kids[0], kNone);
    break;
  case NodeKind::Atom:
    out_ += "atom " + node.text + " = ";
    expr(node.kids[0], kNone);
    break;
  case NodeKind::Ranks:
    out_ += "over ranks(";
    kids(node, 0, count, kNone, kComma);
    out_ += ')';
    break;
  case NodeKind::Target:
    out_ += node.text;
    if (count == 0)
      break;
    out_ += '[';
    kids(node, 0, count, kNone, kComma);
    out_ += ']';
    break;
  case NodeKind::OrderPipe:
    kids(node, 0, count, kNone, " |\x03");
    break;
  case NodeKind::Stage:
  case NodeKind::TensorType: {
    out_ += node.text;
    if (count == 0)
      break;
    const bool stage = node.kind == NodeKind::Stage;
    out_ += stage ? '(' : '[';
    kids(node, 0, count, kNone, kComma);
    out_ += stage ? ')' : ']';
    break;
  }
  case NodeKind::StageFrom:
  case NodeKind::StagePad:
    expr(node.kids[0], kNone);
    out_ += node.kind == NodeKind::StageFrom ? ".from(" : ".pad(";
    expr(node.kids[1], kNone);
    out_ += ')';
    break;
  case NodeKind::StageRound:
    expr(node.kids[0], kNone);
    out_ += ": " + node.text;
    break;
  case NodeKind::Param:
    out_ += node.text + ": ";
    expr(node.kids[0], kNone);
    out_ += node.a != 0 ? " inout" : "";
    break;
  case NodeKind::NamedArg:
    if (!node.text.empty())
      out_ += node.text + " = ";
    expr(node.kids[0], level);
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
