// Folds over a number of steps that need not be known. Bound names are brought to canonical ones,
// so that equal folds are one node whatever their steps were called.
#include "compiler/verify/machine/fault.h"
#include "compiler/verify/term/terms.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <unordered_set>

namespace ordo::verify {

/// Another name for symbols, throughout a term. Laws hold under any name, but operands that commute
/// are sorted by it.
class Terms::Renaming {
public:
  Renaming(Terms &terms, std::map<NodeId, NodeId> names)
      : t_(terms), done_(names.begin(), names.end()) {
    for (const auto &[from, to] : names)
      oldest_ = std::min(oldest_, from);
  }

  NodeId operator()(NodeId id) {
    if (id < oldest_) // a node comes after what it mentions
      return id;
    if (const auto it = done_.find(id); it != done_.end())
      return it->second;
    const NodeId result = rebuilt(id);
    done_[id] = result;
    return result;
  }

  AffineId form(AffineId id) {
    const Affine f = t_.affine_.form(id);
    AffineId result = t_.affine_.constant(f.constant);
    for (const auto &[atom, factor] : f.terms)
      result = t_.affine_.combine(result, 1, t_.affine_.atom((*this)(atom)), factor);
    return result;
  }

private:
  NodeId rebuilt(NodeId id) {
    const Node n = t_.pool_.node(id);
    const std::vector<NodeId> before(t_.pool_.args(id).begin(), t_.pool_.args(id).end());
    std::vector<NodeId> args = before;
    if (n.kind == Kind::Fold) { // its own names stay
      args[0] = (*this)(args[0]);
      args[1] = (*this)(args[1]);
      const NodeId result =
          t_.pool_.make(n.kind, n.sort, form(static_cast<AffineId>(n.payload)), args);
      t_.foldLevels_[result] = t_.foldLevels_.at(id);
      return result;
    }
    for (NodeId &arg : args)
      arg = (*this)(arg);
    switch (n.kind) {
    case Kind::Integer:
    case Kind::FloorDiv:
      return t_.pool_.make(n.kind, n.sort, form(static_cast<AffineId>(n.payload)), args);
    case Kind::AtLeastZero:
    case Kind::IsZero:
      return condition(n, form(static_cast<AffineId>(n.payload)));
    case Kind::Not:
      return t_.asBits(1, t_.notBit(Term::of(args[0])));
    case Kind::And:
      return t_.asBits(1, t_.andBit(Term::of(args[0]), Term::of(args[1])));
    case Kind::Select:
      return t_.asBits(n.sort.width, t_.select(Term::of(args[0]), t_.constantOrNode(args[1]),
                                               t_.constantOrNode(args[2]), n.sort.width));
    default:
      return n.sort.isFloat() ? ofFloat(id, n, args) : plain(n, before, args);
    }
  }

  /// Of a condition and its negation the one with a positive first coefficient is kept.
  NodeId condition(const Node &n, AffineId form) {
    AffinePool &affine = t_.affine_;
    if (affine.form(form).isConstant() || affine.form(form).terms.front().second > 0)
      return t_.pool_.make(n.kind, n.sort, form);
    if (n.kind == Kind::IsZero)
      return t_.pool_.make(n.kind, n.sort, affine.scale(form, -1));
    const AffineId negated = affine.plus(affine.scale(form, -1), -1);
    return t_.pool_.make(Kind::Not, n.sort, 0, {t_.pool_.make(n.kind, n.sort, negated)});
  }

  NodeId ofFloat(NodeId id, const Node &n, const std::vector<NodeId> &args) {
    const dsl::DType format = n.sort.format;
    switch (n.kind) {
    case Kind::FAdd:
      return t_.fadd(format, args[0], args[1]);
    case Kind::FMul:
      return t_.fmul(format, args[0], args[1]);
    case Kind::FDiv:
      return t_.fdiv(format, args[0], args[1]);
    case Kind::FFma:
      return t_.ffma(format, args[0], args[1], args[2]);
    case Kind::FNeg:
      return t_.fneg(args[0]);
    case Kind::FMin:
    case Kind::FMax:
    case Kind::FMinNan:
    case Kind::FMaxNan:
      return t_.fminmax(n.kind, args[0], args[1]);
    case Kind::FMinSet:
    case Kind::FMaxSet: {
      NodeId result = args[0];
      for (std::size_t k = 1; k < args.size(); ++k)
        result = t_.fminmax(n.kind == Kind::FMinSet ? Kind::FMin : Kind::FMax, result, args[k]);
      return t_.settled(result);
    }
    default:
      return plain(n, {t_.pool_.args(id).begin(), t_.pool_.args(id).end()}, args);
    }
  }

  NodeId plain(const Node &n, const std::vector<NodeId> &before, std::vector<NodeId> args) {
    static constexpr std::array kCommuting = {Kind::FEq,  Kind::BitAnd, Kind::BitOr,  Kind::BitXor,
                                              Kind::Mul,  Kind::MulHiU, Kind::MulHiS, Kind::MinU,
                                              Kind::MinS, Kind::MaxU,   Kind::MaxS,   Kind::CmpEq};
    if (std::ranges::find(kCommuting, n.kind) != kCommuting.end() && std::ranges::is_sorted(before))
      std::ranges::sort(args);
    return t_.pool_.make(n.kind, n.sort, n.payload, args);
  }

  Terms &t_;
  std::unordered_map<NodeId, NodeId> done_;
  NodeId oldest_ = 0xffffffffu;
};

template <class Visit> void Terms::forNodes(NodeId root, NodeId oldest, Visit &&visit) const {
  std::unordered_set<NodeId> seen;
  std::vector<NodeId> stack = {root};
  while (!stack.empty()) {
    const NodeId id = stack.back();
    stack.pop_back();
    if (id < oldest || !seen.insert(id).second)
      continue;
    const Node n = pool_.node(id);
    visit(id, n);
    stack.insert(stack.end(), pool_.args(id).begin(), pool_.args(id).end());
    if (n.kind == Kind::Integer || n.kind == Kind::FloorDiv || n.kind == Kind::AtLeastZero ||
        n.kind == Kind::IsZero || n.kind == Kind::Fold)
      for (const auto &[atom, factor] : affine_.form(static_cast<AffineId>(n.payload)).terms)
        stack.push_back(atom);
  }
}

bool Terms::mentions(NodeId root, NodeId symbol) const {
  bool found = false;
  forNodes(root, symbol, [&](NodeId id, const Node &) { found |= id == symbol; });
  return found;
}

/// 0 for a term without folds, one more for each level of them.
unsigned Terms::foldLevel(NodeId root) const {
  unsigned level = 0;
  forNodes(root, 0, [&](NodeId id, const Node &n) {
    if (n.kind == Kind::Fold)
      level = std::max(level, foldLevels_.at(id) + 1);
  });
  return level;
}

NodeId Terms::boundSymbol(unsigned level, Sort sort, bool isStep) {
  const std::array<std::uint64_t, 3> key = {level, std::uint64_t{isStep},
                                            std::uint64_t{sort.width} << 8 |
                                                static_cast<std::uint64_t>(sort.format)};
  const auto it = boundSymbols_.find(key);
  if (it != boundSymbols_.end())
    return it->second;
  const NodeId symbol = unnamed(fmt::format("{}{}", isStep ? "step" : "carried", level), sort);
  boundSymbols_[key] = symbol;
  return symbol;
}

NodeId Terms::unnamed(std::string name, Sort sort) {
  pool_.symbols.push_back(std::move(name));
  return pool_.make(Kind::Symbol, sort, pool_.symbols.size() - 1);
}

NodeId Terms::fold(AffineId count, NodeId first, NodeId next, NodeId carried, NodeId step) {
  const Sort sort = pool_.node(next).sort;
  if (!(pool_.node(first).sort == sort) || !(pool_.node(carried).sort == sort))
    throw DomainError("a value that a loop carries changes its type");
  if (affine_.constantOf(count) == 0)
    return first;
  const unsigned level = foldLevel(next);
  const NodeId carriedName = boundSymbol(level, sort, false);
  const NodeId stepName = boundSymbol(level, pool_.node(step).sort, true);
  const NodeId body = Renaming(*this, {{carried, carriedName}, {step, stepName}})(next);
  const NodeId result = pool_.make(Kind::Fold, sort, count, {first, body, carriedName, stepName});
  foldLevels_[result] = level;
  return result;
}

} // namespace ordo::verify
