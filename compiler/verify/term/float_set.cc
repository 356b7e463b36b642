#include "compiler/verify/term/float_set.h"

#include <algorithm>

namespace ordo::verify {
namespace {

using Range = FloatSet::Range;

struct Layout {
  std::uint64_t sign, infinity;

  explicit Layout(dsl::DType format) {
    const dsl::FloatFormat f = dsl::floatFormat(format);
    sign = std::uint64_t{1} << (dsl::bitWidth(format) - 1);
    infinity = ((std::uint64_t{1} << f.exponentBits) - 1) << f.mantissaBits;
  }
  std::vector<Range> numbers() const { return {{0, infinity}, {sign, sign | infinity}}; }
  std::vector<Range> nans() const {
    return {{infinity + 1, sign - 1}, {(sign | infinity) + 1, sign | (sign - 1)}};
  }
};

/// Sorted, without gaps of nothing between them.
std::vector<Range> joined(std::vector<Range> ranges) {
  std::ranges::sort(ranges);
  std::vector<Range> all;
  for (const Range &range : ranges)
    if (!all.empty() && (range.first <= all.back().second || range.first == all.back().second + 1))
      all.back().second = std::max(all.back().second, range.second);
    else
      all.push_back(range);
  return all;
}

std::vector<Range> both(const std::vector<Range> &a, const std::vector<Range> &b) {
  std::vector<Range> all;
  for (const Range &x : a)
    for (const Range &y : b)
      if (const Range z = {std::max(x.first, y.first), std::min(x.second, y.second)};
          z.first <= z.second)
        all.push_back(z);
  std::ranges::sort(all);
  return all;
}

/// What of `all` lies outside, both sorted.
std::vector<Range> without(const std::vector<Range> &all, const std::vector<Range> &taken) {
  std::vector<Range> rest;
  for (auto [from, to] : all) {
    bool isOpen = true;
    for (const auto &[low, high] : taken) {
      if (high < from || low > to)
        continue;
      if (low > from)
        rest.emplace_back(from, low - 1);
      isOpen = high < to;
      if (!isOpen)
        break;
      from = high + 1;
    }
    if (isOpen)
      rest.emplace_back(from, to);
  }
  return rest;
}

} // namespace

FloatSet FloatSet::ofBits(dsl::DType format, std::vector<Range> ranges) {
  const Layout layout(format);
  ranges = joined(std::move(ranges));
  const std::vector<Range> nans = both(ranges, layout.nans());
  const Nan nan = nans.empty() ? Nan::Out : nans == layout.nans() ? Nan::In : Nan::Some;
  return {format, both(ranges, layout.numbers()), nan};
}

FloatSet FloatSet::below(dsl::DType format, std::uint64_t bits, bool orEqual) {
  const Layout layout(format);
  const std::uint64_t magnitude = bits & ~layout.sign;
  const Range negative = {layout.sign | magnitude, layout.sign | layout.infinity};
  if (magnitude == 0 && orEqual)
    return {format, {{0, 0}, negative}, Nan::Out};
  if (magnitude == 0)
    return {format, {{negative.first + 1, negative.second}}, Nan::Out};
  if ((bits & layout.sign) == 0)
    return {format,
            {{0, orEqual ? magnitude : magnitude - 1}, {layout.sign, negative.second}},
            Nan::Out};
  if (!orEqual && magnitude == layout.infinity)
    return {format, {}, Nan::Out};
  return {format, {{orEqual ? negative.first : negative.first + 1, negative.second}}, Nan::Out};
}

FloatSet FloatSet::above(dsl::DType format, std::uint64_t bits, bool orEqual) {
  return below(format, bits, !orEqual).complement().withoutNan();
}

FloatSet FloatSet::beyond(dsl::DType format, std::uint64_t bits, bool isAbove, bool orEqual) {
  const Layout layout(format);
  const bool isNegative = (bits & layout.sign) != 0;
  if (isAbove == isNegative) // all of the other sign, and those nearer to 0
    return beyond(format, bits, !isAbove, !orEqual).complement().withoutNan();
  const std::uint64_t first = orEqual ? bits : bits + 1,
                      last = layout.infinity | (bits & layout.sign);
  return {format, first <= last ? std::vector<Range>{{first, last}} : std::vector<Range>{},
          Nan::Out};
}

FloatSet FloatSet::ofClasses(dsl::DType format, std::uint64_t classes) {
  const Layout layout(format);
  const std::uint64_t normal = std::uint64_t{1} << dsl::floatFormat(format).mantissaBits,
                      quiet = layout.infinity | normal / 2;
  std::vector<Range> ranges;
  const auto add = [&](unsigned bit, std::uint64_t low, std::uint64_t high) {
    if ((classes >> bit & 1) != 0)
      ranges.emplace_back(low, high);
  };
  for (const std::uint64_t sign : {std::uint64_t{0}, layout.sign}) {
    const auto bit = [&](unsigned ofPositive) { return sign == 0 ? ofPositive : 11 - ofPositive; };
    add(0, sign | (layout.infinity + 1), sign | (quiet - 1));
    add(1, sign | quiet, sign | (layout.sign - 1));
    add(bit(9), sign | layout.infinity, sign | layout.infinity);
    add(bit(8), sign | normal, sign | (layout.infinity - 1));
    add(bit(7), sign | 1, sign | (normal - 1));
    add(bit(6), sign, sign);
  }
  return ofBits(format, std::move(ranges));
}

FloatSet FloatSet::beforeNegation() const {
  const Layout layout(format_);
  std::vector<Range> flipped;
  for (const auto &[low, high] : numbers_)
    flipped.emplace_back(low ^ layout.sign, high ^ layout.sign);
  std::ranges::sort(flipped);
  return {format_, std::move(flipped), nan_};
}

FloatSet FloatSet::beforeMagnitude() const {
  const Layout layout(format_);
  std::vector<Range> all;
  for (const std::uint64_t sign : {std::uint64_t{0}, layout.sign})
    for (const auto &[low, high] : numbers_)
      if ((low & layout.sign) == 0)
        all.emplace_back(low | sign, high | sign);
  return {format_, std::move(all), nan_};
}

bool FloatSet::contains(std::uint64_t bits) const {
  if (dsl::isNanBits(format_, bits))
    return nan_ == Nan::In;
  return std::ranges::any_of(numbers_,
                             [&](const Range &r) { return r.first <= bits && bits <= r.second; });
}

FloatSet FloatSet::complement() const {
  const Nan nan = nan_ == Nan::Out ? Nan::In : nan_ == Nan::In ? Nan::Out : Nan::Some;
  return {format_, without(Layout(format_).numbers(), numbers_), nan};
}

FloatSet FloatSet::and_(const FloatSet &other) const {
  const Nan nan = nan_ == Nan::Out || other.nan_ == Nan::Out ? Nan::Out
                  : nan_ == Nan::In && other.nan_ == Nan::In ? Nan::In
                                                             : Nan::Some;
  return {format_, both(numbers_, other.numbers_), nan};
}

} // namespace ordo::verify
