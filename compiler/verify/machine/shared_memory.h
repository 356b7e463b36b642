// A block's shared memory, byte by byte, with who wrote and read each since the last barrier.
//
// Two accesses to a byte by different threads, one of them a write, race unless something orders
// them: a barrier of the block (its count is the block epoch), or, for threads of one wave, a
// barrier of the wave (the wave epoch), or lock step. Epochs only grow.
#pragma once

#include "compiler/verify/machine/fault.h"

#include <cstdint>
#include <fmt/format.h>
#include <vector>

namespace ordo::verify {

/// Who accesses, and when.
struct Accessor {
  std::uint32_t thread = 0; // in the block
  std::uint32_t wave = 0;
  std::uint32_t blockEpoch = 0;
  std::uint32_t waveEpoch = 0;
};

template <class Value> class SharedMemory {
public:
  /// Without `stopsAtRaces` a byte holds what was stored last.
  explicit SharedMemory(std::uint64_t bytes, bool stopsAtRaces = true)
      : cells_(bytes), stopsAtRaces_(stopsAtRaces) {}

  /// Writes `value` of `bytes` bytes.
  void store(std::uint64_t address, unsigned bytes, const Value &value, const Accessor &who) {
    check(address, bytes, "store");
    ++stores_;
    for (unsigned k = 0; k < bytes; ++k) {
      Cell &cell = cells_[address + k];
      if (cell.isWritten && unordered(cell.write, who))
        race(address + k, "stores to", "stored it", cell.write, who);
      if (cell.readers != Readers::None && readRaces(cell, who))
        race(address + k, "stores to", "loaded it", cell.read, who);
      cell = Cell{value,
                  stores_,
                  static_cast<std::uint8_t>(bytes),
                  static_cast<std::uint8_t>(k),
                  true,
                  Readers::None,
                  who,
                  {}};
    }
  }

  /// Reads `bytes` bytes; `join(parts)` builds the value of bytes of different stores from
  /// {value, its bytes, which byte}.
  template <class Join>
  Value load(std::uint64_t address, unsigned bytes, const Accessor &who, Join &&join) {
    check(address, bytes, "load");
    bool isWhole = true;
    for (unsigned k = 0; k < bytes; ++k) {
      Cell &cell = cells_[address + k];
      if (!cell.isWritten)
        throw DomainError(
            fmt::format("reads shared memory at {} that no thread has written", address + k));
      if (unordered(cell.write, who))
        race(address + k, "loads", "stored it", cell.write, who);
      const Cell &first = cells_[address];
      isWhole &= cell.store == first.store && cell.byte == k && cell.bytes == bytes;
      note(cell, who);
    }
    if (isWhole)
      return cells_[address].value;
    std::vector<Part> parts;
    for (unsigned k = 0; k < bytes; ++k)
      parts.push_back(
          {cells_[address + k].value, cells_[address + k].bytes, cells_[address + k].byte});
    return join(parts);
  }

  struct Part {
    Value value;
    unsigned bytes, byte;
  };

  /// An asynchronous copy will deliver these bytes: till then reading them is an error.
  void invalidate(std::uint64_t address, unsigned bytes, const Accessor &who) {
    store(address, bytes, Value{}, who);
    for (unsigned k = 0; k < bytes; ++k)
      cells_[address + k].isWritten = false;
  }

private:
  enum class Readers : std::uint8_t { None, One, OfOneWave, OfSeveral };
  struct Cell {
    Value value{};
    std::uint64_t store = 0;
    std::uint8_t bytes = 0, byte = 0;
    bool isWritten = false;
    Readers readers = Readers::None; // since the write
    Accessor write, read;            // the last of each
  };

  void check(std::uint64_t address, unsigned bytes, const char *what) const {
    if (address > cells_.size() || bytes > cells_.size() - address)
      throw DomainError(fmt::format("{}s {} bytes of shared memory at {}, and the block has {}",
                                    what, bytes, address, cells_.size()));
    if (address % bytes != 0)
      throw DomainError(fmt::format("{}s {} bytes of shared memory at {}, which is not a multiple",
                                    what, bytes, address));
  }

  static bool ordered(const Accessor &before, const Accessor &now) {
    return before.blockEpoch != now.blockEpoch ||
           (before.wave == now.wave && before.waveEpoch != now.waveEpoch);
  }
  static bool unordered(const Accessor &before, const Accessor &now) {
    return before.thread != now.thread && !ordered(before, now);
  }

  static bool readRaces(const Cell &cell, const Accessor &who) {
    switch (cell.readers) {
    case Readers::None:
      return false;
    case Readers::One:
      return unordered(cell.read, who);
    case Readers::OfOneWave: // the latest decides, for epochs only grow
      return !ordered(cell.read, who);
    case Readers::OfSeveral: // only a barrier of the block orders them all
      return cell.read.blockEpoch == who.blockEpoch;
    }
    return true;
  }

  /// Reads that come before `who` need no remembering: what comes after `who` comes after them.
  void note(Cell &cell, const Accessor &who) {
    if (!readRaces(cell, who) || cell.readers == Readers::None)
      cell.readers = Readers::One;
    else if (cell.readers == Readers::OfSeveral || cell.read.wave != who.wave)
      cell.readers = Readers::OfSeveral;
    else
      cell.readers = Readers::OfOneWave;
    cell.read = who;
  }

  void race(std::uint64_t address, const char *now, const char *then, const Accessor &before,
            const Accessor &who) const {
    if (!stopsAtRaces_)
      return;
    throw DomainError(
        fmt::format("a race: thread {} {} the byte of shared memory at {}, and thread {} {} "
                    "with no barrier between",
                    who.thread, now, address, before.thread, then));
  }

  std::vector<Cell> cells_;
  bool stopsAtRaces_;
  std::uint64_t stores_ = 0;
};

} // namespace ordo::verify
