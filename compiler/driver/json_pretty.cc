#include "compiler/driver/json.h"

#include <algorithm>

namespace ordo::compiler::driver {

namespace {

constexpr std::size_t kLineWidth = 160;

void print(const Json &value, std::size_t indent, std::size_t column, std::string &out) {
  const std::string line = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (!value.is_structured() || value.empty()) {
    out += line;
    return;
  }
  // dump() puts no blanks behind commas and colons; leave room for them.
  const std::size_t spaced =
      line.size() + static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')) + 4;
  const bool whole = column + spaced <= kLineWidth;
  const std::string gap = whole ? " " : "\n" + std::string(indent + 2, ' ');
  out += value.is_array() ? "[" : "{";
  bool first = true;
  for (const auto &item : value.items()) {
    if (!first)
      out += ",";
    if (!first || !whole)
      out += gap;
    first = false;
    std::size_t at = indent + 2;
    if (value.is_object()) {
      const std::string key = Json(item.key()).dump() + ": ";
      out += key;
      at += key.size();
    }
    print(item.value(), indent + 2, whole ? 0 : at, out);
  }
  if (!whole)
    out += "\n" + std::string(indent, ' ');
  out += value.is_array() ? "]" : "}";
}

} // namespace

std::string pretty(const Json &value) {
  std::string out;
  print(value, 0, 0, out);
  return out + "\n";
}

} // namespace ordo::compiler::driver
