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

} // namespace
} // namespace ordo::verify::test
