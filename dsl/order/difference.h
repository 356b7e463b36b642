// Where two orders first part, and both expressions there side by side: `ordo diff`.
#pragma once

#include "dsl/order/compare.h"
#include "dsl/order/draw.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ordo::dsl {

struct Difference {
  Comparison comparison;
  /// Different: the operands to follow from the result down to the node where the expressions part,
  /// the same in both: 0 the left (or only) operand, 1 the right. The node's operands differ both,
  /// or it is not of one kind in both.
  std::vector<std::uint8_t> path;
};

/// compare(), and the node where the orders part.
Difference firstDifference(const Order &a, const Order &b, const Lengths &lengths = {},
                           const Facts &facts = {}, std::int64_t work = kComparisonWork);

/// UTF-8 lines, each ended by a newline. Different: a headline, then the two expressions from the
/// result down in two columns, the node where they part marked, what is alike or far from it
/// summed up. Otherwise one line with the verdict. Of `options`, `title` and `wholeLength` are not
/// used.
std::string drawDifference(const Order &a, const Order &b, const Difference &difference,
                           const DrawOptions &options = {});

} // namespace ordo::dsl
