#include "tests/mutation/deliveries.h"

#include "tests/mutation/lane_values.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <utility>

namespace ordo::mutation {
namespace {

using verify::Counter;
using verify::Instruction;
using verify::Kernel;
using verify::Op;

std::uint32_t lanesOf(const Kernel &kernel) { return static_cast<std::uint32_t>(kernel.waveSize); }

/// What is outstanding on a path: how many accesses of the same counter were made since, at least.
class Outstanding {
public:
  /// After the instruction, or why it comes too early.
  std::string step(const Kernel &kernel, Place at) {
    const Instruction &i = kernel.code[at];
    if (i.op == Op::Wait) {
      wait(kernel, i);
      return "";
    }
    for (const auto &[key, age] : ages_)
      if (uses(i, key.second) || (i.op == Op::Barrier && key.second == verify::kNoRegister))
        return fmt::format("`{}` comes before the wait", kernel.lines[i.line].text);
    if (i.access.counter == Counter::None)
      return "";
    for (auto &[key, age] : ages_)
      age += key.first == i.access.counter ? 1 : 0;
    for (const verify::RegisterId reg : i.dst)
      ages_[{i.access.counter, reg}] = 0;
    if (i.access.space == verify::Space::Shared)
      ages_[{i.access.counter, verify::kNoRegister}] = 0;
    return "";
  }

  /// What is outstanding on one of two paths is; whether that changes this one.
  bool meet(const Outstanding &other) {
    bool isChanged = false;
    for (const auto &[key, age] : other.ages_) {
      const auto [it, isNew] = ages_.insert({key, age});
      isChanged |= isNew || age < it->second;
      it->second = std::min(it->second, age);
    }
    return isChanged;
  }

private:
  static bool uses(const Instruction &i, verify::RegisterId reg) {
    return reg != verify::kNoRegister &&
           (i.guard == reg || std::ranges::find(i.dst, reg) != i.dst.end() ||
            std::ranges::find(i.src, reg, &verify::Operand::reg) != i.src.end());
  }

  /// Scalar loads come in any order: while one is out, only a wait for all says anything.
  void wait(const Kernel &kernel, const Instruction &i) {
    const std::uint64_t may = i.src[0].bits;
    const bool isOrdered = std::ranges::none_of(ages_, [&](const auto &each) {
      const auto &[counter, reg] = each.first;
      return counter == i.access.counter && reg != verify::kNoRegister &&
             kernel.registers[reg].uniform;
    });
    if (!i.src[0].isRegister() && (isOrdered || may == 0))
      std::erase_if(ages_, [&](const auto &each) {
        return each.first.first == i.access.counter && each.second >= may;
      });
  }

  // Of a register, or of none: an access to LDS.
  std::map<std::pair<Counter, verify::RegisterId>, std::uint64_t> ages_;
};

/// Every path of one wave: of branches on thread numbers alone one side, of others both.
class WavePaths {
public:
  WavePaths(const Kernel &kernel, verify::BlockShape block, std::uint32_t first) : kernel_(kernel) {
    left_.push_back({0, LaneValues(kernel, block, first, lanesOf(kernel)), {}});
    while (!left_.empty() && problem.empty()) {
      Path path = std::move(left_.back());
      left_.pop_back();
      walk(path);
    }
  }

  std::string problem;

private:
  struct Path {
    Place at = 0;
    LaneValues values;
    Outstanding outstanding;
  };

  void walk(Path &path) {
    constexpr std::uint64_t kMostSteps = 1 << 18, kMostPaths = 64;
    while (problem.empty()) {
      const Instruction &i = kernel_.code[path.at];
      if (++steps_ > kMostSteps || left_.size() > kMostPaths)
        problem = "there are too many paths";
      else if (std::string early = path.outstanding.step(kernel_, path.at); !early.empty())
        problem = std::move(early);
      else if (i.op == Op::Exit)
        return;
      else if (i.op == Op::Branch)
        branch(path, i);
      else {
        path.values.compute(i);
        ++path.at;
      }
    }
  }

  void branch(Path &path, const Instruction &i) {
    const Known taken = path.values.isOn(i, 0);
    if (!taken) {
      left_.push_back(path);
      ++left_.back().at;
    }
    path.at = taken == std::uint64_t{0} ? path.at + 1 : i.target;
  }

  const Kernel &kernel_;
  std::vector<Path> left_;
  std::uint64_t steps_ = 0;
};

} // namespace

std::string undelivered(const Kernel &kernel) {
  std::vector<std::optional<Outstanding>> states(kernel.code.size());
  std::vector<Place> left = {0};
  states[0].emplace();
  while (!left.empty()) {
    const Place at = left.back();
    left.pop_back();
    Outstanding state = *states[at];
    if (std::string problem = state.step(kernel, at); !problem.empty())
      return problem;
    for (const Place to : following(kernel, at)) {
      const bool isNew = !states[to];
      if (isNew)
        states[to] = state;
      if (isNew || states[to]->meet(state))
        left.push_back(to);
    }
  }
  return "";
}

std::string undeliveredInWaves(const Kernel &kernel, verify::BlockShape block) {
  for (std::uint32_t first = 0; first < block.threads(); first += lanesOf(kernel))
    if (WavePaths paths(kernel, block, first); !paths.problem.empty())
      return paths.problem;
  return "";
}

} // namespace ordo::mutation
