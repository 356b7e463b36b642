// Comparisons, of values and of tuples.
#include "dsl/sema/expr.h"

#include <algorithm>

namespace ordo::dsl {
namespace {

constexpr Type kIndex{DType::Index, nullptr};
constexpr Type kBool{DType::Bool, nullptr};

Op comparisonOf(std::string_view word) {
  static constexpr std::pair<std::string_view, Op> kOps[] = {
      {"==", Op::Eq}, {"!=", Op::Ne}, {"<", Op::Lt}, {"<=", Op::Le}, {">", Op::Gt}, {">=", Op::Ge}};
  return std::ranges::find(kOps, word, &std::pair<std::string_view, Op>::first)->second;
}

} // namespace

Value ExprChecker::comparison(const Node &n) {
  if (node(n.kids[0]).kind == NodeKind::Tuple)
    return tupleComparison(n);
  std::vector<Value> values;
  if (!unify(n.kids, nullptr, n, "a comparison", values))
    return {};
  Value all;
  std::string_view rest = n.text;
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    const std::string_view word = rest.substr(0, rest.find(','));
    rest = word.size() < rest.size() ? rest.substr(word.size() + 1) : "";
    const Value one = compareValues(n, word, values[i], values[i + 1]);
    if (!one)
      return {};
    all = i == 0 ? one : conjunction(n, all, one);
  }
  return all;
}

Value ExprChecker::compareValues(const Node &n, std::string_view word, const Value &left,
                                 const Value &right) {
  const Op op = comparisonOf(word);
  const Type type = left.type;
  const bool isEquality = op == Op::Eq || op == Op::Ne;
  if (!isComputable(type) && !isInteger(type.dtype) && type != kIndex &&
      !(type == kBool && isEquality))
    return badOperand(n, fmt::format("`{}`", word), type);
  return {type == kIndex ? algebra_.compare(op, left.id, right.id)
                         : make(op, DType::Bool, n.span, {left.id, right.id}),
          kBool};
}

Value ExprChecker::conjunction(const Node &n, const Value &a, const Value &b) {
  for (const auto &[one, other] : {std::pair(a, b), std::pair(b, a)})
    if (const Expr &e = program_.expr(one.id); e.op == Op::Const)
      return e.payload != 0 ? other : one;
  return {make(Op::And, DType::Bool, n.span, {a.id, b.id}), kBool};
}

// (u, r) < (t, s): the first parts that differ decide.
Value ExprChecker::tupleComparison(const Node &n) {
  const Node &left = node(n.kids[0]), &right = node(n.kids[1]);
  const bool isPair =
      n.kids.size() == 2 && right.kind == NodeKind::Tuple && left.kids.size() == right.kids.size();
  if (!isPair) {
    report_.error("type-mismatch", n.span,
                  "expected two tuples of one size on the sides of a comparison");
    return {};
  }
  const bool isEqual = n.text == "==", isEquality = isEqual || n.text == "!=";
  const std::string strict = n.text == "<=" ? "<" : n.text == ">=" ? ">" : n.text;
  Value result;
  for (std::size_t i = left.kids.size(); i-- > 0;) {
    const NodeId pair[] = {left.kids[i], right.kids[i]};
    std::vector<Value> values;
    if (!unify(pair, nullptr, n, "a comparison", values))
      return {};
    const bool isLast = i + 1 == left.kids.size();
    const Value here = compareValues(n, isLast ? n.text : strict, values[0], values[1]);
    if (!here)
      return {};
    if (isLast) {
      result = here;
    } else if (isEquality) {
      result = isEqual ? conjunction(n, here, result)
                       : Value{make(Op::Or, DType::Bool, n.span, {here.id, result.id}), kBool};
    } else {
      const Value same = compareValues(n, "==", values[0], values[1]);
      const Value then = conjunction(n, same, result);
      result = {make(Op::Or, DType::Bool, n.span, {here.id, then.id}), kBool};
    }
  }
  return result;
}

} // namespace ordo::dsl
