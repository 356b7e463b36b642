// Every operation on every type, against MPFR for floats and wide integers for the rest.
#include "dsl/eval/numeric.h"
#include "tests/unit/dsl/eval/mpfr_oracle.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace ordo::dsl {
namespace {

using oracle::Number;

std::uint64_t apply(Op op, DType type, std::initializer_list<std::uint64_t> args) {
  const std::vector<std::uint64_t> v(args);
  const auto bits = evaluate(op, type, type, v);
  EXPECT_TRUE(bits.has_value()) << name(op) << " on " << name(type);
  return canonical(type, bits.value_or(0));
}

/// Zeros, subnormals, the edges of every range, ones and their neighbours, specials.
std::vector<std::uint64_t> specials(DType type) {
  const oracle::Format f = oracle::formatOf(type);
  const std::uint64_t one = static_cast<std::uint64_t>(f.bias) << f.fraction;
  const std::uint64_t ulps = (std::uint64_t{1} << f.fraction) - 1;
  const std::uint64_t infinity = ((std::uint64_t{1} << (f.width - 1 - f.fraction)) - 1)
                                 << f.fraction;
  const std::uint64_t half = std::uint64_t{1} << (f.fraction - 1);
  std::vector<std::uint64_t> v = {0,
                                  1,
                                  2,
                                  3,
                                  ulps / 3,
                                  ulps,
                                  ulps + 1,
                                  ulps + 2,
                                  one - 1,
                                  one,
                                  one + 1,
                                  one + half,
                                  one + ulps,
                                  one + ulps + 1,
                                  infinity - 1,
                                  infinity - 2,
                                  infinity,
                                  infinity + half,
                                  one + (std::uint64_t{24} << f.fraction) % infinity,
                                  one - half,
                                  one / 2,
                                  one / 2 + 1,
                                  one / 2 + half,
                                  infinity - ulps - 1,
                                  one + half / 2 + 1};
  const std::size_t n = v.size();
  for (std::size_t i = 0; i < n; ++i)
    v.push_back(v[i] | std::uint64_t{1} << (f.width - 1));
  return v;
}

/// Random patterns; odd ones near `anchor` in exponent, so that sums cancel and round.
std::uint64_t randomBits(std::mt19937_64 &random, DType type, std::uint64_t anchor) {
  const oracle::Format f = oracle::formatOf(type);
  const std::uint64_t mask = f.width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << f.width) - 1;
  const std::uint64_t u = random() & mask;
  if (random() % 2)
    return u;
  const std::uint64_t low = (std::uint64_t{1} << f.fraction) - 1;
  return ((anchor & ~low) + ((random() % 8) << f.fraction)) % mask ^ (u & low) ^
         (u & (std::uint64_t{1} << (f.width - 1)));
}

using Binary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

class Floats : public testing::TestWithParam<DType> {};

void checkBinary(DType type, Op op, Binary reference, std::uint64_t a, std::uint64_t b) {
  const Number x(oracle::valueOf(type, a)), y(oracle::valueOf(type, b));
  const std::uint64_t expected =
      oracle::rounded(type, MPFR_RNDN, [&](mpfr_ptr out, mpfr_rnd_t mode) {
        return reference(out, x.get(), y.get(), mode);
      });
  ASSERT_EQ(apply(op, type, {a, b}), expected)
      << name(op) << " " << name(type) << " " << std::hex << a << " " << b;
}

TEST_P(Floats, BinaryAgainstMpfr) {
  const DType type = GetParam();
  const std::pair<Op, Binary> ops[] = {
      {Op::Add, mpfr_add}, {Op::Sub, mpfr_sub}, {Op::Mul, mpfr_mul}, {Op::Div, mpfr_div}};
  for (const auto &[op, reference] : ops) {
    for (const std::uint64_t a : specials(type))
      for (const std::uint64_t b : specials(type))
        checkBinary(type, op, reference, a, b);
    std::mt19937_64 random(1);
    for (int i = 0; i < 60000 && !HasFatalFailure(); ++i) {
      const std::uint64_t a = randomBits(random, type, random());
      checkBinary(type, op, reference, a, randomBits(random, type, a));
    }
  }
}

void checkFma(DType type, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const Number x(oracle::valueOf(type, a)), y(oracle::valueOf(type, b)),
      z(oracle::valueOf(type, c));
  const std::uint64_t expected =
      oracle::rounded(type, MPFR_RNDN, [&](mpfr_ptr out, mpfr_rnd_t mode) {
        return mpfr_fma(out, x.get(), y.get(), z.get(), mode);
      });
  ASSERT_EQ(apply(Op::Fma, type, {a, b, c}), expected)
      << name(type) << " " << std::hex << a << " " << b << " " << c;
}

TEST_P(Floats, FmaRoundsOnce) {
  const DType type = GetParam();
  const std::vector<std::uint64_t> some = specials(type);
  for (const std::uint64_t a : some)
    for (const std::uint64_t b : some)
      for (std::size_t k = 0; k < some.size(); k += 2)
        checkFma(type, a, b, some[(k + a + b) % some.size()]);
  std::mt19937_64 random(2);
  for (int i = 0; i < 100000 && !HasFatalFailure(); ++i) {
    const std::uint64_t a = randomBits(random, type, random());
    const std::uint64_t b = randomBits(random, type, random());
    // An addend far below or beside the product, where a second rounding would show.
    const std::uint64_t product = apply(Op::Mul, type, {a, b});
    checkFma(type, a, b, randomBits(random, type, i % 2 ? product : product / 2));
  }
}

TEST(Fma, TheDesignsExample) {
  const std::uint64_t args[] = {0x4040, 0x42ae, 0x2b80}; // 3, 87, 2^-40
  EXPECT_EQ(evaluate(Op::Fma, DType::BF16, DType::BF16, args), 0x4383u);
}

TEST_P(Floats, SqrtAgainstMpfr) {
  const DType type = GetParam();
  std::mt19937_64 random(5);
  std::vector<std::uint64_t> values = specials(type);
  const bool isHalf = bitWidth(type) == 16;
  for (std::uint64_t i = 0; i < (isHalf ? 0x10000u : 50000u); ++i)
    values.push_back(isHalf ? i : randomBits(random, type, random()));
  for (const std::uint64_t a : values) {
    const Number x(oracle::valueOf(type, a));
    ASSERT_EQ(apply(Op::Sqrt, type, {a}), oracle::rounded(type, MPFR_RNDN,
                                                          [&](mpfr_ptr out, mpfr_rnd_t mode) {
                                                            return mpfr_sqrt(out, x.get(), mode);
                                                          }))
        << std::hex << a;
  }
}

TEST_P(Floats, FloorNegAbsAndComparisons) {
  const DType type = GetParam();
  const std::uint64_t sign = std::uint64_t{1} << (bitWidth(type) - 1);
  std::mt19937_64 random(6);
  std::vector<std::uint64_t> values = specials(type);
  for (int i = 0; i < 20000; ++i)
    values.push_back(randomBits(random, type, oracle::exactBits(type, 1.0)));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t a = values[i];
    const std::uint64_t b = values[i * 7 % values.size()];
    const double x = oracle::valueOf(type, a), y = oracle::valueOf(type, b);
    ASSERT_EQ(apply(Op::Floor, type, {a}), oracle::exactBits(type, std::floor(x))) << x;
    ASSERT_EQ(apply(Op::Neg, type, {a}), oracle::exactBits(type, std::isnan(x) ? x : -x));
    ASSERT_EQ(*evaluate(Op::Abs, type, type, std::vector{a}), a & ~sign);
    const std::vector<std::uint64_t> args = {a, b};
    ASSERT_EQ(*evaluate(Op::Eq, DType::Bool, type, args), x == y);
    ASSERT_EQ(*evaluate(Op::Ne, DType::Bool, type, args), !(x == y));
    ASSERT_EQ(*evaluate(Op::Lt, DType::Bool, type, args), x < y);
    ASSERT_EQ(*evaluate(Op::Le, DType::Bool, type, args), x <= y);
    ASSERT_EQ(*evaluate(Op::Gt, DType::Bool, type, args), x > y);
    ASSERT_EQ(*evaluate(Op::Ge, DType::Bool, type, args), x >= y);
  }
}

TEST_P(Floats, MinAndMaxOrderZerosAndTreatNanAsStated) {
  const DType type = GetParam();
  const std::uint64_t sign = std::uint64_t{1} << (bitWidth(type) - 1);
  for (const std::uint64_t a : specials(type))
    for (const std::uint64_t b : specials(type)) {
      const bool aNan = isNanBits(type, a), bNan = isNanBits(type, b);
      // Signed magnitude as a total order of the numbers: -0 just below +0.
      const auto rank = [&](std::uint64_t u) {
        const auto m = static_cast<std::int64_t>(u & ~sign);
        return u & sign ? -m - 1 : m;
      };
      const std::uint64_t nan = canonicalNan(type);
      const std::uint64_t lower = rank(a) < rank(b) ? a : b, upper = rank(a) < rank(b) ? b : a;
      const std::uint64_t kept = canonical(type, aNan ? b : a); // the other one, when one is NaN
      ASSERT_EQ(apply(Op::Min, type, {a, b}), aNan || bNan ? kept : lower) << a << " " << b;
      ASSERT_EQ(apply(Op::Max, type, {a, b}), aNan || bNan ? kept : upper) << a << " " << b;
      ASSERT_EQ(apply(Op::MinNan, type, {a, b}), aNan || bNan ? nan : lower);
      ASSERT_EQ(apply(Op::MaxNan, type, {a, b}), aNan || bNan ? nan : upper);
    }
}

INSTANTIATE_TEST_SUITE_P(All, Floats,
                         testing::Values(DType::F64, DType::F32, DType::F16, DType::BF16),
                         [](const auto &info) { return std::string(name(info.param)); });

TEST(Bits, NanIsCanonicalAndOfBitsInverts) {
  const auto bits = [](DType from, std::uint64_t u) {
    const std::uint64_t args[] = {u};
    return *evaluate(Op::Bits, from == DType::F64 ? DType::U64 : DType::U32, from, args);
  };
  EXPECT_EQ(bits(DType::F32, 0xffc12345u), 0x7fc00000u);
  EXPECT_EQ(bits(DType::F16, 0xfc01u), 0x7e00u);
  EXPECT_EQ(bits(DType::BF16, 0x7f81u), 0x7fc0u);
  EXPECT_EQ(bits(DType::F64, 0xfff0000000000001u), 0x7ff8000000000000u);
  EXPECT_EQ(bits(DType::F8E4M3FN, 0xff), 0x7fu);
  EXPECT_EQ(bits(DType::F32, 0x80000000u), 0x80000000u);
  const std::uint64_t wide[] = {0x12345678u};
  EXPECT_EQ(*evaluate(Op::OfBits, DType::F16, DType::U32, wide), 0x5678u);
  EXPECT_EQ(*evaluate(Op::OfBits, DType::F32, DType::U32, wide), 0x12345678u);
}

class Integers : public testing::TestWithParam<DType> {
protected:
  int width() const { return bitWidth(GetParam()); }
  bool isSignedType() const { return isSigned(GetParam()); }
  __int128 wide(std::uint64_t u) const {
    if (!isSignedType())
      return u;
    return width() == 32 ? static_cast<std::int32_t>(u) : static_cast<std::int64_t>(u);
  }
  std::uint64_t narrow(__int128 v) const {
    const auto u = static_cast<std::uint64_t>(v);
    return width() == 32 ? u & 0xffffffffu : u;
  }
  std::vector<std::uint64_t> values() const {
    std::mt19937_64 random(9);
    std::vector<std::uint64_t> v;
    const __int128 edge = static_cast<__int128>(1) << (width() - 1);
    for (int d = -3; d <= 3; ++d)
      for (const __int128 base : {__int128{0}, edge, edge * 2, __int128{31}, __int128{64}})
        v.push_back(narrow(base + d));
    for (int i = 0; i < 60; ++i)
      v.push_back(narrow(static_cast<__int128>(random() >> (random() % 64))));
    return v;
  }
};

__int128 floorQuotient(__int128 a, __int128 b) {
  __int128 q = a / b;
  while (q * b > a && b > 0)
    --q;
  while (q * b < a && b < 0)
    --q;
  return q;
}

TEST_P(Integers, WrapFloorAndShift) {
  const DType t = GetParam();
  for (const std::uint64_t a : values())
    for (const std::uint64_t b : values()) {
      const __int128 x = wide(a), y = wide(b);
      ASSERT_EQ(apply(Op::Add, t, {a, b}), narrow(x + y));
      ASSERT_EQ(apply(Op::Sub, t, {a, b}), narrow(x - y));
      ASSERT_EQ(apply(Op::Mul, t, {a, b}),
                narrow(static_cast<__int128>(static_cast<unsigned __int128>(x) *
                                             static_cast<unsigned __int128>(y))));
      const unsigned __int128 product =
          static_cast<unsigned __int128>(x) * static_cast<unsigned __int128>(y);
      ASSERT_EQ(apply(Op::MulHi, t, {a, b}), narrow(static_cast<__int128>(product >> width())));
      if (y != 0) {
        const __int128 q = floorQuotient(x, y);
        ASSERT_EQ(apply(Op::Div, t, {a, b}), narrow(q));
        ASSERT_EQ(apply(Op::Rem, t, {a, b}), narrow(x - q * y));
      }
      const int amount = static_cast<int>(b % static_cast<unsigned>(width()));
      ASSERT_EQ(apply(Op::Shl, t, {a, b}),
                narrow(static_cast<__int128>(static_cast<unsigned __int128>(x) << amount)));
      ASSERT_EQ(apply(Op::Shr, t, {a, b}), narrow(x >> amount));
      ASSERT_EQ(apply(Op::And, t, {a, b}), a & b);
      ASSERT_EQ(apply(Op::Or, t, {a, b}), a | b);
      ASSERT_EQ(apply(Op::Xor, t, {a, b}), a ^ b);
      ASSERT_EQ(apply(Op::Min, t, {a, b}), narrow(std::min(x, y)));
      ASSERT_EQ(apply(Op::MaxNan, t, {a, b}), narrow(std::max(x, y)));
      const std::uint64_t args[] = {a, b};
      ASSERT_EQ(*evaluate(Op::Lt, DType::Bool, t, args), x < y);
      ASSERT_EQ(*evaluate(Op::Ge, DType::Bool, t, args), x >= y);
    }
  for (const std::uint64_t a : values()) {
    ASSERT_EQ(apply(Op::Neg, t, {a}), narrow(-wide(a)));
    ASSERT_EQ(apply(Op::Abs, t, {a}), narrow(wide(a) < 0 ? -wide(a) : wide(a)));
    ASSERT_EQ(apply(Op::Not, t, {a}), narrow(~wide(a)));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Integers,
                         testing::Values(DType::I32, DType::I64, DType::U32, DType::U64),
                         [](const auto &info) { return std::string(name(info.param)); });

TEST(Index, FloorsLikeThePython) {
  const auto u = [](std::int64_t v) { return static_cast<std::uint64_t>(v); };
  EXPECT_EQ(apply(Op::Div, DType::Index, {u(-7), u(2)}), u(-4));
  EXPECT_EQ(apply(Op::Rem, DType::Index, {u(-7), u(2)}), u(1));
  EXPECT_EQ(apply(Op::Rem, DType::Index, {u(7), u(-2)}), u(-1));
  EXPECT_EQ(apply(Op::Div, DType::I32, {5, 0}), 0u); // excluded by proof; defined all the same
}

TEST(Bool, Logic) {
  EXPECT_EQ(apply(Op::Not, DType::Bool, {0}), 1u);
  EXPECT_EQ(apply(Op::Not, DType::Bool, {1}), 0u);
  EXPECT_EQ(apply(Op::Xor, DType::Bool, {1, 1}), 0u);
  EXPECT_EQ(apply(Op::Select, DType::F8E5M2, {0, 3, 4}), 4u);
  EXPECT_EQ(apply(Op::Select, DType::F64, {1, 3, 4}), 3u);
}

TEST(Table, HasNoMeaningWhereTheLanguageGivesNone) {
  EXPECT_EQ(kernelFor(Op::Add, DType::F8E4M3FN, DType::F8E4M3FN), nullptr);
  EXPECT_EQ(kernelFor(Op::Sqrt, DType::I32, DType::I32), nullptr);
  EXPECT_EQ(kernelFor(Op::Rem, DType::F32, DType::F32), nullptr);
  EXPECT_EQ(kernelFor(Op::Add, DType::F32, DType::F64), nullptr);
  EXPECT_EQ(kernelFor(Op::Shl, DType::Bool, DType::Bool), nullptr);
  EXPECT_EQ(kernelFor(Op::Lt, DType::Bool, DType::Bool), nullptr);
  EXPECT_EQ(kernelFor(Op::Load, DType::F32, DType::F32), nullptr);
  EXPECT_EQ(kernelFor(Op::Bits, DType::U64, DType::F32), nullptr);
  const std::uint64_t one[] = {1};
  EXPECT_FALSE(evaluate(Op::Add, DType::F32, DType::F32, one).has_value());
}

#if defined(__SSE__)
TEST(Environment, KeepsSubnormalsWhateverTheProcessHad) {
  const unsigned saved = _mm_getcsr();
  _mm_setcsr(saved | 0x8040u); // flush to zero, denormals are zero
  {
    const FloatEnvironment environment;
    EXPECT_EQ(apply(Op::Mul, DType::F32, {0x00800000u, 0x3f000000u}), 0x00400000u);
  }
  EXPECT_EQ(apply(Op::Mul, DType::F32, {0x00800000u, 0x3f000000u}), 0u);
  _mm_setcsr(saved);
}
#endif

} // namespace
} // namespace ordo::dsl
