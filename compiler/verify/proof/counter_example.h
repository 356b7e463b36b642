// An element that no thread stores, that two store, or that lies outside: at small sizes.
#pragma once

#include "compiler/verify/proof/launched.h"

#include <optional>

namespace ordo::verify {

/// Tries all blocks of small launches on the stores of one argument. Nothing where they are in
/// order, or depend on data.
std::optional<Fault> counterExample(const Launched &launched, std::uint32_t argument);

/// "[3, 17]": the indices of a row-major element number.
std::string indicesOf(std::int64_t element, std::span<const std::int64_t> shape);

} // namespace ordo::verify
