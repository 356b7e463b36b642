// Laws of conditions and of selection.
#include "compiler/verify/term/terms.h"

#include <algorithm>
#include <array>

namespace ordo::verify {

Term Terms::notBit(const Term &a) {
  if (a.isUndefined())
    return a;
  if (a.isConstant())
    return Term::constant(a.bits ^ 1);
  if (pool_.node(a.node()).kind == Kind::Not)
    return Term::of(pool_.args(a.node())[0]);
  return opaque(Kind::Not, 1, {a.node()});
}

/// f + c >= 0 of one f: how much c is, if both are of that kind; a negation is -f - 1 >= 0.
std::optional<std::int64_t> Terms::apart(const Term &a, const Term &b) {
  const auto form = [&](const Term &x) -> std::optional<AffineId> {
    const Node n = pool_.node(x.node());
    if (n.kind == Kind::AtLeastZero)
      return static_cast<AffineId>(n.payload);
    if (n.kind != Kind::Not || pool_.node(pool_.args(x.node())[0]).kind != Kind::AtLeastZero)
      return std::nullopt;
    const auto inner = static_cast<AffineId>(pool_.node(pool_.args(x.node())[0]).payload);
    return affine_.plus(affine_.scale(inner, -1), -1);
  };
  const auto x = form(a), y = form(b);
  return x && y ? affine_.constantOf(affine_.sub(*y, *x)) : std::nullopt;
}

/// The arm that counts of a choice by the condition that is known, or by its opposite.
std::optional<Term> Terms::armGiven(const Term &known, const Term &choice) {
  if (pool_.node(choice.node()).kind != Kind::Select)
    return std::nullopt;
  const std::vector<NodeId> args(pool_.args(choice.node()).begin(),
                                 pool_.args(choice.node()).end());
  const Term by = Term::of(args[0]);
  if (known == by)
    return constantOrNode(args[1]);
  return known == notBit(by) ? std::optional(constantOrNode(args[2])) : std::nullopt;
}

Term Terms::andBit(const Term &a, const Term &b) {
  if (a.isUndefined() || b.isUndefined())
    return {};
  if (a.isConstant())
    return a.bits != 0 ? b : a;
  if (b.isConstant())
    return b.bits != 0 ? a : b;
  if (a == b)
    return a;
  if (notBit(a) == b)
    return Term::constant(0);
  for (const auto &[known, choice] : {std::pair(a, b), std::pair(b, a)})
    if (const auto arm = armGiven(known, choice))
      return andBit(known, *arm);
  std::vector<NodeId> all = {a.node(), b.node()};
  if (!openConjuncts(all) || !joinConditions(all))
    return Term::constant(0);
  if (const auto simpler = withKnownConjuncts(all))
    return *simpler;
  if (all.empty())
    return Term::constant(1);
  NodeId chain = all.front();
  for (std::size_t k = 1; k < all.size(); ++k)
    chain = pool_.make(Kind::And, Sort::bits(1), 0, {chain, all[k]});
  return constantOrNode(chain);
}

/// Whether the condition says that not all of several hold, and one of `all`, in order, that one of
/// them does not.
bool Terms::isAbsorbed(NodeId condition, std::span<const NodeId> all) {
  if (pool_.node(condition).kind != Kind::Not)
    return false;
  std::vector<NodeId> parts = {pool_.args(condition)[0]};
  for (; pool_.node(parts.back()).kind == Kind::And; parts.back() = pool_.args(parts.back())[0])
    parts.insert(parts.begin(), pool_.args(parts.back())[1]);
  return parts.size() > 1 && std::ranges::any_of(parts, [&](NodeId part) {
           const Term denied = notBit(Term::of(part));
           return denied.isNode() && std::ranges::binary_search(all, denied.node());
         });
}

/// Conjunctions opened, in order; of two bounds on one form the stronger; without those that
/// another implies. False where one denies another.
bool Terms::openConjuncts(std::vector<NodeId> &all) {
  for (std::size_t k = 0; k < all.size(); ++k)
    for (; pool_.node(all[k]).kind == Kind::And; all[k] = pool_.args(all[k])[0])
      all.push_back(pool_.args(all[k])[1]);
  std::ranges::sort(all);
  const auto [from, to] = std::ranges::unique(all);
  all.erase(from, to);
  const std::vector<NodeId> before = all;
  std::erase_if(all, [&](NodeId condition) { return isAbsorbed(condition, before); });
  for (std::size_t k = 0; k < all.size(); ++k)
    for (std::size_t m = k + 1; m < all.size();) {
      if (notBit(Term::of(all[k])) == Term::of(all[m]))
        return false;
      const auto by = apart(Term::of(all[k]), Term::of(all[m]));
      if (by && *by < 0)
        std::swap(all[k], all[m]);
      if (by)
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(m));
      else
        ++m;
    }
  return true;
}

/// c and not (c and q) is c and not q; c and not (not c and q) is c. The whole conjunction, if
/// something became simpler.
std::optional<Term> Terms::withKnownConjuncts(std::span<const NodeId> all) {
  const auto holds = [&](NodeId id) { return std::ranges::binary_search(all, id); };
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Node n = pool_.node(all[k]);
    if (n.kind != Kind::Not || pool_.node(pool_.args(all[k])[0]).kind != Kind::And)
      continue;
    Term denied = Term::constant(1); // what the others do not say
    bool isSimpler = false;
    NodeId id = pool_.args(all[k])[0];
    for (bool isLast = false; !isLast && denied != Term::constant(0);) {
      isLast = pool_.node(id).kind != Kind::And;
      const NodeId part = isLast ? id : pool_.args(id)[1];
      const bool isDenied = holds(notBit(Term::of(part)).node());
      isSimpler = isSimpler || isDenied || holds(part);
      if (isDenied)
        denied = Term::constant(0);
      else if (!holds(part))
        denied = andBit(denied, Term::of(part));
      id = isLast ? id : pool_.args(id)[0];
    }
    if (!isSimpler)
      continue;
    Term whole = notBit(denied);
    for (std::size_t m = 0; m < all.size(); ++m)
      if (m != k)
        whole = andBit(whole, Term::of(all[m]));
    return whole;
  }
  return std::nullopt;
}

Term Terms::orBit(const Term &a, const Term &b) { return notBit(andBit(notBit(a), notBit(b))); }

Term Terms::select(const Term &condition, const Term &a, const Term &b, unsigned width) {
  if (condition.isUndefined())
    return {};
  if (condition.isConstant())
    return condition.bits != 0 ? a : b;
  if (a == b)
    return a;
  if (pool_.node(condition.node()).kind == Kind::Not)
    return select(Term::of(pool_.args(condition.node())[0]), b, a, width);
  const Term x = armOf(condition, a, true), y = armOf(condition, b, false);
  if (x == y && !x.isUndefined())
    return x;
  if (width == 1 && !x.isUndefined() && !y.isUndefined())
    return orBit(andBit(condition, x), andBit(notBit(condition), y));
  if (const auto extreme = asMinMax(condition.node(), x, y, width))
    return *extreme;
  if (const auto conversion = asConversion(condition.node(), x, y))
    return *conversion;
  const auto format = [&](const Term &t) {
    return t.isNode() ? pool_.node(t.node()).sort : Sort::bits(width);
  };
  // Of two floats it is a float; with a constant it stays bits, whose NaN is that very one.
  if (x.isNode() && y.isNode() && format(x) == format(y) && format(x).isFloat())
    return Term::of(selectFloat(condition.node(), x.node(), y.node()));
  return opaque(Kind::Select, width, {condition.node(), asBits(width, x), asBits(width, y)});
}

/// if a < b then a else b, and its like, of numbers; or the low bits of that, of the low bits.
std::optional<Term> Terms::asMinMax(NodeId condition, const Term &a, const Term &b,
                                    unsigned width) {
  const Node n = pool_.node(condition);
  if (n.kind != Kind::AtLeastZero || width < 32 || !(a.isConstant() || isForm(a)) ||
      !(b.isConstant() || isForm(b)))
    return std::nullopt;
  const auto kind = orderOf(static_cast<AffineId>(n.payload), exact(a, width), exact(b, width));
  if (kind)
    return minMax(*kind, a, b, width);
  const AffineId x = modular(a, width), y = modular(b, width);
  const auto wider = orderOf(static_cast<AffineId>(n.payload), x, y);
  if (!wider)
    return width == 32 ? asUpperExtreme(static_cast<AffineId>(n.payload), x, y) : std::nullopt;
  if (width >= 64 || !facts_.within(x, 0, Wide{1} << 62) || !facts_.within(y, 0, Wide{1} << 62))
    return std::nullopt;
  return extract(minMax(*wider, integer(x, 64), integer(y, 64), 64), 0, width, 64);
}

/// if x < y then floor(x / 2^32) else floor(y / 2^32), and its like: the upper half of the minimum.
/// x or y is guessed from a quotient, the other from the condition; both are checked.
std::optional<Term> Terms::asUpperExtreme(AffineId f, AffineId a, AffineId b) {
  constexpr std::int64_t kUnit = std::int64_t{1} << 32;
  const auto isUpper = [&](AffineId whole, AffineId half) {
    return facts_.within(whole, 0, Wide{1} << 62) && reduced(quotient(whole, kUnit), 32) == half;
  };
  for (const AffineId arm : {a, b}) {
    const Affine form = affine_.form(arm);
    const auto hasRoom = [](std::int64_t v) { return v < (1 << 30) && v > -(1 << 30); };
    if (!hasRoom(form.constant) ||
        !std::ranges::all_of(form.terms, [&](const auto &term) { return hasRoom(term.second); }))
      continue;
    for (const auto &[atom, factor] : form.terms) {
      if (factor != 1 || pool_.node(atom).kind != Kind::FloorDiv ||
          pool_.node(pool_.args(atom)[0]).payload != static_cast<std::uint64_t>(kUnit))
        continue;
      // What is beside the quotient counts whole units.
      const AffineId known = affine_.combine(affine_.sub(arm, affine_.atom(atom)), kUnit,
                                             static_cast<AffineId>(pool_.node(atom).payload), 1);
      if (!isUpper(known, arm))
        continue;
      for (const std::int64_t strict : {1, 0})
        for (const std::int64_t sign : {1, -1}) {
          const AffineId other =
              affine_.combine(known, 1, affine_.plus(f, strict), arm == a ? sign : -sign);
          const auto [x, y] = arm == a ? std::pair(known, other) : std::pair(other, known);
          const auto kind = orderOf(f, x, y);
          if (kind && isUpper(other, arm == a ? b : a))
            return extract(minMax(*kind, integer(x, 64), integer(y, 64), 64), 32, 32, 64);
        }
    }
  }
  return std::nullopt;
}

/// What `if form >= 0 then x else y` is.
std::optional<Kind> Terms::orderOf(AffineId form, AffineId x, AffineId y) {
  const auto by = affine_.constantOf(affine_.sub(form, affine_.sub(y, x)));
  const auto back = affine_.constantOf(affine_.sub(form, affine_.sub(x, y)));
  if (by == 0 || by == -1)
    return Kind::MinU;
  if (back == 0 || back == -1)
    return Kind::MaxU;
  return std::nullopt;
}

/// if c then the upper part of x else that of y, above the lower part of the minimum (or maximum)
/// that c chooses: that extreme. x or y is guessed from the lower part, the other from c.
std::optional<Term> Terms::joinedExtreme(const Slice &low, const Slice &high) {
  const NodeId condition = pool_.args(high.value.node())[0];
  if (low.width + high.width != 64 || pool_.node(condition).kind != Kind::AtLeastZero)
    return std::nullopt;
  const auto f = static_cast<AffineId>(pool_.node(condition).payload);
  std::vector<AffineId> guesses = {modular(low.value, low.width)};
  const Affine l = affine_.form(guesses.front());
  if (l.terms.size() == 1)
    if (const NodeId atom = l.terms.front().first;
        pool_.node(atom).kind == Kind::MinU || pool_.node(atom).kind == Kind::MaxU)
      guesses = {exact(constantOrNode(pool_.args(atom)[0]), 64)};
  for (const AffineId guess : guesses)
    for (const std::int64_t strict : {1, 0}) {
      const AffineId by = affine_.plus(f, strict); // min: y - x, max: x - y
      for (const auto &[x, y] :
           {std::pair(guess, affine_.add(guess, by)), std::pair(affine_.sub(guess, by), guess),
            std::pair(guess, affine_.sub(guess, by)), std::pair(affine_.add(guess, by), guess)})
        if (const auto extreme = extremeOf(f, x, y, low, high))
          return extreme;
    }
  return std::nullopt;
}

std::optional<Term> Terms::extremeOf(AffineId f, AffineId x, AffineId y, const Slice &low,
                                     const Slice &high) {
  const auto kind = orderOf(f, x, y);
  if (!kind || !facts_.within(x, 0, Wide{1} << 62) || !facts_.within(y, 0, Wide{1} << 62))
    return std::nullopt;
  const Term a = integer(x, 64), b = integer(y, 64);
  const Term extreme = minMax(*kind, a, b, 64);
  const NodeId choice = high.value.node();
  const bool isIt =
      extract(a, low.width, high.width, 64) == constantOrNode(pool_.args(choice)[1]) &&
      extract(b, low.width, high.width, 64) == constantOrNode(pool_.args(choice)[2]) &&
      extract(extreme, 0, low.width, 64) == low.value;
  return isIt ? std::optional(extreme) : std::nullopt;
}

/// A float's bits as they came: of a widened bf16 the upper half.
Term Terms::rawBits(NodeId a) {
  const Node n = pool_.node(a);
  if (n.kind != Kind::FConvert || !(n.sort == Sort::of(dsl::DType::F32)) ||
      !(pool_.node(pool_.args(a)[0]).sort == Sort::of(dsl::DType::BF16)))
    return constantOrNode(a);
  const std::array<Term, 2> halves = {Term::constant(0), constantOrNode(pool_.args(a)[0])};
  const std::array<unsigned, 2> widths = {16, 16};
  return concat(halves, widths);
}

/// if x is NaN then NaN else the upper half of x: x rounded to bf16 toward zero.
std::optional<NodeId> Terms::asUpperHalf(NodeId condition, NodeId a, NodeId b) {
  const Node half = pool_.node(b);
  if (half.kind != Kind::OfBits || half.sort.format != dsl::DType::BF16 ||
      pool_.node(a).kind != Kind::Constant ||
      !dsl::isNanBits(dsl::DType::BF16, pool_.node(a).payload))
    return std::nullopt;
  const NodeId part = pool_.args(b)[0];
  if (pool_.node(part).kind != Kind::Extract || pool_.node(part).payload != 16)
    return std::nullopt;
  const NodeId x = pool_.args(part)[0];
  if (pool_.node(x).sort != Sort::of(dsl::DType::F32) || isNan(x) != Term::of(condition))
    return std::nullopt;
  return fconvert(dsl::DType::BF16, x, Round::TowardZero);
}

/// The image in a format that has every value of a's; the value itself where this has not.
NodeId Terms::imageIn(dsl::DType format, NodeId a) {
  const dsl::FloatFormat from = dsl::floatFormat(pool_.node(a).sort.format),
                         to = dsl::floatFormat(format);
  const bool isWider = to.mantissaBits >= from.mantissaBits && to.exponentBits >= from.exponentBits;
  return isWider ? fconvert(format, a, Round::NearestEven) : a;
}

/// if u = v then u & v else v, of a constant u that is no zero: where they are equal, so are their
/// bits. Or else their extremum: of zeros & is the maximum, | the minimum.
bool Terms::isOrderedEqual(NodeId u, NodeId v, NodeId a, NodeId b) {
  if (pool_.node(v).kind == Kind::Constant)
    std::swap(u, v);
  if (pool_.node(u).kind != Kind::Constant)
    return false;
  const auto holds = [&](NodeId c, NodeId x) {
    const dsl::DType format = pool_.node(b).sort.format;
    // The comparison may be of wider images.
    const auto constant = pool_.node(c).sort.format == format ? c : narrowOperand(format, c);
    if (!constant)
      return false;
    // The other arm: the value, or its extreme with the constant.
    NodeId value = b;
    const Kind extremum = pool_.node(b).kind;
    const bool isMax = extremum == Kind::FMax || extremum == Kind::FMaxNan,
               isMin = extremum == Kind::FMin || extremum == Kind::FMinNan;
    if (isMax || isMin) {
      const std::size_t at = pool_.args(b)[0] == *constant ? 0 : 1;
      if (pool_.args(b)[at] != *constant) // of another number it says nothing
        return false;
      value = pool_.args(b)[1 - at];
    }
    const NodeId image = imageIn(pool_.node(x).sort.format, value);
    if (image != x)
      return false;
    const auto width = static_cast<unsigned>(dsl::bitWidth(format));
    const std::uint64_t word = pool_.node(*constant).payload;
    const bool isZero = (word & ~(std::uint64_t{1} << (width - 1))) == 0;
    if (dsl::isNanBits(format, word))
      return false;
    for (const Term &bits : {rawBits(value), constantOrNode(value)})
      for (const Kind kind : {Kind::BitAnd, Kind::BitOr})
        if ((!isZero || (kind == Kind::BitAnd ? isMax : isMin)) &&
            asFloat(format, bitwiseOf(kind, bits, Term::constant(word), width)) == a)
          return true;
    return false;
  };
  // Of -x and -c the comparison asks x and c.
  return holds(u, v) || holds(fneg(u), fneg(v));
}

/// Whether the float `a` has the bits of u and v, combined by & or |; or is the wider image of
/// narrow values that have.
bool Terms::isOfBits(NodeId a, Kind kind, NodeId u, NodeId v) {
  const dsl::DType format = pool_.node(u).sort.format;
  const auto width = static_cast<unsigned>(dsl::bitWidth(format));
  if (asFloat(format, bitwiseOf(kind, rawBits(u), rawBits(v), width)) == a)
    return true;
  const bool isWidened = pool_.node(a).kind == Kind::FConvert;
  const NodeId inner = isWidened ? pool_.args(a)[0] : a;
  if (pool_.node(inner).kind != Kind::OfBits || pool_.node(pool_.args(inner)[0]).kind != kind)
    return false;
  const dsl::DType narrow = pool_.node(inner).sort.format;
  const auto side = [&](std::size_t k) {
    const NodeId bits = pool_.args(pool_.args(inner)[0])[k];
    const NodeId value = settled(asFloat(narrow, constantOrNode(bits)));
    return isWidened ? settled(fconvert(format, value, Round::NearestEven)) : value;
  };
  const NodeId p = side(0), q = side(1);
  return (p == settled(u) && q == settled(v)) || (p == settled(v) && q == settled(u));
}

/// if z is NaN then a else if u = v then u & v else if u < v then v else u: the maximum, where z
/// and a are u and v: a NaN then drops out, or v and v: it is kept. The bits of equal values differ
/// at most in a zero's sign, which & (for the minimum |) orders. Of <= instead of < the same holds.
/// Where u or v is a number nothing need ask z.
std::optional<NodeId> Terms::asExtremum(NodeId condition, NodeId a, NodeId rest) {
  const auto asks = [&](NodeId z) { return isNan(z) == Term::of(condition); };
  // if z is NaN then -inf else z, or the maximum of both: that maximum.
  if (infinityOf(a) != 0 &&
      pool_.node(rest).kind == (infinityOf(a) < 0 ? Kind::FMax : Kind::FMin)) {
    const NodeId one = pool_.args(rest)[0], other = pool_.args(rest)[1];
    if ((one == a && asks(other)) || (other == a && asks(one)))
      return rest;
  }
  if (pool_.node(a).kind == Kind::Constant && asks(rest)) {
    const dsl::DType format = pool_.node(a).sort.format;
    const dsl::FloatFormat f = dsl::floatFormat(format);
    const std::uint64_t infinity = ((std::uint64_t{1} << f.exponentBits) - 1) << f.mantissaBits;
    if (f.hasInfinity && pool_.node(a).payload == infinity)
      return fminmax(Kind::FMin, a, rest);
    if (f.hasInfinity &&
        pool_.node(a).payload == (infinity | std::uint64_t{1} << (dsl::bitWidth(format) - 1)))
      return fminmax(Kind::FMax, a, rest);
  }
  const auto isNumber = [&](NodeId x) { return isNan(x) == Term::constant(0); };
  // Of z and a number y: if z is NaN then z else max(z, y) keeps it, and if z is NaN then y else
  // the maximum that keeps it drops it.
  if (const Kind kind = pool_.node(rest).kind;
      kind == Kind::FMax || kind == Kind::FMin || kind == Kind::FMaxNan || kind == Kind::FMinNan) {
    const bool isMax = kind == Kind::FMax || kind == Kind::FMaxNan;
    const bool dropped = kind == Kind::FMax || kind == Kind::FMin;
    for (const std::size_t k : {0u, 1u}) {
      const NodeId z = pool_.args(rest)[k], y = pool_.args(rest)[1 - k];
      if (dropped && settled(a) == settled(y) && asks(z)) // asked twice
        return rest;
      if (settled(a) != settled(dropped ? z : y) || !asks(z) || !isNumber(y))
        continue;
      if (dropped)
        return fminmax(isMax ? Kind::FMaxNan : Kind::FMinNan, z, y);
      return fminmax(isMax ? Kind::FMax : Kind::FMin, z, y);
    }
  }
  const auto isSelect = [&](NodeId node, std::initializer_list<Kind> conditions) {
    return pool_.node(node).kind == Kind::Select &&
           std::ranges::find(conditions, pool_.node(pool_.args(node)[0]).kind) != conditions.end();
  };
  const bool isAsked = pool_.node(condition).kind == Kind::IsNan;
  if (isAsked && !isSelect(rest, {Kind::FEq}))
    return std::nullopt;
  const std::array<NodeId, 3> equal =
      isAsked ? std::array{pool_.args(rest)[0], pool_.args(rest)[1], pool_.args(rest)[2]}
              : std::array{condition, a, rest};
  if (!isSelect(equal[2], {Kind::FLt, Kind::FLe}))
    return std::nullopt;
  // Comparisons know sets; arms may still be trees.
  const std::array<NodeId, 3> less = {pool_.args(equal[2])[0], settled(pool_.args(equal[2])[1]),
                                      settled(pool_.args(equal[2])[2])};
  const NodeId u = pool_.args(less[0])[0], v = pool_.args(less[0])[1];
  const auto wide = [&](NodeId arm) { // the comparison may be of wider images
    return settled(imageIn(pool_.node(u).sort.format, arm));
  };
  const bool isMax = wide(less[1]) == v && wide(less[2]) == u;
  const bool isMin = wide(less[1]) == u && wide(less[2]) == v;
  const bool sameOperands =
      pool_.args(equal[0])[0] == std::min(u, v) && pool_.args(equal[0])[1] == std::max(u, v);
  if (!(isMax || isMin) || !sameOperands)
    return std::nullopt;
  if (isAsked && settled(a) != less[1])
    return std::nullopt;
  const bool drops = isAsked ? asks(less[2]) : isNumber(less[2]);
  const bool keeps = isAsked ? asks(less[1]) : isNumber(less[1]);
  if (!drops && !keeps)
    return std::nullopt;
  if (!isOfBits(equal[1], isMax ? Kind::BitAnd : Kind::BitOr, less[1], less[2]))
    return std::nullopt;
  const Kind kind =
      drops ? (isMax ? Kind::FMax : Kind::FMin) : (isMax ? Kind::FMaxNan : Kind::FMinNan);
  return fminmax(kind, less[1], less[2]);
}

/// What an arm is, given that the condition has this truth: of a select on the same condition its
/// arm; of one whose condition holds that one, a simpler select.
Term Terms::armOf(const Term &condition, const Term &arm, bool holds) {
  if (!arm.isNode() || pool_.node(arm.node()).kind != Kind::Select)
    return arm;
  const std::array<NodeId, 3> args = {pool_.args(arm.node())[0], pool_.args(arm.node())[1],
                                      pool_.args(arm.node())[2]};
  const auto kept = [&](NodeId id) {
    return pool_.node(id).kind == Kind::Undefined ? Term{} : constantOrNode(id);
  };
  if (args[0] == condition.node())
    return kept(args[holds ? 1 : 2]);
  const Term simpler = conditionGiven(args[0], condition, holds);
  if (simpler == Term::of(args[0]))
    return arm;
  return select(simpler, kept(args[1]), kept(args[2]), pool_.node(arm.node()).sort.width);
}

/// A conjunction without the conjunct that is known, or false.
Term Terms::conditionGiven(NodeId conjunction, const Term &known, bool holds) {
  const Term wanted = holds ? known : notBit(known);
  std::vector<NodeId> all;
  bool isKnown = false;
  NodeId id = conjunction;
  for (bool isLast = false; !isLast;) {
    isLast = pool_.node(id).kind != Kind::And;
    const NodeId part = isLast ? id : pool_.args(id)[1];
    if (notBit(Term::of(part)) == wanted)
      return Term::constant(0);
    if (Term::of(part) == wanted)
      isKnown = true;
    else
      all.push_back(part);
    id = isLast ? id : pool_.args(id)[0];
  }
  if (!isKnown)
    return Term::of(conjunction);
  Term rest = Term::constant(1);
  for (const NodeId part : all)
    rest = andBit(rest, Term::of(part));
  return rest;
}

/// The operation on the arms, where one operand is a choice of constants and the other is known, or
/// chosen by the same condition.
std::optional<Term>
Terms::throughSelect(const Term &a, const Term &b, unsigned width,
                     const std::function<Term(const Term &, const Term &)> &op) {
  const auto choice = [&](const Term &t) -> std::optional<std::array<NodeId, 3>> {
    if (!t.isNode())
      return std::nullopt;
    const Node n = pool_.node(t.node());
    if (n.kind != Kind::Select || n.sort.isFloat())
      return std::nullopt;
    const auto args = pool_.args(t.node());
    const auto isKnown = [&](NodeId arm) {
      return pool_.node(arm).kind == Kind::Constant || isForm(Term::of(arm));
    };
    if (!isKnown(args[1]) && !isKnown(args[2]))
      return std::nullopt;
    return std::array<NodeId, 3>{args[0], args[1], args[2]};
  };
  const auto x = choice(a), y = choice(b);
  if (x && y && (*x)[0] == (*y)[0])
    return select(Term::of((*x)[0]), op(constantOrNode((*x)[1]), constantOrNode((*y)[1])),
                  op(constantOrNode((*x)[2]), constantOrNode((*y)[2])), width);
  // One choice whose condition holds the other's, or denies it.
  const auto follows = [&](const Term &inner, NodeId condition) {
    const Term on = Term::of(condition);
    return armOf(on, inner, true) != inner || armOf(on, inner, false) != inner;
  };
  if (x && y && follows(b, (*x)[0]))
    return select(Term::of((*x)[0]), op(constantOrNode((*x)[1]), armOf(Term::of((*x)[0]), b, true)),
                  op(constantOrNode((*x)[2]), armOf(Term::of((*x)[0]), b, false)), width);
  if (x && y && follows(a, (*y)[0]))
    return select(Term::of((*y)[0]), op(armOf(Term::of((*y)[0]), a, true), constantOrNode((*y)[1])),
                  op(armOf(Term::of((*y)[0]), a, false), constantOrNode((*y)[2])), width);
  // A choice of two numbers beside one of others: the numbers' is the outer one.
  const auto isOfNumbers = [&](const std::array<NodeId, 3> &parts) {
    return pool_.node(parts[1]).kind == Kind::Constant &&
           pool_.node(parts[2]).kind == Kind::Constant;
  };
  if (x && y && isOfNumbers(*y) && !isOfNumbers(*x))
    return select(Term::of((*y)[0]), op(a, constantOrNode((*y)[1])), op(a, constantOrNode((*y)[2])),
                  width);
  if (x && y && isOfNumbers(*x) && !isOfNumbers(*y))
    return select(Term::of((*x)[0]), op(constantOrNode((*x)[1]), b), op(constantOrNode((*x)[2]), b),
                  width);
  if (x && !y && (b.isConstant() || isForm(b)))
    return select(Term::of((*x)[0]), op(constantOrNode((*x)[1]), b), op(constantOrNode((*x)[2]), b),
                  width);
  if (y && !x && (a.isConstant() || isForm(a)))
    return select(Term::of((*y)[0]), op(a, constantOrNode((*y)[1])), op(a, constantOrNode((*y)[2])),
                  width);
  return std::nullopt;
}

/// Of a choice of a number and of data both arms: as sums, products and cuts have it.
std::optional<Term> Terms::onNumberArm(const Term &a, unsigned width,
                                       const std::function<Term(const Term &)> &op) {
  if (!a.isNode() || pool_.node(a.node()).kind != Kind::Select ||
      pool_.node(a.node()).sort.isFloat())
    return std::nullopt;
  const std::array<NodeId, 3> parts = {pool_.args(a.node())[0], pool_.args(a.node())[1],
                                       pool_.args(a.node())[2]};
  const Term yes = constantOrNode(parts[1]), no = constantOrNode(parts[2]);
  if (yes.isConstant() == no.isConstant() || isForm(yes) || isForm(no) || yes.isUndefined() ||
      no.isUndefined())
    return std::nullopt;
  return select(Term::of(parts[0]), op(yes), op(no), width);
}

} // namespace ordo::verify
