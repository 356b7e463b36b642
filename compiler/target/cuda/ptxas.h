// NVIDIA's assembler, a program of the CUDA toolkit. It runs where it is installed; nothing links
// to it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ordo::compiler {

struct Cubin {
  std::string object;
  std::string version; // "ptxas V13.0.88"
  int registers = -1;  // of one thread
  int spillBytes = -1; // stored and loaded
  int sharedBytes = -1;
};

/// Path of ptxas: from PATH, else from /usr/local/cuda/bin.
std::optional<std::string> findPtxas();

/// Assembles `ptx` for `chip` ("sm_90a"). What ptxas says when it refuses goes to `error`.
std::optional<Cubin> runPtxas(const std::string &ptxas, const std::string &ptx,
                              std::string_view chip, std::string *error);

} // namespace ordo::compiler
