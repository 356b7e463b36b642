// Orders from text: spelling, normal forms, comparison, trees and drawings. Two orders that compare
// as equal must fold numbers alike.
#include "dsl/eval/numeric.h"
#include "dsl/order/compare.h"
#include "dsl/order/difference.h"
#include "dsl/order/digest.h"
#include "dsl/order/draw.h"
#include "dsl/order/fold.h"
#include "dsl/order/normal.h"
#include "dsl/order/order.h"
#include "dsl/order/tree.h"
#include "tests/fuzz/fuzz.h"

#include <bit>
#include <cmath>
#include <random>

namespace ordo::fuzz {

using namespace ordo::dsl;

namespace {

constexpr std::int64_t kWork = 1 << 16;   // of a comparison
constexpr std::int64_t kLongestFold = 33; // folded in numbers

/// A sum in f32.
struct SumOps {
  float add(float a, float b) { return a + b; }
  float round(float value, DType type) {
    const std::uint64_t there = castBits(DType::F32, type, std::bit_cast<std::uint32_t>(value));
    return std::bit_cast<float>(static_cast<std::uint32_t>(castBits(type, DType::F32, there)));
  }
  float literal(double value) { return static_cast<float>(value); }
};

bool foldsValues(const Order &order) {
  for (const Stage &stage : order.stages)
    if (stage.kind == Stage::Kind::Fma || stage.kind == Stage::Kind::Mma)
      return false;
  return true;
}

/// Padding makes values: as many as the run is long.
bool isCheap(const Order &order) {
  for (const Stage &stage : order.stages)
    if (stage.pad && (stage.n > 4096 || stage.w > 64))
      return false;
  return true;
}

bool canFold(const Order &order) { return foldsValues(order) && isCheap(order); }

/// f32 holds every value that it rounds to, as compare() asks.
bool fitsF32(const Order &order) {
  for (const Stage &stage : order.stages)
    if (stage.round && !isWithin(*stage.round, DType::F32))
      return false;
  return true;
}

std::vector<float> numbers(std::int64_t length) {
  std::mt19937 random(static_cast<unsigned>(length));
  std::vector<float> values;
  for (std::int64_t i = 0; i < length; ++i)
    values.push_back(std::ldexp(static_cast<float>(random() % 2001) - 1000.0f,
                                static_cast<int>(random() % 40) - 30));
  return values;
}

std::uint32_t bitsOf(float value) {
  return std::isnan(value) ? 0x7fc00000u : std::bit_cast<std::uint32_t>(value);
}

void requireAlike(const Order &a, const Order &b, std::int64_t shortest, std::int64_t longest) {
  if (!canFold(a) || !canFold(b) || !fitsF32(a) || !fitsF32(b))
    return;
  for (std::int64_t length = shortest; length <= std::min(longest, kLongestFold); ++length) {
    const auto values = numbers(length);
    const auto left = fold(a, values, SumOps{}), right = fold(b, values, SumOps{});
    require(left && right && bitsOf(*left) == bitsOf(*right),
            "`{}` and `{}` are equal, and differ over {} numbers", toString(a), toString(b),
            length);
  }
}

void drawAll(const Order &order) {
  for (const std::int64_t length :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{7}, std::int64_t{1000}, Tree::kMaxLength}) {
    std::string error;
    const auto tree = Tree::make(order, length, &error);
    require(tree.has_value() || !error.empty(), "no tree of `{}` over {}, and nothing says why",
            toString(order), length);
    if (length > 1000)
      continue;
    require(!drawText(order, length).empty() && !drawSvg(order, length).empty(),
            "nothing is drawn of `{}` over {}", toString(order), length);
  }
}

std::optional<Order> read(std::string_view text) {
  std::string error;
  const auto order = parseOrder(std::string(text), &error);
  require(order.has_value() || !error.empty(), "refused, and nothing says why");
  if (!order)
    return std::nullopt;
  const std::string spelt = toString(*order);
  const auto again = parseOrder(spelt, &error);
  require(again && *again == *order, "`{}` reads back as something else: {}", spelt, error);
  require(digest(*order).size() == 64, "a digest of another length");
  if (malformed(*order)) {
    require(!drawText(*order, 4).empty(), "nothing says what is wrong with `{}`", spelt);
    return std::nullopt;
  }
  return order;
}

void checkNormalForm(const Order &order, const Facts &facts) {
  const Order normal = normalForm(order, kAnyLength, facts);
  require(!malformed(normal), "the normal form of `{}` is malformed: `{}`", toString(order),
          toString(normal));
  require(normalForm(normal, kAnyLength, facts) == normal, "the normal form of `{}` is not normal",
          toString(order));
  requireAlike(order, normal, 1, kLongestFold);
}

} // namespace

// Two lines, an order each; one is compared with itself.
void runOrders(std::string_view input) {
  const std::size_t end = std::min(input.find('\n'), input.size());
  const auto a = read(input.substr(0, end));
  if (!a)
    return;
  for (const Facts &facts : {Facts{}, kSumFacts})
    checkNormalForm(*a, facts);
  drawAll(*a);
  const auto b = end == input.size() ? a : read(input.substr(end + 1));
  if (!b || !isCheap(*a) || !isCheap(*b)) // a million pads take a second with sanitizers
    return;
  for (const Facts &facts : {Facts{}, kSumFacts})
    for (const Lengths lengths : {Lengths{}, Lengths{1, 40}, Lengths{5, 5}}) {
      const Difference difference = firstDifference(*a, *b, lengths, facts, kWork);
      const Comparison &found = difference.comparison;
      require(!drawDifference(*a, *b, difference).empty(), "nothing is drawn");
      require(*a != *b || found.verdict != Verdict::Different, "`{}` differs from itself",
              toString(*a));
      if (found.verdict == Verdict::Equal)
        requireAlike(*a, *b, lengths.shortest, lengths.longest);
      else if (found.compared >= lengths.shortest)
        requireAlike(*a, *b, lengths.shortest, found.compared);
      const Verdict back = compare(*b, *a, lengths, facts, kWork).verdict;
      require(back == found.verdict || back == Verdict::Unknown ||
                  found.verdict == Verdict::Unknown,
              "`{}` and `{}`: {} one way, {} the other", toString(*a), toString(*b),
              name(found.verdict), name(back));
    }
}

} // namespace ordo::fuzz
