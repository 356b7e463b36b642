#include "tests/mutation/record.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <map>
#include <system_error>
#include <tuple>

namespace ordo::mutation {
namespace {

constexpr std::string_view kEndNames[] = {"unread", "refused", "equivalent", "survivor",
                                          "unproven"};
constexpr std::string_view kSeenNames[] = {"unseen", "stopped", "different", "equal"};
constexpr std::string_view kLast = "end";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text)
    out += c == '\t' ? "\\t" : c == '\n' ? "\\n" : c == '\\' ? "\\\\" : std::string(1, c);
  return out;
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] != '\\' || k + 1 == text.size()) {
      out += text[k];
      continue;
    }
    const char c = text[++k];
    out += c == 't' ? '\t' : c == 'n' ? '\n' : c;
  }
  return out;
}

std::vector<std::string> fields(std::string_view line) {
  std::vector<std::string> all;
  while (true) {
    const std::size_t end = line.find('\t');
    all.push_back(unescaped(line.substr(0, end)));
    if (end == std::string_view::npos)
      return all;
    line.remove_prefix(end + 1);
  }
}

template <class Enum, std::size_t N>
bool parse(const std::string &word, const std::string_view (&names)[N], Enum &value) {
  const auto it = std::ranges::find(names, word);
  value = static_cast<Enum>(it - std::begin(names));
  return it != std::end(names);
}

/// Code in a cell of a table.
std::string code(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\t' || c == '\n') {
      if (!out.empty() && out.back() != ' ')
        out += ' ';
    } else {
      out += c == '|' ? "\\|" : std::string(1, c);
    }
  }
  while (!out.empty() && out.back() == ' ')
    out.pop_back();
  out.erase(0, out.find_first_not_of(' '));
  return out.empty() ? "nothing" : fmt::format("`{}`", out);
}

} // namespace

std::string familyOf(const std::string &target) {
  return target.starts_with("cuda.") ? "PTX" : "AMDGCN";
}

std::string print(const Record &r) {
  std::string line;
  for (const std::string &field :
       {r.file, r.kernel, r.target, r.rule, std::to_string(r.line),
        std::string(kEndNames[static_cast<std::size_t>(r.verdict.end)]),
        std::string(kSeenNames[static_cast<std::size_t>(r.verdict.seen)]), r.verdict.why, r.before,
        r.after})
    line += (line.empty() ? "" : "\t") + escaped(field);
  return line;
}

std::optional<Record> parseRecord(std::string_view line) {
  const std::vector<std::string> f = fields(line);
  Record r;
  if (f.size() != 10 || !parse(f[5], kEndNames, r.verdict.end) ||
      !parse(f[6], kSeenNames, r.verdict.seen) ||
      std::from_chars(f[4].data(), f[4].data() + f[4].size(), r.line).ec != std::errc())
    return std::nullopt;
  r.file = f[0];
  r.kernel = f[1];
  r.target = f[2];
  r.rule = f[3];
  r.verdict.why = f[7];
  r.before = f[8];
  r.after = f[9];
  return r;
}

std::optional<std::vector<Record>> readRecords(const std::string &path) {
  std::ifstream file(path);
  std::vector<Record> records;
  for (std::string line; std::getline(file, line);) {
    if (line == kLast)
      return records;
    const auto record = parseRecord(line);
    if (!record)
      return std::nullopt;
    records.push_back(*record);
  }
  return std::nullopt;
}

bool writeRecords(const std::string &path, std::span<const Record> records) {
  const std::string beside = path + ".part";
  std::ofstream file(beside);
  for (const Record &record : records)
    file << print(record) << "\n";
  file << kLast << "\n";
  file.close();
  std::error_code error;
  std::filesystem::rename(beside, path, error);
  return file.good() && !error;
}

void applyReadings(std::span<Record> records, std::span<const Record> readings) {
  const auto change = [](const Record &r) {
    return std::tie(r.file, r.kernel, r.target, r.rule, r.line, r.before, r.after);
  };
  for (Record &r : records) {
    if (r.verdict.end != End::Survivor || r.verdict.seen != Seen::Equal)
      continue;
    const auto it = std::ranges::find(readings, change(r), change);
    if (it != readings.end())
      r.verdict = it->verdict;
  }
}

std::string equivalents(std::span<const Record> records) {
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<const Record *>> groups;
  for (const Record &r : records)
    if (r.verdict.end == End::Equivalent)
      groups[{familyOf(r.target), r.rule, r.verdict.why}].push_back(&r);
  std::string text, heading;
  for (const auto &[key, all] : groups) {
    const auto &[family, rule, why] = key;
    if (const std::string now = fmt::format("## {}: {}", family, rule); now != heading)
      text += fmt::format("\n{}\n", heading = now);
    text += fmt::format("\n{}:\n\n| kernel | target | line | before | after |\n"
                        "|---|---|---:|---|---|\n",
                        why);
    for (const Record *r : all)
      text += fmt::format("| {} | {} | {} | {} | {} |\n", r->kernel, r->target, r->line,
                          code(r->before), code(r->after));
  }
  return text;
}

} // namespace ordo::mutation
