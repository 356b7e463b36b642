// What one block of a kernel does to global memory: for all inputs, all sizes, all blocks.
#pragma once

#include "compiler/verify/machine/fault.h"
#include "compiler/verify/machine/machine.h"
#include "compiler/verify/term/terms.h"
#include "dsl/types/dtype.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ordo::verify {

/// One argument of a kernel, in the order in which it takes them.
struct Argument {
  enum class Kind : std::uint8_t { Array, Size, Scalar };
  Kind kind = Kind::Array;
  std::string name;
  dsl::DType type = dsl::DType::F32; // of an array's elements, or the scalar
  /// Array: its extents, outermost first, and how many elements that makes; exact.
  std::vector<AffineId> shape;
  AffineId elements = 0;
  bool isRead = false, isWritten = false;
  /// Array: the contract's number for it: what Kind::Input nodes carry. Size, Scalar: its value.
  std::uint32_t tensor = 0;
  Term value;
};

/// What the launch promises: a pointer's alignment, and blocks 0 … grid - 1.
struct Signature {
  std::vector<Argument> arguments;
  unsigned alignment = 16; // bytes, of every pointer
  BlockShape block;
  /// The block's number on each axis: a symbol whose facts the Terms hold, or a constant 0.
  std::array<Term, 3> blockIndex;
  std::array<Term, 3> gridSize;
};

/// A condition on a path, and whether it holds there. Conditions are nodes of one bit: AtLeastZero
/// and IsZero speak of sizes and blocks alone; others may speak of data.
struct Condition {
  NodeId node = 0;
  bool holds = true;
  bool operator==(const Condition &) const = default;
};

/// A loop's step whose number stands in a store's element and value: 0 <= step < count.
struct StoreStep {
  NodeId step = 0;
  std::int64_t count = 0;
  bool operator==(const StoreStep &) const = default;
};

struct GlobalStore {
  std::uint32_t argument = 0; // into Signature::arguments
  AffineId element = 0;       // its row-major number in the array; within it on this path
  Term value;                 // of the array's element type
  std::uint32_t path = 0;     // into Summary::paths; 0: no condition
  std::uint32_t thread = 0;   // in the block
  std::uint32_t line = 0;     // into Kernel::lines
  std::uint32_t steps = 0; // into Summary::storeSteps; it is made once for each combination of them
};

struct Summary {
  std::vector<GlobalStore> stores;
  std::vector<std::vector<Condition>> paths;
  std::vector<std::vector<StoreStep>> storeSteps = {{}}; // loops by induction; 0: none
  bool hasLongLoops = false;  // loops with a known number of steps were shown by induction
  std::optional<Fault> fault; // what stopped it: nothing else here counts then
  /// Expansions that were taken for the step they compute: "div.f32", "sqrt.f64", "cvt.bf16" and
  /// their like.
  std::set<std::string> expansions;
  std::uint64_t steps = 0;
};

} // namespace ordo::verify
