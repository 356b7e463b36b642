// Bits to text, and what a user types to bits.

#include "compiler/driver/values.h"

#include "compiler/driver/failure.h"

#include <bit>
#include <gtest/gtest.h>

namespace ordo::compiler::driver {
namespace {

using dsl::DType;

TEST(ValueText, Floats) {
  EXPECT_EQ(valueText(DType::F32, 0x3f800000), "1.0");
  EXPECT_EQ(valueText(DType::F32, 0x80000000), "-0.0");
  EXPECT_EQ(valueText(DType::F32, 0x7f800000), "inf");
  EXPECT_EQ(valueText(DType::F32, 0xffc00001), "nan");
  EXPECT_EQ(valueText(DType::F32, 1), "1e-45");
  EXPECT_EQ(valueText(DType::BF16, 0xc049), "-3.140625");
  EXPECT_EQ(valueText(DType::F16, 0x3555), "0.33325195");
  EXPECT_EQ(valueText(DType::F8E4M3FN, 0x7e), "448.0");
  EXPECT_EQ(valueText(DType::F64, std::bit_cast<std::uint64_t>(0.1)), "0.1");
}

TEST(ValueText, Integers) {
  EXPECT_EQ(valueText(DType::I32, 0xffffffff), "-1");
  EXPECT_EQ(valueText(DType::U32, 0xffffffff), "4294967295");
  EXPECT_EQ(valueText(DType::I64, 1ULL << 63), "-9223372036854775808");
  EXPECT_EQ(valueText(DType::Bool, 1), "true");
}

TEST(ValueText, Bits) {
  EXPECT_EQ(bitsText(DType::BF16, 0x3f80), "0x3f80");
  EXPECT_EQ(bitsText(DType::F32, 1), "0x00000001");
  EXPECT_EQ(bitsText(DType::Bool, 1), "0x1");
}

TEST(FirstValues, StopsWithDots) {
  dsl::TensorValue value{DType::I32, {3}, {}};
  for (const int element : {1, -2, 3})
    for (int byte = 0; byte < 4; ++byte)
      value.data.push_back(static_cast<std::byte>(static_cast<unsigned>(element) >> 8 * byte));
  EXPECT_EQ(firstValues(value, 3), "1 -2 3");
  EXPECT_EQ(firstValues(value, 2), "1 -2 …");
  value.data.clear();
  EXPECT_EQ(firstValues(value, 2), "");
}

TEST(ParseValue, WhatAShellGives) {
  EXPECT_EQ(parseValue("a", "1e-6", DType::F32), std::bit_cast<std::uint32_t>(1e-6F));
  EXPECT_EQ(parseValue("a", "2", DType::F32), 0x40000000U);
  EXPECT_EQ(parseValue("a", "-2", DType::BF16), 0xc000U);
  EXPECT_EQ(parseValue("a", "+0x1p-3", DType::F32), 0x3e000000U);
  EXPECT_EQ(parseValue("a", "-inf", DType::F32), 0xff800000U);
  EXPECT_EQ(parseValue("a", "nan", DType::F16), 0x7e00U);
  EXPECT_EQ(parseValue("a", "-7", DType::I32), 0xfffffff9U);
  EXPECT_EQ(parseValue("a", "true", DType::Bool), 1U);
}

TEST(ParseValue, WhatIsNone) {
  const auto message = [](const std::string &text, DType type) -> std::string {
    try {
      parseValue("a", text, type);
    } catch (const Failure &failure) {
      EXPECT_EQ(failure.exitCode, kMisuse);
      return failure.message;
    }
    return "";
  };
  for (const char *text : {"", "-", "--1", "1.5.2", "much", "1e99", "1 ", "0x"})
    EXPECT_EQ(
        message(text, DType::F32).rfind(std::string("a = ") + text + " is no value of f32", 0), 0U)
        << text << ": " << message(text, DType::F32);
  for (const char *text : {"1.5", "4294967296", "-3000000000", "x"})
    EXPECT_NE(message(text, DType::I32), "") << text;
  EXPECT_NE(message("-1", DType::U32), "");
  EXPECT_NE(message("2", DType::Bool), "");
}

} // namespace
} // namespace ordo::compiler::driver
