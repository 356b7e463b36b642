// Every operation with two operands, and fma, on f16 or bf16, over all pairs of two lists of
// operands, against the integer oracle.
#pragma once

#include "dsl/eval/numeric.h"
#include "tests/unit/dsl/eval/half_oracle.h"

#include <atomic>
#include <cstdint>
#include <fmt/format.h>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace ordo::dsl::half_pairs {

/// What is tried: an operation, or all six comparisons at once.
struct Subject {
  std::string_view name;
  std::vector<Op> ops;
};

inline std::vector<Subject> subjects() {
  return {{"add", {Op::Add}},
          {"sub", {Op::Sub}},
          {"mul", {Op::Mul}},
          {"div", {Op::Div}},
          {"min", {Op::Min}},
          {"max", {Op::Max}},
          {"min_nan", {Op::MinNan}},
          {"max_nan", {Op::MaxNan}},
          {"comparisons", {Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge}},
          {"fma", {Op::Fma}}};
}

struct Result {
  std::uint64_t tried = 0;
  std::uint64_t different = 0;
  std::uint64_t checksum = 0; // of all operands and results, in any order
  std::string first;          // of the differences
};

/// The addend that goes with a pair: any, or one about as large as the last bits of the product,
/// where a second rounding would show.
inline std::uint32_t addendOf(const oracle::Half &h, std::uint32_t a, std::uint32_t b) {
  std::uint32_t hash = (a << 16 | b) * 0x9e3779b1u;
  hash = (hash ^ hash >> 15) * 0x85ebca77u;
  hash ^= hash >> 13;
  if (hash % 4 == 0)
    return hash >> 8 & 0xffffu;
  const auto field = [&](std::uint32_t u) { return static_cast<int>((u & 0x7fffu) >> h.fraction); };
  const int below = static_cast<int>(hash >> 4 & 31u) - 4; // from larger to far smaller
  int exponent = field(a) + field(b) - h.bias - below;
  const int most = static_cast<int>(h.infinity()) >> h.fraction;
  exponent = exponent < 0 ? 0 : exponent > most ? most : exponent;
  // Often a power of two or its neighbour: the product is then a midpoint or beside one.
  std::uint32_t fraction = hash >> 9 & ((1u << h.fraction) - 1);
  if (hash >> 28 < 6)
    fraction = hash >> 28 < 4 ? 0 : (1u << h.fraction) - 1;
  return (hash >> 31 << 15) | static_cast<std::uint32_t>(exponent) << h.fraction | fraction;
}

/// All of `others` as right operand of one left operand.
class Row {
public:
  Row(DType type, DType kernels, const Subject &subject, const std::vector<std::uint16_t> &others)
      : type_(type), kernels_(kernels), half_(oracle::halfOf(type)), subject_(subject),
        others_(others), left_(others.size()), addends_(others.size()), results_(others.size()),
        flags_(others.size()), decoded_(oracle::allDecoded(half_)) {}

  void run(std::uint16_t a, Result &result) {
    std::fill(left_.begin(), left_.end(), a);
    const bool compares = subject_.ops.size() > 1;
    const bool fused = subject_.ops.front() == Op::Fma;
    if (fused)
      for (std::size_t i = 0; i < others_.size(); ++i)
        addends_[i] = static_cast<std::uint16_t>(addendOf(half_, a, others_[i]));
    const void *args[] = {left_.data(), others_.data(), addends_.data()};
    if (compares)
      return compare(a, args, result);
    kernelFor(subject_.ops.front(), kernels_, kernels_)(results_.data(), args, results_.size());
    switch (subject_.ops.front()) {
    case Op::Add:
      return check(a, result, [&](auto x, auto y, std::size_t) {
        return oracle::add(half_, decoded_[x], decoded_[y]);
      });
    case Op::Sub:
      return check(a, result, [&](auto x, auto y, std::size_t) {
        return oracle::add(half_, decoded_[x], decoded_[y ^ 0x8000u]);
      });
    case Op::Mul:
      return check(a, result, [&](auto x, auto y, std::size_t) {
        return oracle::mul(half_, decoded_[x], decoded_[y]);
      });
    case Op::Div:
      return check(a, result, [&](auto x, auto y, std::size_t) {
        return oracle::div(half_, decoded_[x], decoded_[y]);
      });
    case Op::Fma:
      return check(a, result, [&](auto x, auto y, std::size_t i) {
        return oracle::fma(half_, decoded_[x], decoded_[y], decoded_[addends_[i]]);
      });
    default:
      return check(a, result, [&](auto x, auto y, std::size_t) {
        return oracle::extreme(half_, subject_.ops.front(), x, y);
      });
    }
  }

private:
  template <class Expected> void check(std::uint32_t a, Result &result, Expected expected) {
    for (std::size_t i = 0; i < others_.size(); ++i) {
      const std::uint32_t b = others_[i];
      std::uint32_t got = results_[i];
      got = (got & 0x7fffu) > half_.infinity() ? half_.nan : got; // any NaN may stand in a kernel
      note(a, b, i, got, expected(a, b, i), result);
    }
  }

  void compare(std::uint32_t a, const void *const *args, Result &result) {
    std::fill(results_.begin(), results_.end(), std::uint16_t{0});
    for (std::size_t k = 0; k < subject_.ops.size(); ++k) {
      kernelFor(subject_.ops[k], DType::Bool, kernels_)(flags_.data(), args, flags_.size());
      for (std::size_t i = 0; i < flags_.size(); ++i)
        results_[i] |= static_cast<std::uint16_t>(flags_[i] << k);
    }
    for (std::size_t i = 0; i < others_.size(); ++i)
      note(a, others_[i], i, results_[i], oracle::relations(half_, a, others_[i]), result);
  }

  void note(std::uint32_t a, std::uint32_t b, std::size_t i, std::uint32_t got,
            std::uint32_t wanted, Result &result) {
    ++result.tried;
    const std::uint64_t all = (std::uint64_t{a} << 32 | std::uint64_t{b} << 16 | got) + 1;
    result.checksum += all * 0x9e3779b97f4a7c15u ^ all >> 7;
    if (got == wanted)
      return;
    if (result.different++ == 0)
      result.first = fmt::format("{} {} of {:04x}, {:04x} (addend {:04x}): {:04x}, wanted {:04x}",
                                 name(type_), subject_.name, a, b, addends_[i], got, wanted);
  }

  DType type_;
  DType kernels_;
  oracle::Half half_;
  const Subject &subject_;
  const std::vector<std::uint16_t> &others_;
  std::vector<std::uint16_t> left_, addends_, results_;
  std::vector<std::uint8_t> flags_;
  std::vector<oracle::Decoded> decoded_;
};

/// All pairs of `lefts` and `rights`, over `threads` threads, by the kernels of the type `kernels`:
/// the same type, except to see that a difference is seen.
inline Result run(DType type, const Subject &subject, const std::vector<std::uint16_t> &lefts,
                  const std::vector<std::uint16_t> &rights, unsigned threads,
                  std::optional<DType> kernels = std::nullopt) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  Result total;
  const auto work = [&] {
    const FloatEnvironment environment;
    Row row(type, kernels.value_or(type), subject, rights);
    Result own;
    for (std::size_t i; (i = next.fetch_add(1)) < lefts.size();)
      row.run(lefts[i], own);
    const std::lock_guard lock(mutex);
    total.tried += own.tried;
    total.different += own.different;
    total.checksum += own.checksum;
    if (total.first.empty())
      total.first = own.first;
  };
  std::vector<std::thread> workers;
  for (unsigned i = 1; i < threads; ++i)
    workers.emplace_back(work);
  work();
  for (std::thread &worker : workers)
    worker.join();
  return total;
}

/// Of every exponent and both signs: zero, the powers of two and their neighbours, and what is as
/// far from the last fraction; so all zeros, infinities, some NaNs and the edges of the subnormals.
inline std::vector<std::uint16_t> chosen(DType type) {
  const oracle::Half h = oracle::halfOf(type);
  const std::uint32_t size = 1u << h.fraction;
  std::set<std::uint32_t> fractions = {0, size / 3};
  for (std::uint32_t power = 1; power < size; power *= type == DType::F16 ? 2 : 64)
    for (const std::uint32_t f : {power - 1, power, power + 1})
      fractions.insert({f % size, size - 1 - f % size});
  std::vector<std::uint16_t> values;
  for (std::uint32_t e = 0; e < 0x8000u; e += size)
    for (const std::uint32_t fraction : fractions)
      for (const std::uint32_t sign : {0u, 0x8000u})
        values.push_back(static_cast<std::uint16_t>(sign | e | fraction));
  return values;
}

} // namespace ordo::dsl::half_pairs
