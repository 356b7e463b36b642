// A block's summary and the launch that repeats it: what coverage is about.
#pragma once

#include "compiler/verify/symbolic/summary.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace ordo::verify {

/// Blocks 0 … ceil(extent / rows) - 1 on the first axis; one on each other.
struct Grid {
  Term block; // their number: a symbol, or a constant 0 where there is one block
  AffineId extent = 0;
  std::int64_t rows = 1;
};

struct Launched {
  Terms &terms;
  const Signature &signature;
  const Summary &summary;
  const std::vector<SourceLine> &lines; // of the kernel, for messages
  Grid grid;
  /// Symbols of the free dimensions.
  std::vector<NodeId> sizes;
  /// Whether the launch admits these sizes; empty: all.
  std::function<bool(std::span<const std::int64_t>)> isAdmissible;
  /// The contract's `where` at an element of an argument, a node of one bit, or nothing where it
  /// has none; empty: no output has one.
  std::function<std::optional<NodeId>(std::uint32_t argument, AffineId element)> where;
};

} // namespace ordo::verify
