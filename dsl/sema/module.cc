#include "dsl/sema/module.h"

#include <algorithm>
#include <iterator>

namespace ordo::dsl {
namespace {

std::string_view lastComponent(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

std::optional<Symbol> find(const Module &module, const std::string &name) {
  const auto it = module.symbols.find(name);
  if (it == module.symbols.end())
    return std::nullopt;
  return Symbol{&module, it->second};
}

} // namespace

std::optional<Symbol> lookup(const Module &module, const std::string &name, bool *ambiguous) {
  if (const auto own = find(module, name))
    return own;
  if (const auto it = module.imports.find(name); it != module.imports.end())
    return it->second;
  const std::size_t dot = name.rfind('.');
  const std::string qualifier = dot == std::string::npos ? "" : name.substr(0, dot);
  const std::string base = dot == std::string::npos ? name : name.substr(dot + 1);
  std::optional<Symbol> found;
  for (const Module *used : module.uses) {
    if (!qualifier.empty() && qualifier != used->ast.module &&
        qualifier != lastComponent(used->ast.module))
      continue;
    const auto symbol = find(*used, base);
    if (!symbol || (found && *found == *symbol))
      continue;
    if (found) {
      if (ambiguous)
        *ambiguous = true;
      return std::nullopt;
    }
    found = symbol;
  }
  if (!found && module.outer)
    return lookup(*module.outer, name, ambiguous);
  return found;
}

std::vector<std::string> visibleNames(const Module &module, NodeKind kind) {
  std::vector<std::string> names;
  for (const auto &[name, decl] : module.symbols)
    if (module.ast[decl].kind == kind)
      names.push_back(name);
  for (const auto &[name, symbol] : module.imports)
    if (symbol.node().kind == kind)
      names.push_back(name);
  for (const Module *used : module.uses)
    for (const auto &[name, decl] : used->symbols)
      if (used->ast[decl].kind == kind)
        names.push_back(name);
  if (module.outer)
    std::ranges::copy(visibleNames(*module.outer, kind), std::back_inserter(names));
  std::ranges::sort(names); // so that a suggestion does not depend on hashing
  return names;
}

std::string symbolOf(const std::string &profile, const std::string &kernel) {
  std::string symbol = profile + "_" + kernel;
  std::ranges::replace(symbol, '.', '_');
  return symbol;
}

std::string_view describe(NodeKind kind) {
  switch (kind) {
  case NodeKind::Op:
    return "an operator";
  case NodeKind::Fn:
    return "a function";
  case NodeKind::OrderDecl:
    return "an order";
  case NodeKind::LetDecl:
    return "a constant";
  case NodeKind::Kernel:
    return "a kernel";
  case NodeKind::View:
    return "a view";
  default:
    return "a declaration";
  }
}

} // namespace ordo::dsl
