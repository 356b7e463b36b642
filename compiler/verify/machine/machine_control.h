// Machine: scheduling, branches, barriers, and plain operations. Included by machine.h.
#pragma once

#include "compiler/verify/machine/machine.h"

namespace ordo::verify {

template <class D> std::optional<Fault> Machine<D>::run() {
  try {
    start();
    while (true) {
      runWaves();
      bool isDone = true;
      for (const Wave &wave : waves_)
        for (const Slot &slot : wave.slots)
          isDone &= slot.state == State::Exited;
      if (isDone)
        return std::nullopt;
      releaseBarrier();
    }
  } catch (const DomainError &error) {
    Fault fault{error.what(), line_, thread_.has_value(), {}, ""};
    if (thread_)
      fault.thread = {*thread_ % block_.size[0], *thread_ / block_.size[0] % block_.size[1],
                      *thread_ / block_.size[0] / block_.size[1]};
    return fault;
  }
}

template <class D> void Machine<D>::start() {
  const std::uint32_t threads = block_.threads();
  if (threads == 0 || threads > 1024)
    throw DomainError(fmt::format("a block of {} threads", threads));
  const auto size = static_cast<std::uint32_t>(kernel_.waveSize);
  for (std::uint32_t first = 0; first < threads; first += size) {
    Wave wave;
    wave.index = first / size;
    // Lanes that are no threads exist in lock step only: EXEC keeps them off.
    const std::uint32_t lanes =
        kernel_.model == Model::LockStep ? size : std::min(size, threads - first);
    wave.slots.resize(lanes);
    for (std::uint32_t lane = 0; lane < lanes; ++lane)
      wave.slots[lane].lane = static_cast<int>(lane);
    wave.stride = lanes;
    wave.values.resize(kernel_.registers.size() * wave.stride);
    wave.isOutstanding.resize(kernel_.registers.size());
    wave.copies.resize(lanes);
    waves_.push_back(std::move(wave));
  }
}

/// Until every lane has exited or waits at a barrier of the block.
template <class D> void Machine<D>::runWaves() {
  constexpr std::uint64_t kNoLimit = ~std::uint64_t{0}, kLongestBurst = 24;
  std::vector<std::uint32_t> left = lot_.turns(order_.waves, waves_.size());
  if (order_.waves != RunOrder::Waves::Interleaved) {
    for (const std::uint32_t wave : left)
      runWave(waves_[wave], kNoLimit);
    return;
  }
  while (!left.empty()) {
    const auto next = left.begin() + static_cast<std::ptrdiff_t>(lot_.below(left.size()));
    if (runWave(waves_[*next], 1 + lot_.below(kLongestBurst)))
      left.erase(next);
  }
}

/// At most so many steps; true if no lane can go on alone.
template <class D> bool Machine<D>::runWave(Wave &wave, std::uint64_t most) {
  Group group;
  for (std::uint64_t steps = 0; steps < most;) {
    if (pick(wave, group)) {
      if constexpr (D::kSymbolic) {
        join(wave, group);
        advance(wave, group);
      } else {
        step(wave, group);
      }
      ++steps;
    } else if (!tryMeetAny(wave)) {
      for (const Slot &slot : wave.slots)
        if (slot.state == State::Meeting) {
          line_ = kernel_.code[slot.pc].line;
          throw DomainError("waits for ever: lanes that its member mask names never come here "
                            "together");
        }
      return true;
    }
  }
  return false;
}

/// The lanes that run next; false if none can.
template <class D> bool Machine<D>::pick(Wave &wave, Group &group) {
  constexpr std::uint64_t kPartOneIn = 16; // seldom, or soon every lane runs alone
  constexpr std::uint32_t kNone = 0xffffffffu;
  const bool isParted =
      !D::kSymbolic && order_.lanes == RunOrder::Lanes::Parted && kernel_.model == Model::Threads;
  group.clear();
  std::uint32_t pc = kNone;
  if (isParted)
    pc = drawPc(wave);
  else
    for (const Slot &slot : wave.slots)
      if (slot.state == State::Running)
        pc = std::min(pc, slot.pc);
  if (pc == kNone)
    return false;
  for (std::uint32_t s = 0; s < wave.slots.size(); ++s)
    if (wave.slots[s].state == State::Running && wave.slots[s].pc == pc)
      group.push_back(s);
  if (isParted && lot_.below(kPartOneIn) == 0)
    lot_.thin(group);
  return true;
}

/// Where some lane runs; the largest number if none does.
template <class D> std::uint32_t Machine<D>::drawPc(const Wave &wave) {
  std::vector<std::uint32_t> places;
  for (const Slot &slot : wave.slots)
    if (slot.state == State::Running && std::ranges::find(places, slot.pc) == places.end())
      places.push_back(slot.pc);
  return places.empty() ? 0xffffffffu : places[lot_.below(places.size())];
}

template <class D> void Machine<D>::step(Wave &wave, const Group &group) {
  const std::uint32_t pc = wave.slots[group.front()].pc;
  const Instruction &i = kernel_.code[pc];
  line_ = i.line;
  thread_.reset();
  if (++steps_ > limits_.steps)
    throw DomainError("runs longer than is allowed");
  requireDelivered(wave, i);
  switch (i.op) {
  case Op::Branch:
    return branch(wave, i, group);
  case Op::Exit:
    return exit(wave, i, group);
  case Op::Barrier:
    return arrive(wave, i, group);
  case Op::WarpBarrier:
  case Op::Shuffle:
  case Op::Vote:
  case Op::Match:
  case Op::Reduce:
    return meet(wave, i, group);
  case Op::Trap:
    for (const std::uint32_t s : group)
      if (on(wave, i, s) != false) {
        thread_ = accessor(wave, s).thread;
        throw DomainError("a trap is reached");
      }
    break;
  case Op::Fence:
  case Op::Prefetch:
    break;
  case Op::Wait:
    wait(wave, i);
    break;
  case Op::Pending:
    issue(wave, i);
    break;
  case Op::Load:
  case Op::Store:
  case Op::Atomic:
  case Op::CopyAsync:
  case Op::CommitGroup:
  case Op::WaitGroup:
    memory(wave, i, group);
    break;
  case Op::Ballot:
  case Op::LaneBit:
  case Op::ReadFirstLane:
  case Op::ReadLane:
  case Op::WriteLane:
  case Op::LaneMove:
  case Op::LanePermute:
    if (kernel_.model != Model::LockStep)
      throw DomainError("an exchange of lanes in lock step");
    crossLanes(wave, i);
    break;
  case Op::Special:
    special(wave, i, group);
    break;
  default:
    compute(wave, i, group);
    break;
  }
  for (const std::uint32_t s : group)
    ++wave.slots[s].pc;
}

template <class D>
std::optional<bool> Machine<D>::on(Wave &wave, const Instruction &i, std::uint32_t slot) {
  if (i.guard == kNoRegister)
    return true;
  const auto truth = domain_.truth(cell(wave, i.guard, slot), wave.slots[slot].path);
  return truth ? std::optional(*truth != i.guardNegated) : std::nullopt;
}

template <class D>
void Machine<D>::write(Wave &wave, const Instruction &i, std::uint32_t slot,
                       std::optional<bool> isOn, const Value *values) {
  for (std::size_t k = 0; k < i.dst.size(); ++k) {
    Value &dst = cell(wave, i.dst[k], slot);
    if (isOn) {
      dst = values[k];
      continue;
    }
    // A temporary holds nothing from before.
    const Value old = kernel_.registers[i.dst[k]].name.empty() ? Value{} : dst;
    const Value &guard = cell(wave, i.guard, slot);
    const unsigned width = kernel_.registers[i.dst[k]].width;
    dst = i.guardNegated ? domain_.select(guard, old, values[k], width)
                         : domain_.select(guard, values[k], old, width);
  }
}

/// The slot's path, and that its guard is on where it is not decided.
template <class D>
typename D::Path Machine<D>::pathOf(Wave &wave, const Instruction &i, std::uint32_t slot,
                                    std::optional<bool> isOn) {
  const Path path = wave.slots[slot].path;
  return isOn ? path : domain_.extend(path, cell(wave, i.guard, slot), !i.guardNegated);
}

template <class D> void Machine<D>::compute(Wave &wave, const Instruction &i, const Group &group) {
  std::array<Value, kMostOperands> src;
  std::array<Value, kMostOperands> dst;
  const bool once = isUniform(i);
  for (const std::uint32_t s : group) {
    thread_ = accessor(wave, s).thread;
    const std::optional<bool> isOn = once ? std::optional(true) : on(wave, i, s);
    if (isOn == false)
      continue;
    for (std::size_t k = 0; k < i.src.size(); ++k)
      src[k] = read(wave, i.src[k], s, i.width);
    if constexpr (D::kSymbolic)
      if (const Path path = pathOf(wave, i, s, isOn); !(path == Path{}))
        for (std::size_t k = 0; k < i.src.size(); ++k)
          src[k] = domain_.under(src[k], path);
    domain_.apply(i, src.data(), dst.data());
    write(wave, i, s, isOn, dst.data());
    if (once)
      return;
  }
}

template <class D> void Machine<D>::branch(Wave &wave, const Instruction &i, const Group &group) {
  if (kernel_.model == Model::LockStep) {
    std::optional<bool> taken = on(wave, i, 0);
    if constexpr (D::kSymbolic)
      if (!taken && !(taken = decided(wave, group)))
        domain_.undecided(cell(wave, i.guard, 0));
    const std::uint32_t pc = wave.slots[group.front()].pc;
    for (const std::uint32_t s : group)
      wave.slots[s].pc = *taken ? i.target : wave.slots[s].pc + 1;
    if constexpr (D::kSymbolic)
      countSteps(pc, wave.slots[group.front()]);
    return;
  }
  const std::uint32_t pc = wave.slots[group.front()].pc;
  if constexpr (D::kSymbolic)
    if (!isGuessing_ && isOneQuestion(wave, i, group) && !decided(wave, group))
      domain_.undecided(cell(wave, i.guard, group.front()));
  for (const std::uint32_t s : group) {
    thread_ = accessor(wave, s).thread;
    std::optional<bool> taken = on(wave, i, s);
    if constexpr (D::kSymbolic)
      if (!taken)
        taken = decided(wave, group);
    if (taken)
      wave.slots[s].pc = *taken ? i.target : wave.slots[s].pc + 1;
    else
      split(wave, s, cell(wave, i.guard, s), i.guardNegated, i.target);
  }
  if constexpr (D::kSymbolic)
    countSteps(pc, wave.slots[group.front()]);
}

/// What a branch does whose condition is not decided: a guess while guessing. Where it decides the
/// number of a loop's steps, the loop is shown by induction. Nothing: it is a question of its own.
template <class D>
std::optional<bool> Machine<D>::decided(const Wave &wave, const Group &group) const {
  const std::uint32_t pc = wave.slots[group.front()].pc;
  if (isGuessing_)
    return guessed(pc);
  if (const Loop *loop = loopLeftAt(pc); loop != nullptr && loopAt(loop->head) == nullptr)
    throw LoopFound{loop->head};
  return std::nullopt;
}

/// All lanes ask one thing of the sizes and the block: they part in two cases of the block, not in
/// two halves each, so that they can still meet.
template <class D>
bool Machine<D>::isOneQuestion(Wave &wave, const Instruction &i, const Group &group) {
  if (i.guard == kNoRegister || group.size() < 2)
    return false;
  const Value &first = cell(wave, i.guard, group.front());
  return domain_.isOfSizes(first) && std::ranges::all_of(group, [&](std::uint32_t s) {
           return cell(wave, i.guard, s) == first && !on(wave, i, s);
         });
}

/// The first half goes where the guard's register is 1.
template <class D>
void Machine<D>::split(Wave &wave, std::uint32_t slot, const Value &guard, bool negated,
                       std::uint32_t target) {
  if (wave.slots.size() >= std::size_t{8} * static_cast<std::size_t>(kernel_.waveSize))
    throw DomainError("the lanes' paths part too often");
  const Value condition = guard;
  const auto second = static_cast<std::uint32_t>(wave.slots.size());
  if (second >= wave.stride) {
    const std::size_t stride = wave.stride * 2;
    std::vector<Value> values(kernel_.registers.size() * stride);
    for (std::size_t r = 0; r < kernel_.registers.size(); ++r)
      for (std::size_t s = 0; s < wave.slots.size(); ++s)
        values[r * stride + s] = std::move(wave.values[r * wave.stride + s]);
    wave.values = std::move(values);
    wave.stride = stride;
  }
  for (std::size_t r = 0; r < kernel_.registers.size(); ++r)
    wave.values[r * wave.stride + second] = wave.values[r * wave.stride + slot];
  Slot other = wave.slots[slot];
  const Path before = other.path;
  const std::uint32_t next = other.pc + 1;
  const std::uint32_t id = splits_++;
  other.splits.push_back({id, condition, before, false});
  other.path = domain_.extend(before, condition, false);
  other.pc = negated ? target : next;
  wave.slots.push_back(std::move(other));
  Slot &first = wave.slots[slot];
  first.splits.push_back({id, condition, before, true});
  first.path = domain_.extend(before, condition, true);
  first.pc = negated ? next : target;
}

/// Halves of a lane in the group, split last from each other, become one.
template <class D> void Machine<D>::join(Wave &wave, Group &group) {
  for (std::size_t a = 0; a < group.size(); ++a) {
    for (std::size_t b = a + 1; b < group.size();) {
      const Slot &x = wave.slots[group[a]], &y = wave.slots[group[b]];
      if (x.splits.empty() || y.splits.empty() || x.splits.back().id != y.splits.back().id) {
        ++b;
        continue;
      }
      joinInto(wave, group[a], group[b]);
      group.erase(group.begin() + static_cast<std::ptrdiff_t>(b));
      b = a + 1; // an outer split may join now
    }
  }
}

template <class D> void Machine<D>::joinInto(Wave &wave, std::uint32_t to, std::uint32_t from) {
  const Split split = wave.slots[to].splits.back();
  for (std::size_t r = 0; r < kernel_.registers.size(); ++r) {
    Value &mine = wave.values[r * wave.stride + to];
    const Value &other = wave.values[r * wave.stride + from];
    if (mine == other)
      continue;
    mine = domain_.select(split.condition, split.isFirst ? mine : other,
                          split.isFirst ? other : mine, kernel_.registers[r].width);
  }
  wave.slots[to].splits.pop_back();
  wave.slots[to].path = split.before;
  wave.slots[from].state = State::Exited;
}

template <class D> void Machine<D>::exit(Wave &wave, const Instruction &i, const Group &group) {
  for (const std::uint32_t s : group) {
    thread_ = accessor(wave, s).thread;
    const std::optional<bool> isOn = on(wave, i, s);
    if (!isOn)
      throw DomainError("an exit under a condition that is not decided");
    if (*isOn)
      wave.slots[s].state = State::Exited;
    else
      ++wave.slots[s].pc;
  }
}

/// An access whose wait is to come.
template <class D> void Machine<D>::issue(Wave &wave, const Instruction &i) {
  wave.outstanding.push_back({i.access.counter, i.dst, i.access.space == Space::Shared});
  for (const RegisterId reg : i.dst)
    wave.isOutstanding[reg] = true;
}

template <class D> void Machine<D>::arrive(Wave &wave, const Instruction &i, const Group &group) {
  // The barrier orders instructions; that an access was carried out, only its wait says.
  if (std::ranges::any_of(wave.outstanding, [](const Outstanding &o) { return o.isShared; }))
    throw DomainError("reaches a barrier before the wait for an access to shared memory");
  for (const std::uint32_t s : group) {
    thread_ = accessor(wave, s).thread;
    const std::optional<bool> isOn = kernel_.model == Model::LockStep ? true : on(wave, i, s);
    if (!isOn || !wave.slots[s].splits.empty())
      throw DomainError("a barrier under a condition that is not decided");
    if (!*isOn) {
      ++wave.slots[s].pc;
      continue;
    }
    if (i.src.size() > 1 &&
        knownNumber(read(wave, i.src[1], s, 32), "the barrier's count") != block_.threads())
      throw DomainError("a barrier for a part of the block is not modelled");
    wave.slots[s].mask = knownNumber(read(wave, i.src[0], s, 32), "the barrier's number");
    wave.slots[s].state = State::AtBarrier;
  }
}

/// All threads of the block must be there, those of a wave at one instruction.
template <class D> void Machine<D>::releaseBarrier() {
  const Slot *first = nullptr;
  for (const Wave &wave : waves_)
    for (const Slot &slot : wave.slots)
      if (slot.state == State::AtBarrier && first == nullptr)
        first = &slot;
  line_ = kernel_.code[first->pc].line;
  for (Wave &wave : waves_)
    for (std::uint32_t s = 0; s < wave.slots.size(); ++s) {
      const Slot &slot = wave.slots[s];
      thread_ = accessor(wave, s).thread;
      if (slot.state != State::AtBarrier)
        throw DomainError("a barrier that not all threads of the block reach: this one has exited");
      if (slot.mask != first->mask)
        throw DomainError("threads wait at different barriers");
      if (slot.pc != wave.slots.front().pc)
        throw DomainError("lanes of one warp wait at different instructions for one barrier");
    }
  for (Wave &wave : waves_)
    for (Slot &slot : wave.slots) {
      slot.state = State::Running;
      ++slot.pc;
    }
  ++blockEpoch_;
}

template <class D> std::uint64_t Machine<D>::knownNumber(const Value &value, const char *what) {
  const std::optional<std::uint64_t> number = domain_.number(value);
  if (!number)
    throw DomainError(fmt::format("{} is not a number that is known", what));
  return *number;
}

template <class D> void Machine<D>::requireDelivered(const Wave &wave, const Instruction &i) const {
  if (wave.outstanding.empty() || i.op == Op::Wait)
    return;
  const auto require = [&](RegisterId reg) {
    if (reg != kNoRegister && wave.isOutstanding[reg])
      throw DomainError(fmt::format("uses register {} before the wait for its load",
                                    kernel_.registers[reg].name));
  };
  require(i.guard);
  for (const RegisterId reg : i.dst)
    require(reg);
  for (const Operand &operand : i.src)
    require(operand.reg);
}

/// The oldest accesses of the counter are done, so that at most so many are outstanding. Scalar
/// loads return in any order: while one is out, only a wait for all says anything.
template <class D> void Machine<D>::wait(Wave &wave, const Instruction &i) {
  const std::uint64_t may = knownNumber(read(wave, i.src[0], 0, 32), "the wait's count");
  const Counter counter = i.access.counter;
  const bool isOrdered = std::ranges::none_of(wave.outstanding, [&](const Outstanding &o) {
    return o.counter == counter && !o.registers.empty() &&
           kernel_.registers[o.registers.front()].uniform;
  });
  if (!isOrdered && may != 0)
    return;
  auto count = static_cast<std::uint64_t>(std::ranges::count(
      wave.outstanding, counter, [](const Outstanding &o) { return o.counter; }));
  for (auto it = wave.outstanding.begin(); it != wave.outstanding.end() && count > may;) {
    if (it->counter != counter) {
      ++it;
      continue;
    }
    for (const RegisterId reg : it->registers)
      wave.isOutstanding[reg] = false;
    it = wave.outstanding.erase(it);
    --count;
  }
}

} // namespace ordo::verify
