// Proving two orders equal at every length by comparing finitely many.
#pragma once

#include "dsl/order/expression.h"
#include "dsl/order/order.h"

#include <cstdint>
#include <vector>

namespace ordo::dsl {

/// Whether the folds of two orders, reached by at most `longest` values (kAnyLength: any number),
/// are proven to give one expression for each number. False: not proven, for want of a rule or of
/// `work` (parts of expressions built).
bool provenEqual(const std::vector<Step> &a, const std::vector<Step> &b, std::int64_t longest,
                 const Facts &facts, std::int64_t work);

} // namespace ordo::dsl
