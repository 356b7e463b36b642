// What an operator promises: `assume`.
#include "dsl/sema/expr.h"
#include "dsl/sema/extents.h"

namespace ordo::dsl {
namespace {

constexpr Type kIndex{DType::Index, nullptr};
constexpr Type kBool{DType::Bool, nullptr};

} // namespace

bool ExprChecker::checkAssumption(NodeId id, Scope &scope) {
  const Frame frame(*this, scope);
  const std::size_t mark = scope.size();
  const std::size_t facts = algebra_.factCount();
  Assumption assumption;
  const Node &n = node(id);
  assumption.text = report_.text(n.span);
  assumption.span = n.span;
  const bool isFine = n.kind == NodeKind::Forall     ? assumeForAll(n, assumption)
                      : n.kind == NodeKind::Distinct ? assumeOver(n, 1, assumption)
                      : n.kind == NodeKind::Disjoint ? assumeOver(n, 2, assumption)
                                                     : assumePlainly(id, assumption);
  algebra_.forget(facts);
  scope.shrink(mark);
  if (!isFine)
    return false;
  if (assumption.kind == Assumption::Kind::Holds && assumption.vars.empty())
    algebra_.assume(assumption.condition);
  else if (assumption.kind == Assumption::Kind::Holds)
    algebra_.assumeForAll(assumption.vars, assumption.where, assumption.condition);
  program_.assumptions.push_back(std::move(assumption));
  return true;
}

bool ExprChecker::assumePlainly(NodeId id, Assumption &assumption) {
  assumption.condition = withinAs(id, kBool, "`assume`").id;
  return assumption.condition != kNone;
}

// forall t, n in B where c: condition
bool ExprChecker::assumeForAll(const Node &n, Assumption &assumption) {
  const NodeId where = n.kids[n.kids.size() - 2], condition = n.kids.back();
  // All extents first: the variables are not in scope while they are sought.
  std::vector<ExprId> extents;
  for (std::size_t i = 0; i + 2 < n.kids.size(); ++i) {
    const Node &name = node(n.kids[i]);
    if (name.kind == NodeKind::Binder) {
      extents.push_back(kNone);
      continue;
    }
    auto uses = findExtents(name.text, condition, *scope_, program_);
    if (uses.empty() && where != kNoNode)
      uses = findExtents(name.text, where, *scope_, program_);
    if (uses.empty()) {
      report_
          .error("unknown-extent", name.span,
                 fmt::format("nothing shows how far `{}` runs", name.text))
          .help =
          fmt::format("index a tensor with plain `{0}`, or write forall {0} in …", name.text);
      return false;
    }
    extents.push_back(uses[0].extent);
  }
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const Node &name = node(n.kids[i]);
    if (name.kind == NodeKind::Binder) {
      if (!bindBinders(std::span(n.kids).subspan(i, 1), assumption.vars))
        return false;
      continue;
    }
    assumption.vars.push_back(bindVariable(name.text, name.span, extents[i], *scope_));
    if (assumption.vars.back() == kNone)
      return false;
  }
  if (!guard(where, assumption.where))
    return false;
  assumption.condition = withinAs(condition, kBool, "the condition of `forall`").id;
  return assumption.condition != kNone;
}

// distinct(value for n in B where c), disjoint(start, length for r in R where c)
bool ExprChecker::assumeOver(const Node &n, std::size_t values, Assumption &assumption) {
  const std::span<const NodeId> kids(n.kids);
  if (!bindBinders(kids.subspan(values, kids.size() - values - 1), assumption.vars) ||
      !guard(kids.back(), assumption.where))
    return false;
  assumption.kind = values == 1 ? Assumption::Kind::Distinct : Assumption::Kind::Disjoint;
  for (std::size_t i = 0; i < values; ++i) {
    const Value value = within(kids[i], &kIndex);
    if (!value)
      return false;
    if (value.type != kIndex && !isInteger(value.type.dtype)) {
      report_.error("type-mismatch", node(kids[i]).span,
                    fmt::format("expected an integer in `{}`, found {}",
                                values == 1 ? "distinct" : "disjoint", toString(value.type)));
      return false;
    }
    (i == 0 ? assumption.value : assumption.length) = value.id;
  }
  return true;
}

} // namespace ordo::dsl
