// Runs one block of a kernel, over any domain of values.
//
// The machine owns control, lanes, barriers and shared memory; a Domain owns values, global memory
// and what is decided. Concrete bits (concrete.h) make it an emulator; terms make it the prover's
// reader of meanings. A Domain provides
//
//   Value                             default: undefined
//   Path                              default: no condition
//   static constexpr bool kSymbolic   truth() may have no answer
//   Value constant(unsigned width, uint64_t bits)
//   Value special(SpecialRegister)    CtaidX …, NctaidX …, ParamBase; the machine knows the rest
//   void apply(const Instruction &, const Value *src, Value *dst)   operations from Mov to GcnMed3
//   optional<bool> truth(const Value &, Path)       of one bit, as far as the path decides
//   optional<uint64_t> number(const Value &)        its bits, if they are known
//   Value select(const Value &condition, const Value &a, const Value &b, unsigned width)
//   Path extend(Path, const Value &condition, bool holds)
//   Value part(const Value &, unsigned width, unsigned bit, unsigned ofWidth)
//   Value concat(span<const Value> lowestFirst, unsigned width of each)
//   Value parameter(unsigned offset, unsigned bytes)
//   void load(const Instruction &, const Value &address, Path, const Accessor &, Value *dst)
//   void store(const Instruction &, const Value &address, const Value *elements, Path, const
//   Accessor &) bool isUndefined(const Value &)
//
// and throws DomainError. A symbolic one has three more: `undecided(const Value &)`, which throws
// where a wave must know; `bool isOfSizes(const Value &)`, whether it can; and
// `Value under(const Value &, Path)`, the same value on the path. Where truth() has no answer: a
// guard becomes a select of the results, and the path's condition for memory; a branch of a lane
// (Model::Threads) splits the lane in two, each under its own path, which join by selects if they
// meet again. Lanes that branch together on one condition of sizes go on together.
#pragma once

#include "compiler/verify/machine/fault.h"
#include "compiler/verify/machine/instruction.h"
#include "compiler/verify/machine/limits.h"
#include "compiler/verify/machine/loops.h"
#include "compiler/verify/machine/run_order.h"
#include "compiler/verify/machine/shared_memory.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ordo::verify {

/// Where generic addresses see shared memory.
inline constexpr std::uint64_t kSharedWindow = 0x7fff'0000'0000'0000u;
inline constexpr std::uint64_t kSharedWindowBytes = std::uint64_t{1} << 24;
/// Where they see the arguments (ParamBase).
inline constexpr std::uint64_t kParamWindow = 0x7ffe'0000'0000'0000u;
inline constexpr std::uint64_t kParamWindowBytes = std::uint64_t{1} << 16;

struct BlockShape {
  std::array<std::uint32_t, 3> size = {1, 1, 1};
  std::uint64_t sharedBytes = 0; // given at launch, after the kernel's own
  std::uint32_t threads() const { return size[0] * size[1] * size[2]; }
};

/// Thrown where a loop is to be shown by induction: the run is repeated.
struct LoopFound {
  std::uint32_t head = 0;
  bool isLong = false; // its steps are known, and many
};

/// Thrown where a long loop is not shown by induction: it is run out, step by step.
struct LoopDeclined {
  std::uint32_t head = 0;
};

/// Which loops are shown by induction: by head. Those in `runOut` are not, however long.
struct Inductions {
  std::set<std::uint32_t> heads, longOnes, runOut;
  bool ofLongLoops = true;
};

template <class Domain> class Machine {
public:
  using Value = typename Domain::Value;
  using Path = typename Domain::Path;

  /// A symbolic domain takes the default order alone: halves of lanes join by it.
  Machine(const Kernel &kernel, Domain &domain, BlockShape block, MachineLimits limits = {},
          RunOrder order = {})
      : kernel_(kernel), domain_(domain), block_(block), limits_(limits), order_(order),
        lot_(order.seed), shared_(kernel.sharedBytes + block.sharedBytes, order.stopsAtRaces) {}

  /// Runs the block to its end, or says what stopped it. Once.
  std::optional<Fault> run();
  std::uint64_t steps() const { return steps_; }
  /// All loops of the kernel, and what is known of them. Symbolic domains only.
  void useInduction(std::vector<Loop> all, Inductions inductions) {
    allLoops_ = std::move(all);
    inductions_ = std::move(inductions);
    for (const Loop &loop : allLoops_)
      if (inductions_.heads.contains(loop.head))
        loops_.push_back(loop);
  }

private:
  enum class State : std::uint8_t { Running, Meeting, AtBarrier, Exited, Parked };

  /// One of two halves of a lane that may join again.
  struct Split {
    std::uint32_t id = 0;
    Value condition{}; // of the first half
    Path before{};
    bool isFirst = false;
  };

  struct Slot { // a lane, or a half of one
    int lane = 0;
    std::uint32_t pc = 0;
    State state = State::Running;
    Path path{};
    std::vector<Split> splits;
    std::uint64_t mask = 0; // Meeting: the lanes that are named
  };

  struct Copy { // asynchronous, to shared memory
    std::size_t slot = 0;
    Value global{};
    std::uint64_t shared = 0;
    unsigned bytes = 0, read = 0; // what is not read becomes zero
  };

  struct CopyGroups { // of one thread
    std::vector<Copy> open;
    std::vector<std::vector<Copy>> committed;
  };

  struct Outstanding { // a load of AMDGCN
    Counter counter = Counter::None;
    std::vector<RegisterId> registers;
    bool isShared = false;
  };

  struct Wave {
    std::uint32_t index = 0;
    std::uint32_t epoch = 0;
    std::vector<Slot> slots;
    std::vector<Value> values; // of register r in slot s: [r * stride + s]
    std::size_t stride = 0;
    std::vector<Outstanding> outstanding;
    std::vector<bool> isOutstanding; // by register
    std::vector<CopyGroups> copies;  // by lane
  };

  using Group = std::vector<std::uint32_t>; // slots

  // machine_control.h
  void start();
  void runWaves();
  bool runWave(Wave &wave, std::uint64_t most);
  void step(Wave &wave, const Group &group);
  bool pick(Wave &wave, Group &group);
  std::uint32_t drawPc(const Wave &wave);
  void releaseBarrier();
  void branch(Wave &wave, const Instruction &i, const Group &group);
  std::optional<bool> decided(const Wave &wave, const Group &group) const;
  bool isOneQuestion(Wave &wave, const Instruction &i, const Group &group);
  void split(Wave &wave, std::uint32_t slot, const Value &guard, bool negated,
             std::uint32_t target);
  void join(Wave &wave, Group &group);
  void joinInto(Wave &wave, std::uint32_t to, std::uint32_t from);
  void exit(Wave &wave, const Instruction &i, const Group &group);
  void arrive(Wave &wave, const Instruction &i, const Group &group);
  void issue(Wave &wave, const Instruction &i);
  void wait(Wave &wave, const Instruction &i);

  // machine_loops.h
  class Induction;
  const Loop *loopAt(std::uint32_t head) const;
  const Loop *loopLeftAt(std::uint32_t pc) const;
  void runStep(Wave &wave, const Loop &loop);
  void advance(Wave &wave, const Group &group);
  void induction(Wave &wave, const Loop &loop, const Group &group);
  bool guessed(std::uint32_t pc) const;
  void countSteps(std::uint32_t exit, const Slot &slot);

  // machine_lanes.h
  void meet(Wave &wave, const Instruction &i, const Group &group);
  bool tryMeet(Wave &wave, std::uint32_t pc);
  bool tryMeetAny(Wave &wave);
  void shuffle(Wave &wave, const Instruction &i, const Group &members);
  void vote(Wave &wave, const Instruction &i, const Group &members);
  void crossLanes(Wave &wave, const Instruction &i);
  void readFirstLane(Wave &wave, const Instruction &i);
  void laneMove(Wave &wave, const Instruction &i);
  void special(Wave &wave, const Instruction &i, const Group &group);

  // machine_memory.h
  void load(Wave &wave, const Instruction &i, std::uint32_t slot, Path path, Value *dst);
  void store(Wave &wave, const Instruction &i, std::uint32_t slot, Path path);
  void memory(Wave &wave, const Instruction &i, const Group &group);
  std::optional<std::uint64_t> parameterAddress(const Instruction &i, const Value &address);
  std::optional<std::uint64_t> sharedAddress(const Instruction &i, const Value &address);
  Value sharedLoad(std::uint64_t address, unsigned bytes, const Accessor &who);
  void copyAsync(Wave &wave, const Instruction &i, std::uint32_t slot, Path path);
  void waitGroups(Wave &wave, const Instruction &i, std::uint32_t slot);

  // machine_control.h: registers and guards
  Value &cell(Wave &wave, RegisterId reg, std::uint32_t slot) {
    return wave.values[reg * wave.stride + (kernel_.registers[reg].uniform ? 0 : slot)];
  }
  Value read(Wave &wave, const Operand &operand, std::uint32_t slot, unsigned width) {
    return operand.isRegister() ? cell(wave, operand.reg, slot)
                                : domain_.constant(width, operand.bits);
  }
  Value readUnder(Wave &wave, const Operand &operand, std::uint32_t slot, unsigned width,
                  Path path) {
    if constexpr (Domain::kSymbolic)
      return domain_.under(read(wave, operand, slot, width), path);
    return read(wave, operand, slot, width);
  }
  Path pathOf(Wave &wave, const Instruction &i, std::uint32_t slot, std::optional<bool> isOn);
  /// The registers of AMDGCN that a load has yet to deliver are out of bounds.
  void requireDelivered(const Wave &wave, const Instruction &i) const;
  /// True, false, or nothing where the domain cannot decide.
  std::optional<bool> on(Wave &wave, const Instruction &i, std::uint32_t slot);
  std::uint64_t knownNumber(const Value &value, const char *what);
  /// dst ← value where the guard is on; `isOn` as from on(), not false.
  void write(Wave &wave, const Instruction &i, std::uint32_t slot, std::optional<bool> isOn,
             const Value *values);
  void compute(Wave &wave, const Instruction &i, const Group &group);
  Accessor accessor(const Wave &wave, std::uint32_t slot) const {
    const std::uint32_t lane = static_cast<std::uint32_t>(wave.slots[slot].lane);
    return {wave.index * static_cast<std::uint32_t>(kernel_.waveSize) + lane, wave.index,
            blockEpoch_, wave.epoch};
  }
  bool isUniform(const Instruction &i) const {
    return !i.dst.empty() && kernel_.registers[i.dst.front()].uniform;
  }

  const Kernel &kernel_;
  Domain &domain_;
  BlockShape block_;
  MachineLimits limits_;
  RunOrder order_;
  Lot lot_;
  SharedMemory<Value> shared_;
  std::vector<Wave> waves_;
  std::uint32_t blockEpoch_ = 0;
  std::uint64_t steps_ = 0;
  std::uint32_t splits_ = 0;
  std::vector<Loop> allLoops_, loops_;
  Inductions inductions_;
  std::map<std::uint32_t, std::uint32_t> stepsRun_; // of a loop since it was entered, by its head
  bool isGuessing_ = false;
  const Loop *stepOf_ = nullptr; // whose step is being run, the innermost
  // Where it is, for faults.
  std::uint32_t line_ = 0;
  std::optional<std::uint32_t> thread_;
};

} // namespace ordo::verify

#include "compiler/verify/machine/machine_control.h"
#include "compiler/verify/machine/machine_lanes.h"
#include "compiler/verify/machine/machine_loops.h"
#include "compiler/verify/machine/machine_memory.h"
