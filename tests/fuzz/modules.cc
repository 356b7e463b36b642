#include "tests/fuzz/modules.h"

#include "dsl/sema/digest.h"
#include "tests/fuzz/fuzz.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>

namespace ordo::fuzz {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMark = "//// file ";

fs::path folder() { return fs::path(settings().scratch) / "modules"; }

std::string pathOf(std::string module) {
  std::ranges::replace(module, '.', '/');
  return (module.empty() ? "m" : module) + ".ordo";
}

/// Where a module lies that says `module a.b`: a/b.ordo; m.ordo for one that says nothing.
std::string placeOf(std::string_view text) {
  static const std::regex kLine(
      "(?:^|\n) *module +([a-z_][a-z0-9_]{0,30}(?:\\.[a-z_][a-z0-9_]{0,30}"
      "){0,3})(?=\\s|$)");
  std::match_results<std::string_view::const_iterator> match;
  const std::string_view head = text.substr(0, 4096); // std::regex recurses
  if (!std::regex_search(head.begin(), head.end(), match, kLine))
    return "m.ordo";
  return pathOf(match[1].str());
}

/// The name after the mark at the beginning of `rest`; empty where it is none.
std::string nameAfterMark(std::string_view rest) {
  const std::string_view line = rest.substr(0, rest.find('\n'));
  const std::string name(line.substr(std::min(kMark.size(), line.size())));
  static const std::regex kName("[a-z0-9_]{1,30}(/[a-z0-9_]{1,30}){0,3}\\.ordo");
  return line.size() < 140 && std::regex_match(name, kName) ? name : "";
}

struct File {
  std::string path;
  std::string_view text;
};

std::vector<File> split(std::string_view input) {
  std::vector<File> files;
  std::size_t begin = 0;
  std::string name;
  const auto finish = [&](std::size_t end) {
    const std::string_view text = input.substr(begin, end - begin);
    if (!name.empty() || !text.empty() || end == input.size())
      files.push_back({name.empty() ? placeOf(text) : name, text});
  };
  for (std::size_t at = 0; (at = input.find(kMark, at)) != std::string_view::npos;
       at += kMark.size()) {
    const std::string next = nameAfterMark(input.substr(at));
    if ((at > 0 && input[at - 1] != '\n') || next.empty())
      continue;
    finish(at);
    name = next;
    begin = at + kMark.size() + next.size();
  }
  finish(input.size());
  return files;
}

} // namespace

bool isUtf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80             ? 1
                               : (lead & 0xe0) == 0xc0 ? 2
                               : (lead & 0xf0) == 0xe0 ? 3
                               : (lead & 0xf8) == 0xf0 ? 4
                                                       : 0;
    if (length == 0 || i + length > text.size())
      return false;
    for (std::size_t j = 1; j < length; ++j)
      if ((static_cast<unsigned char>(text[i + j]) & 0xc0) != 0x80)
        return false;
    i += length;
  }
  return true;
}

Modules::~Modules() {
  std::error_code ignored;
  fs::remove_all(folder(), ignored);
}

std::string Modules::write(std::string_view input) {
  std::error_code ignored;
  fs::remove_all(folder(), ignored);
  const std::vector<File> files = split(input);
  for (const File &file : files) {
    const fs::path path = folder() / file.path;
    fs::create_directories(path.parent_path(), ignored);
    if (!fs::exists(path)) // the first of a name counts
      std::ofstream(path, std::ios::binary) << file.text;
  }
  return (folder() / files.front().path).string();
}

std::string Modules::writeOne(const std::string &module, std::string_view text) {
  std::error_code ignored;
  fs::remove_all(folder(), ignored);
  const fs::path path = folder() / pathOf(module);
  fs::create_directories(path.parent_path(), ignored);
  std::ofstream(path, std::ios::binary) << text;
  return path.string();
}

Contract::Contract(const std::string &path) : diagnostics_(sources_) {
  package_ = dsl::Package::load(path, {settings().contracts}, sources_, diagnostics_);
  require((package_ != nullptr) != diagnostics_.hasErrors(), "a package: {}, {} errors",
          package_ != nullptr, diagnostics_.errorCount());
  if (!package_)
    return;
  for (const std::string &name : package_->kernels()) {
    const std::size_t before = diagnostics_.errorCount();
    auto program = package_->instantiate(name, diagnostics_);
    require(program.has_value() == (diagnostics_.errorCount() == before),
            "kernel {}: a program: {}, {} errors", name, program.has_value(),
            diagnostics_.errorCount() - before);
    if (program)
      programs_.push_back(std::move(*program));
  }
}

std::vector<std::string> Contract::digests() const {
  std::vector<std::string> all;
  for (const dsl::Program &program : programs_)
    all.push_back(dsl::digest(program));
  return all;
}

std::vector<std::string> Contract::kinds() const {
  std::vector<std::string> all;
  for (const dsl::Diagnostic &diagnostic : diagnostics_.all())
    all.emplace_back(diagnostic.kind.name());
  std::ranges::sort(all);
  return all;
}

} // namespace ordo::fuzz
