#include "compiler/driver/lock.h"

#include "compiler/driver/failure.h"
#include "compiler/driver/files.h"
#include "compiler/driver/lock_file.h"
#include "compiler/driver/profiles.h"
#include "dsl/sema/digest.h"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <set>
#include <sstream>

namespace ordo::compiler::driver {

namespace {

// --- From a contract

dsl::ContractParts shortened(dsl::ContractParts parts) {
  parts.arguments.resize(kPartDigits);
  for (auto *list : {&parts.requires_, &parts.definitions})
    for (std::string &digest : *list)
      digest.resize(kPartDigits);
  return parts;
}

/// The ways in which the profile's kernels resolve: one for each atom that they need.
std::map<std::string, const dsl::AtomRule *> resolutionsOf(const dsl::ProfileInfo &profile,
                                                           bool needsAtom) {
  if (!needsAtom)
    return {{"every target", nullptr}};
  std::map<std::string, const dsl::AtomRule *> found;
  for (const dsl::ProfileInfo::Target &target : profile.targets)
    found.emplace(resolutionText(*target.matrix), target.matrix);
  return found;
}

LockEntry entryOf(const dsl::ProfileInfo &profile, const Programs &programs) {
  LockEntry entry;
  bool needsAtom = false;
  for (const std::string &kernel : profile.kernels)
    needsAtom = needsAtom || dsl::needsAtom(programs.at(profile.name + "." + kernel));
  for (const auto &[name, atom] : resolutionsOf(profile, needsAtom))
    for (const std::string &kernel : profile.kernels) {
      const dsl::Program &program = programs.at(profile.name + "." + kernel);
      entry.resolutions[name][kernel] = atom ? dsl::digest(program, *atom) : dsl::digest(program);
      entry.parts.emplace(kernel, shortened(dsl::partsOf(program)));
    }
  return entry;
}

/// What the lock has of these kernels.
LockEntry lockedOf(const LockEntry &locked, const std::set<std::string> &kernels) {
  LockEntry some;
  some.parts = locked.parts;
  for (const auto &[name, digests] : locked.resolutions) {
    auto &own = some.resolutions[name];
    for (const auto &[kernel, digest] : digests)
      if (kernels.contains(kernel))
        own.emplace(kernel, digest);
  }
  return some;
}

/// Some kernels of a profile as they are now. One that folds without atoms is the same in every
/// resolution that the lock holds.
LockEntry entryOf(const dsl::ProfileInfo &profile, const Programs &programs,
                  const std::set<std::string> &kernels, const LockEntry &locked) {
  LockEntry entry;
  for (const std::string &kernel : kernels) {
    const dsl::Program &program = programs.at(profile.name + "." + kernel);
    if (dsl::needsAtom(program)) {
      for (const auto &[name, atom] : resolutionsOf(profile, true))
        entry.resolutions[name][kernel] = dsl::digest(program, *atom);
      continue;
    }
    for (const auto &[name, digests] : locked.resolutions)
      entry.resolutions[name][kernel] = dsl::digest(program);
  }
  return entry;
}

// --- The file

Lock readLock(const std::string &path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    return {};
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  const auto refused = [&](const std::string &why) {
    return refusal(fmt::format("{} is not a whole lock file: {}", path, why),
                   "take it from version control");
  };
  if (!in)
    throw refused("it cannot be read");
  try {
    return parseLock(text.str());
  } catch (const Failure &failure) {
    throw refused(failure.message);
  }
}

// --- The comparison

class Comparison {
public:
  Comparison(const Contract &contract, const Programs &programs, const std::string &path)
      : contract_(contract), programs_(programs), diagnostics_(contract.sources()),
        file_(std::filesystem::path(path).filename().string()) {}

  void compare(const dsl::ProfileInfo &profile, const LockEntry &locked, const LockEntry &now) {
    std::set<std::string> changed;
    for (const auto &[resolution, kernels] : now.resolutions) {
      const auto old = locked.resolutions.find(resolution);
      if (old == locked.resolutions.end())
        error(profile.span, profile,
              fmt::format("`{}` resolves for {}, which {} does not hold", profile.name, resolution,
                          file_));
      else
        compareKernels(profile, old->second, kernels, changed);
    }
    for (const auto &[resolution, kernels] : locked.resolutions)
      if (!now.resolutions.contains(resolution))
        error(profile.span, profile,
              fmt::format("`{}` no longer resolves for {}, which {} holds", profile.name,
                          resolution, file_));
    for (const std::string &kernel : changed)
      explain(profile, kernel, locked);
  }

  void finish() const {
    report(diagnostics_);
    if (diagnostics_.hasErrors())
      throw refusal("");
  }

private:
  /// A kernel that differs in several resolutions is reported once.
  void compareKernels(const dsl::ProfileInfo &profile,
                      const std::map<std::string, std::string> &locked,
                      const std::map<std::string, std::string> &now,
                      std::set<std::string> &changed) {
    for (const auto &[kernel, digest] : now) {
      const auto old = locked.find(kernel);
      if (old != locked.end() && old->second != digest)
        changed.insert(kernel);
      if (old == locked.end() && added_.insert(profile.name + "." + kernel).second)
        error(contract_.kernel(profile.name + "." + kernel).span, profile,
              fmt::format("kernel `{}` is not among those of `{}` in {}", kernel, profile.name,
                          file_));
    }
    for (const auto &[kernel, digest] : locked)
      if (!now.contains(kernel) && added_.insert(profile.name + "." + kernel).second)
        error(profile.span, profile,
              fmt::format("`{}` lacks kernel `{}`, which {} holds", profile.name, kernel, file_));
  }

  void explain(const dsl::ProfileInfo &profile, const std::string &kernel,
               const LockEntry &locked) {
    const std::string name = profile.name + "." + kernel;
    dsl::Diagnostic &d =
        error(contract_.kernel(name).span, profile,
              fmt::format("contract of `{}` changed under an unchanged version: {} "
                          "holds another",
                          name, file_));
    if (const auto parts = locked.parts.find(kernel); parts != locked.parts.end())
      d.labels = whatChanged(programs_.at(name), parts->second);
  }

  static std::vector<dsl::Label> whatChanged(const dsl::Program &program,
                                             const dsl::ContractParts &locked) {
    const dsl::ContractParts now = shortened(dsl::partsOf(program));
    std::vector<dsl::Label> labels;
    const std::vector<std::uint32_t> reductions = dsl::reductionsInOrder(program);
    if (now.orders.size() == locked.orders.size())
      for (std::size_t i = 0; i < reductions.size(); ++i)
        if (now.orders[i] != locked.orders[i])
          labels.push_back(
              {program.reductions[reductions[i]].span,
               fmt::format("folds by `{}`, in the lock by `{}`", now.orders[i], locked.orders[i])});
    const auto isNew = [](const std::string &digest, const std::vector<std::string> &old) {
      return std::ranges::find(old, digest) == old.end();
    };
    for (std::size_t i = 0; i < now.requires_.size(); ++i)
      if (isNew(now.requires_[i], locked.requires_))
        labels.push_back(
            i < program.requires_.size()
                ? dsl::Label{program.requires_[i].span, "a requirement that the lock does not have"}
                : dsl::Label{program.assumptions[i - program.requires_.size()].span,
                             "an assumption that the lock does not have"});
    for (std::size_t i = 0; i < now.definitions.size(); ++i)
      if (isNew(now.definitions[i], locked.definitions)) {
        if (labels.empty())
          labels.push_back({program.definitions[i].span, "the first definition that differs"});
        break;
      }
    return labels;
  }

  dsl::Diagnostic &error(dsl::Span span, const dsl::ProfileInfo &profile, std::string message) {
    dsl::Diagnostic &d = diagnostics_.error("changed-contract", span, std::move(message));
    d.help = "take the change back, or give the profile a new version";
    const std::size_t at = profile.name.rfind('v') + 1;
    if (const std::string digits = profile.name.substr(at); digits.size() < 10)
      d.help += fmt::format(": {}{}", profile.name.substr(0, at), std::stol(digits) + 1);
    return d;
  }

  const Contract &contract_;
  const Programs &programs_;
  dsl::Diagnostics diagnostics_;
  std::string file_;
  std::set<std::string> added_; // or gone: reported already
};

} // namespace

std::string lockPath(const std::string &contract) {
  return std::filesystem::path(contract).replace_extension(".lock").string();
}

std::vector<Fingerprint> compareWithLock(const Contract &contract, const Programs &programs,
                                         bool write) {
  const std::string path = lockPath(contract.path());
  Lock lock = readLock(path);
  const std::string before = lockText(lock);
  Comparison comparison(contract, programs, path);
  std::vector<Fingerprint> fingerprints;
  for (const dsl::ProfileInfo &profile : contract.profiles()) {
    const LockEntry now = entryOf(profile, programs);
    const auto locked = lock.find(profile.name);
    const bool isLocked = locked != lock.end();
    if (isLocked)
      comparison.compare(profile, locked->second, now);
    else if (write)
      lock.emplace(profile.name, now);
    for (const auto &[resolution, kernels] : now.resolutions)
      fingerprints.push_back({profile.name, resolution, fingerprint(kernels), isLocked || write});
  }
  comparison.finish();
  if (write && lockText(lock) != before)
    writeFiles({{path, lockText(lock)}});
  return fingerprints;
}

void requireUnchanged(const Contract &contract, const Programs &programs) {
  const std::string path = lockPath(contract.path());
  const Lock lock = readLock(path);
  Comparison comparison(contract, programs, path);
  for (const dsl::ProfileInfo &profile : contract.profiles()) {
    std::set<std::string> kernels;
    for (const std::string &kernel : profile.kernels)
      if (programs.contains(profile.name + "." + kernel))
        kernels.insert(kernel);
    if (const auto locked = lock.find(profile.name); locked != lock.end() && !kernels.empty())
      comparison.compare(profile, lockedOf(locked->second, kernels),
                         entryOf(profile, programs, kernels, locked->second));
  }
  comparison.finish();
}

} // namespace ordo::compiler::driver
