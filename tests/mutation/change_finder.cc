#include "tests/mutation/change_finder.h"

#include <algorithm>
#include <utility>

namespace ordo::mutation {

std::string changed(std::string_view text, const Change &change) {
  std::string result;
  std::uint32_t number = 0;
  for (const std::string &line : linesOf(text)) {
    const auto edit = std::ranges::find(change.edits, number++, &Edit::line);
    result += (edit == change.edits.end() ? line : edit->text) + "\n";
  }
  return result;
}

void ChangeFinder::replace(const char *rule, std::size_t i, const std::string &text) {
  if (text != at(i).print())
    changes.push_back({rule, at(i).print(), text, {{at(i).number, text}}});
}

void ChangeFinder::drop(const char *rule, std::size_t i) { replace(rule, i, std::string()); }

void ChangeFinder::opcode(const char *rule, std::size_t i, std::string opcode) {
  CodeLine line = at(i);
  line.opcode = std::move(opcode);
  replace(rule, i, line);
}

void ChangeFinder::operand(const char *rule, std::size_t i, std::size_t k, std::string by) {
  CodeLine line = at(i);
  line.operands[k] = std::move(by);
  replace(rule, i, line);
}

void ChangeFinder::exchange(const char *rule, std::size_t i, std::size_t a, std::size_t b) {
  CodeLine line = at(i);
  std::swap(line.operands[a], line.operands[b]);
  replace(rule, i, line);
}

void ChangeFinder::instead(const char *rule, std::size_t i, const std::string &opcode,
                           std::vector<std::string> operands) {
  CodeLine line = at(i);
  line.opcode = opcode;
  line.operands = std::move(operands);
  replace(rule, i, line);
}

void ChangeFinder::replaceBoth(const char *rule, std::size_t i, const std::string &first,
                               std::size_t j, const std::string &second) {
  changes.push_back({rule,
                     at(i).print() + " …" + at(j).print(),
                     first + " …" + second,
                     {{at(i).number, first}, {at(j).number, second}}});
}

void ChangeFinder::late(std::size_t i, bool (*touchesShared)(const CodeLine &)) {
  for (std::size_t k = i + 1; k < size(); ++k)
    if (touchesShared(at(k))) {
      replaceBoth(rule::kLate, i, "", k, at(k).print() + "\n" + at(i).print());
      break;
    }
  for (std::size_t k = i; k-- > 0;)
    if (touchesShared(at(k))) {
      replaceBoth(rule::kLate, k, at(i).print() + "\n" + at(k).print(), i, "");
      break;
    }
}

} // namespace ordo::mutation
