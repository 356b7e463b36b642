#include "compiler/verify/proof/under.h"

#include "compiler/verify/machine/fault.h"

#include <algorithm>

namespace ordo::verify {
namespace {

bool holdsForm(Kind kind) {
  return kind == Kind::Integer || kind == Kind::AtLeastZero || kind == Kind::IsZero ||
         kind == Kind::FloorDiv || kind == Kind::Fold;
}

bool isCondition(Kind kind) {
  switch (kind) {
  case Kind::AtLeastZero:
  case Kind::IsZero:
  case Kind::Not:
  case Kind::And:
  case Kind::Or:
  case Kind::FEq:
  case Kind::FLt:
  case Kind::FLe:
  case Kind::IsNan:
    return true;
  default:
    return false;
  }
}

} // namespace

Under::Under(Terms &terms, Conditions conditions)
    : terms_(terms), conditions_(std::move(conditions)) {
  pin(terms_, conditions_);
}

NodeId Under::operator()(NodeId root) {
  if (conditions_.given.empty() && conditions_.others.empty())
    return root;
  std::vector<std::pair<NodeId, bool>> stack = {{root, false}}; // whether children are done
  while (!stack.empty()) {
    const auto [id, isReady] = stack.back();
    stack.pop_back();
    if (known_.contains(id))
      continue;
    if (isReady) {
      known_[id] = rebuilt(id);
      continue;
    }
    stack.emplace_back(id, true);
    forEachOperand(terms_, id, [&](NodeId child) {
      if (!known_.contains(child))
        stack.emplace_back(child, false);
    });
  }
  return known_.at(root);
}

Term Under::term(NodeId id) const {
  const NodeId node = now(id);
  const Node &n = terms_.pool().node(node);
  if (n.kind == Kind::Undefined)
    return {};
  return n.kind == Kind::Constant && !n.sort.isFloat() ? Term::constant(n.payload) : Term::of(node);
}

/// With every atom as it is now, and mins, maxs and quotients decided.
AffineId Under::form(AffineId id) {
  if (const auto it = forms_.find(id); it != forms_.end())
    return it->second;
  AffinePool &affine = terms_.affine();
  const AffineId before = settled(terms_, id, conditions_);
  AffineId result = before;
  const Affine f = affine.form(before);
  for (const auto &[atom, factor] : f.terms) {
    // An atom that settling brought in is one of a smaller form, settled like the others.
    const auto it = known_.find(atom);
    if (it == known_.end() || it->second == atom)
      continue;
    const AffineId other = affine.sub(result, affine.scale(affine.atom(atom), factor));
    result = affine.combine(other, 1, terms_.exact(term(atom), width(atom)), factor);
  }
  forms_[id] = result;
  return result;
}

std::optional<bool> Under::decided(NodeId id) {
  for (const Condition &c : conditions_.others)
    if (c.node == id)
      return c.holds;
  const Node &n = terms_.pool().node(id);
  if (n.kind != Kind::AtLeastZero && n.kind != Kind::IsZero)
    return std::nullopt;
  AffinePool &affine = terms_.affine();
  Facts &facts = terms_.facts();
  const AffineId at = form(static_cast<AffineId>(n.payload));
  const AffineId negative = affine.scale(at, -1);
  const bool isAtLeast = facts.holds(at, conditions_.given);
  if (n.kind == Kind::AtLeastZero && isAtLeast)
    return true;
  if (facts.holds(affine.plus(negative, -1), conditions_.given))
    return false;
  if (n.kind == Kind::AtLeastZero)
    return std::nullopt;
  if (facts.holds(affine.plus(at, -1), conditions_.given))
    return false;
  return isAtLeast && facts.holds(negative, conditions_.given) ? std::optional(true) : std::nullopt;
}

NodeId Under::rebuilt(NodeId id) {
  const Node n = terms_.pool().node(id);
  if (holdsForm(n.kind) || n.kind == Kind::Input) { // a form of what nobody defined
    bool isDefined = true;
    forEachOperand(terms_, id, [&](NodeId child) {
      isDefined = isDefined && terms_.pool().node(now(child)).kind != Kind::Undefined;
    });
    if (!isDefined)
      return terms_.pool().make(Kind::Undefined, n.sort);
  }
  if (n.sort == Sort::bits(1))
    if (const auto truth = decided(id))
      return terms_.asBits(1, Term::constant(*truth));
  bool isChanged = holdsForm(n.kind) || n.kind == Kind::Input || n.kind == Kind::MinU ||
                   n.kind == Kind::MaxU || n.kind == Kind::Symbol;
  forEachOperand(terms_, id, [&](NodeId child) { isChanged = isChanged || now(child) != child; });
  if (!isChanged)
    return id;
  if (n.kind == Kind::Fold)
    return rebuiltFold(id);
  if (n.kind == Kind::Input) {
    const Node index = terms_.pool().node(terms_.pool().args(id)[0]);
    const AffineId element =
        index.kind == Kind::Constant
            ? terms_.affine().constant(static_cast<std::int64_t>(index.payload))
            : form(static_cast<AffineId>(index.payload));
    return terms_.pool().make(Kind::Input, n.sort, n.payload,
                              {terms_.pool().make(Kind::Integer, Sort::bits(64), element)});
  }
  if (isCondition(n.kind))
    return terms_.asBits(1, rebuiltCondition(id));
  if (!n.sort.isFloat())
    return terms_.asBits(n.sort.width, rebuiltBits(id));
  std::vector<NodeId> args;
  for (const NodeId arg : terms_.pool().args(id))
    args.push_back(now(arg));
  return terms_.onFloats(n, args);
}

/// The conditions say nothing of a step's names: what holds of the body holds of every step.
NodeId Under::rebuiltFold(NodeId id) {
  const std::vector<NodeId> args(terms_.pool().args(id).begin(), terms_.pool().args(id).end());
  const AffineId count = form(static_cast<AffineId>(terms_.pool().node(id).payload));
  return terms_.fold(count, now(args[0]), now(args[1]), args[2], args[3]);
}

Term Under::rebuiltCondition(NodeId id) {
  const Node n = terms_.pool().node(id);
  const std::vector<NodeId> args(terms_.pool().args(id).begin(), terms_.pool().args(id).end());
  switch (n.kind) {
  case Kind::AtLeastZero:
    return terms_.atLeastZero(form(static_cast<AffineId>(n.payload)));
  case Kind::IsZero:
    return terms_.isZero(form(static_cast<AffineId>(n.payload)));
  case Kind::Not:
    return terms_.notBit(term(args[0]));
  case Kind::And:
    return terms_.andBit(term(args[0]), term(args[1]));
  case Kind::Or:
    return terms_.orBit(term(args[0]), term(args[1]));
  case Kind::IsNan:
    return terms_.isNan(now(args[0]));
  default:
    return terms_.fcompare(n.kind, now(args[0]), now(args[1]));
  }
}

/// Its factors are numbers, each of its own width: none is read as one of the product's.
Term Under::rebuiltProduct(NodeId id) {
  const std::vector<NodeId> args(terms_.pool().args(id).begin(), terms_.pool().args(id).end());
  if (std::ranges::any_of(args, [&](NodeId arg) { return term(arg).isUndefined(); }))
    return {};
  try {
    AffineId all = terms_.exact(term(args[0]), width(args[0]));
    for (std::size_t k = 1; k < args.size(); ++k)
      all = terms_.product(all, terms_.exact(term(args[k]), width(args[k])));
    return terms_.integer(all, width(id));
  } catch (const DomainError &) { // not known to fit: it stays what it was
    return Term::of(id);
  }
}

Term Under::rebuiltBits(NodeId id) {
  const Node n = terms_.pool().node(id);
  const std::vector<NodeId> args(terms_.pool().args(id).begin(), terms_.pool().args(id).end());
  const unsigned w = n.sort.width;
  const auto combined = [&](Term (Terms::*op)(const Term &, const Term &, unsigned)) {
    Term all = term(args[0]);
    for (std::size_t k = 1; k < args.size(); ++k)
      all = (terms_.*op)(all, term(args[k]), w);
    return all;
  };
  switch (n.kind) {
  case Kind::Integer:
    return terms_.integer(form(static_cast<AffineId>(n.payload)), w);
  case Kind::FloorDiv: {
    const AffineId at = settled(terms_, terms_.affine().atom(id), conditions_);
    if (at != terms_.affine().atom(id))
      return terms_.integer(form(at), w);
    const auto divisor = static_cast<std::int64_t>(terms_.pool().node(args[0]).payload);
    return terms_.integer(terms_.quotient(form(static_cast<AffineId>(n.payload)), divisor), w);
  }
  case Kind::Symbol:
    return terms_.integer(form(terms_.affine().atom(id)), w);
  case Kind::MinU:
  case Kind::MaxU: {
    const AffineId at = settled(terms_, terms_.affine().atom(id), conditions_);
    return at == terms_.affine().atom(id) ? terms_.minMax(n.kind, term(args[0]), term(args[1]), w)
                                          : terms_.integer(form(at), w);
  }
  case Kind::BitAnd:
    return combined(&Terms::bitAnd);
  case Kind::BitOr:
    return combined(&Terms::bitOr);
  case Kind::BitXor:
    return combined(&Terms::bitXor);
  case Kind::Mul:
    return n.payload == kExactProduct ? rebuiltProduct(id) : combined(&Terms::multiply);
  case Kind::MinS:
  case Kind::MaxS:
    return terms_.minMax(n.kind, term(args[0]), term(args[1]), w);
  case Kind::Extract:
    return terms_.extract(term(args[0]), static_cast<unsigned>(n.payload), w, width(args[0]));
  case Kind::SignExtend:
    return terms_.signExtend(term(args[0]), width(args[0]), w);
  case Kind::Concat: {
    std::vector<Term> parts;
    std::vector<unsigned> widths;
    for (const NodeId arg : args) {
      parts.push_back(term(arg));
      widths.push_back(width(arg));
    }
    return terms_.concat(parts, widths);
  }
  case Kind::Select:
    return terms_.select(term(args[0]), term(args[1]), term(args[2]), w);
  case Kind::Gcn:
    if (n.payload == static_cast<std::uint64_t>(Op::GcnClass) << 1 &&
        terms_.pool().node(args[1]).kind == Kind::Constant)
      return terms_.isOfClass(now(args[0]), terms_.pool().node(args[1]).payload);
    [[fallthrough]];
  default: {
    std::vector<NodeId> changed;
    for (const NodeId arg : args)
      changed.push_back(now(arg));
    if (n.kind == Kind::CmpEq || n.kind == Kind::MulHiU || n.kind == Kind::MulHiS)
      std::ranges::sort(changed);
    return Term::of(terms_.pool().make(n.kind, n.sort, n.payload, changed));
  }
  }
}

} // namespace ordo::verify
