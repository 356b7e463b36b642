// Common ends first; the middle by the table of longest common subsequences of its suffixes.
#include "compiler/driver/audit_align.h"

#include <algorithm>
#include <cstdint>

namespace ordo::compiler::driver {

namespace {

constexpr std::size_t kMostPairs = 4'000'000;

using Lines = std::vector<std::string>;

/// Rows for [left, leftEnd) and [right, rightEnd), which have nothing in common.
void addDiffering(std::size_t left, std::size_t leftEnd, std::size_t right, std::size_t rightEnd,
                  std::vector<AlignedRow> &rows) {
  while (left < leftEnd || right < rightEnd) {
    AlignedRow row;
    if (left < leftEnd)
      row.left = left++;
    if (right < rightEnd)
      row.right = right++;
    rows.push_back(row);
  }
}

void addMiddle(const Lines &a, const Lines &b, std::size_t begin, std::size_t aEnd,
               std::size_t bEnd, std::vector<AlignedRow> &rows) {
  const std::size_t n = aEnd - begin;
  const std::size_t m = bEnd - begin;
  if (n == 0 || m == 0 || n > kMostPairs / m)
    return addDiffering(begin, aEnd, begin, bEnd, rows);
  // longest[i][j]: of a from begin + i and b from begin + j.
  std::vector<std::uint32_t> longest((n + 1) * (m + 1), 0);
  const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t & {
    return longest[i * (m + 1) + j];
  };
  for (std::size_t i = n; i-- > 0;)
    for (std::size_t j = m; j-- > 0;)
      at(i, j) = a[begin + i] == b[begin + j] ? at(i + 1, j + 1) + 1
                                              : std::max(at(i + 1, j), at(i, j + 1));
  std::size_t i = 0, j = 0, left = 0, right = 0; // left, right: not yet in a row
  while (i < n && j < m) {
    if (a[begin + i] == b[begin + j]) {
      addDiffering(begin + left, begin + i, begin + right, begin + j, rows);
      rows.push_back({begin + i, begin + j, true});
      left = ++i;
      right = ++j;
    } else if (at(i + 1, j) >= at(i, j + 1)) {
      ++i;
    } else {
      ++j;
    }
  }
  addDiffering(begin + left, aEnd, begin + right, bEnd, rows);
}

} // namespace

std::vector<AlignedRow> aligned(const Lines &left, const Lines &right) {
  const std::size_t shorter = std::min(left.size(), right.size());
  std::size_t begin = 0;
  while (begin < shorter && left[begin] == right[begin])
    ++begin;
  std::size_t end = 0; // of the common end
  while (end < shorter - begin && left[left.size() - 1 - end] == right[right.size() - 1 - end])
    ++end;
  std::vector<AlignedRow> rows;
  for (std::size_t i = 0; i < begin; ++i)
    rows.push_back({i, i, true});
  addMiddle(left, right, begin, left.size() - end, right.size() - end, rows);
  for (std::size_t i = end; i > 0; --i)
    rows.push_back({left.size() - i, right.size() - i, true});
  return rows;
}

} // namespace ordo::compiler::driver
