// The rules of numbers, one test a rule, by hand; and the whole table of what has a meaning. The
// same rules over many operands: numeric_test, casts_test, half_pairs_test.
#include "dsl/eval/numeric.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <string>

namespace ordo::dsl {
namespace {

using enum DType;
using Bits = std::uint64_t;

Bits apply(Op op, DType type, std::initializer_list<Bits> args) {
  const FloatEnvironment environment;
  const std::vector<Bits> operands(args);
  const auto result = evaluate(op, type, type, operands);
  EXPECT_TRUE(result) << name(op) << " of " << name(type);
  return canonical(type, result.value_or(0));
}

bool relation(Op op, DType type, Bits a, Bits b) {
  const Bits args[] = {a, b};
  return evaluate(op, Bool, type, args).value() != 0;
}

Bits cast(DType from, DType to, Bits bits, Rounding rounding = Rounding::NearestEven) {
  const Bits args[] = {bits};
  return canonical(to, evaluate(Op::Cast, to, from, args, rounding).value());
}

Bits of(double value) { return std::bit_cast<Bits>(value); }
Bits of(float value) { return std::bit_cast<std::uint32_t>(value); }
Bits wide(std::int64_t value) { return static_cast<Bits>(value); }
Bits word(std::int64_t value) { return static_cast<std::uint32_t>(value); }

struct Format {
  DType type;
  Bits one, two, infinity, nan, sign;
};
constexpr Format kFormats[] = {{F64, 0x3ff0000000000000, 0x4000000000000000, 0x7ff0000000000000,
                                0x7ff8000000000000, 0x8000000000000000},
                               {F32, 0x3f800000, 0x40000000, 0x7f800000, 0x7fc00000, 0x80000000},
                               {F16, 0x3c00, 0x4000, 0x7c00, 0x7e00, 0x8000},
                               {BF16, 0x3f80, 0x4000, 0x7f80, 0x7fc0, 0x8000}};

// -- NaN -------------------------------------------------------------------------------------

TEST(Nan, AllNansAreOneValueWithTheStatedBits) {
  for (const Format &f : kFormats)
    for (const Bits nan :
         {f.nan, f.nan | f.sign, f.infinity + 1, f.sign - 1, ~Bits{0} & (f.sign | (f.sign - 1))}) {
      EXPECT_EQ(canonical(f.type, nan), f.nan);
      EXPECT_EQ(apply(Op::Add, f.type, {nan, f.one}), f.nan);
      EXPECT_EQ(apply(Op::Neg, f.type, {nan}), f.nan);
      EXPECT_EQ(apply(Op::Abs, f.type, {nan}), f.nan);
      const Bits args[] = {nan};
      EXPECT_EQ(evaluate(Op::Bits, f.type == F64 ? U64 : U32, f.type, args), f.nan);
    }
}

TEST(Nan, EveryPatternOfTheSmallTypes) {
  const std::map<DType, std::pair<int, Bits>> nans = {
      {F16, {2 * 1023, 0x7e00}}, {BF16, {2 * 127, 0x7fc0}}, {F8E4M3FN, {2, 0x7f}},
      {F8E5M2, {6, 0x7e}},       {F8E4M3FNUZ, {1, 0x80}},   {F8E5M2FNUZ, {1, 0x80}}};
  for (const auto &[type, expected] : nans) {
    int count = 0;
    for (Bits bits = 0; bits < Bits{1} << bitWidth(type); ++bits)
      if (isNanBits(type, bits)) {
        ++count;
        EXPECT_EQ(canonical(type, bits), expected.second);
        EXPECT_EQ(cast(type, F32, bits), 0x7fc00000u);
      } else {
        EXPECT_EQ(canonical(type, bits), bits);
      }
    EXPECT_EQ(count, expected.first) << name(type);
  }
}

TEST(Nan, InvalidOperationsGiveIt) {
  for (const Format &f : kFormats) {
    EXPECT_EQ(apply(Op::Sub, f.type, {f.infinity, f.infinity}), f.nan);
    EXPECT_EQ(apply(Op::Mul, f.type, {0, f.infinity}), f.nan);
    EXPECT_EQ(apply(Op::Div, f.type, {0, f.sign}), f.nan);
    EXPECT_EQ(apply(Op::Div, f.type, {f.infinity, f.infinity}), f.nan);
    EXPECT_EQ(apply(Op::Sqrt, f.type, {f.one | f.sign}), f.nan);
    EXPECT_EQ(apply(Op::Fma, f.type, {f.infinity, 0, f.one}), f.nan);
    EXPECT_EQ(apply(Op::Div, f.type, {f.one, f.sign}), f.infinity | f.sign);
  }
}

TEST(Nan, ComparisonsAreFalseButNotEqual) {
  for (const Format &f : kFormats)
    for (const auto &[a, b] :
         {std::pair{f.nan, f.one}, std::pair{f.one, f.nan}, std::pair{f.nan, f.nan}}) {
      EXPECT_TRUE(relation(Op::Ne, f.type, a, b));
      for (const Op op : {Op::Eq, Op::Lt, Op::Le, Op::Gt, Op::Ge})
        EXPECT_FALSE(relation(op, f.type, a, b)) << name(op);
    }
}

TEST(Nan, MaxAndMinDropItAndTheirNanFormsKeepIt) {
  for (const Format &f : kFormats)
    for (const Bits other : {f.one, f.sign, f.infinity, f.infinity | f.sign})
      for (const bool left : {false, true}) {
        const auto both = [&](Op op) {
          return left ? apply(op, f.type, {f.nan, other}) : apply(op, f.type, {other, f.nan});
        };
        EXPECT_EQ(both(Op::Max), other);
        EXPECT_EQ(both(Op::Min), other);
        EXPECT_EQ(both(Op::MaxNan), f.nan);
        EXPECT_EQ(both(Op::MinNan), f.nan);
      }
  for (const Format &f : kFormats)
    for (const Op op : {Op::Max, Op::Min, Op::MaxNan, Op::MinNan})
      EXPECT_EQ(apply(op, f.type, {f.nan, f.infinity + 1}), f.nan);
}

// -- Zeros and subnormals --------------------------------------------------------------------

TEST(Zeros, MaxAndMinOrderMinusBelowPlus) {
  for (const Format &f : kFormats)
    for (const bool left : {false, true}) {
      const auto both = [&](Op op) {
        return left ? apply(op, f.type, {f.sign, 0}) : apply(op, f.type, {0, f.sign});
      };
      EXPECT_EQ(both(Op::Max), 0u);
      EXPECT_EQ(both(Op::MaxNan), 0u);
      EXPECT_EQ(both(Op::Min), f.sign);
      EXPECT_EQ(both(Op::MinNan), f.sign);
      EXPECT_TRUE(relation(Op::Eq, f.type, 0, f.sign)); // comparisons do not tell them apart
      EXPECT_FALSE(relation(Op::Lt, f.type, f.sign, 0));
    }
}

TEST(Zeros, MinusZeroIsTheIdentityOfAdditionAndPlusZeroIsNot) {
  for (const Format &f : kFormats) {
    for (const Bits x : {Bits{0}, f.sign, f.one, Bits{1}, f.infinity, f.infinity - 1, f.nan}) {
      EXPECT_EQ(apply(Op::Add, f.type, {x, f.sign}), x);
      EXPECT_EQ(apply(Op::Add, f.type, {f.sign, x}), x);
    }
    EXPECT_EQ(apply(Op::Add, f.type, {f.sign, 0}), 0u);
    EXPECT_EQ(apply(Op::Sub, f.type, {f.one, f.one}), 0u); // an exact difference is +0
    EXPECT_EQ(apply(Op::Mul, f.type, {f.sign, f.one}), f.sign);
    EXPECT_EQ(apply(Op::Sqrt, f.type, {f.sign}), f.sign);
    EXPECT_EQ(apply(Op::Floor, f.type, {f.sign}), f.sign);
  }
}

TEST(Zeros, NegationTurnsTheSignAndSubtractionFromZeroDoesNot) {
  for (const Format &f : kFormats) {
    EXPECT_EQ(apply(Op::Neg, f.type, {0}), f.sign);
    EXPECT_EQ(apply(Op::Sub, f.type, {0, 0}), 0u);
    EXPECT_EQ(apply(Op::Abs, f.type, {f.sign}), 0u);
  }
}

TEST(Subnormals, AreKept) {
  for (const Format &f : kFormats) {
    const Bits half = apply(Op::Div, f.type, {f.one, f.two});
    const Bits leastNormal = (f.infinity & ~(f.infinity - 1)); // the lowest bit of the exponent
    EXPECT_EQ(apply(Op::Mul, f.type, {leastNormal, half}), leastNormal / 2);
    EXPECT_EQ(apply(Op::Add, f.type, {1, 1}), 2u);
    EXPECT_EQ(apply(Op::Mul, f.type, {1, half}), 0u); // halfway, to the even
    EXPECT_EQ(apply(Op::Mul, f.type, {3, half}), 2u);
  }
  EXPECT_EQ(cast(F16, BF16, 1), 0x3380u); // 2^-24 is normal there
  EXPECT_EQ(cast(F32, F16, of(0x1p-24f)), 1u);
  EXPECT_EQ(cast(F64, F32, of(0x1p-149)), 1u);
}

// -- Rounding --------------------------------------------------------------------------------

TEST(RoundsOnce, FmaOnBf16) { // 3 * 87 + 2^-40 lies above the middle of 0x4382 and 0x4383
  EXPECT_EQ(apply(Op::Fma, BF16, {0x4040, 0x42ae, 0x2b80}), 0x4383u);
  const float byWayOfF32 = std::fma(3.0f, 87.0f, 0x1p-40f);
  EXPECT_EQ(cast(F32, BF16, of(byWayOfF32)), 0x4382u);
}

TEST(RoundsOnce, FmaOnF16) { // 5 * 819 - 2^-24 lies below the middle of 4094 and 4096
  const Bits five = cast(F32, F16, of(5.0f)), c = cast(F32, F16, of(819.0f));
  EXPECT_EQ(apply(Op::Fma, F16, {five, c, 0x8001}), cast(F32, F16, of(4094.0f)));
  EXPECT_EQ(cast(F32, F16, of(std::fma(5.0f, 819.0f, -0x1p-24f))), cast(F32, F16, of(4096.0f)));
}

TEST(RoundsOnce, DoublesAndIntegersToHalves) {
  const double above = 1.0 + 0x1p-8 + 0x1p-40;
  EXPECT_EQ(cast(F64, BF16, of(above)), 0x3f81u);
  EXPECT_EQ(cast(F32, BF16, cast(F64, F32, of(above))), 0x3f80u);
  const double aboveF16 = 1.0 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(cast(F64, F16, of(aboveF16)), 0x3c01u);
  EXPECT_EQ(cast(F32, F16, cast(F64, F32, of(aboveF16))), 0x3c00u);
  for (const DType from : {I32, I64, U32, U64}) {
    const Bits integer = 0x01010001; // 2^24 + 2^16 + 1, above a middle of bf16
    EXPECT_EQ(cast(from, BF16, integer), 0x4b81u);
    EXPECT_EQ(cast(F32, BF16, cast(from, F32, integer)), 0x4b80u);
  }
}

TEST(RoundsOnce, IntegersBeyondTheFraction) {
  EXPECT_EQ(cast(I32, F32, 16777217), of(16777216.0f)); // 2^24 + 1: halfway, to the even
  EXPECT_EQ(cast(I32, F32, 16777219), of(16777220.0f));
  EXPECT_EQ(cast(U64, F64, ~Bits{0}), of(0x1p64));
  EXPECT_EQ(cast(I64, F64, wide(-9007199254740993)), of(-9007199254740992.0));
  EXPECT_EQ(cast(I32, F16, 65519), 0x7bffu);
  EXPECT_EQ(cast(I32, F16, 65520), 0x7c00u); // from here on infinity
  EXPECT_EQ(cast(I32, F16, 65520, Rounding::TowardZero), 0x7bffu);
}

// -- Integers --------------------------------------------------------------------------------

TEST(Integers, WrapAround) {
  EXPECT_EQ(apply(Op::Add, I32, {0x7fffffff, 1}), 0x80000000u);
  EXPECT_EQ(apply(Op::Neg, I32, {0x80000000}), 0x80000000u);
  EXPECT_EQ(apply(Op::Abs, I32, {0x80000000}), 0x80000000u);
  EXPECT_EQ(apply(Op::Sub, U32, {0, 1}), 0xffffffffu);
  EXPECT_EQ(apply(Op::Mul, U32, {0x10000, 0x10000}), 0u);
  EXPECT_EQ(apply(Op::Add, I64, {~Bits{0} >> 1, 1}), Bits{1} << 63);
  EXPECT_EQ(apply(Op::Sub, U64, {0, 1}), ~Bits{0});
  EXPECT_EQ(apply(Op::MulHi, U32, {0xffffffff, 0xffffffff}), 0xfffffffeu);
  EXPECT_EQ(apply(Op::MulHi, I32, {0xffffffff, 1}), 0xffffffffu); // of -1: the sign
}

TEST(Integers, ShiftAmountsAreTakenModuloTheWidth) {
  for (const DType type : {I32, U32}) {
    EXPECT_EQ(apply(Op::Shl, type, {1, 32}), 1u);
    EXPECT_EQ(apply(Op::Shl, type, {1, 33}), 2u);
    EXPECT_EQ(apply(Op::Shl, type, {1, 0xffffffff}), 0x80000000u);
    EXPECT_EQ(apply(Op::Shr, type, {4, 33}), 2u);
  }
  for (const DType type : {I64, U64}) {
    EXPECT_EQ(apply(Op::Shl, type, {1, 32}), Bits{1} << 32);
    EXPECT_EQ(apply(Op::Shl, type, {1, 64}), 1u);
    EXPECT_EQ(apply(Op::Shr, type, {4, 65}), 2u);
  }
  EXPECT_EQ(apply(Op::Shr, I32, {0x80000000, 31}), 0xffffffffu); // keeps the sign
  EXPECT_EQ(apply(Op::Shr, U32, {0x80000000, 31}), 1u);
}

TEST(Integers, DivisionFloorsAndTheRemainderHasTheDivisorsSign) {
  const struct {
    std::int64_t a, b, quotient, remainder;
  } cases[] = {{7, 2, 3, 1}, {-7, 2, -4, 1}, {7, -2, -4, -1}, {-7, -2, 3, -1},
               {6, 3, 2, 0}, {-6, 3, -2, 0}, {0, -5, 0, 0},   {-1, 100, -1, 99}};
  for (const auto &c : cases) {
    EXPECT_EQ(apply(Op::Div, I32, {word(c.a), word(c.b)}), word(c.quotient));
    EXPECT_EQ(apply(Op::Rem, I32, {word(c.a), word(c.b)}), word(c.remainder));
    for (const DType type : {I64, Index}) {
      EXPECT_EQ(apply(Op::Div, type, {wide(c.a), wide(c.b)}), wide(c.quotient));
      EXPECT_EQ(apply(Op::Rem, type, {wide(c.a), wide(c.b)}), wide(c.remainder));
    }
  }
  EXPECT_EQ(apply(Op::Div, I32, {0x80000000, 0xffffffff}), 0x80000000u); // wraps
  EXPECT_EQ(apply(Op::Rem, I32, {0x80000000, 0xffffffff}), 0u);
  EXPECT_EQ(apply(Op::Div, U32, {0xffffffff, 2}), 0x7fffffffu);
}

TEST(Integers, FloatsSaturateAndNanIsZero) {
  EXPECT_EQ(cast(F32, I32, of(3e9f)), 0x7fffffffu);
  EXPECT_EQ(cast(F32, I32, of(-3e9f)), 0x80000000u);
  EXPECT_EQ(cast(F32, U32, of(-1.0f)), 0u);
  EXPECT_EQ(cast(F32, U32, of(5e9f)), 0xffffffffu);
  EXPECT_EQ(cast(F64, I64, of(1e300)), ~Bits{0} >> 1);
  EXPECT_EQ(cast(F64, U64, of(INFINITY * 1.0)), ~Bits{0});
  for (const DType to : {I32, I64, U32, U64}) {
    EXPECT_EQ(cast(F32, to, 0x7fc00000), 0u);
    EXPECT_EQ(cast(F16, to, 0xfe01), 0u);
    EXPECT_EQ(cast(F32, to, of(2.5f)), 2u); // to the even
    EXPECT_EQ(cast(F32, to, of(3.5f)), 4u);
    EXPECT_EQ(cast(F32, to, of(3.99f), Rounding::TowardZero), 3u);
  }
  EXPECT_EQ(cast(F32, I32, of(-2.5f)), word(-2));
  EXPECT_EQ(cast(F32, I32, of(-3.99f), Rounding::TowardZero), word(-3));
}

// -- f8 --------------------------------------------------------------------------------------

TEST(F8, OverflowIsInfinityOrNanUnlessItSaturates) {
  const struct {
    DType type;
    float large; // past the largest, rounded
    Bits overflow, negative, largest;
  } cases[] = {{F8E4M3FN, 480.0f, 0x7f, 0x7f, 0x7e},
               {F8E5M2, 65536.0f, 0x7c, 0xfc, 0x7b},
               {F8E4M3FNUZ, 256.0f, 0x80, 0x80, 0x7f},
               {F8E5M2FNUZ, 65536.0f, 0x80, 0x80, 0x7f}};
  for (const auto &c : cases) {
    EXPECT_EQ(cast(F32, c.type, of(c.large)), c.overflow);
    EXPECT_EQ(cast(F32, c.type, of(-c.large)), c.negative);
    EXPECT_EQ(cast(F32, c.type, of(INFINITY)), c.overflow);
    EXPECT_EQ(cast(F32, c.type, of(c.large), Rounding::Saturate), c.largest);
    EXPECT_EQ(cast(F32, c.type, of(-c.large), Rounding::Saturate), c.largest | 0x80);
    EXPECT_EQ(cast(F32, c.type, of(INFINITY), Rounding::Saturate), c.largest);
    EXPECT_EQ(cast(F32, c.type, of(NAN), Rounding::Saturate), canonicalNan(c.type));
  }
  // The last that still rounds down: halfway past 448, whose code is even.
  EXPECT_EQ(cast(F32, F8E4M3FN, of(464.0f)), 0x7eu);
  EXPECT_EQ(cast(F32, F8E4M3FN, of(464.1f)), 0x7fu);
  EXPECT_EQ(cast(F32, F8E4M3FNUZ, of(-0.0f)), 0u); // no negative zero
  EXPECT_EQ(cast(F32, F8E4M3FN, of(-0.0f)), 0x80u);
}

// -- The table -------------------------------------------------------------------------------

// Which operations have a meaning where; f: f64 f32 f16 bf16, i: i32 i64 u32 u64, x: index,
// b: bool, 8: the four of f8.
const std::map<Op, std::string> kMeanings = {
    {Op::Neg, "fix"}, {Op::Abs, "fix"},    {Op::Sqrt, "f"},     {Op::Floor, "f"},
    {Op::Add, "fix"}, {Op::Sub, "fix"},    {Op::Mul, "fix"},    {Op::Div, "fix"},
    {Op::Rem, "ix"},  {Op::Fma, "f"},      {Op::MulHi, "i"},    {Op::Min, "fix"},
    {Op::Max, "fix"}, {Op::MinNan, "fix"}, {Op::MaxNan, "fix"}, {Op::And, "ib"},
    {Op::Or, "ib"},   {Op::Xor, "ib"},     {Op::Not, "ib"},     {Op::Shl, "i"},
    {Op::Shr, "i"},   {Op::Eq, "fixb"},    {Op::Ne, "fixb"},    {Op::Lt, "fix"},
    {Op::Le, "fix"},  {Op::Gt, "fix"},     {Op::Ge, "fix"},     {Op::Select, "fixb8"}};

char classOf(DType type) {
  if (isFloat(type))
    return bitWidth(type) == 8 ? '8' : 'f';
  return type == Bool ? 'b' : type == Index ? 'x' : 'i';
}

TEST(Table, EveryOperationOnEveryType) {
  for (const auto &[op, meanings] : kMeanings)
    for (int t = 0; t <= static_cast<int>(Index); ++t) {
      const auto type = static_cast<DType>(t);
      const bool compares = op >= Op::Eq && op <= Op::Ge;
      EXPECT_EQ(kernelFor(op, compares ? Bool : type, type) != nullptr,
                meanings.find(classOf(type)) != std::string::npos)
          << name(op) << " of " << name(type);
      for (int u = 0; u <= static_cast<int>(Index); ++u)
        if (u != t && !compares) // no operation mixes types
          EXPECT_EQ(kernelFor(op, type, static_cast<DType>(u)), nullptr)
              << name(op) << " of " << name(type) << " and " << name(static_cast<DType>(u));
    }
  // bits and of_bits: to and from u32, of f64 u64.
  for (int t = 0; t <= static_cast<int>(Index); ++t)
    for (int u = 0; u <= static_cast<int>(Index); ++u) {
      const auto type = static_cast<DType>(t), other = static_cast<DType>(u);
      const bool pairs = isFloat(other) && type == (other == F64 ? U64 : U32);
      EXPECT_EQ(kernelFor(Op::Bits, type, other) != nullptr, pairs);
      EXPECT_EQ(kernelFor(Op::OfBits, other, type) != nullptr, pairs);
      EXPECT_NE(kernelFor(Op::Cast, type, other), nullptr);
    }
}

} // namespace
} // namespace ordo::dsl
