#include "tests/mutation/deliveries.h"

#include "compiler/verify/machine/concrete.h"

#include <algorithm>
#include <array>
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

/// One wave with known thread numbers; what comes from memory, sizes or the block is unknown.
class WavePaths {
public:
  WavePaths(const Kernel &kernel, verify::BlockShape block, std::uint32_t first)
      : kernel_(kernel), block_(block), first_(first),
        lanes_(static_cast<std::uint32_t>(kernel.waveSize)) {
    Path start;
    start.values.resize(kernel.registers.size() * lanes_);
    left_.push_back(std::move(start));
    while (!left_.empty() && problem.empty()) {
      Path path = std::move(left_.back());
      left_.pop_back();
      walk(path);
    }
  }

  std::string problem;

private:
  using Known = std::optional<std::uint64_t>;
  struct Path {
    Place at = 0;
    std::vector<Known> values; // of register r in lane l: [r * lanes + l]
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
        compute(path, i);
        ++path.at;
      }
    }
  }

  void branch(Path &path, const Instruction &i) {
    const Known guard = i.guard == verify::kNoRegister ? Known(1) : cell(path, i.guard, 0);
    if (guard && i.guard != verify::kNoRegister && ((*guard & 1) != 0) == i.guardNegated) {
      ++path.at;
      return;
    }
    if (!guard) {
      left_.push_back(path);
      ++left_.back().at;
    }
    path.at = i.target;
  }

  Known &cell(Path &path, verify::RegisterId reg, std::uint32_t lane) const {
    return path.values[reg * lanes_ + (kernel_.registers[reg].uniform ? 0 : lane)];
  }
  Known read(Path &path, const verify::Operand &operand, std::uint32_t lane) const {
    return operand.isRegister() ? cell(path, operand.reg, lane) : Known(operand.bits);
  }
  /// Whether the lane does the instruction.
  Known isOn(Path &path, const Instruction &i, std::uint32_t lane) const {
    if (i.guard == verify::kNoRegister)
      return 1;
    const Known guard = cell(path, i.guard, lane);
    return guard ? Known(((*guard & 1) != 0) != i.guardNegated) : guard;
  }

  void compute(Path &path, const Instruction &i) const {
    if (i.dst.empty())
      return;
    const bool isUniform = kernel_.registers[i.dst.front()].uniform;
    if (i.op == Op::Ballot) {
      cell(path, i.dst[0], 0) = ballot(path, i);
      return;
    }
    std::vector<std::vector<Known>> results;
    for (std::uint32_t lane = 0; lane < (isUniform ? 1 : lanes_); ++lane)
      results.push_back(result(path, i, lane));
    for (std::uint32_t lane = 0; lane < results.size(); ++lane) {
      const Known on = isUniform || i.op == Op::LaneBit ? Known(1) : isOn(path, i, lane);
      for (std::size_t k = 0; k < i.dst.size(); ++k)
        if (!on || *on != 0)
          cell(path, i.dst[k], lane) = on ? results[lane][k] : std::nullopt;
    }
  }

  Known ballot(Path &path, const Instruction &i) const {
    std::uint64_t mask = 0;
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
      const Known on = isOn(path, i, lane), bit = read(path, i.src[0], lane);
      if (on == std::uint64_t{0} || bit == std::uint64_t{0})
        continue;
      if (!on || !bit)
        return std::nullopt;
      mask |= (*bit & 1) << lane;
    }
    return mask;
  }

  std::vector<Known> result(Path &path, const Instruction &i, std::uint32_t lane) const {
    std::vector<Known> unknown(i.dst.size());
    if (i.op == Op::Special)
      return {special(i.special, lane)};
    if (i.op == Op::LaneBit) {
      const Known mask = read(path, i.src[0], 0);
      return {mask ? Known(*mask >> lane & 1) : mask};
    }
    if (i.op == Op::Select) {
      const Known condition = read(path, i.src[0], lane);
      return {condition ? read(path, i.src[(*condition & 1) != 0 ? 1 : 2], lane) : condition};
    }
    if (i.op > Op::CmpLeS) // floats, memory, other lanes
      return unknown;
    std::array<std::uint64_t, verify::kMostOperands> bits{};
    for (std::size_t k = 0; k < i.src.size(); ++k) {
      const Known value = read(path, i.src[k], lane);
      if (!value)
        return unknown;
      bits[k] = *value;
    }
    std::uint64_t second = 0;
    unknown[0] = verify::computeInteger(i, bits.data(), &second);
    if (unknown.size() > 1)
      unknown[1] = second;
    return unknown;
  }

  Known special(verify::SpecialRegister which, std::uint32_t lane) const {
    const std::uint32_t thread = first_ + lane, live = std::min(block_.threads() - first_, lanes_);
    switch (which) {
    case verify::SpecialRegister::TidX:
      return thread % block_.size[0];
    case verify::SpecialRegister::TidY:
      return thread / block_.size[0] % block_.size[1];
    case verify::SpecialRegister::TidZ:
      return thread / block_.size[0] / block_.size[1];
    case verify::SpecialRegister::LaneId:
      return lane;
    case verify::SpecialRegister::LiveLanes:
      return live == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << live) - 1;
    default:
      return std::nullopt;
    }
  }

  const Kernel &kernel_;
  verify::BlockShape block_;
  std::uint32_t first_, lanes_;
  std::vector<Path> left_;
  std::uint64_t steps_ = 0;
};

} // namespace

std::vector<Place> following(const Kernel &kernel, Place at) {
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
  const auto lanes = static_cast<std::uint32_t>(kernel.waveSize);
  for (std::uint32_t first = 0; first < block.threads(); first += lanes)
    if (WavePaths paths(kernel, block, first); !paths.problem.empty())
      return paths.problem;
  return "";
}

} // namespace ordo::mutation
