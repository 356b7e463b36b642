// Source texts and places in them.
#pragma once

#include "dsl/types/span.h"

#include <deque>
#include <string>
#include <string_view>

namespace ordo::dsl {

struct SourceFile {
  std::string path; // as the user named it
  std::string text; // UTF-8, unchecked
};

struct LineColumn {
  std::uint32_t line = 1;   // from 1
  std::uint32_t column = 1; // from 1, in Unicode code points
};

/// Owns every text read in one run; a Span's `file` indexes it.
class SourceManager {
public:
  std::uint32_t add(std::string path, std::string text);
  const SourceFile &file(std::uint32_t id) const { return files_[id]; }
  std::size_t size() const { return files_.size(); }

  LineColumn lineColumn(std::uint32_t file, std::uint32_t offset) const;
  /// The whole line that holds `offset`, without its end.
  std::string_view line(std::uint32_t file, std::uint32_t offset) const;
  std::string_view text(Span span) const;

private:
  std::deque<SourceFile> files_;
};

} // namespace ordo::dsl
