// AMDGCN's steps towards division and square root, on bits.
//
// The steps follow the pseudocode of AMD's instruction set manuals (CDNA3, RDNA3). Where that
// contradicts itself, what division needs is taken, and docs/proof.md lists it: "DENORM" means a
// magnitude below the least normal one, underflow to zero included; a denominator whose reciprocal
// is subnormal is scaled down in both its cases; v_div_fmas scales up or down by the quotient's
// exponent, and rounds once; v_div_fixup takes a NaN quotient of ordinary operands for an overflow.
#pragma once

#include "compiler/verify/machine/instruction.h"

#include <cstdint>

namespace ordo::verify {

/// What v_rcp, v_rsq and v_sqrt give within their documented error: 1 ulp in f32, f16 has none
/// here, 2^29 ulp in f64 (the same manuals).
enum class Approximation : std::uint8_t {
  Nearest, // the correctly rounded value
  Below,   // the least value that is allowed; subnormals flushed in f32, which v_rcp may do
  Above,   // the largest
  Mixed,   // any of those, by a hash of the operand
};

/// GcnDivScale to GcnMed3; the flag of GcnDivScale goes to `second`. Throws DomainError for formats
/// that an operation does not have.
std::uint64_t computeGcn(const Instruction &i, const std::uint64_t *src, std::uint64_t *second);

/// Op::Approx: rcp, rsq and sqrt. Throws DomainError for functions without a documented error.
std::uint64_t approximate(const Instruction &i, std::uint64_t operand, Approximation within);

} // namespace ordo::verify
