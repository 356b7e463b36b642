// argmax and top: the best candidates under keys that leave no tie.
#include "dsl/sema/expr.h"

#include <algorithm>

namespace ordo::dsl {
namespace {

constexpr Type kIndex{DType::Index, nullptr};
constexpr Type kI32{DType::I32, nullptr};

} // namespace

Value ExprChecker::ranking(const Node &n) {
  const std::size_t mark = scope_->size();
  const std::size_t facts = algebra_.factCount();
  Reduction reduction;
  reduction.op = n.text == "top" ? ReduceOp::Top : ReduceOp::ArgMax;
  reduction.span = n.span;
  const NodeId count = n.kids[0], where = n.kids[2];
  if (reduction.op == ReduceOp::Top) {
    reduction.count = withinAs(count, kIndex, "how many `top` gives").id;
    if (reduction.count == kNone)
      return {};
  }
  const ExprId slot = reduction.op == ReduceOp::Top ? slotOf(n, reduction) : program_.index(0);
  bool isFine = slot != kNone && bindBinders(std::span(n.kids).subspan(1, 1), reduction.vars);
  isFine = isFine && guard(where, reduction.where);
  isFine =
      isFine && rankKeys(n, 3, program_.make(Op::Var, DType::Index, reduction.vars[0]), reduction);
  algebra_.forget(facts);
  scope_->shrink(mark);
  if (!isFine || !hasEnough(n, reduction))
    return {};
  program_.reductions.push_back(std::move(reduction));
  const std::uint64_t payload = program_.reductions.size() - 1;
  if (n.text == "top")
    return {make(Op::Reduce, DType::I32, n.span, {slot}, payload), kI32};
  return {make(Op::Reduce, DType::I32, n.span, {}, payload), kI32};
}

// Values, each with its direction; "NaN first" and "NaN last" speak of the key before them.
bool ExprChecker::rankKeys(const Node &n, std::size_t first, ExprId variable,
                           Reduction &reduction) {
  const std::size_t end = n.kids.size() - 1; // then the slot, or none
  bool breaksTies = false;
  for (std::size_t i = first; i < end; ++i) {
    const Node &key = node(n.kids[i]);
    if (key.text.starts_with("NaN")) {
      report_.error(
          "bad-ranking", key.span,
          fmt::format("`{}` stands after a floating-point key, and after one alone", key.text));
      return false;
    }
    const Value value = within(key.kids[0], nullptr);
    if (!value)
      return false;
    const bool isFloatKey = value.type.isOpaque() || isFloat(value.type.dtype);
    if (!isComputable(value.type) && !isInteger(value.type.dtype) && value.type != kIndex) {
      badOperand(key, fmt::format("a key of `{}`", n.text), value.type);
      return false;
    }
    RankKey made{value.id, key.text == "descending", false};
    if (isFloatKey) {
      const bool says = i + 1 < end && node(n.kids[i + 1]).text.starts_with("NaN");
      if (!says) {
        report_
            .error("bad-ranking", key.span,
                   fmt::format("nothing says where a NaN of `{}` goes", text(key.kids[0])))
            .help = fmt::format("write {} {}, NaN last", text(key.kids[0]), key.text);
        return false;
      }
      made.isNanFirst = node(n.kids[++i]).text == "NaN first";
    }
    breaksTies = breaksTies || value.id == variable;
    reduction.keys.push_back(made);
  }
  if (breaksTies)
    return true;
  const std::string &name = program_.vars[reduction.vars[0]].name;
  report_
      .error("bad-ranking", n.nameSpan,
             fmt::format("nothing says which of two equal candidates `{}` takes", n.text))
      .help = fmt::format("end the keys with the index: {} ascending", name);
  return false;
}

// The place that is asked for, shown to be one of them.
ExprId ExprChecker::slotOf(const Node &n, Reduction &reduction) {
  const NodeId id = n.kids.back();
  if (id == kNoNode) {
    report_.error("bad-ranking", n.nameSpan, "nothing says which place of `top` is meant").help =
        "end it with `at s`, where s is an index of the definition";
    return kNone;
  }
  Entry places{Entry::Kind::Let, n.text, n.nameSpan, {}, kNone, {}};
  return axisIndex(id, places, 0, reduction.count);
}

// What sizes alone refute is refused here; the rest is for the launch.
bool ExprChecker::hasEnough(const Node &n, const Reduction &reduction) {
  const auto extent = program_.constantIndex(program_.vars[reduction.vars[0]].extent);
  const auto count = reduction.count == kNone ? std::optional<std::int64_t>(1)
                                              : program_.constantIndex(reduction.count);
  if (!extent || !count || *count <= *extent)
    return true;
  report_.error("bad-ranking", n.nameSpan,
                fmt::format("`{}` needs {} {}, and there {} {}", n.text, *count,
                            *count == 1 ? "candidate" : "candidates", *extent == 1 ? "is" : "are",
                            *extent));
  return false;
}

} // namespace ordo::dsl
