#include "compiler/verify/gcn/object.h"
#include "compiler/verify/gcn/descriptor.h"
#include "compiler/verify/gcn/metadata.h"

#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace ordo::verify::gcn {
namespace {

using File = llvm::object::ELFFile<llvm::object::ELF64LE>;
using Symbol = File::Elf_Sym;

constexpr std::string_view kDescriptorSuffix = ".kd";

/// The value of an Expected, or a refusal with its message.
template <class T> T value(llvm::Expected<T> expected, std::string_view what) {
  if (!expected)
    throw ReadError(fmt::format("{}: {}", what, llvm::toString(expected.takeError())));
  return std::move(*expected);
}

/// One ELF file, with the tables that a kernel is found by.
class Reader {
public:
  explicit Reader(std::string_view bytes)
      : file_(value(File::create(llvm::StringRef(bytes.data(), bytes.size())),
                    "not an ELF file of 64 bits, little-endian")) {
    const auto &header = file_.getHeader();
    if (header.e_machine != llvm::ELF::EM_AMDGPU)
      throw ReadError("the ELF file holds no AMDGPU code");
    if (header.e_ident[llvm::ELF::EI_OSABI] != llvm::ELF::ELFOSABI_AMDGPU_HSA)
      throw ReadError("the code object is not for the HSA runtime");
    for (const auto &section : value(file_.sections(), "the section table"))
      readSection(section);
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto &[name, symbol] : symbols_)
      if (name.size() > kDescriptorSuffix.size() && name.ends_with(kDescriptorSuffix))
        names.push_back(name.substr(0, name.size() - kDescriptorSuffix.size()));
    return names;
  }

  KernelObject kernel(const std::string &name) const {
    KernelObject kernel;
    kernel.name = name;
    kernel.chip = chip();
    const Symbol &descriptor = find(name + std::string(kDescriptorSuffix));
    llvm::amdhsa::kernel_descriptor_t raw;
    const auto bytes = at(descriptor.st_value, sizeof raw);
    std::memcpy(&raw, bytes.data(), sizeof raw);
    readDescriptor(raw, kernel);
    readCode(descriptor.st_value + raw.kernel_code_entry_byte_offset, kernel);
    if (metadata_.empty())
      throw ReadError("no metadata note: the arguments' places are not known");
    readMetadata(metadata_, kernel);
    return kernel;
  }

private:
  void readSection(const File::Elf_Shdr &section) {
    using namespace llvm::ELF;
    if (section.sh_type == SHT_REL || section.sh_type == SHT_RELA)
      throw ReadError("the code object holds relocations: what runs is not what it holds");
    if (section.sh_type == SHT_DYNSYM)
      readSymbols(section);
    if (section.sh_type == SHT_NOTE)
      readNotes(section);
  }

  void readSymbols(const File::Elf_Shdr &section) {
    const auto names = value(file_.getStringTableForSymtab(section), "the symbols' names");
    for (const Symbol &symbol : value(file_.symbols(&section), "the symbols")) {
      const std::string name = value(symbol.getName(names), "a symbol's name").str();
      if (!name.empty())
        symbols_.emplace_back(name, &symbol);
    }
  }

  void readNotes(const File::Elf_Shdr &section) {
    llvm::Error error = llvm::Error::success();
    for (const auto note : file_.notes(section, error))
      if (note.getType() == llvm::ELF::NT_AMDGPU_METADATA && note.getName() == "AMDGPU")
        metadata_ = note.getDescAsStringRef(section.sh_addralign).str();
    if (error)
      throw ReadError(fmt::format("the notes: {}", llvm::toString(std::move(error))));
  }

  std::string chip() const {
    switch (file_.getHeader().e_flags & llvm::ELF::EF_AMDGPU_MACH) {
    case llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX90A:
      return "gfx90a";
    case llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX942:
      return "gfx942";
    case llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1100:
      return "gfx1100";
    default:
      throw ReadError("the code is for another chip than gfx942, gfx90a and gfx1100");
    }
  }

  const Symbol &find(const std::string &name) const {
    const Symbol *found = nullptr;
    for (const auto &[each, symbol] : symbols_)
      if (each == name && std::exchange(found, symbol) != nullptr)
        throw ReadError(fmt::format("two symbols '{}'", name));
    if (found == nullptr)
      throw ReadError(fmt::format("no symbol '{}'", name));
    return *found;
  }

  /// `size` bytes of a section at the address where it is loaded.
  llvm::ArrayRef<std::uint8_t> at(std::uint64_t address, std::uint64_t size,
                                  bool executable = false) const {
    for (const auto &section : value(file_.sections(), "the section table")) {
      const bool holds = section.sh_type == llvm::ELF::SHT_PROGBITS &&
                         (section.sh_flags & llvm::ELF::SHF_ALLOC) != 0 &&
                         address >= section.sh_addr &&
                         address - section.sh_addr <= section.sh_size &&
                         size <= section.sh_size - (address - section.sh_addr);
      if (!holds)
        continue;
      if (executable && (section.sh_flags & llvm::ELF::SHF_EXECINSTR) == 0)
        throw ReadError("the kernel's code lies in a section that is not executable");
      return value(file_.getSectionContents(section), "a section")
          .slice(address - section.sh_addr, size);
    }
    throw ReadError(fmt::format("no section holds {} bytes at 0x{:x}", size, address));
  }

  /// From the entry to the end of the kernel's symbol.
  void readCode(std::uint64_t entry, KernelObject &kernel) const {
    const Symbol &function = find(kernel.name);
    if (function.st_value != entry)
      throw ReadError(fmt::format("the descriptor's entry 0x{:x} is not the symbol's 0x{:x}", entry,
                                  std::uint64_t{function.st_value}));
    if (entry % 4 != 0)
      throw ReadError("the entry is not aligned to an instruction");
    const auto code = at(entry, function.st_size, true);
    kernel.address = entry;
    kernel.code.assign(code.begin(), code.end());
  }

  File file_;
  std::vector<std::pair<std::string, const Symbol *>> symbols_;
  std::string metadata_;
};

} // namespace

std::optional<std::vector<std::string>> kernels(std::string_view bytes, ReadFailure &failure) {
  try {
    return Reader(bytes).names();
  } catch (const ReadError &error) {
    failure = {0, error.what()};
    return std::nullopt;
  }
}

std::optional<KernelObject> readObject(std::string_view bytes, std::string_view name,
                                       ReadFailure &failure) {
  try {
    const Reader reader(bytes);
    if (!name.empty())
      return reader.kernel(std::string(name));
    const std::vector<std::string> names = reader.names();
    if (names.size() != 1)
      throw ReadError(fmt::format("the code object holds {} kernels: name one", names.size()));
    return reader.kernel(names.front());
  } catch (const ReadError &error) {
    failure = {0, error.what()};
    return std::nullopt;
  }
}

} // namespace ordo::verify::gcn
