// Substitution: a term rebuilt under other names, law by law.
#include "compiler/verify/term/substitution.h"

#include "compiler/verify/machine/fault.h"

#include <algorithm>
#include <array>

namespace ordo::verify {

Terms::Substitution::Substitution(Terms &terms, std::map<NodeId, NodeId> names,
                                  std::optional<StepChange> change)
    : t_(terms), done_(names.begin(), names.end()), change_(change) {
  for (const auto &[from, to] : names)
    oldest_ = std::min(oldest_, from);
  if (change_)
    oldest_ = std::min(oldest_, change_->step);
}

NodeId Terms::Substitution::operator()(NodeId id) {
  if (id < oldest_) // a node comes after what it mentions
    return id;
  if (const auto it = done_.find(id); it != done_.end())
    return it->second;
  const bool isStep = change_ && id == change_->step;
  const NodeId result =
      isStep ? t_.asBits(64, t_.integer(form(t_.affine_.atom(id)), 64)) : rebuilt(id);
  done_[id] = result;
  return result;
}

AffineId Terms::Substitution::form(AffineId id) {
  const Affine f = t_.affine_.form(id);
  AffineId result = t_.affine_.constant(f.constant);
  for (const auto &[atom, factor] : f.terms) {
    if (!change_ || atom != change_->step) {
      result = t_.affine_.combine(result, 1, t_.affine_.atom((*this)(atom)), factor);
      continue;
    }
    const Wide by = Wide{factor} * change_->factor, plus = Wide{factor} * change_->plus;
    if (by % change_->divisor != 0 || plus % change_->divisor != 0) {
      hasFailed_ = true;
      return id;
    }
    const auto narrow = [](Wide value) {
      if (value != static_cast<std::int64_t>(value))
        throw DomainError("a step's number leaves 64 bits");
      return static_cast<std::int64_t>(value);
    };
    result = t_.affine_.plus(result, narrow(plus / change_->divisor));
    if (change_->by)
      result = t_.affine_.combine(result, 1, t_.affine_.atom(*change_->by),
                                  narrow(by / change_->divisor));
  }
  return result;
}

NodeId Terms::Substitution::rebuilt(NodeId id) {
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
  if (n.kind == Kind::Input) { // its element's number is a node of its own, a constant as well
    const auto element = static_cast<AffineId>(t_.pool_.node(args[0]).payload);
    return t_.pool_.make(n.kind, n.sort, n.payload,
                         {t_.pool_.make(Kind::Integer, Sort::bits(64), form(element))});
  }
  for (NodeId &arg : args)
    arg = (*this)(arg);
  switch (n.kind) {
  case Kind::Integer:
  case Kind::FloorDiv:
    return number(n, args);
  case Kind::AtLeastZero:
  case Kind::IsZero:
    return condition(n, form(static_cast<AffineId>(n.payload)));
  case Kind::Not:
    return t_.asBits(1, t_.notBit(t_.constantOrNode(args[0])));
  case Kind::And:
    return t_.asBits(1, t_.andBit(t_.constantOrNode(args[0]), t_.constantOrNode(args[1])));
  case Kind::Select:
    if (!n.sort.isFloat())
      return t_.asBits(n.sort.width,
                       t_.select(t_.constantOrNode(args[0]), t_.constantOrNode(args[1]),
                                 t_.constantOrNode(args[2]), n.sort.width));
    return t_.onFloats(n, args);
  default:
    return n.sort.isFloat() ? t_.onFloats(n, args) : plain(n, before, args);
  }
}

NodeId Terms::Substitution::number(const Node &n, const std::vector<NodeId> &args) {
  const AffineId at = form(static_cast<AffineId>(n.payload));
  if (!change_) // the same form under another name
    return t_.pool_.make(n.kind, n.sort, at, args);
  const unsigned width = n.sort.width;
  if (n.kind == Kind::Integer)
    return t_.asBits(width, t_.integer(at, width));
  const auto divisor = static_cast<std::int64_t>(t_.pool_.node(args[0]).payload);
  return t_.asBits(width, t_.integer(t_.quotient(at, divisor), width));
}

/// Of a condition and its negation the one with a positive first coefficient is kept.
NodeId Terms::Substitution::condition(const Node &n, AffineId form) {
  AffinePool &affine = t_.affine_;
  if (change_)
    return t_.asBits(1, n.kind == Kind::IsZero ? t_.isZero(form) : t_.atLeastZero(form));
  if (affine.form(form).isConstant() || affine.form(form).terms.front().second > 0)
    return t_.pool_.make(n.kind, n.sort, form);
  if (n.kind == Kind::IsZero)
    return t_.pool_.make(n.kind, n.sort, affine.scale(form, -1));
  const AffineId negated = affine.plus(affine.scale(form, -1), -1);
  return t_.pool_.make(Kind::Not, n.sort, 0, {t_.pool_.make(n.kind, n.sort, negated)});
}

NodeId Terms::Substitution::plain(const Node &n, const std::vector<NodeId> &before,
                                  std::vector<NodeId> args) {
  static constexpr std::array kCommuting = {Kind::FEq,  Kind::BitAnd, Kind::BitOr,  Kind::BitXor,
                                            Kind::Mul,  Kind::MulHiU, Kind::MulHiS, Kind::MinU,
                                            Kind::MinS, Kind::MaxU,   Kind::MaxS,   Kind::CmpEq};
  if (std::ranges::find(kCommuting, n.kind) != kCommuting.end() && std::ranges::is_sorted(before))
    std::ranges::sort(args);
  return t_.pool_.make(n.kind, n.sort, n.payload, args);
}

} // namespace ordo::verify
