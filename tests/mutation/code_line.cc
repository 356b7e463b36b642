#include "tests/mutation/code_line.h"

#include <algorithm>

namespace ordo::mutation {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// At the commas outside brackets of any kind.
std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size()) {
      depth += text[at] == '{' || text[at] == '[' ? 1 : 0;
      depth -= text[at] == '}' || text[at] == ']' ? 1 : 0;
      if (text[at] != ',' || depth != 0)
        continue;
    }
    const std::string_view part = trimmed(text.substr(begin, at - begin));
    if (!part.empty())
      parts.emplace_back(part);
    begin = at + 1;
  }
  return parts;
}

/// Opcode and operands.
void takeApart(std::string_view text, CodeLine &line) {
  const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
  line.opcode = text.substr(0, end);
  line.operands = split(text.substr(end));
}

/// The last operand ends at the first blank: "s[4:5] offset:16".
void takeModifiers(CodeLine &line) {
  if (line.operands.empty() || line.is("s_waitcnt") || line.is("s_delay_alu"))
    return;
  std::string &last = line.operands.back();
  const std::size_t blank = last.find(' ');
  if (blank == std::string::npos)
    return;
  line.after = last.substr(blank) + line.after;
  last.resize(blank);
}

CodeLine gcnPart(std::uint32_t number, std::string_view part) {
  CodeLine line;
  line.number = number;
  line.before = "\t";
  takeApart(trimmed(part), line);
  if (line.opcode.ends_with("_e32") || line.opcode.ends_with("_e64"))
    line.opcode.resize(line.opcode.size() - 4);
  takeModifiers(line);
  return line;
}

/// Calls `each(begin, length)` for the words between the dots until it returns true.
template <class F> void words(std::string_view opcode, F &&each) {
  for (std::size_t begin = 0; begin <= opcode.size();) {
    const std::size_t end = std::min(opcode.find('.', begin), opcode.size());
    if (each(begin, end - begin))
      return;
    begin = end + 1;
  }
}

} // namespace

bool CodeLine::isAny(std::initializer_list<std::string_view> prefixes) const {
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return is(prefix); });
}

bool CodeLine::has(std::string_view word) const {
  bool found = false;
  words(opcode, [&](std::size_t begin, std::size_t length) {
    return found = std::string_view(opcode).substr(begin, length) == word;
  });
  return found;
}

std::string_view CodeLine::type() const {
  return std::string_view(opcode).substr(opcode.rfind('.') + 1);
}

std::string_view CodeLine::guard() const {
  const std::string_view found = trimmed(before);
  return found.starts_with('@') ? found.substr(1) : std::string_view();
}

std::string CodeLine::print() const {
  std::string whole = before + opcode;
  for (std::size_t k = 0; k < operands.size(); ++k)
    whole += (k == 0 ? " " : ", ") + operands[k];
  return whole + after;
}

std::vector<std::string> linesOf(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<CodeLine> ptxCode(std::string_view text) {
  std::vector<CodeLine> code;
  std::uint32_t number = 0;
  for (const std::string &whole : linesOf(text)) {
    std::string_view rest = trimmed(whole);
    CodeLine line;
    line.number = number++;
    line.before = "\t";
    line.after = ";";
    if (!rest.ends_with(';') || rest.starts_with('.') || rest.starts_with("//"))
      continue;
    rest.remove_suffix(1);
    if (rest.starts_with('@')) {
      const std::size_t end = rest.find_first_of(" \t");
      line.before += std::string(rest.substr(0, end)) + " ";
      rest = trimmed(rest.substr(end));
    }
    takeApart(rest, line);
    code.push_back(std::move(line));
  }
  return code;
}

std::vector<CodeLine> gcnCode(std::string_view text) {
  constexpr std::string_view kPair = " :: ";
  std::vector<CodeLine> code;
  std::uint32_t number = 0;
  for (const std::string &whole : linesOf(text)) {
    const std::uint32_t at = number++;
    const std::string_view rest = trimmed(std::string_view(whole).substr(0, whole.find(';')));
    if (whole.starts_with("\t.section"))
      break;
    if (!whole.starts_with('\t') || rest.empty() || rest.starts_with('.'))
      continue;
    const std::size_t pair = rest.find(kPair);
    code.push_back(gcnPart(at, rest.substr(0, pair)));
    if (pair == std::string_view::npos)
      continue;
    code.back().after += rest.substr(pair);
    code.push_back(gcnPart(at, rest.substr(pair + kPair.size())));
    code.back().before = "\t" + std::string(rest.substr(0, pair)) + std::string(kPair);
  }
  return code;
}

std::string replaceWord(std::string_view opcode, std::string_view word, std::string_view with) {
  std::string changed(opcode);
  words(opcode, [&](std::size_t begin, std::size_t length) {
    if (opcode.substr(begin, length) != word)
      return false;
    if (with.empty())
      changed.erase(begin - 1, length + 1);
    else
      changed.replace(begin, length, with);
    return true;
  });
  return changed;
}

} // namespace ordo::mutation
