// Reductions.
#include "dsl/sema/expr.h"

#include "dsl/sema/print.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace ordo::dsl {
namespace {

constexpr std::array<std::pair<std::string_view, ReduceOp>, 7> kReductions = {{
    {"sum", ReduceOp::Sum},
    {"max", ReduceOp::Max},
    {"min", ReduceOp::Min},
    {"max_nan", ReduceOp::MaxNan},
    {"min_nan", ReduceOp::MinNan},
    {"dot", ReduceOp::Dot},
    {"count", ReduceOp::Count},
}};

constexpr Type kIndex{DType::Index, nullptr};
constexpr Type kBool{DType::Bool, nullptr};
constexpr Type kI32{DType::I32, nullptr};

bool isFused(const Stage &stage) {
  return stage.kind == Stage::Kind::Fma || stage.kind == Stage::Kind::Mma;
}

// Whether the float type has exactly this value.
bool holds(DType type, double value) {
  if (type == DType::F64 || value == 0 || std::isinf(value))
    return true;
  const FloatFormat f = floatFormat(type);
  int exponent = 0;
  const double fraction = std::frexp(std::abs(value), &exponent); // value = fraction * 2^exponent
  if (exponent - 1 > f.bias)
    return false;
  const int last = std::max(exponent - 1, 1 - f.bias) - f.mantissaBits;
  const double scaled = std::ldexp(fraction, exponent - last);
  return scaled == std::floor(scaled);
}

} // namespace

Value ExprChecker::reduction(const Node &n, const Type *hint) {
  const std::size_t binders = n.kids.size() - 3;
  const NodeId order = n.kids[binders], where = n.kids[binders + 1], body = n.kids[binders + 2];
  Reduction reduction;
  reduction.op =
      std::ranges::find(kReductions, n.text, &std::pair<std::string_view, ReduceOp>::first)->second;
  reduction.span = n.span;
  const std::size_t mark = scope_->size();
  const std::size_t facts = algebra_.factCount();
  bool isFine = bindBinders(std::span(n.kids).first(binders), reduction.vars);
  isFine = isFine && guard(where, reduction.where);
  Value value;
  if (isFine)
    value = reductionBody(n, reduction.op, body, hint);
  algebra_.forget(facts);
  scope_->shrink(mark);
  if (!value)
    return {};
  Type result = value.type;
  if (reduction.op == ReduceOp::Count)
    result = hint && isInteger(hint->dtype) ? *hint : kI32;
  if (!reductionOrder(n, order, result, reduction))
    return {};
  reduction.body = value.id;
  program_.reductions.push_back(std::move(reduction));
  return {make(Op::Reduce, result.dtype, n.span, {}, program_.reductions.size() - 1), result};
}

bool ExprChecker::checkGuard(NodeId condition, Scope &scope, ExprId &where) {
  const Frame frame(*this, scope);
  return guard(condition, where);
}

// A condition that always holds is none.
bool ExprChecker::guard(NodeId condition, ExprId &where) {
  if (condition == kNoNode)
    return true;
  const Value value = withinAs(condition, kBool, "`where`");
  if (!value)
    return false;
  if (value.id != program_.constant(DType::Bool, 1)) {
    where = value.id;
    algebra_.assume(value.id);
  }
  return true;
}

bool ExprChecker::bindVariables(std::span<const NodeId> binders, Scope &scope,
                                std::vector<VarId> &vars) {
  const Frame frame(*this, scope);
  return bindBinders(binders, vars);
}

bool ExprChecker::bindBinders(std::span<const NodeId> binders, std::vector<VarId> &vars) {
  for (NodeId id : binders) {
    const Node &binder = node(id);
    const std::string what = fmt::format("the extent of `{}`", binder.text);
    const Value given = within(binder.kids[0], &kIndex);
    if (!given)
      return false;
    if (given.type != kIndex && !isInteger(given.type.dtype)) {
      mismatch(binder.kids[0], kIndex, given.type, what);
      return false;
    }
    const ExprId extent = algebra_.indexOf(given.id); // an integer from data is an extent, too
    if (!algebra_.provesNonNegative(extent) &&
        (!isGeneric() || program_.constantIndex(extent).has_value())) {
      reportExtent(node(binder.kids[0]).span, what, extent);
      return false;
    }
    vars.push_back(bindVariable(binder.text, binder.nameSpan, extent, *scope_));
    if (vars.back() == kNone)
      return false;
  }
  return true;
}

VarId ExprChecker::bindVariable(const std::string &name, Span span, ExprId extent, Scope &scope) {
  const Frame frame(*this, scope);
  const auto var = static_cast<VarId>(program_.vars.size());
  program_.vars.push_back({name, extent});
  return bindAs(name, span, var) ? var : kNone;
}

// A variable that there is, under this name.
bool ExprChecker::bindAs(const std::string &name, Span span, VarId var) {
  const ExprId value = program_.make(Op::Var, DType::Index, var);
  program_.setSpan(value, span);
  Entry entry{Entry::Kind::Variable, name, span, {value, kIndex}, kNone, {}};
  return scope_->declare(std::move(entry), report_);
}

Value ExprChecker::reductionBody(const Node &n, ReduceOp op, NodeId body, const Type *hint) {
  if (op == ReduceOp::Dot)
    return dotBody(n, body);
  if (op == ReduceOp::Count)
    return withinAs(body, kBool, "the body of `count`");
  const Value value = within(body, hint);
  if (!value)
    return {};
  const bool keepsNan = op == ReduceOp::MaxNan || op == ReduceOp::MinNan;
  if (!isComputable(value.type) && (keepsNan || !isInteger(value.type.dtype)))
    return badOperand(n, fmt::format("`{}`", n.text), value.type);
  return value;
}

// dot: the operands are converted, exactly, to the accumulator's type, and the product rounds
// there.
Value ExprChecker::dotBody(const Node &n, NodeId body) {
  const Node &pair = node(body);
  if (pair.kind != NodeKind::Tuple || pair.kids.size() != 2) {
    report_.error("wrong-arity", pair.span, "expected dot[…](a, b) with two operands");
    return {};
  }
  std::vector<Value> values;
  if (!unify(pair.kids, nullptr, n, "`dot`", values))
    return {};
  const Type type = values[0].type;
  if (!isFloat(type.dtype) && !type.isOpaque())
    return badOperand(n, "`dot`", type);
  const Type wide{!type.isOpaque() && type.dtype == DType::F64 ? DType::F64 : DType::F32, nullptr};
  for (std::size_t i = 0; i < 2; ++i)
    if (values[i].type != wide)
      values[i].id = make(Op::Cast, wide.dtype, node(pair.kids[i]).span, {values[i].id});
  return {make(Op::Mul, wide.dtype, pair.span, {values[0].id, values[1].id}), wide};
}

bool ExprChecker::reductionOrder(const Node &n, NodeId order, const Type &type,
                                 Reduction &reduction) {
  const bool isSum = reduction.op == ReduceOp::Sum || reduction.op == ReduceOp::Dot;
  const bool needsOrder = isSum && isFloat(type.dtype);
  if (order == kNoNode) {
    if (needsOrder)
      report_
          .error("missing-order", n.nameSpan,
                 fmt::format("`{}` over {} rounds at every step, so it needs an order", n.text,
                             toString(type)))
          .help = fmt::format("write {}[… by seq], or another order", n.text);
    return !needsOrder;
  }
  if (!needsOrder) {
    report_
        .error(
            "order-not-needed", node(order).span,
            fmt::format("`{}` over {} gives the same bits in every order", n.text, toString(type)))
        .help = "remove `by` and what follows it";
    return false;
  }
  auto resolved = checkOrder(order, *scope_);
  if (!resolved)
    return false;
  for (const Stage &stage : resolved->stages) {
    if (isFused(stage) && reduction.op != ReduceOp::Dot) {
      report_.error("bad-order", node(order).span,
                    fmt::format("`{}` multiplies and adds in one step, and only `dot` has products",
                                toString(stage)));
      return false;
    }
    for (const auto &value : {stage.start, stage.pad})
      if (value && !type.isOpaque() && !holds(type.dtype, *value)) {
        report_.error("bad-order", node(order).span,
                      fmt::format("{} of `{}` is not a value of {}", *value, toString(stage),
                                  toString(type)));
        return false;
      }
  }
  reduction.order = std::move(*resolved);
  return true;
}

} // namespace ordo::dsl
