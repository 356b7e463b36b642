// Natural numbers of any size, as far as rounding a literal needs them.
#pragma once

#include <cstdint>
#include <vector>

namespace ordo::dsl {

/// A non-negative integer: 32-bit limbs, least significant first, no leading zero limb.
class Natural {
public:
  Natural() = default;
  explicit Natural(std::uint64_t value);

  bool isZero() const { return limbs_.empty(); }
  /// The position of the highest set bit plus one; 0 for zero.
  std::int64_t bitLength() const;

  /// this = this * factor + addend
  void multiplyAdd(std::uint32_t factor, std::uint32_t addend);
  void multiplyPowerOfTen(std::int64_t exponent);
  void shiftLeft(std::int64_t bits);
  void shiftRightOne();

  bool operator<(const Natural &other) const;
  /// this -= other; needs other <= this.
  void subtract(const Natural &other);

private:
  void trim();
  std::vector<std::uint32_t> limbs_;
};

/// floor(numerator / denominator), which must be below 2^64 with a non-zero denominator.
/// `remains` says whether the division left something.
std::uint64_t quotient(Natural numerator, Natural denominator, bool &remains);

} // namespace ordo::dsl
