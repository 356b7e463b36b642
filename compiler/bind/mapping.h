// How an order spreads over the threads of a block. No MLIR.
//
// An order is cut in two. The front is folded inside one thread: runs, then a lane's chain. What is
// left, one value a thread (a slot), is the back: it is exchanged between threads.
#pragma once

#include "compiler/target/target.h"
#include "dsl/order/order.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ordo::compiler {

/// Slot r of `slots` owns the chunks r, r + slots, … of `chunk` adjacent elements; a chunk is
/// `runs` of `runLength`, each folded by `runStages`.
struct Mapping {
  enum class Front : std::uint8_t {
    Chain,   // a slot's runs fold as one chain
    Strided, // a slot's elements (chunk 1) fold by halves: the front part of `halves`
    Whole,   // every thread folds the whole sequence, in chunks: a leading total `seq`
    Loops,   // every thread folds a sequence whose length the launch gives, in loops within loops,
             // one for each of runStages
  };
  Front front = Front::Chain;
  std::vector<dsl::Stage> runStages;
  std::int64_t runLength = 1;
  std::int64_t runs = 1;
  std::int64_t slots = 1;
  std::int64_t length = 0;      // 0 for Loops, too
  std::vector<dsl::Stage> back; // over min(slots, chunks) values
  /// One name a stage of the order as written, for `bind` and for people: "register", "thread", …
  std::vector<std::string> axes;

  std::int64_t chunk() const { return runLength * runs; }
  std::int64_t chunks() const { return (length + chunk() - 1) / chunk(); }
  /// Chunks a slot owns at most.
  std::int64_t depth() const { return slots == 0 ? 0 : (chunks() + slots - 1) / slots; }
  /// Slots that own an element.
  std::int64_t liveSlots() const { return chunks() < slots ? chunks() : slots; }
};

/// Why an order does not bind, and what would.
struct Unbound {
  std::string reason;
  std::string help;
};

/// Cuts `order` over `length` elements for a GPU's block, or says why not.
std::optional<Mapping> mapToBlock(const dsl::Order &order, std::int64_t length,
                                  const Target &target, Unbound &why);

/// The mapping of a reduction whose length the launch gives, the same on every target: runs within
/// runs, each a left fold, `seq(n) | … | seq`. Or why another order has none.
std::optional<Mapping> mapToLoops(const dsl::Order &order, Unbound &why);

/// The mapping for a reduction whose order moves no bit (max, min, integers): `like`'s chunks and
/// slots.
Mapping mapLike(const Mapping &like, std::int64_t length);

/// Smallest power of two not below n (n >= 1).
std::int64_t powerOfTwo(std::int64_t n);

} // namespace ordo::compiler
