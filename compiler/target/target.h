// What the compiler knows of each target it can name. No MLIR, no LLVM.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ordo::compiler {

struct Target {
  enum class Kind : std::uint8_t { Cpu, Cuda, Rocm };
  Kind kind;
  std::string_view name; // as the user spells it: "cpu", "cuda.sm_90a", "rocm.gfx942"
  std::string_view chip; // LLVM's: "x86-64-v3", "sm_90a", "gfx942"
  std::string_view features;
  std::int64_t warp;          // lanes that shuffle together; 1 on the CPU
  std::int64_t maxThreads;    // threads of a block
  std::int64_t sharedBytes;   // shared memory of a block without opting in to more
  std::int64_t vectorBytes;   // widest load
  std::int64_t registerBytes; // what a thread may keep of a row before it reads it again

  bool isGpu() const { return kind != Kind::Cpu; }
};

/// The targets, in the order documentation lists them.
const std::vector<Target> &targets();
/// The target spelt `name`, or null.
const Target *findTarget(std::string_view name);

} // namespace ordo::compiler
