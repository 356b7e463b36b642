// Modules, their declarations, and how names reach from one to another.
#pragma once

#include "dsl/sema/report.h"
#include "dsl/syntax/ast.h"

#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ordo::dsl {

struct Module;

/// A declaration of some module.
struct Symbol {
  const Module *module = nullptr;
  NodeId decl = kNoNode;

  const Node &node() const;
  bool operator==(const Symbol &) const = default;
};

struct Module {
  std::string path; // as opened
  Ast ast;
  std::unordered_map<std::string, NodeId> symbols; // operators, functions, orders, lets
  std::unordered_map<std::string, NodeId> kernels; // in a space of their own
  std::unordered_map<std::string, Symbol> imports; // `use math (exp)`
  std::vector<const Module *> uses;                // `use nn.norm`
};

inline const Node &Symbol::node() const { return module->ast[decl]; }

/// Every module of a package; the first is the file that was asked for.
struct ModuleSet {
  std::deque<Module> modules;

  const Module &root() const { return modules.front(); }
};

/// Reads `path` and whatever it uses, transitively; see Package::load. False after errors.
bool loadModules(const std::string &path, const std::vector<std::string> &roots,
                 SourceManager &sources, Diagnostics &diagnostics, ModuleSet &set);

/// What `name` means at the level of `module`: its own declaration, an imported one, or one of a
/// module used as a whole, there also as `norm.name` and `nn.norm.name`. Reports nothing and
/// returns nothing when there is none; `ambiguous` is set when two used modules offer it.
std::optional<Symbol> lookup(const Module &module, const std::string &name,
                             bool *ambiguous = nullptr);

/// Names that `lookup` would find, for "did you mean".
std::vector<std::string> visibleNames(const Module &module, NodeKind kind);

/// "an operator", "a function", … of a declaration's kind.
std::string_view describe(NodeKind kind);

} // namespace ordo::dsl
