#include "dsl/syntax/source.h"

#include <gtest/gtest.h>

namespace ordo::dsl {
namespace {

TEST(Source, CountsLinesAndCodePoints) {
  SourceManager sources;
  const std::uint32_t file = sources.add("a", "ab\n\xC3\xA9x\xE6\xBC\xA2y\n"); // é x 漢 y
  const auto at = [&](std::uint32_t offset) {
    const LineColumn place = sources.lineColumn(file, offset);
    return std::to_string(place.line) + ":" + std::to_string(place.column);
  };
  EXPECT_EQ(at(0), "1:1");
  EXPECT_EQ(at(2), "1:3"); // the line's end belongs to the line
  EXPECT_EQ(at(3), "2:1");
  EXPECT_EQ(at(5), "2:2"); // x, after the two bytes of é
  EXPECT_EQ(at(6), "2:3");
  EXPECT_EQ(at(9), "2:4"); // y, after the three bytes of 漢
  EXPECT_EQ(at(11), "3:1");
  EXPECT_EQ(at(4000), "3:1"); // past the end: the end
}

TEST(Source, GivesTheWholeLineWithoutItsEnd) {
  SourceManager sources;
  const std::uint32_t file = sources.add("a", "first\r\nsecond\n\nlast");
  EXPECT_EQ(sources.line(file, 0), "first");
  EXPECT_EQ(sources.line(file, 6), "first"); // on the line's end itself
  EXPECT_EQ(sources.line(file, 7), "second");
  EXPECT_EQ(sources.line(file, 14), "");
  EXPECT_EQ(sources.line(file, 15), "last");
  EXPECT_EQ(sources.line(file, 99), "last");
  const std::uint32_t empty = sources.add("b", "");
  EXPECT_EQ(sources.line(empty, 0), "");
}

TEST(Source, ClampsSpansToTheText) {
  SourceManager sources;
  const std::uint32_t file = sources.add("a", "abc");
  EXPECT_EQ(sources.text({file, 1, 2}), "b");
  EXPECT_EQ(sources.text({file, 1, 99}), "bc");
  EXPECT_EQ(sources.text({file, 99, 100}), "");
  EXPECT_EQ(sources.text({file, 2, 1}), "");
}

} // namespace
} // namespace ordo::dsl
