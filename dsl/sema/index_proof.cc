// Proofs that an index expression is not negative.
//
//   1. Every atom is replaced by its bound: variables by their extents, quotients by their dividend
//      (boundedBelow).
//   2. Where that fails, facts that share an atom are subtracted, a few of them one after another:
//      what is >= 0 makes the goal harder, so it is enough to show the rest (search).
//   3. Facts for all values of some variables are first instantiated at the places where the goal,
//      or an instance, reads the tensor that they speak of.
#include "dsl/sema/index_algebra.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ordo::dsl {
namespace {

constexpr int kDeepest = 4;         // facts subtracted one from another
constexpr int kMostAttempts = 2000; // bounds tried for one goal
constexpr int kRounds = 3;          // of instances of instances
constexpr std::size_t kMostInstances = 64;
constexpr int kMostOpenProofs = 3;

bool isComparable(DType type) {
  return type == DType::Index || type == DType::I32 || type == DType::I64 || type == DType::U32;
}

bool isComparison(Op op) { return op >= Op::Eq && op <= Op::Ge; }

} // namespace

struct IndexAlgebra::Search {
  int attempts = 0;
};

bool IndexAlgebra::nonNegative(const Affine &form) {
  if (boundedBelow(form))
    return true;
  if (openProofs_ >= kMostOpenProofs)
    return false;
  ++openProofs_;
  const std::size_t mark = facts_.size();
  addInstances(form);
  Search limits;
  const bool isProven = search(form, kDeepest, limits);
  facts_.resize(mark);
  --openProofs_;
  return isProven;
}

bool IndexAlgebra::search(const Affine &form, int depth, Search &limits) {
  if (++limits.attempts > kMostAttempts || !form.isKnown)
    return false;
  if (boundedBelow(form))
    return true;
  if (depth == 0)
    return false;
  for (auto it = form.terms.rbegin(); it != form.terms.rend(); ++it) {
    const Op op = program_.expr(it->first).op;
    Affine rest = form; // facts may speak of a dividend, or of how far a variable runs
    rest.terms.erase(it->first);
    const bool isBounded = op == Op::Div || (op == Op::Var && it->second < 0);
    if (isBounded && eliminate(rest, it->first, it->second) && search(rest, depth - 1, limits))
      return true;
    const bool isChoice = op == Op::Min || op == Op::Max || op == Op::Select;
    if (isChoice && splitChoice(form, it->first, depth, limits))
      return true;
  }
  // By number: proofs within proofs add facts and take them away again.
  for (std::size_t i = 0; i < facts_.size(); ++i)
    if (const Affine fact = facts_[i]; useFact(form, fact, depth, limits))
      return true;
  return false;
}

// min, max and a choice are one of two; sometimes one that is enough may be chosen.
bool IndexAlgebra::splitChoice(const Affine &form, ExprId atom, int depth, Search &limits) {
  const Expr e = program_.expr(atom);
  const std::int64_t coefficient = form.terms.at(atom);
  const std::size_t first = e.op == Op::Select ? 1 : 0;
  const ExprId options[] = {program_.args(atom)[first], program_.args(atom)[first + 1]};
  const bool needsBoth = e.op == Op::Select || (e.op == Op::Max) == (coefficient < 0);
  bool all = true, any = false;
  for (std::size_t i = 0; i < 2; ++i) {
    Affine one = form;
    one.terms.erase(atom);
    one.add(affines_[options[i]], coefficient);
    const std::size_t mark = facts_.size();
    if (e.op == Op::Select && i == 0)
      assume(program_.args(atom)[0]);
    const bool isProven = search(one, depth - 1, limits);
    facts_.resize(mark);
    all = all && isProven;
    any = any || isProven;
  }
  return needsBoth ? all : any;
}

// Subtracts the fact as often as removes one of the atoms.
bool IndexAlgebra::useFact(const Affine &form, const Affine &fact, int depth, Search &limits) {
  std::set<std::int64_t> tried;
  for (const auto &[atom, coefficient] : fact.terms) {
    const auto it = form.terms.find(atom);
    if (it == form.terms.end() || (it->second < 0) != (coefficient < 0))
      continue;
    const std::int64_t times = std::max<std::int64_t>(it->second / coefficient, 1);
    if (!tried.insert(times).second)
      continue;
    Affine rest = form;
    rest.add(fact, -times);
    if (search(rest, depth - 1, limits))
      return true;
  }
  return false;
}

// Replaces each atom by the bound that makes the form smallest, innermost (latest) first.
bool IndexAlgebra::boundedBelow(Affine form) {
  extend();
  while (form.isKnown && !form.terms.empty()) {
    const auto last = std::prev(form.terms.end());
    const auto [atom, coefficient] = *last;
    form.terms.erase(last);
    if (!eliminate(form, atom, coefficient))
      return false;
  }
  return form.isKnown && form.constant >= 0;
}

bool IndexAlgebra::eliminate(Affine &form, ExprId atom, std::int64_t coefficient) {
  const Expr &e = program_.expr(atom);
  Affine bound;
  if (e.op == Op::Var && coefficient < 0) { // v <= extent - 1
    bound = affines_[program_.vars[e.payload].extent];
    bound.constant -= 1;
    form.add(bound, coefficient);
    return true;
  }
  if (e.op == Op::Div && eliminateQuotient(form, atom, coefficient))
    return true;
  if (e.op == Op::Cast)
    if (const auto extent = rankingExtent(atom)) { // 0 <= value <= extent - 1
      if (coefficient < 0) {
        bound = affines_[*extent];
        bound.constant -= 1;
        form.add(bound, coefficient);
      }
      return true;
    }
  const std::int64_t end = coefficient > 0 ? intervals_[atom].lo : intervals_[atom].hi;
  if (end == Interval::kNoLower || end == Interval::kNoUpper)
    return false;
  bound.constant = end;
  form.add(bound, coefficient);
  return true;
}

// a / c lies in [(a - c + 1) / c, a / c], without rounding. The whole form is multiplied by c; its
// value was an integer, so c - 1 may be added before it is compared with zero.
bool IndexAlgebra::eliminateQuotient(Affine &form, ExprId atom, std::int64_t coefficient) {
  const auto divisor = program_.constantIndex(program_.args(atom)[1]);
  if (!divisor || *divisor <= 0)
    return false;
  Affine bound = affines_[program_.args(atom)[0]];
  if (coefficient > 0)
    bound.constant -= *divisor - 1;
  if (coefficient % *divisor == 0) {
    form.add(bound, coefficient / *divisor);
    return true;
  }
  Affine scaled;
  scaled.add(form, *divisor);
  scaled.add(bound, coefficient);
  Affine slack;
  slack.constant = *divisor - 1;
  scaled.add(slack, 1);
  form = std::move(scaled);
  return true;
}

// Where the integer is what an argmax or a top gives: how far it ranges.
std::optional<ExprId> IndexAlgebra::rankingExtent(ExprId cast) const {
  ExprId from = program_.args(cast)[0];
  if (program_.expr(from).op == Op::Use)
    from = program_.definitions[program_.expr(from).payload].value;
  const Expr &e = program_.expr(from);
  if (e.op != Op::Reduce)
    return std::nullopt;
  const Reduction &r = program_.reductions[e.payload];
  if (r.op != ReduceOp::ArgMax && r.op != ReduceOp::Top)
    return std::nullopt;
  const ExprId extent = program_.vars[r.vars[0]].extent;
  // What the definition's own variables decide is not known here.
  const Op op = program_.expr(extent).op;
  if (op != Op::Const && op != Op::Size)
    return std::nullopt;
  return extent;
}

void IndexAlgebra::assume(ExprId condition) {
  std::vector<ExprId> open = {condition};
  while (!open.empty()) {
    const ExprId id = open.back();
    open.pop_back();
    const Expr e = program_.expr(id);
    const std::vector<ExprId> args(program_.args(id).begin(), program_.args(id).end());
    if (e.op == Op::And) {
      open.insert(open.end(), args.begin(), args.end());
      continue;
    }
    if (e.op == Op::Use) { // a condition with a name of its own
      const Definition &definition = program_.definitions[e.payload];
      std::map<VarId, ExprId> values;
      for (std::size_t i = 0; i < args.size() && !definition.isPlaced(); ++i)
        values.emplace(definition.vars[i], args[i]);
      if (const auto meant = substitute(definition.value, values); meant && !definition.isPlaced())
        open.push_back(*meant);
      continue;
    }
    if (!isComparison(e.op) || !isComparable(program_.expr(args[0]).type))
      continue;
    const ExprId a = indexOf(args[0]), b = indexOf(args[1]);
    if (e.op == Op::Lt || e.op == Op::Le || e.op == Op::Eq)
      facts_.push_back(difference(b, a, e.op == Op::Lt ? -1 : 0));
    if (e.op == Op::Gt || e.op == Op::Ge || e.op == Op::Eq)
      facts_.push_back(difference(a, b, e.op == Op::Gt ? -1 : 0));
  }
}

// --- Facts for all values

void IndexAlgebra::assumeForAll(std::vector<VarId> vars, ExprId where, ExprId condition) {
  quantified_.push_back({std::move(vars), where, condition});
}

std::vector<ExprId> IndexAlgebra::accessesIn(ExprId root) const {
  std::vector<ExprId> found, open = {root};
  std::set<ExprId> seen;
  while (!open.empty()) {
    const ExprId id = open.back();
    open.pop_back();
    if (id == kNone || !seen.insert(id).second)
      continue;
    if (program_.expr(id).op == Op::Load)
      found.push_back(id);
    open.insert(open.end(), program_.args(id).begin(), program_.args(id).end());
  }
  return found;
}

void IndexAlgebra::addInstances(const Affine &form) {
  if (quantified_.empty())
    return;
  std::set<ExprId> known;
  std::vector<ExprId> accesses;
  const auto look = [&](const Affine &at) {
    for (const auto &[atom, coefficient] : at.terms) {
      const Expr &e = program_.expr(atom);
      const ExprId extent = e.op == Op::Var ? program_.vars[e.payload].extent : kNone;
      for (const ExprId root : {atom, extent})
        for (ExprId access : accessesIn(root))
          if (known.insert(access).second)
            accesses.push_back(access);
    }
  };
  look(form);
  for (const Affine &fact : std::vector<Affine>(facts_))
    look(fact);
  std::size_t before = facts_.size();
  const std::size_t first = before;
  for (int round = 0; round < kRounds && !accesses.empty(); ++round) {
    const std::vector<ExprId> wanted = std::exchange(accesses, {});
    for (std::size_t i = 0; i < quantified_.size() && facts_.size() < first + kMostInstances; ++i)
      instantiate(quantified_[i], wanted);
    for (; before < facts_.size(); ++before)
      look(Affine(facts_[before]));
  }
}

// Matches each access in the fact whose indices are variables of it with each one wanted.
void IndexAlgebra::instantiate(const ForAll &fact, const std::vector<ExprId> &accesses) {
  std::set<std::map<VarId, ExprId>> done;
  for (ExprId pattern : accessesIn(fact.condition))
    for (ExprId access : accesses) {
      if (program_.expr(pattern).payload != program_.expr(access).payload)
        continue;
      std::map<VarId, ExprId> values;
      bool matches = true;
      for (std::size_t axis = 0; axis < program_.args(pattern).size(); ++axis) {
        const ExprId want = program_.args(pattern)[axis], have = program_.args(access)[axis];
        const Expr &e = program_.expr(want);
        const bool isBound =
            e.op == Op::Var &&
            std::ranges::find(fact.vars, static_cast<VarId>(e.payload)) != fact.vars.end();
        if (isBound) {
          const auto [it, isNew] = values.emplace(static_cast<VarId>(e.payload), have);
          matches = matches && (isNew || it->second == have);
        } else {
          matches = matches && want == have;
        }
      }
      if (!matches || values.size() != fact.vars.size() || !done.insert(values).second ||
          !fits(fact, values))
        continue;
      if (const auto instance = substitute(fact.condition, values))
        assume(*instance);
    }
}

// Whether the values are among those that the fact speaks of. Where a variable runs over the whole
// axis that it indexes, the access itself has shown it.
bool IndexAlgebra::fits(const ForAll &fact, const std::map<VarId, ExprId> &values) {
  for (const auto &[var, value] : values) {
    const ExprId extent = program_.vars[var].extent;
    bool isShown = false;
    for (ExprId pattern : accessesIn(fact.condition)) {
      const auto shape = program_.tensors[program_.expr(pattern).payload].shape;
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const Expr &e = program_.expr(program_.args(pattern)[axis]);
        isShown = isShown || (e.op == Op::Var && e.payload == var && shape[axis] == extent);
      }
    }
    if (!isShown && !(provesNonNegative(value) && provesLess(value, extent)))
      return false;
  }
  if (fact.where == kNone)
    return true;
  const auto where = substitute(fact.where, values);
  return where && provesCondition(*where);
}

bool IndexAlgebra::provesCondition(ExprId condition) {
  const Expr e = program_.expr(condition);
  if (e.op == Op::Const)
    return e.payload != 0;
  const std::vector<ExprId> args(program_.args(condition).begin(), program_.args(condition).end());
  if (e.op == Op::And)
    return provesCondition(args[0]) && provesCondition(args[1]);
  if (!isComparison(e.op) || !isComparable(program_.expr(args[0]).type))
    return false;
  return provesComparison(e.op, indexOf(args[0]), indexOf(args[1]));
}

bool IndexAlgebra::provesComparison(Op op, ExprId a, ExprId b) {
  switch (op) {
  case Op::Lt:
    return provesLess(a, b);
  case Op::Gt:
    return provesLess(b, a);
  case Op::Le:
    return nonNegative(difference(b, a, 0));
  case Op::Ge:
    return nonNegative(difference(a, b, 0));
  case Op::Eq:
    return equal(a, b);
  default:
    return provesLess(a, b) || provesLess(b, a);
  }
}

std::optional<ExprId> IndexAlgebra::substitute(ExprId root, const std::map<VarId, ExprId> &values) {
  std::map<ExprId, ExprId> done;
  std::vector<std::pair<ExprId, bool>> open = {{root, false}};
  while (!open.empty()) {
    const auto [id, isOpen] = open.back();
    open.pop_back();
    if (done.contains(id))
      continue;
    const Expr e = program_.expr(id);
    const std::vector<ExprId> args(program_.args(id).begin(), program_.args(id).end());
    if (e.op == Op::Reduce || e.op == Op::Carry || e.op == Op::Recur)
      return std::nullopt;
    if (!isOpen) {
      open.emplace_back(id, true);
      for (ExprId arg : args)
        open.emplace_back(arg, false);
      continue;
    }
    if (e.op == Op::Var) {
      const auto it = values.find(static_cast<VarId>(e.payload));
      done[id] = it == values.end() ? id : it->second;
      continue;
    }
    std::vector<ExprId> replaced;
    for (ExprId arg : args)
      replaced.push_back(done.at(arg));
    done[id] = replaced == args
                   ? id
                   : program_.make(e.op, e.type, e.payload, std::span<const ExprId>(replaced));
  }
  return done.at(root);
}

} // namespace ordo::dsl
