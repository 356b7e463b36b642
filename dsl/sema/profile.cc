#include "dsl/sema/profile.h"

#include "dsl/sema/expr.h"

#include <algorithm>
#include <cctype>

namespace ordo::dsl {
namespace {

/// `NAME.vN`, N without leading zeros.
bool hasVersion(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  const std::string_view version = dot == std::string_view::npos ? "" : name.substr(dot + 1);
  return version.size() >= 2 && version[0] == 'v' && version[1] != '0' &&
         std::ranges::all_of(version.substr(1),
                             [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::vector<std::string> modelledAtoms() {
  std::vector<std::string> names;
  for (const AtomRule &rule : atoms())
    if (rule.arithmetic != AtomArithmetic::Unmodelled)
      names.emplace_back(rule.name);
  return names;
}

class Describer {
public:
  explicit Describer(Reporter &report)
      : report_(report), constants_(numbers_, report, Mode::Instance) {}

  KernelInfo kernel(const Module &module, const Node &n, const std::string &profile) {
    KernelInfo info{n.text, n.text, profile, n.nameSpan, {}, {}};
    if (!profile.empty()) {
      info.name = profile + "." + n.text;
      info.symbol = symbolOf(profile, n.text);
    }
    if (const Node &last = module.ast[n.kids.back()]; last.kind == NodeKind::Ranks)
      ranks(module, last, info);
    return info;
  }

  ProfileInfo profile(const ProfileScope &scope) {
    const Ast &ast = scope.names.ast;
    const Node &n = scope.node();
    ProfileInfo info{n.text, n.nameSpan, {}, {}, {}};
    if (!hasVersion(n.text))
      report_
          .error("profile-version", n.nameSpan,
                 fmt::format("expected a version at the end of `{}`", n.text))
          .help = fmt::format("for example {}.v1", n.text);
    for (NodeId id : n.kids) {
      const Node &kid = ast[id];
      if (kid.kind == NodeKind::ProfileTarget)
        target(ast, kid, info);
      if (kid.kind == NodeKind::Forbid)
        for (NodeId name : kid.kids)
          info.forbidden.push_back({ast[name].text, ast[name].span});
      if (kid.kind == NodeKind::Kernel)
        info.kernels.push_back(kid.text);
    }
    return info;
  }

private:
  void ranks(const Module &module, const Node &n, KernelInfo &info) {
    Scope scope(module);
    info.ranksSpan = n.span;
    for (NodeId id : n.kids) {
      const ExprId value = constants_.checkIndex(id, scope, "a number of ranks");
      if (value == kNone)
        continue;
      const auto number = numbers_.constantIndex(value);
      if (!number || *number < 1)
        report_.error("bad-ranks", module.ast[id].span, "expected a number of ranks of 1 or more");
      else if (std::ranges::find(info.ranks, *number) != info.ranks.end())
        report_.error("bad-ranks", module.ast[id].span, fmt::format("{} is given twice", *number));
      else
        info.ranks.push_back(*number);
    }
  }

  void target(const Ast &ast, const Node &n, ProfileInfo &info) {
    const auto same = std::ranges::find(info.targets, n.text,
                                        [](const ProfileInfo::Target &t) { return t.target.name; });
    if (same != info.targets.end())
      report_.error("duplicate-name", n.nameSpan,
                    fmt::format("target `{}` is already declared", n.text),
                    {same->target.span, "declared here"});
    ProfileInfo::Target made{{n.text, n.nameSpan}, nullptr, {}};
    for (NodeId id : n.kids)
      atom(ast, ast[id], made);
    info.targets.push_back(std::move(made));
  }

  void atom(const Ast &ast, const Node &n, ProfileInfo::Target &target) {
    const Node &name = ast[n.kids[0]];
    if (n.text != "mma") {
      report_.error("unknown-stage", n.nameSpan, fmt::format("no stage `{}` takes an atom", n.text))
          .help = "write atom mma = …";
      return;
    }
    const AtomRule *rule = findAtom(name.text);
    if (!rule) {
      Diagnostic &d =
          report_.error("unknown-atom", name.span, fmt::format("there is no atom `{}`", name.text));
      d.help = suggestion(name.text, modelledAtoms());
      if (d.help.empty())
        d.help = "for example nv.hopper.bf16 or amd.cdna3.bf16";
      return;
    }
    if (rule->arithmetic == AtomArithmetic::Unmodelled) {
      report_.error("unmodelled-atom", name.span,
                    fmt::format("atom `{}` is not modelled: {}", name.text, rule->reason));
      return;
    }
    if (target.matrix)
      report_.error("duplicate-name", n.nameSpan,
                    fmt::format("target `{}` has an atom for `mma` already", target.target.name));
    target.matrix = rule;
    target.matrixSpan = name.span;
  }

  Reporter &report_;
  Program numbers_;
  ExprChecker constants_;
};

/// The last part of an atom's name says what it takes.
std::string ofOtherType(std::string_view atom, DType type) {
  const std::string name = fmt::format("{}.{}", atom.substr(0, atom.rfind('.')), dsl::name(type));
  const AtomRule *rule = findAtom(name);
  return rule && rule->arithmetic != AtomArithmetic::Unmodelled ? name : "";
}

/// Whether the target names an atom for the matrix product, and one that takes its operands.
bool takes(const ProfileInfo::Target &target, const Reduction &reduction, const Program &program,
           const KernelInfo &kernel, Reporter &report) {
  if (!target.matrix) {
    report
        .error("missing-atom", target.target.span,
               fmt::format("target `{}` names no atom for the `mma` of `{}`", target.target.name,
                           kernel.name),
               {reduction.span, "this reduction"})
        .help =
        fmt::format("for example target {} {{ atom mma = nv.hopper.bf16 }}", target.target.name);
    return false;
  }
  const AtomRule &rule = *target.matrix;
  for (std::size_t side = 0; side < 2; ++side) {
    const ExprId operand = matrixOperand(program, reduction, side, rule.operand);
    const ExprId factor = program.args(reduction.body)[side];
    if (program.expr(operand).type == rule.operand && program.expr(factor).type == rule.accumulator)
      continue;
    // As written: before `dot` widened it.
    const bool isCast = program.expr(factor).op == Op::Cast;
    const DType given = program.expr(isCast ? program.args(factor)[0] : factor).type;
    Diagnostic &d =
        report.error("atom-operand", reduction.span,
                     fmt::format("`{}` multiplies {} by `mma`, and `{}` takes {}", kernel.name,
                                 name(given), rule.name, name(rule.operand)),
                     {target.matrixSpan, "the atom"});
    const std::string other = ofOtherType(rule.name, given);
    d.help = fmt::format("cast both operands to {}{}", name(rule.operand),
                         other.empty() ? "" : fmt::format(", or name {}", other));
    return false;
  }
  return true;
}

} // namespace

void describeDeclarations(const ModuleSet &set, Reporter &report, std::vector<KernelInfo> &kernels,
                          std::vector<std::pair<const Module *, NodeId>> &places,
                          std::vector<ProfileInfo> &profiles) {
  Describer describer(report);
  const auto list = [&](const Module &module, const std::vector<NodeId> &ids,
                        const std::string &profile) {
    const bool isRoot = (module.outer ? module.outer : &module) == &set.root();
    for (NodeId id : ids) {
      if (module.ast[id].kind != NodeKind::Kernel)
        continue;
      KernelInfo info = describer.kernel(module, module.ast[id], profile);
      if (!isRoot)
        continue;
      kernels.push_back(std::move(info));
      places.emplace_back(&module, id);
    }
  };
  for (const Module &module : set.modules)
    list(module, module.ast.declarations, "");
  for (const ProfileScope &scope : set.profiles) {
    ProfileInfo info = describer.profile(scope);
    list(scope.names, scope.node().kids, info.name);
    if (scope.names.outer == &set.root())
      profiles.push_back(std::move(info));
  }
}

bool hasTarget(const KernelInfo &kernel, const ProfileInfo *profile, const std::string &target,
               Reporter &report) {
  if (!profile) {
    report
        .error("unknown-target", kernel.span,
               fmt::format("`{}` is in no profile, so it has no target `{}`", kernel.name, target))
        .help = fmt::format("declare it in a profile: profile NAME.v1 {{ target {} {{ … }} "
                            "kernel … }}",
                            target);
    return false;
  }
  std::vector<std::string> known;
  for (const ProfileInfo::Target &each : profile->targets)
    known.push_back(each.target.name);
  if (std::ranges::find(known, target) != known.end())
    return true;
  Diagnostic &d =
      report.error("unknown-target", profile->span,
                   fmt::format("profile `{}` has no target `{}`", profile->name, target));
  d.help = suggestion(target, known);
  if (d.help.empty())
    d.help = known.empty() ? "it names no targets"
                           : "its targets: " + fmt::format("{}", fmt::join(known, ", "));
  return false;
}

bool resolveAtoms(Program &program, const KernelInfo &kernel, const ProfileInfo &profile,
                  const std::string &target, Reporter &report) {
  bool needsAtom = false;
  for (const Reduction &reduction : program.reductions) {
    if (!isMatrixProduct(reduction))
      continue;
    needsAtom = true;
    if (profile.targets.empty()) {
      report
          .error("missing-atom", kernel.span,
                 fmt::format("`{}` folds with `mma`, and no target of `{}` says by which atom",
                             kernel.name, profile.name),
                 {reduction.span, "this reduction"})
          .help = "for example target cuda.sm_90a { atom mma = nv.hopper.bf16 }";
      return false;
    }
    for (const ProfileInfo::Target &each : profile.targets)
      if (!takes(each, reduction, program, kernel, report))
        return false;
  }
  if (!needsAtom)
    return true;
  const ProfileInfo::Target *chosen = &profile.targets.front();
  for (const ProfileInfo::Target &each : profile.targets) {
    if (each.target.name == target)
      chosen = &each;
    else if (target.empty() && each.matrix != chosen->matrix)
      return true; // open
  }
  program.matrix = {std::string(chosen->matrix->name), chosen->matrix->version, chosen->matrixSpan};
  return true;
}

} // namespace ordo::dsl
