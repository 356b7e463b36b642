// Which bytes of shared memory each thread of a block touches, as far as thread numbers tell.
#pragma once

#include "compiler/verify/machine/instruction.h"
#include "compiler/verify/machine/machine.h"
#include "tests/mutation/lane_values.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace ordo::mutation {

/// Whether the instruction may access shared memory. What reads memory that does not change
/// (s_load) does not.
bool mayTouch(const verify::Instruction &i);

/// Accesses at two places, by different threads, to a byte in common.
enum class Meeting : std::uint8_t { None, InAWave, AcrossWaves };

class Touches {
public:
  Touches(const verify::Kernel &kernel, verify::BlockShape block);

  /// The farthest such threads; an address that thread numbers do not tell may be any.
  Meeting meeting(Place a, Place b) const;

private:
  struct Touch {
    std::uint32_t thread = 0;
    Known address;
    auto operator<=>(const Touch &) const = default;
  };

  void follow(LaneValues values, std::uint32_t first, std::uint32_t lanes);
  void touch(const LaneValues &values, Place at, std::uint32_t first, std::uint32_t lanes);
  bool overlap(Place a, const Touch &x, Place b, const Touch &y) const;

  const verify::Kernel &kernel_;
  bool isComplete_ = true;
  std::map<Place, std::vector<Touch>> touches_;
};

} // namespace ordo::mutation
