// Records as text and back, and work in processes.
#include "tests/mutation/record.h"

#include "tests/mutation/change.h"
#include "tests/mutation/processes.h"

#include <csignal>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace ordo::mutation {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

const Record kRecord{"a.ordo",
                     "k",
                     "cuda.sm_90a",
                     rule::kOperands,
                     7,
                     "\tadd a, b\\n;",
                     "x\n\ty|z",
                     {End::Equivalent, Seen::Equal, "a reason"}};

TEST(Record, IsReadAsItWasPrinted) {
  const std::string line = print(kRecord);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto again = parseRecord(line);
  ASSERT_TRUE(again);
  EXPECT_EQ(print(*again), line);
  EXPECT_EQ(again->before, kRecord.before);
  EXPECT_EQ(again->after, kRecord.after);
  EXPECT_EQ(again->verdict.end, End::Equivalent);
}

TEST(Record, WhatIsCutOffIsNone) {
  const std::string line = print(kRecord);
  EXPECT_FALSE(parseRecord(line.substr(0, line.rfind('\t'))));
  EXPECT_FALSE(parseRecord(line + "\tmore"));
  EXPECT_FALSE(parseRecord(""));
}

TEST(Record, AFileWithoutItsEndIsNone) {
  const std::string path = ::testing::TempDir() + "/records.tsv";
  const std::vector<Record> two = {kRecord, kRecord};
  ASSERT_TRUE(writeRecords(path, two));
  ASSERT_TRUE(readRecords(path));
  EXPECT_EQ(readRecords(path)->size(), 2u);
  std::string text = print(kRecord) + "\n";
  std::ofstream(path) << text;
  EXPECT_FALSE(readRecords(path));
  EXPECT_FALSE(readRecords(path + ".none"));
}

TEST(Record, EquivalentsAreListedWithTheirReason) {
  Record other = kRecord;
  other.verdict.end = End::Refused;
  other.kernel = "refused_one";
  const std::vector<Record> all = {kRecord, other};
  EXPECT_THAT(equivalents(all), HasSubstr("a reason:"));
  EXPECT_THAT(equivalents(all), HasSubstr("`x y\\|z`"));
  EXPECT_THAT(equivalents(all), ::testing::Not(HasSubstr("refused_one")));
}

TEST(Readings, AreOfOneChangeWhoseBitsAreEqual) {
  Record reading = kRecord, other = kRecord;
  reading.verdict = {End::Equivalent, Seen::Equal, "read by hand"};
  other.line += 1;
  std::vector<Record> all = {kRecord, other, kRecord, kRecord};
  for (Record &r : all)
    r.verdict = {End::Survivor, Seen::Equal, ""};
  all[2].verdict.end = End::Refused;
  all[3].verdict.seen = Seen::Different;
  applyReadings(all, std::vector{reading});
  EXPECT_EQ(all[0].verdict.end, End::Equivalent);
  EXPECT_EQ(all[0].verdict.why, "read by hand");
  EXPECT_EQ(all[1].verdict.end, End::Survivor);
  EXPECT_EQ(all[2].verdict.end, End::Refused);
  EXPECT_EQ(all[3].verdict.end, End::Survivor);
}

TEST(Processes, WhatFailsTakesNothingElseWithIt) {
  std::vector<std::size_t> done;
  const auto failures = inProcesses(
      6, 2, 2,
      [](std::size_t k) {
        if (k == 1)
          std::raise(SIGKILL);
        if (k == 3)
          pause();
        return k != 4;
      },
      [&](std::size_t k) { done.push_back(k); });
  EXPECT_THAT(done, UnorderedElementsAre(0, 1, 2, 3, 4, 5));
  std::vector<std::string> why(6);
  for (const Failure &failure : failures)
    why[failure.item] = failure.why;
  EXPECT_THAT(why,
              ::testing::ElementsAre("", "ended by signal 9", "", "took too long", "failed", ""));
}

TEST(Score, CountsKernelsWithoutAProofApart) {
  Score score;
  score.add("PTX", rule::kOrder, {End::Refused, Seen::Different, ""});
  score.add("PTX", rule::kOrder, {End::Unproven, Seen::Different, ""});
  EXPECT_EQ(score.all(), 1);
  EXPECT_EQ(score.unproven(), 1);
  EXPECT_EQ(score.percent(), 100);
  EXPECT_THAT(score.table(), HasSubstr("| all | all | 1 | 0 | 1 | 0 | 0 | 0 | 1 | 0 |"));
  score.add("PTX", rule::kOrder, {End::Survivor, Seen::Different, ""});
  EXPECT_EQ(score.percent(), 50);
}

} // namespace
} // namespace ordo::mutation
