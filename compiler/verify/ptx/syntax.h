// PTX text as a tree: directives, declarations, statements. No meaning yet; see read.h.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ordo::verify::ptx {

/// Text that is not PTX, or PTX that is not modelled: where and why.
struct ReadError : std::runtime_error {
  ReadError(std::uint32_t line, const std::string &message)
      : std::runtime_error(message), line(line) {}
  std::uint32_t line;
};

struct Operand {
  enum class Kind : std::uint8_t {
    Name,    // %r1, %tid.x, a variable, a label
    Integer, // bits: two's complement 64
    Float,   // bits of `width` (32 or 64): 0f…, 0d…
    Vector,  // {a, b}
    Address, // [parts[0] + bits]: a name, or nothing and an absolute address
    Pair,    // a|b
    Sink,    // _
  };
  Kind kind = Kind::Name;
  bool negated = false; // !%p
  std::uint8_t width = 0;
  std::uint64_t bits = 0;
  std::string name;
  std::vector<Operand> parts;
};

/// .reg, .shared, .local, .param, .const or .global.
struct Declaration {
  std::uint32_t line = 0;
  std::string space; // "reg", "shared", …
  std::string type;  // "b32"; the elements'
  std::uint32_t alignment = 0;
  bool isExtern = false;
  bool hasInitialiser = false;
  std::string name;
  std::int64_t count = -1; // `.reg %r<count>` or elements of an array; -1: one; 0: `name[]`
  bool isNumbered = false; // %r<count>
};

struct Statement {
  enum class Kind : std::uint8_t { Instruction, Label, Declaration, Open, Close };
  Kind kind = Kind::Instruction;
  std::uint32_t line = 0;
  std::string guard; // a register, or empty
  bool guardNegated = false;
  std::string opcode;             // as written: "ld.global.nc.v4.u32"
  std::vector<std::string> words; // split at the dots
  std::vector<Operand> operands;
  std::string label;
  Declaration declaration;
};

struct Entry {
  std::uint32_t line = 0;
  std::string name;
  std::vector<Declaration> parameters;
  std::vector<std::uint32_t> maxntid, reqntid; // as written
  bool hasCluster = false;
  std::vector<Statement> body;
};

struct Module {
  std::string version, target;
  int addressSize = 0;
  std::vector<Declaration> variables;
  std::vector<Entry> entries;
  std::vector<std::string> lines; // the text, for messages; [0] is line 1
};

/// Throws ReadError.
Module parse(std::string_view text);

} // namespace ordo::verify::ptx
