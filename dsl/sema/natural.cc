#include "dsl/sema/natural.h"

#include <algorithm>
#include <bit>

namespace ordo::dsl {

Natural::Natural(std::uint64_t value) {
  limbs_ = {static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)};
  trim();
}

void Natural::trim() {
  while (!limbs_.empty() && limbs_.back() == 0)
    limbs_.pop_back();
}

std::int64_t Natural::bitLength() const {
  if (limbs_.empty())
    return 0;
  return static_cast<std::int64_t>(limbs_.size()) * 32 - std::countl_zero(limbs_.back());
}

void Natural::multiplyAdd(std::uint32_t factor, std::uint32_t addend) {
  std::uint64_t carry = addend;
  for (std::uint32_t &limb : limbs_) {
    carry += std::uint64_t{limb} * factor;
    limb = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
  if (carry != 0)
    limbs_.push_back(static_cast<std::uint32_t>(carry));
}

void Natural::multiplyPowerOfTen(std::int64_t exponent) {
  for (; exponent >= 9; exponent -= 9)
    multiplyAdd(1000000000u, 0);
  for (; exponent > 0; --exponent)
    multiplyAdd(10u, 0);
}

void Natural::shiftLeft(std::int64_t bits) {
  if (isZero() || bits == 0)
    return;
  const int within = static_cast<int>(bits % 32);
  std::uint32_t carry = 0;
  if (within != 0) {
    for (std::uint32_t &limb : limbs_) {
      const std::uint32_t next = limb >> (32 - within);
      limb = (limb << within) | carry;
      carry = next;
    }
    if (carry != 0)
      limbs_.push_back(carry);
  }
  limbs_.insert(limbs_.begin(), static_cast<std::size_t>(bits / 32), 0u);
}

void Natural::shiftRightOne() {
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    const std::uint32_t above = i + 1 < limbs_.size() ? limbs_[i + 1] << 31 : 0;
    limbs_[i] = (limbs_[i] >> 1) | above;
  }
  trim();
}

bool Natural::operator<(const Natural &other) const {
  if (limbs_.size() != other.limbs_.size())
    return limbs_.size() < other.limbs_.size();
  return std::lexicographical_compare(limbs_.rbegin(), limbs_.rend(), other.limbs_.rbegin(),
                                      other.limbs_.rend());
}

void Natural::subtract(const Natural &other) {
  std::int64_t borrow = 0;
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    std::int64_t difference = std::int64_t{limbs_[i]} - borrow;
    if (i < other.limbs_.size())
      difference -= other.limbs_[i];
    borrow = difference < 0 ? 1 : 0;
    limbs_[i] = static_cast<std::uint32_t>(difference);
  }
  trim();
}

std::uint64_t quotient(Natural numerator, Natural denominator, bool &remains) {
  // Long division, one bit at a time: the quotient is short, whatever the operands are.
  std::uint64_t result = 0;
  std::int64_t shift = std::max<std::int64_t>(numerator.bitLength() - denominator.bitLength(), 0);
  denominator.shiftLeft(shift);
  for (; shift >= 0; --shift) {
    result <<= 1;
    if (!(numerator < denominator)) {
      numerator.subtract(denominator);
      result |= 1;
    }
    denominator.shiftRightOne();
  }
  remains = !numerator.isZero();
  return result;
}

} // namespace ordo::dsl
