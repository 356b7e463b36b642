#include "compiler/target/target.h"

namespace ordo::compiler {

const std::vector<Target> &targets() {
  using enum Target::Kind;
  static const std::vector<Target> kTargets = {
      {Cpu, "cpu", "x86-64-v3", "", 1, 1, 1 << 20, 32, 0},
      {Cuda, "cuda.sm_80", "sm_80", "+ptx80", 32, 1024, 48 << 10, 16, 128},
      {Cuda, "cuda.sm_89", "sm_89", "+ptx80", 32, 1024, 48 << 10, 16, 128},
      {Cuda, "cuda.sm_90a", "sm_90a", "+ptx80", 32, 1024, 48 << 10, 16, 128},
      {Rocm, "rocm.gfx90a", "gfx90a", "", 64, 1024, 64 << 10, 16, 128},
      {Rocm, "rocm.gfx942", "gfx942", "", 64, 1024, 64 << 10, 16, 128},
      {Rocm, "rocm.gfx1100", "gfx1100", "", 32, 1024, 64 << 10, 16, 128},
  };
  return kTargets;
}

const Target *findTarget(std::string_view name) {
  for (const Target &t : targets())
    if (t.name == name)
      return &t;
  return nullptr;
}

} // namespace ordo::compiler
