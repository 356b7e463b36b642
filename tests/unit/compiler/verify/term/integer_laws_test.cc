// Each law of bits, integers and choices, by its name in docs/proof.md: two ways of writing a value
// are one node, and have the same bits. Numbers near the ends of their width are among the samples.
#include "compiler/verify/machine/fault.h"
#include "tests/unit/compiler/verify/term/integer_case.h"

namespace ordo::verify::test {
namespace {

using dsl::DType;

class IntegerLaws : public IntegerCase {};

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

} // namespace
} // namespace ordo::verify::test
