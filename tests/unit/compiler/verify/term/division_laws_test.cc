// Divisions as compilers write them, by their names in docs/proof.md: products with magic numbers,
// shifts and sums. Multipliers as in Granlund and Montgomery, "Division by invariant integers using
// multiplication", 1994.
#include "compiler/verify/term/fractions.h"
#include "tests/unit/compiler/verify/term/law_case.h"

namespace ordo::verify::test {
namespace {

using dsl::DType;

constexpr std::size_t kSamples = 400;
constexpr std::uint64_t kDivisors[] = {3,  5,  6,  7,  9,   10,  11,   12,   13,
                                       25, 50, 60, 97, 125, 641, 1000, 3584, 65537};

class Divisions : public ::testing::Test {
protected:
  /// Numbers of `width` bits: ends, multiples of divisors and their neighbours, any.
  Samples numbers(unsigned width) {
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - width);
    Samples samples = {0, 1, 2, mask, mask - 1, mask / 2, mask / 2 + 1, mask / 2 + 2};
    while (samples.size() < kSamples) {
      const std::uint64_t any = random_() >> random_() % width;
      const std::uint64_t d = kDivisors[random_() % std::size(kDivisors)];
      samples.push_back((random_() % 2 != 0 ? any : any / d * d + random_() % 3 - 1) & mask);
    }
    return samples;
  }
  Both data(DType type) {
    return l.input(type, numbers(static_cast<unsigned>(dsl::bitWidth(type))));
  }
  Both k(unsigned width, std::uint64_t bits) {
    return l.constant(width, bits & (~std::uint64_t{0} >> (64 - width)));
  }
  Both b(Op op, const Both &a, std::uint64_t constant) {
    return l.b(op, a.width, {a, k(a.width, constant)});
  }
  Both b(Op op, const Both &x, const Both &y) { return l.b(op, x.width, {x, y}); }

  /// x / d without a sign, by the multiplier of one bit more than the width.
  Both divided(const Both &x, std::uint64_t d, std::uint64_t wrong = 0) {
    const unsigned w = x.width, shift = static_cast<unsigned>(std::bit_width(d - 1));
    const Wide m = (Wide{1} << (w + shift)) / d + 1 - (Wide{1} << w); // and 2^w
    const Both high = b(Op::MulHiU, x, static_cast<std::uint64_t>(m) + wrong);
    return b(Op::ShrU, b(Op::Add, b(Op::ShrU, b(Op::Sub, x, high), 1), high), shift - 1);
  }
  /// x / d rounded toward zero.
  Both truncated(const Both &x, std::uint64_t d, std::uint64_t wrong = 0) {
    const unsigned w = x.width, shift = static_cast<unsigned>(std::bit_width(d - 1)) - 1;
    const auto m = static_cast<std::uint64_t>((Wide{1} << (w + shift)) / d + 1) + wrong;
    Both high = b(Op::MulHiS, x, m);
    if (m >> (w - 1) != 0)
      high = b(Op::Add, high, x);
    return b(Op::Add, b(Op::ShrS, high, shift), b(Op::ShrU, high, w - 1));
  }

  std::mt19937_64 random_{3};
  LawCase l{kSamples};
};

TEST_F(Divisions, ByAMagicNumberAreThatDivision) {
  const Both x = data(DType::U32);
  for (const std::uint64_t d : kDivisors)
    l.expectLaw(divided(x, d), b(Op::DivU, x, d));
  // 0xaaaaaaab / 2^33, and i / 7 of 64 bits where i is known not to need them all.
  l.expectLaw(b(Op::ShrU, b(Op::MulHiU, x, 0xaaaaaaab), 1), b(Op::DivU, x, 3));
  const Both wide = l.extend(Op::ZeroExtend, x, 64);
  l.expectLaw(b(Op::MulHiU, wide, 0x2492492492492493), b(Op::DivU, wide, 7));
  const Both index = b(Op::ShrU, data(DType::U64), 1); // below 2^63
  l.expectItsBits(b(Op::ShrU, b(Op::MulHiU, index, 0xa3d70a3d70a3d70b), 5));
  // Signed, of a number without one, the multiplier is less by 2^32.
  Samples halves = numbers(32);
  for (std::uint64_t &bits : halves)
    bits >>= 1;
  const Both half = l.symbol(32, 0, 0x7fffffff, halves);
  l.expectLaw(b(Op::ShrU, b(Op::Add, b(Op::MulHiS, half, 0x92492493), half), 2),
              b(Op::DivU, half, 7));
  const Both small = l.symbol(32, 0, 255, Samples(kSamples, 250));
  l.expectLaw(b(Op::ShrU, b(Op::Mul, small, 41), 11), b(Op::DivU, small, 50));
}

TEST_F(Divisions, ByANumberNearTheMagicOneAreNot) {
  const Both x = data(DType::U32);
  for (const std::uint64_t d : {3ull, 7ull, 50ull, 641ull})
    for (const std::uint64_t wrong : {~0ull, 1ull, 1000ull}) {
      const Both quotient = divided(x, d, wrong);
      l.expectItsBits(quotient);
      bool differs = false;
      for (std::size_t n = 0; n < kSamples; ++n)
        differs |= quotient.bits[n] != x.bits[n] / d;
      if (differs)
        EXPECT_NE(l.node(quotient), l.node(b(Op::DivU, x, d))) << d << " " << wrong;
    }
  l.expectApart(b(Op::ShrU, b(Op::MulHiU, x, 0xaaaaaaaa), 1), b(Op::DivU, x, 3));
  // x * 41 / 2^11 is x / 50 up to 1048.
  const Both close = l.symbol(32, 0, 1048, Samples(kSamples, 1048));
  l.expectLaw(b(Op::ShrU, b(Op::Mul, close, 41), 11), b(Op::DivU, close, 50));
  const Both larger = l.symbol(32, 0, 1049, Samples(kSamples, 1049));
  l.expectApart(b(Op::ShrU, b(Op::Mul, larger, 41), 11), b(Op::DivU, larger, 50));
}

TEST_F(Divisions, WithASignRoundTowardZero) {
  for (const DType type : {DType::I32, DType::I64}) {
    const Both x = data(type);
    for (const std::uint64_t d : kDivisors)
      l.expectLaw(truncated(x, d), b(Op::DivS, x, d));
    for (const std::uint64_t d : {3ull, 7ull, 3584ull})
      for (const std::uint64_t wrong : {~0ull, 1ull << (x.width - 12)}) {
        const Both quotient = truncated(x, d, wrong);
        l.expectItsBits(quotient);
        EXPECT_NE(l.node(quotient), l.node(b(Op::DivS, x, d))) << d << " " << wrong;
      }
    // Another shift of the sign, and none.
    const std::uint64_t seventh = type == DType::I32 ? 0x92492493 : 0x4924924924924925;
    const Both product = b(Op::MulHiS, x, seventh);
    const Both high = type == DType::I32 ? b(Op::Add, product, x) : product;
    const unsigned shift = type == DType::I32 ? 2 : 1;
    l.expectLaw(b(Op::Add, b(Op::ShrS, high, shift), b(Op::ShrU, high, x.width - 1)),
                b(Op::DivS, x, 7));
    l.expectApart(b(Op::Add, b(Op::ShrS, high, shift), b(Op::ShrU, high, x.width - 2)),
                  b(Op::DivS, x, 7));
    l.expectApart(b(Op::ShrS, high, shift), b(Op::DivS, x, 7));
    l.expectApart(b(Op::Add, b(Op::ShrU, high, shift), b(Op::ShrU, high, x.width - 1)),
                  b(Op::DivS, x, 7));
  }
}

TEST_F(Divisions, EqualityOfNumbersThatMayWrapIsOfTheirDifference) {
  const Both x = data(DType::I32), y = data(DType::I32);
  const Both product = b(Op::Mul, b(Op::DivS, x, 7), 7), zero = k(32, 0);
  l.expectLaw(b(Op::CmpEq, product, x), b(Op::CmpEq, b(Op::Sub, x, product), zero));
  l.expectLaw(b(Op::CmpEq, b(Op::Add, x, 5), y), b(Op::CmpEq, b(Op::Sub, y, x), k(32, 5)));
  l.expectApart(b(Op::CmpEq, product, x), b(Op::CmpEq, b(Op::Sub, x, product), k(32, 1)));
}

TEST_F(Divisions, AChoiceOfNumbersIsOneOfABit) {
  const Both x = data(DType::I32), y = data(DType::I32), c = b(Op::CmpLtS, x, 0);
  const Both bit = l.extend(Op::ZeroExtend, c, 32);
  l.expectLaw(b(Op::Add, y, l.select(c, k(32, ~0ull), k(32, 0))), b(Op::Sub, y, bit));
  l.expectLaw(b(Op::Add, y, l.select(c, k(32, 3), k(32, 10))),
              b(Op::Add, b(Op::Sub, y, b(Op::Mul, bit, 7)), 10));
  l.expectLaw(b(Op::Sub, b(Op::Add, y, bit), y), bit);
  l.expectApart(b(Op::Add, y, l.select(c, k(32, 1), k(32, 0))), b(Op::Sub, y, bit));
  // A bit of data is that number.
  const Both low = l.extract(y, 13, 1);
  l.expectLaw(l.extend(Op::ZeroExtend, low, 32), b(Op::And, b(Op::ShrU, y, 13), 1));
}

TEST_F(Divisions, ABitIsANumber) {
  const Both x = data(DType::I32), y = data(DType::I32), c = b(Op::CmpLtS, x, 0);
  const Both number = l.extend(Op::ZeroExtend, c, 32), bit = b(Op::And, b(Op::ShrU, y, 13), 1);
  l.expectLaw(b(Op::CmpEq, number, 1), c);
  l.expectLaw(b(Op::CmpEq, number, 0), l.b(Op::Not, 1, {c}));
  l.expectLaw(b(Op::CmpEq, bit, 1), l.extract(y, 13, 1));
  l.expectLaw(b(Op::CmpNe, bit, 0), l.extract(y, 13, 1));
  l.expectApart(b(Op::CmpEq, bit, 1), b(Op::CmpEq, bit, 0));
  l.expectLaw(b(Op::CmpEq, number, 2), l.constant(1, 0));
}

TEST_F(Divisions, AChoiceOfNumbersIsTheOuterOne) {
  const Both x = data(DType::I32), y = data(DType::I32);
  const Both c = b(Op::CmpLtS, x, 0), d = b(Op::CmpLtS, y, 9);
  const Both one = l.select(c, k(32, 1), k(32, ~0ull)),
             other = l.select(d, k(32, 8), b(Op::Add, y, 3));
  l.expectLaw(b(Op::Add, one, other), l.select(c, b(Op::Add, other, 1), b(Op::Sub, other, 1)));
  l.expectLaw(b(Op::Sub, other, one), l.select(c, b(Op::Sub, other, 1), b(Op::Add, other, 1)));
  l.expectApart(b(Op::Add, one, other), l.select(d, b(Op::Add, other, 1), b(Op::Sub, other, 1)));
}

TEST_F(Divisions, AChoiceOfNumbersNeedsNoWidth) {
  const Both x = data(DType::I32), y = data(DType::U32), c = b(Op::CmpLtS, x, 0);
  const Both choice = l.select(c, k(32, 0x7ff), b(Op::And, y, 0xfff));
  const Both narrow = l.extend(Op::ZeroExtend, l.extract(choice, 0, 16), 32);
  l.expectLaw(b(Op::DivU, narrow, 3), b(Op::DivU, choice, 3));
  const Both nibble = l.extend(Op::ZeroExtend, l.extract(choice, 0, 4), 32);
  l.expectApart(b(Op::DivU, nibble, 3), b(Op::DivU, choice, 3));
  l.expectItsBits(b(Op::Add, b(Op::Mul, choice, 5), y));
}

TEST_F(Divisions, OfAChoiceOfANumberAndDataAreOfBoth) {
  const Both x = data(DType::I32), y = data(DType::U32), c = b(Op::CmpLtS, x, 0);
  const Both rest = b(Op::And, y, 0xfff);
  for (const std::uint64_t number : {0x7ffu, 0u, 0xffffffffu})
    for (const std::uint64_t d : {3u, 10u, 0x80000001u}) {
      const Both choice = l.select(c, k(32, number), rest),
                 other = l.select(c, rest, k(32, number));
      l.expectLaw(b(Op::DivU, choice, d), l.select(c, k(32, number / d), b(Op::DivU, rest, d)));
      l.expectLaw(b(Op::RemU, other, d), l.select(c, b(Op::RemU, rest, d), k(32, number % d)));
      l.expectLaw(b(Op::MulHiU, choice, d),
                  l.select(c, k(32, number * d >> 32), b(Op::MulHiU, rest, d)));
    }
}

TEST_F(Divisions, AChoiceWithinAnotherKnowsIts) {
  const Both x = data(DType::I32), y = data(DType::I32);
  const Both c = b(Op::CmpLtS, x, 0), d = b(Op::CmpLtS, y, 9), both = l.b(Op::And, 1, {c, d});
  const auto no = [&](const Both &v) { return l.b(Op::Not, 1, {v}); };
  l.expectLaw(l.select(c, l.select(both, x, y), k(32, 1)),
              l.select(c, l.select(d, x, y), k(32, 1)));
  l.expectLaw(l.select(c, k(32, 1), l.select(both, x, y)), l.select(c, k(32, 1), y));
  l.expectLaw(l.select(no(c), l.select(both, x, y), k(32, 1)), l.select(c, k(32, 1), y));
  l.expectApart(l.select(d, k(32, 1), l.select(c, x, y)), l.select(d, k(32, 1), y));
  const Both one = l.select(c, k(32, 8), y), other = l.select(both, k(32, 1), k(32, 0));
  l.expectItsBits(b(Op::Add, one, other));
}

TEST(Fractions, AreTheLargestNotAboveOfTheirDenominators) {
  for (int d = 1; d <= 40; ++d)
    for (int m = 0; m <= 60; ++m)
      for (int most = 1; most <= 50; ++most) {
        Fraction best{0, 1};
        for (int q = 1; q <= most; ++q)
          if (const int p = m * q / d; p * best.denominator > best.numerator * q)
            best = {p, q};
        ASSERT_EQ(largestBelow({m, d}, most), best) << m << "/" << d << " up to " << most;
      }
  const Fraction found = largestBelow({Wide{0x2492492492492493}, Wide{1} << 64}, Wide{1} << 60);
  EXPECT_EQ(found, (Fraction{1, 7}));
}

} // namespace
} // namespace ordo::verify::test
