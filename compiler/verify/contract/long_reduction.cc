// Reductions over many elements: the chains that a thread folds are Kind::Fold nodes, and an
// extremum is that of a range. So a term grows with the lanes of an order, not with its length.
#include "compiler/verify/contract/expansion.h"
#include "dsl/order/fold.h"

#include <algorithm>
#include <span>

namespace ordo::verify {

using dsl::Order;
using dsl::ReduceOp;
using dsl::Reduction;
using dsl::Stage;

namespace {

constexpr std::int64_t kLongChain = 8;    // values that every chain has at least
constexpr std::int64_t kLongestRun = 128; // elements that are folded before they join a chain

bool isPlain(const Stage &s) { return !s.round && !s.start && !s.pad; }

/// An order cut at the stage that folds long chains.
struct Cut {
  Order within;           // runs, before
  std::int64_t run = 1;   // elements of one
  std::int64_t lanes = 1; // chains
  std::int64_t width = 1; // runs that a lane takes in turn
  Order behind;           // over the chains' values
};

std::optional<Cut> cut(const Order &order) {
  Cut c;
  for (std::size_t k = 0; k < order.stages.size(); ++k) {
    const Stage &s = order.stages[k];
    if (!isPlain(s))
      return std::nullopt;
    const bool isRun = s.n > 0 && (s.kind == Stage::Kind::Seq || s.kind == Stage::Kind::Pairs ||
                                   s.kind == Stage::Kind::Halves);
    if (isRun && s.n <= kLongestRun / c.run) {
      c.within.stages.push_back(s);
      c.run *= s.n;
      continue;
    }
    if (s.kind == Stage::Kind::Lanes) {
      c.lanes = s.n;
      c.width = s.w;
    } else if (s.kind != Stage::Kind::Seq || !s.isTotal()) {
      return std::nullopt;
    }
    c.behind.stages.assign(order.stages.begin() + static_cast<std::ptrdiff_t>(k) + 1,
                           order.stages.end());
    Stage whole; // of a run's one value
    c.within.stages.push_back(whole);
    return c;
  }
  return std::nullopt;
}

} // namespace

/// The reduction's element at an index, as it counts.
Value ContractTerms::Expansion::leafAt(const dsl::Expr &e, const Prepared &p, AffineId index) {
  const Reduction &r = program_.reductions[e.payload];
  bound_.at(r.vars[0]) = index;
  Term live = Term::constant(1);
  if (r.where != dsl::kNone) {
    std::vector<Value> condition(p.condition.steps.size());
    run(p.condition, condition, true);
    live = condition[p.condition.roots.front()].bits;
  }
  std::vector<Value> roots;
  if (live != Term::constant(0)) {
    std::vector<Value> body(p.body.steps.size());
    run(p.body, body, true);
    for (const std::uint32_t root : p.body.roots)
      roots.push_back(body[root]);
  }
  Leaves one;
  addLeaf(e, roots, live, one);
  return one.values.front();
}

/// A run of `length` elements, folded.
Value ContractTerms::Expansion::partial(const dsl::Expr &e, const Prepared &p, const Order &within,
                                        AffineId begin, std::int64_t length) {
  std::vector<Value> values;
  for (std::int64_t j = 0; j < length; ++j)
    values.push_back(leafAt(e, p, terms_.affine().plus(begin, j)));
  const Merge merge{arithmetic_, mergeOf(program_.reductions[e.payload].op), e.type};
  return *dsl::fold(within, std::move(values), merge);
}

/// `elements` of step 0, then of step 1, …, as one chain from the identity on.
Value ContractTerms::Expansion::foldOf(
    const dsl::Expr &e, std::int64_t count,
    const std::function<void(AffineId step, std::vector<Value> &)> &elements) {
  const dsl::ReduceOp op = program_.reductions[e.payload].op;
  const NodeId k = terms_.symbol("step", 64, {Wide{0}, Wide{count - 1}}).node();
  const Value identity = arithmetic_.constant(e.type, dsl::identityBits(op, e.type));
  const NodeId start = arithmetic_.node(e.type, identity);
  const NodeId carried = terms_.unnamed("carried", terms_.pool().node(start).sort);
  std::vector<Value> values;
  elements(terms_.affine().atom(k), values);
  Value next = arithmetic_.ofNode(e.type, carried);
  for (const Value &value : values)
    next = arithmetic_.binary(mergeOf(op), e.type, next, value);
  return arithmetic_.ofNode(e.type, terms_.fold(terms_.affine().constant(count), start,
                                                arithmetic_.node(e.type, next), carried, k));
}

/// Nothing where it is short, or its order has no long chains that are folds.
std::optional<Value> ContractTerms::Expansion::reduceLong(const dsl::Expr &e, const Prepared &p,
                                                          std::int64_t length) {
  const Reduction &r = program_.reductions[e.payload];
  if (!dsl::isFloat(e.type) || p.body.roots.size() != 1)
    return std::nullopt;
  AffinePool &affine = terms_.affine();
  if (r.op == ReduceOp::Max || r.op == ReduceOp::Min) {
    if (length < kLongChain)
      return std::nullopt;
    return foldOf(e, length, [&](AffineId k, std::vector<Value> &values) {
      values.push_back(leafAt(e, p, k));
    });
  }
  const bool isSum = r.op == ReduceOp::Sum || r.op == ReduceOp::Dot;
  const auto c = isSum ? cut(r.order) : std::nullopt;
  if (!c)
    return std::nullopt;
  const std::int64_t runs = length / c->run, rest = length % c->run;
  const std::int64_t turns = runs / c->width;
  if (turns / c->lanes < kLongChain || (c->width > 1 && (rest != 0 || runs % c->width != 0)))
    return std::nullopt;
  const Merge merge{arithmetic_, mergeOf(r.op), e.type};
  std::vector<Value> chains;
  for (std::int64_t lane = 0; lane < c->lanes; ++lane) {
    const std::int64_t count = (turns - lane + c->lanes - 1) / c->lanes;
    const auto elements = [&](AffineId k, std::vector<Value> &values) {
      const AffineId turn = affine.plus(affine.scale(k, c->lanes), lane);
      for (std::int64_t j = 0; j < c->width; ++j) {
        const AffineId number = affine.plus(affine.scale(turn, c->width), j);
        values.push_back(partial(e, p, c->within, affine.scale(number, c->run), c->run));
      }
    };
    Value chain = foldOf(e, count, elements);
    if (rest != 0 && lane == runs % c->lanes)
      chain = merge.add(chain, partial(e, p, c->within, affine.constant(runs * c->run), rest));
    chains.push_back(chain);
  }
  return c->behind.stages.empty() ? chains.front()
                                  : *dsl::fold(c->behind, std::move(chains), merge);
}

} // namespace ordo::verify
