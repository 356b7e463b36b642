// Runs a contract's kernel through the evaluator, for tests that compare it with an independent
// reference.
#pragma once

#include "dsl/types/dtype.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ordo::oracle {

/// Elements as bit patterns, row-major, each in the low bits; of 64 bits, the low half then the
/// high.
struct Array {
  dsl::DType type = dsl::DType::F32;
  std::vector<std::int64_t> shape;
  std::vector<std::uint32_t> bits;
};

/// The outputs of `kernel`, declared in `file`, by name; scalars are given by their bits. The paths
/// are the repository's own; modules are found in contracts/. Anything refused fails the running
/// test and gives an empty map.
std::map<std::string, Array> run(const std::string &file, const std::string &kernel,
                                 const std::map<std::string, Array> &inputs,
                                 const std::map<std::string, std::uint64_t> &scalars = {});

/// The names of the kernels that `file` declares.
std::vector<std::string> kernelsOf(const std::string &file);

} // namespace ordo::oracle
