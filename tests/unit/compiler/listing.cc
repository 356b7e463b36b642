#include "tests/unit/compiler/listing.h"

#include <cctype>
#include <cstring>
#include <elf.h>
#include <vector>

namespace ordo {
namespace {

// A struct at `offset`, or all zeros where the file ends before it.
template <class T> T readAt(const std::string &bytes, std::uint64_t offset, bool &inside) {
  T value{};
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) {
    inside = false;
    return value;
  }
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

std::string nameAt(const std::string &bytes, const Elf64_Shdr &table, std::uint64_t offset) {
  const std::uint64_t begin = table.sh_offset + offset;
  if (begin >= bytes.size())
    return "";
  return {bytes.data() + begin, strnlen(bytes.data() + begin, bytes.size() - begin)};
}

bool isWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
}

// Calls `visit` with each line, without its end.
template <class Visit> void eachLine(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::string_view nextToken(std::string_view &line) {
  const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
  line.remove_prefix(begin);
  const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
  const std::string_view token = line.substr(0, end);
  line.remove_prefix(end);
  return token;
}

// The name after the first '@' of a line of LLVM IR, or "".
std::string nameAfterAt(std::string_view line) {
  const std::size_t at = line.find('@');
  if (at == std::string_view::npos)
    return "";
  std::size_t end = at + 1;
  while (end < line.size() && isWordCharacter(line[end]))
    ++end;
  return std::string(line.substr(at + 1, end - at - 1));
}

void readSymbols(const std::string &bytes, const Elf64_Shdr &table, const Elf64_Shdr &names,
                 ElfFile &out, bool &inside) {
  for (std::uint64_t i = 0; i < table.sh_size / sizeof(Elf64_Sym) && inside; ++i) {
    const auto symbol = readAt<Elf64_Sym>(bytes, table.sh_offset + i * sizeof(Elf64_Sym), inside);
    const std::string name = nameAt(bytes, names, symbol.st_name);
    if (!name.empty())
      (symbol.st_shndx == SHN_UNDEF ? out.undefined : out.defined).insert(name);
  }
}

} // namespace

ElfFile readElf(const std::string &bytes) {
  ElfFile out;
  bool inside = true;
  const auto header = readAt<Elf64_Ehdr>(bytes, 0, inside);
  if (!inside || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
    out.error = "not a 64-bit little-endian ELF file";
    return out;
  }
  std::vector<Elf64_Shdr> sections;
  for (int i = 0; i < header.e_shnum; ++i)
    sections.push_back(readAt<Elf64_Shdr>(bytes, header.e_shoff + i * sizeof(Elf64_Shdr), inside));
  bool hasSymbols = false;
  for (const Elf64_Shdr &section : sections) {
    if (header.e_shstrndx < sections.size())
      out.sections.insert(nameAt(bytes, sections[header.e_shstrndx], section.sh_name));
    const bool isTable = section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM;
    if (!isTable || section.sh_link >= sections.size())
      continue;
    hasSymbols = true;
    readSymbols(bytes, section, sections[section.sh_link], out, inside);
  }
  if (!inside || !hasSymbols)
    out.error = inside ? "no symbol table" : "the file is cut off";
  return out;
}

std::map<std::string, int> opcodes(std::string_view assembly) {
  std::map<std::string, int> counts;
  eachLine(assembly, [&](std::string_view line) {
    std::string_view token = nextToken(line);
    while (token.starts_with('@') || token.starts_with('{'))
      token = nextToken(line);
    if (token.empty() || token.ends_with(':') || std::strchr(".#;/}$", token.front()))
      return;
    ++counts[std::string(token.substr(0, token.find(';')))];
    if (const std::size_t second = line.find("::"); second != std::string_view::npos) {
      line.remove_prefix(second + 2);
      ++counts[std::string(nextToken(line))];
    }
  });
  return counts;
}

int countOpcodes(const std::map<std::string, int> &opcodes, std::string_view part) {
  int sum = 0;
  for (const auto &[opcode, count] : opcodes)
    sum += opcode.find(part) == std::string::npos ? 0 : count;
  return sum;
}

bool containsWord(std::string_view text, std::string_view word) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string_view::npos; ++at) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !isWordCharacter(text[at - 1])) &&
        (end == text.size() || !isWordCharacter(text[end])))
      return true;
  }
  return false;
}

std::set<std::string> irCallees(std::string_view ir) {
  std::set<std::string> names;
  eachLine(ir, [&](std::string_view line) {
    const std::size_t call = line.find("call ");
    if (call == std::string_view::npos || line.starts_with("declare"))
      return;
    const std::string name = nameAfterAt(line.substr(call));
    // An assembly string may hold anything, and has no '@' before it.
    if (!name.empty() || !containsWord(line, "asm"))
      names.insert(name);
  });
  return names;
}

std::set<std::string> irDefinitions(std::string_view ir) {
  std::set<std::string> names;
  eachLine(ir, [&](std::string_view line) {
    if (line.starts_with("define "))
      names.insert(nameAfterAt(line));
  });
  return names;
}

} // namespace ordo
