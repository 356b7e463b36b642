// Each law of bits, integers and choices, by its name in docs/proof.md: two ways of writing a value
// are one node, and have the same bits. Numbers near the ends of their width are among the samples.
#include "compiler/verify/machine/fault.h"
#include "tests/unit/compiler/verify/term/law_case.h"

namespace ordo::verify::test {
namespace {

using dsl::DType;

constexpr std::size_t kSamples = 600;
constexpr std::uint64_t kAll32 = 0xffffffff;

class IntegerLaws : public ::testing::Test {
protected:
  /// Numbers of an interval: its ends, their neighbours, and others.
  Samples between(std::uint64_t low, std::uint64_t high) {
    Samples samples = {low, high, low + (high > low ? 1 : 0), high - (high > low ? 1 : 0)};
    while (samples.size() < kSamples) {
      const std::uint64_t range = high - low, any = random_();
      samples.push_back(range + 1 == 0 ? any : low + any % (range + 1));
    }
    std::shuffle(samples.begin(), samples.end(), random_);
    return samples;
  }
  Both number(unsigned width, std::uint64_t low, std::uint64_t high) {
    return l.symbol(width, low, high, between(low, high));
  }
  Both data(DType type) {
    return l.input(type, between(0, ~std::uint64_t{0} >> (64 - dsl::bitWidth(type))));
  }
  Both k32(std::uint64_t bits) { return l.constant(32, bits); }
  Both k64(std::uint64_t bits) { return l.constant(64, bits); }
  Both low(const Both &a) { return l.extract(a, 0, 32); }
  Both high(const Both &a) { return l.extract(a, 32, 32); }

  std::mt19937_64 random_{11};
  LawCase l{kSamples};
};

TEST_F(IntegerLaws, SumsAreLinearFormsThatWrap) {
  const Both a = number(32, 0, kAll32), b = data(DType::U32);
  l.expectLaw(l.b(Op::Sub, 32, {l.b(Op::Add, 32, {a, b}), b}), a);
  l.expectLaw(l.b(Op::Add, 32, {l.b(Op::Mul, 32, {a, k32(4)}), a}), l.b(Op::Mul, 32, {a, k32(5)}));
  l.expectLaw(l.b(Op::Shl, 32, {a, k32(5)}), l.b(Op::Mul, 32, {a, k32(32)}));
  l.expectLaw(l.b(Op::Add, 32, {l.b(Op::NegI, 32, {a}), b}), l.b(Op::Sub, 32, {b, a}));
  l.expectLaw(l.b(Op::Not, 32, {a}), l.b(Op::Sub, 32, {k32(kAll32), a}));
  l.expectLaw(l.b(Op::Mul, 32, {l.b(Op::Mul, 32, {a, k32(0x10001)}), k32(0x10000)}),
              l.b(Op::Mul, 32, {a, k32(0x10000)}));
}

TEST_F(IntegerLaws, WhatMayWrapIsNotExact) {
  const Both a = number(32, 0, kAll32), small = number(32, 0, kAll32 - 3);
  l.expectLaw(l.extend(Op::ZeroExtend, l.b(Op::Add, 32, {small, k32(3)}), 64),
              l.b(Op::Add, 64, {l.extend(Op::ZeroExtend, small, 64), k64(3)}));
  l.expectApart(l.extend(Op::ZeroExtend, l.b(Op::Add, 32, {a, k32(3)}), 64),
                l.b(Op::Add, 64, {l.extend(Op::ZeroExtend, a, 64), k64(3)}));
  const Both signedSmall = number(32, 0, 0x7ffffffc);
  l.expectLaw(l.extend(Op::SignExtend, l.b(Op::Add, 32, {signedSmall, k32(3)}), 64),
              l.b(Op::Add, 64, {l.extend(Op::ZeroExtend, signedSmall, 64), k64(3)}));
  const Both larger = number(32, 0, 0x7ffffffd);
  l.expectApart(l.extend(Op::SignExtend, l.b(Op::Add, 32, {larger, k32(3)}), 64),
                l.b(Op::Add, 64, {l.extend(Op::ZeroExtend, larger, 64), k64(3)}));
  // T - 1 of a T that is 1 at least.
  const Both t = number(32, 1, kAll32), any = number(32, 0, kAll32);
  l.expectLaw(l.extend(Op::ZeroExtend, l.b(Op::Sub, 32, {t, k32(1)}), 64),
              l.b(Op::Sub, 64, {l.extend(Op::ZeroExtend, t, 64), k64(1)}));
  l.expectApart(l.extend(Op::ZeroExtend, l.b(Op::Sub, 32, {any, k32(1)}), 64),
                l.b(Op::Sub, 64, {l.extend(Op::ZeroExtend, any, 64), k64(1)}));
}

TEST_F(IntegerLaws, ComparisonsNearTheWrap) {
  const Both a = number(32, 0, kAll32), small = number(32, 0, kAll32 - 1), b = number(32, 0, 1000);
  l.expectLaw(l.b(Op::CmpLtU, 32, {small, l.b(Op::Add, 32, {small, k32(1)})}), l.constant(1, 1));
  for (const Op op : {Op::CmpLtU, Op::CmpLeU, Op::CmpLtS, Op::CmpLeS, Op::CmpEq, Op::CmpNe})
    for (const std::uint64_t by : {1ull, 0x7fffffffull, 0x80000000ull, 0xffffffffull})
      for (const Both &x : {a, small, b}) {
        const Both moved = l.b(Op::Add, 32, {x, k32(by)});
        l.expectItsBits(l.b(op, 32, {x, moved}));
        l.expectItsBits(l.b(op, 32, {moved, b}));
        l.expectItsBits(l.b(op, 32, {moved, k32(by - 1)}));
      }
  const Both wide = number(64, 0, ~std::uint64_t{0});
  for (const Op op : {Op::CmpLtU, Op::CmpLeU, Op::CmpLtS, Op::CmpLeS, Op::CmpEq})
    for (const std::uint64_t by : {std::uint64_t{1}, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
      l.expectItsBits(l.b(op, 64, {wide, k64(by)}));
      l.expectItsBits(l.b(op, 64, {wide, l.extend(Op::ZeroExtend, b, 64)}));
    }
}

TEST_F(IntegerLaws, BoundsBeyond128BitsAreNone) {
  constexpr std::int64_t kFactor = 0x7fffffffffffffff;
  AffinePool &affine = l.terms.affine();
  AffineId sum = affine.constant(0);
  for (int k = 0; k < 4; ++k) { // two are 2^128 at most, three more than that
    sum = affine.combine(sum, 1, l.terms.modular(data(DType::U64).term, 64), kFactor);
    const Interval of = l.terms.facts().interval(sum);
    EXPECT_EQ(of.low, Wide{0});
    EXPECT_TRUE(!of.high || *of.high >= Wide{kFactor} * 2);
    EXPECT_FALSE(l.terms.facts().within(sum, 0, Wide{1} << 64)) << k;
  }
}

TEST_F(IntegerLaws, EqualityIsOfTheDifference) {
  const Both a = number(32, 0, 5000), b = number(32, 0, 0x7fffffff);
  l.expectLaw(l.b(Op::CmpEq, 32, {l.b(Op::Add, 32, {a, k32(7)}), b}),
              l.b(Op::CmpEq, 32, {a, l.b(Op::Sub, 32, {b, k32(7)})}));
  const Both bit = l.b(Op::CmpEq, 32, {a, k32(3)});
  l.expectLaw(l.b(Op::CmpEq, 1, {bit, l.constant(1, 1)}), bit);
  l.expectLaw(l.b(Op::CmpNe, 1, {bit, l.constant(1, 1)}), l.b(Op::Not, 1, {bit}));
}

TEST_F(IntegerLaws, SignedIsUnsignedBelowTheSign) {
  const Both a = number(32, 0, 0x7fffffff), b = number(32, 0, 1000), any = number(32, 0, kAll32);
  l.expectLaw(l.b(Op::CmpLtS, 32, {a, b}), l.b(Op::CmpLtU, 32, {a, b}));
  l.expectLaw(l.b(Op::MinS, 32, {a, b}), l.b(Op::MinU, 32, {a, b}));
  l.expectLaw(l.b(Op::MaxS, 32, {a, b}), l.b(Op::MaxU, 32, {a, b}));
  l.expectLaw(l.b(Op::ShrS, 32, {a, k32(3)}), l.b(Op::ShrU, 32, {a, k32(3)}));
  l.expectLaw(l.b(Op::DivS, 32, {a, k32(7)}), l.b(Op::DivU, 32, {a, k32(7)}));
  l.expectLaw(l.b(Op::RemS, 32, {a, k32(7)}), l.b(Op::RemU, 32, {a, k32(7)}));
  l.expectLaw(l.extend(Op::SignExtend, a, 64), l.extend(Op::ZeroExtend, a, 64));
  l.expectLaw(l.b(Op::MulHiS, 32, {a, k32(12345)}), l.b(Op::MulHiU, 32, {a, k32(12345)}));
  l.expectApart(l.b(Op::CmpLtS, 32, {any, b}), l.b(Op::CmpLtU, 32, {any, b}));
  l.expectApart(l.b(Op::MinS, 32, {any, b}), l.b(Op::MinU, 32, {any, b}));
  l.expectApart(l.b(Op::DivS, 32, {any, k32(7)}), l.b(Op::DivU, 32, {any, k32(7)}));
}

TEST_F(IntegerLaws, ExtremaThatTheBoundsDecide) {
  const Both a = number(32, 100, 200), b = number(32, 200, kAll32), any = number(32, 0, kAll32);
  l.expectLaw(l.b(Op::MinU, 32, {a, b}), a);
  l.expectLaw(l.b(Op::MaxU, 32, {a, b}), b);
  l.expectLaw(l.b(Op::MinU, 32, {a, any}), l.b(Op::MinU, 32, {any, a}));
  l.expectItsBits(l.b(Op::MinU, 32, {l.b(Op::Add, 32, {any, k32(5)}), a}));
  const Both least = l.b(Op::MinU, 32, {any, a}); // not more than either: the sum does not wrap
  l.expectLaw(l.extend(Op::ZeroExtend, l.b(Op::Add, 32, {least, k32(9)}), 64),
              l.b(Op::Add, 64, {l.extend(Op::ZeroExtend, least, 64), k64(9)}));
}

TEST_F(IntegerLaws, ExtremaOfNumbersNeedNoWidth) {
  const Both a = number(32, 0, kAll32), b = number(32, 5, 1000), s = number(64, 0, 900);
  const auto wide = [&](const Both &x) { return l.extend(Op::ZeroExtend, x, 64); };
  for (const Op op : {Op::MinU, Op::MaxU}) {
    l.expectLaw(wide(l.b(op, 32, {a, b})), l.b(op, 64, {wide(a), wide(b)}));
    l.expectLaw(l.b(op, 32, {low(s), b}), low(l.b(op, 64, {s, wide(b)})));
    const Both moved = l.b(Op::Add, 32, {a, k32(9)}); // which may wrap
    l.expectItsBits(l.b(op, 32, {moved, b}));
    l.expectItsBits(l.b(op, 16, {l.extract(a, 0, 16), l.extract(b, 0, 16)}));
    l.expectApart(wide(l.b(op, 32, {moved, b})),
                  l.b(op, 64, {l.b(Op::Add, 64, {wide(a), k64(9)}), wide(b)}));
  }
}

TEST_F(IntegerLaws, AChoiceOfTheLesserIsTheMinimum) {
  const Both a = number(64, 0, std::uint64_t{1} << 40), b = number(64, 0, std::uint64_t{1} << 40);
  for (const Op less : {Op::CmpLtU, Op::CmpLeU, Op::CmpLtS, Op::CmpLeS}) {
    const Both c = l.b(less, 64, {a, b});
    l.expectLaw(l.select(c, a, b), l.b(Op::MinU, 64, {a, b}));
    l.expectLaw(l.select(c, b, a), l.b(Op::MaxU, 64, {a, b}));
  }
  const Both past = l.b(Op::CmpLtU, 64, {a, l.b(Op::Add, 64, {b, k64(3)})});
  l.expectItsBits(l.select(past, a, b));
  EXPECT_NE(l.node(l.select(past, a, b)), l.node(l.b(Op::MinU, 64, {a, b})));
}

TEST_F(IntegerLaws, AMinimumInTwoRegisters) {
  for (const std::uint64_t highest : {std::uint64_t{1} << 40, std::uint64_t{1} << 33})
    for (const bool isMax : {false, true}) {
      const Both a = number(64, 0, highest), t = number(64, 1, highest);
      const Both b = l.b(Op::Sub, 64, {t, k64(1)}), c = l.b(Op::CmpLtU, 64, {a, b});
      const Both x = isMax ? b : a, y = isMax ? a : b;
      const Both lower = l.select(c, low(x), low(y)), upper = l.select(c, high(x), high(y));
      l.expectLaw(l.concat(lower, upper), l.b(isMax ? Op::MaxU : Op::MinU, 64, {a, b}));
      // Of two choices that do not fit together nothing is made.
      const Both other = l.select(c, high(y), high(x));
      EXPECT_NE(l.node(l.concat(lower, other)),
                l.node(l.b(isMax ? Op::MaxU : Op::MinU, 64, {a, b})));
      l.expectItsBits(l.concat(lower, other));
    }
}

TEST_F(IntegerLaws, TheUpperHalvesOfAChoiceAreThatOfTheMinimum) {
  for (const std::uint64_t highest : {std::uint64_t{1} << 40, std::uint64_t{1} << 33})
    for (const bool isMax : {false, true})
      for (const Op op : {Op::CmpLtU, Op::CmpLeU}) {
        const Both a = l.b(Op::Add, 64, {number(64, 0, highest), k64(9)}),
                   t = number(64, 1, highest);
        const Both b = l.b(Op::Sub, 64, {t, k64(1)}), c = l.b(op, 64, {a, b});
        const Both x = isMax ? b : a, y = isMax ? a : b;
        const Both extreme = l.b(isMax ? Op::MaxU : Op::MinU, 64, {a, b});
        l.expectLaw(l.select(c, high(x), high(y)), high(extreme));
        // What is computed of both halves is computed of the number.
        const Both seven = l.b(Op::Mul, 64, {extreme, k64(7)});
        const Both lower = l.extend(Op::ZeroExtend, l.select(c, low(x), low(y)), 64);
        const Both upper = l.b(Op::Mul, 32, {l.select(c, high(x), high(y)), k32(7)});
        const Both product = l.b(Op::Mul, 64, {lower, k64(7)});
        l.expectLaw(l.concat(low(product), l.b(Op::Add, 32, {high(product), upper})), seven);
        // The halves of others are not.
        const Both next = high(l.b(Op::Add, 64, {y, k64(std::uint64_t{1} << 32)}));
        for (const Both &other :
             {l.select(c, high(y), high(x)), l.select(c, high(x), next), l.select(c, next, high(y)),
              l.select(c, high(x), high(t)),
              l.select(l.b(op, 64, {a, l.b(Op::Sub, 64, {b, k64(std::uint64_t{1} << 33)})}),
                       high(x), high(y))}) {
          l.expectItsBits(other);
          EXPECT_NE(l.node(other), l.node(high(extreme)));
        }
      }
}

TEST_F(IntegerLaws, OfAWiderPairTheLowestBitsCount) {
  const Both a = number(32, 0, kAll32), above = data(DType::U32),
             n = number(64, 0, std::uint64_t{1} << 40);
  const Both pair = l.concat(a, above);
  for (const std::uint64_t factor : {1ull, 7ull, 200ull}) {
    const Both sum = l.b(Op::Add, 64, {l.b(Op::Mul, 64, {pair, k64(factor)}), n});
    l.expectLaw(low(sum), l.b(Op::Add, 32, {l.b(Op::Mul, 32, {a, k32(factor)}), low(n)}));
    l.expectItsBits(high(sum));
    l.expectItsBits(l.extract(sum, 0, 40));
    l.expectItsBits(l.extract(sum, 0, 16));
  }
}

TEST_F(IntegerLaws, ANumberInTwoRegisters) {
  const Both a = number(64, 0, std::uint64_t{1} << 44), b = number(64, 3, std::uint64_t{1} << 35);
  for (const std::uint64_t factor : {1ull, 4ull, 12ull, 3584ull})
    for (const std::uint64_t constant : {0ull, 1ull, 40ull, 0xffffffffull, 0x100000005ull}) {
      const Both sum = l.b(
          Op::Add, 64, {l.b(Op::Add, 64, {l.b(Op::Mul, 64, {a, k64(factor)}), b}), k64(constant)});
      l.expectLaw(l.concat(low(sum), high(sum)), sum);
      l.expectItsBits(l.concat(low(sum), high(l.b(Op::Add, 64, {sum, k64(1)}))));
      l.expectItsBits(l.concat(low(sum), high(a)));
    }
  const Both word = data(DType::U64);
  l.expectLaw(l.concat(low(word), high(word)), word);
  l.expectItsBits(l.concat(high(word), low(word)));
  // The upper part may have wrapped.
  const Both any = number(64, 0, ~std::uint64_t{0});
  l.expectItsBits(l.concat(low(any), l.b(Op::Add, 32, {high(any), k32(1)})));
}

TEST_F(IntegerLaws, ASumBesideTheLowerPartOfAnOperand) {
  const Both word = data(DType::U64), other = data(DType::U64), less = data(DType::U32),
             real = data(DType::F64);
  for (const Both &x : {word, real, l.extend(Op::SignExtend, l.extract(word, 50, 12), 64)}) {
    const Both added = l.b(Op::Add, 32, {high(x), k32(0x43380000)});
    l.expectLaw(l.concat(low(x), added), l.b(Op::Add, 64, {x, k64(0x4338000000000000)}));
    const Both rest = l.b(Op::Sub, 32, {added, less});
    l.expectLaw(
        l.concat(low(x), rest),
        l.b(Op::Sub, 64, {l.b(Op::Add, 64, {x, k64(0x4338000000000000)}), l.concat(k32(0), less)}));
    // Another's upper part, twice the upper part, another lower part.
    l.expectItsBits(l.concat(low(x), l.b(Op::Add, 32, {high(other), k32(1)})));
    l.expectItsBits(
        l.concat(low(x), l.b(Op::Add, 32, {l.b(Op::Shl, 32, {high(x), k32(1)}), k32(1)})));
    l.expectItsBits(l.concat(low(other), added));
  }
  // Not all of the lower part.
  const Both few = l.extract(word, 0, 16), next = l.extract(word, 32, 16);
  l.expectItsBits(l.concat(few, l.b(Op::Add, 16, {next, l.constant(16, 5)})));
}

TEST_F(IntegerLaws, PartsOfASumNeedTheLowBitsOfData) {
  const Both word = data(DType::U32), other = data(DType::U32), real = data(DType::F32);
  const auto lowest = [&](const Both &x, unsigned bits) {
    return l.extend(Op::ZeroExtend, l.extract(x, 0, bits), 64);
  };
  const auto plus = [&](const Both &x, const Both &y) { return l.b(Op::Add, 64, {x, y}); };
  for (const Both &x : {word, real})
    for (const unsigned bit : {1u, 5u, 13u})
      for (const unsigned width : {1u, 3u, 9u}) {
        const Both wide = l.extend(Op::ZeroExtend, x, 64);
        const Both of = l.extract(plus(wide, k64(3)), bit, width);
        l.expectLaw(l.extract(plus(lowest(x, bit + width), k64(3)), bit, width), of);
        l.expectLaw(l.extract(l.b(Op::Add, 32, {x, k32(3)}), bit, width), of);
        l.expectApart(l.extract(plus(lowest(x, bit), k64(3)), bit, width), of);
        const Both more = l.extend(Op::ZeroExtend, other, 64);
        const Both both = plus(wide, l.b(Op::Mul, 64, {more, k64(12)}));
        l.expectLaw(l.extract(plus(lowest(x, bit + width),
                                   l.b(Op::Mul, 64, {lowest(other, bit + width), k64(12)})),
                              bit, width),
                    l.extract(both, bit, width));
      }
}

TEST_F(IntegerLaws, SumsOfAChosenFloat) {
  const Both x = data(DType::F32), c = l.b(Op::CmpLtS, 32, {data(DType::I32), k32(9)});
  const Both three = l.constant(DType::F32, 3.0), choice = l.select(c, three, x);
  for (const Op op : {Op::Add, Op::Sub}) {
    l.expectLaw(l.b(op, 32, {choice, k32(1)}),
                l.select(c, l.b(op, 32, {three, k32(1)}), l.b(op, 32, {x, k32(1)})));
    l.expectLaw(l.b(op, 32, {k32(1), choice}),
                l.select(c, l.b(op, 32, {k32(1), three}), l.b(op, 32, {k32(1), x})));
  }
}

TEST_F(IntegerLaws, SumsWithACarry) {
  const Both none = l.constant(1, 0);
  for (const std::uint64_t highest : {std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    const Both a = number(64, 0, highest), b = number(64, 0, highest), word = data(DType::U64);
    for (const auto &[one, other] :
         {std::pair(Op::AddCarry, Op::Add), std::pair(Op::SubBorrow, Op::Sub)})
      for (const Both &x : {b, word, k64(0x123456789), k64(0xffffffff00000000)}) {
        const auto [lower, carry] = l.carried(one, low(a), low(x), none);
        const auto [upper, unused] = l.carried(one, high(a), high(x), carry);
        l.expectLaw(l.concat(lower, upper), l.b(other, 64, {a, x}));
      }
  }
  // Of choices, the upper halves exchanged.
  const Both word = data(DType::U64), c = l.b(Op::CmpLtS, 64, {word, k64(9)});
  const Both choice = l.select(c, k64(0x7ff8000000000001), data(DType::U64));
  const Both constant = k64(0xc0195f619980c433);
  const auto [lower, out] = l.carried(Op::AddCarry, low(constant), low(choice), none);
  const auto [upper, unused] = l.carried(Op::AddCarry, high(choice), high(constant), out);
  l.expectLaw(l.concat(lower, upper), l.b(Op::Add, 64, {constant, choice}));
  const auto [sum, carry] = l.carried(Op::AddCarry, k32(kAll32), k32(2), none);
  l.expectLaw(sum, k32(1));
  l.expectLaw(carry, l.constant(1, 1));
}

TEST_F(IntegerLaws, ACarryOfAnotherSumIsRefused) {
  const Both a = number(64, 0, ~std::uint64_t{0});
  const auto [lower, carry] = l.carried(Op::AddCarry, low(a), low(a), l.constant(1, 0));
  EXPECT_THROW(l.carried(Op::SubBorrow, high(a), high(a), carry), DomainError);
  EXPECT_THROW(l.carried(Op::AddCarry, high(a), high(a), l.b(Op::CmpEq, 32, {lower, k32(0)})),
               DomainError);
}

TEST_F(IntegerLaws, WhatIsCutAndJoinedIsItself) {
  const Both word = data(DType::U32);
  for (const unsigned at : {1u, 8u, 16u, 31u}) {
    const Both shifted = l.b(Op::ShrU, 32, {word, k32(at)});
    l.expectLaw(l.b(Op::Or, 32,
                    {l.b(Op::Shl, 32, {shifted, k32(at)}),
                     l.b(Op::And, 32, {word, k32((std::uint64_t{1} << at) - 1)})}),
                word);
  }
  l.expectLaw(l.concat(l.extract(word, 0, 16), l.extract(word, 16, 16)), word);
  l.expectLaw(l.extract(l.extract(word, 4, 20), 3, 8), l.extract(word, 7, 8));
  l.expectApart(l.concat(l.extract(word, 16, 16), l.extract(word, 0, 16)), word);
}

TEST_F(IntegerLaws, AConstantBesideAChoice) {
  const Both a = data(DType::U32), b = data(DType::U32), c = l.b(Op::CmpLtS, 32, {a, b});
  const Both choice = l.select(c, a, b), zero = k32(0), seven = k32(7);
  l.expectLaw(l.concat(choice, zero), l.select(c, l.concat(a, zero), l.concat(b, zero)));
  l.expectLaw(l.concat(seven, choice), l.select(c, l.concat(seven, a), l.concat(seven, b)));
  l.expectLaw(l.concat(l.select(c, a, b), l.select(c, b, a)),
              l.select(c, l.concat(a, b), l.concat(b, a)));
}

TEST_F(IntegerLaws, ArithmeticOnChoicesOfNumbers) {
  const Both a = number(32, 0, 1000), x = data(DType::I32);
  const Both c = l.b(Op::CmpLtS, 32, {x, k32(9)}), choice = l.select(c, a, k32(5));
  for (const Op op : {Op::Add, Op::Sub, Op::Mul, Op::And, Op::Or, Op::Xor})
    l.expectLaw(l.b(op, 32, {choice, k32(3)}),
                l.select(c, l.b(op, 32, {a, k32(3)}), l.b(op, 32, {k32(5), k32(3)})));
  l.expectLaw(l.extend(Op::ZeroExtend, choice, 64),
              l.select(c, l.extend(Op::ZeroExtend, a, 64), k64(5)));
  l.expectLaw(l.b(Op::CmpLtU, 32, {choice, k32(8)}),
              l.select(c, l.b(Op::CmpLtU, 32, {a, k32(8)}), l.constant(1, 1)));
  l.expectLaw(l.extract(choice, 3, 8), l.select(c, l.extract(a, 3, 8), l.extract(k32(5), 3, 8)));
}

TEST_F(IntegerLaws, AnUndefinedArmStaysSo) {
  const Both row = number(32, 0, 1000), c = l.b(Op::CmpLtU, 32, {row, k32(9)});
  Both nothing = k32(0);
  nothing.term = Term{};
  const auto expectArms = [&](const Both &of, const Both &arm) {
    ASSERT_TRUE(of.term.isNode());
    const Node n = l.terms.pool().node(of.term.node());
    ASSERT_EQ(n.kind, Kind::Select) << l.text(of);
    const auto args = l.terms.pool().args(of.term.node()); // the condition is kept as its negation
    EXPECT_EQ(l.terms.valueOf(args[2]), arm.term) << l.text(of);
    EXPECT_EQ(l.terms.pool().node(args[1]).kind, Kind::Undefined) << l.text(of);
  };
  for (const Both &known : {k32(7), row}) {
    const Both choice = l.select(c, known, nothing), chosen = l.select(c, k32(4), k32(5));
    for (const Op op : {Op::Add, Op::Sub, Op::Mul, Op::And, Op::Or, Op::Xor}) {
      expectArms(l.b(op, 32, {choice, k32(3)}), l.b(op, 32, {known, k32(3)}));
      expectArms(l.b(op, 32, {choice, chosen}), l.b(op, 32, {known, k32(4)}));
    }
    expectArms(l.b(Op::Add, 32, {choice, row}), l.b(Op::Add, 32, {known, row}));
    expectArms(l.extend(Op::ZeroExtend, choice, 64), l.extend(Op::ZeroExtend, known, 64));
  }
  // A conjunction with the condition asks for its arm alone.
  Both unknown = l.constant(1, 0);
  unknown.term = Term{};
  const Both zero = l.constant(1, 0), d = l.b(Op::CmpLtU, 32, {number(32, 0, 50), k32(9)});
  for (const Both &bit : {l.constant(1, 1), d})
    EXPECT_EQ(l.select(c, l.select(c, bit, unknown), zero).term, l.b(Op::And, 1, {c, bit}).term);
}

TEST_F(IntegerLaws, BitsThatDoNotMeetAreASum) {
  const Both a = number(32, 0, 1000), b = number(32, 0, 15), c = number(32, 0, 16);
  const Both above = l.b(Op::Shl, 32, {a, k32(4)});
  for (const Op op : {Op::Or, Op::Xor}) {
    l.expectLaw(l.b(op, 32, {above, b}), l.b(Op::Add, 32, {above, b}));
    l.expectApart(l.b(op, 32, {above, c}), l.b(Op::Add, 32, {above, c}));
  }
}

TEST_F(IntegerLaws, AMaskOfLowBitsIsARemainder) {
  const Both a = number(32, 0, kAll32);
  l.expectLaw(l.b(Op::And, 32, {a, k32(127)}), l.b(Op::RemU, 32, {a, k32(128)}));
  l.expectLaw(l.b(Op::ShrU, 32, {a, k32(7)}), l.b(Op::DivU, 32, {a, k32(128)}));
  l.expectLaw(l.b(Op::Sub, 32, {a, l.b(Op::Mul, 32, {l.b(Op::DivU, 32, {a, k32(36)}), k32(36)})}),
              l.b(Op::RemU, 32, {a, k32(36)}));
  l.expectItsBits(l.b(Op::And, 32, {a, k32(0xff0)}));
}

TEST_F(IntegerLaws, BitwiseByRuns) {
  const Both x = data(DType::U32), y = data(DType::U32);
  l.expectLaw(l.b(Op::Xor, 32, {x, y}), l.b(Op::Xor, 32, {y, x}));
  l.expectLaw(l.b(Op::Xor, 32, {x, x}), k32(0));
  l.expectLaw(l.b(Op::And, 32, {x, x}), x);
  l.expectLaw(l.b(Op::Not, 32, {l.b(Op::Not, 32, {x})}), x);
  l.expectLaw(l.extract(l.b(Op::And, 32, {x, k32(0xff00)}), 8, 8), l.extract(x, 8, 8));
  l.expectLaw(l.b(Op::And, 32, {l.b(Op::Or, 32, {x, k32(0xf0)}), k32(0xf0)}), k32(0xf0));
  for (const std::uint64_t mask : {0xff00ull, 0x80000001ull, 0x0ff0ff00ull, 0xffffffffull})
    for (const Op op : {Op::And, Op::Or, Op::Xor}) {
      const Both all = l.b(op, 32, {x, k32(mask)});
      l.expectItsBits(all);
      l.expectItsBits(l.b(op, 32, {all, y}));
      l.expectItsBits(l.extract(l.b(op, 32, {y, all}), 4, 16));
    }
  // What is put together of parts, part by part.
  const Both parts = l.concat(l.extract(x, 3, 16), l.extract(y, 8, 16));
  l.expectLaw(l.b(Op::Not, 32, {parts}), l.concat(l.b(Op::Not, 16, {l.extract(x, 3, 16)}),
                                                  l.b(Op::Not, 16, {l.extract(y, 8, 16)})));
  l.expectLaw(l.b(Op::Not, 32, {l.b(Op::Not, 32, {parts})}), parts);
  // A swizzle of more than two.
  const Both z = number(32, 0, 255), once = l.b(Op::Xor, 32, {x, l.b(Op::Xor, 32, {z, y})});
  l.expectItsBits(once);
  l.expectItsBits(l.b(Op::Xor, 32, {once, z}));
}

TEST_F(IntegerLaws, BitwiseOfManyIsOneOfAll) {
  const Both x = data(DType::U32), y = data(DType::U32), z = number(32, 0, kAll32);
  for (const Op op : {Op::And, Op::Or, Op::Xor}) {
    const auto of = [&](const Both &p, const Both &q) { return l.b(op, 32, {p, q}); };
    l.expectLaw(of(x, of(y, z)), of(of(z, x), y));
    l.expectLaw(of(of(x, y), x), op == Op::Xor ? y : of(x, y));
    l.expectLaw(l.extract(of(x, y), 5, 9), l.b(op, 9, {l.extract(x, 5, 9), l.extract(y, 5, 9)}));
  }
  const auto isNot = [&](const Both &p) { return l.b(Op::Not, 32, {p}); };
  const auto eitherOr = [&](const Both &p, const Both &q) { return l.b(Op::Xor, 32, {p, q}); };
  l.expectLaw(eitherOr(isNot(z), x), isNot(eitherOr(z, x)));
  l.expectLaw(eitherOr(isNot(z), isNot(x)), eitherOr(z, x));
}

TEST_F(IntegerLaws, TheUpperHalfOfAProductIsAQuotient) {
  const Both a = number(32, 0, 0x3ffff), any = number(32, 0, kAll32);
  for (const std::uint64_t magic :
       {1ull, 8ull, 0x10001ull, 0x1fffull, 0x92492493ull, 0xaaaaaaabull}) {
    l.expectItsBits(l.b(Op::MulHiU, 32, {a, k32(magic)}));
    l.expectItsBits(l.b(Op::MulHiU, 32, {any, k32(magic)}));
    const Both whole = l.b(Op::Mul, 64, {l.extend(Op::ZeroExtend, a, 64), k64(magic)});
    if (magic < 0x2000)
      l.expectLaw(l.b(Op::MulHiU, 32, {a, k32(magic)}), high(whole));
  }
}

TEST_F(IntegerLaws, QuotientsNest) {
  const Both a = number(32, 0, kAll32);
  const auto by = [&](const Both &x, std::uint64_t d) { return l.b(Op::DivU, 32, {x, k32(d)}); };
  l.expectLaw(by(by(a, 3), 5), by(a, 15));
  l.expectLaw(by(by(a, 4), 8), l.b(Op::ShrU, 32, {a, k32(5)}));
  const Both b = number(32, 0, 1000);
  l.expectLaw(by(l.b(Op::Mul, 32, {b, k32(6)}), 9), by(l.b(Op::Mul, 32, {b, k32(2)}), 3));
  l.expectLaw(by(l.b(Op::Add, 32, {l.b(Op::Mul, 32, {b, k32(36)}), k32(35)}), 36), b);
  l.expectApart(by(l.b(Op::Add, 32, {l.b(Op::Mul, 32, {b, k32(36)}), k32(36)}), 36), b);
  l.expectItsBits(by(l.b(Op::Mul, 32, {a, k32(6)}), 9)); // which wraps
}

TEST_F(IntegerLaws, LooseAtomsLoseWhatIsShiftedOut) {
  const Both a = number(32, 0, kAll32);
  const Both moved = l.b(Op::Add, 32, {a, k32(7)});
  const Both half = l.extend(Op::ZeroExtend, l.extract(moved, 0, 16), 32);
  l.expectLaw(l.b(Op::Shl, 32, {half, k32(16)}), l.b(Op::Shl, 32, {moved, k32(16)}));
  l.expectApart(l.b(Op::Shl, 32, {half, k32(15)}), l.b(Op::Shl, 32, {moved, k32(15)}));
  l.expectItsBits(l.b(Op::Add, 32, {l.b(Op::Shl, 32, {half, k32(16)}), a}));
}

TEST_F(IntegerLaws, ConditionsAreABooleanAlgebra) {
  const Both a = number(32, 0, 1000), x = data(DType::I32);
  const auto below = [&](std::uint64_t k) { return l.b(Op::CmpLtU, 32, {a, k32(k)}); };
  const Both c = l.b(Op::CmpLtS, 32, {x, k32(3)}), d = below(10);
  const auto isNot = [&](const Both &b) { return l.b(Op::Not, 1, {b}); };
  l.expectLaw(l.b(Op::And, 1, {c, d}), l.b(Op::And, 1, {d, c}));
  l.expectLaw(l.b(Op::And, 1, {c, isNot(c)}), l.constant(1, 0));
  l.expectLaw(l.b(Op::Or, 1, {c, d}), isNot(l.b(Op::And, 1, {isNot(c), isNot(d)})));
  l.expectLaw(isNot(isNot(c)), c);
  l.expectLaw(l.b(Op::Xor, 1, {c, l.constant(1, 1)}), isNot(c));
  l.expectLaw(l.b(Op::And, 1, {below(10), below(20)}), below(10)); // the stronger one
  l.expectLaw(l.b(Op::And, 1, {isNot(below(10)), isNot(below(20))}), isNot(below(20)));
  l.expectLaw(l.b(Op::Or, 1, {below(10), below(20)}), below(20));
  l.expectItsBits(l.b(Op::And, 1, {below(20), isNot(below(10))}));
  l.expectLaw(l.b(Op::And, 1, {c, isNot(l.b(Op::And, 1, {c, d}))}), l.b(Op::And, 1, {c, isNot(d)}));
  l.expectLaw(l.b(Op::And, 1, {c, isNot(l.b(Op::And, 1, {isNot(c), d}))}), c);
  l.expectLaw(l.b(Op::And, 1, {l.b(Op::And, 1, {c, d}), isNot(l.b(Op::And, 1, {d, c}))}),
              l.constant(1, 0));
  l.expectLaw(l.b(Op::Or, 1, {c, l.b(Op::And, 1, {isNot(c), d})}), l.b(Op::Or, 1, {c, d}));
  // What another implies, in any order and of many.
  const Both e = l.b(Op::CmpLtS, 32, {data(DType::I32), k32(7)});
  const Both both = l.b(Op::And, 1, {c, d}), three = l.b(Op::And, 1, {both, e});
  l.expectLaw(l.b(Op::And, 1, {isNot(c), isNot(both)}), isNot(c));
  l.expectLaw(l.b(Op::And, 1, {isNot(three), l.b(Op::And, 1, {isNot(e), isNot(both)})}),
              l.b(Op::And, 1, {isNot(both), isNot(e)}));
  l.expectLaw(l.b(Op::Or, 1, {l.b(Op::And, 1, {c, isNot(d)}), isNot(d)}), isNot(d));
  l.expectApart(l.b(Op::And, 1, {c, isNot(three)}), c);
  l.expectLaw(l.select(isNot(c), k32(1), k32(2)), l.select(c, k32(2), k32(1)));
  l.expectLaw(l.select(c, d, l.constant(1, 0)), l.b(Op::And, 1, {c, d}));
  l.expectLaw(l.select(c, l.select(c, x, k32(1)), k32(2)), l.select(c, x, k32(2)));
}

/// As v_cmp leaves them in lanes that are off.
TEST_F(IntegerLaws, OfAConditionAndAChoiceByItOneArmCounts) {
  const Both x = data(DType::I32), c = l.b(Op::CmpLtS, 32, {x, k32(3)});
  const Both d = l.b(Op::CmpLtS, 32, {data(DType::I32), k32(5)});
  Terms &t = l.terms;
  const Term yes = t.select(c.term, d.term, Term{}, 1), no = t.select(c.term, Term{}, d.term, 1);
  EXPECT_EQ(t.andBit(c.term, yes), t.andBit(c.term, d.term));
  EXPECT_EQ(t.andBit(no, t.notBit(c.term)), t.andBit(t.notBit(c.term), d.term));
  EXPECT_TRUE(t.andBit(c.term, no).isUndefined());
  EXPECT_NE(t.andBit(d.term, yes), t.andBit(d.term, t.andBit(c.term, d.term)));
}

TEST_F(IntegerLaws, TheLowestBitsOfASumNeedItsLowestBitsAlone) {
  const Both a = data(DType::U64), b = data(DType::U64), wide = l.b(Op::Add, 64, {a, b});
  const Both narrow = l.b(Op::Add, 32, {low(a), low(b)});
  const Both moved = l.b(Op::Sub, 64, {wide, l.b(Op::Shl, 64, {a, k64(62)})});
  for (const std::uint64_t mask : {1ull, 63ull, 0x1fffffull}) {
    const Both of = l.extend(Op::ZeroExtend, l.b(Op::And, 32, {narrow, k32(mask)}), 64);
    l.expectLaw(l.b(Op::And, 64, {wide, k64(mask)}), of);
    l.expectLaw(l.b(Op::And, 64, {moved, k64(mask)}), of);
    l.expectLaw(l.b(Op::RemU, 64, {wide, k64(mask + 1)}), of);
  }
  l.expectApart(
      l.b(Op::And, 64, {l.b(Op::Sub, 64, {wide, l.b(Op::Shl, 64, {a, k64(20)})}), k64(0x1fffff)}),
      l.b(Op::And, 64, {wide, k64(0x1fffff)}));
  // A number of 32 bits that wrapped, and its lowest six.
  const Both x = data(DType::U32),
             e = l.b(Op::Sub, 32, {l.b(Op::ShrU, 32, {x, k32(23)}), k32(120)});
  l.expectLaw(l.b(Op::And, 64, {l.extend(Op::ZeroExtend, e, 64), k64(63)}),
              l.extend(Op::ZeroExtend, l.b(Op::And, 32, {e, k32(63)}), 64));
}

TEST_F(IntegerLaws, XorOfASmallNumber) {
  const Both a = number(64, 0, kAll32), six = l.b(Op::And, 32, {number(32, 0, kAll32), k32(63)});
  const Both wraps = l.b(Op::Add, 32, {number(32, 0, kAll32), number(32, 0, kAll32)});
  const auto xorOf = [&](const Both &x, std::uint64_t with) {
    return l.b(Op::Xor, x.width, {x, l.constant(x.width, with)});
  };
  l.expectLaw(xorOf(six, 63), l.b(Op::Sub, 32, {k32(63), six}));
  l.expectLaw(xorOf(six, 0x3f), l.b(Op::And, 32, {l.b(Op::Sub, 32, {k32(63), six}), k32(63)}));
  l.expectLaw(xorOf(six, 0x7f), l.b(Op::Sub, 32, {k32(127), six}));
  l.expectApart(xorOf(six, 31), l.b(Op::Sub, 32, {k32(31), six}));
  l.expectLaw(xorOf(wraps, 0x80000000), l.b(Op::Add, 32, {wraps, k32(0x80000000)}));
  l.expectLaw(xorOf(a, 0x4530000080000000),
              l.b(Op::Or, 64, {xorOf(a, 0x80000000), k64(0x4530000000000000)}));
  for (const std::uint64_t with : {0x80000000ull, 0x180000000ull, 0x100000000ull, 0xffffffffull,
                                   0x8000000000000000ull, 0x40000000ull, 0xf0ull})
    l.expectItsBits(xorOf(a, with));
}

TEST_F(IntegerLaws, ANumberBelowAConstantIsASum) {
  const Both a = number(32, 0, kAll32), b = number(32, 0, kAll32);
  const Both sum = l.b(Op::Add, 32, {a, b});
  l.expectLaw(l.concat(sum, k32(0x43300000)),
              l.b(Op::Or, 64, {l.extend(Op::ZeroExtend, sum, 64), k64(0x4330000000000000)}));
  l.expectLaw(high(l.concat(sum, k32(0x43300000))), k32(0x43300000));
}

TEST_F(IntegerLaws, AnExtremumWithAConstantIsTakenArmByArm) {
  const Both x = data(DType::I32), c = l.b(Op::CmpLtS, 32, {x, k32(3)});
  const Both a = number(32, 0, 63), any = number(32, 0, kAll32), choice = l.select(c, k32(7), a);
  l.expectLaw(l.b(Op::MinU, 32, {choice, k32(64)}), choice);
  l.expectLaw(l.b(Op::MaxU, 32, {k32(64), choice}), k32(64));
  const Both other = l.select(c, k32(7), any);
  for (const Op op : {Op::MinU, Op::MaxU, Op::MinS, Op::MaxS})
    l.expectLaw(l.b(op, 32, {other, k32(5)}),
                l.select(c, l.b(op, 32, {k32(7), k32(5)}), l.b(op, 32, {any, k32(5)})));
}

TEST_F(IntegerLaws, ProductsOfASmallNumberAreThoseWithHalves) {
  const Both word = data(DType::U64), bits = data(DType::U32);
  const auto wide = [&](const Both &x) { return l.extend(Op::ZeroExtend, x, 64); };
  const auto times = [&](const Both &x, const Both &y) { return l.b(Op::Mul, 64, {x, y}); };
  const auto sum = [&](const Both &x, const Both &y) { return l.b(Op::Add, 64, {x, y}); };
  const auto upper = [&](const Both &x) { return l.b(Op::ShrU, 64, {x, k64(32)}); };
  // 24 bits of data; 31, and 32 that are too many.
  for (const std::uint64_t mask : {0xffffffull, 0x7fffffffull, 0xffffffffull}) {
    const Both m = l.b(Op::And, 32, {bits, k32(mask)}), x = wide(m);
    const Both lowest = times(x, wide(low(word))), highest = times(x, wide(high(word)));
    const Both product = sum(lowest, l.b(Op::Shl, 64, {highest, k64(32)}));
    const Both above = upper(sum(highest, upper(lowest)));
    const Both byParts = l.concat(low(lowest), low(sum(highest, upper(lowest))));
    if (mask == kAll32) {
      l.expectItsBits(l.b(Op::MulHiU, 64, {x, word}));
      l.expectItsBits(times(x, word));
      continue;
    }
    l.expectLaw(times(x, word), product);
    l.expectLaw(times(word, x), byParts);
    l.expectLaw(l.b(Op::MulHiU, 64, {x, word}), above);
    l.expectLaw(wide(l.b(Op::MulHiU, 32, {m, low(word)})), upper(lowest));
    l.expectLaw(l.b(Op::Mul, 32, {m, low(word)}), low(lowest));
  }
}

TEST_F(IntegerLaws, ShiftAmountsAreNumbers) {
  const Both x = data(DType::U64), by = l.b(Op::And, 32, {data(DType::U32), k32(63)});
  for (const Op op : {Op::Shl, Op::ShrU, Op::ShrS})
    l.expectLaw(l.b(op, 64, {x, by}), l.b(op, 64, {x, l.extend(Op::ZeroExtend, by, 64)}));
}

TEST_F(IntegerLaws, AQuestionOfAWrappedNumberIsOfWhatWrapped) {
  const Both e = l.b(Op::ShrU, 32, {data(DType::U32), k32(23)}); // 9 bits
  const Both x = data(DType::U32), a = l.b(Op::ShrU, 32, {x, k32(1)});
  const Both wrapped = l.b(Op::Sub, 32, {e, k32(120)});
  const auto below = [&](const Both &b, std::uint64_t k) {
    return l.b(Op::CmpLtU, 32, {b, k32(k)});
  };
  const auto isNot = [&](const Both &b) { return l.b(Op::Not, 1, {b}); };
  l.expectLaw(below(wrapped, 64), l.b(Op::And, 1, {isNot(below(e, 120)), below(e, 184)}));
  l.expectLaw(below(wrapped, 1000), isNot(below(e, 120)));
  l.expectLaw(below(wrapped, 0xffffffa0),
              isNot(l.b(Op::And, 1, {below(e, 120), isNot(below(e, 24))})));
  // The second block of 64, as 64 bits or 32 say it.
  const Both block = l.b(Op::ShrU, 64, {l.extend(Op::ZeroExtend, wrapped, 64), k64(6)});
  const Both second = l.b(Op::CmpEq, 64, {block, k64(1)});
  l.expectLaw(second, l.b(Op::CmpEq, 32, {l.b(Op::And, 32, {wrapped, k32(~63u)}), k32(64)}));
  l.expectLaw(second, l.b(Op::And, 1, {isNot(below(e, 184)), below(e, 248)}));
  for (const std::uint64_t k : {1ull, 5ull, 0x7fffffffull, 0xfffffffeull})
    for (const std::uint64_t by : {1ull, 0x80000000ull, 0x80000005ull, 0xffffff00ull})
      l.expectItsBits(below(l.b(Op::Add, 32, {a, k32(by)}), k));
}

TEST_F(IntegerLaws, AQuotientIsABound) {
  const Both a = number(32, 0, 100000), high = number(32, 200, 100000), few = number(32, 0, 191);
  const auto quotient = [&](const Both &x, std::uint64_t d) {
    return l.b(Op::DivU, 32, {x, k32(d)});
  };
  const auto is = [&](const Both &x, std::uint64_t k) { return l.b(Op::CmpEq, 32, {x, k32(k)}); };
  const auto isNot = [&](const Both &b) { return l.b(Op::Not, 1, {b}); };
  l.expectLaw(is(quotient(a, 64), 0), l.b(Op::CmpLtU, 32, {a, k32(64)}));
  l.expectLaw(is(quotient(high, 64), 3), l.b(Op::CmpLtU, 32, {high, k32(256)}));
  l.expectLaw(is(quotient(few, 64), 2), isNot(l.b(Op::CmpLtU, 32, {few, k32(128)})));
  l.expectItsBits(is(quotient(a, 64), 3));
  l.expectLaw(is(l.b(Op::And, 32, {a, k32(~63u)}), 64), is(quotient(a, 64), 1));
  l.expectLaw(is(l.b(Op::Mul, 32, {quotient(a, 3), k32(6)}), 4), l.constant(1, 0));
}

TEST_F(IntegerLaws, ABitOfANumberIsARemainder) {
  const Both a = number(32, 0, kAll32);
  const auto masked = [&](std::uint64_t mask) { return l.b(Op::And, 32, {a, k32(mask)}); };
  const auto is = [&](const Both &x, std::uint64_t k) { return l.b(Op::CmpEq, 32, {x, k32(k)}); };
  const auto isNot = [&](const Both &b) { return l.b(Op::Not, 1, {b}); };
  for (const std::uint64_t bit : {1u, 2u, 4u, 1024u}) {
    l.expectLaw(is(masked(bit), 0), l.b(Op::CmpLtU, 32, {masked(2 * bit - 1), k32(bit)}));
    l.expectLaw(is(masked(bit), bit), isNot(is(masked(bit), 0)));
    if (bit > 1)
      l.expectApart(is(masked(bit), 0), is(masked(2 * bit - 1), 0));
  }
  const Both up = l.b(Op::Add, 32, {number(32, 0, 1000), k32(1)});
  l.expectLaw(is(l.b(Op::And, 32, {up, k32(1)}), 1), isNot(is(l.b(Op::And, 32, {up, k32(1)}), 0)));
}

TEST_F(IntegerLaws, AMaskOfLanesIsEmptyIfEveryBitIs) {
  const Both x = data(DType::I32), y = data(DType::I32);
  const Both c = l.b(Op::CmpLtS, 32, {x, k32(0)}), d = l.b(Op::CmpLtS, 32, {y, k32(100)});
  const Both mask = l.concat(l.concat(c, d), l.constant(2, 0));
  l.expectLaw(l.b(Op::CmpEq, 4, {mask, l.constant(4, 0)}),
              l.b(Op::Not, 1, {l.b(Op::Or, 1, {c, d})}));
}

TEST_F(IntegerLaws, BitsOfFloatsDoNotCancel) {
  const Both a = l.input(DType::F32, Samples(kSamples, 0x3f800000));
  EXPECT_THROW(l.b(Op::Sub, 32, {a, a}), DomainError);
  EXPECT_THROW(l.b(Op::Xor, 32, {a, a}), DomainError);
  EXPECT_THROW(l.b(Op::CmpEq, 32, {a, a}), DomainError);
  EXPECT_THROW(l.b(Op::And, 32, {a, a}), DomainError);
}

} // namespace
} // namespace ordo::verify::test
