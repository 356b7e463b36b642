// Runs are what the progressions' numbers are, each once.
#include "compiler/verify/term/progression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <set>

namespace ordo::verify {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Progression, AFullTurnIsARun) {
  EXPECT_THAT(*runsOf({{4, 100, 9}, {4, 100, 8}, {4, 100, 11}, {4, 100, 10}}),
              ElementsAre(NumberRun{8, 408}));
  EXPECT_THAT(*runsOf({{1, 5, 0}, {1, 1, 5}, {1, 2, 7}}),
              ElementsAre(NumberRun{0, 6}, NumberRun{7, 9}));
  EXPECT_THAT(*runsOf({}), IsEmpty());
}

TEST(Progression, WhatIsMissingIsMissing) {
  EXPECT_THAT(*runsOf({{3, 2, 0}, {3, 2, 1}}), ElementsAre(NumberRun{0, 2}, NumberRun{3, 5}));
  EXPECT_THAT(*runsOf({{2, 3, 0}, {2, 2, 1}}), ElementsAre(NumberRun{0, 5}));
}

TEST(Progression, TooManyToWriteOutAreRefused) {
  EXPECT_FALSE(runsOf({{2, std::int64_t{1} << 40, 0}}));
  EXPECT_TRUE(runsOf({{1, std::int64_t{1} << 40, 0}}));
}

TEST(Progression, RunsAreTheNumbersOfRandomProgressions) {
  std::mt19937 random(7);
  const auto below = [&](int n) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(n));
  };
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<Progression> all;
    std::set<std::int64_t> numbers;
    for (std::int64_t n = below(9); n > 0; --n) {
      const Progression p = {1 + below(4), 1 + below(3), below(12)};
      all.push_back(p);
      for (std::int64_t k = 0; k < p.count; ++k)
        numbers.insert(p.first + p.stride * k);
    }
    std::set<std::int64_t> found;
    std::int64_t end = -1;
    const auto runs = runsOf(all);
    ASSERT_TRUE(runs);
    for (const NumberRun &run : *runs) {
      EXPECT_GT(run.first, end) << "runs touch, or do not ascend";
      end = run.end;
      for (std::int64_t k = run.first; k < run.end; ++k)
        found.insert(k);
    }
    EXPECT_EQ(found, numbers);
  }
}

} // namespace
} // namespace ordo::verify
