// Calls through runtime/cpu/library.h reach functions that a C compiler made.

#include "runtime/cpu/library.h"

#include <bit>
#include <gtest/gtest.h>
#include <vector>

namespace ordo::runtime {
namespace {

constexpr const char *kProbe = "tests/unit/runtime/cpu/probe.so";

Argument single(float value) { return Argument::floating(std::bit_cast<std::uint32_t>(value)); }
Argument twice(double value) { return Argument::floating(std::bit_cast<std::uint64_t>(value)); }
Argument word(std::int64_t value) { return Argument::word(static_cast<std::uint64_t>(value)); }

class LibraryTest : public testing::Test {
protected:
  void SetUp() override {
    std::string error;
    library_ = Library::open(kProbe, error);
    ASSERT_NE(library_, nullptr) << error;
  }
  std::vector<double> call(const std::string &symbol, std::vector<Argument> arguments,
                           std::size_t results) {
    std::vector<double> out(results);
    arguments.insert(arguments.begin(), Argument::pointer(out.data()));
    std::string error;
    EXPECT_TRUE(library_->call(symbol, arguments, error)) << error;
    return out;
  }
  std::unique_ptr<Library> library_;
};

TEST_F(LibraryTest, ArgumentsThatFitIntoRegisters) {
  EXPECT_EQ(call("few", {word(-7), single(0.5F)}, 2), (std::vector<double>{-7, 0.5}));
}

TEST_F(LibraryTest, WordsThatSpillToTheStack) {
  EXPECT_EQ(call("many",
                 {word(1), single(2.5F), word(3), twice(4.25), word(5), word(6), word(7), word(-8),
                  single(9.5F), word(10)},
                 10),
            (std::vector<double>{1, 2.5, 3, 4.25, 5, 6, 7, -8, 9.5, 10}));
}

TEST_F(LibraryTest, FloatsThatSpillToTheStackKeepTheirPlaceAmongWords) {
  std::vector<Argument> arguments;
  std::vector<double> wanted;
  for (int i = 0; i < 8; ++i)
    arguments.push_back(twice(i + 0.5));
  arguments.push_back(single(8.5F));
  for (int i = 9; i < 15; ++i)
    arguments.push_back(word(i));
  arguments.push_back(twice(15.5));
  for (int i = 0; i < 16; ++i)
    wanted.push_back(i < 9 || i == 15 ? i + 0.5 : i);
  EXPECT_EQ(call("floats", arguments, 16), wanted);
}

TEST_F(LibraryTest, AHalfIsPassedByItsBits) {
  std::uint16_t out[2] = {};
  const Argument arguments[] = {Argument::pointer(out), Argument::floating(0x3e00), word(77)};
  std::string error;
  ASSERT_TRUE(library_->call("half", arguments, error)) << error;
  EXPECT_EQ(out[0], 0x3e00);
  EXPECT_EQ(out[1], 77);
}

TEST_F(LibraryTest, AnUnknownSymbolAndTooManyArgumentsAreRefused) {
  std::string error;
  EXPECT_FALSE(library_->call("absent", {}, error));
  EXPECT_NE(error.find("absent"), std::string::npos) << error;
  const std::vector<Argument> tooMany(kMaxArguments + 1);
  EXPECT_FALSE(library_->call("few", tooMany, error));
  EXPECT_NE(error.find("at most 128"), std::string::npos) << error;
}

TEST(Library, AFileThatIsNoneIsRefused) {
  std::string error;
  EXPECT_EQ(Library::open("/dev/null", error), nullptr);
  EXPECT_FALSE(error.empty());
  EXPECT_EQ(Library::open("tests/unit/runtime/cpu/absent.so", error), nullptr);
  EXPECT_NE(error.find("absent.so"), std::string::npos) << error;
}

} // namespace
} // namespace ordo::runtime
