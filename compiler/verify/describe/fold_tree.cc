#include "compiler/verify/describe/fold_tree.h"

#include <algorithm>

namespace ordo::verify {
namespace {

constexpr int kDeepest = 1000; // of what is folded
constexpr std::size_t kMostValues = std::size_t{1} << 20;

class Collector {
public:
  explicit Collector(const Terms &terms) : pool_(terms.pool()) {}

  std::optional<FoldTree> run(NodeId root) {
    const Node top = pool_.node(root);
    isSum_ = top.kind == Kind::FAdd || top.kind == Kind::FFma;
    if (!isSum_ && top.kind != Kind::FMax && top.kind != Kind::FMin && top.kind != Kind::FMaxSet &&
        top.kind != Kind::FMinSet)
      return std::nullopt;
    tree_.root = root;
    tree_.format = top.sort.format;
    kind_ = top.kind;
    // Each occurrence counts: a value that is folded twice is two values.
    std::vector<std::pair<NodeId, std::int64_t>> open = {{root, 0}};
    while (!open.empty()) {
      const auto [node, depth] = open.back();
      open.pop_back();
      if (tree_.values.size() > kMostValues)
        return std::nullopt;
      tree_.depth = std::max(tree_.depth, depth);
      visit(node, depth, open);
    }
    if (tree_.isFused)
      splitProducts();
    if (tree_.values.size() < 3)
      return std::nullopt;
    return std::move(tree_);
  }

private:
  bool folds(const Node &n) const {
    if (n.sort.format != tree_.format)
      return false;
    return isSum_ ? n.kind == Kind::FAdd || n.kind == Kind::FFma : n.kind == kind_;
  }

  void visit(NodeId id, std::int64_t depth, std::vector<std::pair<NodeId, std::int64_t>> &open) {
    const Node n = pool_.node(id);
    const auto args = pool_.args(id);
    if (!folds(n)) {
      if (n.kind == Kind::Constant)
        tree_.literals.push_back(id);
      else
        tree_.values.push_back({id});
      return;
    }
    const bool isNew = tree_.inside.insert(id).second;
    const std::size_t first = n.kind == Kind::FFma ? 2 : 0;
    if (first == 2) {
      tree_.isFused = true;
      tree_.values.push_back({args[0], args[1]});
    }
    for (std::size_t k = first; k < args.size(); ++k) {
      if (isNew)
        tree_.users[args[k]].push_back(id);
      open.emplace_back(args[k], depth + 1);
    }
  }

  /// The first product of a fused run may be rounded by itself.
  void splitProducts() {
    for (Folded &value : tree_.values)
      if (value.size() == 1 && pool_.node(value[0]).kind == Kind::FMul) {
        const auto factors = pool_.args(value[0]);
        value.assign(factors.begin(), factors.end());
      }
  }

  const Pool &pool_;
  FoldTree tree_;
  bool isSum_ = false;
  Kind kind_ = Kind::FAdd;
};

/// Walks two expressions at once.
class Comparison {
public:
  explicit Comparison(const Terms &terms) : pool_(terms.pool()), affine_(terms.affine()) {}

  bool equal(NodeId a, NodeId b, int depth = 0) {
    if (a == b)
      return true;
    if (depth > kDeepest || !isMoved(a, b, depth))
      return false;
    motion.moving.push_back(a);
    return true;
  }

  Motion motion;

private:
  bool isMoved(NodeId a, NodeId b, int depth) {
    const Node x = pool_.node(a), y = pool_.node(b);
    if (x.kind != y.kind || !(x.sort == y.sort) || x.argCount != y.argCount)
      return false;
    if (x.kind == Kind::Input)
      return x.payload == y.payload &&
             hasMoved(payloadOf(pool_.args(a)[0]), payloadOf(pool_.args(b)[0]), 1);
    if (x.kind == Kind::AtLeastZero || x.kind == Kind::IsZero) // C - k - 1 >= 0
      return hasMoved(static_cast<AffineId>(x.payload), static_cast<AffineId>(y.payload), -1);
    if (x.payload != y.payload || x.argCount == 0)
      return false;
    const Motion before = motion;
    if (operandsEqual(a, b, false, depth))
      return true;
    motion = before; // operands that commute stand in the order in which they came about
    return commutes(x.kind) && operandsEqual(a, b, true, depth);
  }

  static bool commutes(Kind kind) {
    return kind == Kind::FAdd || kind == Kind::FMul || kind == Kind::FFma || kind == Kind::FMax ||
           kind == Kind::FMin;
  }

  /// In turn, or with the first two of `b` exchanged.
  bool operandsEqual(NodeId a, NodeId b, bool exchanged, int depth) {
    const auto x = pool_.args(a), y = pool_.args(b);
    for (std::size_t k = 0; k < x.size(); ++k)
      if (!equal(x[k], y[exchanged && k < 2 ? 1 - k : k], depth + 1))
        return false;
    return true;
  }

  AffineId payloadOf(NodeId integer) const {
    return static_cast<AffineId>(pool_.node(integer).payload);
  }

  /// The forms differ by a constant, which is that of every other.
  bool hasMoved(AffineId a, AffineId b, std::int64_t sign) {
    const Affine &x = affine_.form(a), &y = affine_.form(b);
    const std::int64_t distance = sign * (y.constant - x.constant);
    if (x.terms != y.terms || motion.distance.value_or(distance) != distance)
      return false;
    motion.distance = distance;
    return true;
  }

  const Pool &pool_;
  const AffinePool &affine_;
};

} // namespace

std::optional<FoldTree> foldTreeAt(const Terms &terms, NodeId root) {
  return Collector(terms).run(root);
}

std::optional<Motion> motionOf(const Terms &terms, const Folded &first, const Folded &other) {
  if (first.size() != other.size())
    return std::nullopt;
  Comparison comparison(terms);
  for (std::size_t k = 0; k < first.size(); ++k)
    if (!comparison.equal(first[k], other[k]))
      return std::nullopt;
  return std::move(comparison.motion);
}

} // namespace ordo::verify
