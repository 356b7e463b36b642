// Literals become bits here, each rounded once from its exact value.
#pragma once

#include "dsl/syntax/kinds.h"
#include "dsl/types/dtype.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ordo::dsl {

struct RoundedLiteral {
  std::optional<std::uint64_t> bits; // nothing when refused
  bool isExact = true;
  bool vanished = false; // a value other than zero became zero
  Kind kind;             // why refused: "literal-overflow", "literal-type", "bad-number"
  std::string message;
  std::string help;
};

/// The literal `text` ("1e-6", "0x1.8p23", "42", "0xff", "inf"), negated when `isNegative`, as bits
/// of `type`. Floats round to nearest even from the exact rational value; what would round to
/// infinity is refused, and so is an integer spelling for a float type and the reverse. `Index`
/// takes integers within 64 bits, as two's complement.
RoundedLiteral roundLiteral(std::string_view text, bool isNegative, DType type);

/// "2" and "0x10" are spelt as integers, "2.0", "1e3", "0x1p4" and "inf" as floats.
bool isIntegerSpelling(std::string_view text);

enum class Direction : std::uint8_t { NearestEven, TowardZero };

/// The exact integer `value` rounded once to the float type. Nothing when it overflows (a nearest
/// rounding past the largest finite value).
std::optional<std::uint64_t> roundInteger(std::int64_t value, DType type, Direction direction);

} // namespace ordo::dsl
