#include "dsl/sema/package.h"

#include "dsl/sema/kernel.h"
#include "dsl/sema/module.h"
#include "dsl/sema/profile.h"

#include <algorithm>
#include <map>

namespace ordo::dsl {

struct Package::Impl {
  explicit Impl(const SourceManager &sources) : sources(sources) {}

  const SourceManager &sources;
  ModuleSet set;
  std::vector<KernelInfo> kernels;
  std::vector<std::pair<const Module *, NodeId>> places; // of `kernels`
  std::vector<ProfileInfo> profiles;
};

namespace {

// The check of every declaration by itself, before any kernel gives it numbers.
class DeclarationChecker {
public:
  DeclarationChecker(const ModuleSet &set, Reporter &report)
      : set_(set), report_(report), constants_(numbers_, report, Mode::Instance) {}

  void run() {
    for (const Module &module : set_.modules)
      for (NodeId id : module.ast.declarations)
        check({&module, id});
    for (const ProfileScope &profile : set_.profiles)
      for (NodeId id : profile.node().kids)
        check({&profile.names, id});
    refuseRecursion();
  }

private:
  void check(const Symbol &symbol) {
    Program scratch;
    switch (symbol.node().kind) {
    case NodeKind::LetDecl:
      constants_.constantOf(symbol);
      break;
    case NodeKind::OrderDecl:
      constants_.orderOf(symbol);
      break;
    case NodeKind::Fn:
      checkFunction(symbol, scratch);
      break;
    case NodeKind::Op: {
      static const std::set<std::string> kNothing;
      OperatorChecker(symbol, nullptr, kNothing, scratch, report_).run();
      break;
    }
    case NodeKind::View:
      ExprChecker(scratch, report_, Mode::Generic).checkView(symbol);
      break;
    default:
      break;
    }
  }

  void checkFunction(const Symbol &symbol, Program &scratch) {
    const Ast &ast = symbol.module->ast;
    const Node &fn = symbol.node();
    ExprChecker checker(scratch, report_, Mode::Generic);
    Scope scope(*symbol.module);
    bool isFine = true;
    for (std::uint32_t i = 0; i < fn.a; ++i) {
      const Node &param = ast[fn.kids[i]];
      const auto form = checker.formOf(param.kids[0], scope);
      isFine =
          checker.declareValue(param, form ? checker.opaque(*form) : Compound(), scope) && isFine;
    }
    const auto result = checker.formOf(fn.kids[fn.a], scope);
    if (!isFine || !result)
      return;
    const Compound value = checker.checkFormAs(fn.kids.back(), scope, *result,
                                               fmt::format("the result of `{}`", fn.text));
    calls_[{symbol.module, symbol.decl}] = checker.calls();
    for (const Entry &entry : scope.entries())
      if (value && !entry.isUsed)
        report_.warning("unused-parameter", entry.span,
                        fmt::format("parameter `{}` is never used", entry.name));
  }

  using Key = std::pair<const Module *, NodeId>;

  // Depth-first over the calls with an explicit stack; a call of a function still open is
  // recursion.
  void refuseRecursion() {
    std::map<Key, int> state; // 1 open, 2 done
    for (const auto &[root, calls] : calls_) {
      if (state[root] != 0)
        continue;
      std::vector<std::pair<Key, std::size_t>> stack = {{root, 0}};
      state[root] = 1;
      while (!stack.empty()) {
        auto &[key, next] = stack.back();
        const auto it = calls_.find(key);
        if (it == calls_.end() || next == it->second.size()) {
          state[key] = 2;
          stack.pop_back();
          continue;
        }
        const auto &[callee, span] = it->second[next++];
        const Key target{callee.module, callee.decl};
        if (state[target] == 1)
          reportRecursion(stack, target, span);
        else if (state[target] == 0) {
          state[target] = 1;
          stack.push_back({target, 0});
        }
      }
    }
  }

  void reportRecursion(const std::vector<std::pair<Key, std::size_t>> &stack, const Key &target,
                       Span span) {
    std::string chain;
    bool inside = false;
    for (const auto &[key, next] : stack) {
      inside = inside || key == target;
      if (inside)
        chain += key.first->ast[key.second].text + " → ";
    }
    report_.error("recursion", span,
                  fmt::format("functions are inlined, so none may call itself: {}{}", chain,
                              target.first->ast[target.second].text));
  }

  const ModuleSet &set_;
  Reporter &report_;
  Program numbers_;       // of the constants below
  ExprChecker constants_; // one for all, so that a refused constant is reported once
  std::map<Key, std::vector<std::pair<Symbol, Span>>> calls_;
};

} // namespace

Package::Package(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Package::~Package() = default;

std::unique_ptr<Package> Package::load(const std::string &path,
                                       const std::vector<std::string> &roots,
                                       SourceManager &sources, Diagnostics &diagnostics) {
  const std::size_t before = diagnostics.errorCount();
  auto impl = std::make_unique<Impl>(sources);
  try {
    if (!loadModules(path, roots, sources, diagnostics, impl->set))
      return nullptr;
    Reporter report(sources, diagnostics);
    DeclarationChecker(impl->set, report).run();
    describeDeclarations(impl->set, report, impl->kernels, impl->places, impl->profiles);
  } catch (const TooManyErrors &) {
    return nullptr;
  }
  if (diagnostics.errorCount() != before)
    return nullptr;
  return std::unique_ptr<Package>(new Package(std::move(impl)));
}

std::vector<std::string> Package::kernels() const {
  std::vector<std::string> names;
  for (const KernelInfo &kernel : impl_->kernels)
    names.push_back(kernel.name);
  return names;
}

const KernelInfo *Package::kernel(const std::string &name) const {
  const auto it = std::ranges::find(impl_->kernels, name, &KernelInfo::name);
  return it == impl_->kernels.end() ? nullptr : &*it;
}

const std::vector<ProfileInfo> &Package::profiles() const { return impl_->profiles; }

std::optional<Program> Package::instantiate(const std::string &name, Diagnostics &diagnostics,
                                            const std::string &target) const {
  Reporter report(impl_->sources, diagnostics);
  report.setWarns(false);
  const KernelInfo *info = kernel(name);
  if (!info) {
    const Ast &ast = root();
    report
        .error("unknown-kernel", {ast.file, 0, 0},
               fmt::format("module `{}` declares no kernel `{}`", ast.module, name))
        .help = suggestion(name, kernels());
    return std::nullopt;
  }
  const auto &[module, decl] =
      impl_->places[static_cast<std::size_t>(info - impl_->kernels.data())];
  const auto profile = std::ranges::find(impl_->profiles, info->profile, &ProfileInfo::name);
  const ProfileInfo *own = profile == impl_->profiles.end() ? nullptr : &*profile;
  if (!target.empty() && !hasTarget(*info, own, target, report))
    return std::nullopt;
  try {
    auto program = buildKernel(*module, decl, info->symbol, report);
    if (program && own && !resolveAtoms(*program, *info, *own, target, report))
      return std::nullopt;
    return program;
  } catch (const TooManyErrors &) {
    return std::nullopt;
  }
}

const Ast &Package::root() const { return impl_->set.root().ast; }

std::vector<Package::ModuleSource> Package::modules() const {
  std::vector<ModuleSource> modules;
  for (const Module &module : impl_->set.modules)
    modules.push_back({module.ast.module, module.ast.file});
  return modules;
}

} // namespace ordo::dsl
