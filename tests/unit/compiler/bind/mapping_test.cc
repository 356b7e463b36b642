// How orders are cut. The cut itself is tried against the order's meaning: fold each slot's front
// by plain loops, the rest by the back, as strings, and compare with the whole order's tree.
#include "compiler/bind/mapping.h"

#include "dsl/order/fold.h"

#include <array>
#include <gtest/gtest.h>
#include <span>

namespace ordo::compiler {
namespace {

const Target &sm90() { return *findTarget("cuda.sm_90a"); }

dsl::Order order(const std::string &spelling) {
  std::string why;
  const auto parsed = dsl::parseOrder(spelling, &why);
  EXPECT_TRUE(parsed) << spelling << ": " << why;
  return parsed.value_or(dsl::Order{});
}

std::optional<Mapping> map(const std::string &spelling, std::int64_t length, Unbound &why) {
  return mapToBlock(order(spelling), length, sm90(), why);
}

struct Strings {
  std::string add(const std::string &a, const std::string &b) { return "(" + a + " " + b + ")"; }
  std::string round(const std::string &a, dsl::DType) { return a; }
  std::string literal(double) { return "literal"; }
};

std::vector<std::string> elements(std::int64_t length) {
  std::vector<std::string> all;
  for (std::int64_t i = 0; i < length; ++i)
    all.push_back(std::to_string(i));
  return all;
}

// The values of one run, folded by the run stages in turn.
std::vector<std::string> foldRuns(const Mapping &m, std::vector<std::string> values) {
  dsl::Order whole;
  Strings strings;
  for (const dsl::Stage &s : m.runStages)
    values = dsl::detail::StageFold<std::string, Strings>(s, strings).apply(values);
  return values;
}

std::string chain(const std::vector<std::string> &values) {
  std::string sum = values.front();
  for (std::size_t i = 1; i < values.size(); ++i)
    sum = "(" + sum + " " + values[i] + ")";
  return sum;
}

// What a slot computes: its chunks' runs as one chain, or its elements by halves.
std::string slotValue(const Mapping &m, std::int64_t slot) {
  std::vector<std::string> values;
  for (std::int64_t k = 0; k < m.depth(); ++k) {
    const std::int64_t begin = (slot + k * m.slots) * m.chunk();
    std::vector<std::string> chunk;
    for (std::int64_t i = begin; i < std::min(begin + m.chunk(), m.length); ++i)
      chunk.push_back(std::to_string(i));
    if (chunk.empty())
      continue;
    const auto runs = foldRuns(m, chunk);
    values.insert(values.end(), runs.begin(), runs.end());
  }
  if (m.front != Mapping::Front::Strided)
    return chain(values);
  dsl::Order halves = order("halves");
  return *dsl::fold<std::string>(halves, values, Strings{});
}

std::string byMapping(const Mapping &m) {
  if (m.front == Mapping::Front::Whole)
    return chain(elements(m.length));
  std::vector<std::string> slots;
  for (std::int64_t s = 0; s < m.liveSlots(); ++s)
    slots.push_back(slotValue(m, s));
  dsl::Order back;
  back.stages = m.back;
  return back.empty() ? slots.front() : *dsl::fold<std::string>(back, slots, Strings{});
}

TEST(Mapping, CutsLeaveTheTreeAsItIs) {
  for (const char *spelling :
       {"seq", "seq(8) | lanes(16) | halves", "lanes(5) | pairs", "lanes(3, 4) | seq",
        "seq(4) | seq", "pairs(4) | pairs", "halves(8) | halves", "pairs", "halves",
        "seq(2) | pairs(4) | lanes(4) | halves", "lanes(8) | lanes(2, 2) | seq",
        "seq(2) | lanes(3, 2) | pairs(2) | seq"})
    for (std::int64_t length : {1, 2, 3, 7, 8, 9, 31, 64, 100, 257, 300}) {
      Unbound why;
      const auto m = map(spelling, length, why);
      ASSERT_TRUE(m) << spelling << " over " << length << ": " << why.reason;
      EXPECT_EQ(byMapping(*m),
                *dsl::fold<std::string>(order(spelling), elements(length), Strings{}))
          << spelling << " over " << length;
    }
}

// Elements begin … end - 1 by loops: parts of widths.back() elements, each by the loops within.
std::string byLoops(std::span<const std::int64_t> widths, std::int64_t begin, std::int64_t end) {
  std::vector<std::string> parts;
  for (std::int64_t i = begin; i < end; i += widths.back())
    parts.push_back(widths.size() == 1 ? std::to_string(i)
                                       : byLoops(widths.first(widths.size() - 1), i,
                                                 std::min(i + widths.back(), end)));
  return chain(parts);
}

TEST(Mapping, LoopsLeaveTheTreeAsItIs) {
  for (const char *spelling :
       {"seq", "seq(1) | seq", "seq(8) | seq", "seq(3) | seq(5) | seq", "seq(64) | seq"})
    for (std::int64_t length : {1, 2, 3, 7, 8, 9, 15, 16, 31, 64, 65, 100, 257}) {
      Unbound why;
      const auto m = mapToLoops(order(spelling), why);
      ASSERT_TRUE(m) << spelling << ": " << why.reason;
      EXPECT_EQ(m->front, Mapping::Front::Loops);
      EXPECT_EQ(m->axes, std::vector<std::string>(order(spelling).stages.size(), "register"));
      std::vector<std::int64_t> widths = {1};
      for (const dsl::Stage &stage : m->runStages)
        widths.push_back(widths.back() * stage.n);
      EXPECT_EQ(byLoops(widths, 0, length),
                *dsl::fold<std::string>(order(spelling), elements(length), Strings{}))
          << spelling << " over " << length;
    }
}

TEST(Mapping, NamesTheAxisOfEveryStage) {
  Unbound why;
  const std::vector<std::string> wide = {"register", "thread", "block"};
  EXPECT_EQ(map("seq(8) | lanes(128) | halves", 3584, why)->axes, wide);
  const std::vector<std::string> narrow = {"register", "thread", "warp"};
  EXPECT_EQ(map("seq(8) | lanes(16) | halves", 128, why)->axes, narrow);
  EXPECT_EQ(map("seq", 100, why)->axes, std::vector<std::string>{"register"});
}

struct Refusal {
  const char *order;
  std::int64_t length;
  const char *reason;
  const char *help;
};

TEST(Mapping, RefusalsNameTheLimitAndWhatFits) {
  const Refusal refusals[] = {
      {"lanes(1025) | seq", 5000,
       "`lanes(1025)` needs 1025 threads, and a block of cuda.sm_90a holds 1024",
       "lanes(1024) or fewer"},
      {"lanes(4, 129) | seq", 5000, "gives each lane 129 adjacent elements, and a thread holds 128",
       "a width of 128 or less"},
      {"seq(129) | lanes(4) | seq", 5000, "a run of 129 elements is folded inside one thread",
       "runs of 128 or fewer"},
      {"seq(2) | seq", 5000, "leave 2500 values of 5000 elements",
       "runs of 5 or more, or lanes(1024) after them"},
      {"halves", 200000, "over 200000 elements does not fit a block",
       "seq(8) | lanes(1024) | halves"},
      {"mid", 10, "not lowered yet: `mid`", "seq, lanes, pairs and halves are lowered"},
      {"seq(8).from(0.0) | seq", 10, "a start, a pad or a rounding of a stage", ""},
  };
  for (const Refusal &r : refusals) {
    Unbound why;
    EXPECT_FALSE(map(r.order, r.length, why)) << r.order;
    EXPECT_NE(why.reason.find(r.reason), std::string::npos) << r.order << ": " << why.reason;
    EXPECT_EQ(why.help, r.help) << r.order;
  }
}

TEST(Mapping, LoopsRefuseWhatIsNoRun) {
  const std::string help =
      "stages `seq(n)` and a last `seq` are lowered there, as in `seq(64) | seq`";
  const std::vector<std::array<std::string, 3>> refusals = {
      {"lanes(8) | seq", "not lowered yet: `lanes(8)` over a free dimension", help},
      {"seq(8) | pairs", "not lowered yet: `pairs` over a free dimension", help},
      {"seq(8).from(0.0) | seq", "not lowered yet: `seq(8).from(0.0)` over a free dimension", help},
      {"seq(8).pad(0.0) | seq", "not lowered yet: `seq(8).pad(0.0)` over a free dimension", help},
      {"seq(8) | seq: bf16", "not lowered yet: `seq: bf16` over a free dimension", help},
      {"seq(2147483648) | seq(2) | seq",
       "the runs up to `seq(2)` take more than 2147483648 elements", "shorter runs"}};
  for (const auto &[spelling, reason, hint] : refusals) {
    Unbound why;
    EXPECT_FALSE(mapToLoops(order(spelling), why)) << spelling;
    EXPECT_EQ(why.reason, reason);
    EXPECT_EQ(why.help, hint);
  }
  Unbound why;
  EXPECT_TRUE(mapToLoops(order("seq(1073741824) | seq(2) | seq"), why)) << why.reason;
}

TEST(Mapping, TheLargestThatFitsIsBound) {
  Unbound why;
  EXPECT_TRUE(map("lanes(1024) | halves", 152064, why)) << why.reason;
  EXPECT_TRUE(map("seq(128) | pairs", 131072, why)) << why.reason;
  EXPECT_TRUE(map("pairs", 131072, why)) << why.reason;
  EXPECT_FALSE(map("pairs", 131073, why));
}

TEST(Mapping, AnOrderThatMovesNoBitTakesItsNeighboursChunks) {
  Unbound why;
  const auto primary = map("seq(8) | lanes(128) | halves", 3584, why);
  const Mapping like = mapLike(*primary, 3584);
  EXPECT_EQ(like.chunk(), 8);
  EXPECT_EQ(like.slots, 128);
  EXPECT_EQ(like.depth(), 4);
}

} // namespace
} // namespace ordo::compiler
