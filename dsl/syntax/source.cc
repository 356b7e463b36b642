#include "dsl/syntax/source.h"

#include <algorithm>

namespace ordo::dsl {

std::uint32_t SourceManager::add(std::string path, std::string text) {
  files_.push_back({std::move(path), std::move(text)});
  return static_cast<std::uint32_t>(files_.size() - 1);
}

LineColumn SourceManager::lineColumn(std::uint32_t file, std::uint32_t offset) const {
  const std::string &text = files_[file].text;
  const std::size_t end = std::min<std::size_t>(offset, text.size());
  LineColumn place;
  for (std::size_t i = 0; i < end; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == '\n') {
      ++place.line;
      place.column = 1;
    } else if ((byte & 0xC0) != 0x80) { // a continuation byte adds no code point
      ++place.column;
    }
  }
  return place;
}

std::string_view SourceManager::line(std::uint32_t file, std::uint32_t offset) const {
  const std::string_view text = files_[file].text;
  const std::size_t at = std::min<std::size_t>(offset, text.size());
  const std::size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const std::size_t end = std::min(text.find('\n', at), text.size());
  std::string_view line = text.substr(begin, end - begin);
  if (!line.empty() && line.back() == '\r')
    line.remove_suffix(1);
  return line;
}

std::string_view SourceManager::text(Span span) const {
  const std::string_view text = files_[span.file].text;
  const std::size_t begin = std::min<std::size_t>(span.begin, text.size());
  const std::size_t end = std::clamp<std::size_t>(span.end, begin, text.size());
  return text.substr(begin, end - begin);
}

} // namespace ordo::dsl
