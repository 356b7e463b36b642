// JSON as the CLI writes it. Include only where JSON is built: the library costs seconds a file.
#pragma once

#include "dsl/term/program.h"

#include <nlohmann/json.hpp>
#include <string>

namespace ordo::compiler {
struct LaunchRecipe;
} // namespace ordo::compiler

namespace ordo::compiler::driver {

/// Keys keep the order in which they were written.
using Json = nlohmann::ordered_json;

/// Indented by two, with what fits into 160 columns on one line; ends in a newline.
std::string pretty(const Json &value);

/// A formula over free dimensions and launch scalars (docs/bundle.md): a number, a name, true or
/// false, or an object with one key, the operation, and its operands in an array.
Json formula(const dsl::Program &program, dsl::ExprId id);

/// "bf16[T, 3584]"'s shape as formulas.
Json shapeJson(const dsl::Program &program, const dsl::Tensor &tensor);

/// The arguments in launch order, as the manifest and `audit --json` list them.
Json argumentsJson(const dsl::Program &program);

/// A GPU's launch: grid, block and static shared memory.
Json launchJson(const dsl::Program &program, const LaunchRecipe &launch);

/// All that a launch follows from, as certificates hash it: of the manifest's own values.
std::string recipeText(const Json &symbol, const Json &arguments, const Json &conditions,
                       const Json &launch);

/// The `require`s left for the launch: the text and the formula of each.
Json requiresJson(const dsl::Program &program);

} // namespace ordo::compiler::driver
