// From a path to a set of modules:
//   1. read and parse the file, and check that its module line agrees with where it lies
//   2. the part of the path above the module is the first root
//   3. read each module it uses from the first root that has it, until nothing new is named
//   4. refuse cycles, then declare each module's names, then bind its imports
//   5. declare each profile's names: they may not hide those of its module
#include "dsl/sema/module.h"

#include "dsl/sema/builtins.h"
#include "dsl/syntax/parser.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

namespace ordo::dsl {
namespace {

namespace fs = std::filesystem;

std::string relativePath(const std::string &module) {
  std::string path = module;
  std::ranges::replace(path, '.', '/');
  return path + ".ordo";
}

std::optional<std::string> readFile(const std::string &path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error))
    return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  if (!in)
    return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}

class Loader {
public:
  Loader(std::vector<std::string> roots, SourceManager &sources, Diagnostics &diagnostics,
         ModuleSet &set)
      : roots_(std::move(roots)), sources_(sources), diagnostics_(diagnostics), set_(set),
        report_(sources, diagnostics) {}

  bool run(const std::string &path) {
    if (!loadRoot(path))
      return false;
    // The queue grows while it is read: breadth first, each module once.
    for (std::size_t i = 0; i < set_.modules.size(); ++i)
      loadUses(set_.modules[i]);
    if (report_.errorCount() == 0 && !refuseCycles()) {
      for (Module &module : set_.modules)
        declare(module, module.ast.declarations);
      for (Module &module : set_.modules)
        bindImports(module);
      for (const Module &module : set_.modules)
        declareProfiles(module);
    }
    return report_.errorCount() == 0;
  }

private:
  bool loadRoot(const std::string &path) {
    const auto text = readFile(path);
    if (!text) {
      const std::uint32_t file = sources_.add(path, "");
      report_.error("missing-file", {file, 0, 0}, fmt::format("cannot read `{}`", path));
      return false;
    }
    Module *module = parseModule(path, *text);
    if (!module || !agrees(*module))
      return false;
    byName_[module->ast.module] = module;
    return true;
  }

  Module *parseModule(const std::string &path, const std::string &text) {
    const std::uint32_t file = sources_.add(path, text);
    Module &module = set_.modules.emplace_back();
    module.path = path;
    return parse(file, sources_, diagnostics_, module.own) ? &module : nullptr;
  }

  // The root file's own module line gives the first root: PATH less module components.
  bool agrees(const Module &module) {
    const Ast &ast = module.ast;
    if (ast.module.empty()) {
      report_
          .error("missing-module-line", {ast.file, 0, 0},
                 "expected `module NAME` as the first line, found none")
          .help = fmt::format("write `module {}`", fs::path(module.path).stem().string());
      return false;
    }
    const std::string expected = relativePath(ast.module);
    std::error_code error;
    const fs::path absolute = fs::absolute(module.path, error).lexically_normal();
    const std::string generic = absolute.generic_string();
    if (!generic.ends_with("/" + expected)) {
      report_.error("module-path", ast.moduleSpan,
                    fmt::format("module `{}` lies in a file that ends with `{}`, found `{}`",
                                ast.module, expected, module.path));
      return false;
    }
    roots_.insert(roots_.begin(), generic.substr(0, generic.size() - expected.size() - 1));
    return true;
  }

  void loadUses(Module &module) {
    for (NodeId id : module.ast.declarations) {
      const Node &use = module.ast[id];
      if (use.kind != NodeKind::Use)
        continue;
      if (!byName_.contains(use.text))
        loadUsed(use);
    }
  }

  void loadUsed(const Node &use) {
    for (const std::string &root : roots_) {
      const std::string path = (fs::path(root) / relativePath(use.text)).generic_string();
      const auto text = readFile(path);
      if (!text)
        continue;
      Module *module = parseModule(path, *text);
      byName_[use.text] = module; // even when refused: one report is enough
      if (!module || module->ast.module == use.text)
        return;
      const Ast &ast = module->ast;
      if (ast.module.empty())
        report_.error("missing-module-line", {ast.file, 0, 0},
                      fmt::format("expected `module {}` as the first line, found none", use.text),
                      {use.nameSpan, "used here"});
      else
        report_.error("module-path", ast.moduleSpan,
                      fmt::format("expected module `{}`, found `{}`", use.text, ast.module),
                      {use.nameSpan, "used here"});
      return;
    }
    byName_[use.text] = nullptr;
    Diagnostic &d = report_.error("missing-module", use.nameSpan,
                                  fmt::format("there is no module `{}`", use.text));
    d.help = suggestion(use.text, modulesBeside(use.text));
    if (d.help.empty()) {
      d.help = fmt::format("looked for `{}` under", relativePath(use.text));
      for (const std::string &root : roots_)
        d.help += fmt::format(" `{}`", root);
    }
  }

  // The modules in the folder where `name` was expected.
  std::vector<std::string> modulesBeside(const std::string &name) const {
    const std::size_t dot = name.rfind('.');
    const std::string prefix = dot == std::string::npos ? "" : name.substr(0, dot + 1);
    std::vector<std::string> names;
    for (const std::string &root : roots_) {
      std::error_code error;
      const fs::path folder = (fs::path(root) / relativePath(name)).parent_path();
      for (const auto &entry : fs::directory_iterator(folder, error))
        if (entry.path().extension() == ".ordo")
          names.push_back(prefix + entry.path().stem().string());
    }
    std::ranges::sort(names);
    return names;
  }

  // Depth-first with an explicit stack; the way back to a module still open is a cycle.
  bool refuseCycles() {
    struct Frame {
      const Module *module;
      std::size_t next;
    };
    std::map<const Module *, int> state; // 1 open, 2 done
    std::vector<Frame> stack = {{&set_.root(), 0}};
    state[&set_.root()] = 1;
    while (!stack.empty()) {
      Frame &frame = stack.back();
      const Ast &ast = frame.module->ast;
      if (frame.next == ast.declarations.size()) {
        state[frame.module] = 2;
        stack.pop_back();
        continue;
      }
      const Node &use = ast[ast.declarations[frame.next++]];
      if (use.kind != NodeKind::Use)
        continue;
      const Module *target = byName_.at(use.text);
      if (state[target] == 1) {
        std::string chain;
        bool inside = false;
        for (const Frame &open : stack) {
          inside = inside || open.module == target;
          if (inside)
            chain += open.module->ast.module + " → ";
        }
        report_
            .error("module-cycle", use.nameSpan,
                   fmt::format("modules use each other: {}{}", chain, use.text))
            .help = "move what both need into a module that uses neither";
        return true;
      }
      if (state[target] == 0) {
        state[target] = 1;
        stack.push_back({target, 0});
      }
    }
    return false;
  }

  // Each of `ids` that has a name of the module's.
  void declare(Module &module, const std::vector<NodeId> &ids) {
    for (NodeId id : ids) {
      const Node &node = module.ast[id];
      switch (node.kind) {
      case NodeKind::Use:
      case NodeKind::Profile:
      case NodeKind::ProfileTarget:
      case NodeKind::Forbid:
        continue;
      default:
        break;
      }
      if (isReservedName(node.text)) {
        report_
            .error("reserved-name", node.nameSpan,
                   fmt::format("`{}` is a name of the language", node.text))
            .help = "choose another name";
        continue;
      }
      auto &space = node.kind == NodeKind::Kernel ? module.kernels : module.symbols;
      const auto [it, isNew] = space.emplace(node.text, id);
      if (!isNew)
        reportDuplicate(node.nameSpan, node.text, module.ast[it->second].nameSpan);
    }
  }

  void reportDuplicate(Span span, const std::string &name, Span first) {
    report_.error("duplicate-name", span, fmt::format("`{}` is already declared", name),
                  {first, "declared here"});
  }

  void declareProfiles(const Module &module) {
    std::map<std::string, Span> symbols; // of kernels, whose symbols must differ too
    for (const auto &[name, id] : module.kernels)
      symbols.emplace(name, module.ast[id].nameSpan);
    std::map<std::string, Span> profiles;
    for (NodeId id : module.ast.declarations) {
      const Node &node = module.ast[id];
      if (node.kind != NodeKind::Profile)
        continue;
      if (const auto [at, isNew] = profiles.emplace(node.text, node.nameSpan); !isNew)
        reportDuplicate(node.nameSpan, node.text, at->second);
      Module &names = set_.profiles.emplace_back(module, id).names;
      declare(names, node.kids);
      for (NodeId kid : node.kids)
        refuseHiding(module, names, kid);
      for (const auto &[kernel, decl] : names.kernels) {
        const Span span = module.ast[decl].nameSpan;
        const auto [at, isNew] = symbols.emplace(symbolOf(node.text, kernel), span);
        if (!isNew)
          reportDuplicate(span, symbolOf(node.text, kernel), at->second);
      }
    }
  }

  void refuseHiding(const Module &module, const Module &names, NodeId id) {
    const Node &node = module.ast[id];
    const auto it = names.symbols.find(node.text);
    if (it == names.symbols.end() || it->second != id)
      return;
    if (const auto own = module.symbols.find(node.text); own != module.symbols.end())
      reportDuplicate(node.nameSpan, node.text, module.ast[own->second].nameSpan);
    else if (const auto import = module.imports.find(node.text); import != module.imports.end())
      reportDuplicate(node.nameSpan, node.text, import->second.node().nameSpan);
  }

  void bindImports(Module &module) {
    std::map<std::string, Span> importedAt;
    for (NodeId id : module.ast.declarations) {
      const Node &use = module.ast[id];
      if (use.kind != NodeKind::Use)
        continue;
      const Module *target = byName_.at(use.text);
      if (use.kids.empty() && std::ranges::find(module.uses, target) == module.uses.end())
        module.uses.push_back(target);
      for (NodeId kid : use.kids)
        bindImport(module, *target, module.ast[kid], importedAt);
    }
  }

  void bindImport(Module &module, const Module &target, const Node &name,
                  std::map<std::string, Span> &importedAt) {
    const auto it = target.symbols.find(name.text);
    if (it == target.symbols.end()) {
      std::vector<std::string> candidates;
      for (const auto &[candidate, decl] : target.symbols)
        candidates.push_back(candidate);
      std::ranges::sort(candidates);
      report_
          .error("unknown-name", name.span,
                 fmt::format("module `{}` declares no `{}`", target.ast.module, name.text))
          .help = suggestion(name.text, candidates);
      return;
    }
    if (const auto own = module.symbols.find(name.text); own != module.symbols.end()) {
      report_.error("duplicate-name", name.span,
                    fmt::format("`{}` is already declared in this module", name.text),
                    {module.ast[own->second].nameSpan, "declared here"});
      return;
    }
    const auto [at, isNew] = importedAt.emplace(name.text, name.span);
    if (!isNew) {
      report_.error("duplicate-name", name.span, fmt::format("`{}` is imported twice", name.text),
                    {at->second, "first imported here"});
      return;
    }
    module.imports.emplace(name.text, Symbol{&target, it->second});
  }

  std::vector<std::string> roots_;
  SourceManager &sources_;
  Diagnostics &diagnostics_;
  ModuleSet &set_;
  Reporter report_;
  std::map<std::string, Module *> byName_;
};

} // namespace

bool loadModules(const std::string &path, const std::vector<std::string> &roots,
                 SourceManager &sources, Diagnostics &diagnostics, ModuleSet &set) {
  return Loader(roots, sources, diagnostics, set).run(path);
}

} // namespace ordo::dsl
