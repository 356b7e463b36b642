// Exact decoding and correct rounding of every floating-point format, in integers only.
#pragma once

#include "dsl/term/program.h"
#include "dsl/types/dtype.h"

#include <cstdint>

namespace ordo::dsl {

/// A value of a float format taken apart: (-1)^negative * significand * 2^exponent when Finite.
struct Unpacked {
  enum class Class : std::uint8_t { Zero, Finite, Infinity, Nan };
  Class kind = Class::Zero;
  bool negative = false;
  std::uint64_t significand = 0; // not normalised; not zero when Finite
  int exponent = 0;
};

/// Takes `bits` of the float type `type` apart, exactly.
Unpacked unpack(DType type, std::uint64_t bits);

/// Rounds `value` once into the float type `type`. What lies past the largest finite value becomes
/// infinity, or NaN where the format has none (NearestEven); the largest finite value (TowardZero);
/// the largest finite value, infinities included (Saturate). NaN is canonical. The formats
/// without a negative zero give +0.
std::uint64_t pack(DType type, const Unpacked &value, Rounding rounding);

/// Rounds a float value to a whole number (NearestEven and Saturate: ties to even; TowardZero
/// truncates) and saturates it to the range of the integer type `type`; NaN gives 0. The result is
/// two's complement, zero-extended from the type's width. Index saturates as i64.
std::uint64_t packInteger(DType type, const Unpacked &value, Rounding rounding);

/// An integer (two's complement, of i32, i64, u32, u64, bool or index) taken apart, exactly.
Unpacked unpackInteger(DType type, std::uint64_t bits);

/// The bits of the largest finite magnitude of the float type `type`.
std::uint64_t largestFinite(DType type);

} // namespace ordo::dsl
