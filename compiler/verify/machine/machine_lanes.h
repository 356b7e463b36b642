// Machine: exchanges between lanes. Included by machine.h.
#pragma once

#include "compiler/verify/machine/machine.h"

namespace ordo::verify {

/// The lanes of the group wait here for those that their masks name.
template <class D> void Machine<D>::meet(Wave &wave, const Instruction &i, const Group &group) {
  const std::uint32_t pc = wave.slots[group.front()].pc;
  for (const std::uint32_t s : group) {
    thread_ = accessor(wave, s).thread;
    const std::optional<bool> isOn = on(wave, i, s);
    if (!isOn)
      throw DomainError("an exchange between lanes under a condition that is not decided");
    if (!*isOn) {
      ++wave.slots[s].pc;
      continue;
    }
    Slot &slot = wave.slots[s];
    slot.mask = knownNumber(read(wave, i.src.back(), s, 32), "the member mask");
    if ((slot.mask >> slot.lane & 1) == 0)
      throw DomainError(
          fmt::format("lane {} is not in its own member mask {:#x}", slot.lane, slot.mask));
    slot.state = State::Meeting;
  }
  tryMeet(wave, pc);
}

template <class D> bool Machine<D>::tryMeetAny(Wave &wave) {
  bool any = false;
  for (std::size_t s = 0; s < wave.slots.size(); ++s)
    if (wave.slots[s].state == State::Meeting)
      any |= tryMeet(wave, wave.slots[s].pc);
  return any;
}

/// Exchanges among every set of lanes at `pc` that is complete.
template <class D> bool Machine<D>::tryMeet(Wave &wave, std::uint32_t pc) {
  const Instruction &i = kernel_.code[pc];
  bool any = false;
  for (std::uint32_t leader = 0; leader < wave.slots.size(); ++leader) {
    if (wave.slots[leader].state != State::Meeting || wave.slots[leader].pc != pc)
      continue;
    const std::uint64_t mask = wave.slots[leader].mask;
    Group members;
    bool isComplete = true;
    for (std::uint32_t s = 0; s < wave.slots.size(); ++s) {
      const Slot &slot = wave.slots[s];
      if (slot.state == State::Exited || (mask >> slot.lane & 1) == 0)
        continue;
      isComplete &=
          slot.state == State::Meeting && slot.pc == pc && slot.mask == mask && slot.splits.empty();
      members.push_back(s);
    }
    if (!isComplete)
      continue;
    line_ = i.line;
    if (i.op == Op::Shuffle)
      shuffle(wave, i, members);
    else if (i.op == Op::Vote)
      vote(wave, i, members);
    else if (i.op != Op::WarpBarrier)
      throw DomainError(fmt::format("`{}` is not modelled", name(i.op)));
    if (i.op == Op::WarpBarrier) {
      if (members.size() != wave.slots.size()) // the epoch is the whole wave's
        throw DomainError("a barrier of a part of the warp is not modelled");
      ++wave.epoch;
    }
    for (const std::uint32_t s : members) {
      wave.slots[s].state = State::Running;
      ++wave.slots[s].pc;
    }
    any = true;
  }
  return any;
}

/// PTX ISA, shfl.sync.
template <class D>
void Machine<D>::shuffle(Wave &wave, const Instruction &i, const Group &members) {
  std::array<std::uint32_t, 64> slotOf;
  slotOf.fill(0xffffffffu);
  for (const std::uint32_t s : members)
    slotOf[static_cast<std::size_t>(wave.slots[s].lane)] = s;
  std::vector<std::array<Value, 2>> results;
  for (const std::uint32_t s : members) {
    thread_ = accessor(wave, s).thread;
    const int lane = wave.slots[s].lane;
    const auto b =
        static_cast<int>(knownNumber(read(wave, i.src[1], s, 32), "the shuffle's lane") & 31);
    const auto c =
        static_cast<int>(knownNumber(read(wave, i.src[2], s, 32), "the shuffle's clamp"));
    const int segment = c >> 8 & 31, clamp = c & 31;
    const int last = (lane & segment) | (clamp & ~segment & 31), first = lane & segment;
    int from = lane;
    bool inRange = false;
    switch (i.shuffle) {
    case ShuffleMode::Up:
      from = lane - b;
      inRange = from >= last;
      break;
    case ShuffleMode::Down:
      from = lane + b;
      inRange = from <= last;
      break;
    case ShuffleMode::Butterfly:
      from = lane ^ b;
      inRange = from <= last;
      break;
    case ShuffleMode::Index:
      from = first | (b & ~segment & 31);
      inRange = from <= last;
      break;
    }
    if (!inRange)
      from = lane;
    const std::uint32_t source = slotOf[static_cast<std::size_t>(from)];
    // What a lane that takes no part holds is not defined.
    results.push_back({source == 0xffffffffu ? Value{} : read(wave, i.src[0], source, 32),
                       domain_.constant(1, inRange)});
  }
  for (std::size_t k = 0; k < members.size(); ++k)
    write(wave, i, members[k], true, results[k].data());
}

template <class D> void Machine<D>::vote(Wave &wave, const Instruction &i, const Group &members) {
  std::uint64_t ballot = 0;
  for (const std::uint32_t s : members) {
    thread_ = accessor(wave, s).thread;
    const auto truth = domain_.truth(read(wave, i.src[0], s, 1), wave.slots[s].path);
    if (!truth)
      throw DomainError("a vote on a condition that is not decided");
    ballot |= std::uint64_t{*truth} << wave.slots[s].lane;
  }
  std::uint64_t all = 0;
  for (const std::uint32_t s : members)
    all |= std::uint64_t{1} << wave.slots[s].lane;
  const std::uint64_t result = i.vote == VoteMode::All       ? ballot == all
                               : i.vote == VoteMode::Any     ? ballot != 0
                               : i.vote == VoteMode::Uniform ? ballot == 0 || ballot == all
                                                             : ballot;
  const Value value = domain_.constant(i.vote == VoteMode::Ballot ? 32 : 1, result);
  for (const std::uint32_t s : members)
    write(wave, i, s, true, &value);
}

template <class D> void Machine<D>::crossLanes(Wave &wave, const Instruction &i) {
  const auto lanes = static_cast<std::uint32_t>(wave.slots.size());
  const auto once = [&](const Value &value) { write(wave, i, 0, true, &value); };
  switch (i.op) {
  case Op::Ballot: {
    std::vector<Value> bits;
    const Value off = domain_.constant(1, 0);
    for (std::uint32_t s = 0; s < lanes; ++s) {
      const std::optional<bool> isOn = on(wave, i, s);
      const Value bit = isOn == false ? off : read(wave, i.src[0], s, 1);
      if (isOn)
        bits.push_back(bit);
      else if (i.guardNegated)
        bits.push_back(domain_.select(cell(wave, i.guard, s), off, bit, 1));
      else
        bits.push_back(domain_.select(cell(wave, i.guard, s), bit, off, 1));
    }
    return once(domain_.concat(bits, 1));
  }
  case Op::LaneBit:
    for (std::uint32_t s = 0; s < lanes; ++s) {
      const Value bit = domain_.part(read(wave, i.src[0], s, i.width), 1, s, i.width);
      write(wave, i, s, true, &bit);
    }
    return;
  case Op::ReadFirstLane:
    return readFirstLane(wave, i);
  case Op::ReadLane: {
    const std::uint64_t lane =
        knownNumber(read(wave, i.src[1], 0, 32), "the lane's number") % lanes;
    return once(read(wave, i.src[0], static_cast<std::uint32_t>(lane), i.width));
  }
  case Op::WriteLane: {
    const std::uint64_t lane =
        knownNumber(read(wave, i.src[1], 0, 32), "the lane's number") % lanes;
    const Value value = read(wave, i.src[0], 0, i.width);
    return write(wave, i, static_cast<std::uint32_t>(lane), true, &value);
  }
  default:
    return laneMove(wave, i);
  }
}

template <class D> void Machine<D>::readFirstLane(Wave &wave, const Instruction &i) {
  std::optional<Value> found;
  for (std::uint32_t s = 0; s < wave.slots.size(); ++s) {
    const std::optional<bool> isOn = on(wave, i, s);
    if (isOn == false)
      continue;
    const Value value = read(wave, i.src[0], s, i.width);
    if (found && !(*found == value))
      throw DomainError("the first lane that is on is not known, and the lanes' values differ");
    found = value;
    if (isOn)
      break;
  }
  const Value value = found ? *found : read(wave, i.src[0], 0, i.width);
  write(wave, i, 0, true, &value);
}

/// LaneMove by its table, LanePermute by a register.
template <class D> void Machine<D>::laneMove(Wave &wave, const Instruction &i) {
  const auto lanes = static_cast<std::uint32_t>(wave.slots.size());
  const Operand &source = i.src[i.op == Op::LaneMove ? 0 : 1];
  std::vector<std::optional<Value>> results(lanes);
  for (std::uint32_t s = 0; s < lanes; ++s) {
    thread_ = accessor(wave, s).thread;
    if (on(wave, i, s) == false)
      continue;
    int from = 0;
    if (i.op == Op::LaneMove)
      from = i.lanes[s];
    else
      from =
          static_cast<int>(knownNumber(read(wave, i.src[0], s, 32), "the source lane") / 4 % lanes);
    if (from == -1)
      continue;
    if (from == -2) {
      results[s] = domain_.constant(i.width, 0);
      continue;
    }
    const auto sourceOn = on(wave, i, static_cast<std::uint32_t>(from));
    if (sourceOn == true || i.what == "inactive")
      results[s] = read(wave, source, static_cast<std::uint32_t>(from), i.width);
    else if (!sourceOn)
      throw DomainError(fmt::format("whether lane {} is on is not decided", from));
    else if (i.what == "zero")
      results[s] = domain_.constant(i.width, 0);
    else if (i.what != "keep")
      throw DomainError(fmt::format("takes the value of lane {}, which is off", from));
  }
  for (std::uint32_t s = 0; s < lanes; ++s)
    if (results[s])
      write(wave, i, s, on(wave, i, s), &*results[s]);
}

template <class D> void Machine<D>::special(Wave &wave, const Instruction &i, const Group &group) {
  for (const std::uint32_t s : group) {
    const Accessor who = accessor(wave, s);
    thread_ = who.thread;
    const std::optional<bool> isOn = isUniform(i) ? std::optional(true) : on(wave, i, s);
    if (isOn == false)
      continue;
    const std::uint32_t lane = who.thread % static_cast<std::uint32_t>(kernel_.waveSize);
    const std::uint64_t bit = std::uint64_t{1} << lane;
    std::optional<std::uint64_t> number;
    switch (i.special) {
    case SpecialRegister::TidX:
      number = who.thread % block_.size[0];
      break;
    case SpecialRegister::TidY:
      number = who.thread / block_.size[0] % block_.size[1];
      break;
    case SpecialRegister::TidZ:
      number = who.thread / block_.size[0] / block_.size[1];
      break;
    case SpecialRegister::NtidX:
    case SpecialRegister::NtidY:
    case SpecialRegister::NtidZ:
      number = block_.size[static_cast<int>(i.special) - static_cast<int>(SpecialRegister::NtidX)];
      break;
    case SpecialRegister::LaneId:
      number = lane;
      break;
    case SpecialRegister::WarpId:
      number = wave.index;
      break;
    case SpecialRegister::LaneMaskEq:
      number = bit;
      break;
    case SpecialRegister::LaneMaskLt:
      number = bit - 1;
      break;
    case SpecialRegister::LaneMaskLe:
      number = (bit << 1) - 1;
      break;
    case SpecialRegister::LaneMaskGt:
      number = ~((bit << 1) - 1) & 0xffffffffu;
      break;
    case SpecialRegister::LaneMaskGe:
      number = ~(bit - 1) & 0xffffffffu;
      break;
    case SpecialRegister::LiveLanes: {
      const std::uint32_t first = wave.index * static_cast<std::uint32_t>(kernel_.waveSize);
      const std::uint32_t live =
          std::min<std::uint32_t>(block_.threads() - first, kernel_.waveSize);
      number = live == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << live) - 1;
      break;
    }
    case SpecialRegister::ParamBase:
      number = kParamWindow;
      break;
    default:
      break;
    }
    const Value value = number ? domain_.constant(i.width, *number) : domain_.special(i.special);
    write(wave, i, s, isOn, &value);
    if (isUniform(i))
      return;
  }
}

} // namespace ordo::verify
