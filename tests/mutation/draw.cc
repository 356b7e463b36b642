#include "tests/mutation/draw.h"

#include "tests/emulation/subject.h"
#include "tests/mutation/gcn_mutator.h"
#include "tests/mutation/judge.h"
#include "tests/mutation/prover.h"
#include "tests/mutation/ptx_mutator.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <random>

namespace ordo::mutation {
namespace {

constexpr std::size_t kOfEach = 5, kOfLong = 2, kOfUnproven = 1;
constexpr std::uint64_t kLongProof = 1 << 16; // steps
constexpr std::size_t kRareFirst = 2;

/// What few kernels have something for.
bool isRare(const std::string &rule) {
  static const std::string kRare[] = {
      rule::kFused,  rule::kUnfused, rule::kSaturate, rule::kApprox,   rule::kNans, rule::kCode,
      rule::kNarrow, rule::kThread,  rule::kLanes,    rule::kSegment,  rule::kExec, rule::kBarrier,
      rule::kLate,   rule::kFence,   rule::kPart,     rule::kWeakWait, rule::kMode, rule::kSplit};
  return std::ranges::find(kRare, rule) != std::end(kRare);
}

/// FNV-1a: a seed that is the same everywhere.
std::uint32_t seedOf(const std::string &text) {
  std::uint32_t hash = 2166136261u;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

class Draw {
public:
  Draw(const oracle::KernelCase &which, const emulation::Subject &subject)
      : which_(which), subject_(subject), judge_(subject, !takesLong(which.kernel)),
        random_(seedOf(which.file + ":" + which.kernel + "@" + subject.target())) {
    for (Change &change :
         subject.isCuda() ? ptxChanges(subject.assembly()) : gcnChanges(subject.assembly()))
      byRule_[change.rule].push_back(std::move(change));
  }

  std::vector<Record> records() {
    std::size_t left = !judge_.isProven()            ? kOfUnproven
                       : judge_.steps() > kLongProof ? kOfLong
                                                     : kOfEach;
    for (const std::string &rule : rules()) {
      if (left == 0)
        break;
      left -= one(rule) ? 1 : 0;
    }
    return std::move(records_);
  }

private:
  /// Shuffled, a few rare ones first.
  std::vector<std::string> rules() {
    std::vector<std::string> all, rare;
    for (const auto &[rule, changes] : byRule_)
      all.push_back(rule);
    shuffle(all);
    std::size_t left = kRareFirst;
    std::ranges::copy_if(all, std::back_inserter(rare), [&](const std::string &rule) {
      return left > 0 && isRare(rule) && left-- > 0;
    });
    std::erase_if(
        all, [&](const std::string &rule) { return std::ranges::find(rare, rule) != rare.end(); });
    rare.insert(rare.end(), all.begin(), all.end());
    return rare;
  }

  /// As std::shuffle does, which is not the same in every library.
  template <class T> void shuffle(std::vector<T> &all) {
    for (std::size_t k = all.size(); k > 1; --k)
      std::swap(all[k - 1], all[random_() % k]);
  }

  /// The first that assembles.
  bool one(const std::string &rule) {
    constexpr std::size_t kTries = 4;
    std::vector<Change> &all = byRule_[rule];
    shuffle(all);
    for (std::size_t k = 0; k < std::min(all.size(), kTries); ++k) {
      const auto verdict = judge_.judge(all[k], true);
      if (!verdict)
        continue;
      records_.push_back({which_.file, which_.kernel, subject_.target(), rule,
                          all[k].edits.front().line + 1, all[k].before, all[k].after, *verdict});
      if (verdict->end == End::Survivor)
        std::fprintf(stderr, "survivor: %s\n", print(records_.back()).c_str());
      return true;
    }
    return false;
  }

  const oracle::KernelCase &which_;
  const emulation::Subject &subject_;
  Judge judge_;
  std::mt19937 random_;
  std::map<std::string, std::vector<Change>> byRule_;
  std::vector<Record> records_;
};

} // namespace

std::vector<Record> drawnOf(const oracle::KernelCase &which, const std::string &target) {
  const emulation::Subject subject(which.file, which.kernel, target);
  if (!subject.ok())
    return {};
  return Draw(which, subject).records();
}

} // namespace ordo::mutation
