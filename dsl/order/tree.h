// The expression tree of an order at one length, with repetition folded.
//
// Values that are computed alike share one shape, and a sequence of values is a short list of
// (shape, count) parts, so `seq(8) | lanes(128) | halves` at 3584 is six shapes and not 3584
// leaves. Building costs what the number of distinct parts costs, whatever the length.
#pragma once

#include "dsl/order/order.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ordo::dsl {

/// `adds`: applications of the reduction's operation, those with a start or a pad included.
/// `depth`: the longest path from an element to the result, in those. An `fma` or `mma` run of L
/// products counts as L in both: one accumulation a product, which for an atom that takes several
/// at once is an upper bound.
struct TreeStats {
  std::int64_t adds = 0;
  std::int64_t depth = 0;

  bool operator==(const TreeStats &) const = default;
};

using ShapeId = std::uint32_t;

/// `count` neighbours of one shape.
struct Part {
  ShapeId shape = 0;
  std::int64_t count = 0;

  auto operator<=>(const Part &) const = default;
};

/// How one value comes about.
struct Shape {
  enum class Kind : std::uint8_t {
    Element, // of the reduced sequence (a product, below a fused stage)
    Literal, // a start or a pad
    Result,  // one value that a stage emits
  };
  Kind kind = Kind::Element;
  double literal = 0.0;      // Literal
  std::size_t stage = 0;     // Result: index into the tree's steps
  std::vector<Part> parts;   // Result: what is folded, in order; starts and pads included
  std::int64_t inputs = 0;   // Result: values folded, the sum of the parts' counts
  std::int64_t elements = 1; // elements of the reduced sequence below it
  TreeStats stats;
};

class Tree {
public:
  /// The longest sequence a tree is built for.
  static constexpr std::int64_t kMaxLength = std::int64_t{1} << 40;

  /// Nothing, and the reason in `*error` (which may be null), when the order is malformed or the
  /// length lies outside [1, kMaxLength].
  static std::optional<Tree> make(const Order &order, std::int64_t length, std::string *error);

  const Order &order() const { return order_; }
  /// The order's folds: a `first` is part of the stage after it.
  const std::vector<Step> &steps() const { return steps_; }
  std::int64_t length() const { return length_; }
  const Shape &shape(ShapeId id) const { return shapes_[id]; }
  std::size_t shapeCount() const { return shapes_.size(); }

  /// The values before step `level` (0: the elements); level == number of steps: the one result.
  const std::vector<Part> &values(std::size_t level) const { return levels_[level]; }
  std::int64_t valueCount(std::size_t level) const;
  ShapeId root() const { return levels_.back().front().shape; }
  TreeStats stats() const { return shape(root()).stats; }

private:
  friend class TreeBuilder;
  Order order_;
  std::vector<Step> steps_;
  std::int64_t length_ = 0;
  std::vector<Shape> shapes_;
  std::vector<std::vector<Part>> levels_;
};

} // namespace ordo::dsl
