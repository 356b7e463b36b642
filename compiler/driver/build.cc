// `ordo build`: kernels for targets into a bundle, or one stage of the way there as text.

#include "compiler/driver/artifacts.h"
#include "compiler/driver/failure.h"
#include "compiler/driver/json.h"
#include "compiler/driver/lock.h"
#include "compiler/driver/manifest_files.h"
#include "compiler/driver/parallel.h"
#include "compiler/driver/profiles.h"
#include "compiler/driver/proofs.h"
#include "compiler/driver/text.h"

#include "llvm/Config/llvm-config.h"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <sstream>

namespace ordo::compiler::driver {

namespace {

struct EmitName {
  const char *name;
  Emit stop;
  /// The only kind of target that has this stage; nothing: all have it.
  std::optional<Target::Kind> kind;
  const char *comment; // how a comment begins in the stage's text
};

constexpr EmitName kEmitNames[] = {
    {"ordo", Emit::Ordo, {}, "//"},
    {"bound", Emit::Bound, {}, "//"},
    {"gpu", Emit::Loops, {}, "//"},
    {"llvm", Emit::Llvm, {}, ";"},
    {"ptx", Emit::Asm, Target::Kind::Cuda, "//"},
    {"amdgcn", Emit::Asm, Target::Kind::Rocm, ";"},
    {"asm", Emit::Asm, Target::Kind::Cpu, "#"},
};

std::vector<std::string> emitNames() {
  std::vector<std::string> names;
  for (const EmitName &each : kEmitNames)
    names.emplace_back(each.name);
  return names;
}

const EmitName &emitNamed(const std::string &name) {
  for (const EmitName &each : kEmitNames)
    if (name == each.name)
      return each;
  const std::string near = dsl::didYouMean(name, emitNames());
  throw misuse(fmt::format("there is nothing called '{}' to emit", name),
               (near.empty() ? "" : fmt::format("did you mean '{}'? ", near)) +
                   fmt::format("the stages, in order: {}", joined(emitNames())));
}

const char *assemblyOf(Target::Kind kind) {
  switch (kind) {
  case Target::Kind::Cpu:
    return "asm";
  case Target::Kind::Cuda:
    return "ptx";
  case Target::Kind::Rocm:
    return "amdgcn";
  }
  return "";
}

/// Refuses `--emit=ptx --target rocm.gfx942` and its like.
void requireStage(const EmitName &emit, const std::vector<const Target *> &targets) {
  for (const Target *target : targets)
    if (emit.kind && *emit.kind != target->kind)
      throw misuse(
          fmt::format("--emit={} and --target {} do not go together", emit.name, target->name),
          fmt::format("the assembly of {} is --emit={}", target->name, assemblyOf(target->kind)));
}

/// The kernels asked for, or all; each once.
std::vector<std::string> chosenKernels(Contract &contract, const BuildOptions &options) {
  std::vector<std::string> chosen;
  std::vector<std::string> wanted = options.kernels;
  if (!options.source.kernel.empty())
    wanted.push_back(options.source.kernel);
  for (const std::string &name : wanted)
    if (std::find(chosen.begin(), chosen.end(), name) == chosen.end())
      chosen.push_back(name);
  if (!chosen.empty()) {
    for (const std::string &name : chosen)
      requireKernel(contract, name);
    return chosen;
  }
  chosen = contract.kernels();
  if (chosen.empty())
    throw refusal(
        fmt::format("{} declares no kernels, so there is nothing to build", contract.path()),
        "a kernel fixes an operator's dimensions: kernel NAME = OP<H = 128, …>");
  return chosen;
}

/// Before anything is compiled.
void requireUnchanged(Contract &contract, const std::vector<std::string> &kernels) {
  Programs programs;
  for (const std::string &kernel : kernels)
    if (!contract.kernel(kernel).profile.empty())
      programs.emplace(kernel, contract.program(kernel));
  requireUnchanged(contract, programs);
}

int emitStage(const BuildOptions &options) {
  const EmitName &emit = emitNamed(options.emit);
  std::vector<const Target *> targets = targetsNamed(options.targets);
  // What is imported does not depend on the target yet.
  if (targets.empty() && emit.stop == Emit::Ordo)
    targets = {findTarget("cpu")};
  if (targets.empty())
    throw misuse(fmt::format("--emit={} needs a --target", emit.name),
                 "for example --target cuda.sm_90a");
  requireStage(emit, targets);
  if (!options.output.empty())
    requireWritableFile(options.output);

  Contract contract(options.source);
  const std::vector<std::string> kernels = chosenKernels(contract, options);
  requireBuildable(contract, kernels, targets);
  requireUnchanged(contract, kernels);
  const std::vector<BuiltKernel> built = compileAll(contract, kernels, targets, emit.stop);
  std::string text;
  const bool isOne = built.size() == 1 && targets.size() == 1;
  for (const BuiltKernel &kernel : built)
    for (const BuiltTarget &target : kernel.targets) {
      if (!isOne)
        text +=
            fmt::format("{} {} for {}\n", emit.comment, kernel.program.kernel, target.target->name);
      text += target.kernel.text;
      text.erase(text.find_last_not_of('\n') + 1);
      text += '\n';
    }
  if (options.output.empty())
    std::fwrite(text.data(), 1, text.size(), stdout);
  else
    writeFiles({{options.output, text}});
  return kFine;
}

/// Files of the bundle that lies in `folder` which the new one does not replace.
std::vector<std::string> staleFiles(const std::string &folder,
                                    const std::vector<OutputFile> &files) {
  std::ifstream in(std::filesystem::path(folder) / kManifestName);
  std::stringstream text;
  text << in.rdbuf();
  std::vector<std::string> stale = filesOfManifest(text.str());
  std::erase_if(stale, [&](const std::string &name) {
    return name == kManifestName ||
           std::any_of(files.begin(), files.end(),
                       [&](const OutputFile &file) { return file.path == name; });
  });
  return stale;
}

/// A kernel that has a cubin notes which ptxas made it: "ptxas V13.0.88".
std::string ptxasVersion(const std::vector<BuiltKernel> &built) {
  for (const BuiltKernel &kernel : built)
    for (const BuiltTarget &target : kernel.targets)
      if (hasCubin(target)) {
        const std::string &note = target.kernel.note;
        const std::size_t at = note.rfind(" V");
        return at == std::string::npos ? note : note.substr(at + 2);
      }
  return "";
}

/// What a reader wants to know of one target: size on the CPU, registers and spills on a GPU.
std::string targetSummary(const BuiltTarget &built) {
  const CompiledKernel &kernel = built.kernel;
  if (kernel.registers < 0)
    return humanBytes(kernel.object.empty() ? kernel.assembly.size() : kernel.object.size());
  std::string text = counted(static_cast<std::size_t>(kernel.registers), "register");
  if (kernel.spillBytes > 0)
    text += fmt::format(", {} spilled", humanBytes(static_cast<std::size_t>(kernel.spillBytes)));
  return text;
}

std::size_t certificatesOf(const std::vector<BuiltKernel> &built) {
  std::size_t count = 0;
  for (const BuiltKernel &kernel : built)
    count += static_cast<std::size_t>(std::ranges::count_if(
        kernel.targets, [](const BuiltTarget &target) { return target.certificate.has_value(); }));
  return count;
}

void printSummary(const std::string &folder, const std::vector<BuiltKernel> &built,
                  std::size_t files) {
  std::vector<std::vector<std::string>> rows = {{"kernel", "contract"}};
  for (const BuiltTarget &target : built.front().targets)
    rows.front().emplace_back(target.target->name);
  for (const BuiltKernel &kernel : built) {
    rows.push_back({kernel.program.kernel, kernel.digest.substr(0, 12)});
    for (const BuiltTarget &target : kernel.targets)
      rows.back().push_back(targetSummary(target));
  }
  fmt::print("{}{}: {} for {}, {} and {}\n", table(rows, "  "), folder,
             counted(built.size(), "kernel"), counted(built.front().targets.size(), "target"),
             counted(files, "file"), kManifestName);
  if (const std::size_t certificates = certificatesOf(built))
    fmt::print("{}: {}, certificates beside the code\n", folder, counted(certificates, "proof"));
}

Provable provable(const BuiltKernel &kernel, const BuiltTarget &target, const std::string &ptxas) {
  const dsl::Program &program = kernel.program;
  const LaunchRecipe &launch = target.kernel.launch;
  Provable of;
  of.program = &program;
  of.target = target.target;
  for (const Artifact &artifact : target.artifacts)
    of.files[artifact.role] = artifact.file.bytes;
  of.launch = {launch.block, launch.rowExtents, launch.rows};
  of.digest = kernel.digest;
  of.recipe = recipeText(program.kernel, argumentsJson(program), requiresJson(program),
                         launchJson(program, launch));
  of.ptxas = hasCubin(target) ? ptxas : "";
  return of;
}

/// Proves what can be, and puts the certificates beside the code. Throws a refusal, after all of
/// them are printed, where a kernel cannot be proven.
void proveAll(const Contract &contract, std::vector<BuiltKernel> &built, const std::string &ptxas) {
  std::vector<std::pair<BuiltKernel *, BuiltTarget *>> jobs;
  for (BuiltKernel &kernel : built)
    for (BuiltTarget &target : kernel.targets)
      if (notProvable(*target.target).empty())
        jobs.emplace_back(&kernel, &target);
  std::vector<Proven> proven(jobs.size());
  inParallel("proving", jobs.size(), [&](std::size_t i) {
    const auto &[kernel, target] = jobs[i];
    proven[i] = proofOf(provable(*kernel, *target, ptxas));
  });
  std::vector<std::string> refused;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto &[kernel, target] = jobs[i];
    const std::string name = fmt::format("{} for {}", kernel->program.kernel, target->target->name);
    if (proven[i].proof.isProven()) {
      target->certificate = OutputFile{
          fmt::format("{}.{}.certificate.json", kernel->program.kernel, target->target->name),
          proven[i].certificate};
      continue;
    }
    fmt::print(stderr, "{}: refused\n{}", name, refusalText(contract, *proven[i].proof.refusal));
    refused.push_back(name);
  }
  if (!refused.empty())
    throw refusal(fmt::format("cannot prove {}; nothing was written", joined(refused)),
                  "with --no-verify it is built and not proven");
}

std::vector<OutputFile> filesOf(const std::vector<ContractSource> &sources,
                                const std::vector<BuiltKernel> &built) {
  std::vector<OutputFile> files;
  for (const ContractSource &source : sources)
    files.push_back(source.file);
  for (const BuiltKernel &kernel : built)
    for (const BuiltTarget &target : kernel.targets) {
      for (const Artifact &artifact : target.artifacts)
        files.push_back(artifact.file);
      if (target.certificate)
        files.push_back(*target.certificate);
    }
  return files;
}

std::vector<ContractSource> sourcesOf(const Contract &contract) {
  std::vector<ContractSource> sources;
  for (auto &[module, text] : contract.modules())
    sources.push_back({module, {module + ".ordo", text}});
  return sources;
}

int writeWholeBundle(const BuildOptions &options) {
  if (options.targets.empty())
    throw misuse("build needs a --target",
                 "for example --target cpu,cuda.sm_90a,rocm.gfx942; ordo build --help lists them");
  const std::vector<const Target *> targets = targetsNamed(options.targets);
  if (options.output.empty())
    throw misuse("build needs a folder to write to", "for example -o out");
  requireWritableFolder(options.output);

  Contract contract(options.source);
  const std::vector<std::string> kernels = chosenKernels(contract, options);
  requireBuildable(contract, kernels, targets);
  requireUnchanged(contract, kernels);
  std::vector<BuiltKernel> built = compileAll(contract, kernels, targets, Emit::Object);
  const Generator generator = {LLVM_VERSION_STRING, ptxasVersion(built)};
  if (options.isProven)
    proveAll(contract, built, generator.ptxas);
  const std::vector<ContractSource> sources = sourcesOf(contract);
  const std::vector<OutputFile> files = filesOf(sources, built);
  writeBundle(options.output, files, manifestText(sources, generator, built),
              staleFiles(options.output, files));
  printSummary(options.output, built, files.size());
  return kFine;
}

} // namespace

int runBuild(const BuildOptions &options) {
  return options.emit.empty() ? writeWholeBundle(options) : emitStage(options);
}

} // namespace ordo::compiler::driver
