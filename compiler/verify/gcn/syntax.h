// One instruction of the disassembly, taken apart.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ordo::verify::gcn {

struct Operand {
  enum class Kind : std::uint8_t {
    Vgpr,
    Sgpr,
    Vcc,  // count 2, or vcc_lo or vcc_hi (first 0 or 1, count 1)
    Exec, // likewise
    M0,
    Null, // gfx10+: reads as zero, writes are lost
    Off,  // no scalar address
    Integer,
    Float, // an inline constant; its bits depend on the operation's type
    Word,  // what is none of these: vmcnt(0), sendmsg(…), a register that is not modelled
  };
  Kind kind = Kind::Word;
  std::uint32_t first = 0; // number of the first 32-bit register
  std::uint32_t count = 1; // how many
  std::int64_t integer = 0;
  double number = 0; // Float
  bool negated = false;
  bool absolute = false;
  bool signExtended = false; // sext(…), SDWA
  std::string text;

  bool isRegister() const { return kind <= Kind::Null; }
  bool isImmediate() const { return kind == Kind::Integer || kind == Kind::Float; }
};

/// "offset:16" or "clamp" (no value).
struct Modifier {
  std::string name, value;
};

struct Instruction {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  std::string opcode;   // LLVM's name: "V_ADD_F32_e32_vi"
  std::string mnemonic; // without the encoding's suffix: "v_add_f32"
  std::string encoding; // "e32", "e64", "sdwa", "dpp", "e64_dpp" or ""
  std::vector<Operand> operands;
  std::vector<Modifier> modifiers;
  std::string text;           // as LLVM prints it
  bool pairsWithNext = false; // VOPD: this and the next one read before either writes
};

/// Takes apart LLVM's text of one instruction: one part, or two for a VOPD pair. Nothing if the
/// text is not of a known shape.
std::optional<std::vector<Instruction>> parseInstruction(std::string_view text);

} // namespace ordo::verify::gcn
