// What a launch needs to know of a bundle (docs/bundle.md), read from its manifest and nothing
// else.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ordo::gpu {

/// A formula over free dimensions: a number, a name, or an operation on formulas.
struct Formula {
  std::string word; // a dimension's name or an operation; empty: a number
  std::int64_t number = 0;
  std::vector<Formula> operands;
};

/// Nothing when a name has no value, an operation is not known, or a divisor is zero.
std::optional<std::int64_t> evaluate(const Formula &formula,
                                     const std::map<std::string, std::int64_t> &dims);

struct BundleArgument {
  enum class Kind : std::uint8_t { Input, Output, Dimension, Scalar };
  std::string name;
  Kind kind = Kind::Input;
  std::string dtype;
  std::vector<Formula> shape; // of tensors
};

/// A kernel of one target.
struct BundleKernel {
  std::string name;
  std::string symbol;
  std::string digest;
  std::vector<BundleArgument> arguments; // in launch order
  std::array<Formula, 3> grid;
  std::array<std::int64_t, 3> block = {1, 1, 1};
  std::int64_t sharedBytes = 0;
  std::int64_t registers = -1; // -1: the manifest does not say
  std::vector<char> code;      // the cubin
};

/// Reads every kernel of DIRECTORY/manifest.json with its cubin for `target`. On failure `error`
/// says what is missing or malformed.
std::optional<std::vector<BundleKernel>> readBundle(const std::string &directory,
                                                    const std::string &target, std::string &error);

} // namespace ordo::gpu
