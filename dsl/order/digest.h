// The identity of an order: equal structures, equal digests.
#pragma once

#include "dsl/order/order.h"

#include <string>

namespace ordo::dsl {

/// The bytes that stand for an order wherever it is hashed: a version line, then one line a stage
/// with every field, starts and pads as the bits of their doubles. Equal exactly when the orders
/// are equal.
std::string canonicalForm(const Order &order);

/// SHA-256 of canonicalForm(order), 64 lower-case hexadecimal digits.
std::string digest(const Order &order);

} // namespace ordo::dsl
