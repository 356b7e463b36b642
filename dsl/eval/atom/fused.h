// One step of the rules that sum aligned significands; callers want atom.h.
#pragma once

#include "dsl/eval/atom/decode.h"
#include "dsl/eval/rounding.h"

#include <algorithm>

namespace ordo::dsl::atom {

/// The infinity or NaN that a step's operands decide before any sum, else Finite. `overflow`: a
/// product whose exponent is so large, or one less with a significand of 2 or more, is infinite
/// (CDNA3); 0: none.
inline Decoded decidedBeforehand(std::span<const Decoded> a, std::span<const Decoded> b,
                                 const Decoded &c, int productFraction, int overflow) {
  bool nan = c.kind == Kind::Nan;
  bool infinite[2] = {false, false}; // by sign
  if (c.kind == Kind::Infinity)
    infinite[c.negative] = true;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool negative = a[i].negative != b[i].negative;
    if (a[i].kind == Kind::Finite && b[i].kind == Kind::Finite) {
      if (overflow == 0)
        continue;
      const auto magnitude = std::abs(a[i].significand * b[i].significand);
      const int carry = magnitude >> productFraction >= 2 ? 1 : 0;
      if (a[i].exponent + b[i].exponent + carry >= overflow)
        infinite[negative] = true;
      continue;
    }
    const auto isZero = [](const Decoded &v) {
      return v.kind == Kind::Finite && v.significand == 0;
    };
    nan |= a[i].kind == Kind::Nan || b[i].kind == Kind::Nan || isZero(a[i]) || isZero(b[i]);
    infinite[negative] = true;
  }
  if (nan || (infinite[0] && infinite[1]))
    return {0, kZeroExponent, Kind::Nan, false};
  if (infinite[0] || infinite[1])
    return {0, kZeroExponent, Kind::Infinity, infinite[1]};
  return {0, kZeroExponent, Kind::Finite, false};
}

/// The largest exponent of the products that are not zero, and far below any if all are.
inline int largestExponent(std::span<const Decoded> a, std::span<const Decoded> b) {
  int largest = 2 * kZeroExponent;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, a[i].exponent + b[i].exponent);
  return largest;
}

/// Σ trunc(product * 2^(fractionBits - exponent)): exact, below 2^(fractionBits + 2) each.
inline std::int64_t alignedSum(std::span<const Decoded> a, std::span<const Decoded> b,
                               int productFraction, int fractionBits, int exponent) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::int64_t product = std::int64_t{a[i].significand} * b[i].significand;
    if (product != 0)
      sum += shiftTowardZero(product, fractionBits - productFraction + a[i].exponent +
                                          b[i].exponent - exponent);
  }
  return sum;
}

/// TruncatedSum; c and the result have f32's 23 fraction bits. Operands decoded by `f`.
inline Decoded truncatedStep(const AtomRule &rule, const OperandFormat &f,
                             std::span<const Decoded> a, std::span<const Decoded> b,
                             const Decoded &c) {
  const int productFraction = 2 * f.fractionBits;
  const Decoded decided = decidedBeforehand(a, b, c, productFraction, 0);
  if (decided.kind != Kind::Finite)
    return decided;
  const int exponent =
      std::max({largestExponent(a, b), static_cast<int>(c.exponent), rule.leastExponent});
  std::int64_t total = alignedSum(a, b, productFraction, rule.fractionBits, exponent);
  total += shiftTowardZero(c.significand, rule.fractionBits - 23 + c.exponent - exponent);
  return truncatedF32(total, exponent - rule.fractionBits, rule.resultBits);
}

/// The second stage of TwoStageSum: `sum` * 2^(exponent - fractionBits) and c, as f32 bits.
inline std::uint32_t addRoundedDown(const AtomRule &rule, std::int64_t sum, int exponent,
                                    const Decoded &c) {
  // A zero accumulator takes part with the exponent of the least normal number.
  const int own = c.significand == 0 ? -126 : c.exponent;
  const int shared = sum == 0 ? own : std::max(exponent, own);
  std::int64_t total = shiftDown(sum, rule.sumBits - rule.fractionBits + exponent - shared);
  total += shiftDown(c.significand, rule.fractionBits - 23 + own - shared)
           << (rule.sumBits - rule.fractionBits);
  const int unit = shared - rule.sumBits;
  if (total == 0)
    return 0;
  if (rule.cutsTotal) {
    const auto magnitude = static_cast<std::uint64_t>(total < 0 ? -total : total);
    const int leading = std::max(static_cast<int>(std::bit_width(magnitude)) - 1 + unit, -126);
    const int drop = leading - 31 - unit;
    if (drop > 0)
      total = shiftDown(total, -drop) * (std::int64_t{1} << drop);
  }
  const bool negative = total < 0;
  const auto magnitude = static_cast<std::uint64_t>(negative ? -total : total);
  return static_cast<std::uint32_t>(pack(
      DType::F32, {Unpacked::Class::Finite, negative, magnitude, unit}, Rounding::NearestEven));
}

/// TwoStageSum: the bits of an f32.
inline std::uint32_t twoStageStep(const AtomRule &rule, const OperandFormat &f,
                                  std::span<const Decoded> a, std::span<const Decoded> b,
                                  std::uint32_t c) {
  const int productFraction = 2 * f.fractionBits;
  const Decoded addend = decodeF32(c);
  const Decoded decided = decidedBeforehand(a, b, addend, productFraction, 128);
  if (decided.kind == Kind::Nan)
    return static_cast<std::uint32_t>(canonicalNan(DType::F32));
  if (decided.kind == Kind::Infinity)
    return encodeF32(decided);
  const int exponent = largestExponent(a, b);
  const std::int64_t sum = alignedSum(a, b, productFraction, rule.fractionBits, exponent);
  return addRoundedDown(rule, sum, exponent, addend);
}

inline std::uint32_t truncatedBits(const Decoded &v) {
  return v.kind == Kind::Nan ? kNvidiaNan : encodeF32(v);
}

} // namespace ordo::dsl::atom
