#include "dsl/eval/atom/tile.h"

// Vectors wider than a register pass through inlined functions only: no ABI is at stake.
#pragma clang diagnostic ignored "-Wpsabi"

namespace ordo::dsl::atom {
namespace {

using Ints = std::int32_t __attribute__((vector_size(kLanes * 4)));
using Words = std::uint32_t __attribute__((vector_size(kLanes * 4)));

#define ORDO_INLINE inline __attribute__((always_inline))

ORDO_INLINE Ints load(const std::int32_t *from) {
  Ints v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
ORDO_INLINE Ints all(std::int32_t value) { return Ints{} + value; }

/// trunc(value / 2^shift) toward zero, for |value| < 2^31 and shift >= 0.
ORDO_INLINE Ints cut(Ints value, Ints shift) {
  const Ints sign = value >> 31;
  const Words magnitude = (Words)((value ^ sign) - sign);
  // Vector shifts by 32 and more are undefined; 31 leaves nothing of what is below 2^31.
  const Ints kept = (Ints)(magnitude >> (Words)__builtin_elementwise_min(shift, all(31)));
  return (kept ^ sign) - sign;
}

struct Aligned {
  Ints sum, exponent;
};

/// The products of one step, aligned to the largest exponent of them and of `exponent`, cut and
/// summed. Below 2^27 each and at most 16, they fit; with the accumulator they might not.
ORDO_INLINE Aligned alignProducts(const TileOperands &o, std::int64_t first, int products,
                                  Ints exponent) {
  for (int i = 0; i < products; ++i)
    exponent = __builtin_elementwise_max(exponent, load(o.bExponent + (first + i) * kLanes) +
                                                       o.aExponent[first + i]);
  Ints sum{};
  for (int i = 0; i < products; ++i) {
    const std::int64_t k = first + i;
    const Ints product = load(o.bSignificand + k * kLanes) * o.aSignificand[k];
    sum += cut(product, exponent - (load(o.bExponent + k * kLanes) + o.aExponent[k]));
  }
  return {sum, exponent};
}

ORDO_INLINE void truncatedSteps(const AtomRule &rule, const TileOperands &o,
                                TileAccumulators &acc) {
  const int products = rule.products, fraction = rule.fractionBits;
  for (std::int64_t s = 0; s < o.steps; ++s) {
    const Ints own = load(acc.exponent);
    const Ints floor = __builtin_elementwise_max(own, all(rule.leastExponent));
    const Aligned p = alignProducts(o, s * products, products, floor);
    const Ints addend = cut(load(acc.significand) << (fraction - 23), p.exponent - own);
    for (int i = 0; i < kLanes; ++i) {
      const Decoded next = truncatedF32(std::int64_t{p.sum[i]} + addend[i],
                                        p.exponent[i] - fraction, /*resultBits=*/23);
      acc.significand[i] = next.significand;
      acc.exponent[i] = next.exponent;
      if (next.kind == Kind::Infinity && !acc.settled[i]) {
        acc.settled[i] = true;
        acc.bits[i] = encodeF32(next);
      }
    }
  }
}

ORDO_INLINE void twoStageSteps(const AtomRule &rule, const TileOperands &o, TileAccumulators &acc) {
  for (std::int64_t s = 0; s < o.steps; ++s) {
    const Aligned p = alignProducts(o, s * rule.products, rule.products, all(2 * kZeroExponent));
    for (int i = 0; i < kLanes; ++i) {
      if (acc.settled[i])
        continue;
      acc.bits[i] = addRoundedDown(rule, p.sum[i], p.exponent[i], decodeF32(acc.bits[i]));
      acc.settled[i] = (acc.bits[i] & kInfinity) == kInfinity;
    }
  }
}

ORDO_INLINE void steps(const AtomRule &rule, const TileOperands &o, TileAccumulators &acc) {
  if (rule.arithmetic == AtomArithmetic::TruncatedSum)
    truncatedSteps(rule, o, acc);
  else
    twoStageSteps(rule, o, acc);
}

// Shifts by lane need AVX2; without it the compiler takes them apart.
__attribute__((target("avx2,bmi,bmi2,lzcnt"))) void
stepsAvx2(const AtomRule &rule, const TileOperands &o, TileAccumulators &acc) {
  steps(rule, o, acc);
}

} // namespace

void TileAccumulators::load(const AtomRule &rule, int lane, std::uint32_t c) {
  const Decoded v = decodeF32(c);
  significand[lane] = v.significand;
  exponent[lane] = v.exponent;
  bits[lane] = c;
  settled[lane] = v.kind != Kind::Finite;
  if (v.kind == Kind::Nan)
    bits[lane] = rule.arithmetic == AtomArithmetic::TruncatedSum
                     ? kNvidiaNan
                     : static_cast<std::uint32_t>(canonicalNan(DType::F32));
}

std::uint32_t TileAccumulators::store(const AtomRule &rule, int lane) const {
  if (settled[lane] || rule.arithmetic == AtomArithmetic::TwoStageSum)
    return bits[lane];
  const std::int32_t s = significand[lane];
  return encodeF32({s, exponent[lane], Kind::Finite, s < 0});
}

bool hasTile(const AtomRule &rule) {
  const bool fused = rule.arithmetic == AtomArithmetic::TruncatedSum ||
                     rule.arithmetic == AtomArithmetic::TwoStageSum;
  return fused && !rule.startsFromZero && rule.resultBits == 23 && rule.products <= 16 &&
         preShift(rule) >= 0;
}

int preShift(const AtomRule &rule) {
  return rule.fractionBits - 2 * OperandFormat(rule).fractionBits;
}

void runTile(const AtomRule &rule, const TileOperands &operands, TileAccumulators &acc) {
  static const bool hasAvx2 = __builtin_cpu_supports("avx2") != 0;
  (hasAvx2 ? stepsAvx2 : runTilePortable)(rule, operands, acc);
}

void runTilePortable(const AtomRule &rule, const TileOperands &operands, TileAccumulators &acc) {
  steps(rule, operands, acc);
}

} // namespace ordo::dsl::atom
