// `ordo fmt`: files in the canonical layout, in place.

#include "compiler/driver/contract.h"
#include "compiler/driver/failure.h"
#include "compiler/driver/files.h"
#include "dsl/syntax/format.h"

#include <cstdio>
#include <fmt/core.h>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>

namespace ordo::compiler::driver {

namespace {

constexpr const char *kStandardInput = "-";

std::string readWhole(std::istream &in) {
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string readFile(const std::string &path) {
  requireReadable(path);
  std::ifstream in(path, std::ios::binary);
  return readWhole(in);
}

/// The first line in which the two part, from 1.
std::size_t firstDifference(const std::string &before, const std::string &after) {
  std::size_t line = 1, i = 0;
  for (; i < before.size() && i < after.size() && before[i] == after[i]; ++i)
    line += before[i] == '\n';
  return line;
}

/// Nothing when the text does not read; that is reported.
std::optional<std::string> formatted(const std::string &path, const std::string &text) {
  dsl::SourceManager sources;
  dsl::Diagnostics diagnostics(sources);
  const auto out = dsl::format(sources.add(path, text), sources, diagnostics);
  report(diagnostics);
  return out;
}

/// Whether the file is, or now is, in the layout.
bool formatOne(const std::string &path, bool onlyCheck) {
  const bool isInput = path == kStandardInput;
  const std::string text = isInput ? readWhole(std::cin) : readFile(path);
  const std::string name = isInput ? "<stdin>" : path;
  const auto out = formatted(name, text);
  if (!out)
    return false;
  if (onlyCheck) {
    if (*out != text)
      fmt::print("{}:{}: not in the canonical layout\n", name, firstDifference(text, *out));
    return *out == text;
  }
  if (isInput) {
    fmt::print("{}", *out);
  } else if (*out != text) {
    writeFiles({{path, *out}});
    fmt::print("{}: formatted\n", path);
  }
  return true;
}

} // namespace

int runFormat(const FormatOptions &options) {
  for (const std::string &path : options.files) // before the first is changed
    if (path != kStandardInput) {
      requireReadable(path);
      if (!options.onlyCheck)
        requireWritableFile(path);
    }
  bool isGood = true;
  for (const std::string &path : options.files)
    isGood = formatOne(path, options.onlyCheck) && isGood;
  return isGood ? kFine : kRefused;
}

} // namespace ordo::compiler::driver
