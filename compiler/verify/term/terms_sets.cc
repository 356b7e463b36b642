// Conditions on one float, as the set of its bits: those of equal sets are one node, whether code
// asks with comparisons or by its bits.
#include "compiler/verify/machine/concrete.h"
#include "compiler/verify/term/terms.h"

#include <algorithm>
#include <array>

namespace ordo::verify {

using dsl::DType;

namespace {

constexpr int kDeepest = 8; // choices within each other
constexpr std::size_t kMostPieces = 16;

std::uint64_t signBit(DType format) { return std::uint64_t{1} << (dsl::bitWidth(format) - 1); }

bool hasSets(DType format) {
  return format == DType::F16 || format == DType::BF16 || format == DType::F32 ||
         format == DType::F64;
}

Wide floorDivided(Wide a, Wide b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }

} // namespace

/// A number of code that is made of a float's bits: slope * bits + offset, for bits low … high; and
/// of other bits the next piece says.
struct Terms::Piece {
  std::uint64_t low, high;
  int slope; // 1 or -1
  Wide offset;
};

/// The float that an atom's number depends on alone, and how.
std::optional<std::pair<NodeId, std::vector<Terms::Piece>>> Terms::piecesOf(NodeId atom) const {
  const Node n = pool_.node(atom);
  if (n.sort.isFloat()) {
    if (!hasSets(n.sort.format) || n.kind == Kind::Constant)
      return std::nullopt;
    const std::uint64_t sign = signBit(n.sort.format), last = sign | (sign - 1);
    const Wide half = sign;
    if (n.kind == Kind::FAbs)
      return std::pair(pool_.args(atom)[0],
                       std::vector<Piece>{{0, sign - 1, 1, 0}, {sign, last, 1, -half}});
    if (n.kind == Kind::FNeg)
      return std::pair(pool_.args(atom)[0],
                       std::vector<Piece>{{0, sign - 1, 1, half}, {sign, last, 1, -half}});
    return std::pair(atom, std::vector<Piece>{{0, last, 1, 0}});
  }
  if (n.kind != Kind::Integer)
    return std::nullopt;
  const Affine &form = affine_.form(static_cast<AffineId>(n.payload));
  if (form.terms.size() != 1 || std::abs(form.terms.front().second) != 1)
    return std::nullopt;
  auto inner = piecesOf(form.terms.front().first);
  if (!inner)
    return std::nullopt;
  std::vector<Piece> pieces; // cut where the number passes a multiple of 2^width
  const Wide modulus = Wide{1} << n.sort.width;
  for (Piece piece : inner->second) {
    piece.slope *= static_cast<int>(form.terms.front().second);
    piece.offset = piece.offset * form.terms.front().second + form.constant;
    for (std::uint64_t at = piece.low;;) {
      const Wide value = piece.slope * Wide{at} + piece.offset;
      const Wide turn = floorDivided(value, modulus) * modulus; // of this part
      const Wide room = piece.slope > 0 ? turn + modulus - 1 - value : value - turn;
      const std::uint64_t high =
          room >= Wide{piece.high - at} ? piece.high : at + static_cast<std::uint64_t>(room);
      pieces.push_back({at, high, piece.slope, piece.offset - turn});
      if (pieces.size() > kMostPieces)
        return std::nullopt;
      if (high == piece.high)
        break;
      at = high + 1;
    }
  }
  return std::pair(inner->first, std::move(pieces));
}

/// Bits for which number * sign + constant >= 0, or = 0; sign is 1 or -1.
FloatSet Terms::bitsWhere(DType format, std::span<const Piece> pieces, int sign, Wide constant,
                          bool isZero) {
  std::vector<FloatSet::Range> ranges;
  for (const Piece &piece : pieces) {
    const Wide offset = sign * piece.offset + constant; // slope * bits + offset
    Wide low = piece.low, high = piece.high;
    if (sign * piece.slope > 0) {
      low = std::max(low, -offset);
      high = isZero ? std::min(high, -offset) : high;
    } else {
      high = std::min(high, offset);
      low = isZero ? std::max(low, offset) : low;
    }
    if (low <= high)
      ranges.emplace_back(static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high));
  }
  return FloatSet::ofBits(format, std::move(ranges));
}

/// Pieces that lie on one side of the sign, as numbers with it.
std::vector<Terms::Piece> Terms::withSign(std::span<const Piece> pieces, unsigned width) {
  const Wide modulus = Wide{1} << width, half = modulus / 2;
  std::vector<Piece> cut;
  const auto add = [&](Piece piece, std::uint64_t low, std::uint64_t high, bool isNegative) {
    cut.push_back({low, high, piece.slope, piece.offset - (isNegative ? modulus : 0)});
  };
  for (const Piece &piece : pieces) {
    const bool first = piece.slope * Wide{piece.low} + piece.offset >= half,
               last = piece.slope * Wide{piece.high} + piece.offset >= half;
    if (first == last) {
      add(piece, piece.low, piece.high, first);
      continue;
    }
    // The bits at which the other side begins.
    const auto turn =
        static_cast<std::uint64_t>(piece.slope > 0 ? half - piece.offset : piece.offset - half + 1);
    add(piece, piece.low, turn - 1, first);
    add(piece, turn, piece.high, last);
  }
  return cut;
}

std::optional<Terms::OfOneFloat> Terms::setOfSigned(Kind kind, NodeId a, NodeId b) const {
  const bool isFirst = pool_.node(a).kind == Kind::Constant;
  const Node constant = pool_.node(isFirst ? a : b);
  if (constant.kind != Kind::Constant || constant.sort.isFloat())
    return std::nullopt;
  const auto pieces = piecesOf(isFirst ? b : a);
  if (!pieces)
    return std::nullopt;
  const unsigned width = constant.sort.width;
  const Wide modulus = Wide{1} << width, payload = Wide{constant.payload};
  const Wide bound = payload >= modulus / 2 ? payload - modulus : payload;
  const Wide strict = kind == Kind::CmpLtS ? 1 : 0;
  // constant < number: number - constant - 1 >= 0.
  return OfOneFloat{pieces->first, bitsWhere(pool_.node(pieces->first).sort.format,
                                             withSign(pieces->second, width), isFirst ? 1 : -1,
                                             (isFirst ? -bound : bound) - strict, false)};
}

/// Whether the atom's number depends on one float's bits alone, as pieces have it.
bool Terms::isOfFloatBits(NodeId atom) const { return piecesOf(atom).has_value(); }

/// Whether a condition on the form may be one on a float's bits.
bool Terms::isOfOneFloat(AffineId form) const {
  const Affine &f = affine_.form(form);
  if (f.terms.size() != 1)
    return false;
  const Node &atom = pool_.node(f.terms.front().first);
  return atom.sort.isFloat() || atom.kind == Kind::Integer;
}

/// A float's comparison with a constant, or of a form that rests on its bits alone.
std::optional<Terms::OfOneFloat> Terms::setOfLeaf(NodeId condition) const {
  const Node n = pool_.node(condition);
  const auto args = pool_.args(condition);
  const auto ofPieces = [&](NodeId atom, int sign, Wide constant,
                            bool isZero) -> std::optional<OfOneFloat> {
    const auto pieces = piecesOf(atom);
    if (!pieces)
      return std::nullopt;
    return OfOneFloat{pieces->first, bitsWhere(pool_.node(pieces->first).sort.format,
                                               pieces->second, sign, constant, isZero)};
  };
  switch (n.kind) {
  case Kind::IsNan:
    if (!hasSets(pool_.node(args[0]).sort.format))
      return std::nullopt;
    return OfOneFloat{args[0], FloatSet::nan(pool_.node(args[0]).sort.format)};
  case Kind::Gcn:
    if (n.payload >> 1 != static_cast<std::uint64_t>(Op::GcnClass) ||
        pool_.node(args[1]).kind != Kind::Constant || !hasSets(pool_.node(args[0]).sort.format))
      return std::nullopt;
    return beforeSigns(
        args[0], FloatSet::ofClasses(pool_.node(args[0]).sort.format, pool_.node(args[1]).payload));
  case Kind::FEq:
  case Kind::FLt:
  case Kind::FLe:
    return setOfComparison(n.kind, args[0], args[1]);
  case Kind::AtLeastZero:
  case Kind::IsZero: {
    const Affine &form = affine_.form(static_cast<AffineId>(n.payload));
    if (form.terms.size() != 1 || std::abs(form.terms.front().second) != 1)
      return std::nullopt;
    return ofPieces(form.terms.front().first, static_cast<int>(form.terms.front().second),
                    form.constant, n.kind == Kind::IsZero);
  }
  case Kind::CmpLtS:
  case Kind::CmpLeS:
    return setOfSigned(n.kind, args[0], args[1]);
  default:
    return std::nullopt;
  }
}

std::optional<Terms::OfOneFloat> Terms::setOfComparison(Kind kind, NodeId a, NodeId b) const {
  const bool isFirst = pool_.node(a).kind == Kind::Constant;
  const NodeId constant = isFirst ? a : b;
  const NodeId x = isFirst ? b : a;
  const Node c = pool_.node(constant);
  if (c.kind != Kind::Constant || !hasSets(c.sort.format) || pool_.node(x).kind == Kind::Constant ||
      dsl::isNanBits(c.sort.format, c.payload))
    return std::nullopt;
  FloatSet set = kind == Kind::FEq ? FloatSet::equal(c.sort.format, c.payload)
                 : isFirst         ? FloatSet::above(c.sort.format, c.payload, kind == Kind::FLe)
                                   : FloatSet::below(c.sort.format, c.payload, kind == Kind::FLe);
  return beforeSigns(x, std::move(set));
}

/// Of -x, |x| and -|x| the x that is in the set before.
Terms::OfOneFloat Terms::beforeSigns(NodeId x, FloatSet set) const {
  for (Kind kind = pool_.node(x).kind; kind == Kind::FNeg || kind == Kind::FAbs;
       kind = pool_.node(x).kind) {
    set = kind == Kind::FNeg ? set.beforeNegation() : set.beforeMagnitude();
    x = pool_.args(x)[0];
  }
  return {x, std::move(set)};
}

/// Whether a float is of one of these classes (FloatSet::ofClasses).
Term Terms::isOfClass(NodeId a, std::uint64_t classes) {
  a = settled(a);
  const DType format = pool_.node(a).sort.format;
  const NodeId mask = asBits(32, Term::constant(classes));
  const Term known = Term::of(pool_.make(Kind::Gcn, Sort::bits(1),
                                         static_cast<std::uint64_t>(Op::GcnClass) << 1, {a, mask}));
  if (!hasSets(format))
    return known;
  const FloatSet set = FloatSet::ofClasses(format, classes), other = set.complement();
  if (set.nans() == FloatSet::Nan::Some)
    return known;
  if (const Node n = pool_.node(a); n.kind == Kind::Constant)
    return Term::constant(set.contains(n.payload));
  // Laws ask for a question about a NaN, or for equality, as such.
  const bool isIn = set.nans() == FloatSet::Nan::In;
  const FloatSet &numbers = isIn ? other : set;
  const auto asked = [&](const Term &condition) { return isIn ? notBit(condition) : condition; };
  if (numbers.isEmpty())
    return asked(Term::constant(0));
  if (numbers == FloatSet::nan(format).complement())
    return asked(notBit(isNan(a)));
  for (const std::uint64_t bits : {numbers.numbers().front().first, numbers.numbers().back().first})
    if (FloatSet::equal(format, bits) == numbers)
      return asked(fcompare(Kind::FEq, a, floatConstant(format, bits)));
  return knownCondition(known);
}

/// If c then a number else x, and the other way about, where c puts the number in the place of all
/// that is beyond it: an extremum of both. What a NaN becomes says which. -0 is below +0.
std::optional<NodeId> Terms::asBound(NodeId condition, NodeId a, NodeId b) {
  const bool isFirst = floatBits(a).has_value();
  if (isFirst == floatBits(b).has_value())
    return std::nullopt;
  const NodeId bound = isFirst ? a : b, x = isFirst ? b : a;
  const DType format = pool_.node(bound).sort.format;
  const std::uint64_t bits = *floatBits(bound);
  const auto of = setOf(condition);
  if (!of || !hasSets(format) || of->set.nans() == FloatSet::Nan::Some ||
      dsl::isNanBits(format, bits) || beforeSigns(x, of->set).of != of->of)
    return std::nullopt;
  const FloatSet taken = isFirst ? of->set : of->set.complement();
  const auto takesBeyond = [&](bool isAbove) {
    return std::ranges::any_of(std::array{false, true}, [&](bool orEqual) {
      const FloatSet beyond = FloatSet::beyond(format, bits, isAbove, orEqual);
      return beforeSigns(x, beyond).set.numbers() == taken.numbers();
    });
  };
  const bool isMin = takesBeyond(true);
  if (!isMin && !takesBeyond(false))
    return std::nullopt;
  const bool drops = taken.nans() == FloatSet::Nan::In || isNever(x, true, kDeepest);
  return fminmax(drops ? (isMin ? Kind::FMin : Kind::FMax)
                       : (isMin ? Kind::FMinNan : Kind::FMaxNan),
                 x, bound);
}

/// Nothing where the condition speaks of more than one float, or of none.
const std::optional<Terms::OfOneFloat> &Terms::setOf(NodeId condition) {
  if (const auto it = sets_.find(condition); it != sets_.end())
    return it->second;
  const Kind kind = pool_.node(condition).kind;
  std::optional<OfOneFloat> result;
  if (kind == Kind::Not) {
    if (const auto &inner = setOf(pool_.args(condition)[0]))
      result = {inner->of, inner->set.complement()};
  } else if (kind == Kind::And) {
    const auto first = setOf(pool_.args(condition)[0]);
    const auto &second = setOf(pool_.args(condition)[1]);
    if (first && second && first->of == second->of)
      result = {first->of, first->set.and_(second->set)};
  } else {
    result = setOfLeaf(condition);
  }
  if (result && result->set.nans() != FloatSet::Nan::Out && isNever(result->of, true, kDeepest))
    result->set = result->set.withoutNan();
  return sets_[condition] = std::move(result);
}

/// The first condition that was made for these bits of this float.
Term Terms::knownCondition(const Term &condition) {
  if (!condition.isNode())
    return condition;
  const auto of = setOf(condition.node());
  if (!of || of->set.nans() == FloatSet::Nan::Some)
    return condition;
  if (of->set.isEmpty())
    return Term::constant(0);
  FloatSet other = of->set.complement();
  if (isNever(of->of, true, kDeepest))
    other = other.withoutNan();
  if (other.isEmpty())
    return Term::constant(1);
  if (const auto it = conditions_.find({of->of, other}); it != conditions_.end())
    return notBit(Term::of(it->second));
  return Term::of(conditions_.try_emplace({of->of, of->set}, condition.node()).first->second);
}

/// Conjuncts that speak of one float become those of the first condition of the same set, where
/// what they say together is known of all NaNs. False where that is nothing. Each float once: what
/// takes a place is not looked at again.
bool Terms::joinConditions(std::vector<NodeId> &all) {
  std::map<NodeId, std::vector<NodeId>> byFloat;
  for (const NodeId id : all)
    if (const auto &of = setOf(id))
      byFloat[of->of].push_back(id);
  for (auto &[of, same] : byFloat) {
    if (same.size() < 2)
      continue;
    std::ranges::sort(same);
    NodeId chain = same.front();
    for (std::size_t m = 1; m < same.size(); ++m)
      chain = pool_.make(Kind::And, Sort::bits(1), 0, {chain, same[m]});
    const Term known = knownCondition(Term::of(chain));
    if (known == Term::constant(0))
      return false;
    std::erase_if(all, [&](NodeId id) { return std::ranges::binary_search(same, id); });
    if (!known.isNode())
      continue;
    NodeId rest = known.node();
    for (; pool_.node(rest).kind == Kind::And; rest = pool_.args(rest)[0])
      all.push_back(pool_.args(rest)[1]);
    all.push_back(rest);
  }
  std::ranges::sort(all);
  const auto [from, to] = std::ranges::unique(all);
  all.erase(from, to);
  return true;
}

/// A tree of choices by one float: what is chosen where.
struct Terms::Leaves {
  NodeId of; // the float
  std::vector<std::pair<std::uint64_t, FloatSet>> constants;
  std::optional<NodeId> conversion; // of the float to an integer
};

/// False where a leaf is something else, or where it is not known what a NaN chooses.
bool Terms::collectLeaves(Leaves &leaves, const Term &value, const FloatSet &set, int depth) {
  if (set.nans() == FloatSet::Nan::Some)
    return false;
  if (set.isEmpty())
    return true;
  if (value.isConstant()) {
    leaves.constants.emplace_back(value.bits, set);
    return true;
  }
  if (!value.isNode())
    return false;
  const Node n = pool_.node(value.node());
  const std::vector<NodeId> args(pool_.args(value.node()).begin(), pool_.args(value.node()).end());
  if (n.kind == Kind::FToS || n.kind == Kind::FToU) {
    if (args[0] != leaves.of || (leaves.conversion && *leaves.conversion != value.node()))
      return false;
    leaves.conversion = value.node();
    return true;
  }
  if (n.kind != Kind::Select || depth == 0)
    return false;
  const auto condition = setOf(args[0]);
  return condition && condition->of == leaves.of &&
         collectLeaves(leaves, constantOrNode(args[1]), set.and_(condition->set), depth - 1) &&
         collectLeaves(leaves, constantOrNode(args[2]), set.and_(condition->set.complement()),
                       depth - 1);
}

/// A float as an integer, with choices around it that give what it gives: where the float is too
/// large, too small or a NaN. Between two numbers of one sign the integer lies between theirs.
std::optional<Term> Terms::asConversion(NodeId condition, const Term &a, const Term &b) {
  const auto of = setOf(condition);
  if (!of)
    return std::nullopt;
  Leaves leaves{of->of, {}, {}};
  if (!collectLeaves(leaves, a, of->set, kDeepest) ||
      !collectLeaves(leaves, b, of->set.complement(), kDeepest) || !leaves.conversion)
    return std::nullopt;
  const Node n = pool_.node(*leaves.conversion);
  Instruction i;
  i.op = n.kind == Kind::FToS ? Op::FToS : Op::FToU;
  i.format = of->set.format();
  i.from = i.format;
  i.width = n.sort.width;
  i.rounding = static_cast<Round>(n.payload);
  i.src.resize(1);
  const auto gives = [&](std::uint64_t bits) {
    return computeFloat(i, &bits, NanStyle::Canonical);
  };
  for (const auto &[constant, set] : leaves.constants) {
    if (set.nans() == FloatSet::Nan::In && gives(dsl::canonicalNan(i.format)) != constant)
      return std::nullopt;
    for (const auto &[low, high] : set.numbers())
      if (gives(low) != constant || gives(high) != constant)
        return std::nullopt;
  }
  return Term::of(*leaves.conversion);
}

} // namespace ordo::verify
