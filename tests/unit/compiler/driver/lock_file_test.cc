#include "compiler/driver/lock_file.h"

#include "compiler/driver/failure.h"

#include <gtest/gtest.h>

namespace ordo::compiler::driver {
namespace {

Lock sample() {
  LockEntry entry;
  entry.resolutions["every target"] = {{"k", "00"}};
  entry.parts["k"] = {"a", {}, {"b"}, {"seq"}};
  return {{"m.v1", entry}};
}

std::string refusalOf(const std::string &text) {
  try {
    parseLock(text);
  } catch (const Failure &failure) {
    return failure.message;
  }
  return "";
}

TEST(LockFile, ReadsWhatItWrites) {
  const std::string text = lockText(sample());
  EXPECT_EQ(lockText(parseLock(text)), text);
  EXPECT_EQ(parseLock(text).at("m.v1").resolutions, sample().at("m.v1").resolutions);
  EXPECT_EQ(refusalOf(text), "");
}

TEST(LockFile, RefusesOtherFormatsWhateverTheirType) {
  for (const std::string format : {"2", "-1", "18446744073709551615"})
    EXPECT_EQ(refusalOf("{\"ordo_lock\": " + format + ", \"profiles\": {}}"),
              "its format is " + format + ", this ordo reads 1");
  // As an int, the first two are whatever the machine makes of them.
  for (const std::string format : {"1e300", "18446744073709551616", "1.0", "\"1\"", "null", "[1]"})
    EXPECT_EQ(refusalOf("{\"ordo_lock\": " + format + ", \"profiles\": {}}"),
              "its format is no whole number, this ordo reads 1");
  EXPECT_EQ(refusalOf("{\"ordo_lock\": 1, \"profiles\": {}}"), "");
}

TEST(LockFile, RefusesWhatIsNotWhole) {
  const std::string text = lockText(sample());
  for (std::size_t size = 0; size + 2 < text.size(); ++size)
    EXPECT_NE(refusalOf(text.substr(0, size)), "") << text.substr(0, size);
  std::string changed = text;
  changed.replace(changed.find("\"00\""), 4, "\"01\"");
  EXPECT_EQ(refusalOf(changed), "the fingerprint for every target is not that of its kernels");
}

} // namespace
} // namespace ordo::compiler::driver
