#include "dsl/eval/launch.h"
#include "compiler/compile.h"

namespace ordo::compiler {

std::optional<std::array<std::int64_t, 3>> gridOf(const dsl::Program &program,
                                                  const LaunchRecipe &launch,
                                                  std::span<const std::int64_t> dims) {
  std::int64_t rows = 1;
  for (const dsl::ExprId extent : launch.rowExtents) {
    const auto size = dsl::evaluateUniform(program, extent, dims);
    if (!size || __builtin_mul_overflow(rows, static_cast<std::int64_t>(*size), &rows))
      return std::nullopt;
  }
  return std::array<std::int64_t, 3>{rows / launch.rows + (rows % launch.rows != 0), 1, 1};
}

} // namespace ordo::compiler
