#include "dsl/eval/rounding.h"

#include <bit>

namespace ordo::dsl {
namespace {

constexpr std::uint64_t one(int shift) { return std::uint64_t{1} << shift; }

std::uint64_t signBit(DType type) { return one(bitWidth(type) - 1); }

/// significand / 2^shift as a whole number, shift >= 1.
std::uint64_t shiftRight(std::uint64_t significand, int shift, Rounding rounding) {
  if (shift > 64)
    return 0; // below a quarter of the last place: every mode here gives zero
  const std::uint64_t kept = shift == 64 ? 0 : significand >> shift;
  if (rounding == Rounding::TowardZero)
    return kept;
  const std::uint64_t half = one(shift - 1);
  const std::uint64_t rest = shift == 64 ? significand : significand & (one(shift) - 1);
  const bool up = rest > half || (rest == half && (kept & 1) != 0);
  return kept + (up ? 1 : 0);
}

std::uint64_t overflow(DType type, bool infinite, Rounding rounding) {
  if (rounding == Rounding::Saturate || (rounding == Rounding::TowardZero && !infinite))
    return largestFinite(type);
  return floatFormat(type).hasInfinity ? largestFinite(type) + 1 : canonicalNan(type);
}

} // namespace

std::uint64_t largestFinite(DType type) {
  const FloatFormat f = floatFormat(type);
  const std::uint64_t allOnes = signBit(type) - 1;
  if (f.hasInfinity)
    return allOnes - one(f.mantissaBits);
  return f.hasNegativeZero ? allOnes - 1 : allOnes;
}

Unpacked unpack(DType type, std::uint64_t bits) {
  const FloatFormat f = floatFormat(type);
  Unpacked v;
  v.negative = (bits & signBit(type)) != 0;
  const std::uint64_t magnitude = bits & (signBit(type) - 1);
  if (isNanBits(type, bits)) {
    v.kind = Unpacked::Class::Nan;
    return v;
  }
  if (f.hasInfinity && magnitude > largestFinite(type)) {
    v.kind = Unpacked::Class::Infinity;
    return v;
  }
  if (magnitude == 0)
    return v;
  const int biased = static_cast<int>(magnitude >> f.mantissaBits);
  const std::uint64_t fraction = magnitude & (one(f.mantissaBits) - 1);
  v.kind = Unpacked::Class::Finite;
  v.significand = biased == 0 ? fraction : fraction | one(f.mantissaBits);
  v.exponent = (biased == 0 ? 1 : biased) - f.bias - f.mantissaBits;
  return v;
}

std::uint64_t pack(DType type, const Unpacked &value, Rounding rounding) {
  const FloatFormat f = floatFormat(type);
  if (value.kind == Unpacked::Class::Nan)
    return canonicalNan(type);
  const std::uint64_t sign = value.negative ? signBit(type) : 0;
  const std::uint64_t zero = f.hasNegativeZero ? sign : 0;
  if (value.kind == Unpacked::Class::Zero)
    return zero;
  if (value.kind == Unpacked::Class::Infinity) {
    const std::uint64_t bits = overflow(type, true, rounding);
    return isNanBits(type, bits) ? bits : bits | sign;
  }
  const int leading = value.exponent + std::bit_width(value.significand) - 1;
  const int smallest = 1 - f.bias; // exponent of the normal range's lower end
  const int last = (leading < smallest ? smallest : leading) - f.mantissaBits;
  const int shift = last - value.exponent;
  const std::uint64_t kept =
      shift <= 0 ? value.significand << -shift : shiftRight(value.significand, shift, rounding);
  // A carry out of the fraction moves into the exponent field, which is what it should do.
  std::uint64_t bits = kept;
  if (leading > f.bias + 1)
    return isNanBits(type, overflow(type, false, rounding))
               ? canonicalNan(type)
               : overflow(type, false, rounding) | sign;
  if (leading >= smallest)
    bits += static_cast<std::uint64_t>(leading - smallest) << f.mantissaBits;
  if (bits > largestFinite(type))
    bits = overflow(type, false, rounding);
  if (bits == 0)
    return zero;
  return isNanBits(type, bits) ? bits : bits | sign;
}

std::uint64_t packInteger(DType type, const Unpacked &value, Rounding rounding) {
  const bool isSignedType = isSigned(type) || type == DType::Index;
  const int width = bitWidth(type);
  const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : one(width) - 1;
  if (value.kind == Unpacked::Class::Zero || value.kind == Unpacked::Class::Nan)
    return 0;
  // The largest magnitude the sign allows.
  std::uint64_t limit = isSignedType ? one(width - 1) - 1 : mask;
  if (value.negative)
    limit = isSignedType ? limit + 1 : 0;
  std::uint64_t magnitude = limit;
  if (value.kind == Unpacked::Class::Finite) {
    const int leading = value.exponent + std::bit_width(value.significand) - 1;
    if (leading < 64) {
      magnitude = value.exponent >= 0 ? value.significand << value.exponent
                                      : shiftRight(value.significand, -value.exponent, rounding);
      if (magnitude > limit)
        magnitude = limit;
    }
  }
  return (value.negative ? 0 - magnitude : magnitude) & mask;
}

Unpacked unpackInteger(DType type, std::uint64_t bits) {
  const bool isSignedType = isSigned(type) || type == DType::Index;
  const int width = bitWidth(type);
  const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : one(width) - 1;
  Unpacked v;
  v.negative = isSignedType && (bits >> (width - 1) & 1) != 0;
  v.significand = (v.negative ? 0 - bits : bits) & mask;
  if (v.significand != 0)
    v.kind = Unpacked::Class::Finite;
  else
    v.negative = false;
  return v;
}

} // namespace ordo::dsl
