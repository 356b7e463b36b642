// Reductions of a contract: their elements, folded by the order.
#include "compiler/verify/contract/expansion.h"
#include "dsl/order/fold.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace ordo::verify {

using Code = dsl::Op;
using dsl::DType;
using dsl::kNone;
using dsl::ReduceOp;
using dsl::Reduction;
using dsl::Stage;

namespace {

constexpr std::int64_t kLongest = std::int64_t{1} << 26; // elements of one reduction

bool isFused(const Reduction &r) {
  return !r.order.empty() && r.order.stages.front().kind == Stage::Kind::Fma;
}

} // namespace

Value Merge::round(const Value &value, DType to) const {
  const auto nearest = dsl::Rounding::NearestEven;
  return arithmetic.cast(type, to, arithmetic.cast(to, type, value, nearest), nearest);
}

Value Merge::literal(double value) const {
  const Value wide = arithmetic.constant(DType::F64, std::bit_cast<std::uint64_t>(value));
  return arithmetic.cast(type, DType::F64, wide, dsl::Rounding::NearestEven);
}

Code mergeOf(ReduceOp op) {
  switch (op) {
  case ReduceOp::Max:
    return Code::Max;
  case ReduceOp::Min:
    return Code::Min;
  case ReduceOp::MaxNan:
    return Code::MaxNan;
  case ReduceOp::MinNan:
    return Code::MinNan;
  default:
    return Code::Add;
  }
}

void ContractTerms::Expansion::check(const Reduction &r) const {
  if (r.op == ReduceOp::ArgMax || r.op == ReduceOp::Top)
    throw DomainError(fmt::format("`{}` is not proven yet", dsl::name(r.op)));
  if (r.order.empty())
    return;
  if (const auto reason = dsl::malformed(r.order))
    throw DomainError(fmt::format("malformed program: {}", *reason));
  if (dsl::isMatrixProduct(r))
    throw DomainError(fmt::format("a matrix unit is not proven yet: `{}`", dsl::toString(r.order)));
  if (isFused(r) && (r.op != ReduceOp::Dot || program_.expr(r.body).op != Code::Mul))
    throw DomainError("malformed program: an `fma` stage outside a `dot` of a product");
}

const ContractTerms::Expansion::Prepared &ContractTerms::Expansion::prepared(dsl::ReductionId id) {
  if (const auto it = prepared_.find(id); it != prepared_.end())
    return it->second;
  const Reduction &r = program_.reductions.at(id);
  check(r);
  std::vector<dsl::ExprId> extents, body = {r.body};
  for (const dsl::VarId var : r.vars)
    extents.push_back(program_.vars.at(var).extent);
  if (isFused(r))
    body.assign(program_.args(r.body).begin(), program_.args(r.body).end());
  Prepared &p = prepared_[id];
  p.extents = planOf(program_, extents);
  if (r.where != kNone)
    p.condition = planOf(program_, std::span(&r.where, 1), r.vars);
  p.body = planOf(program_, body, r.vars);
  p.outer = outerVariables(program_, r);
  return p;
}

Value ContractTerms::Expansion::reduction(const dsl::Expr &e) {
  const auto id = static_cast<dsl::ReductionId>(e.payload);
  const Prepared &p = prepared(id);
  Key key = {id};
  for (const dsl::VarId var : p.outer)
    key.push_back(bound_.at(var).value());
  if (const auto it = reductions_.find(key); it != reductions_.end())
    return it->second;
  std::vector<Value> values(p.extents.steps.size());
  run(p.extents, values, true);
  std::vector<AffineId> extents;
  for (const std::uint32_t root : p.extents.roots)
    extents.push_back(values[root].id);
  const Value value = arithmetic_.settled(e.type, reduce(e, p, extents));
  reductions_.emplace(std::move(key), value);
  return value;
}

/// The value over all positions: written out, or a fold where an extent is no number.
Value ContractTerms::Expansion::reduce(const dsl::Expr &e, const Prepared &p,
                                       std::span<const AffineId> extents) {
  const Reduction &r = program_.reductions[e.payload];
  for (const AffineId extent : extents)
    if (!terms_.affine().constantOf(extent))
      return reduceFree(e, p, extent);
  std::vector<std::int64_t> sizes;
  const std::int64_t length = lengthOf(r, extents, sizes);
  if (foldsLongRuns_ && sizes.size() == 1)
    if (const auto value = reduceLong(e, p, length))
      return *value;
  Leaves leaves = leavesOf(e, p, sizes, length);
  dsl::Order order = r.order;
  if (isFused(r)) {
    leaves.values = fusedRuns(e, leaves);
    order.stages.erase(order.stages.begin());
  }
  const Merge merge{arithmetic_, mergeOf(r.op), e.type};
  const auto value = dsl::fold(order, std::move(leaves.values), merge);
  return value ? *value : arithmetic_.constant(e.type, dsl::identityBits(r.op, e.type));
}

std::int64_t ContractTerms::Expansion::lengthOf(const Reduction &r,
                                                std::span<const AffineId> extents,
                                                std::vector<std::int64_t> &sizes) const {
  std::int64_t length = 1;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    const std::int64_t size = *terms_.affine().constantOf(extents[k]);
    const std::string &name = program_.vars.at(r.vars[k]).name;
    if (size < 0 || (size > 0 && length > kLongest / size))
      throw ContractError(
          fmt::format("{} runs over {} elements; at most 2^26 are proven, in all", name, size),
          r.span);
    sizes.push_back(size);
    length *= size;
  }
  return length;
}

ContractTerms::Expansion::Leaves
ContractTerms::Expansion::leavesOf(const dsl::Expr &e, const Prepared &p,
                                   const std::vector<std::int64_t> &sizes, std::int64_t length) {
  const Reduction &r = program_.reductions[e.payload];
  Leaves leaves;
  std::vector<Value> body(p.body.steps.size()), condition(p.condition.steps.size()), roots;
  std::vector<std::int64_t> at(sizes.size());
  bool isFirst = true; // run of the body: what does not vary is still to be computed
  for (std::int64_t position = 0; position < length; ++position) {
    for (std::size_t k = 0; k < at.size(); ++k)
      bound_.at(r.vars[k]) = terms_.affine().constant(at[k]);
    Term live = Term::constant(1);
    if (r.where != kNone) {
      run(p.condition, condition, position == 0);
      live = condition[p.condition.roots.front()].bits;
    }
    roots.clear();
    if (live != Term::constant(0)) {
      run(p.body, body, isFirst);
      isFirst = false;
      for (const std::uint32_t root : p.body.roots)
        roots.push_back(body[root]);
    }
    addLeaf(e, roots, live, leaves);
    for (std::size_t k = at.size(); k-- > 0 && ++at[k] == sizes[k];)
      at[k] = 0;
  }
  return leaves;
}

/// What a position's value is in the sum.
Value ContractTerms::Expansion::counted(const dsl::Expr &e, const Value &value) {
  return program_.reductions[e.payload].op == ReduceOp::Count
             ? arithmetic_.cast(e.type, DType::Bool, value, dsl::Rounding::NearestEven)
             : value;
}

/// One position; `body` is empty where it does not count.
void ContractTerms::Expansion::addLeaf(const dsl::Expr &e, std::span<const Value> body,
                                       const Term &live, Leaves &leaves) {
  const Reduction &r = program_.reductions[e.payload];
  const Value identity = arithmetic_.constant(e.type, dsl::identityBits(r.op, e.type));
  if (isFused(r)) {
    leaves.values.push_back(body.empty() ? identity : body[0]);
    leaves.factors.push_back(body.empty() ? identity : body[1]);
    leaves.live.push_back(live);
    return;
  }
  if (body.empty()) {
    leaves.values.push_back(identity);
    return;
  }
  Value value = counted(e, body.front());
  // From the start: of NaN alone, the start is left.
  if (dsl::isFloat(e.type) && (r.op == ReduceOp::Max || r.op == ReduceOp::Min))
    value = arithmetic_.binary(mergeOf(r.op), e.type, identity, value);
  if (!live.isConstant())
    value = arithmetic_.select(e.type, live, value, identity);
  leaves.values.push_back(value);
}

/// acc = fma(a, b, acc) over each run, from the stage's start; a product that does not count leaves
/// acc.
std::vector<Value> ContractTerms::Expansion::fusedRuns(const dsl::Expr &e, const Leaves &leaves) {
  const Stage &stage = program_.reductions[e.payload].order.stages.front();
  const Merge merge{arithmetic_, Code::Add, e.type};
  const std::size_t count = leaves.values.size();
  const std::size_t run = stage.n == 0 ? count : static_cast<std::size_t>(stage.n);
  std::vector<Value> sums;
  for (std::size_t begin = 0; begin < count; begin += run) {
    Value sum = merge.literal(stage.start.value_or(-0.0));
    for (std::size_t k = begin; k < std::min(begin + run, count); ++k) {
      Value next = sum;
      if (leaves.live[k] != Term::constant(0))
        next = arithmetic_.fma(e.type, leaves.values[k], leaves.factors[k], sum);
      if (!leaves.live[k].isConstant())
        next = arithmetic_.select(e.type, leaves.live[k], next, sum);
      sum = stage.round ? merge.round(next, *stage.round) : next;
    }
    sums.push_back(sum);
  }
  return sums;
}

} // namespace ordo::verify
