// Each family of PTX's instructions: what it means, and what is refused.
#include "compiler/verify/ptx/read.h"

#include "tests/unit/compiler/verify/ptx/run.h"

#include <bit>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace ordo::verify::test {
namespace {

using ::testing::HasSubstr;

// `op` on 32-bit a and b, the result in 32 bits.
std::uint32_t op32(const std::string &op, std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>(
      result("ld.global.u32 %r1, [%in];\n ld.global.u32 %r2, [%in+8];\n" + op +
                 " %r0, %r1, %r2;\n cvt.u64.u32 %d0, %r0;",
             {a, b}));
}

std::uint64_t op64(const std::string &op, std::uint64_t a, std::uint64_t b) {
  return result(
      "ld.global.u64 %d1, [%in];\n ld.global.u64 %d2, [%in+8];\n" + op + " %d0, %d1, %d2;", {a, b});
}

TEST(PtxInteger, AgreesWithTheHost) {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 40; ++trial) {
    const auto a = static_cast<std::uint32_t>(random() >> random() % 33);
    const auto b = static_cast<std::uint32_t>(random() >> random() % 33) | 1;
    const auto sa = static_cast<std::int32_t>(a), sb = static_cast<std::int32_t>(b);
    EXPECT_EQ(op32("add.s32", a, b), a + b);
    EXPECT_EQ(op32("sub.s32", a, b), a - b);
    EXPECT_EQ(op32("mul.lo.s32", a, b), a * b);
    EXPECT_EQ(op32("mul.hi.u32", a, b), static_cast<std::uint64_t>(a) * b >> 32);
    EXPECT_EQ(op32("mul.hi.s32", a, b),
              static_cast<std::uint32_t>(static_cast<std::int64_t>(sa) * sb >> 32));
    EXPECT_EQ(op32("div.u32", a, b), a / b);
    EXPECT_EQ(op32("rem.u32", a, b), a % b);
    if (sa != INT32_MIN) {
      EXPECT_EQ(op32("div.s32", a, b), static_cast<std::uint32_t>(sa / sb));
      EXPECT_EQ(op32("rem.s32", a, b), static_cast<std::uint32_t>(sa % sb));
    }
    EXPECT_EQ(op32("min.s32", a, b), static_cast<std::uint32_t>(std::min(sa, sb)));
    EXPECT_EQ(op32("max.u32", a, b), std::max(a, b));
    EXPECT_EQ(op32("xor.b32", a, b), a ^ b);
    EXPECT_EQ(op32("shl.b32", a, b % 32), a << b % 32);
    EXPECT_EQ(op32("shr.s32", a, b % 32), static_cast<std::uint32_t>(sa >> b % 32));
    const std::uint64_t x = random(), y = random();
    EXPECT_EQ(op64("mul.hi.u64", x, y),
              static_cast<std::uint64_t>(static_cast<unsigned __int128>(x) * y >> 64));
    EXPECT_EQ(op64("mul.lo.s64", x, y), x * y);
    EXPECT_EQ(op64("min.u64", x, y), std::min(x, y));
  }
}

TEST(PtxInteger, ShiftsByTheWidthOrMore) {
  EXPECT_EQ(op32("shl.b32", 1, 32), 0u);
  EXPECT_EQ(op32("shl.b32", 1, 0xffffffff), 0u);
  EXPECT_EQ(op32("shr.u32", 0x80000000, 40), 0u);
  EXPECT_EQ(op32("shr.s32", 0x80000000, 40), 0xffffffffu);
  EXPECT_EQ(result("ld.global.u64 %d1, [%in];\n mov.u32 %r1, 64;\n shl.b64 %d0, %d1, %r1;", {5}),
            0u);
}

TEST(PtxInteger, WideProductsAndCarries) {
  EXPECT_EQ(result("mov.u32 %r1, 4294967295;\n mul.wide.u32 %d0, %r1, %r1;"), 0xfffffffe00000001u);
  EXPECT_EQ(result("mov.u32 %r1, 4294967295;\n mul.wide.s32 %d0, %r1, 7;"), 0xfffffffffffffff9u);
  EXPECT_EQ(result("mov.u32 %r1, 3;\n mov.u64 %d1, 5;\n mad.wide.u32 %d0, %r1, 7, %d1;"), 26u);
  // 0xffffffff'ffffffff + 1 by halves.
  EXPECT_EQ(result("mov.u32 %r1, 4294967295;\n add.cc.u32 %r2, %r1, 1;\n addc.u32 %r3, %r1, 0;\n"
                   "mov.b64 %d0, {%r2, %r3};"),
            0u);
  EXPECT_EQ(result("mov.u32 %r1, 0;\n sub.cc.u32 %r2, %r1, 1;\n subc.u32 %r3, %r1, 0;\n"
                   "mov.b64 %d0, {%r2, %r3};"),
            ~std::uint64_t{0});
}

TEST(PtxInteger, FieldsFunnelsAndTables) {
  EXPECT_EQ(result("mov.u32 %r1, 0x12345678;\n bfe.u32 %r0, %r1, 8, 12;\n cvt.u64.u32 %d0, %r0;"),
            0x456u);
  EXPECT_EQ(result("mov.u32 %r1, 0xf00;\n bfe.s32 %r0, %r1, 8, 4;\n cvt.u64.u32 %d0, %r0;"),
            0xffffffffu);
  EXPECT_EQ(result("mov.u32 %r1, 0xab;\n mov.u32 %r2, 0x11111111;\n bfi.b32 %r0, %r1, %r2, 8, 8;\n"
                   "cvt.u64.u32 %d0, %r0;"),
            0x1111ab11u);
  EXPECT_EQ(result("mov.u32 %r1, 0x9abcdef0;\n mov.u32 %r2, 0x12345678;\n"
                   "shf.l.wrap.b32 %r0, %r1, %r2, 36;\n cvt.u64.u32 %d0, %r0;"),
            0x23456789u);
  EXPECT_EQ(result("mov.u32 %r1, 0x03020100;\n mov.u32 %r2, 0x87060504;\n"
                   "prmt.b32 %r0, %r1, %r2, 0xf740;\n cvt.u64.u32 %d0, %r0;"),
            0xff870400u);
  // lop3: a & b | c, 0xea.
  EXPECT_EQ(result("mov.u32 %r1, 0xcc;\n mov.u32 %r2, 0xaa;\n mov.u32 %r3, 1;\n"
                   "lop3.b32 %r0, %r1, %r2, %r3, 0xea;\n cvt.u64.u32 %d0, %r0;"),
            0x89u);
  EXPECT_EQ(
      result("mov.u32 %r1, 0xf0;\n popc.b32 %r2, %r1;\n clz.b32 %r3, %r1;\n brev.b32 %r4, %r1;\n"
             "shl.b32 %r2, %r2, 8;\n or.b32 %r2, %r2, %r3;\n xor.b32 %r2, %r2, %r4;\n"
             "cvt.u64.u32 %d0, %r2;"),
      0x0f000418u);
}

std::uint32_t f32(const std::string &lines, float a, float b = 0, float c = 0) {
  return static_cast<std::uint32_t>(result(
      "ld.global.f32 %f1, [%in];\n ld.global.f32 %f2, [%in+8];\n ld.global.f32 %f3, [%in+16];\n" +
          lines + "\n mov.b32 %r0, %f0;\n cvt.u64.u32 %d0, %r0;",
      {std::bit_cast<std::uint32_t>(a), std::bit_cast<std::uint32_t>(b),
       std::bit_cast<std::uint32_t>(c)}));
}
std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

TEST(PtxFloat, RoundsOnceAndKeepsSubnormals) {
  EXPECT_EQ(f32("add.rn.f32 %f0, %f1, %f2;", 0x1p24f, 1.0f), bits(0x1p24f));
  EXPECT_EQ(f32("mul.rn.f32 %f0, %f1, %f2;", 0x1p-100f, 0x1p-49f), bits(0x1p-149f));
  EXPECT_EQ(f32("mul.rn.ftz.f32 %f0, %f1, %f2;", 0x1p-100f, -0x1p-49f), bits(-0.0f));
  EXPECT_EQ(f32("fma.rn.f32 %f0, %f1, %f2, %f3;", 1 + 0x1p-12f, 1 + 0x1p-12f, -1 - 0x1p-11f),
            bits(0x1p-24f));
  EXPECT_EQ(f32("div.rn.f32 %f0, %f1, %f2;", 1, 3), bits(1.0f / 3.0f));
  EXPECT_EQ(f32("rcp.rn.f32 %f0, %f1;", 49), bits(1.0f / 49.0f));
  EXPECT_EQ(f32("sqrt.rn.f32 %f0, %f1;", 2), bits(std::sqrt(2.0f)));
  EXPECT_EQ(f32("add.rn.sat.f32 %f0, %f1, %f2;", 3, 4), bits(1.0f));
  EXPECT_EQ(f32("sub.rn.f32 %f0, %f1, %f2;", INFINITY, INFINITY), 0x7fffffffu);
  EXPECT_EQ(f32("neg.f32 %f0, %f1;", 0), bits(-0.0f));
}

TEST(PtxFloat, MinAndMaxDropNansAndOrderZeros) {
  EXPECT_EQ(f32("max.f32 %f0, %f1, %f2;", NAN, 2), bits(2.0f));
  EXPECT_EQ(f32("max.NaN.f32 %f0, %f1, %f2;", NAN, 2), 0x7fffffffu);
  EXPECT_EQ(f32("max.f32 %f0, %f1, %f2;", -0.0f, 0.0f), bits(0.0f));
  EXPECT_EQ(f32("min.f32 %f0, %f1, %f2;", 0.0f, -0.0f), bits(-0.0f));
}

TEST(PtxFloat, ComparesWithNans) {
  const auto compare = [](const std::string &relation, float a, float b) {
    return f32("setp." + relation +
                   ".f32 %p1, %f1, %f2;\n selp.f32 %f0, 0f3F800000, 0f00000000, %p1;",
               a, b) == bits(1.0f);
  };
  for (const char *ordered : {"eq", "ne", "lt", "le", "gt", "ge", "num"})
    EXPECT_FALSE(compare(ordered, NAN, 1)) << ordered;
  for (const char *unordered : {"equ", "neu", "ltu", "leu", "gtu", "geu", "nan"})
    EXPECT_TRUE(compare(unordered, NAN, 1)) << unordered;
  EXPECT_TRUE(compare("ltu", 1, 2));
  EXPECT_FALSE(compare("ltu", 2, 1));
  EXPECT_TRUE(compare("ge", 2, 2));
  EXPECT_TRUE(compare("neu", 2, 1));
  EXPECT_FALSE(compare("equ", 2, 1));
}

TEST(PtxFloat, Converts) {
  const auto to = [](const std::string &line, float a) {
    return result("ld.global.f32 %f1, [%in];\n" + line, {std::bit_cast<std::uint32_t>(a)});
  };
  EXPECT_EQ(to("cvt.rn.bf16.f32 %h1, %f1;\n cvt.u64.u16 %d0, %h1;", 0x1.01p0f), 0x3f80u);
  EXPECT_EQ(to("cvt.rn.bf16.f32 %h1, %f1;\n cvt.u64.u16 %d0, %h1;", 0x1.03p0f), 0x3f82u);
  EXPECT_EQ(to("cvt.rz.bf16.f32 %h1, %f1;\n cvt.u64.u16 %d0, %h1;", 0x1.03p0f), 0x3f81u);
  EXPECT_EQ(to("cvt.rn.f16.f32 %h1, %f1;\n cvt.u64.u16 %d0, %h1;", 65520.0f), 0x7c00u);
  EXPECT_EQ(to("cvt.rn.f16.f32 %h1, %f1;\n cvt.u64.u16 %d0, %h1;", 0x1p-25f), 0u);
  EXPECT_EQ(to("cvt.rn.f16.f32 %h1, %f1;\n cvt.u64.u16 %d0, %h1;", 0x1.8p-25f), 1u);
  EXPECT_EQ(
      to("mov.f32 %f2, 0f40000000;\n cvt.rn.bf16x2.f32 %r1, %f1, %f2;\n cvt.u64.u32 %d0, %r1;",
         1.0f),
      0x3f804000u);
  EXPECT_EQ(to("cvt.rzi.s32.f32 %r1, %f1;\n cvt.s64.s32 %d0, %r1;", -2.9f),
            static_cast<std::uint64_t>(-2));
  EXPECT_EQ(to("cvt.rni.s32.f32 %r1, %f1;\n cvt.s64.s32 %d0, %r1;", 2.5f), 2u);
  EXPECT_EQ(to("cvt.rzi.u32.f32 %r1, %f1;\n cvt.u64.u32 %d0, %r1;", 1e20f), 0xffffffffu);
  EXPECT_EQ(to("cvt.rzi.s32.f32 %r1, %f1;\n cvt.u64.u32 %d0, %r1;", NAN), 0u);
  EXPECT_EQ(to("cvt.f64.f32 %g1, %f1;\n mov.b64 %d0, %g1;", 0.5f), 0x3fe0000000000000u);
  EXPECT_EQ(result("mov.u32 %r1, 16777217;\n cvt.rn.f32.u32 %f1, %r1;\n mov.b32 %r2, %f1;\n "
                   "cvt.u64.u32 %d0, %r2;"),
            bits(16777216.0f));
  EXPECT_EQ(result("mov.u32 %r1, 0x1f0;\n cvt.u8.u32 %r2, %r1;\n cvt.u64.u32 %d0, %r2;"), 0xf0u);
  EXPECT_EQ(result("mov.u16 %h1, 65535;\n cvt.s32.s16 %r1, %h1;\n cvt.u64.u32 %d0, %r1;"),
            0xffffffffu);
}

// bf16 fma(3, 87, 2^-40) is 0x4383, and 0x4382 by way of f32.
TEST(PtxFloat, FusesHalvesExactly) {
  EXPECT_EQ(result("mov.b16 %h1, 0x4040;\n mov.b16 %h2, 0x42ae;\n mov.b16 %h3, 0x2b80;\n"
                   "fma.rn.bf16 %h0, %h1, %h2, %h3;\n cvt.u64.u16 %d0, %h0;"),
            0x4383u);
  EXPECT_EQ(
      result("mov.b32 %r1, 0x40003c00;\n mov.b32 %r2, 0x42003c00;\n add.rn.f16x2 %r0, %r1, %r2;\n"
             "cvt.u64.u32 %d0, %r0;"),
      0x45004000u);
}

TEST(PtxFloat, SetCombinesPredicates) {
  EXPECT_EQ(
      result("mov.u32 %r1, 5;\n setp.eq.u32 %p1, %r1, 5;\n setp.lt.and.u32 %p2|%p3, %r1, 9, %p1;\n"
             "selp.u32 %r2, 2, 0, %p2;\n selp.u32 %r3, 1, 0, %p3;\n add.u32 %r2, %r2, %r3;\n"
             "cvt.u64.u32 %d0, %r2;"),
      2u);
}

TEST(PtxMove, PacksAndUnpacks) {
  EXPECT_EQ(
      result("mov.b32 %r1, 0x12345678;\n mov.b32 {%h1, %h2}, %r1;\n mov.b32 %r2, {%h2, %h1};\n"
             "cvt.u64.u32 %d0, %r2;"),
      0x56781234u);
}

TEST(PtxMemory, VectorsAndNarrowElements) {
  EXPECT_EQ(
      result(
          "ld.global.nc.v2.u32 {%r1, %r2}, [%in];\n sub.u32 %r1, %r2, %r1;\n cvt.u64.u32 %d0, %r1;",
          {0x0000000900000002u}),
      7u);
  EXPECT_EQ(result("ld.global.s8 %r1, [%in+1];\n cvt.s64.s32 %d0, %r1;", {0xff00u}),
            ~std::uint64_t{0});
  EXPECT_EQ(result("ld.global.L1::no_allocate.L2::128B.u16 %h1, [%in+2];\n cvt.u64.u16 %d0, %h1;",
                   {0xabcd0000u}),
            0xabcdu);
}

// Each is refused with what it is; nothing is read and ignored.
TEST(PtxRefused, NamesTheOpcode) {
  const auto error = [](const std::string &body) { return run(body, {1}).error; };
  EXPECT_THAT(error("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 %f0, %f1, %f2, %f3;"),
              HasSubstr("`mma.sync"));
  EXPECT_THAT(error("call foo;"), HasSubstr("`call`: functions"));
  EXPECT_THAT(error("add.rn.f99 %f0, %f1, %f2;"), HasSubstr("f99"));
  EXPECT_THAT(error("add.rn.f32 %f0, %f1;"), HasSubstr("2 operands"));
  EXPECT_THAT(error("mov.u32 %r0, %clock;"), HasSubstr("%clock"));
  EXPECT_THAT(error("ld.local.u32 %r0, [%in];"), HasSubstr(".local"));
  EXPECT_THAT(error("bra nowhere;"), HasSubstr("nowhere"));
  EXPECT_THAT(error("add.s32 %r0, %r1, %d1;"), HasSubstr("`"));
  EXPECT_THAT(error("cvt.rn.relu.f16.f32 %h0, %f1;"), HasSubstr(".relu"));
  EXPECT_THAT(error("max.xorsign.abs.f32 %f0, %f1, %f2;"), HasSubstr("xorsign"));
  EXPECT_THAT(error("shfl.bfly.b32 %r0, %r1, 1, 31;"), HasSubstr("without .sync"));
}

TEST(PtxRefused, TextThatIsNotPtx) {
  ptx::ReadFailure failure;
  EXPECT_FALSE(ptx::read("", "", failure));
  EXPECT_FALSE(ptx::read("int main() {}", "", failure));
  EXPECT_FALSE(
      ptx::read(".version 8.0\n.target sm_90\n.address_size 64\n.entry k() {", "", failure));
  EXPECT_FALSE(
      ptx::read(".version 8.0\n.target sm_90\n.address_size 64\n.entry k() { add.s32 %r0 %r1; }",
                "", failure));
  EXPECT_EQ(failure.line, 4u);
  EXPECT_FALSE(
      ptx::read(".version 8.0\n.target sm_90\n.address_size 64\n.entry k() { /* ", "", failure));
  EXPECT_FALSE(ptx::read(".version 8.0\n.target sm_90\n.address_size 64\n.entry k() { ret; }",
                         "other", failure));
  EXPECT_THAT(failure.message, HasSubstr("other"));
}

} // namespace
} // namespace ordo::verify::test
