// How many mutants of each rule met which end.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

namespace ordo::mutation {

enum class End {
  Unread,     // refused by the reader
  Refused,    // refused by the proof
  Stopped,    // no proof was tried: stopped by the emulator
  Different,  // no proof was tried: other bits
  Unjudged,   // no proof was tried, and equal bits wherever they were compared
  Equivalent, // proven, and the bits are equal
  Survivor,   // proven, and the bits are not, or nothing argues for them
};
inline constexpr std::size_t kEnds = 7;

class Score {
public:
  /// `why`: of an Equivalent or a Survivor.
  void add(const std::string &family, const std::string &rule, End end, const std::string &why);

  int count(const std::string &family, const std::string &rule) const;
  int count(const std::string &rule, End end) const;
  int count(End end) const;
  int all() const;
  const std::vector<std::string> &survivors() const { return survivors_; }

  /// A table in Markdown: a row for each rule of each family, the sums, and the reasons.
  std::string table() const;

private:
  using Counts = std::array<int, kEnds>;
  static std::string row(const std::string &family, const std::string &rule, const Counts &counts);

  std::map<std::pair<std::string, std::string>, Counts> counts_; // of family and rule
  std::map<std::pair<std::string, std::string>, int> reasons_;   // of rule and reason
  std::vector<std::string> survivors_;
};

} // namespace ordo::mutation
