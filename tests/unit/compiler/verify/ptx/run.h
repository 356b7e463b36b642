// A few lines of PTX, run: for tests of the reader and the machine.
#pragma once

#include "compiler/verify/machine/run_order.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ordo::verify::test {

struct Ran {
  std::string error;                // of the reader ("line 3: …") or of the machine
  std::vector<std::uint64_t> words; // what the threads stored, by thread
};

struct RunOptions {
  std::uint32_t threads = 32;
  std::string declarations; // before the body's registers
  unsigned bytes = 8;       // of an output element
  RunOrder order = {};
  std::string module;       // before the kernel
  std::uint64_t shared = 0; // bytes of shared memory that the launch gives
};

/// Runs `body` in one block. It finds its thread in %t (u32), the input words in in[] by %in
/// (a global address, 64-bit words), and its output address in %out; registers %r, %d (64 bits),
/// %f, %g (f64), %h (16 bits) and %p are declared, 0 … 31 of each.
Ran run(const std::string &body, const std::vector<std::uint64_t> &in = {},
        RunOptions options = {});

/// One thread stores one result: the last lines of `body` put it in %d0.
std::uint64_t result(const std::string &body, const std::vector<std::uint64_t> &in = {});

} // namespace ordo::verify::test
