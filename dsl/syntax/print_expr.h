// Expressions, orders, types and heads of declarations as text with places to break it.
#pragma once

#include "dsl/syntax/ast.h"

#include <string>
#include <string_view>

namespace ordo::dsl {

/// In the text: a space, or a line's end where the line gets too long; the earlier ones are better
/// places.
enum SoftBreak : char {
  kBreakClause = 1,  // before `then`, `else`, `where`
  kBreakItem = 2,    // after a comma
  kBreakSum = 3,     // after a loose operator
  kBreakProduct = 4, // after a tight operator, before the body of a reduction
  kBreakValue = 5,   // after `=`
};
inline bool isSoftBreak(char c) { return c >= kBreakClause && c <= kBreakValue; }

class ExprPrinter {
public:
  explicit ExprPrinter(const Ast &ast) : ast_(ast) {}

  /// Any expression, order, type, parameter or generic.
  std::string text(NodeId id, int level = 0);
  /// kids[from, to) of `node` with commas between them.
  std::string list(const Node &node, std::size_t from, std::size_t to, int level = 0);
  /// `h in H by row where c` of a Reduce or Fold with `binders` of them.
  std::string clauses(const Node &node, std::size_t binders);

private:
  void expr(NodeId id, int level);
  void operation(const Node &node);
  void suffixed(const Node &node);
  void order(const Node &node);
  void part(const Node &node, int level);
  void enclosed(char open, const Node &node, std::size_t from, char close);
  void prefixed(const std::string &word, NodeId kid, int level = 0);
  void bound(const Node &node, std::size_t binders);
  void where(NodeId mask);
  void reduction(const Node &node, int level);
  void ranking(const Node &node);
  void assumption(const Node &node);
  void recurrence(NodeId id);
  void kids(const Node &node, std::size_t from, std::size_t to, int level,
            std::string_view separator);
  void wrapped(NodeId id);

  const Ast &ast_;
  std::string out_;
};

} // namespace ordo::dsl
