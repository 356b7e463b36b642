// A case: the inputs of one kernel, by how they are generated, and the bits that the evaluator
// expects of each of the 256 row patterns.
#pragma once

#include "tests/gpu/pattern.h"

#include <optional>
#include <string>
#include <vector>

namespace ordo::gpu {

/// The format of a type spelt as in the language; nothing for what the generator has no values of.
std::optional<Format> formatOf(const std::string &dtype);

struct CaseTensor {
  std::string name;
  std::string dtype;
  bool input = true;
  bool rows = true; // its first axis is the free dimension
  U64 columns = 0;  // elements of a row; of the whole tensor without rows
  U32 pattern = 0;  // of a tensor without rows
  U64 hash = 0;     // of an input's 256 rows in turn, or of the whole tensor
  // An output's 256 rows; of an output that folds all rows, its elements after each of the case's
  // trials.
  std::vector<char> expected;
};

struct CaseScalar {
  std::string name;
  std::string dtype;
  U64 bits = 0;
};

struct Case {
  std::string kernel;
  std::string set; // "plain" or "special": the weights
  std::string dim; // the one free dimension
  U64 seed = 0;
  std::vector<CaseTensor> tensors; // in argument order
  std::vector<CaseScalar> scalars;
  /// The launches of a kernel whose outputs fold all rows. Empty: outputs have rows, and any launch
  /// is judged by the 256 row patterns.
  std::vector<Trial> trials;
};

/// How tensor number `index` of the case is generated; only for dtypes that have a format.
Source sourceOf(const Case &work, std::size_t index);

/// Rows `first` to `first + count` of an input, by arrangement; or the whole of a tensor without
/// rows.
std::vector<char> generateRows(const Case &work, std::size_t index, U64 first, U64 count,
                               Arrangement arrangement = {1, 0});

/// The hash that the device computes for `count` elements.
U64 hashOf(const void *data, U32 bytes, U64 count);

/// False when the file cannot be written.
bool writeCase(const std::string &path, const Case &work);
std::optional<Case> readCase(const std::string &path, std::string &error);

/// The name of a pattern's kind, for messages.
std::string kindName(U32 pattern);

} // namespace ordo::gpu
