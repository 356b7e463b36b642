// The exact meaning of every operation on every type, on bit patterns and on arrays of them.
//
// One table of kernels is the only definition: the evaluator runs kernels over many values,
// `evaluate` runs the same kernel over one.
#pragma once

#include "dsl/term/program.h"
#include "dsl/types/dtype.h"

#include <cfenv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace ordo::dsl {

/// Computes out[i] = op(args[0][i], …) for i < count. `out` overlaps no argument. Elements lie as
/// in memory (byteSize; Index as eight bytes), each argument in its own type.
using Kernel = void (*)(void *out, const void *const *args, std::size_t count);

/// The kernel of `op` with result `type` and operands of `argType` (Select: of the two values;
/// Cast, Bits, OfBits, comparisons: of what is cast or compared; else the same as `type`). Null
/// where the language gives the operation no meaning in that type: f8 has casts only, sqrt is for
/// floats, … `rounding` counts for Cast alone; a cast from float to an integer rounds to nearest
/// even like any other and truncates with TowardZero; Tf32 has a kernel from f32 to f32 alone.
/// Kernels need the default floating-point
/// environment: see FloatEnvironment.
Kernel kernelFor(Op op, DType type, DType argType, Rounding rounding = Rounding::NearestEven);

/// One operation on bits, each zero-extended from its type's width. Nothing where there is no
/// kernel or the number of arguments is wrong. A NaN result may be any NaN; `canonical` makes it
/// the one.
std::optional<std::uint64_t> evaluate(Op op, DType type, DType argType,
                                      std::span<const std::uint64_t> args,
                                      Rounding rounding = Rounding::NearestEven);

/// `bits` cast from one type to another; every pair of types has a cast. Rounding::Tf32 is for f32
/// to f32 alone.
std::uint64_t castBits(DType from, DType to, std::uint64_t bits,
                       Rounding rounding = Rounding::NearestEven);

/// The same bits, but the canonical NaN for any NaN.
std::uint64_t canonical(DType type, std::uint64_t bits);
/// Makes every NaN of an array of `count` elements canonical.
void canonicalise(DType type, void *data, std::size_t count);

/// How many operands the operation takes; 0 for leaves, Load, Use and Reduce.
int arity(Op op);

/// Bytes of one element in the evaluator's arrays: byteSize, and 8 for Index.
std::size_t elementSize(DType type);

/// Reads and writes one element as bits, zero-extended.
std::uint64_t loadBits(DType type, const void *element);
void storeBits(DType type, void *element, std::uint64_t bits);

/// Sets the host's floating-point environment to the language's (nearest even, subnormals kept)
/// for a scope, whatever the process had.
class FloatEnvironment {
public:
  FloatEnvironment() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~FloatEnvironment() { std::fesetenv(&saved_); }
  FloatEnvironment(const FloatEnvironment &) = delete;
  FloatEnvironment &operator=(const FloatEnvironment &) = delete;

private:
  std::fenv_t saved_;
};

} // namespace ordo::dsl
