#include "tests/mutation/ordering.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace ordo::mutation {
namespace {

using verify::Counter;
using verify::Instruction;
using verify::Kernel;
using verify::Op;

using Place = std::uint32_t; // in Kernel::code

std::vector<Place> next(const Kernel &kernel, Place at) {
  const Instruction &i = kernel.code[at];
  std::vector<Place> places;
  const bool mayPass = i.guard != verify::kNoRegister ||
                       (i.op != Op::Branch && i.op != Op::Exit && i.op != Op::Trap);
  if (mayPass && at + 1 < kernel.code.size())
    places.push_back(at + 1);
  if (i.op == Op::Branch)
    places.push_back(i.target);
  return places;
}

bool isAccess(const Instruction &i) {
  return (i.op == Op::Load || i.op == Op::Store || i.op == Op::Atomic || i.op == Op::CopyAsync) &&
         (i.access.space == verify::Space::Shared || i.access.space == verify::Space::Generic);
}

/// Of all threads: one with a count is for a part of them, and a wave's is enough where it has all.
bool isBarrier(const Instruction &i, bool isOneWave) {
  constexpr std::uint64_t kAllLanes = 0xffffffffu;
  return (i.op == Op::Barrier && i.src.size() < 2) ||
         (i.op == Op::WarpBarrier && isOneWave && !i.src[0].isRegister() &&
          i.src[0].bits == kAllLanes);
}

using Pairs = std::set<std::pair<std::size_t, std::size_t>>;

/// The accesses in the order of the text, and which of them may lie in one epoch: those that are
/// reached from one start, the kernel's or a barrier's, without a barrier.
class Epochs {
public:
  Epochs(const Kernel &kernel, bool isOneWave) : kernel_(kernel), isOneWave_(isOneWave) {
    for (Place at = 0; at < kernel.code.size(); ++at)
      if (isAccess(kernel.code[at]))
        accesses_.push_back(at);
    from(0);
    for (Place at = 0; at + 1 < kernel.code.size(); ++at)
      if (isBarrier(kernel.code[at], isOneWave))
        from(at + 1);
  }

  const Pairs &together() const { return together_; }
  std::size_t count() const { return accesses_.size(); }
  bool isLoad(std::size_t access) const { return kernel_.code[accesses_[access]].op == Op::Load; }

private:
  void from(Place start) {
    std::vector<Place> left = {start};
    std::set<Place> seen = {start};
    std::vector<std::size_t> reached;
    while (!left.empty()) {
      const Place at = left.back();
      left.pop_back();
      if (isBarrier(kernel_.code[at], isOneWave_))
        continue;
      if (const auto it = std::ranges::find(accesses_, at); it != accesses_.end())
        reached.push_back(static_cast<std::size_t>(it - accesses_.begin()));
      for (const Place to : next(kernel_, at))
        if (seen.insert(to).second)
          left.push_back(to);
    }
    for (const std::size_t a : reached)
      for (const std::size_t b : reached)
        together_.insert({a, b});
  }

  const Kernel &kernel_;
  bool isOneWave_;
  std::vector<Place> accesses_;
  Pairs together_;
};

/// What is outstanding at a place: how many accesses of the same counter were made since, at least.
class Deliveries {
public:
  explicit Deliveries(const Kernel &kernel) : kernel_(kernel), states_(kernel.code.size()) {
    std::vector<Place> left = {0};
    states_[0].emplace();
    while (!left.empty() && problem.empty()) {
      const Place at = left.back();
      left.pop_back();
      State state = *states_[at];
      step(at, state);
      for (const Place to : next(kernel, at))
        if (meet(to, state))
          left.push_back(to);
    }
  }

  std::string problem;

private:
  // A register, or of no register: an access to LDS.
  using Key = std::pair<Counter, verify::RegisterId>;
  using State = std::map<Key, std::uint64_t>;

  void step(Place at, State &state) {
    const Instruction &i = kernel_.code[at];
    if (i.op == Op::Wait)
      return wait(i, state);
    for (const auto &[key, age] : state)
      if (uses(i, key.second) || (i.op == Op::Barrier && key.second == verify::kNoRegister))
        problem = fmt::format("`{}` comes before the wait", kernel_.lines[i.line].text);
    if (i.access.counter == Counter::None)
      return;
    for (auto &[key, age] : state)
      age += key.first == i.access.counter ? 1 : 0;
    for (const verify::RegisterId reg : i.dst)
      state[{i.access.counter, reg}] = 0;
    if (i.access.space == verify::Space::Shared)
      state[{i.access.counter, verify::kNoRegister}] = 0;
  }

  static bool uses(const Instruction &i, verify::RegisterId reg) {
    return reg != verify::kNoRegister &&
           (i.guard == reg || std::ranges::find(i.dst, reg) != i.dst.end() ||
            std::ranges::find(i.src, reg, &verify::Operand::reg) != i.src.end());
  }

  /// Scalar loads come in any order: while one is out, only a wait for all says anything.
  void wait(const Instruction &i, State &state) const {
    const std::uint64_t may = i.src[0].bits;
    const bool isOrdered = std::ranges::none_of(state, [&](const auto &each) {
      const auto &[counter, reg] = each.first;
      return counter == i.access.counter && reg != verify::kNoRegister &&
             kernel_.registers[reg].uniform;
    });
    if (!i.src[0].isRegister() && (isOrdered || may == 0))
      std::erase_if(state, [&](const auto &each) {
        return each.first.first == i.access.counter && each.second >= may;
      });
  }

  /// Whether the state there changed: what is outstanding on one of the paths is.
  bool meet(Place to, const State &state) {
    if (!states_[to]) {
      states_[to] = state;
      return true;
    }
    bool isChanged = false;
    for (const auto &[key, age] : state) {
      const auto [it, isNew] = states_[to]->insert({key, age});
      isChanged |= isNew || age < it->second;
      it->second = std::min(it->second, age);
    }
    return isChanged;
  }

  const Kernel &kernel_;
  std::vector<std::optional<State>> states_;
};

} // namespace

std::string undelivered(const Kernel &kernel) { return Deliveries(kernel).problem; }

std::string ordersAll(const Kernel &kernel, const Kernel &mutant, std::int64_t threads) {
  const bool isOneWave = threads <= kernel.waveSize;
  const Epochs before(kernel, isOneWave), after(mutant, isOneWave);
  if (before.count() != after.count() || !undelivered(mutant).empty())
    return "";
  if (isOneWave && kernel.model == verify::Model::LockStep)
    return "the block is one wave, which needs no barrier; loads are waited for on every path";
  for (const auto &pair : after.together())
    if (!before.together().contains(pair) &&
        !(after.isLoad(pair.first) && after.isLoad(pair.second)))
      return "";
  return "no access to shared memory shares an epoch that it did not, but for loads with loads; "
         "loads are waited for on every path";
}

} // namespace ordo::mutation
