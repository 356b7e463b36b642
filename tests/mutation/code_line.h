// Assembly as LLVM prints it, an instruction a line, taken apart as far as a mutator needs it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ordo::mutation {

/// One instruction. The halves of a dual-issue pair of AMDGCN are two, with one `number`.
struct CodeLine {
  std::uint32_t number = 0; // of the text's line, from 0
  std::string before;       // "\t", "\t@%p1 ", or the first half of a pair
  std::string opcode;       // without AMDGCN's _e32 and _e64: the assembler finds the encoding
  std::vector<std::string> operands;
  std::string after; // ";", " offset:16", or the second half of a pair

  bool is(std::string_view prefix) const { return opcode.starts_with(prefix); }
  bool isAny(std::initializer_list<std::string_view> prefixes) const;
  /// Whether a word between the opcode's dots is `word`.
  bool has(std::string_view word) const;
  /// PTX: the opcode's last word.
  std::string_view type() const;
  /// PTX: "%p1", "!%p1", or empty.
  std::string_view guard() const;
  std::string print() const;
};

std::vector<std::string> linesOf(std::string_view text);
/// The instructions; directives, labels and comments are left out.
std::vector<CodeLine> ptxCode(std::string_view text);
std::vector<CodeLine> gcnCode(std::string_view text);

/// The opcode with one word between dots replaced, or without it if `with` is empty.
std::string replaceWord(std::string_view opcode, std::string_view word, std::string_view with);

} // namespace ordo::mutation
