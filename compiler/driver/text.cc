#include "compiler/driver/text.h"

#include <algorithm>
#include <fmt/core.h>

namespace ordo::compiler::driver {

namespace {

std::size_t codePoints(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

} // namespace

std::string joined(const std::vector<std::string> &items, std::string_view separator) {
  std::string text;
  for (const std::string &item : items) {
    if (!text.empty())
      text += separator;
    text += item;
  }
  return text;
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string humanBytes(std::size_t bytes) {
  if (bytes < 1000)
    return fmt::format("{} B", bytes);
  if (bytes < 1000000)
    return fmt::format("{:.1f} kB", static_cast<double>(bytes) / 1e3);
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::string table(const std::vector<std::vector<std::string>> &rows, std::string_view indent) {
  std::vector<std::size_t> widths;
  for (const std::vector<std::string> &row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], codePoints(row[i]));
  }
  std::string text;
  for (const std::vector<std::string> &row : rows) {
    std::string line(indent);
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size())
        line.append(widths[i] - codePoints(row[i]) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

} // namespace ordo::compiler::driver
