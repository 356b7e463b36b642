// A row of the left operand times sixteen of the right, by vectors of 32-bit integers; callers want
// atom.h.
#pragma once

#include "dsl/eval/atom/fused.h"

namespace ordo::dsl::atom {

inline constexpr int kLanes = 16;

/// Sixteen accumulators, taken apart. Once `settled`, an accumulator is the infinity or NaN in
/// `bits` for good: the operands here are finite.
struct TileAccumulators {
  std::int32_t significand[kLanes];
  std::int32_t exponent[kLanes];
  std::uint32_t bits[kLanes]; // of TwoStageSum always, else where settled
  bool settled[kLanes];

  void load(const AtomRule &rule, int lane, std::uint32_t c);
  std::uint32_t store(const AtomRule &rule, int lane) const;
};

/// `steps` whole steps of finite operands, taken apart: of a, step * products each; of b, kLanes
/// values each. The significands of `a` are shifted left by `preShift(rule)`.
struct TileOperands {
  const std::int32_t *aSignificand;
  const std::int32_t *aExponent;
  const std::int32_t *bSignificand;
  const std::int32_t *bExponent;
  std::int64_t steps;
};

/// Whether this form does the rule: products below 2^27 after alignment, f32's result bits.
bool hasTile(const AtomRule &rule);
int preShift(const AtomRule &rule);
void runTile(const AtomRule &rule, const TileOperands &operands, TileAccumulators &acc);
/// The same on a machine without AVX2.
void runTilePortable(const AtomRule &rule, const TileOperands &operands, TileAccumulators &acc);

} // namespace ordo::dsl::atom
