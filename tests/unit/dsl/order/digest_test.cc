#include "dsl/order/digest.h"

#include <gtest/gtest.h>

#include <set>

namespace ordo::dsl {
namespace {

Order parsed(const std::string &text) { return parseOrder(text, nullptr).value(); }

TEST(Digest, CanonicalFormIsFixed) {
  // A change here changes every contract's digest: it needs a new version line.
  EXPECT_EQ(canonicalForm(parsed("seq(8) | lanes(256, 8).from(-0.0): bf16 | mid.leaf(32)")),
            "ordo.order 1\n"
            "seq n=8 w=1 leaf=1 round=none from=none pad=none\n"
            "lanes n=256 w=8 leaf=1 round=bf16 from=8000000000000000 pad=none\n"
            "mid n=0 w=1 leaf=32 round=none from=none pad=none\n");
}

TEST(Digest, KnownValue) {
  // printf 'ordo.order 1\nseq n=0 w=1 leaf=1 round=none from=none pad=none\n' | sha256sum
  EXPECT_EQ(digest(parsed("seq")),
            "42fa3a7b860940bf67e954c9d26e1ba22173ac87edcf638a3ad18677ae886320");
}

TEST(Digest, EqualExactlyForEqualStructures) {
  EXPECT_EQ(digest(parsed("lanes(4,1)|mid.leaf(1)")), digest(parsed("lanes(4) | mid")));
  const char *orders[] = {"seq",
                          "pairs",
                          "halves",
                          "mid",
                          "mid.leaf(2)",
                          "fma",
                          "mma",
                          "seq.from(0.0)",
                          "seq.from(-0.0)",
                          "seq: bf16",
                          "seq: f16",
                          "seq(2) | seq",
                          "seq(2).pad(0.0) | seq",
                          "seq(2).from(0.0) | seq",
                          "seq(3) | seq",
                          "seq(2) | seq(2) | seq",
                          "lanes(2) | seq",
                          "lanes(2, 2) | seq",
                          "first(2) | seq"};
  std::set<std::string> digests;
  for (const char *text : orders)
    digests.insert(digest(parsed(text)));
  EXPECT_EQ(digests.size(), std::size(orders));
}

} // namespace
} // namespace ordo::dsl
