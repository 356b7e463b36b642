// Laws of conditions and of selection.
#include "compiler/verify/term/terms.h"

#include <algorithm>

namespace ordo::verify {

bool Terms::isOneBit(NodeId node) const {
  const Sort sort = pool_.node(node).sort;
  return !sort.isFloat() && sort.width == 1;
}

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
  if (const auto by = apart(a, b)) // the stronger one
    return *by >= 0 ? a : b;
  return opaque(Kind::And, 1, {std::min(a.node(), b.node()), std::max(a.node(), b.node())});
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
  if (width == 1 && !a.isUndefined() && !b.isUndefined())
    return orBit(andBit(condition, a), andBit(notBit(condition), b));
  const Term x = armOf(condition, a, true), y = armOf(condition, b, false);
  if (x == y)
    return x;
  if (const auto extreme = asMinMax(condition.node(), x, y, width))
    return *extreme;
  const auto format = [&](const Term &t) {
    return t.isNode() ? pool_.node(t.node()).sort : Sort::bits(width);
  };
  // Of two floats it is a float; with a constant it stays bits, whose NaN is that very one.
  if (x.isNode() && y.isNode() && format(x) == format(y) && format(x).isFloat())
    return Term::of(selectFloat(condition.node(), x.node(), y.node()));
  return opaque(Kind::Select, width, {condition.node(), asBits(width, x), asBits(width, y)});
}

/// if a < b then a else b, and its like, of numbers.
std::optional<Term> Terms::asMinMax(NodeId condition, const Term &a, const Term &b,
                                    unsigned width) {
  const Node n = pool_.node(condition);
  if (n.kind != Kind::AtLeastZero || width < 32 || !(a.isConstant() || isForm(a)) ||
      !(b.isConstant() || isForm(b)))
    return std::nullopt;
  const AffineId x = exact(a, width), y = exact(b, width);
  const auto by =
      affine_.constantOf(affine_.sub(static_cast<AffineId>(n.payload), affine_.sub(y, x)));
  const auto back =
      affine_.constantOf(affine_.sub(static_cast<AffineId>(n.payload), affine_.sub(x, y)));
  if (by == 0 || by == -1)
    return minMax(Kind::MinU, a, b, width);
  if (back == 0 || back == -1)
    return minMax(Kind::MaxU, a, b, width);
  return std::nullopt;
}

/// What an arm is, given that the condition has this truth: one select on the same condition less.
Term Terms::armOf(const Term &condition, const Term &arm, bool holds) {
  if (!arm.isNode() || pool_.node(arm.node()).kind != Kind::Select)
    return arm;
  const auto args = pool_.args(arm.node());
  if (args[0] != condition.node())
    return arm;
  const NodeId kept = args[holds ? 1 : 2];
  return pool_.node(kept).kind == Kind::Undefined ? Term{} : constantOrNode(kept);
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
  if (x && !y && (b.isConstant() || isForm(b)))
    return select(Term::of((*x)[0]), op(constantOrNode((*x)[1]), b), op(constantOrNode((*x)[2]), b),
                  width);
  if (y && !x && (a.isConstant() || isForm(a)))
    return select(Term::of((*y)[0]), op(a, constantOrNode((*y)[1])), op(a, constantOrNode((*y)[2])),
                  width);
  return std::nullopt;
}

} // namespace ordo::verify
