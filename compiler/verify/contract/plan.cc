#include "compiler/verify/contract/plan.h"

#include <algorithm>
#include <unordered_map>

namespace ordo::verify {

using dsl::ExprId;
using dsl::kNone;
using dsl::Op;
using dsl::VarId;

namespace {

/// Whether the node itself reads one of the variables.
bool reads(const dsl::Program &program, ExprId id, std::span<const VarId> variables) {
  const dsl::Expr &e = program.expr(id);
  const auto isOne = [&](VarId var) {
    return std::ranges::find(variables, var) != variables.end();
  };
  if (e.op == Op::Var)
    return isOne(static_cast<VarId>(e.payload));
  return e.op == Op::Reduce && !variables.empty() &&
         std::ranges::any_of(outerVariables(program, program.reductions.at(e.payload)), isOne);
}

} // namespace

Plan planOf(const dsl::Program &program, std::span<const ExprId> roots,
            std::span<const VarId> changing) {
  std::vector<ExprId> stack(roots.begin(), roots.end()), nodes;
  std::unordered_map<ExprId, std::uint32_t> position;
  while (!stack.empty()) {
    const ExprId id = stack.back();
    stack.pop_back();
    if (!position.emplace(id, 0).second)
      continue;
    nodes.push_back(id);
    stack.insert(stack.end(), program.args(id).begin(), program.args(id).end());
  }
  std::ranges::sort(nodes); // operands have smaller numbers
  Plan plan;
  for (const ExprId id : nodes) {
    position[id] = static_cast<std::uint32_t>(plan.steps.size());
    bool varies = reads(program, id, changing);
    for (const ExprId arg : program.args(id)) {
      plan.operands.push_back(position[arg]);
      varies = varies || plan.steps[position[arg]].varies;
    }
    plan.steps.push_back({id, varies});
  }
  for (const ExprId root : roots)
    plan.roots.push_back(position[root]);
  return plan;
}

std::vector<VarId> outerVariables(const dsl::Program &program, const dsl::Reduction &reduction) {
  std::vector<VarId> outer, bound;
  std::vector<ExprId> stack;
  const auto enter = [&](const dsl::Reduction &r) {
    stack.insert(stack.end(), {r.body, r.where});
    for (const VarId var : r.vars) { // a variable has one binder
      bound.push_back(var);
      stack.push_back(program.vars.at(var).extent);
    }
  };
  enter(reduction);
  std::unordered_map<ExprId, bool> seen;
  while (!stack.empty()) {
    const ExprId id = stack.back();
    stack.pop_back();
    if (id == kNone || !seen.emplace(id, true).second)
      continue;
    const dsl::Expr &e = program.expr(id);
    if (e.op == Op::Var)
      outer.push_back(static_cast<VarId>(e.payload));
    if (e.op == Op::Reduce)
      enter(program.reductions.at(e.payload));
    stack.insert(stack.end(), program.args(id).begin(), program.args(id).end());
  }
  std::erase_if(outer, [&](VarId var) { return std::ranges::find(bound, var) != bound.end(); });
  std::ranges::sort(outer);
  outer.erase(std::ranges::unique(outer).begin(), outer.end());
  return outer;
}

} // namespace ordo::verify
