// Literals against MPFR, which rounds decimal and hexadecimal text correctly by itself, and against
// the C library.
#include "dsl/sema/literal.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

namespace ordo::dsl {
namespace {

constexpr DType kFloats[] = {DType::F64,      DType::F32,    DType::F16,        DType::BF16,
                             DType::F8E4M3FN, DType::F8E5M2, DType::F8E4M3FNUZ, DType::F8E5M2FNUZ};

// The value as MPFR rounds it to the format without a largest exponent; false when that is past the
// largest finite value `largest`.
bool roundByMpfr(const std::string &text, int precision, int smallestExponent, double largest,
                 double &value) {
  // MPFR's exponents are of a significand in [1/2, 1); subnormals lose precision below 2^(emin + p
  // - 1).
  mpfr_set_emin(smallestExponent);
  mpfr_set_emax(100000);
  mpfr_t x;
  mpfr_init2(x, precision);
  const int ternary = mpfr_strtofr(x, text.c_str(), nullptr, 0, MPFR_RNDN);
  mpfr_subnormalize(x, ternary, MPFR_RNDN);
  const bool isFinite = mpfr_cmpabs_ui(x, 0) == 0 || mpfr_cmp_d(x, largest) <= 0;
  value = mpfr_get_d(x, MPFR_RNDN);
  mpfr_clear(x);
  mpfr_set_emin(mpfr_get_emin_min());
  mpfr_set_emax(mpfr_get_emax_max());
  return isFinite;
}

struct Format {
  int precision, smallestNormal; // 2^smallestNormal
  double largest;
};

// Written down here, not taken from the code under test.
Format formatOf(DType type) {
  switch (type) {
  case DType::F64:
    return {53, -1022, 0x1.fffffffffffffp1023};
  case DType::F32:
    return {24, -126, 0x1.fffffep127};
  case DType::F16:
    return {11, -14, 65504.0};
  case DType::BF16:
    return {8, -126, 0x1.fep127};
  case DType::F8E4M3FN:
    return {4, -6, 448.0};
  case DType::F8E5M2:
    return {3, -14, 57344.0};
  case DType::F8E4M3FNUZ:
    return {4, -7, 240.0};
  default:
    return {3, -15, 57344.0};
  }
}

std::uint64_t encode(DType type, double value) { // of a non-negative value of the format
  const Format f = formatOf(type);
  if (value == 0)
    return 0;
  int exponent = 0;
  std::frexp(value, &exponent);
  const int mantissaBits = f.precision - 1;
  const int scale = std::max(exponent - 1, f.smallestNormal) - mantissaBits;
  const auto significand = static_cast<std::uint64_t>(std::ldexp(value, -scale));
  if (exponent - 1 < f.smallestNormal)
    return significand;
  const auto field = static_cast<std::uint64_t>(exponent - f.smallestNormal);
  return (field << mantissaBits) + significand - (std::uint64_t{1} << mantissaBits);
}

void expectAgrees(const std::string &text, DType type) {
  const Format f = formatOf(type);
  double value = 0;
  const bool isFinite =
      roundByMpfr(text, f.precision, f.smallestNormal - (f.precision - 1) + 1, f.largest, value);
  const RoundedLiteral rounded = roundLiteral(text, false, type);
  ASSERT_EQ(rounded.bits.has_value(), isFinite) << text << " as " << name(type);
  if (!isFinite) {
    EXPECT_EQ(rounded.kind, "literal-overflow");
    return;
  }
  EXPECT_EQ(*rounded.bits, encode(type, value)) << text << " as " << name(type);
  // Debian 12's strtof takes 0x1.000001p-150 to zero; decimals it reads right.
  if (text.starts_with("0x"))
    return;
  if (type == DType::F32) {
    EXPECT_EQ(*rounded.bits, std::bit_cast<std::uint32_t>(std::strtof(text.c_str(), nullptr)))
        << text;
  }
  if (type == DType::F64) {
    EXPECT_EQ(*rounded.bits, std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr)))
        << text;
  }
}

class Literal : public ::testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(Formats, Literal, ::testing::ValuesIn(kFloats),
                         [](const auto &info) { return std::string(name(info.param)); });

TEST_P(Literal, NotableValues) {
  for (const char *text : {"0.0",
                           "1.0",
                           "1e-6",
                           "0x1.8p23",
                           "0.1",
                           "3.14159265358979323846",
                           "1e400",
                           "1e-400",
                           "1e38",
                           "3.4028235e38",
                           "3.40282357e38",
                           "1.4e-45",
                           "0x1p-149",
                           "0x1p-150",
                           "0x1.000001p-150",
                           "0x1p-1074",
                           "0x1p-1075",
                           "0x1.0000000000001p-1075",
                           "4.9e-324",
                           "2.4703282292062328e-324",
                           "0x1.fffffffffffff7p1023",
                           "0x1.fffffffffffff8p1023",
                           "65504.0",
                           "65519.99",
                           "65520.0",
                           "0x1p-24",
                           "0x1p-25",
                           "0x1.004p-25",
                           "0x1.ffcp15",
                           "0x1.ffep15",
                           "0x1.ff8p127",
                           "0x1.ff0p127",
                           "448.0",
                           "464.0",
                           "463.9",
                           "480.0",
                           "240.0",
                           "248.0",
                           "247.9",
                           "57344.0",
                           "61440.0",
                           "61439.0",
                           "0x1p-9",
                           "0x1p-10",
                           "0x1.8p-10",
                           "0x1p-16",
                           "0x1p-17",
                           "0x1p-18",
                           "0x1.1p-18",
                           "1e99999",
                           "1e-99999",
                           "0x1p99999",
                           "0x1p-99999",
                           "16777217.0",
                           "9007199254740993.0",
                           "0x1.00000100000001p0"})
    expectAgrees(text, GetParam());
}

TEST_P(Literal, RandomDecimals) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 4000; ++i) {
    const Format f = formatOf(GetParam());
    const int range = f.precision == 53                              ? 330
                      : f.precision >= 8 && f.smallestNormal == -126 ? 50
                                                                     : 8;
    std::string digits = std::to_string(random() >> (random() % 60));
    digits.insert(random() % (digits.size() + 1), ".");
    if (digits.front() == '.')
      digits.insert(0, "0");
    if (digits.back() == '.')
      digits += "0";
    expectAgrees(digits + "e" + std::to_string(static_cast<int>(random() % (2 * range)) - range),
                 GetParam());
  }
}

// Half-way points, and the values next to them at the end of a long tail of digits.
TEST_P(Literal, TiesAndTheirNeighbours) {
  std::mt19937_64 random(2);
  const Format f = formatOf(GetParam());
  for (int i = 0; i < 500; ++i) {
    const std::uint64_t significand = (random() >> (64 - f.precision)) | 1u;
    const int exponent = static_cast<int>(random() % 12) - 6 - (f.precision == 53 ? 52 : 0);
    char text[64];
    std::snprintf(text, sizeof text, "0x%llx.8", static_cast<unsigned long long>(significand));
    const std::string suffix = "p" + std::to_string(exponent);
    expectAgrees(text + suffix, GetParam());
    expectAgrees(text + std::string(80, '0') + "1" + suffix, GetParam());
    std::snprintf(text, sizeof text, "0x%llx.7", static_cast<unsigned long long>(significand));
    expectAgrees(text + std::string(80, 'f') + suffix, GetParam());
  }
}

TEST_P(Literal, MoreDigitsThanAreKept) {
  // 1 + half an ulp, exactly, then a last digit beyond every other.
  const Format f = formatOf(GetParam());
  mpfr_t x;
  mpfr_init2(x, 200);
  mpfr_set_ui_2exp(x, 1, -f.precision, MPFR_RNDN);
  mpfr_add_ui(x, x, 1, MPFR_RNDN);
  char *text = nullptr;
  mpfr_asprintf(&text, "%.60Rf", x);
  const std::string tie = text;
  mpfr_free_str(text);
  mpfr_clear(x);
  expectAgrees(tie, GetParam());
  expectAgrees(tie + std::string(900, '0') + "1", GetParam());
  EXPECT_NE(*roundLiteral(tie, false, GetParam()).bits,
            *roundLiteral(tie + std::string(900, '0') + "1", false, GetParam()).bits);
}

TEST_P(Literal, SignIsTheSignBit) {
  const std::uint64_t sign = std::uint64_t{1} << (bitWidth(GetParam()) - 1);
  EXPECT_EQ(*roundLiteral("1.5", true, GetParam()).bits,
            *roundLiteral("1.5", false, GetParam()).bits | sign);
  const bool isFnuz = GetParam() == DType::F8E4M3FNUZ || GetParam() == DType::F8E5M2FNUZ;
  EXPECT_EQ(*roundLiteral("0.0", true, GetParam()).bits, isFnuz ? 0 : sign);
  EXPECT_EQ(*roundLiteral("1e-400", true, GetParam()).bits, isFnuz ? 0 : sign);
}

TEST(LiteralFlags, SayWhatHappened) {
  EXPECT_TRUE(roundLiteral("0.5", false, DType::F32).isExact);
  EXPECT_FALSE(roundLiteral("0.1", false, DType::F32).isExact);
  EXPECT_TRUE(roundLiteral("1e-400", false, DType::F32).vanished);
  EXPECT_FALSE(roundLiteral("1e-400", false, DType::F32).isExact);
  EXPECT_FALSE(roundLiteral("0.0", false, DType::F32).vanished);
  EXPECT_FALSE(roundLiteral("1.4e-45", false, DType::F32).vanished);
}

TEST(LiteralInfinity, WhereTheFormatHasOne) {
  EXPECT_EQ(roundLiteral("inf", false, DType::F32).bits, 0x7f800000u);
  EXPECT_EQ(roundLiteral("inf", true, DType::F32).bits, 0xff800000u);
  EXPECT_EQ(roundLiteral("inf", true, DType::BF16).bits, 0xff80u);
  EXPECT_EQ(roundLiteral("inf", false, DType::F8E5M2).bits, 0x7cu);
  EXPECT_EQ(roundLiteral("inf", false, DType::F8E4M3FN).kind, "literal-overflow");
  EXPECT_EQ(roundLiteral("inf", false, DType::I32).kind, "literal-type");
}

TEST(LiteralInteger, Ranges) {
  EXPECT_EQ(roundLiteral("2147483647", false, DType::I32).bits, 0x7fffffffu);
  EXPECT_EQ(roundLiteral("2147483648", true, DType::I32).bits, 0x80000000u);
  EXPECT_EQ(roundLiteral("2147483648", false, DType::I32).kind, "literal-overflow");
  EXPECT_EQ(roundLiteral("2147483649", true, DType::I32).kind, "literal-overflow");
  EXPECT_EQ(roundLiteral("0xCD9E8D57", false, DType::U32).bits, 0xCD9E8D57u);
  EXPECT_EQ(roundLiteral("4294967296", false, DType::U32).kind, "literal-overflow");
  EXPECT_EQ(roundLiteral("1", true, DType::U32).kind, "literal-overflow");
  EXPECT_EQ(roundLiteral("0", true, DType::U32).bits, 0u);
  EXPECT_EQ(roundLiteral("18446744073709551615", false, DType::U64).bits, ~std::uint64_t{0});
  EXPECT_EQ(roundLiteral("18446744073709551616", false, DType::U64).kind, "literal-overflow");
  EXPECT_EQ(roundLiteral("9223372036854775808", true, DType::I64).bits, std::uint64_t{1} << 63);
  EXPECT_EQ(roundLiteral("9223372036854775808", false, DType::Index).kind, "literal-overflow");
  EXPECT_EQ(roundLiteral("1", true, DType::Index).bits, ~std::uint64_t{0});
}

TEST(LiteralInteger, SpellingDecides) {
  EXPECT_EQ(roundLiteral("2", false, DType::F32).help, "write 2.0");
  EXPECT_EQ(roundLiteral("2", true, DType::F32).help, "write -2.0");
  EXPECT_EQ(roundLiteral("0x10", false, DType::F32).help, "write 0x10p0");
  EXPECT_EQ(roundLiteral("2.0", false, DType::I32).kind, "literal-type");
  EXPECT_EQ(roundLiteral("1", false, DType::Bool).kind, "literal-type");
}

TEST(RoundInteger, EqualsTheHardware) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20000; ++i) {
    const auto value = static_cast<std::int64_t>(random()) >> (random() % 63);
    EXPECT_EQ(roundInteger(value, DType::F32, Direction::NearestEven),
              std::bit_cast<std::uint32_t>(static_cast<float>(value)));
    EXPECT_EQ(roundInteger(value, DType::F64, Direction::NearestEven),
              std::bit_cast<std::uint64_t>(static_cast<double>(value)));
  }
}

TEST(RoundInteger, TowardZeroAndOverflow) {
  EXPECT_EQ(roundInteger(16777219, DType::F32, Direction::TowardZero), 0x4b800001u);
  EXPECT_EQ(roundInteger(-16777219, DType::F32, Direction::TowardZero), 0xcb800001u);
  EXPECT_EQ(roundInteger(65519, DType::F16, Direction::NearestEven), 0x7bffu);
  EXPECT_EQ(roundInteger(65520, DType::F16, Direction::NearestEven), std::nullopt);
  EXPECT_EQ(roundInteger(65520, DType::F16, Direction::TowardZero), 0x7bffu);
}

} // namespace
} // namespace ordo::dsl
