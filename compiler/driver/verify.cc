// `ordo verify`: proves the kernels of a bundle, or says why they cannot be.

#include "compiler/driver/bundle.h"
#include "compiler/driver/failure.h"
#include "compiler/driver/options.h"
#include "compiler/driver/parallel.h"
#include "compiler/driver/proofs.h"
#include "compiler/driver/text.h"
#include "dsl/sema/digest.h"

#include <algorithm>
#include <deque>
#include <fmt/core.h>
#include <sstream>

namespace ordo::compiler::driver {

namespace {

/// One kernel for one target.
struct Job {
  const BundledKernel *kernel = nullptr;
  const BundledTarget *target = nullptr;
  Provable provable;
  std::string why; // it is refused before any proof
  Proven proven;

  bool isProven() const { return why.empty() && proven.proof.isProven(); }
};

/// The kernel as the bundle's contract has it. Where the manifest says otherwise, `why` is set.
std::optional<dsl::Program> programOf(Contract &contract, const BundledKernel &kernel,
                                      std::string &why) {
  for (const std::string &name : contract.kernels()) {
    if (contract.kernel(name).symbol != kernel.name)
      continue;
    dsl::Program program = contract.program(name);
    if (dsl::digest(program) != kernel.digest)
      why = "the contract in the bundle has another digest than the manifest says";
    else if (argumentsJson(program) != kernel.arguments)
      why = "the manifest's arguments are not the contract's";
    else if (requiresJson(program) != kernel.conditions)
      why = "the manifest's conditions are not the contract's";
    return program;
  }
  why = "the contract in the bundle declares no such kernel";
  return std::nullopt;
}

/// The launch of the manifest: "grid": [FORMULA or {"ceildiv": [FORMULA, rows]}, 1, 1].
bool takeLaunch(const Json &launch, dsl::Program &program, verify::Launch &into) {
  const auto isListOf = [&](const char *key, std::size_t size) {
    return launch.is_object() && launch.contains(key) && launch[key].is_array() &&
           launch[key].size() == size;
  };
  if (!isListOf("grid", 3) || !isListOf("block", 3))
    return false;
  if (launch["grid"][1] != 1 || launch["grid"][2] != 1)
    return false;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!launch["block"][axis].is_number_integer())
      return false;
    into.block[axis] = launch["block"][axis];
  }
  Json extent = launch["grid"][0];
  if (extent.is_object() && extent.contains("ceildiv")) {
    const Json operands = extent["ceildiv"];
    if (extent.size() != 1 || !operands.is_array() || operands.size() != 2 ||
        !operands[1].is_number_integer())
      return false;
    extent = operands[0];
    into.rows = operands[1];
  }
  const auto id = parseFormula(extent, program);
  if (id)
    into.extents = {*id};
  return id.has_value();
}

class Verification {
public:
  explicit Verification(const VerifyOptions &options)
      : options_(options), bundle_(options.folder), contract_(bundle_.contract()) {
    requireNames();
    for (const BundledKernel &kernel : bundle_.kernels())
      if (isWanted(options_.kernels, kernel.name))
        addJobs(kernel);
  }

  int run() {
    std::vector<Job *> provable;
    for (Job &job : jobs_)
      if (job.why.empty())
        provable.push_back(&job);
    inParallel("proving", provable.size(),
               [&](std::size_t i) { provable[i]->proven = proofOf(provable[i]->provable); });
    for (Job *job : provable)
      checkCertificate(*job);
    if (options_.json)
      printJson();
    else
      printText();
    return std::ranges::all_of(jobs_, &Job::isProven) ? kFine : kRefused;
  }

private:
  static bool isWanted(const std::vector<std::string> &names, const std::string &name) {
    return names.empty() || std::ranges::find(names, name) != names.end();
  }

  void requireNames() const {
    std::vector<std::string> kernels, targets;
    for (const BundledKernel &kernel : bundle_.kernels()) {
      kernels.push_back(kernel.name);
      for (const BundledTarget &target : kernel.targets)
        if (std::ranges::find(targets, target.name) == targets.end())
          targets.push_back(target.name);
    }
    require("kernel", options_.kernels, kernels);
    require("target", options_.targets, targets);
  }

  void require(const char *what, const std::vector<std::string> &names,
               const std::vector<std::string> &known) const {
    for (const std::string &name : names)
      if (std::ranges::find(known, name) == known.end())
        throw misuse(fmt::format("{} has no {} '{}'", options_.folder, what, name),
                     fmt::format("its {}s: {}", what, joined(known)));
  }

  void addJobs(const BundledKernel &kernel) {
    std::string why;
    auto program = programOf(*contract_, kernel, why);
    programs_.push_back(program ? std::move(*program) : dsl::Program());
    for (const BundledTarget &target : kernel.targets) {
      const Target *known = findTarget(target.name);
      if (!isWanted(options_.targets, target.name) ||
          (options_.targets.empty() && known != nullptr && !known->isGpu()))
        continue;
      Job &job = jobs_.emplace_back();
      job.kernel = &kernel;
      job.target = &target;
      job.why = why;
      if (job.why.empty())
        job.why = known == nullptr ? "the target is not known here" : notProvable(*known);
      if (job.why.empty() && !takeLaunch(target.launch, programs_.back(), job.provable.launch))
        job.why = "the launch in the manifest has a form that is not proven";
      job.provable.program = &programs_.back();
      job.provable.target = known;
      job.provable.files = target.files;
      job.provable.digest = kernel.digest;
      job.provable.recipe =
          recipeText(kernel.name, kernel.arguments, kernel.conditions, target.launch);
      job.provable.ptxas = target.files.contains("cubin") ? bundle_.ptxas() : "";
    }
  }

  /// A certificate that lies in the bundle must be the one that this proof gives.
  static void checkCertificate(Job &job) {
    if (!job.proven.proof.isProven() || !job.target->certificate ||
        *job.target->certificate == job.proven.certificate)
      return;
    std::string why = verify::certificate::mismatch(*job.target->certificate, subjectOf(job));
    if (why.empty())
      why = "the certificate says other things than this proof gives";
    job.proven.proof.refusal = verify::Refusal{why, "", std::nullopt, ""};
  }

  static verify::certificate::Subject subjectOf(const Job &job) {
    verify::certificate::Subject subject{
        job.kernel->name, job.target->name, job.kernel->digest, job.provable.recipe, {}};
    for (const char *role : {"ptx", "cubin", "hsaco"})
      if (const auto it = job.target->files.find(role); it != job.target->files.end())
        subject.code.insert(*it);
    return subject;
  }

  static const char *certificateState(const Job &job) {
    return job.target->certificate ? "certificate matches" : "no certificate";
  }

  void printText() const {
    for (const Job &job : jobs_) {
      const std::string name = fmt::format("{} for {}", job.kernel->name, job.target->name);
      if (!job.why.empty()) {
        fmt::print("{}: refused\n  {}\n", name, job.why);
      } else if (!job.isProven()) {
        fmt::print("{}: refused\n{}", name, refusalText(*contract_, *job.proven.proof.refusal));
      } else {
        fmt::print("{}: proven, level {}: {}, {}, {:.0f} ms; {}\n", name,
                   levelOf(*job.provable.target), counted(job.proven.proof.steps, "step"),
                   counted(job.proven.proof.stores, "store"), job.proven.milliseconds,
                   certificateState(job));
      }
    }
    const auto proven = static_cast<std::size_t>(std::ranges::count_if(jobs_, &Job::isProven));
    fmt::print("{}: {} proven, {} refused\n", options_.folder, proven, jobs_.size() - proven);
  }

  Json jsonOf(const Job &job) const {
    Json json = {{"kernel", job.kernel->name},
                 {"target", job.target->name},
                 {"contract_digest", job.kernel->digest},
                 {"proven", job.isProven()}};
    if (!job.why.empty()) {
      json["refusal"] = {{"message", job.why}};
      return json;
    }
    const verify::Proof &proof = job.proven.proof;
    json["level"] = levelOf(*job.provable.target);
    json["steps"] = proof.steps;
    json["stores"] = proof.stores;
    json["milliseconds"] = static_cast<std::int64_t>(job.proven.milliseconds);
    json["axioms"] = proof.axioms;
    json["certificate"] = job.target->certificate.has_value();
    if (!proof.refusal)
      return json;
    Json refusal = {{"message", proof.refusal->message}};
    if (!proof.refusal->where.empty())
      refusal["where"] = proof.refusal->where;
    if (proof.refusal->span)
      refusal["place"] = contract_->place(*proof.refusal->span);
    if (!proof.refusal->trees.empty())
      refusal["trees"] = linesOf(proof.refusal->trees);
    json["refusal"] = std::move(refusal);
    return json;
  }

  static Json linesOf(const std::string &text) {
    Json lines = Json::array();
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
      lines.push_back(line);
    return lines;
  }

  void printJson() const {
    Json results = Json::array();
    for (const Job &job : jobs_)
      results.push_back(jsonOf(job));
    fmt::print("{}", pretty({{"ordo_verify", 1},
                             {"bundle", options_.folder},
                             {"module", bundle_.module()},
                             {"results", std::move(results)}}));
  }

  VerifyOptions options_;
  Bundle bundle_;
  std::unique_ptr<Contract> contract_;
  std::deque<dsl::Program> programs_;
  std::deque<Job> jobs_;
};

} // namespace

int runVerify(const VerifyOptions &options) { return Verification(options).run(); }

} // namespace ordo::compiler::driver
