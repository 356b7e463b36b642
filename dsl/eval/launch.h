// What a launch fixes: sizes of the free dimensions, and with them every shape.
#pragma once

#include "dsl/term/program.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ordo::dsl {

struct Launch {
  std::vector<std::int64_t> dims;                // by DimId
  std::vector<std::vector<std::int64_t>> shapes; // by TensorId
};

/// Finds the free dimensions from the inputs' shapes (and `dims`, for one that no input's axis is
/// by itself), then checks every input's shape and every `require` left for the launch. On failure
/// returns nothing and says what was given and what is wanted.
std::optional<Launch> bindLaunch(const Program &program,
                                 const std::map<std::string, std::vector<std::int64_t>> &shapes,
                                 const std::map<std::string, std::int64_t> &dims,
                                 std::string *error);

/// The bits of an expression over constants and free dimensions, or nothing if it needs more.
std::optional<std::uint64_t> evaluateUniform(const Program &program, ExprId expr,
                                             std::span<const std::int64_t> dims);

/// The number of elements of a shape, or nothing if it is negative or passes 2^63 bytes of
/// `elementBytes`.
std::optional<std::int64_t> elementCount(std::span<const std::int64_t> shape,
                                         std::int64_t elementBytes);

/// "[3, 4]".
std::string shapeText(std::span<const std::int64_t> shape);

/// An Index expression over constants and free dimensions as the author would read it: "T", "2 *
/// T", "5120"; other operations by name.
std::string indexText(const Program &program, ExprId expr);

} // namespace ordo::dsl
