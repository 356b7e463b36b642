// Whether two orders fold alike, and where they first do not.
#pragma once

#include "dsl/order/expression.h"
#include "dsl/order/normal.h"
#include "dsl/order/order.h"

#include <cstdint>
#include <string_view>

namespace ordo::dsl {

enum class Verdict : std::uint8_t { Equal, Different, Unknown };
std::string_view name(Verdict verdict);

/// Lengths from `shortest` (1 or more) to `longest`, both included.
struct Lengths {
  std::int64_t shortest = 1;
  std::int64_t longest = kAnyLength;
};

/// Equal: at every length of the range both orders are one expression (of expression.h), so they
///   give the same bits for all elements. This is proven: by normal forms, by comparing all lengths
///   of the range, or by the bound of docs/orders.md.
/// Different: at `length` the expressions differ.
/// Unknown: neither was established.
struct Comparison {
  Verdict verdict = Verdict::Unknown;
  std::int64_t length = 0;   // Different: where the expressions differ
  bool isFirst = false;      // Different: at no shorter length of the range they do
  std::int64_t compared = 0; // at every length of the range up to it they are equal; 0: unknown
};

/// How much a comparison may cost, in parts of expressions built (some tens of nanoseconds each).
inline constexpr std::int64_t kComparisonWork = std::int64_t{1} << 24;

/// Both orders well formed (else std::invalid_argument). The accumulator has to hold every value of
/// the types that stages round to, as f32 and f64 do: f16 in a bf16 accumulator is the exception,
/// where rounding twice need not be rounding once.
Comparison compare(const Order &a, const Order &b, const Lengths &lengths = {},
                   const Facts &facts = {}, std::int64_t work = kComparisonWork);

} // namespace ordo::dsl
