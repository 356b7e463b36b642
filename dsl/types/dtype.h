// Element types of the language and the facts about their formats.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ordo::dsl {

/// Types a value can have. `Index` is the exact (unbounded in meaning) integer of index arithmetic;
/// it never lives in memory.
enum class DType : std::uint8_t {
  F64,
  F32,
  F16,
  BF16,
  F8E4M3FN,
  F8E5M2,
  F8E4M3FNUZ,
  F8E5M2FNUZ,
  I32,
  I64,
  U32,
  U64,
  Bool,
  Index,
};

/// The spelling in the language: "f32", "bf16", "index", …
std::string_view name(DType type);
/// The type spelt `text`, or nothing.
std::optional<DType> dtypeFromName(std::string_view text);

/// Bytes of one element in memory (bool: 1). Index has none: 0.
int byteSize(DType type);
/// Bits of the value (bool: 1, index: 64).
int bitWidth(DType type);
bool isFloat(DType type);
/// i32, i64, u32, u64; neither bool nor index.
bool isInteger(DType type);
bool isSigned(DType type);

/// An IEEE-like binary format: 1 sign bit, `exponentBits`, `mantissaBits` stored.
struct FloatFormat {
  int exponentBits;
  int mantissaBits;
  int bias;
  bool hasInfinity;
  bool hasNegativeZero; // the fnuz formats have none: their 0x80 is the NaN
};
/// Only for isFloat(type).
FloatFormat floatFormat(DType type);

/// The one NaN a contract shows: 0x7fc00000, 0x7fc0, 0x7e00, … (design section 2).
std::uint64_t canonicalNan(DType type);
bool isNanBits(DType type, std::uint64_t bits);

} // namespace ordo::dsl
