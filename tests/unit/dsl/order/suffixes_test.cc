// Starts, pads, roundings and short first runs in every combination, on every stage, at every short
// length: fold() against stages written again from the words of docs/orders.md, trees as strings.
#include "dsl/order/fold.h"

#include "tests/unit/dsl/order/plain_orders.h"
#include "tests/unit/dsl/order/random_orders.h"

#include <gtest/gtest.h>

#include <map>

namespace ordo::dsl {
namespace {

using plain::Values;

std::string spelt(double value) { return std::signbit(value) ? "-0" : value == 0.0 ? "0" : "s"; }

std::string typed(const std::string &x, DType type) {
  const std::string mark = "[" + std::string(name(type)) + " ";
  return x.starts_with(mark) ? x : mark + x + "]"; // rounding a rounded value is not spelt twice
}

struct TreeOps {
  std::string add(const std::string &a, const std::string &b) const { return plain::plus(a, b); }
  std::string round(const std::string &x, DType type) const { return typed(x, type); }
  std::string literal(double value) const { return spelt(value); }
};

/// One stage over a list, `first` being the r of a `first(r)` before it or 0.
class PlainStage {
public:
  PlainStage(const Stage &stage, std::size_t first) : stage_(stage), first_(first) {}

  Values of(const Values &values) const {
    if (values.empty())
      return {};
    Values results;
    for (const Values &run : stage_.kind == Stage::Kind::Lanes ? lanes(values) : runs(values))
      results.push_back(foldOf(run));
    return results;
  }

private:
  using Runs = std::vector<Values>;

  /// Every value that the stage emits is rounded.
  std::string out(const std::string &x) const { return stage_.round ? typed(x, *stage_.round) : x; }

  void fillUp(Values &run, std::size_t size) const {
    while (stage_.pad && run.size() < size)
      run.push_back(spelt(*stage_.pad));
  }

  Runs runs(const Values &values) const {
    const auto n = static_cast<std::size_t>(stage_.n);
    Runs result;
    if (n == 0) { // filled up to the next power of two
      result.push_back(values);
      std::size_t size = 1;
      while (size < values.size())
        size += size;
      fillUp(result.back(), size);
      return result;
    }
    std::size_t room = first_ == 0 ? n : first_; // in the run that is open
    result.emplace_back();
    for (const std::string &value : values) {
      if (room == 0) {
        result.emplace_back();
        room = n;
      }
      result.back().push_back(value);
      --room;
    }
    for (Values &run : result)
      fillUp(run, n);
    return result;
  }

  /// Runs of w in turn, the k-th to lane k % n; filled up, all lanes as long as the longest whole.
  Runs lanes(const Values &values) const {
    const auto n = static_cast<std::size_t>(stage_.n), w = static_cast<std::size_t>(stage_.w);
    Runs result(n);
    std::size_t run = 0, room = first_ == 0 ? w : first_;
    for (const std::string &value : values) {
      if (room == 0) {
        ++run;
        room = w;
      }
      result[run % n].push_back(value);
      --room;
    }
    const std::size_t rounds = run / n + 1;
    for (Values &lane : result)
      fillUp(lane, rounds * w);
    std::erase_if(result, [](const Values &lane) { return lane.empty(); });
    return result;
  }

  std::string foldOf(const Values &run) const {
    switch (stage_.kind) {
    case Stage::Kind::Pairs:
      return levels(
          run, [](std::size_t i, std::size_t) { return 2 * i; },
          [](std::size_t i, std::size_t) { return 2 * i + 1; });
    case Stage::Kind::Halves:
      return levels(
          run, [](std::size_t i, std::size_t) { return i; },
          [](std::size_t i, std::size_t half) { return i + half; });
    case Stage::Kind::Mid:
      return middle(run, 0, run.size());
    default:
      return chain(run);
    }
  }

  std::string chain(const Values &run) const {
    if (!stage_.start && run.size() == 1)
      return out(run[0]);
    std::string sum = stage_.start ? spelt(*stage_.start) : run[0];
    for (std::size_t i = stage_.start ? 0 : 1; i < run.size(); ++i)
      sum = out(plain::plus(sum, run[i]));
    return sum;
  }

  /// Level by level: of 2 * half slots, each pair meets, and what has no partner passes.
  template <class Left, class Right>
  std::string levels(Values slots, Left left, Right right) const {
    std::size_t half = 1;
    while (2 * half < slots.size())
      half += half;
    if (slots.size() == 1)
      return out(slots[0]);
    for (; half >= 1; half /= 2) {
      Values next;
      for (std::size_t i = 0; i < half; ++i) {
        const std::size_t l = left(i, half), r = right(i, half);
        if (l >= slots.size())
          continue;
        next.push_back(out(r < slots.size() ? plain::plus(slots[l], slots[r]) : slots[l]));
      }
      slots = next;
    }
    return slots[0];
  }

  std::string middle(const Values &run, std::size_t lo, std::size_t hi) const {
    if (hi - lo <= static_cast<std::size_t>(stage_.leaf)) {
      std::string sum = run[lo];
      for (std::size_t i = lo + 1; i < hi; ++i)
        sum = plain::plus(sum, run[i]);
      return out(sum);
    }
    const std::size_t split = lo + (hi - lo) / 2;
    return out(plain::plus(middle(run, lo, split), middle(run, split, hi)));
  }

  const Stage &stage_;
  std::size_t first_;
};

Values plainly(const Order &order, std::size_t length) {
  Values values = plain::elements(length);
  std::size_t first = 0;
  for (const Stage &stage : order.stages) {
    if (stage.kind == Stage::Kind::First) {
      first = static_cast<std::size_t>(stage.n);
      continue;
    }
    values = PlainStage(stage, first).of(values);
    first = 0;
  }
  return values;
}

void expectPlain(const Order &order) {
  for (std::size_t length = 0; length <= 40; ++length) {
    const Values wanted = plainly(order, length);
    ASSERT_EQ(wanted.size(), length == 0 ? 0u : 1u) << toString(order);
    ASSERT_EQ(fold(order, plain::elements(length), TreeOps{}).value_or(""),
              length == 0 ? "" : wanted.front())
        << toString(order) << " at " << length;
  }
}

TEST(Suffixes, EveryStageWithEveryCombination) {
  using Kind = Stage::Kind;
  std::map<Kind, int> seen;
  for (const Kind kind : {Kind::Seq, Kind::Lanes, Kind::Pairs, Kind::Halves, Kind::Mid})
    for (const std::int64_t n : {0, 1, 2, 3, 4, 7})
      for (const std::int64_t w : {1, 2, 3})
        for (const std::int64_t leaf : {1, 2, 5})
          for (const std::optional<double> start : {std::optional<double>{}, {-0.0}, {1.5}})
            for (const std::optional<double> pad : {std::optional<double>{}, {0.0}, {-0.0}})
              for (const std::optional<DType> round :
                   {std::optional<DType>{}, {DType::BF16}, {DType::F32}})
                for (const std::int64_t first : {0, 1, 2, 5}) {
                  Order order;
                  if (first != 0) {
                    Stage cut;
                    cut.kind = Kind::First;
                    cut.n = first;
                    order.stages.push_back(cut);
                  }
                  order.stages.push_back({kind, n, w, leaf, round, start, pad});
                  if (n != 0)
                    order.stages.push_back({});
                  if (malformed(order))
                    continue;
                  ++seen[kind];
                  expectPlain(order);
                  if (HasFatalFailure())
                    return;
                }
  EXPECT_GT(seen[Kind::Seq], 200);
  EXPECT_GT(seen[Kind::Lanes], 300);
  for (const Kind tree : {Kind::Pairs, Kind::Halves, Kind::Mid})
    EXPECT_GT(seen[tree], 100);
}

TEST(Suffixes, PipesOfThem) {
  RandomOrders random(41);
  for (int i = 0; i < 2500 && !HasFatalFailure(); ++i)
    expectPlain(random.next(true, 4));
}

} // namespace
} // namespace ordo::dsl
