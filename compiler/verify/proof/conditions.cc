#include "compiler/verify/proof/conditions.h"

#include <algorithm>
#include <tuple>

namespace ordo::verify {
namespace {

class Opening {
public:
  explicit Opening(Terms &terms) : terms_(terms) {}

  Conditions run(std::span<const Condition> path) {
    todo_.assign(path.begin(), path.end());
    while (!todo_.empty()) {
      const Condition next = todo_.back();
      todo_.pop_back();
      open(next);
    }
    std::ranges::sort(result_.given);
    result_.given.erase(std::ranges::unique(result_.given).begin(), result_.given.end());
    const auto key = [](const Condition &c) { return std::tuple(c.node, c.holds); };
    std::ranges::sort(result_.others, {}, key);
    result_.others.erase(std::ranges::unique(result_.others).begin(), result_.others.end());
    return std::move(result_);
  }

private:
  void open(Condition c) {
    const Node &n = terms_.pool().node(c.node);
    const auto args = terms_.pool().args(c.node);
    AffinePool &affine = terms_.affine();
    const auto form = static_cast<AffineId>(n.payload);
    if (n.kind == Kind::Constant && (n.payload != 0) == c.holds)
      return;
    if (n.kind == Kind::Not) {
      todo_.push_back({args[0], !c.holds});
    } else if ((n.kind == Kind::And && c.holds) || (n.kind == Kind::Or && !c.holds)) {
      for (const NodeId arg : args)
        todo_.push_back({arg, c.holds});
    } else if (n.kind == Kind::AtLeastZero) {
      result_.given.push_back(c.holds ? form : affine.plus(affine.scale(form, -1), -1));
    } else if (n.kind == Kind::IsZero && c.holds) {
      result_.given.push_back(form);
      result_.given.push_back(affine.scale(form, -1));
    } else if (n.kind == Kind::IsZero && terms_.facts().holds(form)) {
      result_.given.push_back(affine.plus(form, -1));
    } else {
      result_.others.push_back(c);
    }
  }

  Terms &terms_;
  std::vector<Condition> todo_;
  Conditions result_;
};

AffineId operand(Terms &terms, NodeId node) {
  const Node n = terms.pool().node(node);
  return terms.exact(n.kind == Kind::Constant ? Term::constant(n.payload) : Term::of(node),
                     n.sort.width);
}

/// Forms that the path makes 0, solved for the oldest symbol of factor 1 or -1: a size, where there
/// is one, for sizes are made before the block.
void solve(Terms &terms, Conditions &conditions) {
  AffinePool &affine = terms.affine();
  for (const AffineId given : conditions.given) {
    if (!terms.facts().holds(affine.scale(given, -1), conditions.given))
      continue;
    const AffineId zero = settled(terms, given, conditions);
    const Affine f = affine.form(zero);
    const auto symbol = std::ranges::find_if(f.terms, [&](const auto &term) {
      return (term.second == 1 || term.second == -1) &&
             terms.pool().node(term.first).kind == Kind::Symbol;
    });
    if (symbol != f.terms.end())
      conditions.equal.emplace_back(symbol->first, affine.sub(affine.atom(symbol->first),
                                                              affine.scale(zero, symbol->second)));
  }
}

/// What replaces an atom, or nothing.
std::optional<AffineId> replaced(Terms &terms, NodeId atom, const Conditions &conditions) {
  const std::vector<AffineId> &given = conditions.given;
  for (const auto &[symbol, by] : conditions.equal)
    if (symbol == atom)
      return by;
  const Node n = terms.pool().node(atom);
  AffinePool &affine = terms.affine();
  if (n.kind == Kind::MinU || n.kind == Kind::MaxU) {
    const NodeId first = terms.pool().args(atom)[0], second = terms.pool().args(atom)[1];
    const AffineId a = operand(terms, first), b = operand(terms, second);
    const AffineId difference = affine.sub(b, a);
    const bool isMin = n.kind == Kind::MinU;
    if (terms.facts().holds(difference, given)) // a <= b
      return isMin ? a : b;
    if (terms.facts().holds(affine.scale(difference, -1), given))
      return isMin ? b : a;
    return std::nullopt;
  }
  if (n.kind == Kind::FloorDiv) {
    const auto divisor =
        static_cast<std::int64_t>(terms.pool().node(terms.pool().args(atom)[0]).payload);
    const AffineId inner = settled(terms, static_cast<AffineId>(n.payload), conditions);
    const auto [quotient, rest] = affine.split(inner, divisor);
    if (terms.facts().within(rest, 0, divisor, given))
      return quotient;
  }
  return std::nullopt;
}

} // namespace

Conditions takenApart(Terms &terms, std::span<const Condition> path) {
  Conditions conditions = Opening(terms).run(path);
  conditions.isImpossible = !conditions.given.empty() &&
                            terms.facts().holds(terms.affine().constant(-1), conditions.given);
  if (!conditions.isImpossible)
    solve(terms, conditions);
  return conditions;
}

void pin(Terms &terms, Conditions &conditions) {
  AffinePool &affine = terms.affine();
  for (const AffineId given : conditions.given) {
    const Affine f = affine.form(given);
    if (f.terms.size() != 1 || f.terms.front().second >= 0 || f.constant < 0 ||
        terms.pool().node(f.terms.front().first).kind != Kind::Symbol)
      continue;
    const auto [symbol, factor] = f.terms.front();
    const Wide most = Wide{f.constant} / -Wide{factor};
    if (terms.facts().ofAtom(symbol).low == most)
      conditions.equal.emplace_back(symbol, affine.constant(static_cast<std::int64_t>(most)));
  }
}

AffineId settled(Terms &terms, AffineId form, const Conditions &conditions) {
  AffinePool &affine = terms.affine();
  // A replacement has older atoms than the atom, or symbols that no equation is solved for: it
  // ends.
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    const Affine current = affine.form(form);
    for (const auto &[atom, factor] : current.terms)
      if (const auto by = replaced(terms, atom, conditions)) {
        form = affine.combine(affine.sub(form, affine.scale(affine.atom(atom), factor)), 1, *by,
                              factor);
        isChanged = true;
      }
  }
  return form;
}

} // namespace ordo::verify
