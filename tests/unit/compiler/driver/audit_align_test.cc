#include "compiler/driver/audit_align.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace ordo::compiler::driver {
namespace {

using Lines = std::vector<std::string>;

Lines letters(std::string_view text) {
  Lines lines;
  for (const char letter : text)
    lines.emplace_back(1, letter);
  return lines;
}

/// "a=a b/- -/c": pairs as they stand.
std::string spelt(const Lines &left, const Lines &right) {
  std::string text;
  for (const AlignedRow &row : aligned(left, right))
    text += (text.empty() ? "" : " ") + (row.left ? left[*row.left] : "-") +
            (row.isSame ? "=" : "/") + (row.right ? right[*row.right] : "-");
  return text;
}

std::string spelt(std::string_view left, std::string_view right) {
  return spelt(letters(left), letters(right));
}

TEST(Align, KeepsWhatIsCommonInRowsOfItsOwn) {
  EXPECT_EQ(spelt("", ""), "");
  EXPECT_EQ(spelt("abc", "abc"), "a=a b=b c=c");
  EXPECT_EQ(spelt("abc", "ac"), "a=a b/- c=c");
  EXPECT_EQ(spelt("ac", "abc"), "a=a -/b c=c");
  EXPECT_EQ(spelt("abd", "acd"), "a=a b/c d=d");
  EXPECT_EQ(spelt("", "ab"), "-/a -/b");
  EXPECT_EQ(spelt("aXbYc", "aPbQc"), "a=a X/P b=b Y/Q c=c");
}

TEST(Align, CommonEndsDoNotOverlap) { EXPECT_EQ(spelt("aa", "aaa"), "a=a a=a -/a"); }

/// The longest common subsequence by definition: every subset of the shorter list.
std::size_t longestCommon(const Lines &a, const Lines &b) {
  std::size_t best = 0;
  for (unsigned subset = 0; subset < 1u << a.size(); ++subset) {
    std::size_t at = 0, taken = 0;
    bool isFound = true;
    for (std::size_t i = 0; i < a.size() && isFound; ++i)
      if (subset >> i & 1u) {
        while (at < b.size() && b[at] != a[i])
          ++at;
        isFound = at++ < b.size();
        ++taken;
      }
    best = isFound ? std::max(best, taken) : best;
  }
  return best;
}

TEST(Align, FindsALongestCommonSubsequenceAndLosesNothing) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    Lines left, right;
    for (Lines *side : {&left, &right})
      for (auto size = random() % 9; size > 0; --size)
        side->push_back(std::string(1, static_cast<char>('a' + random() % 3)));
    std::size_t nextLeft = 0, nextRight = 0, same = 0;
    for (const AlignedRow &row : aligned(left, right)) {
      ASSERT_TRUE(row.left || row.right);
      if (row.left)
        ASSERT_EQ(*row.left, nextLeft++);
      if (row.right)
        ASSERT_EQ(*row.right, nextRight++);
      if (row.isSame) {
        ASSERT_EQ(left[row.left.value()], right[row.right.value()]);
        ++same;
      }
    }
    EXPECT_EQ(nextLeft, left.size());
    EXPECT_EQ(nextRight, right.size());
    EXPECT_EQ(same, longestCommon(left, right));
  }
}

TEST(Align, LongListsThatShareNothingCostLittle) {
  const Lines left(100'000, "a"), right(90'000, "b");
  const std::vector<AlignedRow> rows = aligned(left, right);
  EXPECT_EQ(rows.size(), left.size());
  EXPECT_FALSE(rows.back().right);
}

} // namespace
} // namespace ordo::compiler::driver
