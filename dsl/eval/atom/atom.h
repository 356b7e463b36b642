// What one step of a matrix unit computes, bit for bit.
//
// An atom fuses L products and an accumulator into one result; its inside is no tree of IEEE
// additions. A rule names the hardware family, and one that nobody has published or measured
// answers "unmodelled" rather than guess.
#pragma once

#include "dsl/types/dtype.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ordo::dsl {

enum class AtomArithmetic : std::uint8_t {
  /// NVIDIA: products and accumulator aligned to the largest exponent, cut toward zero, summed
  /// exactly, cut once more to the result.
  TruncatedSum,
  /// CDNA3: products summed as above, then sum and accumulator aligned, rounded down, added and
  /// rounded to the nearest even f32.
  TwoStageSum,
  /// CDNA2: subnormals flushed, products in f32, added by pairs, then to the accumulator.
  FlushedPairs,
  /// acc ← fma(a, b, acc), k ascending.
  SequentialFma,
  /// Known by name only; `reason` says why.
  Unmodelled,
};

/// Measured: by this project, on that hardware, over random operands of every kind. Literature:
/// published by others, whose vectors, where there are any, the tests hold it to.
enum class AtomProvenance : std::uint8_t { Measured, Literature };
std::string_view name(AtomProvenance provenance);

/// No floor on the exponent that terms are aligned to.
inline constexpr int kNoLeastExponent = std::numeric_limits<int>::min();

struct AtomRule {
  std::string_view name; // "nv.hopper.bf16"
  int version;           // changes whenever a bit could
  AtomProvenance provenance;
  AtomArithmetic arithmetic;
  DType operand;     // how operands lie in memory
  DType accumulator; // f32 or f64
  int ignoredBits;   // low bits of an operand that the unit drops: 13 for tf32
  int products;      // L: products of one step
  int fractionBits;  // F: fraction bits kept of each aligned term
  int resultBits;    // fraction bits of the result
  int leastExponent; // floor on the exponent terms are aligned to, or kNoLeastExponent
  /// TwoStageSum: fraction bits of the product sum once aligned with the accumulator, and whether
  /// the total is cut to 31 fraction bits of its own exponent before it rounds.
  int sumBits;
  bool cutsTotal;
  bool startsFromZero;     // modelled for an accumulator of zero alone
  std::string_view reason; // of Unmodelled or startsFromZero, a clause: "no public bit model"
};

/// Every rule, unmodelled names included; the adopted version of a name comes first.
std::span<const AtomRule> atoms();
/// The rule of that name, or null. Version 0: the adopted one.
const AtomRule *findAtom(std::string_view name, int version = 0);

/// One step: c + Σ a[i] * b[i]. Elements and c are bits, zero-extended; fewer than `products`
/// elements stand for zeros after them. A NaN result is the unit's own, 0x7fffffff, under
/// TruncatedSum, and the language's canonical NaN under every other rule, whose units keep payloads
/// or do what nobody has published. Nothing, with a sentence in `reason`, where the rule is not
/// modelled, or a and b differ in length or have more elements than a step takes.
std::optional<std::uint64_t> step(const AtomRule &rule, std::span<const std::uint64_t> a,
                                  std::span<const std::uint64_t> b, std::uint64_t c,
                                  std::string *reason = nullptr);

/// Steps chained through the accumulator from `c`, in ascending k, over packed elements (as in
/// memory, little-endian); the last step may be short. Over nothing: c. Nothing as in `step`.
std::optional<std::uint64_t> chain(const AtomRule &rule, std::span<const std::byte> a,
                                   std::span<const std::byte> b, std::uint64_t c,
                                   std::string *reason = nullptr);

/// Rows of K operands: element k of row r is data[r * rowStride + k * kStride], in elements.
struct AtomOperands {
  const void *data;
  std::int64_t rowStride;
  std::int64_t kStride = 1;
};

/// c[i * columns + j] ← chain over k from c[i * columns + j], for row i of `rows` of a and row j of
/// `columns` of b; c is row-major, packed, of type rule.accumulator. At most `threads` threads (0:
/// as many as the machine has). False, with a sentence in `reason` and c unspecified, as in `step`.
bool matmul(const AtomRule &rule, std::int64_t rows, std::int64_t columns, std::int64_t depth,
            const AtomOperands &a, const AtomOperands &b, void *c, int threads = 0,
            std::string *reason = nullptr);

} // namespace ordo::dsl
