// One mutant and what became of it, as a line of text; and the pages made of many.
#pragma once

#include "tests/mutation/score.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ordo::mutation {

struct Record {
  std::string file, kernel, target, rule;
  std::uint32_t line = 0; // of the assembly, from 1
  std::string before, after;
  Verdict verdict;
};

/// "PTX" or "AMDGCN".
std::string familyOf(const std::string &target);

/// Fields between tabs, without the line's end.
std::string print(const Record &record);
/// Nothing if it is not such a line.
std::optional<Record> parseRecord(std::string_view line);
/// The records of a file of such lines; nothing if there is no file, or its last line, "end", is
/// missing.
std::optional<std::vector<Record>> readRecords(const std::string &path);
bool writeRecords(const std::string &path, std::span<const Record> records);

/// A survivor whose bits are equal has the verdict of the reading that is of the very same change,
/// if there is one: where the tests have no argument, somebody read the code.
void applyReadings(std::span<Record> records, std::span<const Record> readings);

/// Each equivalent mutant with its reason, in Markdown.
std::string equivalents(std::span<const Record> records);

} // namespace ordo::mutation
