// 1. Collect the tree and what it folds.
// 2. Put what is folded at its position: all values are the first one, moved.
// 3. Find the stages, from the values outward: propose what the first value's chain of users shows,
//    apply the stage to all of them by the laws' constructors, and go on if every result is an
//    operation of the tree. A proposal that is wrong leaves the tree; so what is found is proven.
#include "compiler/verify/describe/reduction.h"

#include "dsl/order/fold.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <map>

namespace ordo::verify {
namespace {

using dsl::Stage;

constexpr std::size_t kMostStages = 12;

/// Not a value of the tree.
struct Outside {};

/// What a stage's fold does to terms (dsl/order/fold.h).
struct Replay {
  Terms &terms;
  const FoldTree &tree;

  NodeId known(NodeId node) const {
    if (!tree.inside.contains(node) && terms.pool().node(node).kind != Kind::Constant)
      throw Outside{};
    return node;
  }
  NodeId add(NodeId left, NodeId right) const {
    return known(terms.fadd(tree.format, left, right));
  }
  NodeId round(NodeId, dsl::DType) const { throw Outside{}; }
  NodeId literal(double value) const {
    if (tree.format == dsl::DType::F64)
      return terms.floatConstant(tree.format, std::bit_cast<std::uint64_t>(value));
    if (tree.format != dsl::DType::F32)
      throw Outside{};
    return terms.floatConstant(tree.format,
                               std::bit_cast<std::uint32_t>(static_cast<float>(value)));
  }
};

class Recogniser {
public:
  Recogniser(Terms &terms, const FoldTree &tree, Reduction &result)
      : terms_(terms), tree_(tree), replay_{terms, tree}, result_(result) {}

  void run() {
    if (tree_.isFused) {
      fused();
      return;
    }
    std::vector<NodeId> values;
    for (const Folded &value : tree_.values)
      values.push_back(value[0]);
    if (search(values))
      finish();
  }

private:
  // Stages of additions.
  bool search(const std::vector<NodeId> &values) {
    if (values.size() == 1)
      return values[0] == tree_.root;
    if (stages_.size() == kMostStages)
      return false;
    for (const Stage &stage : proposals(values)) {
      std::vector<NodeId> next;
      try {
        next = dsl::detail::StageFold<NodeId, Replay>(stage, replay_).apply(values);
      } catch (const Outside &) {
        continue;
      }
      if (next.size() == values.size())
        continue;
      stages_.push_back(stage);
      if (search(next))
        return true;
      stages_.pop_back();
    }
    return false;
  }

  /// The positions that are added to the first value in turn, constants aside.
  std::vector<std::size_t> chainOf(const std::vector<NodeId> &values) const {
    std::unordered_map<NodeId, std::size_t> positions;
    for (std::size_t k = 0; k < values.size(); ++k)
      positions.emplace(values[k], k);
    std::vector<std::size_t> chain = {0};
    for (NodeId at = values[0];;) {
      const NodeId user = onlyUser(at);
      if (user == at || terms_.pool().node(user).kind != Kind::FAdd)
        return chain;
      const auto args = terms_.pool().args(user);
      const NodeId other = args[0] == at ? args[1] : args[0];
      if (terms_.pool().node(other).kind != Kind::Constant) {
        const auto it = positions.find(other);
        if (it == positions.end() || it->second <= chain.back())
          return chain;
        chain.push_back(it->second);
      }
      at = user;
    }
  }

  NodeId onlyUser(NodeId node) const {
    const auto it = tree_.users.find(node);
    return it == tree_.users.end() ? node : it->second.front();
  }

  std::vector<Stage> proposals(const std::vector<NodeId> &values) const {
    const std::vector<std::size_t> chain = chainOf(values);
    std::vector<Stage> all;
    const auto length = static_cast<std::int64_t>(values.size());
    const auto propose = [&](Stage::Kind kind, std::int64_t n, std::int64_t w = 1) {
      all.push_back({.kind = kind, .n = n, .w = w, .round = {}, .start = {}, .pad = {}});
    };
    trees(chain, length, propose);
    chains(chain, length, propose);
    if (!tree_.literals.empty())
      withLiteral(all, length);
    return all;
  }

  template <class Propose>
  static void trees(const std::vector<std::size_t> &chain, std::int64_t length, Propose propose) {
    for (const Stage::Kind kind : {Stage::Kind::Halves, Stage::Kind::Pairs, Stage::Kind::Mid})
      if (length > 2)
        propose(kind, 0);
    if (chain.size() > 1)
      propose(Stage::Kind::Halves, 2 * static_cast<std::int64_t>(chain[1]));
    for (std::int64_t n = 4; n < length; n *= 2)
      propose(Stage::Kind::Pairs, n);
  }

  /// A chain of neighbours is a run; one with gaps is a lane.
  template <class Propose>
  static void chains(const std::vector<std::size_t> &positions, std::int64_t length,
                     Propose propose) {
    std::size_t width = 1;
    while (width < positions.size() && positions[width] == width)
      ++width;
    const auto run = static_cast<std::int64_t>(width);
    propose(Stage::Kind::Seq, run == length ? 0 : run);
    if (width < positions.size())
      propose(Stage::Kind::Lanes, static_cast<std::int64_t>(positions[width]) / run, run);
  }

  /// The same from 0.0, or padded with it.
  static void withLiteral(std::vector<Stage> &all, std::int64_t length) {
    const std::size_t count = all.size();
    for (std::size_t k = 0; k < count; ++k) {
      Stage stage = all[k];
      (stage.kind == Stage::Kind::Seq || stage.kind == Stage::Kind::Lanes ? stage.start
                                                                          : stage.pad) = 0.0;
      all.push_back(stage);
    }
    for (std::int64_t n = 2; n <= 1024; n *= 2)
      if (n > length)
        all.push_back({.kind = Stage::Kind::Halves, .n = n, .round = {}, .start = {}, .pad = 0.0});
  }

  // A first stage of fused steps.
  void fused() {
    const std::vector<std::size_t> positions = fusedChain();
    std::size_t width = 1;
    while (width < positions.size() && positions[width] == width)
      ++width;
    const std::size_t length = tree_.values.size();
    const std::size_t lanes = width < positions.size() ? positions[width] / width : 0;
    for (const bool fromZero : {false, true}) {
      std::vector<NodeId> values;
      try {
        values = lanes != 0 ? fusedLanes(lanes, width, fromZero) : fusedRuns(width, fromZero);
      } catch (const Outside &) {
        continue;
      }
      const std::string from = fromZero ? ".from(0.0)" : "";
      first_ = lanes != 0        ? fusedLanesText(lanes, width) + from
               : width == length ? "fma" + from
                                 : fmt::format("fma({}){}", width, from);
      isOrdo_ = lanes == 0 && !fromZero;
      if (search(values)) {
        finish();
        return;
      }
    }
  }

  /// No order of the language says it: there, fused steps belong to a run of neighbours.
  static std::string fusedLanesText(std::size_t lanes, std::size_t width) {
    return width == 1 ? fmt::format("fma lanes({})", lanes)
                      : fmt::format("fma lanes({}, {})", lanes, width);
  }

  /// The positions of the products that join the first one's accumulator in turn.
  std::vector<std::size_t> fusedChain() const {
    std::map<Folded, std::size_t> positions;
    for (std::size_t k = 0; k < tree_.values.size(); ++k)
      positions.emplace(tree_.values[k], k);
    const Folded &first = tree_.values[0];
    if (first.size() != 2)
      return {0};
    NodeId at = terms_.fmul(tree_.format, first[0], first[1]);
    if (!tree_.users.contains(at))
      at = terms_.ffma(tree_.format, first[0], first[1], replay_.literal(0.0));
    std::vector<std::size_t> chain = {0};
    while (true) {
      const NodeId user = onlyUser(at);
      if (user == at || terms_.pool().node(user).kind != Kind::FFma)
        return chain;
      const auto args = terms_.pool().args(user);
      const auto it = positions.find({args[0], args[1]});
      if (it == positions.end() || it->second <= chain.back())
        return chain;
      chain.push_back(it->second);
      at = user;
    }
  }

  NodeId fusedStep(std::optional<NodeId> sum, std::size_t position, bool fromZero) const {
    const Folded &value = tree_.values[position];
    if (value.size() != 2)
      throw Outside{};
    if (!sum && !fromZero) {
      const NodeId product = terms_.fmul(tree_.format, value[0], value[1]);
      return tree_.users.contains(product) ? product : replay_.known(product);
    }
    return replay_.known(
        terms_.ffma(tree_.format, value[0], value[1], sum ? *sum : replay_.literal(0.0)));
  }

  std::vector<NodeId> fusedRuns(std::size_t width, bool fromZero) const {
    std::vector<NodeId> sums;
    for (std::size_t begin = 0; begin < tree_.values.size(); begin += width) {
      std::optional<NodeId> sum;
      for (std::size_t k = begin; k < std::min(begin + width, tree_.values.size()); ++k)
        sum = fusedStep(sum, k, fromZero);
      sums.push_back(*sum);
    }
    return sums;
  }

  std::vector<NodeId> fusedLanes(std::size_t lanes, std::size_t width, bool fromZero) const {
    std::vector<std::optional<NodeId>> sums(std::min(lanes, tree_.values.size()));
    for (std::size_t k = 0; k < tree_.values.size(); ++k) {
      std::optional<NodeId> &sum = sums[k / width % lanes];
      sum = fusedStep(sum, k, fromZero);
    }
    std::vector<NodeId> values;
    for (const std::optional<NodeId> &sum : sums)
      values.push_back(sum ? *sum : throw Outside{});
    return values;
  }

  /// The spelling, and the order where the language has it.
  void finish() {
    if (!stages_.empty() && !stages_.back().isTotal())
      stages_.push_back({.kind = Stage::Kind::Seq, .round = {}, .start = {}, .pad = {}});
    if (!first_.empty())
      result_.stages.push_back(first_);
    for (const Stage &stage : stages_)
      result_.stages.push_back(toString(stage));
    std::string text, error;
    for (const std::string &stage : result_.stages)
      text += (text.empty() ? "" : " | ") + stage;
    if (isOrdo_)
      if (auto order = dsl::parseOrder(text, &error); order && !malformed(*order))
        result_.order = std::move(order);
  }

  Terms &terms_;
  const FoldTree &tree_;
  Replay replay_;
  Reduction &result_;
  std::vector<Stage> stages_;
  std::string first_; // the fused stage
  bool isOrdo_ = true;
};

/// Positions 0, 1, …: every value is the first one, moved by a multiple of one distance.
bool place(const Terms &terms, FoldTree &tree, Reduction &result) {
  std::vector<std::pair<std::int64_t, Folded>> placed;
  for (const Folded &value : tree.values) {
    const auto motion = motionOf(terms, tree.values[0], value);
    if (!motion || (!motion->distance && value != tree.values[0]))
      return false;
    placed.emplace_back(motion->distance.value_or(0), value);
  }
  std::ranges::sort(placed);
  const std::int64_t stride = placed[1].first - placed[0].first;
  for (std::size_t k = 0; k < placed.size(); ++k) {
    if (stride <= 0 || placed[k].first - placed[0].first != static_cast<std::int64_t>(k) * stride)
      return false;
    tree.values[k] = placed[k].second;
  }
  const auto motion = motionOf(terms, tree.values[0], tree.values[1]);
  if (!motion)
    return false;
  result.first = tree.values[0];
  result.moving.insert(motion->moving.begin(), motion->moving.end());
  result.stride = stride;
  return true;
}

} // namespace

std::optional<Reduction> reductionOf(Terms &terms, FoldTree tree) {
  Reduction result;
  if (!place(terms, tree, result))
    return std::nullopt;
  const Kind kind = terms.pool().node(tree.root).kind;
  result.length = static_cast<std::int64_t>(tree.values.size());
  result.depth = tree.depth;
  if (kind == Kind::FMax || kind == Kind::FMaxSet || kind == Kind::FMin || kind == Kind::FMinSet) {
    result.kind =
        kind == Kind::FMax || kind == Kind::FMaxSet ? Reduction::Kind::Max : Reduction::Kind::Min;
    return result;
  }
  result.kind = tree.isFused ? Reduction::Kind::Dot : Reduction::Kind::Sum;
  Recogniser(terms, tree, result).run();
  return result;
}

} // namespace ordo::verify
