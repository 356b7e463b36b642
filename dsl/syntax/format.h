// What `ordo fmt` does to a file.
#pragma once

#include "dsl/syntax/ast.h"
#include "dsl/syntax/diagnostic.h"

#include <optional>
#include <string>

namespace ordo::dsl {

/// File `file` in the canonical layout, or nothing after an error. The text is read back before it
/// is handed out: it has the same tree and as many comments, and formatting it changes nothing. The
/// texts read on the way are added to `sources`.
std::optional<std::string> format(std::uint32_t file, SourceManager &sources,
                                  Diagnostics &diagnostics);

/// Whether two modules are the same but for places, comments, blank lines and parentheses that say
/// nothing.
bool sameTree(const Ast &left, const Ast &right);

} // namespace ordo::dsl
