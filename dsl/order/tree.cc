// Building a tree, stage by stage:
//   1. cut the stage's inputs into the runs or lanes it folds, by arithmetic on (shape, count)
//   parts;
//   2. add starts and pads as literal parts;
//   3. give equal part lists of one stage one shape, and compute its statistics once.
#include "dsl/order/tree.h"

#include "dsl/order/repeated.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>

namespace ordo::dsl {

namespace {

using Kind = Stage::Kind;

TreeStats merge(const TreeStats &a, const TreeStats &b) {
  return {a.adds + b.adds + 1, std::max(a.depth, b.depth) + 1};
}

/// The statistics of one fold over values whose own are given.
class StatsFold {
public:
  explicit StatsFold(const Stage &stage) : stage_(stage) {}

  TreeStats fold(const Repeated<TreeStats> &values) {
    switch (stage_.kind) {
    case Kind::Pairs:
      return pairs(values);
    case Kind::Halves:
      return halves(values);
    case Kind::Mid:
      return mid(values);
    case Kind::Fma:
    case Kind::Mma:
      return fused(values);
    default:
      return chain(values);
    }
  }

private:
  static TreeStats chain(const Repeated<TreeStats> &values) {
    TreeStats sum = values.front();
    std::int64_t skip = 1;
    for (const auto &[value, count] : values) {
      const std::int64_t adds = count - std::exchange(skip, 0);
      if (adds == 0)
        continue;
      sum.adds += adds * (value.adds + 1);
      sum.depth = std::max(sum.depth, value.depth) + adds;
    }
    return sum;
  }

  /// Products accumulate onto the start, which is not one of the parts unless written.
  TreeStats fused(const Repeated<TreeStats> &values) const {
    TreeStats sum = chain(values);
    if (!stage_.start)
      sum = {sum.adds + 1, sum.depth + 1};
    return sum;
  }

  static TreeStats pairs(Repeated<TreeStats> values) {
    while (values.size() > 1) {
      Repeated<TreeStats> next;
      const TreeStats *waiting = nullptr;
      for (const auto &[value, count] : values) {
        std::int64_t left = count;
        if (waiting) {
          next.append(merge(*waiting, value), 1);
          waiting = nullptr;
          --left;
        }
        next.append(merge(value, value), left / 2);
        if (left % 2 != 0)
          waiting = &value;
      }
      if (waiting)
        next.append(*waiting, 1);
      values = std::move(next);
    }
    return values.front();
  }

  static TreeStats halves(Repeated<TreeStats> values) {
    auto half =
        static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(values.size())) / 2);
    for (; half >= 1; half /= 2) {
      const std::int64_t merged = values.size() - half;
      Repeated<TreeStats> next =
          zip(values.slice(0, merged), values.slice(half, values.size()), merge);
      next.append(values.slice(merged, half));
      values = std::move(next);
    }
    return values.front();
  }

  TreeStats mid(const Repeated<TreeStats> &values) {
    const std::int64_t size = values.size();
    if (size <= stage_.leaf)
      return chain(values);
    const auto key = std::tuple(values.front().adds, values.front().depth, size);
    if (values.uniform())
      if (const auto known = uniformMid_.find(key); known != uniformMid_.end())
        return known->second;
    const TreeStats sum = merge(mid(values.slice(0, size / 2)), mid(values.slice(size / 2, size)));
    if (values.uniform())
      uniformMid_.emplace(key, sum);
    return sum;
  }

  const Stage &stage_;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, TreeStats> uniformMid_;
};

} // namespace

class TreeBuilder {
public:
  explicit TreeBuilder(Tree &tree) : tree_(tree) {}

  void build() {
    tree_.shapes_.push_back(Shape{});
    tree_.levels_.push_back({Part{0, tree_.length_}});
    for (index_ = 0; index_ < tree_.steps_.size(); ++index_) {
      step_ = &tree_.steps_[index_];
      stage_ = &step_->stage;
      inputs_ = {};
      for (const Part &part : tree_.levels_.back())
        inputs_.append(part.shape, part.count);
      results_ = {};
      apply();
      std::vector<Part> level;
      for (const auto &[shape, count] : results_)
        level.push_back({shape, count});
      tree_.levels_.push_back(std::move(level));
    }
  }

private:
  void apply() {
    if (stage_->kind == Kind::Lanes)
      return lanes();
    const std::int64_t taken = std::min(step_->first, inputs_.size());
    if (taken > 0)
      emit(inputs_.slice(0, taken), 1);
    runs(inputs_.slice(taken, inputs_.size()));
  }

  /// Runs of n in turn: whole runs within a part are alike, the others are cut one by one.
  void runs(const Repeated<ShapeId> &inputs) {
    const std::int64_t n = stage_->n == 0 ? inputs.size() : stage_->n;
    Repeated<ShapeId> open;
    for (const auto &[shape, count] : inputs) {
      std::int64_t left = count;
      if (open.size() != 0) {
        const std::int64_t taken = std::min(left, n - open.size());
        open.append(shape, taken);
        left -= taken;
      }
      if (open.size() == n)
        emit(std::exchange(open, {}), 1);
      Repeated<ShapeId> whole;
      whole.append(shape, n);
      if (left >= n)
        emit(whole, left / n);
      open.append(shape, left % n);
    }
    if (open.size() != 0)
      emit(open, 1);
  }

  /// Lanes between two neighbouring breakpoints hold the same parts: only where a part ends can a
  /// lane differ from the one before it.
  void lanes() {
    const std::int64_t n = stage_->n;
    const std::int64_t w = stage_->w;
    const std::int64_t count = resultLength(*step_, inputs_.size());
    std::set<std::int64_t> breaks{0};
    std::int64_t place = step_->missing();
    if (place > 0)
      breaks.insert(1 % n); // the short first run is lane 0's
    for (const auto &part : inputs_) {
      place += part.count;
      breaks.insert({place / w % n, (place / w + 1) % n});
    }
    for (auto at = breaks.begin(); at != breaks.end() && *at < count; ++at) {
      const auto next = std::next(at);
      const std::int64_t end = next == breaks.end() ? count : std::min(*next, count);
      emit(lane(*at), end - *at);
    }
  }

  Repeated<ShapeId> lane(std::int64_t r) const {
    const std::int64_t w = stage_->w;
    const std::int64_t round = stage_->n * w;
    const auto before = [&](std::int64_t place) {
      return place / round * w + std::clamp<std::int64_t>(place % round - r * w, 0, w);
    };
    Repeated<ShapeId> parts;
    std::int64_t place = step_->missing();
    for (const auto &[shape, count] : inputs_) {
      parts.append(shape, before(place + count) - before(place));
      place += count;
    }
    return parts;
  }

  /// The inputs of a full run: what `.pad` fills up to. A total tree's is the next power of two.
  std::int64_t fullRun() const {
    if (stage_->kind == Kind::Lanes) {
      const std::int64_t round = stage_->n * stage_->w;
      return (inputs_.size() + round - 1) / round * stage_->w;
    }
    if (stage_->n != 0)
      return stage_->n;
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(inputs_.size())));
  }

  void emit(const Repeated<ShapeId> &run, std::int64_t count) {
    Repeated<ShapeId> parts;
    if (stage_->start)
      parts.append(literal(*stage_->start), 1);
    parts.append(run);
    if (stage_->pad && run.size() < fullRun())
      parts.append(literal(*stage_->pad), fullRun() - run.size());
    results_.append(intern(parts), count);
  }

  ShapeId literal(double value) {
    const auto [known, isNew] = literals_.try_emplace(std::bit_cast<std::uint64_t>(value),
                                                      static_cast<ShapeId>(tree_.shapes_.size()));
    if (isNew) {
      Shape shape;
      shape.kind = Shape::Kind::Literal;
      shape.literal = value;
      shape.elements = 0;
      tree_.shapes_.push_back(std::move(shape));
    }
    return known->second;
  }

  ShapeId intern(const Repeated<ShapeId> &run) {
    Shape shape;
    shape.kind = Shape::Kind::Result;
    shape.stage = index_;
    shape.inputs = run.size();
    shape.elements = 0;
    Repeated<TreeStats> stats;
    for (const auto &[id, count] : run) {
      shape.parts.push_back({id, count});
      shape.elements += count * tree_.shapes_[id].elements;
      stats.append(tree_.shapes_[id].stats, count);
    }
    const auto [known, isNew] = known_.try_emplace(std::pair(index_, shape.parts),
                                                   static_cast<ShapeId>(tree_.shapes_.size()));
    if (isNew) {
      shape.stats = StatsFold(*stage_).fold(stats);
      tree_.shapes_.push_back(std::move(shape));
    }
    return known->second;
  }

  Tree &tree_;
  std::size_t index_ = 0;
  const Step *step_ = nullptr;
  const Stage *stage_ = nullptr;
  Repeated<ShapeId> inputs_;
  Repeated<ShapeId> results_;
  std::map<std::uint64_t, ShapeId> literals_;
  std::map<std::pair<std::size_t, std::vector<Part>>, ShapeId> known_;
};

std::optional<Tree> Tree::make(const Order &order, std::int64_t length, std::string *error) {
  std::optional<std::string> reason = malformed(order);
  if (!reason && (length < 1 || length > kMaxLength))
    reason = fmt::format("a tree needs a length from 1 to {}, not {}", kMaxLength, length);
  if (reason) {
    if (error)
      *error = *reason;
    return std::nullopt;
  }
  Tree tree;
  tree.order_ = order;
  tree.steps_ = stepsOf(order);
  tree.length_ = length;
  TreeBuilder(tree).build();
  return tree;
}

std::int64_t Tree::valueCount(std::size_t level) const {
  std::int64_t count = 0;
  for (const Part &part : levels_[level])
    count += part.count;
  return count;
}

} // namespace ordo::dsl
