#include "dsl/sema/extents.h"

#include <fmt/format.h>

#include <algorithm>

namespace ordo::dsl {
std::vector<ExprId> axesOf(const Entry &entry, const Program &program) {
  if (entry.kind == Entry::Kind::Tensor)
    return program.tensors[entry.number].shape;
  std::vector<ExprId> extents;
  if (entry.kind == Entry::Kind::Definition)
    extents = program.shapeOf(program.definitions[entry.number]);
  if (entry.kind == Entry::Kind::Carry)
    for (VarId var : program.carries[entry.number].vars)
      extents.push_back(program.vars[var].extent);
  return extents;
}

std::vector<ExtentUse> findExtents(const std::string &variable, NodeId root, const Scope &scope,
                                   const Program &program) {
  const Ast &ast = scope.module().ast;
  std::vector<ExtentUse> uses;
  std::vector<NodeId> open = {root};
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    if (id == kNoNode)
      continue;
    const Node &n = ast[id];
    open.insert(open.end(), n.kids.rbegin(), n.kids.rend());
    if (n.kind != NodeKind::Index || ast[n.kids[0]].kind != NodeKind::Name)
      continue;
    const Entry *entry = scope.find(ast[n.kids[0]].text);
    if (!entry)
      continue;
    const std::vector<ExprId> axes = axesOf(*entry, program);
    for (std::size_t axis = 0; axis < axes.size() && axis + 1 < n.kids.size(); ++axis)
      if (const Node &index = ast[n.kids[axis + 1]];
          index.kind == NodeKind::Name && index.text == variable)
        uses.push_back({axes[axis], index.span, fmt::format("axis {} of `{}`", axis, entry->name)});
  }
  std::ranges::sort(uses, {}, [](const ExtentUse &use) { return use.span.begin; });
  return uses;
}

} // namespace ordo::dsl
