#include "tests/mutation/score.h"

#include <fmt/format.h>
#include <numeric>

namespace ordo::mutation {

Score::Counts &Score::Counts::operator+=(const Counts &other) {
  for (std::size_t k = 0; k < kEnds; ++k)
    ends[k] += other.ends[k];
  for (std::size_t k = 0; k < kSeen; ++k)
    seen[k] += other.seen[k];
  return *this;
}

int Score::Counts::all() const { return std::accumulate(ends.begin(), ends.end(), 0); }

void Score::add(const std::string &target, const std::string &rule, const Verdict &verdict) {
  Counts &counts = (verdict.end == End::Unproven ? unproven_ : counts_)[{target, rule}];
  ++counts.ends[static_cast<std::size_t>(verdict.end)];
  ++counts.seen[static_cast<std::size_t>(verdict.seen)];
  if (verdict.end == End::Equivalent)
    ++reasons_[{rule, verdict.why}];
}

Score::Counts Score::sum(const std::map<Key, Counts> &all, const std::string &rule) {
  Counts sum;
  for (const auto &[key, counts] : all)
    if (rule.empty() || key.second == rule)
      sum += counts;
  return sum;
}

int Score::count(const std::string &target, const std::string &rule) const {
  const auto it = counts_.find({target, rule});
  return it == counts_.end() ? 0 : it->second.all();
}

int Score::count(const std::string &rule, End end) const {
  return sum(counts_, rule).ends[static_cast<std::size_t>(end)];
}

int Score::count(const std::string &rule, Seen seen) const {
  return sum(counts_, rule).seen[static_cast<std::size_t>(seen)];
}

int Score::count(End end) const { return count("", end); }

int Score::all() const { return sum(counts_, "").all(); }

int Score::unproven() const { return sum(unproven_, "").all(); }

double Score::percent() const {
  const int counted = all() - count(End::Equivalent);
  return counted == 0 ? 100 : 100.0 * (counted - count(End::Survivor)) / counted;
}

std::string Score::cells(const Counts &counts) {
  std::string row = fmt::format(" {} |", counts.all());
  for (const End end : {End::Unread, End::Refused, End::Equivalent, End::Survivor})
    row += fmt::format(" {} |", counts.ends[static_cast<std::size_t>(end)]);
  for (const Seen seen : {Seen::Stopped, Seen::Different, Seen::Equal})
    row += fmt::format(" {} |", counts.seen[static_cast<std::size_t>(seen)]);
  return row + "\n";
}

std::string Score::table() const {
  std::string text = "| target | rule | mutants | refused by the reader | refused by the proof | "
                     "equivalent | survivors | emulated: stopped | different | equal |\n"
                     "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n";
  for (const auto &[key, counts] : counts_)
    text += fmt::format("| {} | {} |{}", key.first, key.second, cells(counts));
  text += "| all | all |" + cells(sum(counts_, ""));
  if (!reasons_.empty())
    text += "\n| rule | why it is equivalent | mutants |\n|---|---|---:|\n";
  for (const auto &[key, count] : reasons_)
    text += fmt::format("| {} | {} | {} |\n", key.first, key.second, count);
  if (unproven_.empty())
    return text;
  text += "\nOf kernels that are not proven themselves, so that the proof refuses every mutant; "
          "the emulator alone tells one:\n\n"
          "| target | mutants | stopped | different | equal |\n|---|---:|---:|---:|---:|\n";
  std::map<std::string, Counts> byTarget;
  for (const auto &[key, counts] : unproven_)
    byTarget[key.first] += counts;
  for (const auto &[target, counts] : byTarget)
    text += fmt::format("| {} | {} | {} | {} | {} |\n", target, counts.all(),
                        counts.seen[static_cast<std::size_t>(Seen::Stopped)],
                        counts.seen[static_cast<std::size_t>(Seen::Different)],
                        counts.seen[static_cast<std::size_t>(Seen::Equal)]);
  return text;
}

} // namespace ordo::mutation
