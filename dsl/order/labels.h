// How drawings name values, indices and shapes; shared by the text and the SVG.
#pragma once

#include "dsl/order/draw.h"
#include "dsl/order/tree.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ordo::dsl {

/// The results of one stage that have one shape and whose inputs lie alike: a short first run is a
/// group of its own.
struct Group {
  std::size_t stage = 0; // index into the tree's steps
  ShapeId shape = 0;
  std::int64_t count = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>>
      ranges; // [first, last] result indices, in order
};

/// The distinct results of stage `stage`, by first appearance.
std::vector<Group> groupsOf(const Tree &tree, std::size_t stage);

class Labels {
public:
  Labels(const Tree &tree, const DrawOptions &options);

  /// The letter of the values before stage `level`; level == number of stages: the result's.
  const std::string &letter(std::size_t level) const { return letters_[level]; }
  /// `a[17]`; the final result is a bare letter.
  std::string value(std::size_t level, std::int64_t index) const;
  /// What the group's results are called: `a[r]`, or `a[17]` when there is one.
  std::string result(const Group &group) const;
  /// The index within the brackets of the j-th value folded into the group's result: `8r+1`,
  /// `r+128`, `17`.
  std::string inputIndex(const Group &group, std::int64_t j) const;
  /// `r = 0 … 63, 65 … 127`; empty when there is one result.
  std::string where(const Group &group) const;
  /// How many values, starts and pads included, fold into one result.
  std::int64_t inputs(const Group &group) const;
  /// The p-th of inputs(group): a value (`a[8r+1]`), a start or a pad.
  std::string input(const Group &group, std::int64_t p) const;
  /// Whether the p-th input is a start or a pad.
  bool isLiteral(const Group &group, std::int64_t p) const;
  /// What the fold is, in words: `left fold of 8`, `short run of 3: left fold`, `passes`.
  std::string kind(const Group &group) const;
  /// Strides, levels or splits of a tree-shaped fold and where values pass; empty for chains.
  std::vector<std::string> treeDetails(const Group &group) const;
  /// What sets the group's inputs apart, when they are not all alike: `a[448] is a short run`.
  std::string raggedInputs(const Group &group) const;
  /// `3583 adds`, `1 add`, `12 applications of max`.
  std::string operationCount(std::int64_t count) const;
  /// operation applied to two texts.
  std::string apply(const std::string &left, const std::string &right) const;

private:
  const Stage &stageOf(const Group &group) const { return tree_.steps()[group.stage].stage; }
  std::int64_t startCount(const Group &group) const;

  const Tree &tree_;
  const DrawOptions &options_;
  std::vector<std::string> letters_;
};

/// Whether the whole expression is short enough to be shown: a few elements, and as few starts and
/// pads, of which a short sequence can have a million.
bool isShownWhole(const Tree &tree, const DrawOptions &options);

/// A leaf size or subtree size and how many there are.
using SizeCounts = std::map<std::int64_t, std::int64_t>;

/// The sizes into which `mid` cuts `size` values down to `leaf` or fewer.
SizeCounts midLeaves(std::int64_t size, std::int64_t leaf);

/// Characters of UTF-8 text.
double characters(std::string_view text);

/// 152064 as `152,064`.
std::string grouped(std::int64_t value);

} // namespace ordo::dsl
