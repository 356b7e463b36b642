#include "compiler/verify/term/fractions.h"

#include <algorithm>

namespace ordo::verify {

Fraction largestBelow(const Fraction &value, Wide most) {
  // low <= value < high, neighbours in the tree; how far each is from the value, times both
  // denominators: numbers up to value.denominator.
  Fraction low{value.numerator / value.denominator, 1}, high{1, 0};
  Wide above = value.numerator % value.denominator, below = value.denominator;
  while (above > 0) {
    // low + k * high stays not above the value, and its denominator within `most`.
    const Wide nearest = above / below;
    const Wide up = high.denominator == 0
                        ? nearest
                        : std::min(nearest, (most - low.denominator) / high.denominator);
    low = {low.numerator + up * high.numerator, low.denominator + up * high.denominator};
    above -= up * below;
    if (above == 0 || up < nearest)
      break;
    // high + k * low stays above it.
    const Wide down = std::min((below - 1) / above, (most - high.denominator) / low.denominator);
    if (down == 0 && up == 0)
      break;
    high = {high.numerator + down * low.numerator, high.denominator + down * low.denominator};
    below -= down * above;
  }
  return low;
}

} // namespace ordo::verify
