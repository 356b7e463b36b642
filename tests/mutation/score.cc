#include "tests/mutation/score.h"

#include <fmt/format.h>
#include <numeric>

namespace ordo::mutation {

void Score::add(const std::string &family, const std::string &rule, End end,
                const std::string &why) {
  ++counts_[{family, rule}][static_cast<std::size_t>(end)];
  if (end == End::Equivalent)
    ++reasons_[{rule, why}];
  if (end == End::Survivor)
    survivors_.push_back(why);
}

int Score::count(const std::string &family, const std::string &rule) const {
  const auto it = counts_.find({family, rule});
  return it == counts_.end() ? 0 : std::accumulate(it->second.begin(), it->second.end(), 0);
}

int Score::count(const std::string &rule, End end) const {
  int sum = 0;
  for (const auto &[key, counts] : counts_)
    sum += key.second == rule ? counts[static_cast<std::size_t>(end)] : 0;
  return sum;
}

int Score::count(End end) const {
  int sum = 0;
  for (const auto &[key, counts] : counts_)
    sum += counts[static_cast<std::size_t>(end)];
  return sum;
}

int Score::all() const {
  int sum = 0;
  for (const auto &[key, counts] : counts_)
    sum += std::accumulate(counts.begin(), counts.end(), 0);
  return sum;
}

std::string Score::row(const std::string &family, const std::string &rule, const Counts &counts) {
  std::string row = fmt::format("| {} | {} | {} |", family, rule,
                                std::accumulate(counts.begin(), counts.end(), 0));
  for (const int count : counts)
    row += fmt::format(" {} |", count);
  return row + "\n";
}

std::string Score::table() const {
  std::string text = "| target | rule | mutants | refused by the reader | refused by the proof | "
                     "stopped | different | equal, no proof | equivalent | survivors |\n"
                     "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n";
  Counts sum{};
  for (const auto &[key, counts] : counts_) {
    text += row(key.first, key.second, counts);
    for (std::size_t k = 0; k < kEnds; ++k)
      sum[k] += counts[k];
  }
  text += row("all", "", sum);
  if (!reasons_.empty())
    text += "\n| rule | why it is equivalent | mutants |\n|---|---|---:|\n";
  for (const auto &[key, count] : reasons_)
    text += fmt::format("| {} | {} | {} |\n", key.first, key.second, count);
  return text;
}

} // namespace ordo::mutation
