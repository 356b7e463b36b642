#include "compiler/verify/term/progression.h"

#include <algorithm>
#include <tuple>

namespace ordo::verify {
namespace {

constexpr std::int64_t kMostWritten = std::int64_t{1} << 22;

/// Progressions from `begin` on with one stride and count and adjacent firsts, as many as a stride
/// at most.
std::size_t turn(const std::vector<Progression> &all, std::size_t begin) {
  const auto [stride, count, first] = all[begin];
  std::size_t size = 1;
  while (static_cast<std::int64_t>(size) < stride && begin + size < all.size() &&
         all[begin + size] == Progression{stride, count, first + static_cast<std::int64_t>(size)})
    ++size;
  return size;
}

} // namespace

std::optional<std::vector<NumberRun>> runsOf(std::vector<Progression> all) {
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  std::vector<NumberRun> runs;
  std::int64_t written = 0;
  for (std::size_t i = 0; i < all.size();) {
    const auto [stride, count, first] = all[i];
    if (static_cast<std::int64_t>(turn(all, i)) == stride) {
      runs.push_back({first, first + stride * count});
      i += static_cast<std::size_t>(stride);
      continue;
    }
    if (count > kMostWritten - written)
      return std::nullopt;
    written += count;
    for (std::int64_t n = 0; n < count; ++n)
      runs.push_back({first + stride * n, first + stride * n + 1});
    ++i;
  }
  std::ranges::sort(runs, {}, [](const NumberRun &r) { return std::tuple(r.first, r.end); });
  std::vector<NumberRun> joined;
  for (const NumberRun &r : runs)
    if (!joined.empty() && r.first <= joined.back().end)
      joined.back().end = std::max(joined.back().end, r.end);
    else
      joined.push_back(r);
  return joined;
}

} // namespace ordo::verify
