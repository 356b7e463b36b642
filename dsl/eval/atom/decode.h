// Operands and accumulators taken apart for exact sums; callers want atom.h.
#pragma once

#include "dsl/eval/atom/atom.h"

#include <bit>
#include <cstring>

namespace ordo::dsl::atom {

/// Of a zero: below every exponent a sum of two of them or a subtraction can reach otherwise, and
/// far from overflow.
inline constexpr int kZeroExponent = -(1 << 14);

inline constexpr std::uint32_t kInfinity = 0x7f800000u;
inline constexpr std::uint32_t kSign = 0x80000000u;
/// What NVIDIA's units answer for every NaN.
inline constexpr std::uint32_t kNvidiaNan = 0x7fffffffu;

enum class Kind : std::uint8_t { Finite, Infinity, Nan };

/// (-1)^negative ... as a signed significand: x = significand * 2^(exponent - fraction bits), where
/// |significand| < 2^(fraction bits + 1) and `exponent` is the least normal one for subnormals.
struct Decoded {
  std::int32_t significand;
  std::int32_t exponent;
  Kind kind;
  bool negative;
};

/// The facts of an operand format that decoding needs, read once.
struct OperandFormat {
  int fractionBits; // that the unit sees
  int ignoredBits;
  int width;
  int bias;
  std::uint32_t exponentMask; // after the fraction is shifted out
  bool hasInfinity;

  explicit OperandFormat(const AtomRule &rule) : OperandFormat(rule.operand, rule.ignoredBits) {}
  OperandFormat(DType type, int ignored) {
    const FloatFormat f = floatFormat(type);
    fractionBits = f.mantissaBits - ignored;
    ignoredBits = ignored;
    width = bitWidth(type);
    bias = f.bias;
    exponentMask = (1u << f.exponentBits) - 1;
    hasInfinity = f.hasInfinity;
  }
};

/// `bits` has at most 32 of them. Formats with a negative zero only.
inline Decoded decode(const OperandFormat &f, std::uint32_t bits) {
  const bool negative = (bits >> (f.width - 1) & 1u) != 0;
  bits >>= f.ignoredBits;
  const std::uint32_t fraction = bits & ((1u << f.fractionBits) - 1);
  const std::uint32_t biased = bits >> f.fractionBits & f.exponentMask;
  if (biased == f.exponentMask) {
    if (f.hasInfinity)
      return {0, kZeroExponent, fraction == 0 ? Kind::Infinity : Kind::Nan, negative};
    if (fraction == (1u << f.fractionBits) - 1)
      return {0, kZeroExponent, Kind::Nan, negative};
  }
  const auto magnitude =
      static_cast<std::int32_t>(biased == 0 ? fraction : fraction | 1u << f.fractionBits);
  const int exponent = static_cast<int>(biased == 0 ? 1 : biased) - f.bias;
  return {negative ? -magnitude : magnitude, magnitude == 0 ? kZeroExponent : exponent,
          Kind::Finite, negative};
}

inline Decoded decodeF32(std::uint32_t bits) {
  static const OperandFormat format(DType::F32, 0);
  return decode(format, bits);
}

/// Element `index` of packed elements of 1, 2, 4 or 8 bytes, zero-extended.
inline std::uint64_t loadElement(const void *data, std::int64_t index, int bytes) {
  const auto *at = static_cast<const std::byte *>(data) + index * bytes;
  const auto read = [at]<class T>(T value) {
    std::memcpy(&value, at, sizeof value);
    return static_cast<std::uint64_t>(value);
  };
  switch (bytes) {
  case 1:
    return read(std::uint8_t{});
  case 2:
    return read(std::uint16_t{});
  case 4:
    return read(std::uint32_t{});
  default:
    return read(std::uint64_t{});
  }
}

/// trunc(value * 2^shift) toward zero, for |value| < 2^39 and shift <= 24.
inline std::int64_t shiftTowardZero(std::int64_t value, int shift) {
  if (shift >= 0)
    return value * (std::int64_t{1} << shift);
  const std::int64_t magnitude = value < 0 ? -value : value;
  const std::int64_t kept = shift <= -63 ? 0 : magnitude >> -shift;
  return value < 0 ? -kept : kept;
}

/// floor(value * 2^shift), with the same limits.
inline std::int64_t shiftDown(std::int64_t value, int shift) {
  if (shift >= 0)
    return value * (std::int64_t{1} << shift);
  return value >> (shift <= -63 ? 63 : -shift);
}

/// total * 2^unit cut toward zero to an f32 with `resultBits` fraction bits; nothing left is +0,
/// 2^128 and more is an infinity. The significand keeps f32's 23 bits.
inline Decoded truncatedF32(std::int64_t total, int unit, int resultBits) {
  const auto magnitude = static_cast<std::uint64_t>(total < 0 ? -total : total);
  if (magnitude == 0)
    return {0, kZeroExponent, Kind::Finite, false};
  const int leading = static_cast<int>(std::bit_width(magnitude)) - 1 + unit;
  const int exponent = leading < -126 ? -126 : leading;
  const int shift = exponent - resultBits - unit; // drop so many bits
  std::uint64_t kept = 0;
  if (shift <= 0)
    kept = magnitude << -shift;
  else if (shift < 64)
    kept = magnitude >> shift;
  if (kept == 0)
    return {0, kZeroExponent, Kind::Finite, false};
  if (exponent > 127)
    return {0, kZeroExponent, Kind::Infinity, total < 0};
  const auto significand = static_cast<std::int32_t>(kept << (23 - resultBits));
  return {total < 0 ? -significand : significand, exponent, Kind::Finite, total < 0};
}

/// The bits of a Decoded with f32's 23 fraction bits, finite or infinite. Zero: by `negative`.
inline std::uint32_t encodeF32(const Decoded &v) {
  const std::uint32_t sign = v.negative ? kSign : 0;
  if (v.kind == Kind::Infinity)
    return sign | kInfinity;
  if (v.significand == 0)
    return sign;
  const auto magnitude =
      static_cast<std::uint32_t>(v.significand < 0 ? -v.significand : v.significand);
  // The implicit bit carries into the exponent field.
  return sign | ((static_cast<std::uint32_t>(v.exponent + 126) << 23) + magnitude);
}

} // namespace ordo::dsl::atom
