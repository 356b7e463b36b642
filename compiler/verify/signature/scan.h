// The words of a launch's signature.
#pragma once

#include "dsl/syntax/diagnostic.h"

#include <vector>

namespace ordo::verify {

struct LaunchToken {
  enum class Kind : std::uint8_t { Name, Number, Mark, End };
  Kind kind = Kind::End;
  std::string text; // of a mark: "<=", ">=" or one character
  dsl::Span span;
};

/// The last one is End. A character that begins no word is reported, and ends the list.
std::vector<LaunchToken> scanLaunch(std::uint32_t file, const dsl::SourceManager &sources,
                                    dsl::Diagnostics &diagnostics);

} // namespace ordo::verify
