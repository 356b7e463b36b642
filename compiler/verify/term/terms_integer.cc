// Laws of integers: linear forms modulo 2^width, exact where a bound is known.
#include "compiler/verify/machine/concrete.h"
#include "compiler/verify/machine/fault.h"
#include "compiler/verify/term/terms.h"

#include <algorithm>
#include <array>
#include <bit>

namespace ordo::verify {
namespace {

constexpr int kChoicesDeep = 4; // choices within each other

Wide power(unsigned width) { return Wide{1} << width; }

/// The representative in [-2^(width-1), 2^(width-1)).
std::int64_t symmetric(Wide value, unsigned width) {
  const Wide modulus = power(width);
  Wide rest = value % modulus;
  if (rest < -modulus / 2)
    rest += modulus;
  if (rest >= modulus / 2)
    rest -= modulus;
  return static_cast<std::int64_t>(rest);
}

} // namespace

Term Terms::symbol(std::string name, unsigned width, Interval interval) {
  pool_.symbols.push_back(std::move(name));
  const NodeId node = pool_.make(Kind::Symbol, Sort::bits(width), pool_.symbols.size() - 1);
  facts_.bound(node, interval);
  registers(node);
  return Term::of(node);
}

Term Terms::input(std::uint32_t tensor, dsl::DType type, AffineId element) {
  const Sort sort = dsl::isFloat(type) ? Sort::of(type)
                                       : Sort::bits(static_cast<unsigned>(dsl::byteSize(type)) * 8);
  const Term value = Term::of(
      pool_.make(Kind::Input, sort, tensor, {pool_.make(Kind::Integer, Sort::bits(64), element)}));
  // A byte that is 0 or 1.
  return type == dsl::DType::Bool ? zeroExtend(extract(value, 0, 1, 8), 1, 8) : value;
}

/// There is no node for it to be taken for.
void Terms::requireDefined(const Term &value) {
  if (value.isUndefined())
    throw DomainError("a number that nobody defined");
}

/// True the first time.
bool Terms::registers(NodeId node) {
  if (node >= isRegistered_.size())
    isRegistered_.resize(std::max<std::size_t>(node + 1, isRegistered_.size() * 2));
  if (isRegistered_[node])
    return false;
  isRegistered_[node] = true;
  return true;
}

void Terms::registerAtom(NodeId node) {
  if (registers(node))
    facts_.bound(node, {Wide{0}, power(pool_.node(node).sort.width) - 1});
}

Term Terms::constantOrNode(NodeId node) const {
  const Node &n = pool_.node(node);
  // A NaN's bits are not known.
  if (n.kind == Kind::Constant && (!n.sort.isFloat() || !dsl::isNanBits(n.sort.format, n.payload)))
    return Term::constant(n.payload);
  if (n.kind == Kind::Undefined)
    return {};
  return Term::of(node);
}

NodeId Terms::asBits(unsigned width, const Term &value) {
  if (value.isConstant())
    return pool_.make(Kind::Constant, Sort::bits(width), value.bits);
  if (value.isUndefined())
    return pool_.make(Kind::Undefined, Sort::bits(width));
  return value.node();
}

bool Terms::isIndexLike(NodeId node) const {
  const Kind kind = pool_.node(node).kind;
  return kind == Kind::Symbol || kind == Kind::MinU || kind == Kind::MaxU ||
         kind == Kind::FloorDiv || kind == Kind::Integer ||
         (kind == Kind::Mul && std::ranges::all_of(pool_.args(node), [&](NodeId factor) {
            return isIndexLike(factor); // a row times its length
          }));
}

AffineId Terms::reduced(AffineId form, unsigned width) {
  const Affine &f = affine_.form(form);
  const auto fits = [&](std::int64_t v) { return symmetric(v, width) == v; };
  // 2^j times a number of k bits, k + j >= width, is 2^j times anything that is it modulo 2^k.
  // So is a wider number, and a wider value that is put together of parts: their lowest bits are.
  const auto isLoose = [&](const std::pair<NodeId, std::int64_t> &term) {
    const Node &n = pool_.node(term.first);
    if (n.kind == Kind::Concat)
      return n.sort.width > width;
    return n.kind == Kind::Integer &&
           (n.sort.width > width ||
            (n.sort.width < width && n.sort.width + 1 < 64 &&
             term.second % (std::int64_t{1} << (width - n.sort.width)) == 0));
  };
  if (fits(f.constant) &&
      std::ranges::all_of(f.terms, [&](const auto &t) { return fits(t.second) && !isLoose(t); }))
    return form;
  const Affine before = f; // what is made below moves forms
  Affine r;
  r.constant = symmetric(before.constant, width);
  std::vector<std::pair<AffineId, std::int64_t>> loose;
  for (const auto &[atom, factor] : before.terms) {
    const std::int64_t s = symmetric(factor, width);
    if (s != 0 && isLoose({atom, s}))
      loose.emplace_back(
          pool_.node(atom).kind == Kind::Concat
              ? modular(extract(Term::of(atom), 0, width, pool_.node(atom).sort.width), width)
              : static_cast<AffineId>(pool_.node(atom).payload),
          s);
    else if (s != 0)
      r.terms.emplace_back(atom, s);
  }
  AffineId result = affine_.intern(std::move(r));
  for (const auto &[inner, factor] : loose)
    result = combined(result, 1, inner, factor, width);
  return loose.empty() ? result : reduced(result, width);
}

/// x*a + y*b modulo 2^width.
AffineId Terms::combined(AffineId a, std::int64_t x, AffineId b, std::int64_t y, unsigned width) {
  Affine sum;
  const Affine p = affine_.form(a), q = affine_.form(b);
  sum.constant = symmetric(Wide{p.constant} * x + Wide{q.constant} * y, width);
  std::size_t i = 0, j = 0;
  while (i < p.terms.size() || j < q.terms.size()) {
    Wide factor = 0;
    NodeId atom = 0;
    const bool takeP =
        j == q.terms.size() || (i < p.terms.size() && p.terms[i].first <= q.terms[j].first);
    const bool takeQ =
        i == p.terms.size() || (j < q.terms.size() && q.terms[j].first <= p.terms[i].first);
    if (takeP) {
      atom = p.terms[i].first;
      factor += Wide{p.terms[i++].second} * x;
    }
    if (takeQ) {
      atom = q.terms[j].first;
      factor += Wide{q.terms[j++].second} * y;
    }
    if (const std::int64_t s = symmetric(factor, width); s != 0)
      sum.terms.emplace_back(atom, s);
    else if (takeP && takeQ)
      requireSameTwice(atom);
  }
  return affine_.intern(std::move(sum));
}

/// How many low bits hold all that is not known to be zero; 1 at least.
unsigned Terms::digitsOf(NodeId node, int depth) const {
  const Node &n = pool_.node(node);
  const auto args = pool_.args(node);
  if (n.sort.isFloat())
    return n.sort.width;
  if (n.kind == Kind::Constant)
    return std::max(1u, static_cast<unsigned>(std::bit_width(n.payload)));
  if (n.kind == Kind::Concat && pool_.node(args.back()).kind == Kind::Constant) {
    const Node &top = pool_.node(args.back());
    return n.sort.width - top.sort.width + static_cast<unsigned>(std::bit_width(top.payload));
  }
  if (n.kind == Kind::Select && depth > 0)
    return std::max(digitsOf(args[1], depth - 1), digitsOf(args[2], depth - 1));
  return n.sort.width;
}

/// if c then a else b of two numbers: b + (a - b) * (if c then 1 else 0).
std::optional<AffineId> Terms::chosenNumber(NodeId choice, unsigned width) {
  const NodeId condition = pool_.args(choice)[0];
  const Node a = pool_.node(pool_.args(choice)[1]), b = pool_.node(pool_.args(choice)[2]);
  if (a.kind != Kind::Constant || b.kind != Kind::Constant || a.sort.isFloat() ||
      b.sort.isFloat() || a.sort.width < 2)
    return std::nullopt;
  const std::int64_t least = symmetric(static_cast<Wide>(b.payload), width),
                     by = symmetric(static_cast<Wide>(a.payload) - static_cast<Wide>(b.payload),
                                    width);
  if (by == 0)
    return affine_.constant(least);
  NodeId bit = condition; // a bit of data is that number
  if (pool_.node(condition).kind != Kind::Extract)
    bit = pool_.make(
        Kind::Select, a.sort, 0,
        {condition, pool_.make(Kind::Constant, a.sort, 1), pool_.make(Kind::Constant, a.sort, 0)});
  if (registers(bit))
    facts_.bound(bit, {Wide{0}, Wide{1}});
  return affine_.plus(affine_.scale(affine_.atom(bit), by), least);
}

/// A node of bits whose only non-constant slice is shifted or extended data: 2^k * it.
AffineId Terms::modular(const Term &value, unsigned width) {
  requireDefined(value);
  if (value.isConstant())
    return affine_.constant(symmetric(static_cast<Wide>(value.bits), width));
  const NodeId id = value.node();
  const Node n = pool_.node(id);
  if (n.kind == Kind::Integer)
    return reduced(static_cast<AffineId>(n.payload), width);
  if (n.kind == Kind::Extract && n.payload == 0)
    return modular(Term::of(pool_.args(id)[0]), width);
  if (n.kind == Kind::Select) {
    if (const auto chosen = chosenNumber(id, width))
      return *chosen;
    // A choice of numbers with zeros above them is that of the numbers, whatever its width.
    if (const unsigned digits = digitsOf(id, kChoicesDeep); digits < n.sort.width)
      return modular(extract(value, 0, digits, n.sort.width), width);
  }
  if (n.kind == Kind::Concat) {
    std::optional<AffineId> form;
    unsigned bit = 0;
    for (const NodeId part : pool_.args(id)) {
      const Node p = pool_.node(part);
      if (p.kind != Kind::Constant || p.payload != 0) {
        if (form || p.kind == Kind::Constant)
          break;
        registerAtom(part);
        form = affine_.scale(affine_.atom(part), std::int64_t{1} << bit);
      }
      bit += p.sort.width;
      if (bit == n.sort.width && form)
        return reduced(*form, width);
    }
  }
  registerAtom(id);
  return affine_.atom(id);
}

AffineId Terms::exact(const Term &value, unsigned width) {
  requireDefined(value);
  if (value.isConstant() && value.bits <= static_cast<std::uint64_t>(INT64_MAX))
    return affine_.constant(static_cast<std::int64_t>(value.bits));
  if (value.isConstant()) {
    const NodeId node = asBits(width, value);
    facts_.bound(node, {Wide{value.bits}, Wide{value.bits}});
    registers(node);
    return affine_.atom(node);
  }
  const NodeId id = value.node();
  const AffineId form = modular(value, width);
  if (facts_.within(form, 0, power(width)))
    return form;
  // A representative that a constant moves into range: T - 1 in 32 bits may stand as it is, and
  // 2^w - 1 - x as -1 - x.
  const AffineId moved = width < 63 ? affine_.plus(form, std::int64_t{1} << width) : form;
  if (width < 63 && facts_.within(moved, 0, power(width)))
    return moved;
  // Of an index what is left of it modulo 2^width: form - 2^width * floor(form / 2^width).
  if (width < 62 && isForm(value) && isOfIndices(value, width)) {
    if (const auto other = otherRepresentative(form, width))
      return *other;
    return affine_.combine(form, 1, quotient(form, std::int64_t{1} << width),
                           -(std::int64_t{1} << width));
  }
  registerAtom(id);
  return affine_.atom(id);
}

/// if c then 1 else 0, of this width.
bool Terms::isChosenBit(NodeId node, unsigned width) const {
  const Node &n = pool_.node(node);
  if (n.kind != Kind::Select || n.sort != Sort::bits(width) || width < 2)
    return false;
  const Node &a = pool_.node(pool_.args(node)[1]), &b = pool_.node(pool_.args(node)[2]);
  return a.kind == Kind::Constant && b.kind == Kind::Constant && a.sort == n.sort &&
         b.sort == n.sort && a.payload == 1 && b.payload == 0;
}

Term Terms::integer(AffineId form, unsigned width) {
  form = reduced(form, width);
  const Affine f = affine_.form(form);
  if (f.isConstant()) {
    const std::uint64_t bits = static_cast<std::uint64_t>(f.constant);
    return Term::constant(width >= 64 ? bits : bits & ((std::uint64_t{1} << width) - 1));
  }
  if (f.terms.size() == 1 && isChosenBit(f.terms.front().first, width)) {
    const Term condition = Term::of(pool_.args(f.terms.front().first)[0]);
    const auto number = [&](Wide value) {
      return integer(affine_.constant(symmetric(value, width)), width);
    };
    return select(condition, number(Wide{f.constant} + f.terms.front().second), number(f.constant),
                  width);
  }
  if (width == 1 && f.terms.size() == 1 && !isForm(Term::of(f.terms.front().first))) {
    // The lowest bit, or its opposite.
    const NodeId atom = f.terms.front().first;
    const Term bit = extract(Term::of(atom), 0, 1, pool_.node(atom).sort.width);
    return f.constant % 2 != 0 ? notBit(bit) : bit;
  }
  if (f.terms.size() == 1 && f.constant == 0) {
    const auto [atom, factor] = f.terms.front();
    const Node a = pool_.node(atom);
    const bool isPower = factor > 0 && (factor & (factor - 1)) == 0;
    const auto shift =
        isPower ? static_cast<unsigned>(__builtin_ctzll(static_cast<std::uint64_t>(factor))) : 0u;
    const bool hasSign = a.kind == Kind::FloorDiv && !(facts_.ofAtom(atom).low >= Wide{0});
    if (factor == 1 && a.sort.width == width && !hasSign)
      return Term::of(atom);
    if (!isForm(Term::of(atom)) && isPower) {
      // Data, shifted or extended: as slices.
      const unsigned kept = std::min<unsigned>(a.sort.width, width - shift);
      std::vector<Slice> parts;
      if (shift > 0)
        parts.push_back({Term::constant(0), shift});
      parts.push_back({extract(Term::of(atom), 0, kept, a.sort.width), kept});
      if (shift + kept < width)
        parts.push_back({Term::constant(0), width - shift - kept});
      return joined(parts);
    }
  }
  if (const auto division = asDivision(form, width))
    return *division;
  return Term::of(pool_.make(Kind::Integer, Sort::bits(width), form));
}

/// The bits of a float that is chosen, one arm a number that is known.
Term Terms::asChoiceOfBits(const Term &a) {
  if (!a.isNode() || pool_.node(a.node()).kind != Kind::Select ||
      !pool_.node(a.node()).sort.isFloat())
    return a;
  const std::array<NodeId, 3> args = {pool_.args(a.node())[0], pool_.args(a.node())[1],
                                      pool_.args(a.node())[2]};
  const Term x = constantOrNode(args[1]), y = constantOrNode(args[2]);
  if (!x.isConstant() && !y.isConstant())
    return a;
  return select(Term::of(args[0]), x, y, pool_.node(a.node()).sort.width);
}

/// a + factor * b.
Term Terms::add(const Term &a, const Term &b, unsigned width, std::int64_t factor) {
  if (a.isUndefined() || b.isUndefined())
    return {};
  if (const Term x = asChoiceOfBits(a), y = asChoiceOfBits(b); x != a || y != b)
    return add(x, y, width, factor);
  if (a.isConstant() && b.isConstant())
    return integer(combined(modular(a, width), 1, modular(b, width), factor, width), width);
  if (const auto pushed = throughSelect(
          a, b, width, [&](const Term &x, const Term &y) { return add(x, y, width, factor); }))
    return *pushed;
  return integer(combined(modular(a, width), 1, modular(b, width), factor, width), width);
}

Term Terms::zeroExtend(const Term &a, unsigned from, unsigned to) {
  if (a.isConstant() || a.isUndefined() || from == to)
    return a;
  if (const auto pushed = throughSelect(a, Term::constant(0), to, [&](const Term &x, const Term &) {
        return zeroExtend(x, from, to);
      }))
    return *pushed;
  if (from == 1 && pool_.node(a.node()).kind != Kind::Extract)
    return select(a, Term::constant(1), Term::constant(0), to);
  return integer(exact(a, from), to);
}

Term Terms::signExtend(const Term &a, unsigned from, unsigned to) {
  if (a.isUndefined())
    return a;
  if (a.isConstant()) {
    const AffineId form = modular(a, from);
    return integer(form, to);
  }
  if (const auto pushed = throughSelect(a, Term::constant(0), to, [&](const Term &x, const Term &) {
        return signExtend(x, from, to);
      }))
    return *pushed;
  const AffineId form = modular(a, from);
  if (facts_.within(form, -power(from - 1), power(from - 1)))
    return integer(form, to);
  return opaque(Kind::SignExtend, to, {asBits(from, a)});
}

/// floor(a / divisor) of the unsigned value.
Term Terms::floorDivide(const Term &a, std::uint64_t divisor, unsigned width) {
  if (divisor == 1 || a.isUndefined())
    return a;
  if (a.isConstant())
    return Term::constant(a.bits / divisor);
  if (divisor > static_cast<std::uint64_t>(INT64_MAX))
    throw DomainError("a division by a number beyond 2^63 is not modelled");
  if (const auto pushed =
          onNumberArm(a, width, [&](const Term &x) { return floorDivide(x, divisor, width); }))
    return *pushed;
  return integer(quotient(exact(a, width), static_cast<std::int64_t>(divisor)), width);
}

Term Terms::remainder(const Term &a, std::uint64_t divisor, unsigned width) {
  if (a.isUndefined())
    return a;
  if (a.isConstant())
    return Term::constant(a.bits % divisor);
  if (divisor == 1)
    return Term::constant(0);
  if (isForm(a) && std::has_single_bit(divisor)) { // the lowest bits, whatever is above them
    if (facts_.within(exact(a, width), 0, static_cast<Wide>(divisor)))
      return a;
    const auto low = static_cast<unsigned>(std::countr_zero(divisor));
    return zeroExtend(extract(a, 0, low, width), low, width);
  }
  const Term quotient = floorDivide(a, divisor, width);
  const Term product = multiply(quotient, Term::constant(divisor), width);
  return add(a, product, width, -1);
}

Term Terms::minMax(Kind kind, const Term &a, const Term &b, unsigned width) {
  if (a.isUndefined() || b.isUndefined())
    return {};
  if (a.isConstant() || b.isConstant())
    if (const auto pushed = throughSelect(
            a, b, width, [&](const Term &x, const Term &y) { return minMax(kind, x, y, width); }))
      return *pushed;
  const bool isMin = kind == Kind::MinU;
  if (kind == Kind::MinS || kind == Kind::MaxS) {
    // Signed and unsigned agree below 2^(width-1).
    const Wide half = power(width - 1);
    if (facts_.within(exact(a, width), 0, half) && facts_.within(exact(b, width), 0, half))
      return minMax(kind == Kind::MinS ? Kind::MinU : Kind::MaxU, a, b, width);
    const NodeId x = asBits(width, a), y = asBits(width, b);
    return opaque(kind, width, {std::min(x, y), std::max(x, y)});
  }
  const AffineId x = exact(a, width), y = exact(b, width);
  const AffineId difference = affine_.sub(y, x);
  if (facts_.holds(difference))
    return isMin ? a : b;
  if (facts_.holds(affine_.scale(difference, -1)))
    return isMin ? b : a;
  // Of numbers it does not depend on the registers that they stand in.
  if (width < 64 && isOfIndices(a, width) && isOfIndices(b, width) &&
      facts_.within(x, 0, power(width)) && facts_.within(y, 0, power(width)))
    return extract(minMax(kind, integer(x, 64), integer(y, 64), 64), 0, width, 64);
  NodeId p = asBits(width, a), q = asBits(width, b);
  const NodeId node = pool_.make(kind, Sort::bits(width), 0, {std::min(p, q), std::max(p, q)});
  if (registers(node)) {
    // Both are unsigned values, whatever the bounds of their parts say.
    const auto unsignedInterval = [&](AffineId form) {
      Interval of = facts_.interval(form);
      of.low = of.low ? std::max(*of.low, Wide{0}) : Wide{0};
      of.high = of.high ? std::min(*of.high, power(width) - 1) : power(width) - 1;
      return of;
    };
    const Interval i = unsignedInterval(x), j = unsignedInterval(y);
    const auto pick = [&](const auto &u, const auto &v) {
      return isMin ? std::min(*u, *v) : std::max(*u, *v);
    };
    Interval bounds{pick(i.low, j.low), pick(i.high, j.high)};
    if (*bounds.low < 1 && facts_.holds(affine_.plus(x, -1)) && facts_.holds(affine_.plus(y, -1)))
      bounds.low = Wide{1};
    facts_.bound(node, bounds);
    const AffineId m = affine_.atom(node);
    for (const AffineId side : {x, y})
      facts_.define(node, isMin ? affine_.sub(side, m) : affine_.sub(m, side));
  }
  return Term::of(node);
}

/// The bits of |x| are below those of infinity: x is finite.
std::optional<Term> Terms::asFinite(Op op, const Term &a, const Term &b, unsigned width) {
  if (op != Op::CmpLtS || !a.isNode() || pool_.node(a.node()).kind != Kind::FAbs ||
      pool_.node(a.node()).sort.width != width || !b.isConstant())
    return std::nullopt;
  const NodeId infinity = floatConstant(pool_.node(a.node()).sort.format, b.bits);
  if (infinityOf(infinity) != 1)
    return std::nullopt;
  return fcompare(Kind::FLt, a.node(), infinity);
}

/// Whether a mask of lanes, a bit each, is empty.
std::optional<Term> Terms::isNoBit(const Term &a, unsigned width) {
  const std::vector<Slice> parts = slices(a, width);
  if (parts.size() < 2)
    return std::nullopt;
  Term any = Term::constant(0);
  for (const Slice &part : parts) {
    if (part.width != 1 && !part.value.isConstant())
      return std::nullopt;
    any = orBit(any, part.value.isConstant() ? Term::constant(part.value.bits != 0) : part.value);
  }
  return notBit(any);
}

Term Terms::compare(Op op, const Term &a, const Term &b, unsigned width) {
  if (a.isUndefined() || b.isUndefined())
    return {};
  if (a.isConstant() && b.isConstant()) {
    Instruction i;
    i.op = op;
    i.width = static_cast<std::uint8_t>(width);
    i.src.resize(2);
    const std::uint64_t bits[2] = {a.bits, b.bits};
    return Term::constant(computeInteger(i, bits, nullptr));
  }
  if (op == Op::CmpNe)
    return notBit(compare(Op::CmpEq, a, b, width));
  if (width == 1 && op == Op::CmpEq) {
    if (a.isConstant() || b.isConstant())
      return a.isConstant() ? (a.bits != 0 ? b : notBit(b)) : (b.bits != 0 ? a : notBit(a));
    return orBit(andBit(a, b), andBit(notBit(a), notBit(b)));
  }
  if (const auto pushed = throughSelect(
          a, b, 1, [&](const Term &x, const Term &y) { return compare(op, x, y, width); }))
    return *pushed;
  if (a == b)
    requireSameTwice(a.node());
  if (op == Op::CmpEq && (a == Term::constant(0) || b == Term::constant(0)))
    if (const auto none = isNoBit(a.isConstant() ? b : a, width))
      return *none;
  if (op == Op::CmpEq) { // equal modulo 2^width, and nearer to each other than that
    const AffineId difference = affine_.sub(modular(b, width), modular(a, width));
    if (width < 64 && facts_.within(difference, 1 - power(width), power(width)))
      return isZero(difference);
    if (width == 64 && facts_.within(difference, -power(62), power(62)))
      return isZero(difference);
  }
  if (op == Op::CmpEq || op == Op::CmpLtU || op == Op::CmpLeU) {
    const AffineId x = exact(a, width), y = exact(b, width);
    const AffineId difference = affine_.sub(y, x);
    if (op == Op::CmpEq && x == modular(a, width) && y == modular(b, width))
      return isZero(difference);
    if (op == Op::CmpEq)
      return isZeroModulo(combined(modular(a, width), 1, modular(b, width), -1, width), width);
    return atLeastZero(op == Op::CmpLtU ? affine_.plus(difference, -1) : difference);
  }
  if (const auto finite = asFinite(op, a, b, width))
    return *finite;
  const AffineId x = modular(a, width), y = modular(b, width);
  const Wide half = power(width - 1);
  if (facts_.within(x, -half, half) && facts_.within(y, -half, half)) {
    const AffineId difference = affine_.sub(y, x);
    return atLeastZero(op == Op::CmpLtS ? affine_.plus(difference, -1) : difference);
  }
  return knownCondition(opaque(op == Op::CmpLtS ? Kind::CmpLtS : Kind::CmpLeS, 1,
                               {asBits(width, a), asBits(width, b)}));
}

} // namespace ordo::verify
