// Casts between all types, each against the spacing of the target format or MPFR.
#include "dsl/eval/numeric.h"
#include "dsl/eval/rounding.h"
#include "tests/unit/dsl/eval/mpfr_oracle.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace ordo::dsl {
namespace {

using oracle::bitsOf;
using oracle::floatOf;

/// What the text of each format's standard says, not what dtype.h says.
struct Facts {
  DType type;
  std::uint64_t largest; // code of the largest finite magnitude
  double value;          // its value
  std::uint64_t overflow;
  std::uint64_t negativeOverflow;
  std::uint64_t nan;
};
constexpr Facts kFacts[] = {
    {DType::F16, 0x7bff, 65504.0, 0x7c00, 0xfc00, 0x7e00},
    {DType::BF16, 0x7f7f, 0x1.fep127, 0x7f80, 0xff80, 0x7fc0},
    {DType::F8E4M3FN, 0x7e, 448.0, 0x7f, 0x7f, 0x7f},
    {DType::F8E5M2, 0x7b, 57344.0, 0x7c, 0xfc, 0x7e},
    {DType::F8E4M3FNUZ, 0x7f, 240.0, 0x80, 0x80, 0x80},
    {DType::F8E5M2FNUZ, 0x7f, 57344.0, 0x80, 0x80, 0x80},
};
bool isFnuz(DType t) { return t == DType::F8E4M3FNUZ || t == DType::F8E5M2FNUZ; }

std::uint64_t fromDouble(DType to, double v, Rounding r = Rounding::NearestEven) {
  return castBits(DType::F64, to, bitsOf(v), r);
}

class SmallFormat : public testing::TestWithParam<Facts> {};

TEST_P(SmallFormat, WidensExactly) {
  const Facts facts = GetParam();
  const oracle::Format f = oracle::formatOf(facts.type);
  EXPECT_EQ(largestFinite(facts.type), facts.largest);
  EXPECT_EQ(oracle::magnitude(f, facts.largest), facts.value);
  const std::uint64_t sign = std::uint64_t{1} << (f.width - 1);
  for (std::uint64_t code = 0; code <= facts.largest; ++code) {
    const double v = oracle::magnitude(f, code);
    for (const bool negative : {false, true}) {
      if (negative && isFnuz(facts.type) && code == 0)
        continue;
      const std::uint64_t bits = code | (negative ? sign : 0);
      const double signedValue = negative ? -v : v;
      ASSERT_EQ(castBits(facts.type, DType::F64, bits), bitsOf(signedValue)) << code;
      ASSERT_EQ(castBits(facts.type, DType::F32, bits), bitsOf(static_cast<float>(signedValue)));
      ASSERT_EQ(castBits(facts.type, facts.type, bits), bits);
    }
  }
}

// Between neighbours a < b every double rounds to the nearer, the middle to the even code; the
// spacing past the largest value decides overflow. This is exhaustive over the format.
TEST_P(SmallFormat, RoundsBetweenAllNeighbours) {
  const Facts facts = GetParam();
  const oracle::Format f = oracle::formatOf(facts.type);
  const std::uint64_t sign = std::uint64_t{1} << (f.width - 1);
  const auto expectedCode = [&](std::uint64_t code, bool negative) {
    if (code > facts.largest)
      return negative ? facts.negativeOverflow : facts.overflow;
    return negative && !(isFnuz(facts.type) && code == 0) ? code | sign : code;
  };
  for (std::uint64_t code = 0; code <= facts.largest; ++code) {
    const double a = oracle::magnitude(f, code);
    const double b = oracle::magnitude(f, code + 1);
    const double middle = a + (b - a) / 2;
    const struct {
      double value;
      std::uint64_t nearest;
    } probes[] = {
        {a, code},
        {std::nextafter(a, b), code},
        {std::nextafter(middle, a), code},
        {middle, code % 2 == 0 ? code : code + 1},
        {std::nextafter(middle, b), code + 1},
        {std::nextafter(b, a), code + 1},
    };
    for (const auto &probe : probes)
      for (const bool negative : {false, true}) {
        const double v = negative ? -probe.value : probe.value;
        ASSERT_EQ(fromDouble(facts.type, v), expectedCode(probe.nearest, negative)) << v;
        ASSERT_EQ(fromDouble(facts.type, v, Rounding::TowardZero), expectedCode(code, negative));
        const std::uint64_t saturated = std::min(probe.nearest, facts.largest);
        ASSERT_EQ(fromDouble(facts.type, v, Rounding::Saturate), expectedCode(saturated, negative));
        const auto single = static_cast<float>(v);
        if (static_cast<double>(single) == v)
          ASSERT_EQ(castBits(DType::F32, facts.type, bitsOf(single)),
                    expectedCode(probe.nearest, negative));
      }
  }
}

TEST_P(SmallFormat, Specials) {
  const Facts facts = GetParam();
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Rounding r : {Rounding::NearestEven, Rounding::TowardZero, Rounding::Saturate}) {
    EXPECT_EQ(fromDouble(facts.type, nan, r), facts.nan);
    EXPECT_EQ(fromDouble(facts.type, -nan, r), facts.nan);
    EXPECT_EQ(fromDouble(facts.type, 0.0, r), 0u);
    EXPECT_EQ(fromDouble(facts.type, std::numeric_limits<double>::denorm_min(), r), 0u);
  }
  EXPECT_EQ(fromDouble(facts.type, inf), facts.overflow);
  EXPECT_EQ(fromDouble(facts.type, -inf), facts.negativeOverflow);
  EXPECT_EQ(fromDouble(facts.type, inf, Rounding::Saturate), facts.largest);
  for (const double huge : {1e300, std::numeric_limits<double>::max()}) {
    EXPECT_EQ(fromDouble(facts.type, huge), facts.overflow);
    EXPECT_EQ(fromDouble(facts.type, -huge), facts.negativeOverflow);
    EXPECT_EQ(fromDouble(facts.type, huge, Rounding::TowardZero), facts.largest);
    EXPECT_EQ(fromDouble(facts.type, huge, Rounding::Saturate), facts.largest);
  }
  EXPECT_TRUE(std::isnan(oracle::doubleOf(castBits(facts.type, DType::F64, facts.nan))));
}

INSTANTIATE_TEST_SUITE_P(All, SmallFormat, testing::ValuesIn(kFacts),
                         [](const auto &info) { return std::string(name(info.param.type)); });

std::vector<std::uint64_t> applyCast(DType from, DType to, const std::vector<std::uint64_t> &in,
                                     Rounding r = Rounding::NearestEven) {
  std::vector<std::byte> a(in.size() * elementSize(from)), out(in.size() * elementSize(to));
  for (std::size_t i = 0; i < in.size(); ++i)
    storeBits(from, a.data() + i * elementSize(from), in[i]);
  const void *args[] = {a.data()};
  kernelFor(Op::Cast, to, from, r)(out.data(), args, in.size());
  std::vector<std::uint64_t> bits(in.size());
  for (std::size_t i = 0; i < in.size(); ++i)
    bits[i] = loadBits(to, out.data() + i * elementSize(to));
  return bits;
}

// The fast kernels of f32 to and from halves, over a dense sample of all 2^32 patterns.
TEST(Cast, SinglesToHalvesAgreeWithTheGeneralRounding) {
  std::vector<std::uint64_t> in;
  for (std::uint64_t u = 0; u < (std::uint64_t{1} << 32); u += 977)
    in.push_back(u);
  for (std::uint64_t high = 0; high < 0x10000; ++high)
    for (const std::uint64_t low : {0u, 1u, 0x0fffu, 0x1000u, 0x1001u, 0x2fffu, 0x3000u, 0x3001u,
                                    0x7fffu, 0x8000u, 0x8001u, 0xffffu})
      in.push_back(high << 16 | low);
  for (const DType to : {DType::F16, DType::BF16}) {
    const std::vector<std::uint64_t> out = applyCast(DType::F32, to, in);
    for (std::size_t i = 0; i < in.size(); ++i)
      ASSERT_EQ(out[i], castBits(DType::F32, to, in[i])) << std::hex << in[i];
  }
}

TEST(Cast, HalvesWidenInKernels) {
  std::vector<std::uint64_t> in(0x10000);
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = i;
  for (const DType from : {DType::F16, DType::BF16})
    for (const DType to : {DType::F32, DType::F64}) {
      const std::vector<std::uint64_t> out = applyCast(from, to, in);
      for (std::size_t i = 0; i < in.size(); ++i)
        ASSERT_EQ(canonical(to, out[i]), oracle::exactBits(to, oracle::valueOf(from, i))) << i;
    }
}

TEST(Cast, DoubleToSingleAgainstMpfr) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200000; ++i) {
    std::uint64_t u = random();
    if (i % 2) // exponents near f32's subnormals and overflow
      u = (u & 0x800fffffffffffffu) | ((i % 4 == 1 ? 0x368u + u % 32 : 0x47cu + u % 6) << 52);
    const double v = oracle::doubleOf(u);
    const oracle::Number n(v);
    for (const auto &[r, mode] : {std::pair{Rounding::NearestEven, MPFR_RNDN},
                                  std::pair{Rounding::TowardZero, MPFR_RNDZ}}) {
      const std::uint64_t expected = oracle::rounded(
          DType::F32, mode, [&](mpfr_ptr out, mpfr_rnd_t m) { return mpfr_set(out, n.get(), m); });
      ASSERT_EQ(castBits(DType::F64, DType::F32, u, r), expected) << v;
    }
    ASSERT_EQ(canonical(DType::F32, applyCast(DType::F64, DType::F32, {u})[0]),
              castBits(DType::F64, DType::F32, u));
  }
}

std::vector<std::uint64_t> integers(DType type) {
  std::mt19937_64 random(11);
  std::vector<std::uint64_t> v;
  for (int shift = 0; shift < 64; ++shift)
    for (int offset = -3; offset <= 3; ++offset)
      for (const std::uint64_t pattern :
           {std::uint64_t{1}, std::uint64_t{0x101}, std::uint64_t{0x1000001},
            std::uint64_t{0x1800001}, std::uint64_t{0x80800001}})
        v.push_back((pattern << shift) + static_cast<std::uint64_t>(offset));
  for (int i = 0; i < 5000; ++i)
    v.push_back(random() >> (random() % 64));
  const std::size_t half = v.size();
  for (std::size_t i = 0; i < half; ++i)
    v.push_back(0 - v[i]);
  if (bitWidth(type) == 32)
    for (std::uint64_t &u : v)
      u &= 0xffffffffu;
  return v;
}

TEST(Cast, IntegersToFloatsRoundOnce) {
  for (const DType from : {DType::I32, DType::I64, DType::U32, DType::U64, DType::Index}) {
    const std::vector<std::uint64_t> in = integers(from);
    for (const DType to : {DType::F64, DType::F32, DType::F16, DType::BF16}) {
      const std::vector<std::uint64_t> out = applyCast(from, to, in);
      for (std::size_t i = 0; i < in.size(); ++i) {
        const bool isNegative = from == DType::I32                           ? in[i] >> 31 != 0
                                : from == DType::I64 || from == DType::Index ? in[i] >> 63 != 0
                                                                             : false;
        const std::int64_t asSigned = from == DType::I32 ? static_cast<std::int32_t>(in[i])
                                                         : static_cast<std::int64_t>(in[i]);
        const std::uint64_t expected =
            oracle::rounded(to, MPFR_RNDN, [&](mpfr_ptr o, mpfr_rnd_t m) {
              return isNegative ? mpfr_set_sj(o, asSigned, m) : mpfr_set_uj(o, in[i], m);
            });
        ASSERT_EQ(out[i], expected) << name(from) << " " << in[i] << " to " << name(to);
      }
    }
  }
}

TEST(Cast, TheDesignsDoubleRoundingTraps) {
  // 2^24 + 2^16 + 1 lies just above a bf16 midpoint that f32 would round it onto.
  EXPECT_EQ(castBits(DType::I32, DType::BF16, 0x01010001u), 0x4b81u);
  EXPECT_EQ(castBits(DType::F64, DType::BF16, bitsOf(1.0 + 0x1p-8 + 0x1p-40)), 0x3f81u);
  EXPECT_EQ(castBits(DType::F64, DType::BF16, bitsOf(1.0 + 0x1p-8)), 0x3f80u);
  EXPECT_EQ(castBits(DType::F64, DType::F16, bitsOf(1.0 + 0x1p-11 + 0x1p-40)), 0x3c01u);
}

/// round-half-even or truncation, then clamp, in long double, which holds every i64 and u64.
std::uint64_t expectedInteger(double v, DType to, bool truncate) {
  if (std::isnan(v))
    return 0;
  long double lo = 0, hi = 0;
  switch (to) {
  case DType::I32:
    lo = -0x1p31L, hi = 0x1p31L - 1;
    break;
  case DType::U32:
    lo = 0, hi = 0x1p32L - 1;
    break;
  case DType::U64:
    lo = 0, hi = 0x1p64L - 1;
    break;
  default:
    lo = -0x1p63L, hi = 0x1p63L - 1;
    break;
  }
  long double r = truncate ? truncl(v) : nearbyintl(v);
  r = r < lo ? lo : r > hi ? hi : r;
  const std::uint64_t bits = r < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(r))
                                   : static_cast<std::uint64_t>(r);
  return bitWidth(to) == 32 ? bits & 0xffffffffu : bits;
}

TEST(Cast, FloatsToIntegersSaturateAndTakeNanToZero) {
  std::vector<double> values = {0.0,
                                -0.0,
                                0.5,
                                -0.5,
                                1.5,
                                2.5,
                                -1.5,
                                -2.5,
                                0.49999999999999994,
                                INFINITY,
                                -INFINITY,
                                NAN,
                                2147483646.5,
                                2147483647.5,
                                -2147483648.5,
                                -2147483649.0,
                                4294967295.5,
                                4294967296.0,
                                0x1p63,
                                -0x1p63,
                                0x1p64,
                                0x1.fffffffffffffp62,
                                0x1.fffffffffffffp63,
                                1e300,
                                -1e300,
                                5e-324};
  std::mt19937_64 random(3);
  for (int i = 0; i < 20000; ++i)
    values.push_back(std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())),
                                -static_cast<int>(random() % 80)));
  for (const DType to : {DType::I32, DType::I64, DType::U32, DType::U64, DType::Index})
    for (const DType from : {DType::F64, DType::F32, DType::F16, DType::BF16})
      for (const Rounding r : {Rounding::NearestEven, Rounding::TowardZero}) {
        std::vector<std::uint64_t> in;
        for (const double v : values)
          in.push_back(castBits(DType::F64, from, bitsOf(v)));
        const std::vector<std::uint64_t> out = applyCast(from, to, in, r);
        for (std::size_t i = 0; i < in.size(); ++i)
          ASSERT_EQ(out[i],
                    expectedInteger(oracle::valueOf(from, in[i]), to, r == Rounding::TowardZero))
              << oracle::valueOf(from, in[i]) << " to " << name(to);
      }
}

TEST(Cast, BetweenIntegersWraps) {
  EXPECT_EQ(castBits(DType::I32, DType::I64, 0xffffffffu), ~std::uint64_t{0});
  EXPECT_EQ(castBits(DType::U32, DType::I64, 0xffffffffu), 0xffffffffu);
  EXPECT_EQ(castBits(DType::I64, DType::I32, 0x1ffffffffu), 0xffffffffu);
  EXPECT_EQ(applyCast(DType::I32, DType::U64, {0x80000000u})[0], 0xffffffff80000000u);
  EXPECT_EQ(applyCast(DType::I32, DType::Bool, {256})[0], 1u);
  EXPECT_EQ(applyCast(DType::F32, DType::Bool, {0x80000000u})[0], 0u);
  EXPECT_EQ(applyCast(DType::Bool, DType::BF16, {1})[0], 0x3f80u);
  EXPECT_EQ(applyCast(DType::Bool, DType::Index, {1})[0], 1u);
}

} // namespace
} // namespace ordo::dsl
