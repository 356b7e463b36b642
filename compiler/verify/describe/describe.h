// What a kernel stores, as expressions to read.
#pragma once

#include "compiler/verify/describe/reduction.h"
#include "compiler/verify/symbolic/summary.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ordo::verify {

/// A part of a value under a name of its own: "s1 = sum over k …", "t1 = …".
struct NamedPart {
  std::string name;
  std::string text; // of a reduction: what is folded, with the position as `k`
  std::optional<Reduction> reduction;
  std::string shape; // of a reduction whose order is not recognised: how the first positions fold
};

struct OutputTree {
  std::string array;
  std::int64_t elements = 0; // that a block stores
  bool isAlike = true;       // all of them by one expression, indices aside
  std::string element;       // the one that is shown: its row-major number
  std::string value;         // of too many operations: its outermost ones
  std::vector<NamedPart> parts;
  /// Of too many operations: each one's name, and how often it is computed for one element.
  std::map<std::string, std::int64_t> operations;
};

/// Of the case in which a block stores most.
struct KernelTree {
  std::vector<std::string> where; // what holds of sizes and the block in it
  std::size_t cases = 1;          // in all
  std::vector<OutputTree> outputs;
};

/// `summaries` as run() gives them, without a fault.
KernelTree describe(Terms &terms, const Signature &signature,
                    const std::vector<Summary> &summaries);

} // namespace ordo::verify
