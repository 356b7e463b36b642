// How many mutants of each rule met which end.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

namespace ordo::mutation {

enum class End {
  Unread,     // refused by the reader
  Refused,    // refused by the proof
  Equivalent, // proven, and shown to be equal
  Survivor,   // proven, and the bits are not equal, or nothing argues for them
  Unproven,   // the kernel itself is not proven on this target
};
inline constexpr std::size_t kEnds = 5;

/// What the emulator sees.
enum class Seen {
  Unseen,    // it was not run
  Stopped,   // a race, an address outside, a value nobody defined, …
  Different, // other bits than the evaluator's
  Equal,     // the evaluator's bits for all inputs, sizes and orders that were tried
};
inline constexpr std::size_t kSeen = 4;

struct Verdict {
  End end = End::Unread;
  Seen seen = Seen::Unseen;
  std::string why; // the refusal, the reason of an equivalent
};

class Score {
public:
  /// `target`: or a family of them.
  void add(const std::string &target, const std::string &rule, const Verdict &verdict);

  int count(const std::string &target, const std::string &rule) const;
  /// Of this rule, on all targets.
  int count(const std::string &rule, End end) const;
  int count(const std::string &rule, Seen seen) const;
  int count(End end) const;
  int all() const;

  /// A table in Markdown: a row for each rule of each family, the sums, and the reasons.
  std::string table() const;

private:
  struct Counts {
    std::array<int, kEnds> ends{};
    std::array<int, kSeen> seen{};
    Counts &operator+=(const Counts &other);
    int all() const;
  };
  static std::string row(const std::string &target, const std::string &rule, const Counts &counts);
  /// Over the keys whose rule is `rule`; all, if it is empty.
  Counts sum(const std::string &rule) const;

  std::map<std::pair<std::string, std::string>, Counts> counts_; // of target and rule
  std::map<std::pair<std::string, std::string>, int> reasons_;   // of rule and reason
};

} // namespace ordo::mutation
