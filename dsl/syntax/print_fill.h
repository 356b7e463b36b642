// Text with soft breaks as lines.
#pragma once

#include <cstddef>
#include <string>

namespace ordo::dsl {

inline constexpr std::size_t kColumns = 100;
inline constexpr std::size_t kIndent = 2;       // of a block
inline constexpr std::size_t kContinuation = 4; // of a line that goes on

/// Breaks `text` at soft breaks into lines of at most kColumns where that can be, the first
/// indented by `indent`, the later ones by `continuation`. Each line ends at the last of the best
/// places within reach; brackets around a place count most, then its kind (SoftBreak).
std::string fill(const std::string &text, std::size_t indent, std::size_t continuation);
std::string fill(const std::string &text, std::size_t indent);

} // namespace ordo::dsl
