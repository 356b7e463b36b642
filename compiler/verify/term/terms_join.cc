// Laws of neighbours: parts of a value that are put together again.
#include "compiler/verify/term/terms.h"

#include <algorithm>
#include <array>

namespace ordo::verify {

/// A number in two parts, low + 2^w * high: S, where low is S and high is floor(S / 2^w), modulo
/// their widths. S is guessed, from the lower part or from a quotient in the upper, and checked.
std::optional<Term> Terms::joinedNumber(const Slice &low, const Slice &high) {
  const unsigned w = low.width, width = low.width + high.width;
  if (w >= 62 || width > 64 || !isForm(high.value))
    return std::nullopt;
  const auto number = [&](const Slice &s) { return modular(s.value, s.width); };
  const AffineId l = number(low), h = number(high);
  const std::int64_t unit = std::int64_t{1} << w;
  if (low.value.isConstant())
    return integer(
        affine_.combine(h, unit, affine_.constant(static_cast<std::int64_t>(low.value.bits)), 1),
        width);
  // The low bits of data are it, modulo their width.
  const Node lower = pool_.node(low.value.node());
  if (!isForm(low.value) && !(lower.kind == Kind::Extract && lower.payload == 0))
    return std::nullopt;
  const auto isIt = [&](AffineId s) {
    return reduced(s, w) == l && reduced(quotient(s, unit), high.width) == h;
  };
  if (isIt(l))
    return integer(l, width);
  const Affine upper = affine_.form(h);
  for (const auto &[atom, factor] : upper.terms) {
    if (factor != 1 || pool_.node(atom).kind != Kind::FloorDiv)
      continue;
    const auto by = static_cast<std::int64_t>(pool_.node(pool_.args(atom)[0]).payload);
    if (by <= 0 || by > unit || unit % by != 0)
      continue;
    const AffineId numerator =
        affine_.scale(static_cast<AffineId>(pool_.node(atom).payload), unit / by);
    AffineId s = affine_.add(affine_.scale(affine_.sub(h, affine_.atom(atom)), unit), numerator);
    const std::int64_t rest = affine_.form(l).constant - affine_.form(s).constant;
    s = affine_.plus(s, ((rest % unit) + unit) % unit);
    if (isIt(s))
      return integer(s, width);
  }
  return std::nullopt;
}

/// The lower bits of x beside a sum with its upper ones: what is added counts in the sum's units.
std::optional<Term> Terms::besideSum(const Slice &low, const Slice &high) {
  const unsigned width = low.width + high.width;
  if (width > 64 || !low.value.isNode() || pool_.node(low.value.node()).kind != Kind::Extract ||
      pool_.node(low.value.node()).payload != 0 || !isForm(high.value))
    return std::nullopt;
  const NodeId x = pool_.args(low.value.node())[0];
  if (pool_.node(x).sort.width < width)
    return std::nullopt;
  const Term upper = extract(Term::of(x), low.width, high.width, pool_.node(x).sort.width);
  const AffineId sum = modular(high.value, high.width);
  const auto &terms = affine_.form(sum).terms;
  if (!upper.isNode() ||
      std::ranges::find(terms, std::pair(upper.node(), std::int64_t{1})) == terms.end())
    return std::nullopt;
  const AffineId added = affine_.sub(sum, affine_.atom(upper.node()));
  return integer(
      combined(modular(Term::of(x), width), 1, added, std::int64_t{1} << low.width, width), width);
}

Term Terms::beside(const Term &low, unsigned lowWidth, const Term &high, unsigned highWidth) {
  const std::array<Term, 2> parts = {low, high};
  const std::array<unsigned, 2> widths = {lowWidth, highWidth};
  return concat(parts, widths);
}

/// Choices in choices whose ways are more than halves of numbers have.
bool Terms::hasManyChoices(const Term &a) const {
  constexpr int kMany = 64;
  std::vector<NodeId> todo;
  if (a.isNode())
    todo.push_back(a.node());
  for (int seen = 0; !todo.empty(); ++seen) {
    const NodeId id = todo.back();
    todo.pop_back();
    if (seen == kMany)
      return true;
    if (pool_.node(id).kind == Kind::Select)
      todo.insert(todo.end(), {pool_.args(id)[1], pool_.args(id)[2]});
  }
  return false;
}

/// Of a choice and its neighbour both arms, where both become one value. Choices in choices ask the
/// same again and again.
std::optional<Term> Terms::throughChoice(const Slice &low, const Slice &high) {
  const auto isChoice = [&](const Term &t) {
    return t.isNode() && pool_.node(t.node()).kind == Kind::Select;
  };
  if (!isChoice(high.value) && !isChoice(low.value))
    return std::nullopt;
  // Two floats side by side are no one value, and a choice of many is none of numbers.
  const auto isFloat = [&](const Term &t) {
    return t.isNode() && pool_.node(t.node()).sort.isFloat();
  };
  if ((isFloat(low.value) && isFloat(high.value)) || hasManyChoices(low.value) ||
      hasManyChoices(high.value))
    return std::nullopt;
  const std::array<std::uint64_t, 3> key = {low.value.bits, high.value.bits,
                                            std::uint64_t{low.width} << 16 |
                                                std::uint64_t{high.width} << 8 |
                                                static_cast<std::uint64_t>(low.value.state) << 4 |
                                                static_cast<std::uint64_t>(high.value.state)};
  if (const auto it = throughChoices_.find(key); it != throughChoices_.end())
    return it->second;
  const std::optional<Term> result = onArmsOfChoice(low, high);
  throughChoices_[key] = result;
  return result;
}

std::optional<Term> Terms::onArmsOfChoice(const Slice &low, const Slice &high) {
  const auto isChoice = [&](const Term &t) {
    return t.isNode() && pool_.node(t.node()).kind == Kind::Select;
  };
  const NodeId choice = (isChoice(high.value) ? high : low).value.node();
  const std::array<NodeId, 3> parts = {pool_.args(choice)[0], pool_.args(choice)[1],
                                       pool_.args(choice)[2]};
  const Term condition = Term::of(parts[0]);
  const auto arm = [&](std::size_t which) {
    const Term here = constantOrNode(parts[which]);
    return isChoice(high.value)
               ? beside(armOf(condition, low.value, which == 1), low.width, here, high.width)
               : beside(here, low.width, high.value, high.width);
  };
  const auto isWhole = [&](const Term &t) {
    return !t.isUndefined() && !(t.isNode() && pool_.node(t.node()).kind == Kind::Concat);
  };
  const bool isSame =
      isChoice(low.value) && isChoice(high.value) && pool_.args(low.value.node())[0] == parts[0];
  const Term yes = arm(1), no = arm(2);
  if (!isSame && !(isWhole(yes) && isWhole(no)))
    return std::nullopt;
  return select(condition, yes, no, low.width + high.width);
}

/// All bits of a float but its sign, and the opposite of its sign: -x.
std::optional<Term> Terms::withOppositeSign(const Slice &low, NodeId sign) {
  if (!low.value.isNode() || pool_.node(sign).kind != Kind::Extract ||
      pool_.node(low.value.node()).kind != Kind::Extract)
    return std::nullopt;
  const NodeId x = pool_.args(sign)[0];
  const Sort sort = pool_.node(x).sort;
  const bool isSign =
      pool_.node(sign).payload == sort.width - 1u && pool_.node(sign).sort.width == 1;
  if (!sort.isFloat() || !isSign || low.width != sort.width - 1u ||
      extract(Term::of(x), 0, low.width, sort.width) != low.value)
    return std::nullopt;
  return constantOrNode(fneg(x));
}

std::size_t Terms::BesideHash::operator()(const std::array<std::uint64_t, 3> &key) const {
  std::uint64_t hash = key[0] << 8 ^ key[2];
  hash = (hash * 0x9e3779b97f4a7c15u) ^ key[1];
  hash *= 0xff51afd7ed558ccdu;
  return hash ^ (hash >> 32);
}

/// A constant beside a choice is in both arms.
std::optional<Term> Terms::besideChoice(const Slice &low, const Slice &high) {
  const auto isChoice = [&](const Slice &s) {
    return s.value.isNode() && pool_.node(s.value.node()).kind == Kind::Select &&
           !pool_.node(s.value.node()).sort.isFloat();
  };
  const bool isLow = isChoice(low) && high.value.isConstant();
  if (!isLow && !(isChoice(high) && low.value.isConstant()))
    return std::nullopt;
  const NodeId choice = (isLow ? low : high).value.node();
  const Slice &constant = isLow ? high : low;
  const std::array<std::uint64_t, 3> key = {std::uint64_t{choice} << 1 | std::uint64_t{isLow},
                                            constant.value.bits, constant.width};
  if (const auto it = besideChoices_.find(key); it != besideChoices_.end())
    return it->second;
  const std::array<NodeId, 3> parts = {pool_.args(choice)[0], pool_.args(choice)[1],
                                       pool_.args(choice)[2]};
  const auto arm = [&](std::size_t which) {
    const Term value = constantOrNode(parts[which]);
    const unsigned width = (isLow ? low : high).width;
    std::vector<Slice> all = isLow ? slices(value, width) : std::vector<Slice>{low};
    for (const Slice &slice : isLow ? std::vector<Slice>{high} : slices(value, width))
      all.push_back(slice);
    return joined(all);
  };
  const Term result = select(Term::of(parts[0]), arm(1), arm(2), low.width + high.width);
  besideChoices_[key] = result;
  return result;
}

/// What two neighbours are together, if they are parts of one value.
std::optional<Term> Terms::neighbours(const Slice &low, const Slice &high) {
  if (low.value.isConstant() && high.value.isConstant() && low.width + high.width <= 64)
    return Term::constant(low.value.bits | high.value.bits << low.width);
  if (const auto chosen = besideChoice(low, high))
    return chosen;
  if (!high.value.isNode())
    return std::nullopt;
  if (const auto number = joinedNumber(low, high))
    return number;
  if (const auto sum = besideSum(low, high))
    return sum;
  const Node h = pool_.node(high.value.node());
  if (h.kind == Kind::Select && isForm(low.value))
    return joinedExtreme(low, high);
  if (const auto chosen = throughChoice(low, high))
    return chosen;
  if (h.kind == Kind::Not)
    return withOppositeSign(low, pool_.args(high.value.node())[0]);
  if (h.kind != Kind::Extract)
    return std::nullopt;
  const Term whole = Term::of(pool_.args(high.value.node())[0]);
  const unsigned ofWidth = pool_.node(whole.node()).sort.width;
  const auto bit = static_cast<unsigned>(h.payload);
  if (bit < low.width || extract(whole, bit - low.width, low.width, ofWidth) != low.value)
    return std::nullopt;
  return extract(whole, bit - low.width, low.width + high.width, ofWidth);
}

Term Terms::joined(const std::vector<Slice> &slices) {
  std::vector<Slice> parts;
  unsigned width = 0;
  for (const Slice &slice : slices) {
    if (slice.value.isUndefined())
      return {};
    width += slice.width;
    Slice next = slice;
    while (!parts.empty()) {
      const auto together = neighbours(parts.back(), next);
      if (!together)
        break;
      next = {*together, parts.back().width + next.width};
      parts.pop_back();
    }
    parts.push_back(next);
  }
  if (parts.size() == 1)
    return parts.front().value;
  // A number with a constant above it.
  if (parts.size() == 2 && parts[1].value.isConstant() && isForm(parts[0].value) && width <= 64)
    return add(zeroExtend(parts[0].value, parts[0].width, width),
               Term::constant(parts[1].value.bits << parts[0].width), width);
  std::vector<NodeId> args;
  for (const Slice &part : parts)
    args.push_back(asBits(part.width, part.value));
  return Term::of(pool_.make(Kind::Concat, Sort::bits(width), 0, args));
}

Term Terms::concat(std::span<const Term> lowestFirst, std::span<const unsigned> widths) {
  std::vector<Slice> parts;
  for (std::size_t k = 0; k < lowestFirst.size(); ++k)
    for (const Slice &slice : slices(lowestFirst[k], widths[k]))
      parts.push_back(slice);
  return joined(parts);
}

} // namespace ordo::verify
