#include "tests/mutation/ordering.h"

#include "tests/mutation/deliveries.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace ordo::mutation {
namespace {

using verify::Instruction;
using verify::Kernel;
using verify::Op;

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
      for (const Place to : following(kernel_, at))
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
  for (const auto &pair : after.together())
    if (!before.together().contains(pair) &&
        !(after.isLoad(pair.first) && after.isLoad(pair.second)))
      return "";
  return "no access to shared memory shares an epoch that it did not, but for loads with loads; " +
         waits;
}

} // namespace ordo::mutation
