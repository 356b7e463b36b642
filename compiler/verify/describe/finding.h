// Instructions that no contract has a word for.
#pragma once

#include "compiler/verify/machine/instruction.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ordo::verify {

struct Finding {
  enum class Kind : std::uint8_t {
    Approximation, // by hardware, without a documented result
    Flush,         // of subnormals to zero
    Saturation,    // to [0, 1]
    Rounding,      // of arithmetic, otherwise than to nearest even
    Contraction,   // the assembler may fuse it with another
    Fused,         // a multiply-add: one rounding where the source may have had two
    Atomic,        // on floats: in the order of arrival
  };
  Kind kind = Kind::Approximation;
  std::string instruction;          // as written: "ex2.approx.ftz.f32"
  std::vector<std::uint32_t> lines; // of the source, from 1; one for each time
};
/// "approximation", "flushes subnormals", …
std::string_view name(Finding::Kind kind);

/// In the order of Kind, then of the first line.
std::vector<Finding> findings(const Kernel &kernel);

/// The kernel with what no contract has a word for kept by name, as hardware's approximations are,
/// and read as if the assembler fused nothing: so that the rest can be shown. Not for proofs.
Kernel byName(Kernel kernel);

} // namespace ordo::verify
