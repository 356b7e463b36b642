// Laws of bits: a value as slices, lowest first, so that what is cut apart and put together again
// is itself.
#include "compiler/verify/machine/fault.h"
#include "compiler/verify/term/terms.h"

#include <algorithm>
#include <array>
#include <bit>

namespace ordo::verify {
namespace {

std::uint64_t mask(unsigned width) {
  return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

} // namespace

Term Terms::opaque(Kind kind, unsigned width, std::initializer_list<NodeId> args,
                   std::uint64_t payload) {
  return Term::of(pool_.make(kind, Sort::bits(width), payload, args));
}

/// A law that makes one of two places may not rest on the bits of a float: those of a NaN need not
/// be the same twice.
void Terms::requireSameTwice(NodeId id) const {
  if (pool_.node(id).sort.isFloat())
    throw DomainError("the bits of a float cancel: those of a NaN need not be the same twice");
}

/// Linear forms are numbers first: their low bits are forms again.
bool Terms::isForm(const Term &a) const {
  if (!a.isNode())
    return false;
  const Node &n = pool_.node(a.node());
  return n.kind == Kind::Integer || (n.kind == Kind::Mul && n.payload == kExactProduct) ||
         isIndexLike(a.node());
}

std::vector<Terms::Slice> Terms::slices(const Term &a, unsigned width) {
  if (!a.isNode() || pool_.node(a.node()).kind != Kind::Concat)
    return {{a, width}};
  std::vector<Slice> parts;
  for (const NodeId part : pool_.args(a.node()))
    parts.push_back({constantOrNode(part), pool_.node(part).sort.width});
  return parts;
}

Term Terms::extract(const Term &a, unsigned bit, unsigned width, unsigned ofWidth) {
  if (width == ofWidth || a.isUndefined())
    return a;
  if (a.isConstant())
    return Term::constant(a.bits >> bit & mask(width));
  const NodeId id = a.node();
  const Node n = pool_.node(id);
  if (n.kind == Kind::Extract)
    return extract(Term::of(pool_.args(id)[0]), bit + static_cast<unsigned>(n.payload), width,
                   pool_.node(pool_.args(id)[0]).sort.width);
  if (n.kind == Kind::Select) {
    const std::uint64_t key = std::uint64_t{id} << 16 | bit << 8 | width;
    if (const auto it = parts_.find(key); it != parts_.end())
      return it->second;
    const std::vector<NodeId> args(pool_.args(id).begin(), pool_.args(id).end());
    const Term result =
        select(Term::of(args[0]), extract(constantOrNode(args[1]), bit, width, ofWidth),
               extract(constantOrNode(args[2]), bit, width, ofWidth), width);
    parts_[key] = result;
    return result;
  }
  if (n.kind == Kind::BitAnd || n.kind == Kind::BitOr || n.kind == Kind::BitXor) {
    const std::vector<NodeId> args(pool_.args(id).begin(), pool_.args(id).end());
    Term all = extract(constantOrNode(args[0]), bit, width, ofWidth);
    for (std::size_t k = 1; k < args.size(); ++k)
      all = bitwiseOf(n.kind, all, extract(constantOrNode(args[k]), bit, width, ofWidth), width);
    return all;
  }
  if (n.kind == Kind::SignExtend) {
    const NodeId inner = pool_.args(id)[0];
    if (bit + width <= pool_.node(inner).sort.width)
      return extract(constantOrNode(inner), bit, width, pool_.node(inner).sort.width);
  }
  if (n.kind == Kind::Concat)
    return extractSlices(a, bit, width, ofWidth);
  if (isForm(a)) {
    // Of S modulo 2^ofWidth the bits from `bit` on are floor(S / 2^bit).
    AffineId form = modular(a, ofWidth);
    if (bit > 0 && bit + width < ofWidth)
      form = withNarrowData(form, bit + width, ofWidth);
    for (unsigned left = bit; left > 0; left -= std::min(left, 62u)) // 2^63 is no divisor
      form = quotient(form, std::int64_t{1} << std::min(left, 62u));
    return integer(form, width);
  }
  return opaque(Kind::Extract, width, {id}, bit);
}

/// The same modulo 2^bits, from one modulo 2^width: of data the low bits that count. Indices keep
/// their bounds.
AffineId Terms::withNarrowData(AffineId form, unsigned bits, unsigned width) {
  const Affine before = affine_.form(form); // what is made below moves forms
  Affine kept;
  kept.constant = before.constant;
  std::vector<std::pair<AffineId, std::int64_t>> narrow;
  for (const auto &[atom, factor] : before.terms) {
    const auto zeros = static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(factor)));
    const unsigned wide = pool_.node(atom).sort.width;
    if (isIndexLike(atom) || zeros >= bits || wide <= bits - zeros) {
      kept.terms.emplace_back(atom, factor);
      continue;
    }
    const Term low = extract(Term::of(atom), 0, bits - zeros, wide);
    const bool isPart = low.isNode() && pool_.node(low.node()).kind == Kind::Extract;
    if (isPart)
      registerAtom(low.node());
    // modular() would take the wide atom again.
    narrow.emplace_back(isPart ? affine_.atom(low.node()) : modular(low, bits - zeros), factor);
  }
  form = affine_.intern(std::move(kept));
  for (const auto &[part, factor] : narrow)
    form = combined(form, 1, part, factor, width);
  return form;
}

Term Terms::extractSlices(const Term &a, unsigned bit, unsigned width, unsigned ofWidth) {
  std::vector<Slice> parts;
  unsigned at = 0;
  for (const Slice &slice : slices(a, ofWidth)) {
    const unsigned from = std::max(at, bit), to = std::min(at + slice.width, bit + width);
    if (from < to)
      parts.push_back({extract(slice.value, from - at, to - from, slice.width), to - from});
    at += slice.width;
  }
  return joined(parts);
}

Term Terms::shiftLeft(const Term &a, unsigned by, unsigned width) {
  if (by == 0 || a.isUndefined())
    return a;
  if (by >= width)
    return Term::constant(0);
  if (a.isConstant())
    return Term::constant(a.bits << by & mask(width));
  if (isForm(a))
    return multiply(a, Term::constant(std::uint64_t{1} << by), width);
  return joinedWith({{Term::constant(0), by}}, extract(a, 0, width - by, width), width - by);
}

Term Terms::joinedWith(std::vector<Slice> low, const Term &high, unsigned highWidth) {
  for (const Slice &slice : slices(high, highWidth))
    low.push_back(slice);
  return joined(low);
}

Term Terms::shiftRight(const Term &a, unsigned by, unsigned width) {
  if (by == 0 || a.isUndefined())
    return a;
  if (by >= width)
    return Term::constant(0);
  if (a.isConstant())
    return Term::constant(a.bits >> by);
  if (isForm(a))
    return zeroExtend(extract(a, by, width - by, width), width - by, width);
  std::vector<Slice> parts = slices(extract(a, by, width - by, width), width - by);
  parts.push_back({Term::constant(0), by});
  return joined(parts);
}

Term Terms::shiftRightSigned(const Term &a, unsigned by, unsigned width) {
  if (by == 0 || a.isUndefined())
    return a;
  by = std::min(by, width - 1);
  if (a.isConstant()) {
    const auto value = static_cast<std::int64_t>(a.bits << (64 - width)) >> (64 - width);
    return Term::constant(static_cast<std::uint64_t>(value >> by) & mask(width));
  }
  if (isForm(a) && facts_.within(exact(a, width), 0, Wide{1} << (width - 1)))
    return shiftRight(a, by, width);
  return signExtend(extract(a, by, width - by, width), width - by, width);
}

/// Both cut at the same places.
std::vector<std::pair<Terms::Slice, Terms::Slice>> Terms::aligned(const Term &a, const Term &b,
                                                                  unsigned width) {
  std::vector<std::pair<Slice, Slice>> pairs;
  std::vector<Slice> x = slices(a, width), y = slices(b, width);
  std::reverse(x.begin(), x.end());
  std::reverse(y.begin(), y.end());
  const auto cut = [&](std::vector<Slice> &from, unsigned to) {
    const Slice whole = from.back();
    from.pop_back();
    if (whole.width > to)
      from.push_back({extract(whole.value, to, whole.width - to, whole.width), whole.width - to});
    return Slice{extract(whole.value, 0, to, whole.width), to};
  };
  while (!x.empty()) {
    const unsigned to = std::min(x.back().width, y.back().width);
    const Slice low = cut(x, to);
    pairs.push_back({low, cut(y, to)});
  }
  return pairs;
}

/// A constant, cut where its bits change.
std::vector<Terms::Slice> Terms::runs(std::uint64_t bits, unsigned width) {
  std::vector<Slice> parts;
  for (unsigned at = 0; at < width;) {
    const unsigned same =
        static_cast<unsigned>(std::countr_one((bits >> at & 1) != 0 ? bits >> at : ~(bits >> at)));
    const unsigned length = std::min(same, width - at);
    parts.push_back({Term::constant((bits >> at & 1) != 0 ? mask(length) : 0), length});
    at += length;
  }
  return parts;
}

/// `ofConstant(x, isOnes)`: a slice with all zeros or all ones; nothing where it stays an
/// operation.
Term Terms::bitwise(Kind kind, const Term &a, const Term &b, unsigned width) {
  if (b.isConstant() && !a.isConstant()) {
    std::vector<Slice> parts;
    unsigned at = 0;
    for (const Slice &run : runs(b.bits, width)) {
      const Term part = extract(a, at, run.width, width);
      at += run.width;
      for (const Slice &slice :
           slices(withRun(kind, part, run.value.bits != 0, run.width), run.width))
        parts.push_back(slice);
    }
    return joined(parts);
  }
  const auto pairs = aligned(a, b, width);
  if (pairs.size() == 1) {
    const NodeId x = asBits(width, a), y = asBits(width, b);
    return flattened(kind, x, y, width);
  }
  std::vector<Slice> parts;
  for (const auto &[x, y] : pairs)
    for (const Slice &slice : slices(bitwiseOf(kind, x.value, y.value, x.width), x.width))
      parts.push_back(slice);
  return joined(parts);
}

/// Of a number x and -1 - x, which has its bits inverted, the one with a positive first
/// coefficient; of all ones the zero.
std::pair<NodeId, bool> Terms::withoutInversion(NodeId a, unsigned width) {
  const Node n = pool_.node(a);
  if (n.kind == Kind::Constant && n.payload == mask(width))
    return {pool_.make(Kind::Constant, n.sort, 0), true};
  if (n.kind != Kind::Integer)
    return {a, false};
  const auto form = static_cast<AffineId>(n.payload);
  if (affine_.form(form).terms.front().second > 0)
    return {a, false};
  return {asBits(width, integer(affine_.plus(affine_.scale(form, -1), -1), width)), true};
}

/// &, | and ^ commute and associate: one node of all operands. Equal ones are one (&, |), or
/// cancel.
Term Terms::flattened(Kind kind, NodeId a, NodeId b, unsigned width) {
  std::vector<NodeId> operands;
  for (const NodeId side : {a, b})
    if (pool_.node(side).kind == kind && pool_.node(side).sort == Sort::bits(width))
      operands.insert(operands.end(), pool_.args(side).begin(), pool_.args(side).end());
    else
      operands.push_back(side);
  if (kind == Kind::BitXor) { // ~a ^ b is ~(a ^ b)
    std::uint64_t constant = 0;
    for (NodeId &operand : operands) {
      const auto [plain, inverted] = withoutInversion(operand, width);
      operand = plain;
      constant ^= inverted ? mask(width) : 0;
    }
    std::erase_if(operands, [&](NodeId operand) {
      const Node n = pool_.node(operand);
      constant ^= n.kind == Kind::Constant ? n.payload : 0;
      return n.kind == Kind::Constant;
    });
    if (constant != 0)
      operands.push_back(pool_.make(Kind::Constant, Sort::bits(width), constant));
  }
  std::ranges::sort(operands);
  for (std::size_t k = 0; k + 1 < operands.size();) {
    if (operands[k] != operands[k + 1]) {
      ++k;
      continue;
    }
    requireSameTwice(operands[k]);
    const auto first = operands.begin() + static_cast<std::ptrdiff_t>(k);
    operands.erase(first, first + (kind == Kind::BitXor ? 2 : 1));
  }
  if (operands.empty())
    return Term::constant(0);
  if (operands.size() == 1)
    return constantOrNode(operands.front());
  return Term::of(pool_.make(kind, Sort::bits(width), 0, operands));
}

Term Terms::bitwiseOf(Kind kind, const Term &a, const Term &b, unsigned width) {
  return kind == Kind::BitAnd  ? bitAnd(a, b, width)
         : kind == Kind::BitOr ? bitOr(a, b, width)
                               : bitXor(a, b, width);
}

/// A slice against all zeros or all ones.
Term Terms::withRun(Kind kind, const Term &a, bool isOnes, unsigned width) {
  if (kind == Kind::BitAnd)
    return isOnes ? a : Term::constant(0);
  if (kind == Kind::BitOr)
    return isOnes ? Term::constant(mask(width)) : a;
  if (!isOnes)
    return a;
  return invert(a, width);
}

Term Terms::invert(const Term &a, unsigned width) {
  if (a.isUndefined())
    return a;
  if (width == 1)
    return notBit(a);
  if (a.isConstant())
    return Term::constant(~a.bits & mask(width));
  if (isForm(a)) // -1 - a
    return add(Term::constant(mask(width)), a, width, -1);
  if (pool_.node(a.node()).kind == Kind::Concat) { // part by part, as other operations are
    std::vector<Slice> parts = slices(a, width);
    for (Slice &part : parts)
      part.value = invert(part.value, part.width);
    return joined(parts);
  }
  const NodeId ones = pool_.make(Kind::Constant, Sort::bits(width), mask(width));
  // Twice is nothing: the ones cancel.
  return flattened(Kind::BitXor, a.node(), ones, width);
}

Term Terms::bitAnd(const Term &a, const Term &b, unsigned width) {
  if (a.isUndefined() || b.isUndefined())
    return {};
  if (a.isConstant() && b.isConstant())
    return Term::constant(a.bits & b.bits);
  if (a.isConstant())
    return bitAnd(b, a, width);
  if (width == 1)
    return andBit(a, b);
  if (b.isConstant()) {
    if (b.bits == mask(width))
      return a;
    if (b.bits == 0)
      return b;
    if (const auto magnitude = signLaw(a, b.bits, width, mask(width - 1)))
      return Term::of(fabs(*magnitude));
    if (isForm(a) && std::has_single_bit(b.bits + 1))
      return remainder(a, b.bits + 1, width);
  }
  if (const auto pushed = throughSelect(
          a, b, width, [&](const Term &x, const Term &y) { return bitAnd(x, y, width); }))
    return *pushed;
  return bitwise(Kind::BitAnd, a, b, width);
}

bool Terms::isOfIndices(const Term &a, unsigned width) {
  return std::ranges::all_of(affine_.form(modular(a, width)).terms,
                             [&](const auto &term) { return isIndexLike(term.first); });
}

/// The float of this width that `a` is, if the constant is the one that a law of signs needs.
std::optional<NodeId> Terms::signLaw(const Term &a, std::uint64_t bits, unsigned width,
                                     std::uint64_t wanted) const {
  if (bits != wanted || !a.isNode() || !pool_.node(a.node()).sort.isFloat() ||
      pool_.node(a.node()).sort.width != width)
    return std::nullopt;
  return a.node();
}

/// Bits that are zero in every value: below, by a common power of two; above, by the bounds.
bool Terms::disjoint(const Term &a, const Term &b, unsigned width) {
  const auto trailing = [&](const Term &x) -> unsigned {
    if (x.isConstant())
      return x.bits == 0 ? width : static_cast<unsigned>(std::countr_zero(x.bits));
    const Affine f = affine_.form(modular(x, width));
    unsigned zeros =
        f.constant == 0
            ? width
            : static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(f.constant)));
    for (const auto &[atom, factor] : f.terms)
      zeros = std::min(zeros,
                       static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(factor))));
    return zeros;
  };
  const auto below = [&](const Term &x, unsigned bit) {
    if (x.isConstant())
      return bit >= 64 || x.bits < std::uint64_t{1} << bit;
    return facts_.within(exact(x, width), 0, Wide{1} << bit);
  };
  const unsigned i = trailing(a), j = trailing(b);
  return (i > 0 && below(b, i)) || (j > 0 && below(a, j));
}

Term Terms::bitOr(const Term &a, const Term &b, unsigned width) {
  if (a.isUndefined() || b.isUndefined())
    return {};
  if (a.isConstant() && b.isConstant())
    return Term::constant(a.bits | b.bits);
  if (a.isConstant())
    return bitOr(b, a, width);
  if (width == 1)
    return orBit(a, b);
  if (b.isConstant()) {
    if (b.bits == 0)
      return a;
    if (const auto value = signLaw(a, b.bits, width, std::uint64_t{1} << (width - 1)))
      return Term::of(fneg(fabs(*value)));
  }
  if ((isForm(a) || isForm(b)) && disjoint(a, b, width))
    return add(a, b, width);
  if (const auto pushed = throughSelect(
          a, b, width, [&](const Term &x, const Term &y) { return bitOr(x, y, width); }))
    return *pushed;
  return bitwise(Kind::BitOr, a, b, width);
}

/// A number x below 2^k. What a constant has from there on is added; below it is 0 (x), all ones
/// (2^k - 1 - x), or the uppermost of the k bits (x + 2^(k-1) modulo 2^k).
std::optional<Term> Terms::numberXor(const Term &a, std::uint64_t bits, unsigned width) {
  if (!isForm(a))
    return std::nullopt;
  const auto isBelow = [&](unsigned k) {
    return k >= width || facts_.within(exact(a, width), 0, Wide{1} << k);
  };
  const auto zeros = static_cast<unsigned>(std::countr_zero(bits));
  if (zeros == 0)
    return isBelow(static_cast<unsigned>(std::countr_one(bits)))
               ? std::optional(add(Term::constant(bits), a, width, -1))
               : std::nullopt;
  if (isBelow(zeros))
    return add(a, Term::constant(bits), width);
  const unsigned k = zeros + 1;
  if (!isBelow(k))
    return std::nullopt;
  const Term top = Term::constant(std::uint64_t{1} << zeros);
  const Term moved = zeroExtend(add(extract(a, 0, k, width), top, k), k, width);
  return add(moved, Term::constant(bits & ~mask(k)), width);
}

Term Terms::bitXor(const Term &a, const Term &b, unsigned width) {
  if (a.isUndefined() || b.isUndefined())
    return {};
  if (a.isConstant() && b.isConstant())
    return Term::constant(a.bits ^ b.bits);
  if (a.isConstant())
    return bitXor(b, a, width);
  if (b.isConstant()) {
    if (b.bits == 0)
      return a;
    if (width == 1)
      return notBit(a);
    if (const auto value = signLaw(a, b.bits, width, std::uint64_t{1} << (width - 1)))
      return Term::of(fneg(*value));
    if (b.bits == mask(width))
      return invert(a, width);
    if (const auto number = numberXor(a, b.bits, width))
      return *number;
    const Kind kind = pool_.node(a.node()).kind;
    if (b.bits == std::uint64_t{1} << (width - 1) && kind == Kind::Select && !hasManyChoices(a)) {
      const std::array<NodeId, 3> args = {pool_.args(a.node())[0], pool_.args(a.node())[1],
                                          pool_.args(a.node())[2]};
      return select(Term::of(args[0]), bitXor(constantOrNode(args[1]), b, width),
                    bitXor(constantOrNode(args[2]), b, width), width);
    }
    // A part of a float may be what holds its sign.
    const bool isOfFloat =
        kind == Kind::Extract && pool_.node(pool_.args(a.node())[0]).sort.isFloat();
    if (kind != Kind::Concat && kind != Kind::Select && !isOfFloat)
      return flattened(Kind::BitXor, a.node(), asBits(width, b), width);
  }
  if ((isForm(a) || isForm(b)) && disjoint(a, b, width))
    return add(a, b, width);
  if (const auto pushed = throughSelect(
          a, b, width, [&](const Term &x, const Term &y) { return bitXor(x, y, width); }))
    return *pushed;
  return bitwise(Kind::BitXor, a, b, width);
}

} // namespace ordo::verify
