#include "compiler/driver/profiles.h"

#include "compiler/driver/failure.h"
#include "compiler/driver/text.h"
#include "dsl/sema/digest.h"

#include <algorithm>
#include <fmt/core.h>
#include <utility>

namespace ordo::compiler::driver {

namespace {

using Named = dsl::ProfileInfo::Named;

/// `sm_80` stands for `cuda.sm_80`.
bool isTarget(const std::string &written, const Target &target) {
  const std::string name(target.name);
  return written == name || name.ends_with("." + written);
}

void requireKnown(const Named &named, dsl::Diagnostics &diagnostics) {
  std::vector<std::string> known;
  for (const Target &target : targets()) {
    if (isTarget(named.name, target))
      return;
    known.emplace_back(target.name);
    if (named.name.find('.') == std::string::npos)
      known.back() = known.back().substr(known.back().rfind('.') + 1);
  }
  dsl::Diagnostic &d = diagnostics.error("unknown-target", named.span,
                                         fmt::format("there is no target `{}`", named.name));
  const std::string near = dsl::didYouMean(named.name, known);
  d.help = near.empty() ? fmt::format("the targets: {}", joined(known))
                        : fmt::format("did you mean `{}`?", near);
}

/// The matrix units of each GPU. A CPU may follow any of them.
constexpr std::pair<std::string_view, std::string_view> kFamilies[] = {
    {"cuda.sm_80", "nv.ampere."},  {"cuda.sm_89", "nv.ada."},     {"cuda.sm_90a", "nv.hopper."},
    {"rocm.gfx90a", "amd.cdna2."}, {"rocm.gfx942", "amd.cdna3."}, {"rocm.gfx1100", "amd.rdna3."}};

void requireOwnAtom(const dsl::ProfileInfo::Target &target, dsl::Diagnostics &diagnostics) {
  const auto *const own =
      std::ranges::find(kFamilies, target.target.name, [](const auto &each) { return each.first; });
  if (target.matrix == nullptr || own == std::end(kFamilies) ||
      target.matrix->name.starts_with(own->second))
    return;
  std::vector<std::string> atoms;
  for (const dsl::AtomRule &rule : dsl::atoms())
    if (rule.name.starts_with(own->second) && rule.arithmetic != dsl::AtomArithmetic::Unmodelled &&
        std::ranges::find(atoms, rule.name) == atoms.end())
      atoms.emplace_back(rule.name);
  dsl::Diagnostic &d = diagnostics.error(
      "unknown-atom", target.matrixSpan,
      fmt::format("`{}` has no atom `{}`", target.target.name, target.matrix->name));
  d.help = atoms.empty() ? "none of its own is modelled" : "its atoms: " + joined(atoms);
}

void refuseForbidden(const dsl::KernelInfo &kernel, const dsl::ProfileInfo &profile,
                     const std::vector<const Target *> &targets, dsl::Diagnostics &diagnostics) {
  for (const Target *target : targets)
    for (const Named &forbidden : profile.forbidden)
      if (isTarget(forbidden.name, *target))
        diagnostics
            .error("forbidden-target", forbidden.span,
                   fmt::format("profile `{}` forbids `{}`, so `{}` is not built for it",
                               profile.name, target->name, kernel.name))
            .labels = {{kernel.span, "this kernel"}};
}

dsl::Span matrixSpan(const dsl::Program &program) {
  const auto it = std::ranges::find_if(program.reductions, dsl::isMatrixProduct);
  return it == program.reductions.end() ? dsl::Span{} : it->span;
}

} // namespace

void requireKnownTargets(const Contract &contract) {
  dsl::Diagnostics diagnostics(contract.sources());
  for (const dsl::ProfileInfo &profile : contract.profiles()) {
    for (const dsl::ProfileInfo::Target &each : profile.targets) {
      requireKnown(each.target, diagnostics);
      requireOwnAtom(each, diagnostics);
    }
    for (const Named &forbidden : profile.forbidden)
      requireKnown(forbidden, diagnostics);
  }
  report(diagnostics);
  if (diagnostics.hasErrors())
    throw refusal("");
}

void requireBuildable(const Contract &contract, const std::vector<std::string> &kernels,
                      const std::vector<const Target *> &targets) {
  requireKnownTargets(contract);
  dsl::Diagnostics diagnostics(contract.sources());
  for (const std::string &name : kernels) {
    const dsl::KernelInfo &kernel = contract.kernel(name);
    if (const dsl::ProfileInfo *profile = profileOf(contract, kernel))
      refuseForbidden(kernel, *profile, targets, diagnostics);
    if (!kernel.ranks.empty())
      diagnostics.error("not-lowered", kernel.ranksSpan,
                        fmt::format("not lowered yet: `{}` cut over ranks", name));
  }
  report(diagnostics);
  if (diagnostics.hasErrors())
    throw refusal("nothing was written");
}

const dsl::ProfileInfo *profileOf(const Contract &contract, const dsl::KernelInfo &kernel) {
  for (const dsl::ProfileInfo &profile : contract.profiles())
    if (profile.name == kernel.profile)
      return &profile;
  return nullptr;
}

bool isOpen(const dsl::Program &program) { return !program.matrix && dsl::needsAtom(program); }

dsl::Program resolvedProgram(Contract &contract, const std::string &kernel,
                             const std::string &target) {
  dsl::Program program = contract.program(kernel, target);
  if (!isOpen(program))
    return program;
  const dsl::KernelInfo &info = contract.kernel(kernel);
  const dsl::ProfileInfo *profile = profileOf(contract, info);
  if (profile == nullptr) {
    dsl::Diagnostics diagnostics(contract.sources());
    dsl::Diagnostic &d = diagnostics.error(
        "missing-atom", info.span,
        fmt::format("`{}` folds with `mma`, and it is in no profile, whose target would say by "
                    "which atom",
                    kernel));
    d.labels = {{matrixSpan(program), "this reduction"}};
    d.help = fmt::format("move it into a profile: profile NAME.v1 {{ target cuda.sm_90a {{ atom "
                         "mma = nv.hopper.bf16 }} kernel {} = … }}",
                         kernel);
    report(diagnostics);
    throw refusal("");
  }
  std::vector<std::string> choices;
  for (const dsl::ProfileInfo::Target &each : profile->targets)
    choices.push_back(fmt::format("--target {} ({})", each.target.name, each.matrix->name));
  throw misuse(fmt::format("{} folds with `mma`, and its targets do so by different atoms", kernel),
               fmt::format("write one of {}", joined(choices)));
}

const dsl::AtomRule &atomOf(const dsl::MatrixUnit &unit) {
  return *dsl::findAtom(unit.atom, unit.version);
}

std::string resolutionText(const dsl::AtomRule &atom) {
  return fmt::format("mma = {} version {}", atom.name, atom.version);
}

} // namespace ordo::compiler::driver
