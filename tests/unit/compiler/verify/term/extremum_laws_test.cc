// Laws of maxima and minima that code makes of comparisons with a constant, by their names in
// docs/proof.md.
#include "tests/unit/compiler/verify/term/law_case.h"

#include <cmath>

namespace ordo::verify::test {
namespace {

using dsl::DType;

class ExtremumLaws : public ::testing::TestWithParam<DType> {
protected:
  DType t = GetParam();
  unsigned width = static_cast<unsigned>(dsl::bitWidth(t));
  std::uint64_t sign = std::uint64_t{1} << (width - 1);
};

INSTANTIATE_TEST_SUITE_P(Formats, ExtremumLaws,
                         ::testing::Values(DType::F16, DType::BF16, DType::F32, DType::F64),
                         [](const auto &info) { return std::string(dsl::name(info.param)); });

TEST_P(ExtremumLaws, EqualToAConstantIsItsBits) {
  const Samples every = all(t);
  LawCase l(every.size());
  const Both v = l.input(t, every);
  for (const double c : {1.5, -2.0}) {
    const Both constant = l.constant(t, c), isEqual = l.f(Op::FCmpEq, t, {v, constant});
    for (const Op op : {Op::And, Op::Or})
      l.expectLaw(l.select(isEqual, LawCase::as(t, l.b(op, width, {v, constant})), v), v);
  }
  for (const double c : {1.5, -104.0}) {
    const Both constant = l.constant(t, c), isEqual = l.f(Op::FCmpEq, t, {v, constant});
    const Both both = LawCase::as(t, l.b(Op::And, width, {v, constant}));
    const Both most = l.f(Op::FMax, t, {v, constant}), isNan = l.f(Op::FIsNan, t, {v});
    l.expectLaw(l.select(isEqual, both, most), most);
    const Both minus = l.f(Op::FNeg, t, {v}), opposite = l.constant(t, -c);
    const Both bits = LawCase::as(t, l.b(Op::And, width, {minus, opposite}));
    const Both extreme = l.f(Op::FMax, t, {minus, opposite});
    l.expectLaw(l.select(l.f(Op::FCmpEq, t, {minus, opposite}), bits, extreme), extreme);
    l.expectLaw(l.select(isNan, v, most), l.f(Op::FMaxNan, t, {v, constant}));
    l.expectLaw(l.select(isNan, v, l.f(Op::FMin, t, {v, constant})),
                l.f(Op::FMinNan, t, {v, constant}));
  }
  // Zeros are equal with other bits: & is their maximum, | their minimum.
  for (const Op op : {Op::FMax, Op::FMaxNan, Op::FMin, Op::FMinNan}) {
    const bool isMax = op == Op::FMax || op == Op::FMaxNan;
    const Both zero = l.constant(t, 0.0), extremum = l.f(op, t, {v, zero});
    const auto bits = [&](bool isAnd) {
      return LawCase::as(t, l.b(isAnd ? Op::And : Op::Or, width, {v, zero}));
    };
    const Both isZero = l.f(Op::FCmpEq, t, {v, zero});
    l.expectLaw(l.select(isZero, bits(isMax), extremum), extremum);
    l.expectApart(l.select(isZero, bits(!isMax), extremum), extremum);
  }
  const Both zero = l.constant(t, 0.0); // -0 is equal to it, and is not it
  l.expectApart(
      l.select(l.f(Op::FCmpEq, t, {v, zero}), LawCase::as(t, l.b(Op::And, width, {v, zero})), v),
      v);
}

// An extremum with another value is none with the constant that was asked for.
TEST_P(ExtremumLaws, EqualToAConstantIsNoExtremumOfOthers) {
  const std::vector<Samples> pairs = tuples(t, 2, 1000);
  LawCase l(pairs[0].size());
  const Both v = l.input(t, pairs[0]), w = l.input(t, pairs[1]), c = l.constant(t, 1.5);
  for (const Op op : {Op::FMax, Op::FMin, Op::FMaxNan, Op::FMinNan})
    for (const Both &of : {v, w}) {
      const Both extremum = l.f(op, t, {v, w}), isEqual = l.f(Op::FCmpEq, t, {of, c});
      const Both bits = LawCase::as(t, l.b(Op::And, width, {of, c}));
      l.expectApart(l.select(isEqual, bits, extremum), extremum);
    }
}

// Which choices are one is found by trying; the terms must say the same.
TEST_P(ExtremumLaws, AChoiceOfAConstantBeyondItIsAnExtremum) {
  int laws = 0;
  for (const double bound : {1.5, -104.0, 0.0, -0.0, HUGE_VAL, -HUGE_VAL}) {
    Samples samples = tuples(t, 1, 20)[0];
    const std::uint64_t at =
        dsl::castBits(DType::F64, t, std::bit_cast<std::uint64_t>(std::fabs(bound)));
    for (const std::uint64_t bits : {at, at + 1, at == 0 ? at : at - 1})
      samples.insert(samples.end(), {bits, bits | sign});
    LawCase l(samples.size());
    const Both x = l.input(t, samples), size = l.f(Op::FAbs, t, {x}), c = l.constant(t, bound);
    const auto isSame = [&](const Both &a, const Both &b) {
      return std::ranges::equal(a.bits, b.bits, [&](std::uint64_t p, std::uint64_t q) {
        return dsl::canonical(t, p) == dsl::canonical(t, q);
      });
    };
    const auto tried = [&](const Both &choice, const Both &extremum) {
      if (!isSame(choice, extremum))
        return l.expectApart(choice, extremum);
      l.expectLaw(choice, extremum);
      ++laws;
    };
    for (const Both &v : {x, l.f(Op::FNeg, t, {x}), size, l.f(Op::FNeg, t, {size})})
      for (const Op op : {Op::FCmpLt, Op::FCmpLe})
        for (const Both &condition : {l.f(op, t, {v, c}), l.f(op, t, {c, v})})
          for (const Both &choice : {l.select(condition, c, v), l.select(condition, v, c)}) {
            l.expectItsBits(choice);
            if (isSame(choice, v) || isSame(choice, c)) // of |x|, or against an infinity
              continue;
            for (const Op extremum : {Op::FMin, Op::FMax, Op::FMinNan, Op::FMaxNan})
              tried(choice, l.f(extremum, t, {v, c}));
          }
  }
  EXPECT_GT(laws, 40);
}

// As LLVM writes max(-|x|, -104) that keeps a NaN.
TEST_P(ExtremumLaws, AnExtremumOfAMagnitudeByComparisons) {
  const Samples every = all(t);
  LawCase l(every.size());
  const Both x = l.input(t, every), size = l.f(Op::FAbs, t, {x}), minus = l.f(Op::FNeg, t, {size}),
             isNan = l.f(Op::FIsNan, t, {x});
  for (const double c : {104.0, 0.5}) {
    const Both high = l.constant(t, c), low = l.constant(t, -c);
    const Both bits = LawCase::as(t, l.b(Op::And, width, {minus, low}));
    const Both numbers = l.select(l.f(Op::FCmpEq, t, {size, high}), bits,
                                  l.select(l.f(Op::FCmpLt, t, {size, high}), minus, low));
    l.expectLaw(numbers, l.f(Op::FMax, t, {minus, low}));
    l.expectLaw(l.select(isNan, minus, numbers), l.f(Op::FMaxNan, t, {minus, low}));
  }
}

} // namespace
} // namespace ordo::verify::test
