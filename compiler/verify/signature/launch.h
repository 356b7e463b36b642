// What the launch of a kernel that our compiler did not make is said to be: its arguments in their
// order, its sizes, its grid.
//
//   x: f32[T, 1024] in, y: f32[T] out, rows: i32, eps: f32; grid (T + 3) / 4; block 128
//
//   signature = argument {"," argument} {";" clause}
//   argument  = NAME ":" TYPE ["[" extent {"," extent} "]" ("in" | "out")]
//   clause    = "grid" extent {"," extent} | "block" NUMBER {"," NUMBER}
//             | "shared" NUMBER | "align" NUMBER | NAME ("<=" | ">=") NUMBER
//   extent    = sum ["/" NUMBER]; sum = product {("+" | "-") product}
//   product   = factor {"*" factor}; factor = NUMBER | NAME | "(" sum ")"
//
// A name in an extent is an integer argument, or a size that the kernel is not told. Division
// floors. Only one factor of a product may be a name. docs/foreign.md explains it.
#pragma once

#include "dsl/syntax/diagnostic.h"
#include "dsl/types/dtype.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ordo::verify {

/// floor((sum of factor * name + constant) / divisor).
struct Extent {
  std::map<std::string, std::int64_t> factors; // by name, none zero
  std::int64_t constant = 0;
  std::int64_t divisor = 1;

  bool isConstant() const { return factors.empty(); }
  bool operator==(const Extent &) const = default;
};

struct LaunchArgument {
  std::string name;
  dsl::DType type = dsl::DType::F32;        // of the elements, or the value
  std::optional<std::vector<Extent>> shape; // of an array, outermost first
  bool isWritten = false;                   // out
  dsl::Span span;
};

/// A name in extents, and what it lies between at launch.
struct LaunchSize {
  std::int64_t low = 0, high = 0x7fffffff;
};

struct LaunchSignature {
  std::vector<LaunchArgument> arguments;
  std::map<std::string, LaunchSize> sizes;
  std::array<Extent, 3> grid = {{{{}, 1, 1}, {{}, 1, 1}, {{}, 1, 1}}};
  std::array<std::uint32_t, 3> block = {1, 1, 1};
  std::uint64_t sharedBytes = 0; // given at launch
  unsigned alignment = 16;       // bytes, of every array
};

/// The text of `file`, or nothing and at least one error. More errors than one may be reported.
std::optional<LaunchSignature> parseLaunch(std::uint32_t file, const dsl::SourceManager &sources,
                                           dsl::Diagnostics &diagnostics);

} // namespace ordo::verify
