// A small tree laid out for drawing: what an SVG shows of one shape, or of a whole short order.
#pragma once

#include "dsl/order/labels.h"
#include "dsl/order/tree.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ordo::dsl {

struct SketchNode {
  enum class Kind : std::uint8_t {
    Tip,     // an input, named by `label`
    Literal, // a start or a pad
    Gap,     // inputs of a chain left out; `label` counts them
    Folded,  // a subtree left out: `label` its size, `detail` its index set
    Merge,   // the operation on two children
    Fused,   // a fused run over its children
    Round,   // a passed value, rounded
  };
  Kind kind = Kind::Tip;
  std::string label;
  std::string detail;
  std::size_t stage = 0; // whose node it is; for a tip the level of its value
  bool rounded = false;  // emitted through the stage's `: T`
  bool chained = false;  // a chain's merge: stands below its right child
  std::vector<std::uint32_t> children;
  double x = 0.0; // centre, pixels
  double y = 0.0;
};

struct Sketch {
  std::vector<SketchNode> nodes; // children before parents
  std::uint32_t root = 0;
  double width = 0.0; // pixels
  double height = 0.0;
  std::vector<double> stageBottom; // whole orders: where each stage's nodes end
};

inline constexpr double kTipHeight = 22.0;
inline constexpr double kBandHeight = 72.0; // at least, so that a stage's three lines have room

/// One result of a stage over its inputs, thousands of them abbreviated.
Sketch sketchGroup(const Tree &tree, const Labels &labels, const Group &group);

/// A leaf of `mid.leaf(n)` with `size` values.
Sketch sketchLeaf(const Tree &tree, const Labels &labels, std::size_t stage, std::int64_t size);

/// Every element and every operation; for short lengths.
Sketch sketchWhole(const Tree &tree, const Labels &labels);

} // namespace ordo::dsl
