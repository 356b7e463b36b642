// Operators, literals, and what is said when types do not agree.
#include "dsl/sema/expr.h"
#include "dsl/sema/literal.h"

#include <algorithm>
#include <array>

namespace ordo::dsl {
namespace {

constexpr Type kIndex{DType::Index, nullptr};
constexpr Type kBool{DType::Bool, nullptr};

struct Operator {
  std::string_view text;
  Op op;
  bool onFloats;
  bool onIndex;
};

constexpr std::array<Operator, 10> kOperators = {{
    {"+", Op::Add, true, true},
    {"-", Op::Sub, true, true},
    {"*", Op::Mul, true, true},
    {"/", Op::Div, true, true},
    {"%", Op::Rem, false, true},
    {"&", Op::And, false, false},
    {"|", Op::Or, false, false},
    {"^", Op::Xor, false, false},
    {"<<", Op::Shl, false, false},
    {">>", Op::Shr, false, false},
}};

// Significant bits that hold every value of an integer type.
int integerDigits(DType type) { return bitWidth(type) - (isSigned(type) ? 1 : 0); }

} // namespace

bool isExactCast(const Type &from, const Type &to) {
  if (from.isOpaque() || to.isOpaque())
    return false;
  if (isFloat(from.dtype) && isFloat(to.dtype)) {
    const FloatFormat f = floatFormat(from.dtype), t = floatFormat(to.dtype);
    return f.mantissaBits <= t.mantissaBits && f.exponentBits <= t.exponentBits &&
           bitWidth(to.dtype) > 8;
  }
  if (!isInteger(from.dtype))
    return from.dtype == DType::Bool && isInteger(to.dtype);
  if (isFloat(to.dtype))
    return integerDigits(from.dtype) <= floatFormat(to.dtype).mantissaBits + 1;
  return isInteger(to.dtype) && integerDigits(from.dtype) <= integerDigits(to.dtype) &&
         (isSigned(to.dtype) || !isSigned(from.dtype));
}

// Made of literals alone, so without a type of its own.
bool ExprChecker::isUntyped(NodeId id) const {
  const Node &n = node(id);
  const auto all = [&](std::size_t first) {
    return std::all_of(n.kids.begin() + static_cast<std::ptrdiff_t>(first), n.kids.end(),
                       [&](NodeId kid) { return isUntyped(kid); });
  };
  switch (n.kind) {
  case NodeKind::Number:
    return true;
  case NodeKind::Unary:
    return n.text != "not" && all(0);
  case NodeKind::Binary:
    return n.text != "and" && n.text != "or" && all(0);
  case NodeKind::If:
    return all(1);
  case NodeKind::ArrayLit:
  case NodeKind::Tuple:
    return all(0);
  case NodeKind::Call:
    return findBuiltin(n.text) && all(0);
  default:
    return false;
  }
}

bool ExprChecker::unify(std::span<const NodeId> ids, const Type *hint, const Node &n,
                        const std::string &what, std::vector<Value> &values) {
  values.assign(ids.size(), {});
  const auto leader = std::ranges::find_if(ids, [&](NodeId id) { return !isUntyped(id); });
  const bool hasLeader = leader != ids.end();
  const std::size_t first = hasLeader ? static_cast<std::size_t>(leader - ids.begin()) : 0;
  values[first] = within(ids[first], hint);
  if (!values[first])
    return false;
  const Type type = values[first].type;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i != first)
      values[i] = within(ids[i], &type);
    if (!values[i])
      return false;
    if (values[i].type != type && meetsIndex(type, values[i].type))
      return asIndices(ids, values);
    if (values[i].type != type) {
      mixedTypes(n, what, ids[first], type, ids[i], values[i].type);
      return false;
    }
  }
  return true;
}

bool ExprChecker::meetsIndex(const Type &a, const Type &b) const {
  return (a == kIndex && isInteger(b.dtype)) || (b == kIndex && isInteger(a.dtype));
}

// Integers that meet an index enter index arithmetic, which is exact: so do the operands within.
bool ExprChecker::asIndices(std::span<const NodeId> ids, std::vector<Value> &values) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!values[i] || values[i].type != kIndex)
      values[i] = within(ids[i], &kIndex);
    if (!values[i])
      return false;
    if (isInteger(values[i].type.dtype))
      values[i] = {algebra_.indexOf(values[i].id), kIndex};
    if (values[i].type == kIndex)
      continue;
    mismatch(ids[i], kIndex, values[i].type, "what meets an index");
    return false;
  }
  return true;
}

Value ExprChecker::number(const Node &n, bool isNegative, const Type *hint) {
  if (!hint) {
    report_
        .error("literal-without-context", n.span,
               fmt::format("nothing here says which type `{}` has", n.text))
        .help = isIntegerSpelling(n.text) ? fmt::format("write it with its type: i32({})", n.text)
                                          : fmt::format("write it with its type: f32({})", n.text);
    return {};
  }
  // A type parameter is some float: the spelling can be checked, the rounding waits.
  const DType type = hint->isOpaque() ? DType::F64 : hint->dtype;
  RoundedLiteral rounded = roundLiteral(n.text, isNegative, type);
  if (!rounded.bits) {
    if (rounded.kind == "literal-type" && hint->isOpaque())
      rounded.message = fmt::format("expected {}, found the integer {}", toString(*hint), n.text);
    report_.error(rounded.kind, n.span, rounded.message).help = rounded.help;
    return {};
  }
  if (rounded.vanished)
    report_.warning("literal-underflow", n.span,
                    fmt::format("{} rounds to zero in {}", n.text, toString(*hint)),
                    "write 0.0 if zero is meant");
  return {program_.constant(hint->dtype, *rounded.bits), *hint};
}

Value ExprChecker::unary(const Node &n, const Type *hint) {
  const Node &operand = node(n.kids[0]);
  if (n.text == "not") {
    const Value value = withinAs(n.kids[0], kBool, "`not`");
    if (!value)
      return {};
    const Expr &e = program_.expr(value.id);
    if (e.op == Op::Const)
      return {program_.constant(DType::Bool, e.payload ^ 1), kBool};
    return {make(Op::Not, DType::Bool, n.span, {value.id}), kBool};
  }
  // The sign belongs to the literal, or -2147483648 would not fit i32.
  if (n.text == "-" && operand.kind == NodeKind::Number)
    return number(operand, true, hint);
  const Value value = within(n.kids[0], hint);
  if (!value)
    return {};
  const Type type = value.type;
  if (n.text == "-" && type == kIndex)
    return indexArithmetic(Op::Neg, std::span(&value.id, 1), n.span);
  const bool isFine = isInteger(type.dtype) || (n.text == "-" && isComputable(type));
  if (!isFine)
    return badOperand(n, fmt::format("`{}`", n.text), type);
  return {make(n.text == "-" ? Op::Neg : Op::Not, type.dtype, n.span, {value.id}), type};
}

Value ExprChecker::logical(const Node &n) {
  const bool isAnd = n.text == "and";
  const Value left = withinAs(n.kids[0], kBool, fmt::format("an operand of `{}`", n.text));
  const Value right = withinAs(n.kids[1], kBool, fmt::format("an operand of `{}`", n.text));
  if (!left || !right)
    return {};
  for (const auto &[one, other] : {std::pair(left, right), std::pair(right, left)})
    if (const Expr &e = program_.expr(one.id); e.op == Op::Const)
      return (e.payload != 0) == isAnd ? other : one;
  return {make(isAnd ? Op::And : Op::Or, DType::Bool, n.span, {left.id, right.id}), kBool};
}

Value ExprChecker::binary(const Node &n, const Type *hint) {
  if (n.text == "and" || n.text == "or")
    return logical(n);
  const std::string what = fmt::format("`{}`", n.text);
  std::vector<Value> values;
  if (!unify(n.kids, hint, n, what, values))
    return {};
  const Operator &o = *std::ranges::find(kOperators, n.text, &Operator::text);
  if (hint && *hint == kIndex && o.onIndex && isInteger(values[0].type.dtype) &&
      !asIndices(n.kids, values))
    return {};
  const Type type = values[0].type;
  if (type == kIndex && o.onIndex) {
    const ExprId args[] = {values[0].id, values[1].id};
    return indexArithmetic(o.op, args, n.span);
  }
  if (!isInteger(type.dtype) && !(o.onFloats && isComputable(type)))
    return badOperand(n, what, type);
  if (isInteger(type.dtype) && (o.op == Op::Div || o.op == Op::Rem))
    return integerDivision(n, o.op, values[0], values[1]);
  return {make(o.op, type.dtype, n.span, {values[0].id, values[1].id}), type};
}

// A zero divisor must be excluded by proof, and a constant is the proof there is.
Value ExprChecker::integerDivision(const Node &n, Op op, const Value &left, const Value &right) {
  const Expr &divisor = program_.expr(right.id);
  if (divisor.op != Op::Const || divisor.payload == 0) {
    report_
        .error("zero-divisor", node(n.kids[1]).span,
               divisor.op == Op::Const
                   ? "division by zero"
                   : fmt::format("cannot show that `{}` is not zero", text(n.kids[1])))
        .help = "the divisor of an integer division is a constant other than zero";
    return {};
  }
  return {make(op, left.type.dtype, n.span, {left.id, right.id}), left.type};
}

Value ExprChecker::indexArithmetic(Op op, std::span<const ExprId> args, Span span) {
  const auto built = algebra_.build(op, args, isGeneric());
  switch (built.fault) {
  case IndexAlgebra::Fault::None:
    return {built.id, kIndex};
  case IndexAlgebra::Fault::Overflow:
    report_.error("index-overflow", span, "the index expression leaves 64 bits");
    return {};
  case IndexAlgebra::Fault::ZeroDivisor:
    report_.error("zero-divisor", span, "division by zero");
    return {};
  case IndexAlgebra::Fault::UnprovenDivisor:
    report_.error("zero-divisor", span, "cannot show that the divisor is positive").help =
        "state it in a `require`";
    return {};
  }
  return {};
}

Value ExprChecker::badOperand(const Node &n, const std::string &what, const Type &type) {
  Diagnostic &d = report_.error("type-mismatch", n.nameSpan.end ? n.nameSpan : n.span,
                                fmt::format("{} is not defined for {}", what, toString(type)));
  if (isFloat(type.dtype) && bitWidth(type.dtype) == 8)
    d.help = "the f8 types have casts only: compute in f32";
  else if (type == kBool)
    d.help = "bool has `and`, `or`, `not`, `==` and `!=`";
  else if (type == kIndex)
    d.help = "indices have + - * / %, min, max and comparisons; write i32(…) for the rest";
  else if (isFloat(type.dtype))
    d.help = "bit operations work on `bits(x)`";
  return {};
}

// The cast that makes `from` a `to`, and what it does to the value.
std::string ExprChecker::castAdvice(NodeId id, const Type &from, const Type &to) const {
  if (to == kIndex || to == kBool || from == kBool)
    return "";
  if (isFloat(to.dtype) && bitWidth(to.dtype) == 8 && !to.isOpaque())
    return fmt::format("write {}.sat({})", toString(to), text(id));
  std::string advice = fmt::format("write {}({})", toString(to), text(id));
  if (isExactCast(from, to))
    return advice + ", which is exact";
  if (isFloat(to.dtype))
    return advice + ", which rounds once, to nearest even, there";
  return advice + (isFloat(from.dtype) ? ", which rounds to nearest even and saturates"
                                       : ", which keeps the low bits");
}

void ExprChecker::mixedTypes(const Node &n, const std::string &what, NodeId leftId,
                             const Type &left, NodeId rightId, const Type &right) {
  Diagnostic &d = report_.error("type-mismatch", n.nameSpan.end ? n.nameSpan : n.span,
                                fmt::format("expected one type in {}, found {} and {}", what,
                                            toString(left), toString(right)));
  d.labels.insert(d.labels.begin(),
                  {{node(leftId).span, toString(left)}, {node(rightId).span, toString(right)}});
  // Prefer the cast that loses nothing; else towards the float, the wider, or what is no parameter.
  const bool castsLeft = isExactCast(left, right) || left.dtype == DType::Index ||
                         (!isExactCast(right, left) && right.dtype != DType::Index &&
                          ((!isFloat(left.dtype) && isFloat(right.dtype)) || left.isOpaque()));
  if (!left.isOpaque() && !right.isOpaque() &&
      ((left.dtype == DType::BF16 && right.dtype == DType::F16) ||
       (left.dtype == DType::F16 && right.dtype == DType::BF16)))
    d.help = fmt::format("write f32({}) and f32({}), which are exact", text(leftId), text(rightId));
  else
    d.help = castsLeft ? castAdvice(leftId, left, right) : castAdvice(rightId, right, left);
}

void ExprChecker::mismatch(NodeId id, const Type &want, const Type &found,
                           const std::string &what) {
  report_
      .error("type-mismatch", node(id).span,
             fmt::format("expected {} for {}, found {}", toString(want), what, toString(found)))
      .help = castAdvice(id, found, want);
}

} // namespace ordo::dsl
