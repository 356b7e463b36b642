// Sets of a float's bits: what a condition says of one float.
#pragma once

#include "compiler/verify/term/affine.h"
#include "dsl/types/dtype.h"

#include <compare>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace ordo::verify {

/// Bits of a float of 16, 32 or 64 bits with infinities. A NaN's bits are some NaN's, and need not
/// be the same where the float is computed twice: so all NaNs are in the set, or none, or some are,
/// of which nothing follows.
class FloatSet {
public:
  using Range = std::pair<std::uint64_t, std::uint64_t>; // closed
  enum class Nan : std::uint8_t { Out, In, Some };

  /// The bits in these ranges, which need not be sorted, and may meet.
  static FloatSet ofBits(dsl::DType format, std::vector<Range> ranges);
  static FloatSet nan(dsl::DType format) { return {format, {}, Nan::In}; }
  /// Numbers below `bits`, or as large: those of a number.
  static FloatSet below(dsl::DType format, std::uint64_t bits, bool orEqual);
  static FloatSet above(dsl::DType format, std::uint64_t bits, bool orEqual);

  FloatSet complement() const;
  FloatSet and_(const FloatSet &other) const;
  FloatSet withoutNan() const { return {format_, numbers_, Nan::Out}; }
  bool isEmpty() const { return numbers_.empty() && nan_ == Nan::Out; }
  Nan nans() const { return nan_; }
  dsl::DType format() const { return format_; }
  /// Of numbers, each of one sign; sorted, none next to another.
  const std::vector<Range> &numbers() const { return numbers_; }

  auto operator<=>(const FloatSet &) const = default;

private:
  FloatSet(dsl::DType format, std::vector<Range> numbers, Nan nan)
      : format_(format), numbers_(std::move(numbers)), nan_(nan) {}

  dsl::DType format_;
  std::vector<Range> numbers_;
  Nan nan_;
};

} // namespace ordo::verify
