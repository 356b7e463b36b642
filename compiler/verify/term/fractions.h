// Fractions whose multiples round down alike.
#pragma once

#include "compiler/verify/term/affine.h"

namespace ordo::verify {

struct Fraction {
  Wide numerator = 0, denominator = 1;
  bool operator==(const Fraction &) const = default;
};

/// The largest fraction not above `value` whose denominator is `most` at most, in lowest terms: a
/// walk down the Stern-Brocot tree. value.numerator >= 0, value.denominator >= 1, both below 2^96;
/// 1 <= most < 2^65.
///
/// For every integer x from 0 to `most`, floor(value * x) = floor(result * x): the result is not
/// above the value, and floor(value * x) / x is a fraction of denominator x not above the value, so
/// not above the result. It depends on these floors alone, for it is the largest of
/// floor(value * x) / x.
Fraction largestBelow(const Fraction &value, Wide most);

} // namespace ordo::verify
