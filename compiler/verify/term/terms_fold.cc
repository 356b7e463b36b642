// Folds over a number of steps that need not be known. Bound names are brought to canonical ones,
// so that equal folds are one node whatever their steps were called.
#include "compiler/verify/machine/fault.h"
#include "compiler/verify/term/substitution.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace ordo::verify {

bool Terms::mentions(NodeId root, NodeId symbol) const {
  bool found = false;
  forNodes(root, symbol, [&](NodeId id, const Node &) { found |= id == symbol; });
  return found;
}

/// 0 for a term without folds, one more for each level of them.
unsigned Terms::foldLevel(NodeId root) {
  std::vector<NodeId> stack = {root};
  while (!stack.empty()) {
    const NodeId id = stack.back();
    if (levels_.contains(id)) {
      stack.pop_back();
      continue;
    }
    const Node n = pool_.node(id);
    unsigned level = n.kind == Kind::Fold ? foldLevels_.at(id) + 1 : 0;
    bool isReady = true;
    forEachOf(id, n, [&](NodeId operand) {
      const auto it = levels_.find(operand);
      if (it != levels_.end())
        level = std::max(level, it->second);
      else
        stack.push_back(operand), isReady = false;
    });
    if (isReady)
      levels_[id] = level;
  }
  return levels_.at(root);
}

NodeId Terms::boundSymbol(unsigned level, Sort sort, bool isStep) {
  const std::array<std::uint64_t, 3> key = {level, std::uint64_t{isStep},
                                            std::uint64_t{sort.width} << 8 |
                                                static_cast<std::uint64_t>(sort.format)};
  const auto it = boundSymbols_.find(key);
  if (it != boundSymbols_.end())
    return it->second;
  const NodeId symbol = unnamed(fmt::format("{}{}", isStep ? "step" : "carried", level), sort);
  boundSymbols_[key] = symbol;
  return symbol;
}

NodeId Terms::unnamed(std::string name, Sort sort) {
  pool_.symbols.push_back(std::move(name));
  return pool_.make(Kind::Symbol, sort, pool_.symbols.size() - 1);
}

NodeId Terms::fold(AffineId count, NodeId first, NodeId next, NodeId carried, NodeId step) {
  const Sort sort = pool_.node(next).sort;
  if (!(pool_.node(first).sort == sort) || !(pool_.node(carried).sort == sort))
    throw DomainError("a value that a loop carries changes its type");
  const auto steps = affine_.constantOf(count);
  if (steps == 0)
    return first;
  if (!steps || *steps < 0 || !sort.isFloat())
    return namedFold(count, first, {next, carried, step});
  // Names of their own: what is known of the loop's step is not true of a step's other numbers.
  const NodeId ownStep = unnamed("step", pool_.node(step).sort);
  const NodeId ownCarried = unnamed("carried", sort);
  const NodeId body = Substitution(*this, {{carried, ownCarried}, {step, ownStep}})(next);
  return canonicalFold({*steps, first, {body, ownCarried, ownStep}});
}

std::vector<Term> Terms::atStep(std::span<const NodeId> values, NodeId step, std::int64_t number) {
  Substitution with(*this, {}, StepChange{step, std::nullopt, 1, number, 1});
  std::vector<Term> result;
  for (const NodeId value : values) {
    Term at;
    try {
      at = valueOf(with(value));
    } catch (const DomainError &) { // a number beyond 64 bits
    }
    result.push_back(with.hasFailed() ? Term{} : at);
  }
  return result;
}

/// The node, under the names that every fold of its level has.
NodeId Terms::namedFold(AffineId count, NodeId first, const FoldStep &s) {
  const unsigned level = foldLevel(s.next);
  const Sort sort = pool_.node(s.next).sort;
  const NodeId carriedName = boundSymbol(level, sort, false);
  const NodeId stepName = boundSymbol(level, pool_.node(s.step).sort, true);
  const NodeId body = Substitution(*this, {{s.carried, carriedName}, {s.step, stepName}})(s.next);
  const NodeId result = pool_.make(Kind::Fold, sort, count, {first, body, carriedName, stepName});
  foldLevels_[result] = level;
  return result;
}

} // namespace ordo::verify
