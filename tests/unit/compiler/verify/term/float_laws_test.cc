// Each law of floats, by its name in docs/proof.md: two ways of writing a value are one node, and
// have the same bits, a NaN being one value. Operands: every one of 16 bits where there is one;
// else corners (NaNs of both kinds, infinities, zeros, subnormals) with each other, and random
// bits.
#include "tests/unit/compiler/verify/term/law_case.h"

#include <cmath>

namespace ordo::verify::test {
namespace {

using dsl::DType;

class FloatLaws : public ::testing::TestWithParam<DType> {
protected:
  DType t = GetParam();
  unsigned width = static_cast<unsigned>(dsl::bitWidth(t));
  std::uint64_t sign = std::uint64_t{1} << (width - 1);
  std::uint64_t infinity = ((std::uint64_t{1} << dsl::floatFormat(t).exponentBits) - 1)
                           << dsl::floatFormat(t).mantissaBits;

  std::vector<Samples> pairs = tuples(t, 2, 1000), triples = tuples(t, 3, 3000);
};

INSTANTIATE_TEST_SUITE_P(Formats, FloatLaws,
                         ::testing::Values(DType::F16, DType::BF16, DType::F32, DType::F64),
                         [](const auto &info) { return std::string(dsl::name(info.param)); });

TEST_P(FloatLaws, OperandsCommute) {
  LawCase l(pairs[0].size());
  const Both a = l.input(t, pairs[0]), b = l.input(t, pairs[1]), c = l.constant(t, 0.75);
  for (const Op op : {Op::FAdd, Op::FMul, Op::FMin, Op::FMax, Op::FMinNan, Op::FMaxNan})
    l.expectLaw(l.f(op, t, {a, b}), l.f(op, t, {b, a}));
  l.expectLaw(l.f(Op::FFma, t, {a, b, c}), l.f(Op::FFma, t, {b, a, c}));
  l.expectLaw(l.f(Op::FCmpEq, t, {a, b}), l.f(Op::FCmpEq, t, {b, a}));
  l.expectApart(l.f(Op::FSub, t, {a, b}), l.f(Op::FSub, t, {b, a}));
  l.expectApart(l.f(Op::FDiv, t, {a, b}), l.f(Op::FDiv, t, {b, a}));
}

TEST_P(FloatLaws, SumsDoNotAssociate) {
  LawCase l(triples[0].size());
  const Both a = l.input(t, triples[0]), b = l.input(t, triples[1]), c = l.input(t, triples[2]);
  for (const Op op : {Op::FAdd, Op::FMul})
    l.expectApart(l.f(op, t, {a, l.f(op, t, {b, c})}), l.f(op, t, {l.f(op, t, {a, b}), c}));
  l.expectApart(l.f(Op::FFma, t, {a, b, c}), l.f(Op::FAdd, t, {l.f(Op::FMul, t, {a, b}), c}));
}

TEST_P(FloatLaws, MinusZeroIsTheIdentityOfSums) {
  LawCase l(pairs[0].size());
  const Both a = l.input(t, pairs[0]), b = l.input(t, pairs[1]);
  const Both minusZero = l.constant(t, -0.0), zero = l.constant(t, 0.0);
  l.expectLaw(l.f(Op::FAdd, t, {a, minusZero}), a);
  l.expectLaw(l.f(Op::FAdd, t, {minusZero, a}), a);
  l.expectLaw(l.f(Op::FSub, t, {a, zero}), a);
  l.expectLaw(l.f(Op::FFma, t, {a, b, minusZero}), l.f(Op::FMul, t, {a, b}));
  l.expectApart(l.f(Op::FAdd, t, {a, zero}), a);
  l.expectApart(l.f(Op::FFma, t, {a, b, zero}), l.f(Op::FMul, t, {a, b}));
}

TEST_P(FloatLaws, OneIsTheIdentityOfProducts) {
  LawCase l(pairs[0].size());
  const Both a = l.input(t, pairs[0]), b = l.input(t, pairs[1]);
  const Both one = l.constant(t, 1.0), minusOne = l.constant(t, -1.0);
  l.expectLaw(l.f(Op::FMul, t, {a, one}), a);
  l.expectLaw(l.f(Op::FMul, t, {minusOne, a}), l.f(Op::FNeg, t, {a}));
  l.expectLaw(l.f(Op::FDiv, t, {a, one}), a);
  l.expectLaw(l.f(Op::FFma, t, {a, one, b}), l.f(Op::FAdd, t, {a, b}));
  l.expectLaw(l.f(Op::FFma, t, {minusOne, a, b}), l.f(Op::FSub, t, {b, a}));
  l.expectApart(l.f(Op::FMul, t, {a, l.constant(t, 0.0)}), l.constant(t, 0.0));
}

TEST_P(FloatLaws, XPlusXIsTwoX) {
  const Samples every = all(t);
  LawCase l(every.size());
  const Both a = l.input(t, every);
  l.expectLaw(l.f(Op::FAdd, t, {a, a}), l.f(Op::FMul, t, {a, l.constant(t, 2.0)}));
}

TEST_P(FloatLaws, DivisionByAPowerOfTwoIsAProduct) {
  LawCase l(pairs[0].size());
  const Both a = l.input(t, pairs[0]);
  const int bias = dsl::floatFormat(t).bias;
  for (const int k : {1, 2, 3, bias - 1, -1, -5, 2 - bias}) {
    const Both power = l.constant(t, std::ldexp(1.0, k)),
               inverse = l.constant(t, std::ldexp(1.0, -k));
    l.expectLaw(l.f(Op::FDiv, t, {a, power}), l.f(Op::FMul, t, {a, inverse}));
    l.expectLaw(l.f(Op::FDiv, t, {l.f(Op::FNeg, t, {a}), power}),
                l.f(Op::FMul, t, {a, l.constant(t, -std::ldexp(1.0, -k))}));
  }
  // Not where the inverse is rounded: of a number that is no power.
  l.expectApart(l.f(Op::FDiv, t, {a, l.constant(t, 3.0)}),
                l.f(Op::FMul, t, {a, l.f(Op::FDiv, t, {l.constant(t, 1.0), l.constant(t, 3.0)})}));
}

TEST_P(FloatLaws, ScalingIsAProductWithAPowerOfTwo) {
  if (t != DType::F32 && t != DType::F64)
    return; // the formats that AMDGCN scales
  LawCase l(pairs[0].size());
  const Both a = l.input(t, pairs[0]), b = l.input(t, pairs[1]);
  const int bias = dsl::floatFormat(t).bias;
  const auto scaled = [&](const Both &by) { return l.f(Op::GcnLdexp, t, {a, by}); };
  const auto by = [&](int k) { return l.constant(32, static_cast<std::uint32_t>(k)); };
  const auto power = [&](int k) { return l.constant(t, std::ldexp(1.0, k)); };
  for (const int k : {0, 1, -1, 24, 1 - bias, bias})
    l.expectLaw(scaled(by(k)), l.f(Op::FMul, t, {a, power(k)}));
  const Both isLess = l.f(Op::FCmpLt, t, {a, b});
  l.expectLaw(scaled(l.select(isLess, by(32), by(-7))),
              l.f(Op::FMul, t, {a, l.select(isLess, power(32), power(-7))}));
  // 2^k is no number of the format: an infinity, or 0.
  l.expectApart(scaled(by(bias + 1)), l.f(Op::FMul, t, {a, power(bias + 1)}));
  l.expectApart(scaled(by(-2 * bias)), l.f(Op::FMul, t, {a, power(-2 * bias)}));
}

TEST_P(FloatLaws, ReciprocalIsADivision) {
  const Samples every = all(t);
  LawCase l(every.size());
  const Both a = l.input(t, every);
  l.expectLaw(l.f(Op::FRcp, t, {a}), l.f(Op::FDiv, t, {l.constant(t, 1.0), a}));
}

TEST_P(FloatLaws, SignsMoveThroughProductsAndQuotients) {
  LawCase l(triples[0].size());
  const Both a = l.input(t, triples[0]), b = l.input(t, triples[1]), c = l.input(t, triples[2]);
  const auto minus = [&](const Both &x) { return l.f(Op::FNeg, t, {x}); };
  for (const Op op : {Op::FMul, Op::FDiv}) {
    l.expectLaw(l.f(op, t, {minus(a), b}), minus(l.f(op, t, {a, b})));
    l.expectLaw(l.f(op, t, {minus(a), minus(b)}), l.f(op, t, {a, b}));
    l.expectLaw(l.f(op, t, {a, l.constant(t, -3.0)}), minus(l.f(op, t, {a, l.constant(t, 3.0)})));
  }
  l.expectLaw(l.f(Op::FFma, t, {minus(a), b, c}), l.f(Op::FFma, t, {a, minus(b), c}));
  l.expectLaw(l.f(Op::FFma, t, {minus(a), minus(b), c}), l.f(Op::FFma, t, {a, b, c}));
  l.expectLaw(l.f(Op::FAdd, t, {minus(a), b}), l.f(Op::FSub, t, {b, a}));
  l.expectApart(l.f(Op::FAdd, t, {minus(a), minus(b)}), minus(l.f(Op::FAdd, t, {a, b})));
}

TEST_P(FloatLaws, ProductsOfChoicesWithASign) {
  LawCase l(triples[0].size());
  const Both a = l.input(t, triples[0]), b = l.input(t, triples[1]), d = l.input(t, triples[2]);
  const Both c = l.f(Op::FCmpLt, t, {d, l.constant(t, 1.0)}), zero = l.constant(t, 0.0);
  const Both x = l.select(c, a, b), y = l.select(c, zero, d);
  for (const Op op : {Op::FMul, Op::FDiv})
    l.expectLaw(l.f(op, t, {l.f(Op::FNeg, t, {x}), y}), l.f(Op::FNeg, t, {l.f(op, t, {x, y})}));
}

TEST_P(FloatLaws, ADifferenceTakenFromWhatIsNeverMinusZero) {
  LawCase l(pairs[0].size());
  const Both x = l.input(t, pairs[0]), y = l.input(t, pairs[1]);
  Samples words;
  for (const std::uint64_t bits : pairs[1])
    words.push_back(bits & 0xffffffff);
  const Both number = l.fromInteger(Op::UToF, t, l.input(DType::U32, words));
  const Both any = l.select(l.f(Op::FCmpLt, t, {x, y}), l.constant(t, -0.0), number);
  const auto less = [&](const Both &a, const Both &b) { return l.f(Op::FSub, t, {a, b}); };
  const auto sum = [&](const Both &a, const Both &b) { return l.f(Op::FAdd, t, {a, b}); };
  const auto isLaw = [&](const Both &a) { l.expectLaw(less(a, less(x, y)), sum(a, less(y, x))); };
  for (const Both &a : {number, l.constant(t, 0.0), l.constant(t, -1.5), l.f(Op::FAbs, t, {x}),
                        sum(number, y), sum(less(x, y), l.constant(t, 2.0)),
                        l.select(l.f(Op::FCmpLt, t, {x, y}), l.constant(t, -3.0), number)})
    isLaw(a);
  for (const Both &a : {l.constant(t, -0.0), y, l.f(Op::FNeg, t, {number}), any})
    l.expectItsBits(less(a, less(x, y)));
  l.expectApart(less(l.f(Op::FMul, t, {x, l.constant(t, -0.0)}), less(x, y)),
                sum(l.f(Op::FMul, t, {x, l.constant(t, -0.0)}), less(y, x)));
}

TEST_P(FloatLaws, SignsOfASign) {
  const Samples every = all(t);
  LawCase l(every.size());
  const Both a = l.input(t, every), minus = l.f(Op::FNeg, t, {a}), size = l.f(Op::FAbs, t, {a});
  l.expectLaw(l.f(Op::FNeg, t, {minus}), a);
  l.expectLaw(l.f(Op::FAbs, t, {minus}), size);
  l.expectLaw(l.f(Op::FAbs, t, {size}), size);
  l.expectApart(l.f(Op::FSub, t, {l.constant(t, 0.0), a}), minus);
}

TEST_P(FloatLaws, SignsByBits) {
  const Samples every = all(t);
  LawCase l(every.size());
  const Both a = l.input(t, every);
  const auto bits = [&](Op op, std::uint64_t with) {
    return LawCase::as(t, l.b(op, width, {a, l.constant(width, with)}));
  };
  l.expectLaw(bits(Op::Xor, sign), l.f(Op::FNeg, t, {a}));
  l.expectLaw(bits(Op::And, sign - 1), l.f(Op::FAbs, t, {a}));
  l.expectLaw(bits(Op::Or, sign), l.f(Op::FNeg, t, {l.f(Op::FAbs, t, {a})}));
}

TEST_P(FloatLaws, ExtremaAreThoseOfASet) {
  LawCase l(triples[0].size());
  const Both a = l.input(t, triples[0]), b = l.input(t, triples[1]), c = l.input(t, triples[2]);
  for (const Op op : {Op::FMin, Op::FMax}) {
    const auto m = [&](const Both &x, const Both &y) { return l.f(op, t, {x, y}); };
    l.expectLaw(m(a, m(b, c)), m(m(c, a), b));
    l.expectLaw(m(a, m(b, a)), m(b, a));
    l.expectLaw(m(a, a), a);
    const auto other = [&](const Both &x, const Both &y) {
      return l.f(op == Op::FMin ? Op::FMax : Op::FMin, t, {x, y});
    };
    l.expectLaw(m(a, other(a, other(b, c))), m(other(other(c, a), b), a)); // a set within a set
    const Both two = l.constant(t, 2.0), three = l.constant(t, -3.0);
    l.expectLaw(m(m(a, two), m(three, b)), m(m(two, three), m(a, b)));
    l.expectLaw(m(m(a, l.constant(t, 0.0)), l.constant(t, -0.0)),
                m(a, l.constant(t, op == Op::FMin ? -0.0 : 0.0)));
  }
  l.expectApart(l.f(Op::FMax, t, {a, b}), l.f(Op::FMaxNan, t, {a, b}));
}

TEST_P(FloatLaws, ExtremaByComparisons) {
  LawCase l(pairs[0].size());
  const Both u = l.input(t, pairs[0]), v = l.input(t, pairs[1]);
  for (const Op less : {Op::FCmpLt, Op::FCmpLe})
    for (const bool isMax : {true, false})
      for (const bool keepsNan : {true, false}) {
        const Both first = isMax ? v : u, second = isMax ? u : v;
        const Both equal = LawCase::as(t, l.b(isMax ? Op::And : Op::Or, width, {u, v}));
        const Both ordered = l.select(l.f(less, t, {u, v}), first, second);
        const Both numbers = l.select(l.f(Op::FCmpEq, t, {u, v}), equal, ordered);
        const Both asked = keepsNan ? first : second;
        const Op op =
            keepsNan ? (isMax ? Op::FMaxNan : Op::FMinNan) : (isMax ? Op::FMax : Op::FMin);
        l.expectLaw(l.select(l.f(Op::FIsNan, t, {asked}), first, numbers), l.f(op, t, {u, v}));
        // The equal zeros' sign counts.
        const Both wrong = LawCase::as(t, l.b(isMax ? Op::Or : Op::And, width, {u, v}));
        l.expectApart(l.select(l.f(Op::FIsNan, t, {asked}), first,
                               l.select(l.f(Op::FCmpEq, t, {u, v}), wrong, ordered)),
                      l.f(op, t, {u, v}));
      }
}

TEST_P(FloatLaws, ANumberOrAnInfinityIsAnExtremum) {
  const Samples every = all(t);
  LawCase l(every.size());
  const Both a = l.input(t, every), isNan = l.f(Op::FIsNan, t, {a});
  const Both low = LawCase::as(t, l.constant(width, infinity | sign)),
             high = LawCase::as(t, l.constant(width, infinity));
  l.expectLaw(l.select(isNan, low, a), l.f(Op::FMax, t, {low, a}));
  l.expectLaw(l.select(isNan, high, a), l.f(Op::FMin, t, {high, a}));
  const auto isOther = [&](const Both &inf) {
    return l.b(Op::And, 1,
               {l.b(Op::Not, 1, {l.f(Op::FCmpEq, t, {a, inf})}), l.b(Op::Not, 1, {isNan})});
  };
  l.expectLaw(l.select(isOther(low), a, low), l.f(Op::FMax, t, {low, a}));
  l.expectLaw(l.select(isOther(high), a, high), l.f(Op::FMin, t, {high, a}));
}

TEST_P(FloatLaws, ComparisonsOfNegations) {
  LawCase l(pairs[0].size());
  const Both a = l.input(t, pairs[0]), b = l.input(t, pairs[1]);
  const auto minus = [&](const Both &x) { return l.f(Op::FNeg, t, {x}); };
  for (const Op op : {Op::FCmpLt, Op::FCmpLe, Op::FCmpEq}) {
    l.expectLaw(l.f(op, t, {minus(a), minus(b)}), l.f(op, t, {b, a}));
    for (const double c : {2.0, -0.0}) {
      l.expectLaw(l.f(op, t, {minus(a), l.constant(t, c)}), l.f(op, t, {l.constant(t, -c), a}));
      l.expectLaw(l.f(op, t, {l.constant(t, c), minus(a)}), l.f(op, t, {a, l.constant(t, -c)}));
    }
  }
  l.expectApart(l.f(Op::FCmpLt, t, {a, b}), l.f(Op::FCmpLe, t, {a, b}));
  // A NaN makes both false.
  l.expectApart(l.b(Op::Not, 1, {l.f(Op::FCmpLt, t, {a, b})}), l.f(Op::FCmpLe, t, {b, a}));
}

TEST_P(FloatLaws, ComparisonsWithInfinities) {
  const Samples every = all(t);
  LawCase l(every.size());
  const Both a = l.input(t, every), isNumber = l.b(Op::Not, 1, {l.f(Op::FIsNan, t, {a})});
  for (const bool isNegative : {false, true}) {
    const Both inf = LawCase::as(t, l.constant(width, infinity | (isNegative ? sign : 0)));
    const Both is = l.f(Op::FCmpEq, t, {a, inf});
    const Both isNot = l.b(Op::And, 1, {l.b(Op::Not, 1, {is}), isNumber});
    const std::vector<Both> inside = isNegative ? std::vector{inf, a} : std::vector{a, inf};
    const std::vector<Both> outside = {inside[1], inside[0]};
    l.expectLaw(l.f(Op::FCmpLt, t, inside), isNot);
    l.expectLaw(l.f(Op::FCmpLe, t, inside), isNumber);
    l.expectLaw(l.f(Op::FCmpLt, t, outside), l.constant(1, 0));
    l.expectLaw(l.f(Op::FCmpLe, t, outside), is);
  }
}

TEST_P(FloatLaws, WhatIsNaN) {
  const Samples every = all(t);
  LawCase l(every.size());
  const Both a = l.input(t, every), isNan = l.f(Op::FIsNan, t, {a});
  l.expectLaw(l.f(Op::FIsNan, t, {l.f(Op::FNeg, t, {a})}), isNan);
  l.expectLaw(l.f(Op::FIsNan, t, {l.f(Op::FAbs, t, {a})}), isNan);
  l.expectLaw(l.b(Op::Not, 1, {l.f(Op::FCmpEq, t, {a, a})}), isNan);
  for (const DType to : {DType::F16, DType::BF16, DType::F32, DType::F64})
    l.expectLaw(l.f(Op::FIsNan, to, {l.cast(to, a)}), isNan);
  const Both nan = LawCase::as(t, l.constant(width, dsl::canonicalNan(t)));
  l.expectLaw(l.select(isNan, nan, a), a);
  Both canonical = l.constant(width, 0);
  canonical.term = l.terms.canonicalBits(t, l.node(a));
  for (std::size_t k = 0; k < every.size(); ++k)
    canonical.bits[k] = dsl::canonical(t, every[k]);
  l.expectItsBits(canonical);
}

// What the code asked of a NaN is known of a number, and folds away.
TEST_P(FloatLaws, ExtremaOfNumbersByComparisons) {
  LawCase l(pairs[0].size());
  const Both a = l.input(t, pairs[0]), b = l.input(t, pairs[1]);
  for (const bool isMax : {true, false})
    for (const Op less : {Op::FCmpLt, Op::FCmpLe}) {
      const Both u =
          l.f(isMax ? Op::FMax : Op::FMin, t, {a, l.constant(t, isMax ? -HUGE_VAL : HUGE_VAL)});
      const Both bits = LawCase::as(t, l.b(isMax ? Op::And : Op::Or, width, {u, b}));
      const auto chosen = [&](const Both &x, const Both &y) { // x is kept where y is a NaN
        const Both further = isMax ? l.f(less, t, {x, y}) : l.f(less, t, {y, x});
        return l.select(l.f(Op::FCmpEq, t, {u, b}), bits, l.select(further, y, x));
      };
      l.expectLaw(chosen(u, b), l.f(isMax ? Op::FMax : Op::FMin, t, {u, b}));
      l.expectLaw(chosen(b, u), l.f(isMax ? Op::FMaxNan : Op::FMinNan, t, {b, u}));
      // And then asks of the other after all.
      const Both isNan = l.f(Op::FIsNan, t, {b});
      l.expectLaw(l.select(isNan, u, chosen(u, b)), l.f(isMax ? Op::FMax : Op::FMin, t, {u, b}));
      l.expectLaw(l.select(isNan, u, chosen(b, u)), l.f(isMax ? Op::FMax : Op::FMin, t, {u, b}));
      l.expectLaw(l.select(isNan, b, chosen(u, b)),
                  l.f(isMax ? Op::FMaxNan : Op::FMinNan, t, {u, b}));
      const Both mixed = LawCase::as(t, l.b(isMax ? Op::And : Op::Or, width, {a, b}));
      const Both further = isMax ? l.f(less, t, {a, b}) : l.f(less, t, {b, a});
      l.expectItsBits(l.select(l.f(Op::FCmpEq, t, {a, b}), mixed, l.select(further, b, a)));
    }
}

TEST_P(FloatLaws, WhatStaysANumber) {
  LawCase l(triples[0].size());
  const Both a = l.input(t, triples[0]), b = l.input(t, triples[1]), d = l.input(t, triples[2]);
  const Both c = l.constant(t, -104.0), factor = l.constant(t, 1.5), never = l.constant(1, 0);
  const Both inf = l.constant(t, HUGE_VAL), zero = l.constant(t, 0.0);
  const auto isNan = [&](const Both &x) { return l.f(Op::FIsNan, t, {x}); };
  const Both number = l.f(Op::FMax, t, {a, c});
  const Both choice = l.select(l.f(Op::FCmpLt, t, {d, b}), c, factor);
  l.expectLaw(isNan(number), never);
  l.expectLaw(isNan(l.f(Op::FMin, t, {c, a})), never);
  l.expectLaw(isNan(choice), never);
  l.expectLaw(isNan(l.f(Op::FMul, t, {number, factor})), never);
  l.expectLaw(isNan(l.f(Op::FFma, t, {number, factor, choice})), never);
  l.expectLaw(isNan(l.f(Op::FAdd, t, {number, choice})), never);
  l.expectLaw(isNan(l.f(Op::FMinNan, t, {number, choice})), never);
  // Each with one condition less.
  for (const Both &x :
       {l.f(Op::FMaxNan, t, {a, c}), l.f(Op::FMinNan, t, {number, a}), l.f(Op::FMax, t, {a, b}),
        l.f(Op::FMul, t, {number, zero}), l.f(Op::FFma, t, {number, zero, c}),
        l.f(Op::FFma, t, {a, factor, c}), l.f(Op::FFma, t, {number, factor, b}),
        l.f(Op::FFma, t, {number, factor, l.f(Op::FNeg, t, {inf})}),
        l.f(Op::FFma, t, {number, number, c}), l.f(Op::FSub, t, {number, number}),
        l.select(l.f(Op::FCmpLt, t, {d, b}), c, a)})
    l.expectItsBits(isNan(x));
}

TEST_P(FloatLaws, OperationsOnTheArmsOfAChoice) {
  LawCase l(triples[0].size());
  const Both a = l.input(t, triples[0]), b = l.input(t, triples[1]), d = l.input(t, triples[2]);
  const Both c = l.f(Op::FCmpLt, t, {d, b}), two = l.constant(t, 2.0), three = l.constant(t, 3.0);
  const Both choice = l.select(c, two, a), other = l.select(c, b, three);
  for (const Op op : {Op::FAdd, Op::FMul, Op::FDiv}) {
    l.expectLaw(l.f(op, t, {choice, three}),
                l.select(c, l.f(op, t, {two, three}), l.f(op, t, {a, three})));
    l.expectLaw(l.f(op, t, {choice, other}),
                l.select(c, l.f(op, t, {two, b}), l.f(op, t, {a, three})));
  }
  l.expectLaw(l.f(Op::FFma, t, {choice, three, other}),
              l.select(c, l.f(Op::FFma, t, {two, three, b}), l.f(Op::FFma, t, {a, three, three})));
  const Both isNot = l.b(Op::Not, 1, {c});
  l.expectLaw(l.select(isNot, a, b), l.select(c, b, a));
  l.expectLaw(l.select(c, a, a), a);
}

TEST_P(FloatLaws, ChoicesOfOneValueAreOneChoice) {
  LawCase l(triples[0].size());
  const Both a = l.input(t, triples[0]), b = l.input(t, triples[1]), d = l.input(t, triples[2]);
  const Both c = l.f(Op::FCmpLt, t, {a, b}), q = l.f(Op::FCmpLt, t, {b, d});
  const auto both = [&](const Both &x, const Both &y) { return l.b(Op::And, 1, {x, y}); };
  const auto isNot = [&](const Both &x) { return l.b(Op::Not, 1, {x}); };
  l.expectLaw(l.select(c, l.select(q, a, b), b), l.select(both(c, q), a, b));
  l.expectLaw(l.select(c, l.select(q, b, a), b), l.select(both(c, isNot(q)), a, b));
  l.expectLaw(l.select(c, a, l.select(q, a, b)), l.select(both(isNot(c), isNot(q)), b, a));
  l.expectLaw(l.select(c, a, l.select(q, b, a)), l.select(both(isNot(c), q), b, a));
  const Both three = l.constant(t, 3.0); // a sign, too, moves into the arms
  l.expectLaw(l.f(Op::FNeg, t, {l.select(c, three, a)}),
              l.select(c, l.constant(t, -3.0), l.f(Op::FNeg, t, {a})));
}

TEST_P(FloatLaws, ASignOfBothArmsIsTheChoices) {
  LawCase l(triples[0].size());
  const Both a = l.input(t, triples[0]), b = l.input(t, triples[1]), d = l.input(t, triples[2]);
  const Both c = l.f(Op::FCmpLt, t, {d, b}), minus = l.f(Op::FNeg, t, {l.select(c, a, b)});
  l.expectLaw(l.select(c, l.f(Op::FNeg, t, {a}), l.f(Op::FNeg, t, {b})), minus);
  l.expectApart(l.select(c, l.f(Op::FNeg, t, {a}), b), minus);
  // In two registers.
  const unsigned half = width / 2;
  const auto part = [&](unsigned from) {
    return l.select(c, l.extract(a, from, half), l.extract(b, from, half));
  };
  const Both top = l.constant(half, std::uint64_t{1} << (half - 1));
  l.expectLaw(LawCase::as(t, l.concat(part(0), l.b(Op::Xor, half, {part(half), top}))), minus);
}

TEST_P(FloatLaws, FiniteByBits) {
  const Samples every = all(t);
  LawCase l(every.size());
  const Both size = l.f(Op::FAbs, t, {l.input(t, every)}), inf = l.constant(width, infinity);
  Both isBelow = l.b(Op::CmpLtS, width, {size, inf});
  isBelow.isOfNan.assign(every.size(), false); // of any NaN
  l.expectLaw(isBelow, l.f(Op::FCmpLt, t, {size, LawCase::as(t, inf)}));
}

TEST_P(FloatLaws, TheOppositeSignBesideTheRest) {
  const Samples every = all(t);
  LawCase l(every.size());
  const Both a = l.input(t, every), minus = l.f(Op::FNeg, t, {a});
  Both made = minus;
  const std::array<Term, 2> parts = {l.extract(a, 0, width - 1).term,
                                     l.b(Op::Not, 1, {l.extract(a, width - 1, 1)}).term};
  const std::array<unsigned, 2> widths = {width - 1, 1};
  made.term = l.terms.concat(parts, widths);
  l.expectLaw(made, minus);
}

TEST_P(FloatLaws, AnArmKnowsItsCondition) {
  LawCase l(triples[0].size());
  const Both a = l.input(t, triples[0]), b = l.input(t, triples[1]), d = l.input(t, triples[2]);
  const Both c = l.f(Op::FCmpLt, t, {d, b}), inner = l.select(c, a, b);
  for (const Op op : {Op::FAdd, Op::FMul, Op::FDiv}) {
    l.expectLaw(l.select(c, l.f(op, t, {inner, d}), d), l.select(c, l.f(op, t, {a, d}), d));
    l.expectLaw(l.select(c, d, l.f(op, t, {inner, d})), l.select(c, d, l.f(op, t, {b, d})));
  }
  l.expectLaw(l.select(c, l.f(Op::FFma, t, {inner, a, d}), d),
              l.select(c, l.f(Op::FFma, t, {a, a, d}), d));
  for (const Op op : {Op::FNeg, Op::FAbs})
    l.expectLaw(l.select(c, l.f(op, t, {inner}), d), l.select(c, l.f(op, t, {a}), d));
  l.expectApart(l.select(c, l.f(Op::FAdd, t, {inner, d}), d),
                l.select(c, l.f(Op::FAdd, t, {b, d}), d));
}

class Widening : public ::testing::TestWithParam<std::pair<DType, DType>> {
protected:
  DType narrow = GetParam().first, wide = GetParam().second;
};

INSTANTIATE_TEST_SUITE_P(Formats, Widening,
                         ::testing::Values(std::pair(DType::F16, DType::F32),
                                           std::pair(DType::BF16, DType::F32),
                                           std::pair(DType::F16, DType::F64),
                                           std::pair(DType::BF16, DType::F64),
                                           std::pair(DType::F32, DType::F64)));

TEST_P(Widening, ThereAndBackIsTheValue) {
  const Samples every = all(narrow);
  LawCase l(every.size());
  const Both a = l.input(narrow, every);
  for (const Round back : {Round::NearestEven, Round::TowardZero})
    l.expectLaw(l.cast(narrow, l.cast(wide, a), back), a);
  l.expectLaw(l.cast(wide, l.f(Op::FNeg, narrow, {a})), l.f(Op::FNeg, wide, {l.cast(wide, a)}));
}

TEST_P(Widening, BackAndThereIsNot) {
  const Samples every = all(wide);
  LawCase l(every.size());
  const Both a = l.input(wide, every);
  l.expectApart(l.cast(wide, l.cast(narrow, a)), a);
  for (const Round rounding : {Round::NearestEven, Round::TowardZero})
    l.expectLaw(l.cast(narrow, l.f(Op::FNeg, wide, {a}), rounding),
                l.f(Op::FNeg, narrow, {l.cast(narrow, a, rounding)}));
}

TEST_P(Widening, KeepsExtrema) {
  const auto operands = tuples(narrow, 3, 3000);
  LawCase l(operands[0].size());
  const Both a = l.input(narrow, operands[0]), b = l.input(narrow, operands[1]),
             c = l.input(narrow, operands[2]);
  for (const Op op : {Op::FMin, Op::FMax, Op::FMinNan, Op::FMaxNan})
    l.expectLaw(l.cast(wide, l.f(op, narrow, {a, b})),
                l.f(op, wide, {l.cast(wide, a), l.cast(wide, b)}));
  for (const Op op : {Op::FMin, Op::FMax})
    l.expectLaw(
        l.cast(wide, l.f(op, narrow, {a, l.f(op, narrow, {b, c})})),
        l.f(op, wide, {l.cast(wide, a), l.f(op, wide, {l.cast(wide, b), l.cast(wide, c)})}));
}

TEST(NarrowImages, OrderNoExtrema) {
  const DType t = DType::F64, f32 = DType::F32;
  const Samples near = {0x3ff0000000000001, 0x3ff0000000000000, 0xffe0000000000000,
                        0x7ff0000000000000};
  LawCase l(near.size());
  const Both v = l.input(t, near), u = l.input(t, Samples(near.rbegin(), near.rend()));
  const auto narrow = [&](const Both &x) { return l.cast(f32, x); };
  const auto bits = [&](const Both &x, const Both &y) {
    return LawCase::as(t, l.b(Op::And, 64, {x, y}));
  };
  const Both one = l.constant(t, 1.0), low = LawCase::as(t, l.constant(64, 0xfff0000000000000));
  // 1 + 2^-52 is 1 in f32, and -2^1023 is -inf.
  l.expectItsBits(l.select(l.f(Op::FCmpEq, f32, {narrow(v), narrow(one)}), bits(v, one), v));
  const Both isLow = l.f(Op::FCmpEq, f32, {narrow(v), narrow(low)});
  const Both isNumber = l.b(Op::Not, 1, {l.f(Op::FIsNan, f32, {narrow(v)})});
  l.expectItsBits(l.select(l.b(Op::And, 1, {l.b(Op::Not, 1, {isLow}), isNumber}), v, low));
  const Both ordered = l.select(l.f(Op::FCmpLt, f32, {narrow(u), narrow(v)}), v, u);
  const Both equal = l.f(Op::FCmpEq, f32, {narrow(u), narrow(v)});
  l.expectItsBits(l.select(l.f(Op::FIsNan, t, {u}), v, l.select(equal, bits(u, v), ordered)));
}

class Narrowing : public ::testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(Formats, Narrowing, ::testing::Values(DType::F16, DType::BF16));

/// Every pair is tried by tests/unit/dsl/eval; here, that the law says no more than that.
TEST_P(Narrowing, OneOperationInF32RoundsOnce) {
  const DType t = GetParam();
  const auto operands = tuples(t, 2, 20'000);
  LawCase l(operands[0].size());
  const Both a = l.input(t, operands[0]), b = l.input(t, operands[1]);
  const Both x = l.cast(DType::F32, a), y = l.cast(DType::F32, b);
  for (const Op op : {Op::FAdd, Op::FSub, Op::FMul, Op::FDiv})
    l.expectLaw(l.cast(t, l.f(op, DType::F32, {x, y})), l.f(op, t, {a, b}));
  l.expectLaw(l.cast(t, l.f(Op::FMul, DType::F32, {x, l.constant(DType::F32, 1.5)})),
              l.f(Op::FMul, t, {a, l.constant(t, 1.5)}));
  // Two operations round twice, and a constant need not be of the narrow format.
  const Both third = l.constant(DType::F32, 1.0 / 3);
  l.expectApart(l.cast(t, l.f(Op::FMul, DType::F32, {x, third})),
                l.f(Op::FMul, t, {a, l.constant(t, 1.0 / 3)}));
  l.expectApart(l.cast(t, l.f(Op::FMul, DType::F32, {l.f(Op::FMul, DType::F32, {x, y}), y})),
                l.f(Op::FMul, t, {l.f(Op::FMul, t, {a, b}), b}));
}

TEST_P(Narrowing, RootInF32RoundsOnce) {
  const DType t = GetParam();
  const Samples every = all(t);
  LawCase l(every.size());
  const Both a = l.input(t, every);
  l.expectLaw(l.cast(t, l.f(Op::FSqrt, DType::F32, {l.cast(DType::F32, a)})),
              l.f(Op::FSqrt, t, {a}));
}

TEST(NarrowingOfFma, AFusedProductInF32RoundsTwice) {
  const DType t = DType::BF16; // bf16 fma(3, 87, 2^-40) is 0x4383, and 0x4382 by way of f32
  LawCase l(1);
  const Both a = l.input(t, {0x4040}), b = l.input(t, {0x42ae}), c = l.input(t, {0x2b80});
  l.expectApart(
      l.cast(t, l.f(Op::FFma, DType::F32,
                    {l.cast(DType::F32, a), l.cast(DType::F32, b), l.cast(DType::F32, c)})),
      l.f(Op::FFma, t, {a, b, c}));
}

TEST(BitsOfFloats, TheUpperHalfIsABf16) {
  const Samples every = all(DType::BF16);
  LawCase l(every.size());
  const Both a = l.input(DType::BF16, every);
  const Both wide = l.concat(l.constant(16, 0), LawCase::as(DType::Index, a));
  l.expectLaw(LawCase::as(DType::F32, wide), l.cast(DType::F32, a));
}

TEST(FromIntegers, AreNeverNaN) {
  const Samples numbers = {
      0, 1, 0xffffff, 0x7fffffffffffffff, 0x8000000000000000, ~std::uint64_t{0}};
  for (const DType t : {DType::F32, DType::F64}) {
    LawCase l(numbers.size());
    const Both a = l.fromInteger(Op::UToF, t, l.input(DType::U64, numbers)),
               huge = l.constant(t, 3e38), never = l.constant(1, 0);
    const auto isNan = [&](const Both &x) { return l.f(Op::FIsNan, t, {x}); };
    l.expectLaw(isNan(a), never);
    const Both product = l.f(Op::FMul, t, {a, huge});
    l.expectLaw(isNan(product), never);
    l.expectLaw(isNan(l.f(Op::FAdd, t, {product, huge})), never);
    // Which may be infinite: of those a difference is a NaN.
    l.expectItsBits(isNan(l.f(Op::FSub, t, {product, product})));
    l.expectItsBits(isNan(l.f(Op::FMul, t, {product, l.constant(t, 0.0)})));
  }
}

TEST(FromIntegers, TheNumberCountsAndNotItsWidth) {
  const Samples numbers = {0, 1, 2, 0xffffff, 0x1000001, 0x7fffffbf, 0x7fffffc0, 0x7fffffff};
  LawCase l(numbers.size());
  const Both a = l.symbol(32, 0, 0x7fffffff, numbers);
  for (const DType to : {DType::F16, DType::BF16, DType::F32, DType::F64}) {
    const Both once = l.fromInteger(Op::UToF, to, a);
    l.expectLaw(l.fromInteger(Op::SToF, to, a), once);
    l.expectLaw(l.fromInteger(Op::UToF, to, l.extend(Op::ZeroExtend, a, 64)), once);
    l.expectLaw(l.fromInteger(Op::SToF, to, l.extend(Op::SignExtend, a, 64)), once);
  }
  const Samples any = {0, 1, 0x80000000, 0xffffffff, 0x7fffffff};
  LawCase m(any.size());
  const Both b = m.symbol(32, 0, 0xffffffff, any);
  m.expectApart(m.fromInteger(Op::UToF, DType::F32, b), m.fromInteger(Op::SToF, DType::F32, b));
}

} // namespace
} // namespace ordo::verify::test
