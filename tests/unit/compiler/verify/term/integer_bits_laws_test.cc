// The laws of bits, products, quotients and conditions of integers, as integer_laws_test.cc has
// those of sums, extrema and pairs of registers.
#include "compiler/verify/machine/fault.h"
#include "tests/unit/compiler/verify/term/integer_case.h"

namespace ordo::verify::test {
namespace {

using dsl::DType;

class IntegerLaws : public IntegerCase {};

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
