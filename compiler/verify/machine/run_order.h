// The order in which the machine runs what nothing orders: waves, and lanes that have parted.
//
// Correct code gives the same bits under every order. Code that relies on luck (a barrier that is
// missing, lanes of a warp that are thought to move together) shows under some of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace ordo::verify {

struct RunOrder {
  enum class Waves : std::uint8_t {
    InTurn,
    Reverse,
    Permuted,    // drawn again after each barrier
    Interleaved, // a wave runs a few instructions, is delayed, and another runs
  };
  enum class Lanes : std::uint8_t {
    SmallestFirst, // those with the smallest program counter, together
    Parted,        // any that stand at one instruction, or only some of them; Model::Threads
  };
  Waves waves = Waves::InTurn;
  Lanes lanes = Lanes::SmallestFirst;
  std::uint64_t seed = 0;
  bool stopsAtRaces = true; // no: shared memory holds what came last, as it would on a device
};

/// Draws what a RunOrder leaves to its seed.
class Lot {
public:
  explicit Lot(std::uint64_t seed) : state_(seed) {}

  /// 0 … count - 1. By splitmix64.
  std::uint64_t below(std::uint64_t count) {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % count;
  }

  /// The waves 0 … count - 1, in an order that lets each run to its barrier before the next.
  std::vector<std::uint32_t> turns(RunOrder::Waves waves, std::size_t count) {
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    if (waves == RunOrder::Waves::Reverse)
      std::ranges::reverse(order);
    if (waves == RunOrder::Waves::Permuted)
      for (std::size_t k = count; k > 1; --k)
        std::swap(order[k - 1], order[below(k)]);
    return order;
  }

  /// Leaves some of the elements, at least one.
  template <class T> void thin(std::vector<T> &all) {
    const T kept = all[below(all.size())];
    std::erase_if(all, [&](const T &each) { return each != kept && below(2) == 0; });
  }

private:
  std::uint64_t state_;
};

} // namespace ordo::verify
