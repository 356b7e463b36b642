#include "dsl/order/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace ordo::dsl {

namespace {

using Kind = Stage::Kind;

/// An index as coefficient * r + constant.
struct Affine {
  std::int64_t coefficient;
  std::int64_t constant;
};

/// Places are counted as if what a short first run lacks stood before the sequence.
Affine inputPlace(const Step &step, std::int64_t result, std::int64_t j) {
  const auto &[stage, first] = step;
  const std::int64_t missing = step.missing();
  if (result == 0)
    j += missing;
  if (stage.kind == Kind::Lanes)
    return {stage.w, j / stage.w * stage.n * stage.w + j % stage.w - missing};
  return {stage.n, j - missing};
}

std::string text(const Affine &place) {
  if (place.coefficient == 0)
    return fmt::format("{}", place.constant);
  std::string r = place.coefficient == 1 ? "r" : fmt::format("{}r", place.coefficient);
  return place.constant == 0 ? r : fmt::format("{}{:+}", r, place.constant);
}

/// How a run of a full stage reads.
std::string foldName(const Stage &stage) {
  switch (stage.kind) {
  case Kind::Pairs:
    return "pairs";
  case Kind::Halves:
    return "halves";
  case Kind::Mid:
    return "middle splits";
  case Kind::Fma:
    return "fused chain";
  case Kind::Mma:
    return "matrix-unit chain";
  default:
    return "left fold";
  }
}

using Lines = std::vector<std::string>;

Lines halvesLines(std::int64_t size) {
  std::string strides;
  Lines ragged;
  for (auto half = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(size)) / 2);
       half >= 1; half /= 2) {
    strides += fmt::format("{}{}", strides.empty() ? "strides " : ", ", half);
    if (size < 2 * half)
      ragged.push_back(fmt::format("stride {}: {} merge, {} pass", half, grouped(size - half),
                                   grouped(2 * half - size)));
    size = half;
  }
  ragged.insert(ragged.begin(), strides);
  return ragged;
}

Lines pairsLines(std::int64_t size) {
  std::string levels = grouped(size);
  std::string odd;
  for (; size > 1; size = (size + 1) / 2) {
    levels += fmt::format(" → {}", grouped((size + 1) / 2));
    if (size % 2 != 0)
      odd += fmt::format("{}{}", odd.empty() ? "the last passes at " : ", ", grouped(size));
  }
  Lines lines{"levels " + levels};
  if (!odd.empty())
    lines.push_back(odd);
  return lines;
}

Lines midLines(std::int64_t size, const Stage &stage) {
  if (size <= stage.leaf)
    return {fmt::format("one leaf of {}, a left fold", grouped(size))};
  Lines lines{fmt::format("splits {} = {} + {}, and so on", grouped(size), grouped(size / 2),
                          grouped(size - size / 2))};
  if (stage.leaf == 1)
    return lines;
  std::string leaves;
  for (const auto &[extent, count] : midLeaves(size, stage.leaf))
    leaves += fmt::format("{}{} × {}", leaves.empty() ? "leaves, each a left fold: " : ", ",
                          grouped(count), grouped(extent));
  if (stage.round)
    leaves += fmt::format(", rounded once to {}", name(*stage.round));
  lines.push_back(leaves);
  return lines;
}

} // namespace

std::vector<Group> groupsOf(const Tree &tree, std::size_t stage) {
  std::vector<Group> groups;
  std::map<ShapeId, std::size_t> known;
  std::int64_t place = 0;
  const auto take = [&](ShapeId shape, std::int64_t count, std::size_t group) {
    if (group == groups.size())
      groups.push_back({stage, shape, 0, {}});
    groups[group].count += count;
    groups[group].ranges.emplace_back(place, place + count - 1);
    place += count;
  };
  for (const auto &[shape, count] : tree.values(stage + 1)) {
    const std::int64_t own = place == 0 && tree.steps()[stage].missing() != 0 ? 1 : 0;
    if (own != 0)
      take(shape, own, groups.size());
    if (count > own)
      take(shape, count - own, known.try_emplace(shape, groups.size()).first->second);
  }
  return groups;
}

Labels::Labels(const Tree &tree, const DrawOptions &options) : tree_(tree), options_(options) {
  const Kind first = tree.steps().front().stage.kind;
  const bool products = first == Kind::Fma || first == Kind::Mma;
  letters_.push_back(products && options.element == "v" ? "p" : options.element);
  const std::string_view alphabet =
      "abcdefghijklmnopqstuwxyz"; // r counts results, v is the elements'
  std::size_t next = 0;
  for (std::size_t level = 1; level <= tree.steps().size(); ++level) {
    if (next < alphabet.size() && letters_.front() == std::string(1, alphabet[next]))
      ++next;
    letters_.push_back(next < alphabet.size() ? std::string(1, alphabet[next])
                                              : fmt::format("s{}", level));
    ++next;
  }
}

std::string Labels::value(std::size_t level, std::int64_t index) const {
  if (level + 1 == letters_.size())
    return letters_[level];
  return fmt::format("{}[{}]", letters_[level], index);
}

std::string Labels::result(const Group &group) const {
  return group.count == 1 ? value(group.stage + 1, group.ranges.front().first)
                          : letters_[group.stage + 1] + "[r]";
}

std::string Labels::inputIndex(const Group &group, std::int64_t j) const {
  const std::int64_t result = group.ranges.front().first;
  Affine place = inputPlace(tree_.steps()[group.stage], result, j);
  if (group.count == 1)
    place = {0, place.coefficient * result + place.constant};
  return text(place);
}

std::string Labels::where(const Group &group) const {
  if (group.count == 1)
    return "";
  std::string result;
  std::size_t shown = 0;
  for (const auto &[first, last] : group.ranges) {
    result += result.empty() ? "r = " : ", ";
    if (++shown > 3)
      return result + "…";
    result +=
        first == last ? grouped(first) : fmt::format("{} … {}", grouped(first), grouped(last));
  }
  return result;
}

std::int64_t Labels::startCount(const Group &group) const { return stageOf(group).start ? 1 : 0; }

std::int64_t Labels::inputs(const Group &group) const { return tree_.shape(group.shape).inputs; }

bool Labels::isLiteral(const Group &group, std::int64_t p) const {
  for (const auto &[id, count] : tree_.shape(group.shape).parts) {
    if (p < count)
      return tree_.shape(id).kind == Shape::Kind::Literal;
    p -= count;
  }
  return false;
}

std::string Labels::input(const Group &group, std::int64_t p) const {
  const Stage &stage = stageOf(group);
  if (isLiteral(group, p))
    return literalText(p < startCount(group) ? *stage.start : *stage.pad);
  return fmt::format("{}[{}]", letters_[group.stage], inputIndex(group, p - startCount(group)));
}

std::string Labels::kind(const Group &group) const {
  const Stage &stage = stageOf(group);
  const std::string fold = foldName(stage);
  const bool fused = stage.kind == Kind::Fma || stage.kind == Kind::Mma;
  const std::int64_t size = inputs(group);
  const std::int64_t own = size - startCount(group);
  std::string result;
  if (size == 1 && !fused)
    result = "passes";
  else if (stage.kind == Kind::Lanes)
    result = fmt::format("lane of {}", grouped(own));
  else if (stage.n != 0 && own < stage.n)
    result = fmt::format("short run of {}: {}", grouped(own), fold);
  else
    result = fmt::format("{} of {}", fold, grouped(own));
  if (stage.round)
    result +=
        fmt::format(", each {} rounded to {}", size == 1 ? "value" : "step", name(*stage.round));
  return result;
}

std::vector<std::string> Labels::treeDetails(const Group &group) const {
  const Stage &stage = stageOf(group);
  const std::int64_t size = inputs(group);
  if (size <= 2)
    return {};
  switch (stage.kind) {
  case Kind::Halves:
    return halvesLines(size);
  case Kind::Pairs:
    return pairsLines(size);
  case Kind::Mid:
    return midLines(size, stage);
  default:
    return {};
  }
}

std::string Labels::raggedInputs(const Group &group) const {
  const Shape &shape = tree_.shape(group.shape);
  std::vector<std::string> odd;
  std::optional<ShapeId> usual;
  std::int64_t most = 0;
  for (const auto &[id, count] : shape.parts)
    if (tree_.shape(id).kind != Shape::Kind::Literal && count > most)
      usual = id, most = count;
  std::int64_t place = 0;
  for (const auto &[id, count] : shape.parts) {
    if (tree_.shape(id).kind != Shape::Kind::Literal && id != *usual) {
      const std::string first = input(group, place);
      odd.push_back(count == 1 ? first
                               : fmt::format("{} … {}", first, input(group, place + count - 1)));
      const std::int64_t elements = tree_.shape(id).elements;
      odd.back() += fmt::format(" ({} element{})", grouped(elements), elements == 1 ? "" : "s");
    }
    place += count;
  }
  if (odd.empty())
    return "";
  const std::size_t shown = std::min<std::size_t>(odd.size(), 3);
  return fmt::format("{}{} against {} in the others",
                     fmt::join(odd.begin(), odd.begin() + shown, ", "),
                     shown < odd.size() ? ", …" : "", grouped(tree_.shape(*usual).elements));
}

std::string Labels::operationCount(std::int64_t count) const {
  const std::string_view ending = count == 1 ? "" : "s";
  return options_.operation == "+"
             ? fmt::format("{} add{}", grouped(count), ending)
             : fmt::format("{} application{} of {}", grouped(count), ending, options_.operation);
}

std::string Labels::apply(const std::string &left, const std::string &right) const {
  const std::string &operation = options_.operation;
  const bool word =
      !operation.empty() && ((operation[0] | 32) >= 'a' && (operation[0] | 32) <= 'z');
  return word ? fmt::format("{}({}, {})", operation, left, right)
              : fmt::format("({} {} {})", left, operation, right);
}

bool isShownWhole(const Tree &tree, const DrawOptions &options) {
  return tree.length() <= options.wholeLength && tree.stats().adds <= 8 * options.wholeLength;
}

SizeCounts midLeaves(std::int64_t size, std::int64_t leaf) {
  SizeCounts leaves;
  SizeCounts level{{size, 1}};
  while (!level.empty()) { // log2 levels of at most two sizes each
    SizeCounts next;
    for (const auto &[extent, count] : level) {
      if (extent <= leaf) {
        leaves[extent] += count;
        continue;
      }
      next[extent / 2] += count;
      next[extent - extent / 2] += count;
    }
    level = std::move(next);
  }
  return leaves;
}

double characters(std::string_view text) {
  return static_cast<double>(
      std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string grouped(std::int64_t value) {
  std::string digits = fmt::format("{}", value);
  const std::ptrdiff_t sign = value < 0 ? 1 : 0;
  if (value < 10000 && value > -10000)
    return digits;
  for (auto place = static_cast<std::ptrdiff_t>(digits.size()) - 3; place > sign; place -= 3)
    digits.insert(static_cast<std::size_t>(place), ",");
  return digits;
}

} // namespace ordo::dsl
