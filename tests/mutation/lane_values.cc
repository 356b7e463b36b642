#include "tests/mutation/lane_values.h"

#include "compiler/verify/machine/concrete.h"

#include <algorithm>
#include <array>

namespace ordo::mutation {

using verify::Instruction;
using verify::Kernel;
using verify::Op;

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

LaneValues::LaneValues(const Kernel &kernel, verify::BlockShape block, std::uint32_t first,
                       std::uint32_t lanes)
    : kernel_(&kernel), block_(block), first_(first), lanes_(lanes),
      values_(kernel.registers.size() * lanes) {}

std::size_t LaneValues::cell(verify::RegisterId reg, std::uint32_t lane) const {
  return std::size_t{reg} * lanes_ + (kernel_->registers[reg].uniform ? 0 : lane);
}

Known LaneValues::read(const Instruction &i, const verify::Operand &operand,
                       std::uint32_t lane) const {
  if (!operand.isRegister())
    return operand.bits;
  const Cell &held = values_[cell(operand.reg, lane)];
  const std::optional<Cell> guard = guardOf(i, lane);
  return guard && (held.under == verify::kNoRegister ||
                   (held.under == guard->under && held.isNegated == guard->isNegated))
             ? held.value
             : std::nullopt;
}

Known LaneValues::isOn(const Instruction &i, std::uint32_t lane) const {
  // A scalar instruction is done whatever lanes are on.
  const bool isScalar =
      i.op != Op::Ballot && !i.dst.empty() && kernel_->registers[i.dst.front()].uniform;
  if (i.guard == verify::kNoRegister || isScalar)
    return 1;
  const Cell &guard = values_[cell(i.guard, lane)];
  return guard.value && guard.under == verify::kNoRegister
             ? Known(((*guard.value & 1) != 0) != i.guardNegated)
             : std::nullopt;
}

/// What the instruction's results hold under: its guard where that is not known; without a guard,
/// what its operands hold under. Nothing if these differ.
std::optional<LaneValues::Cell> LaneValues::guardOf(const Instruction &i,
                                                    std::uint32_t lane) const {
  if (!isOn(i, lane))
    return Cell{std::nullopt, i.guard, i.guardNegated};
  Cell common;
  for (const verify::Operand &operand : i.src) {
    const Cell held = operand.isRegister() ? values_[cell(operand.reg, lane)] : Cell{};
    if (held.under == verify::kNoRegister)
      continue;
    if (common.under != verify::kNoRegister &&
        (common.under != held.under || common.isNegated != held.isNegated))
      return std::nullopt;
    common.under = held.under;
    common.isNegated = held.isNegated;
  }
  return common;
}

void LaneValues::compute(const Instruction &i) {
  if (i.dst.empty())
    return;
  if (i.op == Op::Ballot) {
    values_[cell(i.dst[0], 0)] = {ballot(i)};
    return;
  }
  const bool isUniform = kernel_->registers[i.dst.front()].uniform;
  std::vector<std::vector<Known>> results;
  for (std::uint32_t lane = 0; lane < (isUniform ? 1 : lanes_); ++lane)
    results.push_back(result(i, lane));
  for (std::uint32_t lane = 0; lane < results.size(); ++lane)
    write(i, lane, results[lane]);
  for (const verify::RegisterId reg : i.dst)
    forget(reg);
}

void LaneValues::write(const Instruction &i, std::uint32_t lane,
                       const std::vector<Known> &results) {
  if (isOn(i, lane) == std::uint64_t{0})
    return;
  const std::optional<Cell> guard = guardOf(i, lane);
  for (std::size_t k = 0; k < i.dst.size(); ++k) {
    Cell &to = values_[cell(i.dst[k], lane)];
    to = guard && results[k] ? Cell{results[k], guard->under, guard->isNegated} : Cell{};
  }
}

/// The guard is another: what was written under it is no longer known.
void LaneValues::forget(verify::RegisterId guard) {
  if (kernel_->registers[guard].width != 1)
    return;
  for (Cell &each : values_)
    if (each.under == guard)
      each = {};
}

bool LaneValues::meet(const LaneValues &other) {
  bool isChanged = false;
  for (std::size_t k = 0; k < values_.size(); ++k)
    if (values_[k].value && values_[k] != other.values_[k]) {
      values_[k] = {};
      isChanged = true;
    }
  return isChanged;
}

Known LaneValues::ballot(const Instruction &i) const {
  std::uint64_t mask = 0;
  for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
    const Known on = isOn(i, lane), bit = read(i, i.src[0], lane);
    if (on == std::uint64_t{0} || bit == std::uint64_t{0})
      continue;
    if (!on || !bit)
      return std::nullopt;
    mask |= (*bit & 1) << lane;
  }
  return mask;
}

std::vector<Known> LaneValues::result(const Instruction &i, std::uint32_t lane) const {
  std::vector<Known> unknown(i.dst.size());
  if (i.op == Op::Special)
    return {special(i.special, lane)};
  if (i.op == Op::LaneBit) {
    const Known mask = read(i, i.src[0], 0);
    return {mask ? Known(*mask >> lane & 1) : mask};
  }
  if (i.op == Op::Select) {
    const Known condition = read(i, i.src[0], lane);
    return {condition ? read(i, i.src[(*condition & 1) != 0 ? 1 : 2], lane) : condition};
  }
  if (const Known one = ofOneOperand(i, lane))
    return {one};
  if (i.op > Op::CmpLeS) // floats, memory, other lanes
    return unknown;
  std::array<std::uint64_t, verify::kMostOperands> bits{};
  for (std::size_t k = 0; k < i.src.size(); ++k) {
    const Known value = read(i, i.src[k], lane);
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

/// What one operand decides, whatever the other is.
Known LaneValues::ofOneOperand(const Instruction &i, std::uint32_t lane) const {
  const Known decides = i.op == Op::And  ? Known(0)
                        : i.op == Op::Or ? Known(~std::uint64_t{0} >> (64 - i.width))
                                         : std::nullopt;
  const bool isDecided = decides && std::ranges::any_of(i.src, [&](const verify::Operand &operand) {
                           return read(i, operand, lane) == decides;
                         });
  return isDecided ? decides : std::nullopt;
}

Known LaneValues::special(verify::SpecialRegister which, std::uint32_t lane) const {
  const std::uint32_t thread = first_ + lane, live = std::min(block_.threads() - first_, lanes_);
  switch (which) {
  case verify::SpecialRegister::TidX:
    return thread % block_.size[0];
  case verify::SpecialRegister::TidY:
    return thread / block_.size[0] % block_.size[1];
  case verify::SpecialRegister::TidZ:
    return thread / block_.size[0] / block_.size[1];
  case verify::SpecialRegister::LaneId:
    return thread % static_cast<std::uint32_t>(kernel_->waveSize);
  case verify::SpecialRegister::LiveLanes:
    return live == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << live) - 1;
  default:
    return std::nullopt;
  }
}

} // namespace ordo::mutation
