// A place in a source text.
#pragma once

#include <cstdint>

namespace ordo::dsl {

/// Byte offsets [begin, end) in the file that `file` indexes (see syntax/source.h).
struct Span {
  std::uint32_t file = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

} // namespace ordo::dsl
