// Steps of every rule, in every regime, against exact numbers.
#include "dsl/eval/atom/atom.h"
#include "tests/unit/dsl/eval/atom/exact.h"
#include "tests/unit/dsl/eval/atom/operands.h"

#include <gtest/gtest.h>

#include <functional>

namespace ordo::dsl {
namespace {

using Bits = std::vector<std::uint64_t>;

struct Case {
  const char *rule;
  int version, products;
  std::function<std::uint64_t(const Bits &, const Bits &, std::uint64_t)> oracle;
};

// The constants of the reference, written out once more.
Case truncated(const char *name, const exact::Format &format, int products, int fraction, int floor,
               int resultBits = 23) {
  return {name, 1, products, [=](const Bits &a, const Bits &b, std::uint64_t c) {
            return exact::truncatedStep(format, fraction, resultBits, floor, a, b,
                                        static_cast<std::uint32_t>(c));
          }};
}
Case twoStage(const char *name, const exact::Format &format, int version) {
  return {name, version, 8, [=](const Bits &a, const Bits &b, std::uint64_t c) {
            return exact::twoStageStep(format, version, a, b, static_cast<std::uint32_t>(c));
          }};
}
Case flushed(const char *name, const exact::Format &format, int products) {
  return {name, 1, products, [=](Bits a, Bits b, std::uint64_t c) {
            a.resize(static_cast<std::size_t>(products));
            b.resize(static_cast<std::size_t>(products));
            return exact::flushedStep(format, a, b, static_cast<std::uint32_t>(c));
          }};
}
Case fma(const char *name, const exact::Format &format) {
  return {name, 1, 1, [=](Bits a, Bits b, std::uint64_t c) {
            a.resize(1);
            b.resize(1);
            return exact::fmaStep(format, a[0], b[0], c);
          }};
}

const std::vector<Case> &cases() {
  using namespace exact;
  constexpr int kNone = -100000;
  static const std::vector<Case> kCases{
      truncated("nv.volta.f16", kF16, 4, 23, -131),
      truncated("nv.turing.f16", kF16, 8, 24, -132),
      truncated("nv.ampere.bf16", kBf16, 8, 24, -132),
      truncated("nv.ampere.f16", kF16, 8, 24, -132),
      truncated("nv.ampere.tf32", kTf32, 4, 24, -132),
      fma("nv.ampere.f64", kF64),
      truncated("nv.ada.bf16", kBf16, 8, 24, -132),
      truncated("nv.ada.f16", kF16, 8, 24, -132),
      truncated("nv.ada.tf32", kTf32, 4, 24, -132),
      truncated("nv.ada.f8e4m3fn", kE4m3, 16, 13, kNone, 13),
      truncated("nv.ada.f8e5m2", kE5m2, 16, 13, kNone, 13),
      truncated("nv.hopper.bf16", kBf16, 16, 25, -133),
      truncated("nv.hopper.f16", kF16, 16, 25, -133),
      truncated("nv.hopper.tf32", kTf32, 8, 25, -133),
      fma("nv.hopper.f64", kF64),
      truncated("nv.hopper.f8e4m3fn", kE4m3, 32, 13, kNone, 13),
      truncated("nv.hopper.f8e5m2", kE5m2, 32, 13, kNone, 13),
      truncated("nv.blackwell.bf16", kBf16, 16, 25, -133),
      truncated("nv.blackwell.f16", kF16, 16, 25, -133),
      truncated("nv.blackwell.tf32", kTf32, 8, 25, -133),
      fma("nv.blackwell.f64", kF64),
      flushed("amd.cdna2.bf16", kBf16, 2),
      flushed("amd.cdna2.bf16_1k", kBf16, 4),
      flushed("amd.cdna2.f16", kF16, 4),
      fma("amd.cdna2.f32", kF32),
      fma("amd.cdna2.f64", kF64),
      twoStage("amd.cdna3.bf16", kBf16, 1),
      twoStage("amd.cdna3.bf16", kBf16, 2),
      twoStage("amd.cdna3.f16", kF16, 1),
      twoStage("amd.cdna3.f16", kF16, 2),
      fma("amd.cdna3.f32", kF32),
      fma("amd.cdna3.f64", kF64),
  };
  return kCases;
}

class EveryRule : public testing::TestWithParam<Case> {};

TEST_P(EveryRule, StepIsExact) {
  const Case &test = GetParam();
  const AtomRule *rule = findAtom(test.rule, test.version);
  ASSERT_NE(rule, nullptr);
  ASSERT_EQ(rule->products, test.products);
  Operands random(7);
  for (const Regime regime : kRegimes) {
    int different = 0;
    for (int i = 0; i < 1500; ++i) {
      // A full step mostly, or a short one.
      const int length = random.below(4) ? test.products : random.below(test.products + 1);
      Bits a, b;
      for (int k = 0; k < length; ++k) {
        a.push_back(random.next(rule->operand, regime));
        b.push_back(random.next(rule->operand, regime));
      }
      const bool zero = rule->startsFromZero || random.below(4) == 0;
      const std::uint64_t c = zero ? 0 : random.next(rule->accumulator, regime);
      const auto got = step(*rule, a, b, c);
      ASSERT_TRUE(got);
      if (a.empty())
        a = b = {0};
      different += *got != test.oracle(a, b, c);
    }
    EXPECT_EQ(different, 0) << "of 1500, " << kRegimeNames[static_cast<int>(regime)];
  }
}

INSTANTIATE_TEST_SUITE_P(, EveryRule, testing::ValuesIn(cases()), [](const auto &info) {
  std::string name = info.param.rule;
  std::replace(name.begin(), name.end(), '.', '_');
  return name + "_v" + std::to_string(info.param.version);
});

TEST(Rules, EveryModelledRuleIsTested) {
  std::size_t modelled = 0;
  for (const AtomRule &rule : atoms())
    modelled += rule.arithmetic != AtomArithmetic::Unmodelled;
  EXPECT_EQ(modelled, cases().size());
}

// In a chain c runs through every state a step can leave.
TEST(Rules, ChainIsStepAfterStep) {
  Operands random(8);
  for (const Case &test : cases()) {
    const AtomRule &rule = *findAtom(test.rule, test.version);
    if (rule.startsFromZero)
      continue;
    const auto bytes = static_cast<std::size_t>(byteSize(rule.operand));
    for (const Regime regime : kRegimes) {
      const int length = test.products * 3 + random.below(test.products);
      std::vector<std::byte> a(length * bytes), b(length * bytes);
      const std::uint64_t start = random.next(rule.accumulator, regime);
      std::uint64_t want = start;
      Bits x, y;
      for (int k = 0; k < length; ++k) {
        x.push_back(random.next(rule.operand, regime));
        y.push_back(random.next(rule.operand, regime));
        std::memcpy(&a[k * bytes], &x.back(), bytes);
        std::memcpy(&b[k * bytes], &y.back(), bytes);
        if (k + 1 == length || x.size() == static_cast<std::size_t>(test.products)) {
          want = test.oracle(x, y, want);
          x.clear();
          y.clear();
        }
      }
      EXPECT_EQ(chain(rule, a, b, start), want)
          << test.rule << ", " << kRegimeNames[static_cast<int>(regime)];
    }
  }
}

} // namespace
} // namespace ordo::dsl
