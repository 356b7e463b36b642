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
  Module() : ast(own) {}
  /// The names of a profile: its own lets, orders and kernels, then whatever `outer` sees.
  explicit Module(const Module &outer) : path(outer.path), ast(outer.ast), outer(&outer) {}
  Module &operator=(const Module &) = delete;

  std::string path; // as opened
  Ast own;          // empty for a profile, whose nodes are its module's
  const Ast &ast;
  std::unordered_map<std::string, NodeId> symbols; // operators, functions, orders, lets
  std::unordered_map<std::string, NodeId> kernels; // in a space of their own
  std::unordered_map<std::string, Symbol> imports; // `use math (exp)`
  std::vector<const Module *> uses;                // `use nn.norm`
  const Module *outer = nullptr;                   // of a profile: the module that declares it
};

/// `profile NAME.vN { … }` of some module.
struct ProfileScope {
  ProfileScope(const Module &module, NodeId decl) : names(module), decl(decl) {}

  Module names;
  NodeId decl;

  const Node &node() const { return names.ast[decl]; }
};

inline const Node &Symbol::node() const { return module->ast[decl]; }

/// Every module of a package; the first is the file that was asked for.
struct ModuleSet {
  std::deque<Module> modules;
  std::deque<ProfileScope> profiles; // of all modules, in source order

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

/// The symbol of a profile's kernel: `qwen3_next_v1_o_proj`.
std::string symbolOf(const std::string &profile, const std::string &kernel);

/// "an operator", "a function", … of a declaration's kind.
std::string_view describe(NodeKind kind);

} // namespace ordo::dsl
