#include "dsl/syntax/diagnostic.h"

#include "dsl/syntax/utf8.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace ordo::dsl {

Diagnostic &Diagnostics::error(Kind kind, Span span, std::string message) {
  ++errors_;
  return items_.emplace_back(
      Diagnostic{Diagnostic::Severity::Error, kind, span, std::move(message), {}, {}});
}

Diagnostic &Diagnostics::warning(Kind kind, Span span, std::string message) {
  return items_.emplace_back(
      Diagnostic{Diagnostic::Severity::Warning, kind, span, std::move(message), {}, {}});
}

namespace {

/// One character of a source line as a terminal shows it.
struct Cell {
  std::string text;
  std::size_t begin = 0; // byte offset in the line
  int width = 1;         // columns
};

/// Columns of a code point: combining marks take none, East Asian wide forms and emoji two.
int displayWidth(std::uint32_t c) {
  struct Range {
    std::uint32_t first, last;
  };
  static constexpr Range kNone[] = {
      {0x300, 0x36F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}};
  static constexpr Range kWide[] = {{0x1100, 0x115F}, {0x2E80, 0xA4CF},   {0xAC00, 0xD7A3},
                                    {0xF900, 0xFAFF}, {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
                                    {0xFFE0, 0xFFE6}, {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD}};
  const auto in = [c](const Range &range) { return range.first <= c && c <= range.last; };
  if (std::any_of(std::begin(kNone), std::end(kNone), in))
    return 0;
  return std::any_of(std::begin(kWide), std::end(kWide), in) ? 2 : 1;
}

/// Not to be sent to a terminal: control characters (escape sequences) and the marks that reorder
/// text.
bool isUnsafe(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069) || c == 0x2028 || c == 0x2029;
}

std::string hexMark(std::uint32_t value, bool byte) {
  std::array<char, 16> buffer{};
  std::snprintf(buffer.data(), buffer.size(), byte ? "<%02X>" : "<U+%04X>", value);
  return buffer.data();
}

std::vector<Cell> cellsOf(std::string_view line) {
  constexpr int kTab = 4;
  std::vector<Cell> cells;
  int column = 0;
  for (std::size_t at = 0; at < line.size();) {
    const Decoded c = decodeUtf8(line.substr(at));
    Cell cell{"", at, 1};
    if (c.length == 0 || isUnsafe(c.codePoint)) {
      if (c.codePoint == '\t')
        cell.text.assign(kTab - column % kTab, ' ');
      else if (c.length == 0)
        cell.text = hexMark(static_cast<unsigned char>(line[at]), true);
      else
        cell.text = hexMark(c.codePoint, c.codePoint < 0x80);
      cell.width = static_cast<int>(cell.text.size());
    } else {
      cell.text = line.substr(at, c.length);
      cell.width = displayWidth(c.codePoint);
    }
    at += std::max<std::uint32_t>(c.length, 1);
    column += cell.width;
    cells.push_back(std::move(cell));
  }
  return cells;
}

std::string safe(std::string_view text) {
  std::string out;
  for (const Cell &cell : cellsOf(text))
    out += cell.text;
  return out;
}

/// The line under a place and the marks below it. A very long line shows a window around the place.
void appendSnippet(std::string &out, const SourceManager &sources, Span span, char head) {
  constexpr std::size_t kWindow = 120, kLead = 60; // cells
  const std::string_view text = sources.file(span.file).text;
  std::string_view line = sources.line(span.file, span.begin);
  const std::size_t at = std::min<std::size_t>(span.begin, text.size());
  std::size_t begin = at - static_cast<std::size_t>(line.data() - text.data());
  const std::size_t length = span.end > span.begin ? span.end - span.begin : 0;
  // Cells cost a string each: cut a long line by bytes first.
  constexpr std::size_t kBytes = 4096;
  bool cutLeft = false, cutRight = false;
  if (begin > kBytes) {
    std::size_t skip = begin - kBytes;
    while (skip < begin && (static_cast<unsigned char>(line[skip]) & 0xC0) == 0x80)
      ++skip;
    line.remove_prefix(skip);
    begin -= skip;
    cutLeft = true;
  }
  if (line.size() > begin + kBytes) {
    line = line.substr(0, begin + kBytes);
    cutRight = true;
  }

  const std::vector<Cell> cells = cellsOf(line);
  const auto cellAt = [&](std::size_t offset) {
    std::size_t i = 0;
    while (i < cells.size() && cells[i].begin < offset)
      ++i;
    return i;
  };
  const std::size_t caret = cellAt(begin);
  const std::size_t caretEnd = std::max(cellAt(begin + length), caret);
  std::size_t first = 0;
  if (cells.size() > kWindow && caret > kLead)
    first = caret - kLead;
  const std::size_t last = std::min(cells.size(), first + kWindow);
  cutLeft = cutLeft || first > 0;
  cutRight = cutRight || last < cells.size();

  std::string shown = cutLeft ? "…" : "", marks = cutLeft ? " " : "";
  int marked = 0;
  for (std::size_t i = first; i < last; ++i) {
    shown += cells[i].text;
    for (int w = 0; w < cells[i].width; ++w) {
      if (i < caret)
        marks += ' ';
      else if (i < caretEnd)
        marks += marked++ == 0 ? head : '~';
    }
  }
  if (marked == 0)
    marks += head; // an empty span, or one past the end of the line
  const std::string number = std::to_string(sources.lineColumn(span.file, span.begin).line);
  const std::size_t pad = number.size() < 5 ? 5 - number.size() : 0;
  out += std::string(pad, ' ') + number + " | " + shown + (cutRight ? "…" : "") + "\n";
  out += std::string(pad + number.size(), ' ') + " | " + marks + "\n";
}

void appendPlace(std::string &out, const SourceManager &sources, Span span) {
  const LineColumn place = sources.lineColumn(span.file, span.begin);
  out += safe(sources.file(span.file).path) + ":" + std::to_string(place.line) + ":" +
         std::to_string(place.column) + ": ";
}

} // namespace

std::string Diagnostics::render(const Diagnostic &diagnostic) const {
  std::string out;
  const bool placed = diagnostic.span.file < sources_.size();
  if (placed)
    appendPlace(out, sources_, diagnostic.span);
  out += diagnostic.severity == Diagnostic::Severity::Error ? "error: " : "warning: ";
  out += safe(diagnostic.message) + " [" + std::string(diagnostic.kind.name()) + "]\n";
  if (placed)
    appendSnippet(out, sources_, diagnostic.span, '^');
  for (const Label &label : diagnostic.labels) {
    if (label.span.file >= sources_.size())
      continue;
    appendPlace(out, sources_, label.span);
    out += "note: " + safe(label.text) + "\n";
    appendSnippet(out, sources_, label.span, '~');
  }
  if (!diagnostic.help.empty())
    out += "help: " + safe(diagnostic.help) + "\n";
  return out;
}

std::string Diagnostics::renderAll() const {
  std::string out;
  for (const Diagnostic &item : items_)
    out += (out.empty() ? "" : "\n") + render(item);
  return out;
}

namespace {

/// Optimal string alignment: letters inserted, removed, changed, or neighbours swapped, each
/// counted as one edit and no letter edited twice.
std::size_t editDistance(std::string_view text, std::string_view candidate) {
  std::vector<std::size_t> row(candidate.size() + 1), above, twoAbove;
  for (std::size_t j = 0; j < row.size(); ++j)
    row[j] = j;
  for (std::size_t i = 1; i <= text.size(); ++i) {
    twoAbove = std::move(above);
    above = row;
    row[0] = i;
    for (std::size_t j = 1; j < row.size(); ++j) {
      row[j] = std::min(
          {above[j] + 1, row[j - 1] + 1, above[j - 1] + (text[i - 1] == candidate[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && text[i - 1] == candidate[j - 2] && text[i - 2] == candidate[j - 1])
        row[j] = std::min(row[j], twoAbove[j - 2] + 1);
    }
  }
  return row.back();
}

} // namespace

std::string didYouMean(std::string_view text, const std::vector<std::string> &candidates) {
  constexpr std::size_t kLongest =
      64; // longer ones are no typing mistake, and the distance is quadratic
  if (text.empty() || text.size() > kLongest)
    return {};
  std::size_t bestDistance = std::max<std::size_t>(text.size() / 3, 1) + 1;
  std::string best;
  for (const std::string &candidate : candidates) {
    if (candidate.size() > kLongest || candidate == text)
      continue;
    const std::size_t distance = editDistance(text, candidate);
    // One letter for another is a different short name, not a mistyped one: h is not H's neighbour
    // t.
    if (distance < bestDistance && distance < text.size()) {
      bestDistance = distance;
      best = candidate;
    }
  }
  return best;
}

} // namespace ordo::dsl
