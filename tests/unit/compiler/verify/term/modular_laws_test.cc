// Laws of numbers modulo a power of two, by their names in docs/proof.md: products, and numbers
// that stand in a few bits.
#include "tests/unit/compiler/verify/term/integer_case.h"

namespace ordo::verify::test {
namespace {

class ModularLaws : public IntegerCase {};

TEST_F(ModularLaws, AProductOfTwoInHalves) {
  // Rows and their length, both beyond 32 bits, whose product has a bound.
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 34, kMost = std::uint64_t{1} << 54;
  Samples rows = between(0, kLargest), lengths = between(1, kLargest);
  for (std::size_t k = 0; k < kSamples; ++k)
    rows[k] = std::min(rows[k], kMost / lengths[k]);
  const Both block = l.symbol(64, 0, kLargest, rows), s = l.symbol(64, 0, kLargest, lengths);
  const auto form = [&](const Both &x) { return l.terms.modular(x.term, 64); };
  l.terms.limitProduct(form(block), form(s), Wide{kMost});
  const auto wide = [&](const Both &x) { return l.extend(Op::ZeroExtend, x, 64); };
  const Both row = l.b(Op::Add, 64, {l.b(Op::Mul, 64, {block, k64(128)}), k64(77)});
  for (const Both &a : {block, row}) {
    const Both lower = l.b(Op::Mul, 64, {wide(low(a)), wide(low(s))});
    const Both left = l.b(Op::Mul, 32, {low(a), high(s)}),
               right = l.b(Op::Mul, 32, {high(a), low(s)});
    const Both upper = l.b(Op::Add, 32, {high(lower), left}), whole = l.b(Op::Mul, 64, {a, s});
    l.expectLaw(l.concat(low(lower), l.b(Op::Add, 32, {upper, right})), whole);
    l.expectApart(l.concat(low(lower), upper), whole);
    l.expectItsBits(lower);
  }
}

TEST_F(ModularLaws, ProductsModuloAPowerOfTwoDistribute) {
  const Both a = number(64, 0, 1 << 20), b = number(64, 0, 1 << 20);
  const Both any = number(64, 0, ~std::uint64_t{0});
  const Both less = l.b(Op::Sub, 64, {a, k64(5)}), more = l.b(Op::Add, 64, {b, k64(3)});
  const Both opened =
      l.b(Op::Sub, 64,
          {l.b(Op::Add, 64, {l.b(Op::Mul, 64, {a, b}), l.b(Op::Mul, 64, {a, k64(3)})}),
           l.b(Op::Mul, 64, {more, k64(5)})});
  l.expectLaw(l.b(Op::Mul, 64, {less, more}), opened);
  l.expectLaw(l.b(Op::Mul, 32, {low(less), low(more)}), low(opened));
  l.expectApart(l.extend(Op::ZeroExtend, l.b(Op::Mul, 32, {low(less), low(more)}), 64), opened);
  const Both large = l.b(Op::Mul, 64, {a, k64(std::uint64_t{1} << 63)});
  for (const Both &x : {less, large, any})
    for (const Both &y : {more, large, any}) {
      l.expectItsBits(l.b(Op::Mul, 64, {x, y}));
      l.expectItsBits(l.b(Op::Mul, 32, {low(x), high(y)}));
    }
}

TEST_F(ModularLaws, ANumberOfAFewBitsIsExactWithLargeFactors) {
  const Both s = number(32, 0, 1), t = number(32, 0, 2), q = number(32, 0, 1);
  const auto byte = [&](const Both &x) { return l.extend(Op::ZeroExtend, l.extract(x, 0, 8), 32); };
  const auto times = [&](const Both &x, std::uint64_t k) { return l.b(Op::Mul, 32, {x, k32(k)}); };
  const auto plus = [&](const Both &x, std::uint64_t k) { return l.b(Op::Add, 32, {x, k32(k)}); };
  l.expectLaw(byte(times(s, 128)), times(s, 128));
  l.expectLaw(byte(plus(times(s, 192), 3)), plus(times(s, 192), 3));
  l.expectLaw(byte(plus(times(s, 192), 200)), l.b(Op::Sub, 32, {k32(200), times(s, 64)}));
  const Both rest = l.b(Op::Sub, 32, {plus(times(s, 128), 60), times(q, 50)});
  l.expectLaw(byte(rest), rest);
  for (const Both &wraps : {times(t, 128), plus(times(s, 128), 128), plus(times(s, 192), 64)})
    l.expectApart(byte(wraps), wraps);
  for (const std::uint64_t factor : {64ull, 100ull, 128ull, 170ull, 192ull, 255ull})
    for (const std::uint64_t constant : {0ull, 1ull, 64ull, 127ull, 128ull, 192ull, 255ull})
      for (const Both &x : {s, t})
        l.expectItsBits(byte(plus(times(x, factor), constant)));
}

} // namespace
} // namespace ordo::verify::test
