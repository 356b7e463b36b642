// Every cast there is: from each type to each type, in each rounding, against casts_oracle.h.
#include "dsl/eval/numeric.h"
#include "tests/unit/dsl/eval/casts_oracle.h"

#include <gtest/gtest.h>
#include <string>

namespace ordo::dsl {
namespace {

using namespace casts;

Bits throughKernel(DType from, DType to, const Bits &in, Rounding rounding) {
  const Kernel kernel = kernelFor(Op::Cast, to, from, rounding);
  EXPECT_NE(kernel, nullptr);
  std::vector<std::byte> a(in.size() * elementSize(from)), out(in.size() * elementSize(to));
  for (std::size_t i = 0; i < in.size(); ++i)
    storeBits(from, a.data() + i * elementSize(from), in[i]);
  const void *args[] = {a.data()};
  kernel(out.data(), args, in.size());
  canonicalise(to, out.data(), in.size());
  Bits bits(in.size());
  for (std::size_t i = 0; i < in.size(); ++i)
    bits[i] = loadBits(to, out.data() + i * elementSize(to));
  return bits;
}

std::string titleOf(Rounding rounding) {
  return rounding == Rounding::TowardZero ? "toward zero"
         : rounding == Rounding::Saturate ? "saturating"
                                          : "to nearest even";
}

class CastsFrom : public testing::TestWithParam<DType> {};

TEST_P(CastsFrom, EveryTypeInEveryRounding) {
  const DType from = GetParam();
  const Bits in = operandsOf(from);
  for (const DType to : kTypes)
    for (const Rounding rounding :
         {Rounding::NearestEven, Rounding::TowardZero, Rounding::Saturate}) {
      if (rounding == Rounding::Saturate && bitWidth(to) != 8)
        continue; // only casts to f8 saturate by choice
      const Bits out = throughKernel(from, to, in, rounding);
      for (std::size_t i = 0; i < in.size(); ++i) {
        const std::uint64_t wanted = expected(from, to, in[i], rounding);
        ASSERT_EQ(out[i], wanted) << std::hex << "0x" << in[i] << " of " << name(from) << " to "
                                  << name(to) << " " << titleOf(rounding);
        ASSERT_EQ(canonical(to, castBits(from, to, in[i], rounding)), wanted);
      }
    }
}

INSTANTIATE_TEST_SUITE_P(All, CastsFrom, testing::ValuesIn(kTypes),
                         [](const auto &info) { return std::string(name(info.param)); });

// -- tf32 ------------------------------------------------------------------------------------

/// An f32 in eleven significant bits and f32's range of exponents, by MPFR.
std::uint64_t tf32ByMpfr(std::uint64_t bits) {
  const double v = oracle::valueOf(F32, bits);
  const oracle::Number exact(v);
  mpfr_t out;
  mpfr_init2(out, 11);
  mpfr_set_emin(1 - 127 - 10 + 1);
  mpfr_set_emax(128);
  int ternary = mpfr_set(out, exact.get(), MPFR_RNDN);
  ternary = mpfr_check_range(out, ternary, MPFR_RNDN);
  mpfr_subnormalize(out, ternary, MPFR_RNDN);
  const double rounded = mpfr_get_d(out, MPFR_RNDN);
  mpfr_clear(out);
  mpfr_set_emin(mpfr_get_emin_min());
  mpfr_set_emax(mpfr_get_emax_max());
  return oracle::exactBits(F32, rounded);
}

TEST(Tf32, RoundsToTenBitsOfFraction) {
  Bits in = hardFloats(F32);
  // Every exponent and sign, the fractions around middles of tf32, even and odd.
  for (std::uint64_t high = 0; high < 0x200; ++high)
    for (const std::uint64_t kept : {0x0ull, 0x1ull, 0x2ull, 0x1ffull, 0x3feull, 0x3ffull})
      for (const std::uint64_t low : {0x0ull, 0x1ull, 0xfffull, 0x1000ull, 0x1001ull, 0x1fffull})
        in.push_back(high << 23 | kept << 13 | low);
  const Bits out = throughKernel(F32, F32, in, Rounding::Tf32);
  for (std::size_t i = 0; i < in.size(); ++i) {
    ASSERT_EQ(out[i], tf32ByMpfr(in[i])) << std::hex << in[i];
    ASSERT_EQ(castBits(F32, F32, in[i], Rounding::Tf32), out[i]);
    ASSERT_EQ(castBits(F32, F32, out[i], Rounding::Tf32), out[i]); // once is enough
  }
}

TEST(Tf32, ByHand) {
  const auto tf32 = [](std::uint64_t bits) { return castBits(F32, F32, bits, Rounding::Tf32); };
  EXPECT_EQ(tf32(0x3f801000u), 0x3f800000u); // 1 + 2^-11: halfway, to the even 1
  EXPECT_EQ(tf32(0x3f803000u), 0x3f804000u); // 1 + 3 2^-11: halfway, to the even 1 + 2^-9
  EXPECT_EQ(tf32(0x3f801001u), 0x3f802000u);
  EXPECT_EQ(tf32(0x7f7fffffu), 0x7f800000u); // the largest f32 overflows
  EXPECT_EQ(tf32(0x7f7fefffu), 0x7f7fe000u); // the largest tf32
  EXPECT_EQ(tf32(0x80000001u), 0x80000000u); // a small subnormal
  EXPECT_EQ(tf32(0x00001001u), 0x00002000u); // subnormals have tf32's spacing, 2^-136
  EXPECT_EQ(tf32(0xff812345u), 0x7fc00000u);
}

TEST(Tf32, IsForF32Alone) {
  for (const DType from : kTypes)
    for (const DType to : kTypes)
      EXPECT_EQ(kernelFor(Op::Cast, to, from, Rounding::Tf32) != nullptr, from == F32 && to == F32)
          << name(from) << " to " << name(to);
}

} // namespace
} // namespace ordo::dsl
