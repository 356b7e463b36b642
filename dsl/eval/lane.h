// How a value of each type lies in memory, and the scalar operations on it, as inline functions
// that loops over many values vectorise.
//
// f32 and f64 use the host's operations, correct under the default environment (see
// FloatEnvironment). f16 and bf16 lie as their bits; + - * / sqrt go through f32, which rounds
// them exactly (design section 2), fma through f64 rounded to odd.
#pragma once

#include "dsl/eval/rounding.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace ordo::dsl::lane {

template <DType T> struct ReprOf {
  using type = std::uint8_t; // f8 and bool
};
template <> struct ReprOf<DType::F64> {
  using type = double;
};
template <> struct ReprOf<DType::F32> {
  using type = float;
};
template <> struct ReprOf<DType::F16> {
  using type = std::uint16_t;
};
template <> struct ReprOf<DType::BF16> {
  using type = std::uint16_t;
};
template <> struct ReprOf<DType::I32> {
  using type = std::int32_t;
};
template <> struct ReprOf<DType::I64> {
  using type = std::int64_t;
};
template <> struct ReprOf<DType::U32> {
  using type = std::uint32_t;
};
template <> struct ReprOf<DType::U64> {
  using type = std::uint64_t;
};
template <> struct ReprOf<DType::Index> {
  using type = std::int64_t;
};
template <DType T> using Repr = typename ReprOf<T>::type;

/// The value's bits, zero-extended, and back.
template <class R> std::uint64_t toBits(R value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}
template <class R> R fromBits(std::uint64_t bits) {
  R value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline constexpr bool isHalf(DType t) { return t == DType::F16 || t == DType::BF16; }
inline constexpr bool isF8(DType t) { return t >= DType::F8E4M3FN && t <= DType::F8E5M2FNUZ; }
inline constexpr bool isNative(DType t) { return t == DType::F64 || t == DType::F32; }
/// Types with wrapping two's complement arithmetic. Index is exact in meaning; wrapping only makes
/// what sema rules out defined.
inline constexpr bool isWhole(DType t) {
  return (t >= DType::I32 && t <= DType::U64) || t == DType::Index;
}

// -- f16 and bf16
// -----------------------------------------------------------------------------------

inline float bf16ToFloat(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

inline std::uint16_t floatToBf16(float value) {
  const auto u = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (u + 0x7fffu + (u >> 16 & 1u)) >> 16;
  const bool nan = (u & 0x7fffffffu) > 0x7f800000u;
  return static_cast<std::uint16_t>(nan ? 0x7fc0u : rounded);
}

inline float f16ToFloat(std::uint16_t bits) {
  const std::uint32_t magnitude = static_cast<std::uint32_t>(bits & 0x7fffu) << 13;
  const std::uint32_t exponent = magnitude & 0x0f800000u;
  // Rebias by 112; infinities and NaN go up another 112; a subnormal loses the implicit bit that
  // its rebiased reading gains.
  const std::uint32_t normal = magnitude + (112u << 23);
  const std::uint32_t special = magnitude + (224u << 23);
  const float subnormal = std::bit_cast<float>(magnitude + (113u << 23)) - 0x1p-14f;
  std::uint32_t u = exponent == 0x0f800000u ? special : normal;
  u = exponent == 0 ? std::bit_cast<std::uint32_t>(subnormal) : u;
  return std::bit_cast<float>(u | static_cast<std::uint32_t>(bits & 0x8000u) << 16);
}

inline std::uint16_t floatToF16(float value) {
  const auto u = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = u & 0x7fffffffu;
  const std::uint32_t sign = u >> 16 & 0x8000u;
  // Normal results: round at bit 13 of the rebiased number; 65520 and more carry to infinity.
  const std::uint32_t rebiased = magnitude - (112u << 23);
  std::uint32_t h = (rebiased + 0xfffu + (rebiased >> 13 & 1u)) >> 13;
  // Subnormal results: adding 0.5 makes the host round at 2^-24.
  const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
  const std::uint32_t small = std::bit_cast<std::uint32_t>(shifted) - 0x3f000000u;
  h = magnitude < 0x38800000u ? small : h;
  h = magnitude >= 0x477ff000u ? 0x7c00u : h;
  h = magnitude > 0x7f800000u ? 0x7e00u : h | sign;
  return static_cast<std::uint16_t>(h);
}

/// An f32 rounded to the ten stored bits of tf32, whose exponents are f32's; a carry past the
/// largest gives infinity.
inline std::uint32_t roundToTf32(std::uint32_t bits) {
  const bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
  return nan ? 0x7fc00000u : (bits + 0xfffu + (bits >> 13 & 1u)) & ~0x1fffu;
}

template <DType T> float halfToFloat(std::uint16_t bits) {
  return T == DType::F16 ? f16ToFloat(bits) : bf16ToFloat(bits);
}
template <DType T> std::uint16_t floatToHalf(float value) {
  return T == DType::F16 ? floatToF16(value) : floatToBf16(value);
}

/// Rounded to odd: of the two floats around an inexact value, the one with an odd last bit.
inline float floatToOdd(double value) {
  const auto nearest = static_cast<float>(value);
  auto bits = std::bit_cast<std::uint32_t>(nearest);
  bits -= std::fabs(nearest) > std::fabs(value) ? 1 : 0; // toward zero; from infinity too
  bits |= nearest != value && value == value ? 1 : 0;
  return std::bit_cast<float>(bits);
}

/// Rounds a * b + c once. The product of two halves is exact in f64. The sum is rounded to odd
/// there and again in f32 (24 >= 11 + 2 bits), after which one more rounding is the only one that
/// counts.
template <DType T> std::uint16_t fmaHalf(std::uint16_t a, std::uint16_t b, std::uint16_t c) {
  const double product = static_cast<double>(halfToFloat<T>(a)) * halfToFloat<T>(b);
  const double addend = halfToFloat<T>(c);
  const double sum = product + addend;
  // Knuth's TwoSum: the exact error of `sum`.
  const double part = sum - product;
  const double error = (product - (sum - part)) + (addend - part);
  auto bits = std::bit_cast<std::uint64_t>(sum);
  // Toward zero is one step down when the error points to zero; its neighbour is odd either way.
  const std::uint64_t step = (error < 0) != (sum < 0) ? ~std::uint64_t{0} : 1;
  const bool isEven = (bits & 1) == 0;
  // An infinite sum has no error that is a number.
  bits += (error < 0 || error > 0) && isEven ? step : 0;
  return floatToHalf<T>(floatToOdd(std::bit_cast<double>(bits)));
}

// -- Floats
// -----------------------------------------------------------------------------------------

/// The value as a host float or double, exactly; f8 has casts only and is not asked.
template <DType T> auto native(Repr<T> value) {
  if constexpr (isHalf(T))
    return halfToFloat<T>(value);
  else
    return value;
}

template <DType T, class Native> Repr<T> rounded(Native value) {
  if constexpr (isHalf(T))
    return floatToHalf<T>(value);
  else
    return value;
}

template <class F> bool signOf(F value) {
  using U = std::conditional_t<sizeof(F) == 4, std::uint32_t, std::uint64_t>;
  return std::bit_cast<U>(value) >> (sizeof(F) * 8 - 1) != 0;
}

template <class F> F minFloat(F a, F b) {
  F r = a < b ? a : b;
  r = a == b ? (signOf(a) ? a : b) : r;
  r = a != a ? b : r;
  return b != b ? a : r;
}
template <class F> F maxFloat(F a, F b) {
  F r = a > b ? a : b;
  r = a == b ? (signOf(a) ? b : a) : r;
  r = a != a ? b : r;
  return b != b ? a : r;
}

/// std::floor without a call, so that loops vectorise without SSE4.1.
template <class F> F floorFloat(F a) {
  constexpr F kUlpOne = sizeof(F) == 4 ? F(0x1p23) : F(0x1p52); // from here on, all are whole
  const F shift = std::copysign(kUlpOne, a);
  F r = (a + shift) - shift; // nearest
  r = r > a ? r - 1 : r;
  r = std::copysign(r, a); // keeps -0
  return std::fabs(a) < kUlpOne ? r : a;
}

// -- Whole numbers
// ----------------------------------------------------------------------------------

template <class I> using Unsigned = std::make_unsigned_t<I>;

template <class I> I wrapAdd(I a, I b) {
  return static_cast<I>(static_cast<Unsigned<I>>(a) + static_cast<Unsigned<I>>(b));
}
template <class I> I wrapSub(I a, I b) {
  return static_cast<I>(static_cast<Unsigned<I>>(a) - static_cast<Unsigned<I>>(b));
}
template <class I> I wrapMul(I a, I b) {
  return static_cast<I>(static_cast<Unsigned<I>>(a) * static_cast<Unsigned<I>>(b));
}

/// Rounds toward minus infinity. A zero divisor, which sema excludes by proof, gives 0 here.
template <class I> I floorDiv(I a, I b) {
  if (b == 0)
    return 0;
  if constexpr (std::is_signed_v<I>) {
    if (b == -1)
      return wrapSub<I>(0, a);
    const I q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
  }
  return a / b;
}

/// a - b * floorDiv(a, b): the divisor's sign.
template <class I> I floorMod(I a, I b) {
  if (b == 0)
    return 0;
  if constexpr (std::is_signed_v<I>) {
    if (b == -1)
      return 0;
    const I r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
  }
  return a % b;
}

template <class I> I mulHigh(I a, I b) {
  using Wide = std::conditional_t<std::is_signed_v<I>, __int128, unsigned __int128>;
  return static_cast<I>(static_cast<Wide>(a) * static_cast<Wide>(b) >> (sizeof(I) * 8));
}

template <class I> int shiftAmount(I amount) {
  return static_cast<int>(static_cast<Unsigned<I>>(amount) & (sizeof(I) * 8 - 1));
}
template <class I> I shiftLeft(I a, I amount) {
  return static_cast<I>(static_cast<Unsigned<I>>(a) << shiftAmount(amount));
}

} // namespace ordo::dsl::lane
