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
  Unproven,   // the kernel itself is not proven on this target: the emulator alone looks
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

/// The reason of an equivalent for which none was found.
inline constexpr char kNotClassified[] = "the proof takes it, and the bits are equal: not "
                                         "classified";

struct Verdict {
  End end = End::Unread;
  Seen seen = Seen::Unseen;
  std::string why; // the refusal, the reason of an equivalent
};

/// Mutants of kernels that are not proven are counted apart, by what the emulator sees of them:
/// nothing here counts them but `unproven` and the table.
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
  int unproven() const;
  /// The share that is refused of those that are not equivalent, in percent.
  double percent() const;

  /// Tables in Markdown: a row for each rule of each target, the sums; the reasons of equivalents;
  /// and the mutants of kernels that are not proven.
  std::string table() const;

private:
  using Key = std::pair<std::string, std::string>; // target and rule, rule and reason
  struct Counts {
    std::array<int, kEnds> ends{};
    std::array<int, kSeen> seen{};
    Counts &operator+=(const Counts &other);
    int all() const;
  };
  static std::string cells(const Counts &counts);
  /// Over the keys whose rule is `rule`; all, if it is empty.
  static Counts sum(const std::map<Key, Counts> &counts, const std::string &rule);

  std::map<Key, Counts> counts_, unproven_;
  std::map<Key, int> reasons_;
};

} // namespace ordo::mutation
