#include "tests/mutation/touches.h"

#include <algorithm>
#include <utility>

namespace ordo::mutation {

using verify::Instruction;
using verify::Kernel;
using verify::Op;

bool mayTouch(const Instruction &i) {
  const bool isAccess =
      i.op == Op::Load || i.op == Op::Store || i.op == Op::Atomic || i.op == Op::CopyAsync;
  return isAccess && !i.access.readOnly &&
         (i.access.space == verify::Space::Shared || i.access.space == verify::Space::Generic);
}

Touches::Touches(const Kernel &kernel, verify::BlockShape block) : kernel_(kernel) {
  const bool isLockStep = kernel.model == verify::Model::LockStep;
  const std::uint32_t lanes = isLockStep ? static_cast<std::uint32_t>(kernel.waveSize) : 1;
  for (std::uint32_t first = 0; first < block.threads(); first += lanes)
    follow(LaneValues(kernel, block, first, lanes), first, lanes);
}

/// Constants along every path, until nothing more becomes unknown where paths meet.
void Touches::follow(LaneValues start, std::uint32_t first, std::uint32_t lanes) {
  constexpr std::uint64_t kMostSteps = 1 << 18;
  std::map<Place, LaneValues> states; // at targets of branches and after them
  std::vector<std::pair<Place, LaneValues>> left = {{0, std::move(start)}};
  std::vector<bool> isTarget(kernel_.code.size());
  for (const Instruction &i : kernel_.code)
    if (i.op == Op::Branch)
      isTarget[i.target] = true;
  std::uint64_t steps = 0;
  while (!left.empty() && isComplete_) {
    auto [at, values] = std::move(left.back());
    left.pop_back();
    while ((isComplete_ = ++steps < kMostSteps)) {
      if (isTarget[at]) {
        const auto [it, isNew] = states.try_emplace(at, values);
        if (!isNew && !it->second.meet(values))
          break;
        values = it->second;
      }
      const Instruction &i = kernel_.code[at];
      touch(values, at, first, lanes);
      const bool isControl = i.op == Op::Branch || i.op == Op::Exit || i.op == Op::Trap;
      const Known leaves = isControl ? values.isOn(i, 0) : Known(0);
      if (i.op == Op::Branch && leaves != std::uint64_t{0})
        left.emplace_back(i.target, values);
      if (leaves && *leaves != 0)
        break;
      values.compute(i);
      ++at;
    }
  }
}

void Touches::touch(const LaneValues &values, Place at, std::uint32_t first, std::uint32_t lanes) {
  const Instruction &i = kernel_.code[at];
  if (!mayTouch(i))
    return;
  const bool isPlain =
      i.access.space == verify::Space::Shared && (i.op == Op::Load || i.op == Op::Store);
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    if (values.isOn(i, lane) == std::uint64_t{0})
      continue;
    Touch touch{first + lane, isPlain ? values.read(i, i.src[0], lane) : std::nullopt};
    if (touch.address)
      *touch.address += static_cast<std::uint64_t>(i.access.offset);
    std::vector<Touch> &all = touches_[at];
    if (std::ranges::find(all, touch) == all.end())
      all.push_back(touch);
  }
}

bool Touches::overlap(Place a, const Touch &x, Place b, const Touch &y) const {
  const auto bytes = [&](Place at) {
    const verify::Access &access = kernel_.code[at].access;
    return std::uint64_t{access.bits} / 8 * access.count;
  };
  return !x.address || !y.address ||
         (*x.address < *y.address + bytes(b) && *y.address < *x.address + bytes(a));
}

Meeting Touches::meeting(Place a, Place b) const {
  if (!isComplete_)
    return Meeting::AcrossWaves;
  const auto waveSize = static_cast<std::uint32_t>(kernel_.waveSize);
  Meeting farthest = Meeting::None;
  const auto ofA = touches_.find(a), ofB = touches_.find(b);
  if (ofA == touches_.end() || ofB == touches_.end())
    return farthest;
  for (const Touch &x : ofA->second)
    for (const Touch &y : ofB->second)
      if (x.thread != y.thread && overlap(a, x, b, y))
        farthest =
            std::max(farthest, x.thread / waveSize == y.thread / waveSize ? Meeting::InAWave
                                                                          : Meeting::AcrossWaves);
  return farthest;
}

} // namespace ordo::mutation
