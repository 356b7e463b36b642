#include "dsl/sema/literal.h"

#include "dsl/sema/natural.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace ordo::dsl {
namespace {

// A literal's exact value: digits * 10^exponent10 * 2^exponent2.
struct Exact {
  Natural digits;
  std::int64_t exponent10 = 0;
  std::int64_t exponent2 = 0;
};

// Half-way points between doubles have fewer than 770 significant digits: what follows the 800th
// can only decide on which side of one the value lies, and a single 1 does that.
constexpr int kDigitsKept = 800;
constexpr std::int64_t kExponentCap = 1000000000000;

struct Rounded {
  std::uint64_t magnitude = 0;
  bool isExact = true;
  bool overflows = false;
};

std::uint64_t largestFinite(DType type) {
  const FloatFormat f = floatFormat(type);
  const std::uint64_t allOnes = (std::uint64_t{1} << (f.exponentBits + f.mantissaBits)) - 1;
  if (f.hasInfinity)
    return (((std::uint64_t{1} << f.exponentBits) - 1) << f.mantissaBits) - 1;
  return f.hasNegativeZero ? allOnes - 1 : allOnes; // f8e4m3fn spends its last code on NaN
}

// numerator / denominator * 2^exponent2 as the magnitude bits of `type`.
Rounded roundRatio(Natural numerator, Natural denominator, std::int64_t exponent2, DType type,
                   Direction direction) {
  if (numerator.isZero())
    return {};
  const FloatFormat f = floatFormat(type);
  // Scale so that the quotient holds the significand and at least two bits below it.
  const std::int64_t wanted = f.mantissaBits + 3;
  const std::int64_t shift = wanted - (numerator.bitLength() - denominator.bitLength());
  (shift >= 0 ? numerator : denominator).shiftLeft(std::abs(shift));
  bool sticky = false;
  const std::uint64_t q = quotient(std::move(numerator), std::move(denominator), sticky);

  const std::int64_t unit = exponent2 - shift; // the exponent of q's lowest bit
  const std::int64_t exponent = std::bit_width(q) - 1 + unit;
  const std::int64_t smallestNormal = 1 - f.bias;
  if (exponent > f.bias + 2)
    return {0, false, true};
  const std::int64_t last = std::max(exponent, smallestNormal) - f.mantissaBits;
  const std::int64_t drop = last - unit;
  std::uint64_t kept = drop >= 64 ? 0 : q >> drop;
  const std::uint64_t half = drop > 64 ? 0 : std::uint64_t{1} << (drop - 1);
  const std::uint64_t dropped = drop >= 64 ? q : q & ((std::uint64_t{1} << drop) - 1);
  sticky = sticky || (dropped & ~half) != 0;
  const bool atLeastHalf = half != 0 && dropped >= half;
  const bool roundsUp = atLeastHalf && (sticky || (kept & 1) != 0);
  if (direction == Direction::NearestEven && roundsUp)
    ++kept;

  Rounded result;
  result.isExact = !sticky && dropped == 0;
  // A carry out of the significand moves into the exponent field by itself.
  result.magnitude =
      exponent < smallestNormal
          ? kept
          : (static_cast<std::uint64_t>(exponent + f.bias - 1) << f.mantissaBits) + kept;
  if (result.magnitude > largestFinite(type)) {
    result.overflows = direction == Direction::NearestEven;
    result.magnitude = largestFinite(type);
  }
  return result;
}

std::uint64_t withSign(std::uint64_t magnitude, bool isNegative, DType type) {
  if (!isNegative || (magnitude == 0 && !floatFormat(type).hasNegativeZero))
    return magnitude;
  return magnitude | (std::uint64_t{1} << (bitWidth(type) - 1));
}

int digitValue(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return 99;
}

bool isHex(std::string_view text) {
  return text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

// Reads "+12", "-12", "12"; saturates, since any exponent past the cap means the same.
std::optional<std::int64_t> parseExponent(std::string_view text) {
  const bool isNegative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+'))
    text.remove_prefix(1);
  if (text.empty())
    return std::nullopt;
  std::int64_t value = 0;
  for (char c : text) {
    if (c < '0' || c > '9')
      return std::nullopt;
    value = std::min(value * 10 + (c - '0'), kExponentCap);
  }
  return isNegative ? -value : value;
}

std::optional<Exact> parseExact(std::string_view text) {
  const bool hex = isHex(text);
  if (hex)
    text.remove_prefix(2);
  const std::size_t mark = text.find_first_of(hex ? "pP" : "eE");
  std::int64_t exponent = 0;
  if (mark != std::string_view::npos) {
    const auto parsed = parseExponent(text.substr(mark + 1));
    if (!parsed)
      return std::nullopt;
    exponent = *parsed;
    text = text.substr(0, mark);
  }
  const std::uint32_t base = hex ? 16 : 10;
  Exact exact;
  std::int64_t scale = 0; // digits after the point, less digits dropped before it
  int kept = 0;
  bool seen = false, isFraction = false, rest = false;
  for (char c : text) {
    if (c == '.' && !isFraction) {
      isFraction = true;
      continue;
    }
    const int digit = digitValue(c);
    if (digit >= static_cast<int>(base))
      return std::nullopt;
    seen = true;
    if (kept < kDigitsKept) {
      if (exact.digits.isZero())
        exact.digits = Natural(static_cast<std::uint64_t>(digit));
      else
        exact.digits.multiplyAdd(base, static_cast<std::uint32_t>(digit));
      kept += exact.digits.isZero() ? 0 : 1;
      scale += isFraction ? 1 : 0;
    } else {
      rest = rest || digit != 0;
      scale -= isFraction ? 0 : 1;
    }
  }
  if (!seen)
    return std::nullopt;
  if (rest) {
    exact.digits.multiplyAdd(base, 1);
    ++scale;
  }
  (hex ? exact.exponent2 : exact.exponent10) = hex ? exponent - 4 * scale : exponent - scale;
  return exact;
}

RoundedLiteral refuse(Kind kind, std::string message, std::string help = {}) {
  RoundedLiteral result;
  result.kind = kind;
  result.message = std::move(message);
  result.help = std::move(help);
  return result;
}

std::string signedText(std::string_view text, bool isNegative) {
  return fmt::format("{}{}", isNegative ? "-" : "", text);
}

RoundedLiteral roundFloat(std::string_view text, bool isNegative, DType type) {
  const auto exact = parseExact(text);
  if (!exact)
    return refuse("bad-number", fmt::format("`{}` is not a number", text));
  RoundedLiteral result;
  if (exact->digits.isZero()) {
    result.bits = withSign(0, isNegative, type);
    return result;
  }
  // Far outside every format the answer is known, and the powers would be large.
  const std::int64_t magnitude =
      exact->digits.bitLength() + exact->exponent2 + exact->exponent10 * 10 / 3;
  Rounded rounded;
  if (magnitude > 4000) {
    rounded.overflows = true;
  } else if (magnitude < -4000) {
    rounded.isExact = false;
  } else {
    Natural numerator = exact->digits, denominator(1);
    (exact->exponent10 >= 0 ? numerator : denominator)
        .multiplyPowerOfTen(std::abs(exact->exponent10));
    rounded = roundRatio(std::move(numerator), std::move(denominator), exact->exponent2, type,
                         Direction::NearestEven);
  }
  if (rounded.overflows)
    return refuse("literal-overflow",
                  fmt::format("{} is too large for {}", signedText(text, isNegative), name(type)),
                  floatFormat(type).hasInfinity
                      ? fmt::format("write {} where infinity is meant", isNegative ? "-inf" : "inf")
                      : "");
  result.isExact = rounded.isExact;
  result.vanished = rounded.magnitude == 0;
  result.bits = withSign(rounded.magnitude, isNegative, type);
  return result;
}

RoundedLiteral roundInfinity(bool isNegative, DType type) {
  if (!isFloat(type))
    return refuse("literal-type", fmt::format("expected {}, found infinity", name(type)));
  if (!floatFormat(type).hasInfinity)
    return refuse("literal-overflow", fmt::format("{} has no infinity", name(type)));
  RoundedLiteral result;
  result.bits = withSign(largestFinite(type) + 1, isNegative, type);
  return result;
}

// The magnitude of an integer spelling, or nothing past 2^64 - 1.
std::optional<std::uint64_t> parseInteger(std::string_view text) {
  const std::uint64_t base = isHex(text) ? 16 : 10;
  if (base == 16)
    text.remove_prefix(2);
  std::uint64_t value = 0;
  for (char c : text)
    if (__builtin_mul_overflow(value, base, &value) ||
        __builtin_add_overflow(value, static_cast<std::uint64_t>(digitValue(c)), &value))
      return std::nullopt;
  return value;
}

RoundedLiteral roundIntegerLiteral(std::string_view text, bool isNegative, DType type) {
  const auto magnitude = parseInteger(text);
  const int bits = bitWidth(type);
  const bool hasSign = type == DType::Index || isSigned(type);
  const std::uint64_t all = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  std::uint64_t limit = hasSign ? all >> 1 : all;
  if (isNegative)
    limit = hasSign ? limit + 1 : 0;
  if (!magnitude || *magnitude > limit)
    return refuse("literal-overflow",
                  fmt::format("{} does not fit {}", signedText(text, isNegative), name(type)));
  RoundedLiteral result;
  result.bits = (isNegative ? ~*magnitude + 1 : *magnitude) & all;
  return result;
}

} // namespace

bool isIntegerSpelling(std::string_view text) {
  const bool hex = isHex(text);
  const std::string_view digits = hex ? text.substr(2) : text;
  return !digits.empty() &&
         std::ranges::all_of(digits, [&](char c) { return digitValue(c) < (hex ? 16 : 10); });
}

RoundedLiteral roundLiteral(std::string_view text, bool isNegative, DType type) {
  if (type == DType::Bool)
    return refuse("literal-type",
                  fmt::format("expected bool, found the number {}", signedText(text, isNegative)),
                  "write true or false");
  if (text == "inf")
    return roundInfinity(isNegative, type);
  const bool isInteger = isIntegerSpelling(text);
  if (isFloat(type)) {
    if (!isInteger)
      return roundFloat(text, isNegative, type);
    const std::string number = signedText(text, isNegative);
    return refuse(
        "literal-type", fmt::format("expected {}, found the integer {}", name(type), number),
        isHex(text) ? fmt::format("write {}p0", number) : fmt::format("write {}.0", number));
  }
  if (isInteger)
    return roundIntegerLiteral(text, isNegative, type);
  return refuse("literal-type", fmt::format("expected {}, found the number {}", name(type),
                                            signedText(text, isNegative)));
}

std::optional<std::uint64_t> roundInteger(std::int64_t value, DType type, Direction direction) {
  const bool isNegative = value < 0;
  const std::uint64_t magnitude =
      isNegative ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
  const Rounded rounded = roundRatio(Natural(magnitude), Natural(1), 0, type, direction);
  if (rounded.overflows)
    return std::nullopt;
  return withSign(rounded.magnitude, isNegative, type);
}

} // namespace ordo::dsl
