// Laws of conditions on one float, and of choices by them, by their names in docs/proof.md. Every
// value of a format of 16 bits is tried, NaNs of both kinds and signs among them.
#include "tests/unit/compiler/verify/term/law_case.h"

namespace ordo::verify::test {
namespace {

using dsl::DType;

class FloatConditions : public ::testing::TestWithParam<DType> {
protected:
  explicit FloatConditions(Samples samples = all(GetParam())) : every(std::move(samples)) {}

  DType t = GetParam();
  unsigned width = static_cast<unsigned>(dsl::bitWidth(t));
  std::uint64_t sign = std::uint64_t{1} << (width - 1);
  std::uint64_t infinity = ((std::uint64_t{1} << dsl::floatFormat(t).exponentBits) - 1)
                           << dsl::floatFormat(t).mantissaBits;
  std::uint64_t least = std::uint64_t{1} << dsl::floatFormat(t).mantissaBits; // that is normal

  Samples every;
  LawCase l{every.size()};
  Both x = l.input(t, every);
  Both raw = LawCase::as(DType::Index, x);

  Both k(std::uint64_t bits) { return l.constant(width, bits); }
  Both number(std::uint64_t bits) { return LawCase::as(t, k(bits)); }
  Both is(Op op, const Both &a, const Both &b) { return l.f(op, t, {a, b}); }
  Both isNan() { return l.f(Op::FIsNan, t, {x}); }
  Both both(const Both &a, const Both &b) { return l.b(Op::And, 1, {a, b}); }
  Both either(const Both &a, const Both &b) { return l.b(Op::Or, 1, {a, b}); }
  Both no(const Both &a) { return l.b(Op::Not, 1, {a}); }
  Both magnitude() { return l.b(Op::And, width, {raw, k(sign - 1)}); }
  Both isOf(const Both &v, std::uint64_t classes) {
    Both c = l.f(Op::GcnClass, t, {v, l.constant(32, classes)});
    if (classes % 4 == 0 || classes % 4 == 3) // of any NaN, or of none
      c.isOfNan.assign(every.size(), false);
    return c;
  }
  /// from <= a < from + count, without a sign and as code asks it.
  Both within(const Both &a, std::uint64_t from, std::uint64_t count) {
    const std::uint64_t mask = sign | (sign - 1);
    return l.b(Op::CmpLtU, width, {l.b(Op::Add, width, {a, k((0 - from) & mask)}), k(count)});
  }
};

INSTANTIATE_TEST_SUITE_P(Formats, FloatConditions,
                         ::testing::Values(DType::F16, DType::BF16, DType::F32, DType::F64),
                         [](const auto &info) { return std::string(dsl::name(info.param)); });

class AnyConditions : public FloatConditions {
protected:
  AnyConditions() : FloatConditions(tuples(GetParam(), 1, 200)[0]) {}
};

INSTANTIATE_TEST_SUITE_P(Formats, AnyConditions,
                         ::testing::Values(DType::F16, DType::BF16, DType::F32, DType::F64),
                         [](const auto &info) { return std::string(dsl::name(info.param)); });

TEST_P(FloatConditions, AreTheSetOfItsBits) {
  const Both zero = number(0), inf = number(infinity), normal = number(least);
  const Both isPositive = is(Op::FCmpLt, zero, x), isFinite = is(Op::FCmpLt, x, inf);
  const Both isTiny = within(raw, 1, least - 1),
             isNormal = within(magnitude(), least, infinity - least);
  const Both hasSign = l.b(Op::CmpLtS, width, {raw, k(0)});
  l.expectLaw(isTiny, both(isPositive, is(Op::FCmpLt, x, normal)));
  l.expectLaw(isNormal, both(is(Op::FCmpLe, normal, l.f(Op::FAbs, t, {x})),
                             is(Op::FCmpLt, l.f(Op::FAbs, t, {x}), inf)));
  l.expectLaw(either(isTiny, both(isNormal, no(hasSign))), both(isPositive, isFinite));
  const Both y = l.input(t, every), z = l.f(Op::FSqrt, t, {y});
  l.expectLaw(l.select(isTiny, y, l.select(isNormal, l.select(hasSign, z, y), z)),
              l.select(both(isPositive, isFinite), y, z));
  l.expectLaw(both(isPositive, no(isPositive)), l.constant(1, 0));
  l.expectLaw(either(isNan(), either(is(Op::FCmpLe, x, zero), isPositive)), l.constant(1, 1));
  l.expectLaw(no(is(Op::FCmpLe, x, zero)), either(isPositive, isNan()));
  l.expectLaw(within(raw, infinity - 1, 1), is(Op::FCmpEq, x, number(infinity - 1)));
  l.expectLaw(is(Op::FCmpLt, l.f(Op::FNeg, t, {x}), number(sign | least)),
              is(Op::FCmpLt, normal, x));
}

TEST_P(FloatConditions, ClassesAreSetsOfItsBits) {
  if (t == DType::BF16)
    return; // AMDGCN has no classes of it
  const Both size = l.f(Op::FAbs, t, {x});
  const Both zero = number(0), inf = number(infinity), normal = number(least);
  const Both isPositive = is(Op::FCmpLt, zero, x), isNegative = is(Op::FCmpLt, x, zero),
             isFinite = is(Op::FCmpLt, size, inf), isTiny = is(Op::FCmpLt, size, normal);
  const std::vector<std::pair<std::uint64_t, Both>> all = {
      {0x180, both(isPositive, isFinite)},
      {0x198, both(isFinite, no(is(Op::FCmpEq, x, zero)))},
      {0x003, isNan()},
      {0x3fc, no(isNan())},
      {0x060, is(Op::FCmpEq, x, zero)},
      {0x39f, no(is(Op::FCmpEq, x, zero))},
      {0x200, is(Op::FCmpEq, x, inf)},
      {0x004, is(Op::FCmpEq, x, number(infinity | sign))},
      {0x204, is(Op::FCmpEq, size, inf)},
      {0x207, no(isFinite)},
      {0x01c, isNegative},
      {0x3e0, is(Op::FCmpLe, zero, x)},
      {0x3e3, no(isNegative)},
      {0x0f0, isTiny},
      {0x080, both(isPositive, isTiny)},
      {0x040, within(raw, 0, 1)},
      {0x000, l.constant(1, 0)},
      {0x3ff, l.constant(1, 1)}};
  for (const auto &[classes, other] : all)
    l.expectLaw(isOf(x, classes), other);
  l.expectApart(isOf(x, 0x3c0), is(Op::FCmpLe, zero, x)); // -0
  l.expectApart(isOf(x, 0x001), isNan());                 // a quiet one
  l.expectApart(isOf(x, 0x3fd), isOf(x, 0x3fc));          // a signalling one
}

TEST_P(FloatConditions, ThatAreNearlyEqualAreNot) {
  const Both zero = number(0), normal = number(least);
  const Both isPositive = is(Op::FCmpLt, zero, x), hasSign = l.b(Op::CmpLtS, width, {raw, k(0)});
  l.expectApart(hasSign, is(Op::FCmpLt, x, zero));                     // -0, and NaNs with a sign
  l.expectApart(no(hasSign), is(Op::FCmpLe, zero, x));                 // likewise
  l.expectApart(no(is(Op::FCmpLt, x, zero)), is(Op::FCmpLe, zero, x)); // a NaN
  l.expectApart(within(raw, 1, least), both(isPositive, is(Op::FCmpLt, x, normal)));
  l.expectApart(within(raw, 0, least),
                both(is(Op::FCmpLe, zero, x), is(Op::FCmpLt, x, normal))); // -0
  l.expectApart(within(magnitude(), least, infinity - least + 1),
                within(magnitude(), least, infinity - least));
  l.expectApart(either(isNan(), isPositive), isPositive);
  // Some NaNs are in it: nothing is said of two of them, which need not be the same NaN.
  const Both someNans = within(raw, infinity, 3);
  l.expectItsBits(both(someNans, no(isNan())));
  l.expectLaw(both(someNans, no(isNan())), is(Op::FCmpEq, x, number(infinity)));
  EXPECT_NE(l.node(both(someNans, isNan())), l.node(l.constant(1, 0)));
}

TEST_P(AnyConditions, OfClassesHaveTheirBits) {
  if (t == DType::BF16)
    return;
  const Both minus = l.f(Op::FNeg, t, {x}), size = l.f(Op::FAbs, t, {x});
  const auto mirrored = [](std::uint64_t classes) {
    std::uint64_t result = classes & 3;
    for (int bit = 2; bit < 10; ++bit)
      result |= (classes >> bit & 1) << (11 - bit);
    return result;
  };
  for (std::uint64_t classes = 0; classes < 1024; classes += 7) {
    l.expectItsBits(isOf(x, classes));
    l.expectItsBits(no(isOf(x, classes)));
    l.expectItsBits(both(isOf(x, classes), isOf(x, 0x1fc)));
    if (classes % 4 == 0 || classes % 4 == 3) {
      l.expectLaw(isOf(minus, classes), isOf(x, mirrored(classes)));
      l.expectLaw(isOf(size, classes), isOf(x, (classes & 0x3c3) | (mirrored(classes) & 0x3c)));
    }
  }
}

TEST_P(AnyConditions, HaveTheirBits) {
  std::mt19937_64 random(5);
  const auto pick = [&](std::uint64_t n) { return random() % n; };
  const Samples corner = corners(t);
  for (int round = 0; round < 40; ++round) {
    std::vector<Both> conditions;
    for (int n = 0; n < 5; ++n) {
      std::uint64_t bits = corner[pick(corner.size())];
      if (dsl::isNanBits(t, bits))
        bits = infinity;
      const Both c = number(bits),
                 v = pick(3) != 0 ? x : l.f(pick(2) != 0 ? Op::FAbs : Op::FNeg, t, {x});
      const Op op = std::array{Op::FCmpEq, Op::FCmpLt, Op::FCmpLe}[pick(3)];
      conditions.push_back(pick(4) == 0 ? within(pick(2) != 0 ? raw : magnitude(),
                                                 pick(infinity / 2), pick(infinity / 2))
                           : pick(5) == 0 ? isNan()
                           : pick(2) != 0 ? is(op, c, v)
                                          : is(op, v, c));
    }
    Both all = conditions[0];
    for (const Both &next : conditions) {
      all = pick(2) != 0 ? both(all, next) : either(all, next);
      all = pick(3) != 0 ? all : no(all);
    }
    // Bits of a NaN are asked: whether the law holds for all others is what is seen.
    l.expectItsBits(all);
  }
}

TEST_P(FloatConditions, SaturateAsAConversionDoes) {
  for (const unsigned to : {32u, 64u}) {
    const std::uint64_t most = ~std::uint64_t{0} >> (64 - to), half = most / 2 + 1;
    for (const Op op : {Op::FToS, Op::FToU}) {
      const Both n = l.toInteger(op, to, x, Round::TowardZero);
      const std::uint64_t low = op == Op::FToS ? half : 0, high = op == Op::FToS ? half - 1 : most;
      // The largest number below 2^31 and its like; infinity where the format has none above.
      const double bound = std::ldexp(1.0, static_cast<int>(to) - (op == Op::FToS ? 1 : 0));
      const std::uint64_t above = l.constant(t, bound).bits[0];
      const std::uint64_t below = op == Op::FToS ? above | sign : sign;
      const auto clamped = [&](std::uint64_t from, std::uint64_t to_, std::uint64_t ofNan) {
        const Both choice =
            l.select(is(Op::FCmpLe, number(from), x), l.constant(to, high),
                     l.select(is(Op::FCmpLe, x, number(to_)), l.constant(to, low), n));
        return l.select(isNan(), l.constant(to, ofNan), choice);
      };
      l.expectLaw(clamped(above, below, 0), n);
      l.expectApart(clamped(above, below, 1), n);
      if (op == Op::FToS)
        l.expectApart(clamped(above, sign | least, 0), n);
    }
    const Both nearest = l.toInteger(Op::FToS, to, x, Round::NearestEven);
    l.expectLaw(l.toInteger(Op::FToS, to, l.roundInt(x, Round::NearestEven), Round::TowardZero),
                nearest);
    l.expectApart(l.toInteger(Op::FToS, to, x, Round::TowardZero), nearest);
  }
}

TEST(UpperHalves, AreRoundedTowardZero) {
  const Samples every = tuples(DType::F32, 1, 20'000)[0];
  LawCase l(every.size());
  const Both x = l.input(DType::F32, every);
  const Both half = LawCase::as(DType::BF16, l.extract(LawCase::as(DType::Index, x), 16, 16));
  const Both nan = LawCase::as(DType::BF16, l.constant(16, 0x7fc0));
  const Both isNan = l.f(Op::FIsNan, DType::F32, {x});
  l.expectLaw(l.select(isNan, nan, half), l.cast(DType::BF16, x, Round::TowardZero));
  l.expectApart(half, l.cast(DType::BF16, x, Round::TowardZero)); // a NaN may become an infinity
  l.expectApart(l.select(isNan, nan, half), l.cast(DType::BF16, x));
}

class Images : public ::testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(Formats, Images, ::testing::Values(DType::F16, DType::BF16));

TEST_P(Images, OfAnExtremumNarrowToIt) {
  const DType t = GetParam();
  const auto pairs = tuples(t, 2, 5000);
  LawCase l(pairs[0].size());
  const Both a = l.input(t, pairs[0]), b = l.input(t, pairs[1]);
  const Both x = l.cast(DType::F32, a), y = l.cast(DType::F32, b);
  for (const Op op : {Op::FMin, Op::FMax, Op::FMinNan, Op::FMaxNan})
    for (const Round rounding : {Round::NearestEven, Round::TowardZero})
      l.expectLaw(l.cast(t, l.f(op, DType::F32, {x, y}), rounding), l.f(op, t, {a, b}));
  const Both third = l.constant(DType::F32, 1.0 / 3);
  l.expectItsBits(l.cast(t, l.f(Op::FMax, DType::F32, {x, third})));
}

} // namespace
} // namespace ordo::verify::test
