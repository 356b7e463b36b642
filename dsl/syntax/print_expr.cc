#include "dsl/syntax/print_expr.h"

#include "dsl/syntax/precedence.h"

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

void ExprPrinter::wrapped(NodeId id) {
  out_ += '(';
  expr(id, kNone);
  out_ += ')';
}

/// sum[h in H by row where c] body
void ExprPrinter::reduction(const Node &node, int level) {
  const std::size_t binders = node.kids.size() - 3;
  const NodeId order = node.kids[binders], mask = node.kids[binders + 1], body = node.kids.back();
  const bool closed = node.text == "dot" || node.text == "count"; // their bodies end visibly
  // Its body reaches to the right, so as an operand it needs parentheses.
  const bool parentheses = !closed && level > kNone;
  if (parentheses)
    out_ += '(';
  out_ += node.text + '[';
  kids(node, 0, binders, kNone, kComma);
  if (order != kNoNode) {
    out_ += " by ";
    expr(order, kNone);
  }
  if (mask != kNoNode) {
    out_ += kBreakClause;
    out_ += "where ";
    expr(mask, kNone);
  }
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
    out_ += own >= kMultiply ? kBreakProduct : kBreakItem;
    expr(node.kids[1], own + 1);
    break;
  }
  case NodeKind::Compare: {
    std::string_view operators = node.text;
    expr(node.kids[0], own + 1);
    for (std::size_t i = 1; i < count; ++i) {
      const std::size_t comma = std::min(operators.find(','), operators.size());
      out_ += " " + std::string(operators.substr(0, comma));
      out_ += kBreakItem;
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
  case NodeKind::Index:
    // A reduction, too, takes what follows it for its own.
    if (ast_[node.kids[0]].kind == NodeKind::Reduce)
      wrapped(node.kids[0]);
    else
      expr(node.kids[0], kPostfix);
    out_ += '[';
    kids(node, 1, count, kNone, kComma);
    out_ += ']';
    break;
  case NodeKind::ArrayLit:
    out_ += '[';
    kids(node, 0, count, kNone, kComma);
    out_ += ']';
    break;
  case NodeKind::Reduce:
    reduction(node, level);
    break;
  case NodeKind::Binder:
    out_ += node.text + " in ";
    expr(node.kids[0], kNone);
    break;
  case NodeKind::OrderPipe:
    kids(node, 0, count, kNone, " |\x02");
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
