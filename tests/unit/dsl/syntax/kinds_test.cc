// The list of kinds; that a kind outside it does not compile is the compiler's own test.
#include "dsl/syntax/kinds.h"

#include <gtest/gtest.h>

#include <set>

namespace ordo::dsl {
namespace {

TEST(Kinds, AreKebabCaseAndStandOnce) {
  std::set<std::string_view> seen;
  for (const std::string_view kind : kKinds) {
    EXPECT_TRUE(seen.insert(kind).second) << kind;
    EXPECT_EQ(kind.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), kind.npos) << kind;
  }
}

TEST(Kinds, CompareByName) {
  const Kind kind = "type-mismatch";
  EXPECT_EQ(kind.name(), "type-mismatch");
  EXPECT_TRUE(kind == "type-mismatch");
  EXPECT_FALSE(kind == "bad-cast");
  EXPECT_TRUE(Kind() == "");
}

} // namespace
} // namespace ordo::dsl
