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
  static FloatSet equal(dsl::DType format, std::uint64_t bits) {
    return below(format, bits, true).and_(above(format, bits, true));
  }
  /// Numbers beyond `bits`, those of a number, where -0 < +0; or as far.
  static FloatSet beyond(dsl::DType format, std::uint64_t bits, bool isAbove, bool orEqual);
  /// What AMDGCN's v_cmp_class calls it, a bit a class: signalling NaN, quiet NaN, -inf, negative
  /// normal, negative subnormal, -0, +0, and so on to +inf.
  static FloatSet ofClasses(dsl::DType format, std::uint64_t classes);

  /// x for which -x, or |x|, is in the set.
  FloatSet beforeNegation() const;
  FloatSet beforeMagnitude() const;

  FloatSet complement() const;
  FloatSet and_(const FloatSet &other) const;
  FloatSet withoutNan() const { return {format_, numbers_, Nan::Out}; }
  /// Of a set that holds all NaNs, or none.
  bool contains(std::uint64_t bits) const;
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
