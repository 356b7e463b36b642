// PTX text to the machine's instructions.
#pragma once

#include "compiler/verify/machine/instruction.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ordo::verify::ptx {

struct ReadFailure {
  std::uint32_t line = 0; // 0: of the whole text
  std::string message;    // names the opcode
};

/// The names of the entries, or a failure.
std::optional<std::vector<std::string>> entries(std::string_view text, ReadFailure &failure);

/// The entry `name`, or the only one if `name` is empty. An instruction that is not modelled is a
/// failure that names it; nothing is skipped.
std::optional<Kernel> read(std::string_view text, std::string_view name, ReadFailure &failure);

} // namespace ordo::verify::ptx
