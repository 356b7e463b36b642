// Tokens of PTX.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ordo::verify::ptx {

struct Token {
  enum class Kind : std::uint8_t {
    Word,   // identifiers, registers, opcodes with their dots: %tid.x, ld.global.nc.u32, $L__BB0_1
    Dot,    // a directive: .reg; text without the dot
    Number, // integers and 0f…, 0d…, as written
    String,
    Mark, // one character
    End,
  };
  Kind kind = Kind::End;
  std::string_view text;
  std::uint32_t line = 1;
};

/// Comments are left out. Throws ReadError.
std::vector<Token> tokens(std::string_view text);

} // namespace ordo::verify::ptx
