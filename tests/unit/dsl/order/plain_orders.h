// Every stage of design section 3 again, as plain loops over strings: the oracle for fold and Tree.
// Written from the table alone. Each function works on a whole list and gives a whole list, so an
// order is a chain of calls; rounding is spelt [x] and a merge (x+y).
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace ordo::dsl::plain {

using Values = std::vector<std::string>;

inline Values elements(std::size_t length) {
  Values values;
  for (std::size_t i = 0; i < length; ++i)
    values.push_back("v" + std::to_string(i));
  return values;
}

inline std::string plus(const std::string &a, const std::string &b) {
  return "(" + a + "+" + b + ")";
}

/// x as it is, or rounded; rounding a rounded value changes nothing, so it is not spelt twice.
inline std::string emitted(const std::string &x, bool round) {
  return round && x.front() != '[' ? "[" + x + "]" : x;
}

inline std::string seqOf(const Values &run, bool round) {
  std::string sum = run[0];
  for (std::size_t i = 1; i < run.size(); ++i)
    sum = emitted(plus(sum, run[i]), round);
  return emitted(sum, round);
}

/// Node (level, i) stands for elements [i 2^level, (i+1) 2^level), as far as there are any.
inline std::string pairsNode(const Values &run, bool round, int level, std::size_t i) {
  if (level == 0)
    return run[i];
  const std::string left = pairsNode(run, round, level - 1, 2 * i);
  if (((2 * i + 1) << (level - 1)) >= run.size())
    return emitted(left, round);
  return emitted(plus(left, pairsNode(run, round, level - 1, 2 * i + 1)), round);
}

inline std::string pairsOf(const Values &run, bool round) {
  int levels = 0;
  while ((std::size_t{1} << levels) < run.size())
    ++levels;
  return emitted(pairsNode(run, round, levels, 0), round);
}

/// The table's loop over m slots, of which those past the end are missing.
inline std::string halvesOf(const Values &run, bool round) {
  std::size_t m = 1;
  while (m < run.size())
    m += m;
  Values slots = run;
  slots.resize(m, ""); // "": missing
  for (std::size_t h = m / 2; h > 0; h /= 2)
    for (std::size_t i = 0; i < h; ++i)
      slots[i] = slots[i].empty()       ? ""
                 : slots[i + h].empty() ? emitted(slots[i], round)
                                        : emitted(plus(slots[i], slots[i + h]), round);
  return emitted(slots[0], round);
}

inline std::string midOf(const Values &v, bool round, std::size_t leaf, std::size_t lo,
                         std::size_t hi) {
  if (hi - lo <= leaf) {
    std::string sum = v[lo];
    for (std::size_t i = lo + 1; i < hi; ++i)
      sum = plus(sum, v[i]);
    return emitted(sum, round);
  }
  const std::size_t split = lo + (hi - lo) / 2;
  return emitted(plus(midOf(v, round, leaf, lo, split), midOf(v, round, leaf, split, hi)), round);
}

using FoldRun = std::function<std::string(const Values &, bool)>;

inline FoldRun midWithLeaf(std::size_t leaf) {
  return [leaf](const Values &run, bool round) { return midOf(run, round, leaf, 0, run.size()); };
}

/// The whole list as one run.
inline Values total(const FoldRun &foldRun, const Values &values, bool round = false) {
  return values.empty() ? Values{} : Values{foldRun(values, round)};
}

inline Values runs(const FoldRun &foldRun, std::size_t n, const Values &values,
                   bool round = false) {
  Values results, run;
  for (const std::string &value : values) {
    run.push_back(value);
    if (run.size() == n)
      results.push_back(foldRun(run, round)), run.clear();
  }
  if (!run.empty())
    results.push_back(foldRun(run, round));
  return results;
}

/// What `first(r)` before a stage of runs means, from its words: a run of r, then the others.
inline Values firstThenRuns(std::size_t r, const FoldRun &foldRun, std::size_t n,
                            const Values &values, bool round = false) {
  const auto cut = values.begin() + static_cast<std::ptrdiff_t>(std::min(r, values.size()));
  Values results = runs(foldRun, r, Values(values.begin(), cut), round);
  for (const std::string &result : runs(foldRun, n, Values(cut, values.end()), round))
    results.push_back(result);
  return results;
}

/// Element i belongs to lane (i / w) % n.
inline Values lanes(std::size_t n, std::size_t w, const Values &values, bool round = false) {
  Values results;
  for (std::size_t r = 0; r < n; ++r) {
    Values lane;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (i / w % n == r)
        lane.push_back(values[i]);
    if (!lane.empty())
      results.push_back(seqOf(lane, round));
  }
  return results;
}

/// `first(r)` before lanes: element i stands in run 0 if i < r, else in run 1 + (i - r) / w; run k
/// belongs to lane k % n.
inline Values firstThenLanes(std::size_t r, std::size_t n, std::size_t w, const Values &values) {
  std::vector<Values> lanes(n);
  for (std::size_t i = 0; i < values.size(); ++i)
    lanes[i < r ? 0 : (1 + (i - r) / w) % n].push_back(values[i]);
  Values results;
  for (const Values &lane : lanes)
    if (!lane.empty())
      results.push_back(seqOf(lane, false));
  return results;
}

} // namespace ordo::dsl::plain
