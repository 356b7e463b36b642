#include "dsl/order/sketch.h"

#include "dsl/order/fold.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

namespace ordo::dsl {

namespace {

using Kind = Stage::Kind;
using NodeId = std::uint32_t;

constexpr std::int64_t kWholeInputs = 9; // a chain with more shows its first few and its last
constexpr std::int64_t kWholeTips = 8; // a tree with more shows its last levels and folds the rest
constexpr double kRow = 26.0;          // between a node and its parent
constexpr double kChainRow = 22.0;
constexpr double kFusedRow = 44.0; // many edges need room to bend
constexpr double kCharacter = 6.7; // of the 11-pixel monospace the labels are set in

bool isFused(Kind kind) { return kind == Kind::Fma || kind == Kind::Mma; }

/// `fma`, or `fma: bf16` where every step rounds: a ring would say that the run's result does.
std::string fusedLabel(const Stage &stage) {
  return toString(Stage{stage.kind, 0, 1, 1, stage.round, {}, {}});
}

/// Adds nodes, children first.
class SketchBuilder {
public:
  Sketch sketch;

  NodeId leaf(SketchNode::Kind kind, std::string label, std::size_t level,
              std::string detail = "") {
    SketchNode node;
    node.kind = kind;
    node.label = std::move(label);
    node.detail = std::move(detail);
    node.stage = level;
    return add(std::move(node));
  }

  NodeId inner(SketchNode::Kind kind, std::size_t stage, const std::vector<NodeId> &children) {
    SketchNode node;
    node.kind = kind;
    node.stage = stage;
    for (NodeId child : children)
      node.children.push_back(ownLiteral(child));
    return add(std::move(node));
  }

  /// What `stage: T` does to a value on its way out; rounding twice is rounding once.
  NodeId round(NodeId id, std::size_t stage) {
    SketchNode &node = sketch.nodes[id];
    const bool own = !node.children.empty() && node.stage == stage;
    if (own || node.kind == SketchNode::Kind::Folded) {
      node.rounded = true;
      return id;
    }
    const NodeId passed = inner(SketchNode::Kind::Round, stage, {id});
    sketch.nodes[passed].rounded = true;
    return passed;
  }

private:
  NodeId add(SketchNode node) {
    sketch.nodes.push_back(std::move(node));
    sketch.root = static_cast<NodeId>(sketch.nodes.size() - 1);
    return sketch.root;
  }

  /// A fold pads with copies of one value; a drawing needs a node for each.
  NodeId ownLiteral(NodeId id) {
    if (sketch.nodes[id].kind != SketchNode::Kind::Literal || placedLiterals_.insert(id).second)
      return id;
    return add(SketchNode(sketch.nodes[id]));
  }

  std::set<NodeId> placedLiterals_;
};

double slotWidth(const SketchNode &node) {
  switch (node.kind) {
  case SketchNode::Kind::Gap:
    return std::max(40.0, characters(node.label) * 5.6 + 14.0);
  case SketchNode::Kind::Folded:
    return std::max(58.0, characters(node.detail) * 5.6 + 12.0);
  default:
    return std::max(30.0, characters(node.label) * kCharacter + 18.0);
  }
}

/// Tips side by side in reading order; a parent one row below its lower child, and below every
/// earlier stage's nodes when `zones`.
void layOut(Sketch &sketch, std::size_t stages, bool zones) {
  std::vector<NodeId> pending{sketch.root};
  double x = 0.0;
  while (!pending.empty()) { // depth first, left to right: tips come in reading order
    SketchNode &node = sketch.nodes[pending.back()];
    pending.pop_back();
    if (node.children.empty()) {
      const double slot = slotWidth(node);
      node.x = x + slot / 2;
      node.y = kTipHeight / 2;
      x += slot;
    }
    pending.insert(pending.end(), node.children.rbegin(), node.children.rend());
  }
  sketch.width = x;
  sketch.stageBottom.assign(stages, 0.0);
  double floor = kTipHeight;
  for (std::size_t stage = 0; stage < stages; ++stage) {
    double bottom = floor;
    for (SketchNode &node : sketch.nodes) {
      if (node.children.empty() || node.stage != stage)
        continue;
      double y = zones && stage > 0 ? floor + 10.0 : 0.0;
      double sum = 0.0;
      for (NodeId child : node.children) {
        const SketchNode &below = sketch.nodes[child];
        y = std::max(y, below.kind == SketchNode::Kind::Folded ? below.y + 34.0 : below.y);
        sum += below.x;
      }
      node.y = y + (node.kind == SketchNode::Kind::Fused ? kFusedRow
                    : node.chained                       ? kChainRow
                                                         : kRow);
      // A start or a pad stands where it is used; the start of a fused run among its products.
      const bool lowers = zones && node.kind != SketchNode::Kind::Fused;
      for (NodeId child : node.children)
        if (lowers && sketch.nodes[child].kind == SketchNode::Kind::Literal)
          sketch.nodes[child].y = std::max(kTipHeight / 2, node.y - 10.0);
      node.x = node.chained ? sketch.nodes[node.children.back()].x
                            : sum / static_cast<double>(node.children.size());
      bottom = std::max(bottom, node.y + 16.0);
    }
    if (zones) { // the first and the last band have margins of their own
      const bool last = stage + 1 == stages;
      bottom = std::max(bottom, stage == 0 ? kBandHeight - 10.0
                                           : floor + kBandHeight - (last ? 40.0 : 0.0));
      floor = bottom;
    }
    sketch.stageBottom[stage] = bottom;
    sketch.height = std::max(sketch.height, bottom);
  }
}

/// One result of one stage.
class GroupSketch {
public:
  GroupSketch(const Tree &tree, const Labels &labels, const Group &group)
      : tree_(tree), labels_(labels), group_(group), stage_(tree.steps()[group.stage].stage),
        size_(labels.inputs(group)) {}

  Sketch sketch() {
    const bool isTree =
        stage_.kind == Kind::Pairs || stage_.kind == Kind::Halves || stage_.kind == Kind::Mid;
    depth_ = size_ <= 2 * kWholeTips ? 64 : std::bit_width(std::uint64_t{kWholeTips}) - 1;
    if (isFused(stage_.kind))
      fused();
    else if (!isTree)
      chain();
    else if (stage_.kind == Kind::Halves)
      halves(0, 1, 0);
    else if (stage_.kind == Kind::Pairs)
      pairs(std::bit_width(static_cast<std::uint64_t>(size_ - 1)), 0, 0);
    else
      mid(0, size_, 0);
    layOut(out_.sketch, tree_.steps().size(), false);
    return std::move(out_.sketch);
  }

private:
  NodeId tip(std::int64_t p) {
    const bool literal = labels_.isLiteral(group_, p);
    return out_.leaf(literal ? SketchNode::Kind::Literal : SketchNode::Kind::Tip,
                     labels_.input(group_, p), group_.stage);
  }

  NodeId emit(NodeId id) { return stage_.round ? out_.round(id, group_.stage) : id; }

  /// The inputs of a chain, the middle of a long one as a gap.
  std::vector<NodeId> chainTips() {
    std::vector<NodeId> tips;
    const std::int64_t shown = size_ <= kWholeInputs ? size_ : 3;
    for (std::int64_t p = 0; p < shown; ++p)
      tips.push_back(tip(p));
    if (shown < size_) {
      if (size_ - shown > 1)
        tips.push_back(out_.leaf(SketchNode::Kind::Gap,
                                 fmt::format("{} more", grouped(size_ - shown - 1)), group_.stage));
      tips.push_back(tip(size_ - 1));
    }
    return tips;
  }

  void chain() {
    const std::vector<NodeId> tips = chainTips();
    NodeId sum = tips.front();
    if (tips.size() == 1)
      emit(sum);
    for (std::size_t i = 1; i < tips.size(); ++i) {
      sum = out_.inner(SketchNode::Kind::Merge, group_.stage, {sum, tips[i]});
      out_.sketch.nodes[sum].chained = true;
      emit(sum);
    }
  }

  void fused() {
    const NodeId run = out_.inner(SketchNode::Kind::Fused, group_.stage, chainTips());
    out_.sketch.nodes[run].label = fusedLabel(stage_);
  }

  NodeId merge(NodeId left, NodeId right) {
    return emit(out_.inner(SketchNode::Kind::Merge, group_.stage, {left, right}));
  }

  NodeId folded(std::int64_t count, std::string indices) {
    return emit(
        out_.leaf(SketchNode::Kind::Folded, grouped(count), group_.stage, std::move(indices)));
  }

  std::string contiguous(std::int64_t begin, std::int64_t end) const {
    return fmt::format("{}: {}…{}", labels_.letter(group_.stage), begin, end - 1);
  }

  /// Indices i, i + h, i + 2h, …: halves is the tree whose node (i, h) merges (i, 2h) and (i + h,
  /// 2h).
  NodeId halves(std::int64_t i, std::int64_t h, int depth) {
    const std::int64_t count = (size_ - i + h - 1) / h;
    if (count == 1)
      return i == 0 && size_ == 1 ? emit(tip(i)) : passedTip(i);
    const std::string &letter = labels_.letter(group_.stage);
    if (depth == depth_)
      return folded(count, fmt::format("{}: {},{}…{}", letter, i, i + h, i + (count - 1) * h));
    const NodeId left = halves(i, 2 * h, depth + 1);
    const NodeId right = halves(i + h, 2 * h, depth + 1);
    return merge(left, right);
  }

  /// With a rounding, an element that had no partner at the first stride has been rounded.
  NodeId passedTip(std::int64_t i) {
    const auto m = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(size_)));
    return i + m / 2 < size_ || i >= m / 2 ? tip(i) : emit(tip(i));
  }

  NodeId pairs(int level, std::int64_t i, int depth) {
    const std::int64_t begin = i << level;
    const std::int64_t end = std::min(size_, (i + 1) << level);
    if (end - begin == 1)
      return level > 0 || size_ == 1 ? emit(tip(begin)) : tip(begin);
    if (depth == depth_)
      return folded(end - begin, contiguous(begin, end));
    const NodeId left = pairs(level - 1, 2 * i, depth + 1);
    if (((2 * i + 1) << (level - 1)) >= size_)
      return emit(left);
    return merge(left, pairs(level - 1, 2 * i + 1, depth + 1));
  }

  NodeId mid(std::int64_t begin, std::int64_t end, int depth) {
    if (end - begin == 1)
      return emit(tip(begin));
    if (depth == depth_ || end - begin <= stage_.leaf)
      return folded(end - begin, contiguous(begin, end));
    const std::int64_t split = begin + (end - begin) / 2;
    const NodeId left = mid(begin, split, depth + 1);
    return merge(left, mid(split, end, depth + 1));
  }

  const Tree &tree_;
  const Labels &labels_;
  const Group &group_;
  const Stage &stage_;
  std::int64_t size_;
  int depth_ = 0;
  SketchBuilder out_;
};

/// Callbacks that build nodes instead of values.
struct NodeOps {
  SketchBuilder &out;
  std::size_t stage;
  bool chained;

  NodeId add(NodeId left, NodeId right) const {
    const NodeId id = out.inner(SketchNode::Kind::Merge, stage, {left, right});
    out.sketch.nodes[id].chained = chained;
    return id;
  }
  NodeId round(NodeId id, DType) const { return out.round(id, stage); }
  NodeId literal(double value) const {
    return out.leaf(SketchNode::Kind::Literal, literalText(value), stage);
  }
};

std::vector<NodeId> fusedRuns(SketchBuilder &out, const Stage &stage,
                              const std::vector<NodeId> &products) {
  const std::size_t n = stage.n == 0 ? products.size() : static_cast<std::size_t>(stage.n);
  std::vector<NodeId> runs;
  for (std::size_t begin = 0; begin < products.size(); begin += n) {
    const std::size_t end = std::min(begin + n, products.size());
    std::vector<NodeId> parts(products.begin() + static_cast<std::ptrdiff_t>(begin),
                              products.begin() + static_cast<std::ptrdiff_t>(end));
    if (stage.start)
      parts.insert(parts.begin(),
                   out.leaf(SketchNode::Kind::Literal, literalText(*stage.start), 0));
    const NodeId run = out.inner(SketchNode::Kind::Fused, 0, parts);
    out.sketch.nodes[run].label = fusedLabel(stage);
    runs.push_back(run);
  }
  return runs;
}

} // namespace

Sketch sketchGroup(const Tree &tree, const Labels &labels, const Group &group) {
  return GroupSketch(tree, labels, group).sketch();
}

Sketch sketchLeaf(const Tree &tree, const Labels &labels, std::size_t stage, std::int64_t size) {
  SketchBuilder out;
  const auto tip = [&](std::int64_t j) {
    return out.leaf(
        SketchNode::Kind::Tip,
        fmt::format("{}[i{}]", labels.letter(stage), j == 0 ? "" : fmt::format("+{}", j)), stage);
  };
  std::vector<NodeId> tips;
  const std::int64_t shown = size <= 6 ? size : 3;
  for (std::int64_t j = 0; j < shown; ++j)
    tips.push_back(tip(j));
  if (shown < size) {
    tips.push_back(
        out.leaf(SketchNode::Kind::Gap, fmt::format("{} more", grouped(size - shown - 1)), stage));
    tips.push_back(tip(size - 1));
  }
  NodeId sum = tips.front();
  for (std::size_t i = 1; i < tips.size(); ++i)
    sum = NodeOps{out, stage, true}.add(sum, tips[i]);
  if (tree.steps()[stage].stage.round)
    out.round(sum, stage);
  layOut(out.sketch, tree.steps().size(), false);
  return std::move(out.sketch);
}

Sketch sketchWhole(const Tree &tree, const Labels &labels) {
  SketchBuilder out;
  std::vector<NodeId> values;
  for (std::int64_t i = 0; i < tree.length(); ++i)
    values.push_back(out.leaf(SketchNode::Kind::Tip, fmt::format("{}{}", labels.letter(0), i), 0));
  const std::vector<Step> &steps = tree.steps();
  for (std::size_t index = 0; index < steps.size(); ++index) {
    const Stage &stage = steps[index].stage;
    if (isFused(stage.kind)) {
      values = fusedRuns(out, stage, values);
      continue;
    }
    const bool chained = stage.kind == Kind::Seq || stage.kind == Kind::Lanes;
    NodeOps ops{out, index, chained};
    values = detail::StageFold<NodeId, NodeOps>(steps[index], ops).apply(std::move(values));
  }
  out.sketch.root = values.front();
  layOut(out.sketch, steps.size(), true);
  return std::move(out.sketch);
}

} // namespace ordo::dsl
