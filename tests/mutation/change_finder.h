// What the mutators of both targets share: changes of a line, in the words of change.h.
#pragma once

#include "tests/mutation/change.h"
#include "tests/mutation/code_line.h"

#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace ordo::mutation {

class ChangeFinder {
public:
  std::vector<Change> changes;

protected:
  explicit ChangeFinder(std::vector<CodeLine> code) : code_(std::move(code)) {}

  /// Calls every family of rules for every line, in their order.
  template <class Finder> void find(std::initializer_list<void (Finder::*)(std::size_t)> families) {
    for (std::size_t i = 0; i < size(); ++i)
      for (const auto family : families)
        (static_cast<Finder *>(this)->*family)(i);
  }

  std::size_t size() const { return code_.size(); }
  const CodeLine &at(std::size_t i) const { return code_[i]; }

  /// The whole line; nothing is added where it stays the same.
  void replace(const char *rule, std::size_t i, const std::string &text);
  void replace(const char *rule, std::size_t i, const CodeLine &by) {
    replace(rule, i, by.print());
  }
  void drop(const char *rule, std::size_t i);
  void opcode(const char *rule, std::size_t i, std::string opcode);
  void operand(const char *rule, std::size_t i, std::size_t k, std::string by);
  void exchange(const char *rule, std::size_t i, std::size_t a, std::size_t b);
  /// Another instruction with these operands, in the place of this one.
  void instead(const char *rule, std::size_t i, const std::string &opcode,
               std::vector<std::string> operands);
  /// Two lines change.
  void replaceBoth(const char *rule, std::size_t i, const std::string &first, std::size_t j,
                   const std::string &second);

  /// A barrier (line i) one access to shared memory later, and one earlier.
  void late(std::size_t i, bool (*touchesShared)(const CodeLine &));

private:
  std::vector<CodeLine> code_;
};

} // namespace ordo::mutation
