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
  Counts &counts = counts_[{target, rule}];
  ++counts.ends[static_cast<std::size_t>(verdict.end)];
  ++counts.seen[static_cast<std::size_t>(verdict.seen)];
  if (verdict.end == End::Equivalent)
    ++reasons_[{rule, verdict.why}];
}

Score::Counts Score::sum(const std::string &rule) const {
  Counts sum;
  for (const auto &[key, counts] : counts_)
    if (rule.empty() || key.second == rule)
      sum += counts;
  return sum;
}

int Score::count(const std::string &target, const std::string &rule) const {
  const auto it = counts_.find({target, rule});
  return it == counts_.end() ? 0 : it->second.all();
}

int Score::count(const std::string &rule, End end) const {
  return sum(rule).ends[static_cast<std::size_t>(end)];
}

int Score::count(const std::string &rule, Seen seen) const {
  return sum(rule).seen[static_cast<std::size_t>(seen)];
}

int Score::count(End end) const { return count("", end); }

int Score::all() const { return sum("").all(); }

std::string Score::row(const std::string &target, const std::string &rule, const Counts &counts) {
  std::string row = fmt::format("| {} | {} | {} |", target, rule, counts.all());
  for (const int count : counts.ends)
    row += fmt::format(" {} |", count);
  for (const Seen seen : {Seen::Stopped, Seen::Different, Seen::Equal})
    row += fmt::format(" {} |", counts.seen[static_cast<std::size_t>(seen)]);
  return row + "\n";
}

std::string Score::table() const {
  std::string text = "| target | rule | mutants | refused by the reader | refused by the proof | "
                     "equivalent | survivors | no proof | emulator: stopped | different | equal |\n"
                     "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n";
  for (const auto &[key, counts] : counts_)
    text += row(key.first, key.second, counts);
  text += row("all", "", sum(""));
  if (!reasons_.empty())
    text += "\n| rule | why it is equivalent | mutants |\n|---|---|---:|\n";
  for (const auto &[key, count] : reasons_)
    text += fmt::format("| {} | {} | {} |\n", key.first, key.second, count);
  return text;
}

} // namespace ordo::mutation
