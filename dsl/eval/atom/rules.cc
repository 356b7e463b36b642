#include "dsl/eval/atom/atom.h"

#include <array>

namespace ordo::dsl {
namespace {

using enum AtomProvenance;
using enum DType;

constexpr int kTf32Ignored = 13;

/// Below this, NVIDIA's units align no further: -133 for F = 25 (measured), -132 for 24 and -131
/// for 23 (literature). It counts where the accumulator is zero and every product is tiny.
constexpr int leastExponent(int fractionBits) { return -108 - fractionBits; }

constexpr AtomRule nvidia(std::string_view name, AtomProvenance provenance, DType operand,
                          int products, int fractionBits, int ignoredBits = 0) {
  return {.name = name,
          .version = 1,
          .provenance = provenance,
          .arithmetic = AtomArithmetic::TruncatedSum,
          .operand = operand,
          .accumulator = F32,
          .ignoredBits = ignoredBits,
          .products = products,
          .fractionBits = fractionBits,
          .resultBits = 23,
          .leastExponent = leastExponent(fractionBits),
          .sumBits = 0,
          .cutsTotal = false,
          .startsFromZero = false,
          .reason = ""};
}

/// Ada's and Hopper's f8 keeps 13 fraction bits, inside and in the result.
constexpr AtomRule nvidiaF8(std::string_view name, AtomProvenance provenance, DType operand,
                            int products) {
  AtomRule rule = nvidia(name, provenance, operand, products, 13);
  rule.resultBits = 13;
  rule.leastExponent = kNoLeastExponent; // no f8 product comes near it
  return rule;
}

/// Nobody has shown what Ada does with an accumulator that is not zero.
constexpr AtomRule adaF8(std::string_view name, DType operand) {
  AtomRule rule = nvidiaF8(name, Literature, operand, 16);
  rule.startsFromZero = true;
  rule.reason = "its steps are known for a zero accumulator only";
  return rule;
}

constexpr AtomRule fma(std::string_view name, DType type, AtomProvenance provenance = Literature) {
  AtomRule rule = nvidia(name, provenance, type, 1, 0);
  rule.arithmetic = AtomArithmetic::SequentialFma;
  rule.accumulator = type;
  rule.resultBits = type == F64 ? 52 : 23;
  return rule;
}

constexpr AtomRule flushedPairs(std::string_view name, DType operand, int products) {
  AtomRule rule = nvidia(name, Literature, operand, products, 23);
  rule.arithmetic = AtomArithmetic::FlushedPairs;
  return rule;
}

/// Two published readings differ in the last bit of rare sums; version 2 is the later.
constexpr AtomRule twoStage(std::string_view name, DType operand, int version) {
  AtomRule rule = nvidia(name, Literature, operand, 8, 24);
  rule.version = version;
  rule.arithmetic = AtomArithmetic::TwoStageSum;
  rule.sumBits = version == 1 ? 31 : 32;
  rule.cutsTotal = version == 2;
  return rule;
}

constexpr AtomRule unknown(std::string_view name, DType operand) {
  AtomRule rule = nvidia(name, Literature, operand, 0, 0);
  rule.arithmetic = AtomArithmetic::Unmodelled;
  rule.reason = "there is no public bit model of it";
  return rule;
}

constexpr std::array kRules{
    nvidia("nv.volta.f16", Literature, F16, 4, 23),
    nvidia("nv.turing.f16", Literature, F16, 8, 24),
    nvidia("nv.ampere.bf16", Literature, BF16, 8, 24),
    nvidia("nv.ampere.f16", Literature, F16, 8, 24),
    nvidia("nv.ampere.tf32", Literature, F32, 4, 24, kTf32Ignored),
    fma("nv.ampere.f64", F64),
    nvidia("nv.ada.bf16", Literature, BF16, 8, 24),
    nvidia("nv.ada.f16", Literature, F16, 8, 24),
    nvidia("nv.ada.tf32", Literature, F32, 4, 24, kTf32Ignored),
    adaF8("nv.ada.f8e4m3fn", F8E4M3FN),
    adaF8("nv.ada.f8e5m2", F8E5M2),
    nvidia("nv.hopper.bf16", Measured, BF16, 16, 25),
    nvidia("nv.hopper.f16", Measured, F16, 16, 25),
    nvidia("nv.hopper.tf32", Measured, F32, 8, 25, kTf32Ignored),
    fma("nv.hopper.f64", F64, Measured),
    // As wgmma does them; both operands of the one type.
    nvidiaF8("nv.hopper.f8e4m3fn", Measured, F8E4M3FN, 32),
    nvidiaF8("nv.hopper.f8e5m2", Measured, F8E5M2, 32),
    nvidia("nv.blackwell.bf16", Literature, BF16, 16, 25),
    nvidia("nv.blackwell.f16", Literature, F16, 16, 25),
    nvidia("nv.blackwell.tf32", Literature, F32, 8, 25, kTf32Ignored),
    fma("nv.blackwell.f64", F64),
    // `v_mfma_*_bf16` takes pairs, `v_mfma_*_bf16_1k` fours.
    flushedPairs("amd.cdna2.bf16", BF16, 2),
    flushedPairs("amd.cdna2.bf16_1k", BF16, 4),
    flushedPairs("amd.cdna2.f16", F16, 4),
    fma("amd.cdna2.f32", F32),
    fma("amd.cdna2.f64", F64),
    twoStage("amd.cdna3.bf16", BF16, 1),
    twoStage("amd.cdna3.bf16", BF16, 2),
    twoStage("amd.cdna3.f16", F16, 1),
    twoStage("amd.cdna3.f16", F16, 2),
    fma("amd.cdna3.f32", F32),
    fma("amd.cdna3.f64", F64),
    unknown("amd.cdna4.bf16", BF16),
    unknown("amd.cdna4.f16", F16),
    unknown("amd.rdna3.bf16", BF16),
    unknown("amd.rdna3.f16", F16),
    unknown("amd.rdna4.bf16", BF16),
    unknown("amd.rdna4.f16", F16),
};

} // namespace

std::string_view name(AtomProvenance provenance) {
  return provenance == Measured ? "measured" : "literature";
}

std::span<const AtomRule> atoms() { return kRules; }

const AtomRule *findAtom(std::string_view name, int version) {
  for (const AtomRule &rule : kRules)
    if (rule.name == name && (version == 0 || rule.version == version))
      return &rule;
  return nullptr;
}

} // namespace ordo::dsl
