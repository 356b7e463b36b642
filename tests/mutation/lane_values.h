// What lanes hold as far as their thread numbers tell; what comes from memory, sizes, the block's
// number or other lanes is unknown. Shares with the verifier's machine its instructions and its
// arithmetic of integers.
#pragma once

#include "compiler/verify/machine/instruction.h"
#include "compiler/verify/machine/machine.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ordo::mutation {

using Place = std::uint32_t; // in Kernel::code

/// Where control may go from there.
std::vector<Place> following(const verify::Kernel &kernel, Place at);

using Known = std::optional<std::uint64_t>;

/// Of lanes that have one program counter: a wave in lock step, or one thread.
class LaneValues {
public:
  /// `lanes` of them, the first being thread number `first` of the block.
  LaneValues(const verify::Kernel &kernel, verify::BlockShape block, std::uint32_t first,
             std::uint32_t lanes);

  /// What the instruction reads there, if its lane does it.
  Known read(const verify::Instruction &i, const verify::Operand &operand,
             std::uint32_t lane) const;
  /// Whether the lane does the instruction: its guard.
  Known isOn(const verify::Instruction &i, std::uint32_t lane) const;
  /// After an instruction that is not control.
  void compute(const verify::Instruction &i);
  /// What both hold alike is known, the rest is not; whether that changes these.
  bool meet(const LaneValues &other);

private:
  /// A number, or one where a guard is on that is not known: an instruction under it wrote it.
  struct Cell {
    Known value;
    verify::RegisterId under = verify::kNoRegister;
    bool isNegated = false;
    bool operator==(const Cell &) const = default;
  };

  std::size_t cell(verify::RegisterId reg, std::uint32_t lane) const;
  std::optional<Cell> guardOf(const verify::Instruction &i, std::uint32_t lane) const;
  void write(const verify::Instruction &i, std::uint32_t lane, const std::vector<Known> &results);
  void forget(verify::RegisterId guard);
  Known ballot(const verify::Instruction &i) const;
  std::vector<Known> result(const verify::Instruction &i, std::uint32_t lane) const;
  Known ofOneOperand(const verify::Instruction &i, std::uint32_t lane) const;
  Known special(verify::SpecialRegister which, std::uint32_t lane) const;

  const verify::Kernel *kernel_;
  verify::BlockShape block_;
  std::uint32_t first_, lanes_;
  std::vector<Cell> values_; // of register r in lane l: [r * lanes + l]
};

} // namespace ordo::mutation
