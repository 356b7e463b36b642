// What an order means, once, generic in the value: bits, terms and tree nodes all fold through
// here.
#pragma once

#include "dsl/order/order.h"

#include <optional>
#include <vector>

namespace ordo::dsl {

/// Callbacks of a fold over values of type V.
///   V add(V, V)            the reduction's operation in the accumulator type, left operand first
///   V round(V, DType)      the rounding of `stage: T`
///   V literal(double)      a start or a pad
/// The fused stages (Fma, Mma) are not folds of values: callers handle a leading fused stage and
/// pass the remaining stages.
template <class V, class Ops>
std::optional<V> fold(const Order &order, std::vector<V> values, Ops &&ops);

} // namespace ordo::dsl

#include "dsl/order/fold_impl.h"
