// An order: the pipe of stages that fixes the shape of a reduction (design section 3).
#pragma once

#include "dsl/types/dtype.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ordo::dsl {

/// One stage maps a sequence to a shorter one. `n == 0` is the total form, which leaves one value
/// for every length.
struct Stage {
  enum class Kind : std::uint8_t {
    Seq,    // seq, seq(n): runs of n, each a left fold
    Lanes,  // lanes(n, w): lane r folds the runs of w at r*w, (r+n)*w, … as one chain; never total
    Pairs,  // pairs, pairs(n): v[2i] ⊕ v[2i+1] until one is left; an odd last element passes
    Halves, // halves, halves(n): v[i] ⊕ v[i+h], h = m/2 … 1, m the next power of two; missing
            // passes
    Mid,    // mid, mid(n), mid.leaf(l): split at lo + (hi-lo)/2; leaves of `leaf` or fewer by seq
    Fma,    // fma, fma(n): dot's first stage, acc ← fma(a, b, acc) from -0.0
    Mma,    // mma, mma(n): dot's first stage, acc ← atom(acc, next L products) from +0.0
    First,  // first(r): folds nothing; the next stage's first run takes r values, the others follow
  };
  Kind kind = Kind::Seq;
  std::int64_t n = 0;          // run length or lane count; 0 = total
  std::int64_t w = 1;          // Lanes: run width
  std::int64_t leaf = 1;       // Mid: largest leaf
  std::optional<DType> round;  // `stage: T` rounds each emitted value, merge and passed value
  std::optional<double> start; // `.from(s)`: every run starts from s
  std::optional<double> pad;   // `.pad(p)`: short runs are padded with p instead of passing

  bool isTotal() const { return n == 0 && kind != Kind::First; }
  /// Structural, and starts and pads compare as bits: -0.0 and 0.0 give different sums.
  bool operator==(const Stage &other) const;
};

/// The largest run length, lane count or run width that an order may name.
inline constexpr std::int64_t kMaxStageSize = std::int64_t{1} << 31;
/// The largest run (for lanes, n * w) that `.pad` may fill up: pads are values that exist.
inline constexpr std::int64_t kMaxPaddedRun = std::int64_t{1} << 20;

/// A value; equality is structural. An empty order is "no order", legal only where the operation
/// needs none (max, min and integer reductions).
struct Order {
  std::vector<Stage> stages;

  bool empty() const { return stages.empty(); }
  bool operator==(const Order &) const = default;
};

/// `seq(8) | lanes(128) | halves`: the canonical spelling, one form for equal structures.
std::string toString(const Stage &stage);
std::string toString(const Order &order);
/// A start or a pad as orders spell it: the shortest decimal that reads back as the same double,
/// always with a point, an exponent or a letter.
std::string literalText(double value);

/// Parses the canonical spelling (what the compiler's attribute and the manifest carry; the
/// language's own parser builds orders itself), spaces free. Checks the spelling only: ask
/// malformed() too. On failure returns nothing and says why and where (a column from 1).
std::optional<Order> parseOrder(const std::string &text, std::string *error);

/// Nothing when the order is well formed (non-empty, each size in [1, kMaxStageSize], ends in a
/// total stage with no total stage before it, `fma`/`mma` only first, `first` only before runs that
/// hold as much, `.from` only where a run is a chain, `.pad` only where a run can be short);
/// otherwise the reason and what would do.
std::optional<std::string> malformed(const Order &order);

/// One fold of an order: a stage other than `first`, and the r of a `first(r)` right before it.
struct Step {
  Stage stage;
  std::int64_t first = 0; // what the first run takes; 0: as much as every other

  bool operator==(const Step &) const = default;
  /// How many values too few the first run has: its runs are cut as if so many stood before the
  /// sequence and were missing.
  std::int64_t missing() const;
};

/// The folds of an order in turn; a trailing `first` (malformed) is left out.
std::vector<Step> stepsOf(const Order &order);
/// `first(3) | seq(4)`.
std::string toString(const Step &step);

/// How many values the stage leaves of `length` (0 stays 0; `first` by itself leaves all).
std::int64_t resultLength(const Stage &stage, std::int64_t length);
std::int64_t resultLength(const Step &step, std::int64_t length);

} // namespace ordo::dsl
