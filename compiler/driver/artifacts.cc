#include "compiler/driver/artifacts.h"

#include "compiler/driver/failure.h"
#include "compiler/driver/parallel.h"
#include "compiler/driver/text.h"
#include "dsl/sema/digest.h"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <fmt/core.h>
#include <set>

namespace ordo::compiler::driver {

namespace {

/// One kernel for one target.
struct Job {
  const dsl::Program *program = nullptr;
  BuiltTarget *result = nullptr;
  dsl::Diagnostics diagnostics;
  bool isDone = false;
};

void compileJobs(std::deque<Job> &jobs, Emit stop) {
  inParallel("compiling", jobs.size(), [&](std::size_t i) {
    Job &job = jobs[i];
    auto compiled = compile(*job.program, *job.result->target, stop, job.diagnostics);
    job.isDone = compiled.has_value();
    if (compiled)
      job.result->kernel = std::move(*compiled);
  });
}

/// Diagnostics and notes of all jobs, in their order. What several jobs say in the same words is
/// shown once. Throws a refusal that names the kernels and targets that did not compile.
void reportJobs(const std::deque<Job> &jobs) {
  std::vector<std::string> failed;
  std::set<std::string> shown;
  for (const Job &job : jobs) {
    if (const std::string text = job.diagnostics.renderAll(); shown.insert(text).second)
      std::fputs(text.c_str(), stderr);
    if (!job.isDone)
      failed.push_back(fmt::format("{} for {}", job.program->kernel, job.result->target->name));
  }
  if (!failed.empty())
    throw refusal(fmt::format("cannot compile {}; nothing was written", joined(failed)));
  for (const Job &job : jobs)
    if (const std::string &note = job.result->kernel.note;
        !note.empty() && !hasCubin(*job.result) && shown.insert(note).second)
      fmt::print(stderr, "ordo: note: {}\n", note);
}

} // namespace

std::vector<const Target *> targetsNamed(const std::vector<std::string> &names) {
  std::vector<const Target *> found;
  for (const std::string &name : names) {
    const Target *target = findTarget(name);
    if (target == nullptr) {
      std::vector<std::string> known;
      for (const Target &each : targets())
        known.emplace_back(each.name);
      const std::string near = dsl::didYouMean(name, known);
      throw misuse(fmt::format("there is no target '{}'", name),
                   (near.empty() ? "" : fmt::format("did you mean '{}'? ", near)) +
                       fmt::format("the targets: {}", joined(known)));
    }
    if (std::find(found.begin(), found.end(), target) == found.end())
      found.push_back(target);
  }
  return found;
}

bool hasCubin(const BuiltTarget &built) {
  return built.target->kind == Target::Kind::Cuda && !built.kernel.object.empty();
}

std::vector<Artifact> artifactsOf(const std::string &kernel, const Target &target,
                                  const CompiledKernel &compiled) {
  const auto artifact = [&](const char *role, const char *extension, const std::string &bytes) {
    return Artifact{role, {fmt::format("{}.{}.{}", kernel, target.name, extension), bytes}};
  };
  switch (target.kind) {
  case Target::Kind::Cpu:
    return {artifact("object", "o", compiled.object), artifact("assembly", "s", compiled.assembly)};
  case Target::Kind::Cuda: {
    std::vector<Artifact> files = {artifact("ptx", "ptx", compiled.assembly)};
    if (!compiled.object.empty())
      files.push_back(artifact("cubin", "cubin", compiled.object));
    return files;
  }
  case Target::Kind::Rocm:
    return {artifact("hsaco", "hsaco", compiled.object),
            artifact("assembly", "s", compiled.assembly)};
  }
  return {};
}

std::vector<BuiltKernel> compileAll(Contract &contract, const std::vector<std::string> &kernels,
                                    const std::vector<const Target *> &targets, Emit stop) {
  std::vector<BuiltKernel> built(kernels.size());
  std::deque<Job> jobs;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    built[i].program = contract.program(kernels[i]);
    built[i].digest = dsl::digest(built[i].program);
    built[i].targets.resize(targets.size());
    for (std::size_t j = 0; j < targets.size(); ++j) {
      built[i].targets[j].target = targets[j];
      jobs.push_back(Job{&built[i].program, &built[i].targets[j],
                         dsl::Diagnostics(contract.sources()), false});
    }
  }
  compileJobs(jobs, stop);
  reportJobs(jobs);
  for (BuiltKernel &kernel : built)
    for (BuiltTarget &target : kernel.targets)
      target.artifacts = stop == Emit::Object
                             ? artifactsOf(kernel.program.kernel, *target.target, target.kernel)
                             : std::vector<Artifact>{};
  return built;
}

} // namespace ordo::compiler::driver
