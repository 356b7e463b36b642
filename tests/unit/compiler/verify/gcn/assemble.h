// Small AMDGCN kernels for tests: text to code objects, by LLVM's assembler in this process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ordo::verify::gcn {

struct TestKernel {
  std::string chip = "gfx942";
  std::string body = {};       // instructions; s_endpgm is added
  std::string directives = {}; // more .amdhsa_ lines
  std::uint32_t block = 64;    // threads, along x
  std::uint32_t ldsBytes = 0;
  int userSgprs = 0;   // 0: 2, gfx1100: 15
  int denormals32 = 3; // modes
  int denormals64 = 3;
  std::uint32_t pointers = 2; // arguments: so many pointers
  std::string text = {};      // instead of all the rest
  std::string metadata = {};  // instead of the usual one
};

/// The text of a whole file with one kernel, "k". The wave starts with the kernarg pointer in
/// s[0:1] and the workgroup's id x in s2 (gfx1100: s15).
std::string kernelText(const TestKernel &kernel);

/// A linked code object; fails the test if the text does not assemble.
std::string assembleKernel(const TestKernel &kernel);

/// The bytes of some instructions; empty, and a failure of the test, if they do not assemble.
std::vector<std::uint8_t> assembleInstruction(const std::string &chip, int waveSize,
                                              const std::string &text);

/// The same, and no failure.
std::vector<std::uint8_t> tryAssemble(const std::string &chip, int waveSize,
                                      const std::string &text);

/// An ELF file of any text, not linked; empty if it does not assemble, with LLVM's `messages`.
std::string assemble(const std::string &chip, int waveSize, const std::string &text,
                     std::string &messages);

} // namespace ordo::verify::gcn
