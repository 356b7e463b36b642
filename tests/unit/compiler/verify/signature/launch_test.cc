// The text of --signature: what it says, and what is refused and where.
#include "compiler/verify/signature/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordo::verify {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

struct Parsed {
  std::optional<LaunchSignature> launch;
  std::string errors;
};

Parsed parse(const std::string &text) {
  dsl::SourceManager sources;
  dsl::Diagnostics diagnostics(sources);
  const std::uint32_t file = sources.add("--signature", text);
  Parsed parsed{parseLaunch(file, sources, diagnostics), ""};
  parsed.errors = diagnostics.renderAll();
  EXPECT_EQ(parsed.launch.has_value(), parsed.errors.empty()) << text;
  return parsed;
}

TEST(Launch, ArgumentsInTheirOrder) {
  const auto launch = parse("x: bf16[T, 1024] in, y: f32[T] out, T: i32, eps: f32; grid T; "
                            "block 32, 4; shared 512; align 8")
                          .launch;
  ASSERT_TRUE(launch);
  ASSERT_EQ(launch->arguments.size(), 4u);
  const LaunchArgument &x = launch->arguments[0], &y = launch->arguments[1];
  EXPECT_EQ(x.name, "x");
  EXPECT_EQ(x.type, dsl::DType::BF16);
  EXPECT_THAT(*x.shape, ElementsAre(Extent{{{"T", 1}}, 0, 1}, Extent{{}, 1024, 1}));
  EXPECT_FALSE(x.isWritten);
  EXPECT_TRUE(y.isWritten);
  EXPECT_FALSE(launch->arguments[2].shape);
  EXPECT_EQ(launch->arguments[3].type, dsl::DType::F32);
  EXPECT_THAT(launch->block, ElementsAre(32, 4, 1));
  EXPECT_EQ(launch->grid[0], (Extent{{{"T", 1}}, 0, 1}));
  EXPECT_EQ(launch->grid[1], (Extent{{}, 1, 1}));
  EXPECT_EQ(launch->sharedBytes, 512u);
  EXPECT_EQ(launch->alignment, 8u);
  ASSERT_EQ(launch->sizes.size(), 1u);
  EXPECT_EQ(launch->sizes.at("T").low, 0);
  EXPECT_EQ(launch->sizes.at("T").high, 0x7fffffff);
}

TEST(Launch, Extents) {
  const auto grid = [](const std::string &text) {
    const auto launch = parse("y: f32[T, C] out; block 1; grid " + text).launch;
    return launch ? launch->grid[0] : Extent{{}, -1, 1};
  };
  EXPECT_EQ(grid("(T + 3) / 4"), (Extent{{{"T", 1}}, 3, 4}));
  EXPECT_EQ(grid("2 * T - C * 3 + 1"), (Extent{{{"T", 2}, {"C", -3}}, 1, 1}));
  EXPECT_EQ(grid("4 * (T + 2 * (C - 1))"), (Extent{{{"T", 4}, {"C", 8}}, -8, 1}));
  EXPECT_EQ(grid("T - T + 7"), (Extent{{}, 7, 1}));
  EXPECT_EQ(grid("7 / 2"), (Extent{{}, 3, 1}));
}

TEST(Launch, BoundsOfSizes) {
  const auto launch =
      parse("y: f32[T] out, n: i64; grid n; block 1; T <= 65536; T >= 16; n >= 2").launch;
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->sizes.at("T").low, 16);
  EXPECT_EQ(launch->sizes.at("T").high, 65536);
  EXPECT_EQ(launch->sizes.at("n").low, 2);
}

TEST(Launch, AnErrorShowsItsPlace) {
  EXPECT_EQ(parse("x: f32[T] in, y: f23[T] out; grid T; block 1").errors,
            "--signature:1:18: error: no type is called f23 [unknown-type]\n"
            "    1 | x: f32[T] in, y: f23[T] out; grid T; block 1\n"
            "      |                  ^~~\n"
            "help: f64, f32, f16, bf16, f8e4m3fn, f8e5m2, i32, i64, u32, u64 or bool\n");
}

TEST(Launch, WhatIsRefused) {
  const auto error = [](const std::string &text) { return parse(text).errors; };
  EXPECT_THAT(error(""), HasSubstr("expected an argument's name, found the end"));
  EXPECT_THAT(error("x f32"), HasSubstr("1:3: error: expected `:`, found `f32`"));
  EXPECT_THAT(error("x: f32[T]; grid T"), HasSubstr("expected `in` or `out`"));
  EXPECT_THAT(error("x: f32[T] inout"), HasSubstr("reads and writes are not modelled"));
  EXPECT_THAT(error("x: f32[T in"), HasSubstr("expected `]`, found `in`"));
  EXPECT_THAT(error("x: f32[T] in y"), HasSubstr("expected `,`, `;` or the end"));
  EXPECT_THAT(error("x: index"), HasSubstr("no type is called index"));
  EXPECT_THAT(error("x: i32, x: i32"), HasSubstr("1:9: error: two arguments are called x"));
  EXPECT_THAT(error("x: f32[#] in"), HasSubstr("[unexpected-character]"));
  EXPECT_THAT(error("y: f32[T] out; block 1"), HasSubstr("no grid is given"));
  EXPECT_THAT(error("y: f32[T] out; grid T"), HasSubstr("no block is given"));
  EXPECT_THAT(error("x: f32[T] in; grid T; block 1"), HasSubstr("no array is written"));
  EXPECT_THAT(error("y: f32[T] out; gird T"), HasSubstr("did you mean `grid`?"));
  EXPECT_THAT(error("y: f32[T] out; grid T; grid T"), HasSubstr("`grid` stands twice"));
  EXPECT_THAT(error("y: f32[Total] out; grid Totl; block 1"),
              HasSubstr("1:25: error: Totl is neither an argument nor an array's extent"));
  EXPECT_THAT(error("y: f32[Total] out; grid Totl; block 1"), HasSubstr("did you mean Total?"));
  EXPECT_THAT(error("y: f32[T] out; grid T; block 1; U <= 4"), HasSubstr("U is neither"));
  EXPECT_THAT(error("y: f32[e] out, e: f32; grid e; block 1"), HasSubstr("e is no integer"));
  EXPECT_THAT(error("y: f32[T * U] out; grid T; block 1"), HasSubstr("a product of two sizes"));
  EXPECT_THAT(error("y: f32[1 - 2] out; grid 1; block 1"), HasSubstr("an extent of -1"));
  EXPECT_THAT(error("y: f32[T] out; grid 0; block 1"), HasSubstr("a grid without a block"));
  EXPECT_THAT(error("y: f32[T] out; grid T; block 0"),
              HasSubstr("expected a whole number from 1 to 1024"));
  EXPECT_THAT(error("y: f32[T] out; grid T; block 64, 64"), HasSubstr("1,024 threads at most"));
  EXPECT_THAT(error("y: f32[T] out; grid T; block 1, 1, 1, 1"), HasSubstr("three dimensions"));
  EXPECT_THAT(error("y: f32[T] out; grid T; block 1k"), HasSubstr("[bad-number]"));
  EXPECT_THAT(error("y: f32[99999999999999999999] out"), HasSubstr("[bad-number]"));
  EXPECT_THAT(error("y: f32[T] out; grid T; block 1; align 12"), HasSubstr("a power of two"));
  EXPECT_THAT(error("y: f32[T] out; grid T; block 1; shared 999999"),
              HasSubstr("from 0 to 232448"));
  EXPECT_THAT(error("y: f32[T] out; grid T; block 1; T <= 4; T >= 5"),
              HasSubstr("no T lies between 5 and 4"));
  EXPECT_THAT(error("y: f32[1099511627776 * (T + 1) * 2] out"), HasSubstr("beyond 2^40"));
  EXPECT_THAT(error("y: f32[" + std::string(100, '(') + "T"), HasSubstr("nested too deep"));
}

} // namespace
} // namespace ordo::verify
