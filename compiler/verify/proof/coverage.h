// Every element of every output is stored exactly once, by one thread of one block, and nothing
// else is: for all sizes.
//
// 1. A store's element number, under the condition of its path, is stride*b + offset, b the block's
//    number: min(row, T - 1) is row where the path says row < T.
// 2. If the offsets of one output's stores are 0 … stride - 1, (b, offset) -> stride*b + offset
//    numbers the naturals, each once: no element is stored twice, and each has one block and one
//    place in it. Where one offset has several stores, their paths must exclude one another.
// 3. Given stride*b + offset < elements and b >= 0 alone, b must be a block of the grid, and the
//    path of a store of that offset must hold. Stores of one path answer together: what follows
//    for the least of their offsets follows for all.
// What the contract's `where` says of data must be what the store's path says of it.
//
// Where a step fails, small sizes are tried for an element that is never stored, stored twice or
// outside.
#pragma once

#include "compiler/verify/proof/launched.h"

#include <optional>
#include <span>
#include <vector>

namespace ordo::verify {

/// A store's element number as a step a block and a constant, where its path's conditions lead
/// there. By store.
std::vector<AffineId> settledElements(Terms &terms, const Summary &summary);

/// Why the claim cannot be shown, with a counter-example where there is a small one; or nothing.
/// `settled`: settledElements().
std::optional<Fault> uncovered(const Launched &launched, std::span<const AffineId> settled);

} // namespace ordo::verify
