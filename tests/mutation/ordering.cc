#include "tests/mutation/ordering.h"

#include "tests/mutation/deliveries.h"
#include "tests/mutation/lane_values.h"
#include "tests/mutation/touches.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

namespace ordo::mutation {
namespace {

using verify::Instruction;
using verify::Kernel;
using verify::Op;

/// Of all threads: one with a count is for a part of them, and a wave's is enough where it has all.
bool isBarrier(const Instruction &i, bool isOneWave) {
  constexpr std::uint64_t kAllLanes = 0xffffffffu;
  return (i.op == Op::Barrier && i.src.size() < 2) ||
         (i.op == Op::WarpBarrier && isOneWave && !i.src[0].isRegister() &&
          i.src[0].bits == kAllLanes);
}

using Pairs = std::set<std::pair<std::size_t, std::size_t>>;

/// The accesses in the order of the text, and which of them may lie in one epoch: those that are
/// reached from one start, the kernel's or a barrier's, without a barrier; and in particular those
/// that one thread makes one after the other without a barrier, of a loop's other rounds too.
class Epochs {
public:
  Epochs(const Kernel &kernel, bool isOneWave) : kernel_(kernel), isOneWave_(isOneWave) {
    for (Place at = 0; at < kernel.code.size(); ++at)
      if (mayTouch(kernel.code[at]))
        accesses_.push_back(at);
    beside(0);
    for (Place at = 0; at + 1 < kernel.code.size(); ++at)
      if (isBarrier(kernel.code[at], isOneWave))
        beside(at + 1);
    for (std::size_t access = 0; access < accesses_.size(); ++access)
      for (const std::size_t next : from(accesses_[access] + 1))
        inTurn_.insert({access, next});
  }

  std::size_t count() const { return accesses_.size(); }
  Place place(std::size_t access) const { return accesses_[access]; }
  const Instruction &instruction(std::size_t access) const {
    return kernel_.code[accesses_[access]];
  }
  bool areApart(const std::pair<std::size_t, std::size_t> &pair) const {
    return !together_.contains(pair) && !inTurn_.contains(pair) &&
           !inTurn_.contains({pair.second, pair.first});
  }
  /// What shares an epoch here and does not there, but for loads with loads.
  Pairs beyond(const Epochs &there) const {
    Pairs pairs;
    std::ranges::set_difference(together_, there.together_, std::inserter(pairs, pairs.end()));
    std::ranges::set_difference(inTurn_, there.inTurn_, std::inserter(pairs, pairs.end()));
    std::erase_if(pairs, [&](const auto &pair) {
      return instruction(pair.first).op == Op::Load && instruction(pair.second).op == Op::Load;
    });
    return pairs;
  }

private:
  void beside(Place start) {
    const std::vector<std::size_t> reached = from(start);
    for (const std::size_t a : reached)
      for (const std::size_t b : reached)
        together_.insert({a, b});
  }

  /// The accesses that are reached without a barrier.
  std::vector<std::size_t> from(Place start) const {
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
      for (const Place to : following(kernel_, at))
        if (seen.insert(to).second)
          left.push_back(to);
    }
    return reached;
  }

  const Kernel &kernel_;
  bool isOneWave_;
  std::vector<Place> accesses_;
  Pairs together_, inTurn_;
};

/// Why accesses need no barrier of the block between them: different threads that touch one byte
/// are of one wave, and the wave orders them. Or empty.
std::string orderedByWaves(const Kernel &mutant, verify::BlockShape block, const Epochs &epochs,
                           const Pairs &pairs) {
  const Touches touches(mutant, block);
  const Epochs ofWaves(mutant, true);
  const bool isLockStep = mutant.model == verify::Model::LockStep;
  const auto isShared = [&](std::size_t access) {
    return epochs.instruction(access).access.space == verify::Space::Shared;
  };
  bool isOfThreads = true;
  for (const auto &pair : pairs) {
    const Meeting meeting = touches.meeting(epochs.place(pair.first), epochs.place(pair.second));
    if (meeting == Meeting::None)
      continue;
    isOfThreads = false;
    const bool isOrdered =
        isLockStep ? isShared(pair.first) && isShared(pair.second) : ofWaves.areApart(pair);
    if (meeting == Meeting::AcrossWaves || !isOrdered)
      return "";
  }
  if (isOfThreads)
    return "what comes to share an epoch touches no byte from two threads";
  return isLockStep ? "what comes to share an epoch touches no byte from two waves, and the "
                      "accesses of one are seen in their order"
                    : "what comes to share an epoch touches no byte from two warps, and has the "
                      "warp's barrier between";
}

} // namespace

std::string ordersAll(const Kernel &kernel, const Kernel &mutant, verify::BlockShape block) {
  const bool isOneWave = block.threads() <= static_cast<std::uint32_t>(kernel.waveSize);
  const Epochs before(kernel, isOneWave), after(mutant, isOneWave);
  if (before.count() != after.count())
    return "";
  std::string waits = "loads are waited for on every path";
  if (!undelivered(mutant).empty()) {
    if (!undeliveredInWaves(mutant, block).empty())
      return "";
    waits = "loads are waited for on every path that a wave's thread numbers allow";
  }
  if (isOneWave && kernel.model == verify::Model::LockStep)
    return "the block is one wave, which needs no barrier; " + waits;
  const Pairs pairs = after.beyond(before);
  if (pairs.empty())
    return "no access to shared memory shares an epoch that it did not, but for loads with "
           "loads; " +
           waits;
  const std::string why = orderedByWaves(mutant, block, after, pairs);
  return why.empty() ? why : why + "; " + waits;
}

} // namespace ordo::mutation
