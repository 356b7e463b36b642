// AMDGCN code objects: an ELF file, the kernel's descriptor in it, its metadata and its code.
//
// The descriptor says in which modes the wave starts (LLVM's "User Guide for AMDGPU Backend",
// section "Kernel Descriptor"). Modes live outside instructions, so they are read here, and what
// changes arithmetic is refused: a kernel that is returned rounds to nearest even and keeps
// subnormals.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ordo::verify::gcn {

/// Why code was not read.
struct ReadFailure {
  std::uint64_t address = 0; // in the object's .text; 0: of the whole file
  std::string message;       // what, why and what would work
};

/// An argument as the kernarg segment holds it.
struct KernelArgument {
  std::uint32_t offset = 0; // bytes from the segment's start
  std::uint32_t bytes = 0;
  bool isPointer = false; // to global memory; else by value
  bool isHidden = false;  // what the runtime adds; no contract has one
};

struct KernelObject {
  std::string name;
  std::string chip;               // "gfx942"
  std::uint64_t address = 0;      // of the first instruction
  std::vector<std::uint8_t> code; // from there to the symbol's end
  int waveSize = 64;
  std::uint32_t vgprs = 0; // that the wave is given; a higher number is out of bounds
  std::uint32_t agprs = 0;
  std::uint32_t sgprs = 0;
  std::uint32_t ldsBytes = 0;
  std::uint32_t kernargBytes = 0;
  std::uint32_t kernargSgpr = 0;        // the first of two that point to the arguments
  std::uint32_t userSgprs = 0;          // before the system's
  std::array<bool, 3> workgroupId = {}; // SGPRs for x, y, z, in this order after the user's
  int workitemDims = 1;                 // ids in v0, 10 bits each: x, y, z
  bool ieee = true;                     // IEEE mode: a signalling NaN becomes quiet
  bool clampsNan = true;                // DX10_CLAMP: clamp makes a NaN 0
  std::uint32_t largestBlock = 0;       // in threads
  std::array<std::uint32_t, 3> requiredBlock = {}; // 0: not stated
  std::vector<KernelArgument> arguments;
};

/// The kernels' names, in the order of the symbol table, or a failure.
std::optional<std::vector<std::string>> kernels(std::string_view bytes, ReadFailure &failure);

/// The kernel `name`, or the only one if `name` is empty. Refused: what is no code object for
/// gfx942, gfx90a or gfx1100; relocations; a mode that flushes subnormals, rounds otherwise or
/// saturates f16; enabled exceptions; scratch memory; kernarg preloading; metadata that contradicts
/// the descriptor.
std::optional<KernelObject> readObject(std::string_view bytes, std::string_view name,
                                       ReadFailure &failure);

} // namespace ordo::verify::gcn
