// One small kernel for each operation on each type, and the values to try it on.
#pragma once

#include "dsl/term/program.h"
#include "dsl/types/dtype.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ordo::compiler {

struct NumericCase {
  dsl::Op op;
  dsl::DType type;    // of the result
  dsl::DType argType; // of the operands
  dsl::Rounding rounding = dsl::Rounding::NearestEven;

  /// "add_bf16", "cast_f64_to_f16_rz".
  std::string name() const;
  int arity() const;
};

/// Every operation of the language that expand-numerics or arith lowers, on every type it has.
std::vector<NumericCase> numericCases();

/// A CPU module with a function for each case, `name(a, b, c, out, count)`: out[i] = op(a[i], …).
/// Elements lie as in memory, a bool as a byte.
std::string cpuModule(const std::vector<NumericCase> &cases);
/// The same as a GPU module of one gpu.module: blocks of 128 threads, an element a thread.
std::string gpuModule(const std::vector<NumericCase> &cases);

/// Operands as arrays in memory, zero-extended bits of at least one value in each.
using Operands = std::array<std::vector<std::uint64_t>, 3>;

/// Special values crossed with each other, then random bits, then what is hard to round: ties of
/// the result's format and their neighbours. The same on every run.
Operands operandsFor(const NumericCase &c);

} // namespace ordo::compiler
