// The trees are what the instructions compute, bit for bit, whatever the approximations give; and
// rounding to bf16 is rounding to nearest even.
#include "compiler/verify/gcn/expansion.h"
#include "compiler/verify/machine/concrete.h"
#include "dsl/eval/numeric.h"
#include "tests/unit/compiler/verify/gcn/run.h"

#include <gtest/gtest.h>
#include <random>

namespace ordo::verify::gcn {
namespace {

using U = std::uint32_t;
using L = std::uint64_t;

class Trees {
public:
  explicit Trees(Approximation within)
      : domain_(memory_, {}, {}, NanStyle::Quiet, within), in32_(domain_),
        in64_(domain_, dsl::DType::F64) {}

  U quotient(U a, U b) {
    return static_cast<U>(fixed(dsl::DType::F32, in32_.quotient(value(a), value(b)), a, b));
  }
  L quotient64(L a, L b) {
    return fixed(dsl::DType::F64, in64_.quotient(value(a), value(b)), a, b);
  }
  U root(U a) { return static_cast<U>(in32_.root(value(a)).bits); }
  L root64(L a) { return in64_.root(value(a)).bits; }
  U bf16(U a) { return static_cast<U>(in32_.roundedToBf16(value(a)).bits); }

private:
  static ConcreteValue value(L bits) { return {bits, false}; }
  L fixed(dsl::DType format, const ConcreteValue &quotient, L a, L b) {
    Instruction fixup;
    fixup.op = Op::GcnDivFixup;
    fixup.format = format;
    fixup.src.resize(3);
    fixup.dst.resize(1);
    const ConcreteValue src[] = {quotient, value(b), value(a)};
    ConcreteValue result;
    domain_.apply(fixup, src, &result);
    return result.bits;
  }

  Memory memory_;
  ConcreteDomain domain_;
  Expansion<ConcreteDomain> in32_, in64_;
};

std::vector<Words> samples() {
  std::vector<Words> all;
  constexpr U kCorners[] = {0,          0x80000000, 1,          0x007fffff, 0x00800000, 0x3f800000,
                            0xbf800000, 0x3fffffff, 0x7f7fffff, 0x7f800000, 0x7fc00001, 0x0f7fffff,
                            0x0f800000, 0x7e800000, 0x7f000000, 0x0c000000};
  for (const U a : kCorners)
    for (const U b : kCorners)
      all.push_back({a, b, 0, 0});
  std::mt19937 random(5);
  for (int i = 0; i < 4096; ++i)
    all.push_back({static_cast<U>(random()), static_cast<U>(random()), 0, 0});
  return all;
}

class Expansions : public ::testing::TestWithParam<Approximation> {};

TEST_P(Expansions, AreWhatTheInstructionsCompute) {
  const std::vector<Words> words = samples();
  const auto quotients = run("gfx942", kDivide32, words, GetParam());
  const auto roots = run("gfx942", kRoot32, words, GetParam());
  ASSERT_EQ(quotients.error + roots.error, "");
  Trees trees(GetParam());
  for (std::size_t i = 0; i < words.size(); ++i) {
    ASSERT_EQ(trees.quotient(words[i][0], words[i][1]), quotients.lanes[i][0])
        << std::hex << words[i][0] << " / " << words[i][1];
    ASSERT_EQ(trees.root(words[i][0]), roots.lanes[i][0]) << std::hex << words[i][0];
  }
}

// The words are two numbers of 64 bits here.
TEST_P(Expansions, OfF64AreWhatTheInstructionsCompute) {
  std::vector<Words> words = samples();
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = {words[i][0], words[i][1], words[words.size() - 1 - i][0],
                words[words.size() - 1 - i][1]};
  const auto quotients = run("gfx942", kDivide64, words, GetParam());
  const auto roots = run("gfx942", kRoot64, words, GetParam());
  ASSERT_EQ(quotients.error + roots.error, "");
  const auto whole = [](U low, U high) { return low | L{high} << 32; };
  Trees trees(GetParam());
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto &[a, b, c, d] = words[i];
    ASSERT_EQ(trees.quotient64(whole(a, b), whole(c, d)),
              whole(quotients.lanes[i][0], quotients.lanes[i][1]))
        << std::hex << whole(a, b) << " / " << whole(c, d);
    ASSERT_EQ(trees.root64(whole(a, b)), whole(roots.lanes[i][0], roots.lanes[i][1]))
        << std::hex << whole(a, b);
  }
}

INSTANTIATE_TEST_SUITE_P(Within, Expansions,
                         ::testing::Values(Approximation::Nearest, Approximation::Below,
                                           Approximation::Above, Approximation::Mixed));

U roundedToBf16(U bits) {
  return static_cast<U>(dsl::castBits(dsl::DType::F32, dsl::DType::BF16, bits));
}

// The low half counts only by whether it is zero (for a NaN), below, at or above the middle: these
// stand for all of it.
TEST(Bf16, RoundsEveryHighHalf) {
  Trees trees(Approximation::Nearest);
  for (U high = 0; high < 0x10000; ++high)
    for (const U low : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu})
      ASSERT_EQ(trees.bf16(high << 16 | low), roundedToBf16(high << 16 | low))
          << std::hex << (high << 16 | low);
}

// What LLVM 19 emits, in registers.
TEST(Bf16, IsWhatTheInstructionsCompute) {
  const std::vector<Words> words = samples();
  const auto rounded = run("gfx942",
                           "s_movk_i32 s20, 0x7fff\nv_bfe_u32 v20, v4, 16, 1\n"
                           "v_add3_u32 v20, v4, v20, s20\nv_lshrrev_b32 v20, 16, v20\n"
                           "v_mov_b32 v21, 0x7fc0\nv_cmp_o_f32 vcc, v4, v4\n"
                           "v_cndmask_b32 v8, v21, v20, vcc",
                           words);
  ASSERT_EQ(rounded.error, "");
  for (std::size_t i = 0; i < words.size(); ++i)
    ASSERT_EQ(rounded.lanes[i][0], roundedToBf16(words[i][0])) << std::hex << words[i][0];
}

} // namespace
} // namespace ordo::verify::gcn
