// The normal form of an order: one spelling for many orders that fold alike at every length.
#pragma once

#include "dsl/order/expression.h"
#include "dsl/order/order.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace ordo::dsl {

/// No bound on the length.
inline constexpr std::int64_t kAnyLength = std::numeric_limits<std::int64_t>::max();

/// An order with the same expression (of expression.h) at every length from 1 to `longest`, by the
/// rules that docs/orders.md justifies. Equal normal forms mean equal orders; different ones mean
/// nothing yet, which is what compare() is for. The order must be well formed; so is the result.
Order normalForm(const Order &order, std::int64_t longest = kAnyLength, const Facts &facts = {});

/// The same for the folds of an order or of a part of one, which reaches at most `longest` values.
std::vector<Step> normalSteps(std::vector<Step> steps, std::int64_t longest, const Facts &facts);

/// The order with these folds.
Order orderOf(const std::vector<Step> &steps);

/// At most how many values the step leaves of `longest` or fewer; kAnyLength stays so unless the
/// step bounds it.
std::int64_t mostResults(const Step &step, std::int64_t longest);

} // namespace ordo::dsl
