#include "compiler/bind/mapping.h"

#include <bit>
#include <fmt/format.h>

using namespace ordo::dsl;

namespace ordo::compiler {
namespace {

// Elements one thread unrolls; more would not fit its registers.
constexpr std::int64_t kMaxChunk = 128;

Stage stage(Stage::Kind kind, std::int64_t n = 0) {
  Stage s;
  s.kind = kind;
  s.n = n;
  return s;
}

bool isRun(const Stage &s) {
  return s.n > 0 && (s.kind == Stage::Kind::Seq || s.kind == Stage::Kind::Pairs ||
                     s.kind == Stage::Kind::Halves);
}

bool isSimpleTotal(const Stage &s) {
  return s.isTotal() && (s.kind == Stage::Kind::Seq || s.kind == Stage::Kind::Pairs ||
                         s.kind == Stage::Kind::Halves);
}

class Cutter {
public:
  Cutter(const Order &order, std::int64_t length, const Target &target, Unbound &why)
      : order_(order), target_(target), why_(why) {
    map_.length = length;
  }

  std::optional<Mapping> cut() {
    for (const Stage &s : order_.stages)
      if (!isLowered(s))
        return std::nullopt;
    takeRuns();
    if (map_.chunk() > kMaxChunk)
      return refuse(fmt::format("a run of {} elements is folded inside one thread, which holds {}",
                                map_.chunk(), kMaxChunk),
                    fmt::format("runs of {} or fewer", kMaxChunk));
    const Stage &next = order_.stages[at_];
    const bool ok = next.kind == Stage::Kind::Lanes ? takeLanes(next) : takeTotal(next);
    if (!ok || !takeBack())
      return std::nullopt;
    return std::move(map_);
  }

private:
  std::optional<Mapping> refuse(std::string reason, std::string help) {
    why_ = {std::move(reason), std::move(help)};
    return std::nullopt;
  }
  bool fail(std::string reason, std::string help) {
    why_ = {std::move(reason), std::move(help)};
    return false;
  }

  bool isLowered(const Stage &s) {
    if (s.round || s.start || s.pad)
      return fail(fmt::format("not lowered yet: `{}` (a start, a pad or a rounding of a stage)",
                              toString(s)),
                  "");
    using enum Stage::Kind;
    if (s.kind == Seq || s.kind == Lanes || s.kind == Pairs || s.kind == Halves)
      return true;
    return fail(fmt::format("not lowered yet: `{}`", toString(s)),
                "seq, lanes, pairs and halves are lowered");
  }

  void takeRuns() {
    while (isRun(order_.stages[at_])) {
      map_.runStages.push_back(order_.stages[at_++]);
      map_.runLength *= map_.runStages.back().n;
      map_.axes.push_back("register");
    }
  }

  bool tooWide(const Stage &s, std::int64_t wanted) {
    return fail(fmt::format("`{}` needs {} threads, and a block of {} holds {}", toString(s),
                            wanted, target_.name, target_.maxThreads),
                fmt::format("lanes({}) or fewer", target_.maxThreads));
  }

  bool takeLanes(const Stage &s) {
    if (s.n > target_.maxThreads)
      return tooWide(s, s.n);
    map_.slots = s.n;
    map_.runs = s.w;
    if (map_.chunk() > kMaxChunk)
      return fail(fmt::format("`{}` gives each lane {} adjacent elements, and a thread holds {}",
                              toString(s), map_.chunk(), kMaxChunk),
                  fmt::format("a width of {} or less", kMaxChunk / map_.runLength));
    map_.axes.push_back("thread");
    ++at_;
    return true;
  }

  // The order's first stage that is no run is total.
  bool takeTotal(const Stage &s) {
    if (!map_.runStages.empty())
      return takeSlots(s);
    if (s.kind == Stage::Kind::Seq) {
      map_.front = Mapping::Front::Whole;
      map_.runLength = 1;
      map_.runs = 8;
      map_.axes.push_back("register");
      ++at_;
      return true;
    }
    return s.kind == Stage::Kind::Pairs ? splitPairs(s) : splitHalves(s);
  }

  // Each run is a slot of its own.
  bool takeSlots(const Stage &s) {
    const std::int64_t count = map_.chunks();
    if (count > target_.maxThreads) {
      const std::int64_t fits = (map_.length + target_.maxThreads - 1) / target_.maxThreads;
      return fail(fmt::format("the runs before `{}` leave {} values of {} elements, one a thread, "
                              "and a block of {} holds {}",
                              toString(s), count, map_.length, target_.name, target_.maxThreads),
                  fits <= kMaxChunk ? fmt::format("runs of {} or more, or lanes({}) after them",
                                                  fits, target_.maxThreads)
                                    : fmt::format("lanes({}) after them", target_.maxThreads));
    }
    map_.slots = std::max<std::int64_t>(count, 1);
    return true;
  }

  // pairs is pairs(2^k) | pairs.
  bool splitPairs(const Stage &s) {
    const std::int64_t each =
        powerOfTwo((map_.length + target_.maxThreads - 1) / target_.maxThreads);
    const std::int64_t run = std::max<std::int64_t>(each, 8);
    if (run > kMaxChunk)
      return tooLong(s, target_.maxThreads * kMaxChunk);
    map_.runStages = {stage(Stage::Kind::Pairs, run)};
    map_.runLength = run;
    map_.slots = std::max<std::int64_t>(map_.chunks(), 1);
    return true;
  }

  // halves over m = q * P values: thread r folds v[r], v[r + P], … by halves, then halves over P.
  bool splitHalves(const Stage &s) {
    map_.front = Mapping::Front::Strided;
    map_.slots = std::min<std::int64_t>(powerOfTwo(std::max<std::int64_t>(map_.length, 1)), 256);
    while (map_.depth() > 16 && map_.slots < target_.maxThreads)
      map_.slots *= 2;
    return map_.depth() <= kMaxChunk || tooLong(s, target_.maxThreads * kMaxChunk);
  }

  bool tooLong(const Stage &s, std::int64_t limit) {
    return fail(fmt::format("`{}` over {} elements does not fit a block: {} elements do",
                            toString(s), map_.length, limit),
                fmt::format("seq(8) | lanes({}) | {}", target_.maxThreads, toString(s)));
  }

  bool takeBack() {
    for (; at_ < order_.stages.size(); ++at_) {
      const Stage &s = order_.stages[at_];
      if (!isRun(s) && !isSimpleTotal(s) && s.kind != Stage::Kind::Lanes)
        return fail(fmt::format("not lowered yet: `{}` here", toString(s)), "");
      map_.back.push_back(s);
      const bool tree = s.isTotal() && s.kind != Stage::Kind::Seq;
      map_.axes.push_back(tree && map_.slots <= target_.warp ? "warp" : "block");
    }
    return true;
  }

  const Order &order_;
  const Target &target_;
  Unbound &why_;
  Mapping map_;
  std::size_t at_ = 0;
};

} // namespace

std::int64_t powerOfTwo(std::int64_t n) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n)));
}

std::optional<Mapping> mapToBlock(const Order &order, std::int64_t length, const Target &target,
                                  Unbound &why) {
  return Cutter(order, length, target, why).cut();
}

std::optional<Mapping> mapToLoops(const Order &order, Unbound &why) {
  Mapping map;
  map.front = Mapping::Front::Loops;
  std::int64_t run = 1;
  for (const Stage &s : order.stages) {
    if (s.kind != Stage::Kind::Seq || s.round || s.start || s.pad) {
      why = {fmt::format("not lowered yet: `{}` over a free dimension", toString(s)),
             "stages `seq(n)` and a last `seq` are lowered there, as in `seq(64) | seq`"};
      return std::nullopt;
    }
    map.axes.push_back("register");
    if (s.isTotal())
      break;
    map.runStages.push_back(s);
    if (__builtin_mul_overflow(run, s.n, &run) || run > kMaxStageSize) {
      why = {
          fmt::format("the runs up to `{}` take more than {} elements", toString(s), kMaxStageSize),
          "shorter runs"};
      return std::nullopt;
    }
  }
  return map;
}

Mapping mapLike(const Mapping &like, std::int64_t length) {
  Mapping map;
  map.length = length;
  map.runLength = 1;
  map.runs = like.front == Mapping::Front::Strided ? 1 : like.chunk();
  map.slots = like.slots;
  map.back = {stage(Stage::Kind::Halves)};
  map.axes = {"register", "thread", "block"};
  return map;
}

} // namespace ordo::compiler
