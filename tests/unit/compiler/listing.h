// What an object file and a listing contain, read without the tools that wrote them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace ordo {

/// Of a 64-bit little-endian ELF file.
struct ElfFile {
  std::set<std::string> defined;   // named symbols of both symbol tables, local ones too
  std::set<std::string> undefined; // those that another file would have to define
  std::set<std::string> sections;
  std::string error; // "" when the file could be read
};

ElfFile readElf(const std::string &bytes);

/// How often each instruction occurs in PTX, AMDGCN or x86-64 assembly, prefixes such as @%p1 left
/// out; a second instruction after `::` (AMD's dual issue) counts too.
std::map<std::string, int> opcodes(std::string_view assembly);

/// Of the opcodes that contain `part`, the sum of their counts.
int countOpcodes(const std::map<std::string, int> &opcodes, std::string_view part);

/// Whether `word` stands in `text` with no letter, digit, '_' or '.' beside it.
bool containsWord(std::string_view text, std::string_view word);

/// The functions that LLVM IR calls, in any line, and those it defines.
std::set<std::string> irCallees(std::string_view ir);
std::set<std::string> irDefinitions(std::string_view ir);

} // namespace ordo
