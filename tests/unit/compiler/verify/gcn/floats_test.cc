// The vector unit's floats against the host's arithmetic.
#include "tests/unit/compiler/verify/gcn/run.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace ordo::verify::gcn {
namespace {

using U = std::uint32_t;
using L = std::uint64_t;

float f(U bits) { return std::bit_cast<float>(bits); }
U u(float value) { return std::bit_cast<U>(value); }
double d(U low, U high) { return std::bit_cast<double>(L{high} << 32 | low); }
L l(double value) { return std::bit_cast<L>(value); }
_Float16 h(U bits) { return std::bit_cast<_Float16>(static_cast<std::uint16_t>(bits)); }
U hu(_Float16 value) { return std::bit_cast<std::uint16_t>(value); }

enum class Result { F32, F64, Bits };
struct Case {
  const char *body;
  Result result;
  L (*want)(U a, U b, U c, U e);
  bool isFor(const std::string &chip) const {
    const std::string text = body;
    return (!text.starts_with("v_pk_") || chip != "gfx1100" || text.find("f16") != text.npos) &&
           (!text.starts_with("v_dual_") || chip == "gfx1100") &&
           ((!text.starts_with("v_maxmin_") && !text.starts_with("v_minmax_")) ||
            chip == "gfx1100") &&
           (text.find("_sdwa") == text.npos || chip != "gfx1100");
  }
};

bool less(float a, float b) { return a < b || (a == b && std::signbit(a) && !std::signbit(b)); }

/// A signalling NaN makes the result NaN in IEEE mode; a quiet one is dropped.
U extremum(bool isMax, U a, U b) {
  const auto signals = [](U x) { return std::isnan(f(x)) && (x & 0x400000) == 0; };
  if (signals(a) || signals(b) || (std::isnan(f(a)) && std::isnan(f(b))))
    return 0x7fc00000;
  if (std::isnan(f(a)) || std::isnan(f(b)))
    return std::isnan(f(a)) ? b : a;
  return less(f(a), f(b)) == isMax ? b : a;
}
U max32(U a, U b) { return extremum(true, a, b); }
U min32(U a, U b) { return extremum(false, a, b); }

/// The same of halves, which f32 holds with their order and their kinds of NaN.
U asFloat32(U half) {
  const U sign = (half & 0x8000) << 16;
  if ((half & 0x7fff) > 0x7c00)
    return sign | 0x7f800000 | (half & 0x3ff) << 13;
  return sign | u(std::fabs(static_cast<float>(h(half))));
}
U extremum16(bool isMax, U a, U b) {
  const U result = extremum(isMax, asFloat32(a), asFloat32(b));
  if (std::isnan(f(result)))
    return 0x7e00;
  return result == asFloat32(a) ? a & 0xffff : b & 0xffff;
}

constexpr Case kCases[] = {
    {"v_add_f32 v8, v4, v5", Result::F32, [](U a, U b, U, U) -> L { return u(f(a) + f(b)); }},
    {"v_sub_f32 v8, v4, v5", Result::F32, [](U a, U b, U, U) -> L { return u(f(a) - f(b)); }},
    {"v_subrev_f32 v8, v4, v5", Result::F32, [](U a, U b, U, U) -> L { return u(f(b) - f(a)); }},
    {"v_mul_f32 v8, v4, v5", Result::F32, [](U a, U b, U, U) -> L { return u(f(a) * f(b)); }},
    {"v_add_f32 v8, -v4, |v5|", Result::F32,
     [](U a, U b, U, U) -> L { return u(-f(a) + std::fabs(f(b))); }},
    {"v_mul_f32 v8, -4.0, v5", Result::F32, [](U, U b, U, U) -> L { return u(-4.0F * f(b)); }},
    {"v_add_f32 v8, 0.15915494, v5", Result::F32,
     [](U, U b, U, U) -> L { return u(f(0x3e22f983) + f(b)); }},
    {"v_fma_f32 v8, v4, v5, v6", Result::F32,
     [](U a, U b, U c, U) -> L { return u(std::fma(f(a), f(b), f(c))); }},
    {"v_fma_f32 v8, v4, -v5, -|v6|", Result::F32,
     [](U a, U b, U c, U) -> L { return u(std::fma(f(a), -f(b), -std::fabs(f(c)))); }},
    {"v_mov_b32 v8, v6\nv_fmac_f32 v8, v4, v5", Result::F32,
     [](U a, U b, U c, U) -> L { return u(std::fma(f(a), f(b), f(c))); }},
    {"v_max_f32 v8, v4, v5", Result::F32, [](U a, U b, U, U) -> L { return max32(a, b); }},
    {"v_min_f32 v8, v4, v5", Result::F32, [](U a, U b, U, U) -> L { return min32(a, b); }},
    {"v_max3_f32 v8, v4, v5, v6", Result::F32,
     [](U a, U b, U c, U) -> L { return max32(max32(a, b), c); }},
    {"v_min3_f32 v8, v4, v5, -v6", Result::F32,
     [](U a, U b, U c, U) -> L { return min32(min32(a, b), c ^ 0x80000000); }},
    {"v_maxmin_f32 v8, v4, v5, v6", Result::F32,
     [](U a, U b, U c, U) -> L { return min32(max32(a, b), c); }},
    {"v_minmax_f32 v8, v4, |v5|, v6", Result::F32,
     [](U a, U b, U c, U) -> L { return max32(min32(a, b & 0x7fffffff), c); }},
    {"v_maxmin_f16 v8, v4, v5, v6\nv_and_b32 v8, 0xffff, v8", Result::Bits,
     [](U a, U b, U c, U) -> L { return extremum16(false, extremum16(true, a, b), c); }},
    {"v_minmax_f16 v8, v4, v5, v6\nv_and_b32 v8, 0xffff, v8", Result::Bits,
     [](U a, U b, U c, U) -> L { return extremum16(true, extremum16(false, a, b), c); }},
    // Of numbers: with a NaN among them it is one of theirs.
    {"v_max_f32 v4, v4, v4\nv_max_f32 v4, 1.0, v4\nv_max_f32 v5, v5, v5\nv_max_f32 v5, 2.0, v5\n"
     "v_max_f32 v6, v6, v6\nv_max_f32 v6, 0.5, v6\nv_med3_f32 v8, v4, v5, v6",
     Result::F32,
     [](U a, U b, U c, U) -> L {
       const auto atLeast = [](U x, float low) {
         return std::isnan(f(x)) || f(x) < low ? low : f(x);
       };
       const float x = atLeast(a, 1), y = atLeast(b, 2), z = atLeast(c, 0.5F);
       return u(std::max(std::min(x, y), std::min(std::max(x, y), z)));
     }},
    {"v_max_f32 v8, v4, v4\nv_max_f32 v8, 0xc2d00000, v8", Result::F32,
     [](U a, U, U, U) -> L { return std::isnan(f(a)) || f(a) < -104 ? u(-104) : a; }},
    {"v_max_f32 v20, -|v4|, -|v4|\nv_max_f32 v8, 0xc2d00000, v20", Result::F32,
     [](U a, U, U, U) -> L {
       return std::isnan(f(a)) || std::fabs(f(a)) > 104 ? u(-104) : a | 0x80000000;
     }},
    {"v_add_f32 v8, v4, v5 clamp", Result::F32,
     [](U a, U b, U, U) -> L {
       const float sum = f(a) + f(b);
       return sum > 0 ? u(std::min(sum, 1.0F)) : 0; // NaN and -0 become 0
     }},
    {"v_trunc_f32 v8, v4", Result::F32, [](U a, U, U, U) -> L { return u(std::trunc(f(a))); }},
    {"v_floor_f32 v8, v4", Result::F32, [](U a, U, U, U) -> L { return u(std::floor(f(a))); }},
    {"v_ceil_f32 v8, v4", Result::F32, [](U a, U, U, U) -> L { return u(std::ceil(f(a))); }},
    {"v_rndne_f32 v8, v4", Result::F32, [](U a, U, U, U) -> L { return u(std::nearbyint(f(a))); }},
    {"v_mov_b32 v20, 0xffffff9c\nv_ldexp_f32 v8, v4, v20", Result::F32,
     [](U a, U, U, U) -> L { return u(std::ldexp(f(a), -100)); }},
    {"v_add_f64 v[8:9], v[4:5], v[6:7]", Result::F64,
     [](U a, U b, U c, U e) -> L { return l(d(a, b) + d(c, e)); }},
    {"v_mul_f64 v[8:9], v[4:5], -v[6:7]", Result::F64,
     [](U a, U b, U c, U e) -> L { return l(d(a, b) * -d(c, e)); }},
    {"v_fma_f64 v[8:9], v[4:5], v[6:7], 1.0", Result::F64,
     [](U a, U b, U c, U e) -> L { return l(std::fma(d(a, b), d(c, e), 1.0)); }},
    {"v_cvt_f64_f32 v[8:9], v4", Result::F64, [](U a, U, U, U) -> L { return l(f(a)); }},
    {"v_cvt_f32_f64 v8, v[4:5]", Result::F32,
     [](U a, U b, U, U) -> L { return u(static_cast<float>(d(a, b))); }},
    {"v_cvt_f32_i32 v8, v4", Result::F32,
     [](U a, U, U, U) -> L { return u(static_cast<float>(static_cast<std::int32_t>(a))); }},
    {"v_cvt_f32_u32 v8, v4", Result::F32,
     [](U a, U, U, U) -> L { return u(static_cast<float>(a)); }},
    {"v_cvt_f64_i32 v[8:9], v4", Result::F64,
     [](U a, U, U, U) -> L { return l(static_cast<std::int32_t>(a)); }},
    {"v_cvt_i32_f32 v8, v4", Result::Bits,
     [](U a, U, U, U) -> L {
       const double value = std::trunc(static_cast<double>(f(a)));
       return std::isnan(value) ? 0
                                : static_cast<U>(static_cast<std::int32_t>(
                                      std::clamp(value, -2147483648.0, 2147483647.0)));
     }},
    {"v_cvt_u32_f32 v8, v4", Result::Bits,
     [](U a, U, U, U) -> L {
       const double value = std::trunc(static_cast<double>(f(a)));
       return std::isnan(value) ? 0 : static_cast<U>(std::clamp(value, 0.0, 4294967295.0));
     }},
    {"v_cvt_f32_ubyte2 v8, v4", Result::F32,
     [](U a, U, U, U) -> L { return u(static_cast<float>(a >> 16 & 255)); }},
    {"v_cvt_f16_f32 v8, v4\nv_and_b32 v8, 0xffff, v8", Result::Bits,
     [](U a, U, U, U) -> L { return std::isnan(f(a)) ? 0x7e00 : hu(static_cast<_Float16>(f(a))); }},
    {"v_cvt_f32_f16 v8, v4", Result::F32,
     [](U a, U, U, U) -> L { return u(static_cast<float>(h(a))); }},
    {"v_cvt_f32_f16_sdwa v8, v4 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1", Result::F32,
     [](U a, U, U, U) -> L { return u(static_cast<float>(h(a >> 16))); }},
    {"v_pk_fma_f32 v[8:9], v[4:5], v[6:7], v[4:5] op_sel:[1,0,0] op_sel_hi:[0,1,1] "
     "neg_lo:[0,1,0]",
     Result::Bits,
     [](U a, U b, U c, U e) -> L {
       const float low = std::fma(f(b), -f(c), f(a)), high = std::fma(f(a), f(e), f(b));
       const auto bits = [](float x) -> L { return std::isnan(x) ? 0x7fc00000 : u(x); };
       return bits(low) | bits(high) << 32;
     }},
    {"v_pk_mul_f16 v8, v4, v5", Result::Bits,
     [](U a, U b, U, U) -> L {
       const auto bits = [](_Float16 x) -> L {
         return std::isnan(static_cast<float>(x)) ? 0x7e00 : hu(x);
       };
       return bits(h(a) * h(b)) | bits(h(a >> 16) * h(b >> 16)) << 16;
     }},
    {"v_dual_mul_f32 v8, v4, v5 :: v_dual_fmamk_f32 v9, v6, 0x40490fdb, v7", Result::Bits,
     [](U a, U b, U c, U e) -> L {
       const auto bits = [](float x) -> L { return std::isnan(x) ? 0x7fc00000 : u(x); };
       return bits(f(a) * f(b)) | bits(std::fma(f(c), f(0x40490fdb), f(e))) << 32;
     }},
};

std::vector<Words> samples() {
  std::vector<Words> all;
  constexpr U kCorners[] = {0,          0x80000000, 1,          0x807fffff, 0x00800000, 0x3f800000,
                            0xbf800000, 0x4b7fffff, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00001,
                            0x7f800001, 0x4f000000, 0x3effffff, 0x47800000};
  for (const U a : kCorners)
    for (const U b : kCorners)
      all.push_back({a, b, b, a});
  std::mt19937 random(2);
  for (int i = 0; i < 512; ++i)
    all.push_back({static_cast<U>(random()), static_cast<U>(random()), static_cast<U>(random()),
                   static_cast<U>(random())});
  return all;
}

bool same(L got, L want, Result result) {
  if (got == want)
    return true;
  if (result == Result::F32)
    return std::isnan(f(static_cast<U>(got))) && std::isnan(f(static_cast<U>(want)));
  return result == Result::F64 && std::isnan(std::bit_cast<double>(got)) &&
         std::isnan(std::bit_cast<double>(want));
}

TEST(Floats, AsTheHost) {
  const std::vector<Words> words = samples();
  for (const Case &each : kCases)
    for (const std::string chip : kChips) {
      if (!each.isFor(chip))
        continue;
      const auto result = run(chip, each.body, words);
      ASSERT_EQ(result.error, "") << chip << ": " << each.body;
      for (std::size_t i = 0; i < words.size(); ++i) {
        const auto [a, b, c, e] = words[i];
        const L got = result.lanes[i][0] | L{result.lanes[i][1]} << 32;
        ASSERT_TRUE(same(got, each.want(a, b, c, e), each.result))
            << std::hex << chip << ": " << each.body << " of " << a << ", " << b << ", " << c
            << ", " << e << ": " << got << ", expected " << each.want(a, b, c, e);
      }
    }
}

TEST(Floats, EveryRelation) {
  struct Relation {
    const char *name;
    bool (*holds)(float, float);
  };
  constexpr Relation kRelations[] = {
      {"lt", [](float a, float b) { return a < b; }},
      {"le", [](float a, float b) { return a <= b; }},
      {"gt", [](float a, float b) { return a > b; }},
      {"ge", [](float a, float b) { return a >= b; }},
      {"eq", [](float a, float b) { return a == b; }},
      {"lg", [](float a, float b) { return a < b || a > b; }},
      {"o", [](float a, float b) { return !std::isunordered(a, b); }},
      {"u", [](float a, float b) { return std::isunordered(a, b); }},
      {"nlt", [](float a, float b) { return !(a < b); }},
      {"nle", [](float a, float b) { return !(a <= b); }},
      {"ngt", [](float a, float b) { return !(a > b); }},
      {"nge", [](float a, float b) { return !(a >= b); }},
      {"neq", [](float a, float b) { return !(a == b); }},
      {"nlg", [](float a, float b) { return !(a < b || a > b); }},
  };
  const std::vector<Words> words = samples();
  for (const Relation &each : kRelations)
    for (const auto &[chip, vcc] : {std::pair{"gfx942", "vcc"}, {"gfx1100", "vcc_lo"}}) {
      const std::string body = std::string("v_cmp_") + each.name + "_f32 " + vcc +
                               ", v4, v5\nv_cndmask_b32 v8, 0, 1, " + vcc;
      const auto result = run(chip, body, words);
      ASSERT_EQ(result.error, "") << body;
      for (std::size_t i = 0; i < words.size(); ++i)
        ASSERT_EQ(result.lanes[i][0], each.holds(f(words[i][0]), f(words[i][1])))
            << body << std::hex << " of " << words[i][0] << ", " << words[i][1];
    }
}

TEST(Floats, Classes) {
  constexpr U kOf[] = {0x7f800001, 0x7fc00000, 0xff800000, 0xbf800000, 0x80000001,
                       0x80000000, 0x00000000, 0x00000001, 0x3f800000, 0x7f800000};
  for (U bit = 0; bit < 10; ++bit)
    for (U other = 0; other < 10; ++other)
      EXPECT_EQ(v8("gfx942",
                   "v_mov_b32 v20, " + std::to_string(1u << bit) +
                       "\nv_cmp_class_f32 vcc, v4, v20\nv_cndmask_b32 v8, 0, 1, vcc",
                   {kOf[other], 0, 0, 0}),
                bit == other);
}

TEST(Floats, ConstantsOfSixtyFourBits) {
  EXPECT_EQ(v8v9("gfx1100", "v_add_f64 v[8:9], 0x40490000, v[4:5]", {0, 0, 0, 0}),
            0x4049000000000000u);
  EXPECT_EQ(v8v9("gfx942", "v_mul_f64 v[8:9], 0.5, v[4:5]", {0, 0x3ff00000, 0, 0}),
            0x3fe0000000000000u);
}

// gfx9 clears the other half of a register, gfx11 keeps it.
TEST(Floats, HalvesOfRegisters) {
  const Words words = {u(1.5F), 0xabcd1234, 0, 0};
  EXPECT_EQ(v8("gfx942", "v_mov_b32 v8, v5\nv_cvt_f16_f32 v8, v4", words), 0x3e00u);
  EXPECT_EQ(v8("gfx1100", "v_mov_b32 v8, v5\nv_cvt_f16_f32 v8, v4", words), 0xabcd3e00u);
}

TEST(Floats, RefusesWhatIsNotIeee) {
  for (const char *body :
       {"v_mad_f32 v8, v4, v5, v6", "v_mul_legacy_f32 v8, v4, v5", "v_add_f32 v8, v4, v5 mul:2",
        "v_mad_legacy_f32 v8, v4, v5, v6", "v_fract_f32 v8, v4"})
    EXPECT_NE(errorOf("gfx90a", body), "") << body;
  EXPECT_EQ(errorOf("gfx942", "v_exp_f32 v8, v4"),
            "`exp2` is an approximation: its bits are nowhere stated");
}

} // namespace
} // namespace ordo::verify::gcn
