// Machine: a loop by induction over its steps. Included by machine.h.
//
// What a symbolic domain must have for it:
//   Value unknown(unsigned width)                 a new value of any bits
//   Value counter(int64 most)                     a new number 0 <= k <= most: the step
//   Value carried(const Value &after)             a new value of the kind of `after`
//   optional<int64> step(const Value &before, const Value &after, unsigned width)
//                                                 after = before + step, of an unknown
//   bool mentions(const Value &, const Value &what)
//   Value at(const Value &first, int64 step, const Value &k, unsigned width)   first + step * k
//   optional<Trips> trips(const Value &continues, const Value &k, int64 most, Path)
//                                                 how many steps, at most so many, if it goes on
//                                                 after step k while `continues`; from then on it
//                                                 is known that k is one
//   Value afterLast(const Value &first, int64 step, Trips, unsigned width)
//   Value fold(Trips, const Value &first, const Value &next, const Value &carried, const Value &k,
//              unsigned width)                    first, then `next` of it, so many times
//   vector<Value> inLastStep(Trips, span<const Value> values, const Value &k,
//                            span<const Value> carried)
//                                                 what the values are in the last step; undefined
//                                                 where that is not known
//   void guess(bool)                              nothing is checked or stored while it guesses
//   void enterSteps(Trips, const Value &k), leaveSteps()      stores are of every k
//
// THE ARGUMENT. The registers that the loop writes are of three kinds: numbers that grow by a
// constant (first + step * k at the start of step k), carried values, and the rest, which nothing
// may read before it is written. (There is a last step, so behind the loop it is what that left.)
// Guesses say which is which and how many steps there are. One step is then run for every k at
// once, from that state: loads lie inside their arrays, each number is first + step * (k + 1) at
// the end, what goes on is the condition that was guessed. By induction over k every step is like
// this; a carried value is the fold of its own step.
//
// The step is run with the loads outstanding that are when the loop is entered, and ends with none.
// Later steps begin with none, but with stores of steps before: at every point they have at most
// those loads outstanding that the first has, for a wait lets the newest accesses alone stay out,
// and those that are older than the step are no loads of its own. So no step uses a register before
// its load; and behind the loop, where more stores are out than is remembered, nothing does.
#pragma once

#include "compiler/verify/machine/machine.h"

namespace ordo::verify {

template <class D> const Loop *Machine<D>::loopAt(std::uint32_t head) const {
  for (const Loop &loop : loops_)
    if (loop.head == head)
      return &loop;
  return nullptr;
}

/// Runs the group from the loop's head to its exit. Other lanes wait meanwhile.
template <class D> void Machine<D>::runStep(Wave &wave, const Loop &loop) {
  struct Inside {
    const Loop *&now, *before;
    ~Inside() { now = before; }
  };
  const Inside inside{stepOf_, std::exchange(stepOf_, &loop)};
  Group group;
  while (true) {
    std::uint32_t pc = 0xffffffffu;
    std::size_t running = 0;
    for (const Slot &slot : wave.slots)
      if (slot.state == State::Running) {
        ++running;
        if (slot.pc != loop.exit)
          pc = std::min(pc, slot.pc);
      }
    if (running == 0)
      throw DomainError("a loop that some thread leaves in the middle");
    if (pc == 0xffffffffu)
      return;
    group.clear();
    for (std::uint32_t s = 0; s < wave.slots.size(); ++s)
      if (wave.slots[s].state == State::Running && wave.slots[s].pc == pc)
        group.push_back(s);
    join(wave, group);
    if (!loop.body[pc])
      throw DomainError("a loop that some thread leaves in the middle");
    advance(wave, group);
  }
}

template <class D> void Machine<D>::advance(Wave &wave, const Group &group) {
  if constexpr (D::kSymbolic)
    if (const Loop *loop = loopAt(wave.slots[group.front()].pc))
      if (stepOf_ == nullptr || !loop->body[stepOf_->head]) // not the same again, by another exit
        return induction(wave, *loop, group);
  step(wave, group);
}

template <class D> class Machine<D>::Induction {
public:
  Induction(Machine &machine, Wave &wave, const Loop &loop, const Group &group)
      : m_(machine), domain_(machine.domain_), wave_(wave), loop_(loop), group_(group),
        first_(wave.values), outstanding_(wave.outstanding), isOutstanding_(wave.isOutstanding) {}

  void run() {
    // What is known of the first lane's sizes must be known of all.
    for (const std::uint32_t slot : group_)
      if (!(wave_.slots[slot].path == path()))
        throw DomainError("a loop that lanes of one wave enter on different paths");
    const bool wasGuessing = m_.isGuessing_;
    setGuessing(true);
    classify();
    Value k{}, guessed{};
    std::optional<typename D::Trips> trips;
    for (const std::int64_t most : {D::kMostSteps, stepsWithoutWrap()}) {
      if (trips)
        break;
      k = domain_.counter(most);
      enter(k);
      guessed = continues();
      trips = domain_.trips(guessed, k, most, path());
    }
    if (!trips)
      throw DomainError("a loop whose number of steps is not found");
    setGuessing(wasGuessing);
    enter(k);
    const Value found = wholeStep(*trips, k);
    if (!wasGuessing) {
      if (!(found == guessed))
        throw DomainError("a loop that goes on by another condition than in its first steps");
      check(k);
    }
    leave(*trips, k);
  }

  /// While another loop guesses: what the loop leaves behind is anything.
  void giveUp() {
    setGuessing(true);
    begin();
    for (const Variable &v : variables_)
      put(v, domain_.unknown(v.width));
    wave_.outstanding.clear();
    wave_.isOutstanding.assign(wave_.isOutstanding.size(), false);
    for (const std::uint32_t s : group_)
      wave_.slots[s].pc = loop_.after;
  }

private:
  enum class Kind : std::uint8_t { Number, Carried, Other };
  /// What the loop writes, in one lane or in the wave: a register, or two that hold 64 bits.
  struct Variable {
    std::size_t low = 0; // into Wave::values
    std::optional<std::size_t> high;
    unsigned width = 0;
    Kind kind = Kind::Other;
    std::int64_t step = 0;
    bool isReadAfter = false;
    Value first{}, unknown{}, carried{};
  };

  Path path() const { return wave_.slots[group_.front()].path; }
  void setGuessing(bool isGuessing) {
    m_.isGuessing_ = isGuessing;
    domain_.guess(isGuessing);
  }

  std::size_t cellOf(RegisterId reg, std::uint32_t slot) const {
    return reg * wave_.stride + (m_.kernel_.registers[reg].uniform ? 0 : slot);
  }

  /// Registers that the body puts together to one number, by the lower one.
  std::map<RegisterId, RegisterId> pairs() const {
    std::map<RegisterId, RegisterId> found;
    std::set<RegisterId> taken;
    const auto isWritten = [&](const Operand &o) {
      return o.isRegister() && m_.kernel_.registers[o.reg].width == 32 &&
             std::ranges::binary_search(loop_.written, o.reg);
    };
    for (std::uint32_t pc = 0; pc < m_.kernel_.code.size(); ++pc) {
      const Instruction &i = m_.kernel_.code[pc];
      if (loop_.body[pc] && i.op == Op::Concat && i.width == 64 && i.src.size() == 2 &&
          isWritten(i.src[0]) && isWritten(i.src[1]) && !taken.contains(i.src[0].reg) &&
          !taken.contains(i.src[1].reg)) {
        found[i.src[0].reg] = i.src[1].reg;
        taken.insert({i.src[0].reg, i.src[1].reg});
      }
    }
    pairsByCarry(found, taken);
    return found;
  }

  /// What one instruction of the source does that adds to a register: of its lanes, or a scalar
  /// one.
  struct Sum {
    bool isLower = false, isUpper = false; // without a carry in, with one
    RegisterId reg = kNoRegister;          // written, of 32 bits
    std::set<RegisterId> read;
    std::set<RegisterId> masksRead, masksWritten; // that carries may stand in
  };

  Sum sumOf(std::uint32_t &pc) const {
    const Kernel &kernel = m_.kernel_;
    const auto isOfLanes = [&](RegisterId reg) {
      return reg != kNoRegister && !kernel.registers[reg].uniform &&
             !kernel.registers[reg].name.empty();
    };
    bool isScalar = true;
    for (std::uint32_t at = pc;
         at < kernel.code.size() && kernel.code[at].line == kernel.code[pc].line; ++at)
      isScalar &= std::ranges::none_of(kernel.code[at].dst, isOfLanes) &&
                  std::ranges::none_of(kernel.code[at].src, isOfLanes, &Operand::reg);
    // The carries of lanes are in a scalar register, that of a scalar sum is one bit.
    const auto isCarry = [&](RegisterId reg) {
      return kernel.registers[reg].uniform && (!isScalar || kernel.registers[reg].width == 1);
    };
    Sum sum;
    for (const std::uint32_t line = kernel.code[pc].line;
         pc < kernel.code.size() && kernel.code[pc].line == line; ++pc) {
      const Instruction &i = kernel.code[pc];
      if (i.op == Op::AddCarry || i.op == Op::SubBorrow)
        (i.src[2].isRegister() ? sum.isUpper : sum.isLower) = true;
      for (const Operand &o : i.src)
        if (o.isRegister() && !kernel.registers[o.reg].name.empty())
          (isCarry(o.reg) ? sum.masksRead : sum.read).insert(o.reg);
      for (const RegisterId reg : i.dst)
        if (!kernel.registers[reg].name.empty()) {
          if (kernel.registers[reg].uniform)
            sum.masksWritten.insert(reg);
          if (!isCarry(reg) && kernel.registers[reg].width == 32)
            sum.reg = reg;
        }
    }
    return sum;
  }

  /// And those that a sum and its carry move. A guess, as all of them: what is no number of 64 bits
  /// is then none of two of 32.
  void pairsByCarry(std::map<RegisterId, RegisterId> &found, std::set<RegisterId> &taken) const {
    std::vector<Sum> open; // lower sums whose carry is still there
    for (std::uint32_t pc = 0; pc < m_.kernel_.code.size();) {
      if (!loop_.body[pc]) {
        ++pc;
        continue;
      }
      const Sum sum = sumOf(pc);
      const auto meets = [](const std::set<RegisterId> &a, const std::set<RegisterId> &b) {
        return std::ranges::any_of(a, [&](RegisterId reg) { return b.contains(reg); });
      };
      const bool movesItself = sum.reg != kNoRegister && sum.read.contains(sum.reg);
      if (sum.isUpper && movesItself && !taken.contains(sum.reg))
        for (const Sum &lower : open)
          if (meets(lower.masksWritten, sum.masksRead) && !taken.contains(lower.reg)) {
            found[lower.reg] = sum.reg;
            taken.insert({lower.reg, sum.reg});
            break;
          }
      std::erase_if(open, [&](const Sum &s) { return meets(s.masksWritten, sum.masksWritten); });
      if (sum.isLower && movesItself)
        open.push_back(sum);
    }
  }

  void collect() {
    const std::map<RegisterId, RegisterId> together = pairs();
    std::set<RegisterId> upper;
    for (const auto &[low, high] : together)
      upper.insert(high);
    for (const RegisterId reg : loop_.written) {
      if (upper.contains(reg))
        continue;
      const bool isUniform = m_.kernel_.registers[reg].uniform;
      const auto isReadAfter = [&](RegisterId r) {
        return std::ranges::binary_search(loop_.readAfter, r);
      };
      for (const std::uint32_t slot : group_) {
        Variable v;
        v.isReadAfter = isReadAfter(reg);
        v.low = cellOf(reg, slot);
        v.width = m_.kernel_.registers[reg].width;
        if (const auto it = together.find(reg); it != together.end()) {
          v.high = cellOf(it->second, slot);
          v.isReadAfter |= isReadAfter(it->second);
          v.width = 64;
        }
        v.first = get(v);
        variables_.push_back(v);
        if (isUniform)
          break;
      }
    }
  }

  Value get(const Variable &v) {
    if (!v.high)
      return wave_.values[v.low];
    const std::array<Value, 2> halves = {wave_.values[v.low], wave_.values[*v.high]};
    if (domain_.isUndefined(halves[0]) || domain_.isUndefined(halves[1]))
      return Value{};
    return domain_.concat(halves, 32);
  }

  void put(const Variable &v, const Value &value) {
    if (!v.high) {
      wave_.values[v.low] = value;
      return;
    }
    const bool isUndefined = domain_.isUndefined(value);
    wave_.values[v.low] = isUndefined ? Value{} : domain_.part(value, 32, 0, 64);
    wave_.values[*v.high] = isUndefined ? Value{} : domain_.part(value, 32, 32, 64);
  }

  void step() {
    for (const std::uint32_t s : group_)
      wave_.slots[s].pc = loop_.head;
    const std::size_t slots = wave_.slots.size();
    m_.runStep(wave_, loop_);
    if (wave_.slots.size() != slots)
      throw DomainError("a loop in which the lanes' paths part");
    if (std::ranges::any_of(wave_.outstanding, [](const auto &o) { return !o.registers.empty(); }))
      throw DomainError("a loop whose step ends with loads outstanding");
  }

  void classify() {
    collect();
    begin();
    for (Variable &v : variables_)
      if (!domain_.isUndefined(v.first))
        put(v, v.unknown = domain_.unknown(v.width));
    step();
    for (Variable &v : variables_) {
      const Value after = get(v);
      if (domain_.isUndefined(v.first) || domain_.isUndefined(after))
        continue;
      if (const auto by = domain_.step(v.unknown, after, v.width)) {
        v.kind = Kind::Number;
        v.step = *by;
      } else if (domain_.mentions(after, v.unknown)) {
        v.kind = Kind::Carried;
        v.carried = domain_.carried(after);
      }
    }
  }

  /// So many steps that no number which started near zero leaves half its width: the exit's
  /// condition is then one on integers. That there are no more, trips() shows.
  std::int64_t stepsWithoutWrap() const {
    std::int64_t most = D::kMostSteps;
    for (const Variable &v : variables_)
      if (v.kind == Kind::Number && v.step != 0 && v.width >= 32) {
        const auto size = static_cast<std::uint64_t>(v.step < 0 ? -v.step : v.step);
        const std::uint64_t steps = (std::uint64_t{1} << (v.width - 2)) / size;
        most = std::min(most, static_cast<std::int64_t>(std::max<std::uint64_t>(steps, 1)));
      }
    return most;
  }

  /// As the loop is entered.
  void begin() {
    wave_.values = first_;
    wave_.outstanding = outstanding_;
    wave_.isOutstanding = isOutstanding_;
  }

  /// The state at the head of step k.
  void enter(const Value &k) {
    begin();
    for (const Variable &v : variables_)
      put(v, v.kind == Kind::Number    ? domain_.at(v.first, v.step, k, v.width)
             : v.kind == Kind::Carried ? v.carried
                                       : Value{});
  }

  /// Runs the step: whether another follows.
  Value continues() {
    step();
    const Instruction &exit = m_.kernel_.code[loop_.exit];
    const auto asked = [&](std::uint32_t slot) {
      const Value &guard = m_.cell(wave_, exit.guard, slot);
      if (domain_.isUndefined(guard))
        throw DomainError("a loop that goes on by a value nobody defined");
      return guard;
    };
    const Value guard = asked(group_.front());
    for (const std::uint32_t s : group_)
      if (!(asked(s) == guard))
        throw DomainError("a loop that lanes of one wave leave after different numbers of steps");
    const bool leavesWhenSet = loop_.leavesWhenTaken != exit.guardNegated;
    return leavesWhenSet ? domain_.select(guard, domain_.constant(1, 0), domain_.constant(1, 1), 1)
                         : guard;
  }

  /// The step whose stores are those of every step.
  Value wholeStep(const typename D::Trips &trips, const Value &k) {
    struct Inside {
      D &domain;
      ~Inside() { domain.leaveSteps(); }
    };
    domain_.enterSteps(trips, k);
    const Inside inside{domain_};
    return continues();
  }

  /// The numbers are those of the next step's head; no carried value depends on another.
  void check(const Value &k) {
    const Value one = domain_.constant(64, 1);
    for (const Variable &v : variables_) {
      const Value after = get(v);
      if (v.kind == Kind::Number &&
          !(after == domain_.at(domain_.at(v.first, v.step, k, v.width), v.step, one, v.width)))
        throw DomainError("a number that does not grow by the same in every step");
      if (v.kind != Kind::Carried)
        continue;
      for (const Variable &other : variables_)
        if (&other != &v && other.kind == Kind::Carried && domain_.mentions(after, other.carried))
          throw DomainError("values that a loop carries depend on each other");
    }
  }

  /// The rest is what the last step leaves. Undefined what nobody asks for.
  void keepLast(const typename D::Trips &trips, const Value &k, std::vector<Value> &after) {
    std::vector<Value> carried, kept;
    for (const Variable &v : variables_)
      if (v.kind == Kind::Carried)
        carried.push_back(v.carried);
    const auto isKept = [&](const Variable &v) { return v.kind == Kind::Other && v.isReadAfter; };
    for (std::size_t n = 0; n < variables_.size(); ++n)
      if (isKept(variables_[n]))
        kept.push_back(after[n]);
    kept = domain_.inLastStep(trips, kept, k, carried);
    auto next = kept.begin();
    for (std::size_t n = 0; n < variables_.size(); ++n)
      if (variables_[n].kind == Kind::Other)
        after[n] = isKept(variables_[n]) ? *next++ : Value{};
  }

  void leave(const typename D::Trips &trips, const Value &k) {
    std::vector<Value> after;
    for (const Variable &v : variables_)
      after.push_back(get(v));
    wave_.values = first_;
    keepLast(trips, k, after);
    for (std::size_t n = 0; n < variables_.size(); ++n) {
      const Variable &v = variables_[n];
      put(v, v.kind == Kind::Number ? domain_.afterLast(v.first, v.step, trips, v.width)
             : v.kind == Kind::Carried
                 ? domain_.fold(trips, v.first, after[n], v.carried, k, v.width)
                 : after[n]);
    }
    for (const std::uint32_t s : group_)
      wave_.slots[s].pc = loop_.after;
  }

  Machine &m_;
  D &domain_;
  Wave &wave_;
  const Loop &loop_;
  const Group &group_;
  const std::vector<Value> first_; // the registers at the head
  const std::vector<Outstanding> outstanding_;
  const std::vector<bool> isOutstanding_;
  std::vector<Variable> variables_;
};

template <class D> void Machine<D>::induction(Wave &wave, const Loop &loop, const Group &group) {
  line_ = kernel_.code[loop.exit].line;
  if (!loop.obstacle.empty())
    throw DomainError("a loop with a number of steps that is not known: " + loop.obstacle);
  std::vector<std::uint32_t> parked;
  for (std::uint32_t s = 0; s < wave.slots.size(); ++s)
    if (wave.slots[s].state == State::Running && std::ranges::find(group, s) == group.end()) {
      wave.slots[s].state = State::Parked;
      parked.push_back(s);
    }
  Induction induction(*this, wave, loop, group);
  const bool wasGuessing = isGuessing_;
  try {
    induction.run();
  } catch (const DomainError &) {
    if (inductions_.longOnes.contains(loop.head))
      throw LoopDeclined{loop.head};
    if (!wasGuessing)
      throw;
    induction.giveUp();
  }
  for (const std::uint32_t s : parked)
    wave.slots[s].state = State::Running;
}

/// While guessing, a branch that is not decided leaves the loop that it can leave, but not one
/// whose step is being run, or goes straight on: a wrong guess shows later.
template <class D> bool Machine<D>::guessed(std::uint32_t pc) const {
  const Loop *loop = loopLeftAt(pc);
  if (loop == nullptr)
    return false;
  const bool leaves = stepOf_ == nullptr || stepOf_->body[loop->after];
  return loop->leavesWhenTaken == leaves;
}

/// A loop that goes on for long is shown by induction instead.
template <class D> void Machine<D>::countSteps(std::uint32_t exit, const Slot &slot) {
  constexpr std::uint32_t kMany = 4;
  const Loop *loop = loopLeftAt(exit);
  if (loop == nullptr || !inductions_.ofLongLoops || !loop->obstacle.empty() ||
      loopAt(loop->head) != nullptr || inductions_.runOut.contains(loop->head))
    return;
  std::uint32_t &steps = stepsRun_[loop->head];
  steps = slot.pc < loop->body.size() && loop->body[slot.pc] ? steps + 1 : 0;
  if (steps >= kMany)
    throw LoopFound{loop->head, true};
}

/// The loop whose number of steps the branch decides.
template <class D> const Loop *Machine<D>::loopLeftAt(std::uint32_t pc) const {
  for (const Loop &loop : std::ranges::reverse_view(allLoops_))
    if (loop.exit == pc && loop.body[pc])
      return &loop;
  return nullptr;
}

} // namespace ordo::verify
