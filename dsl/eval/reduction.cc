// Reductions: collecting the elements under one outer point, and remembering the result.
#include "dsl/eval/atom/atom.h"
#include "dsl/eval/machine.h"
#include "dsl/eval/recurrence.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace ordo::dsl::machine {
namespace {

constexpr int kDeepestNesting = 64;          // of reductions in reductions
constexpr std::int64_t kLongest = 1LL << 31; // elements of one reduction
constexpr std::int64_t kLargestMemo = 1LL << 24;

bool isRanking(ReduceOp op) { return op == ReduceOp::ArgMax || op == ReduceOp::Top; }

void checkRanking(const Program &program, const Reduction &r, DType type) {
  if (r.vars.size() != 1 || r.keys.empty() || type != DType::I32 ||
      (r.op == ReduceOp::Top) != (r.count != kNone))
    throw EvalError(fmt::format("malformed program: a `{}` of {} variables and {} keys in {}",
                                name(r.op), r.vars.size(), r.keys.size(), name(type)));
  for (const RankKey &key : r.keys)
    if (key.value >= program.exprCount())
      throw EvalError("malformed program: a key is missing");
}

/// A reduction that the evaluator can fold, or the reason why not.
void checkReduction(const Program &program, const Reduction &r, DType type) {
  if (isRanking(r.op))
    return checkRanking(program, r, type);
  if (r.body >= program.exprCount())
    throw EvalError("malformed program: a reduction has no body");
  const DType body = program.expr(r.body).type;
  if (r.op == ReduceOp::Count) {
    if (body != DType::Bool || !(isInteger(type) || type == DType::Index))
      throw EvalError("malformed program: `count` counts bools into an integer");
    return;
  }
  const bool isFolded = isInteger(type) || type == DType::Index || type == DType::F64 ||
                        type == DType::F32 || type == DType::F16 || type == DType::BF16;
  if (body != type || !isFolded)
    throw EvalError(
        fmt::format("malformed program: a `{}` of {} in {}", name(r.op), name(body), name(type)));
  if (!r.order.empty()) {
    if (const auto reason = malformed(r.order))
      throw EvalError(fmt::format("malformed program: order `{}`: {}", toString(r.order), *reason));
    if (!isFloat(type) && std::ranges::any_of(r.order.stages, [](const Stage &s) {
          return s.round || s.start || s.pad;
        }))
      throw EvalError("malformed program: an order over integers with a rounding, start or pad");
    const Stage::Kind first = r.order.stages.front().kind;
    if ((first == Stage::Kind::Fma || first == Stage::Kind::Mma) &&
        (r.op != ReduceOp::Dot || !isFloat(type) || program.expr(r.body).op != Op::Mul))
      throw EvalError(
          "malformed program: an `fma` or `mma` stage outside a float `dot` of a product");
  }
}

void fillWith(std::vector<std::byte> &values, DType type, std::uint64_t bits) {
  const std::size_t size = elementSize(type);
  for (std::size_t at = 0; at < values.size(); at += size)
    storeBits(type, values.data() + at, bits);
}

/// What stands for a masked element: its product adds nothing. fma(-0.0, 1.0, acc) is acc; a matrix
/// unit may take any zero operand for +0.0, so there +0.0 times -1.0 makes the -0.0.
std::uint64_t maskedBits(const ReductionState &state, std::size_t side) {
  constexpr std::uint64_t kOne = 0x3ff0000000000000u, kMinusOne = 0xbff0000000000000u;
  if (state.atom)
    return side == 0 ? 0 : castBits(DType::F64, state.element, kMinusOne);
  if (side == 1)
    return castBits(DType::F64, state.type, kOne);
  return state.reduction->op == ReduceOp::Count ? 0 : identityBits(state.reduction->op, state.type);
}

} // namespace

void ReductionState::forget() {
  known = false;
  std::ranges::fill(memoState, 0);
  if (ranking)
    ranking->memo.clear();
}

ReductionState &Machine::prepareReduction(ReductionId id, DType type) {
  if (id >= program_.reductions.size())
    throw EvalError("malformed program: a reduction is missing");
  const auto [it, isNew] = reductions_.try_emplace({id, compiling_});
  if (!isNew) {
    if (!it->second)
      throw EvalError("malformed program: a reduction in itself");
    return *it->second;
  }
  if (++depth_ > kDeepestNesting)
    throw EvalError(fmt::format("reductions nest deeper than {}", kDeepestNesting));
  const Reduction &r = program_.reductions[id];
  checkReduction(program_, r, type);
  auto state = std::make_unique<ReductionState>();
  state->reduction = &r;
  state->type = type;
  state->element = r.op == ReduceOp::Count ? DType::Bool : type;
  state->rest = r.order;
  std::vector<ExprId> roots = {r.body};
  if (isRanking(r.op)) {
    state->ranking = std::make_unique<Ranking>();
    roots.clear();
    for (const RankKey &key : r.keys)
      roots.push_back(key.value);
  }
  const bool isMatrix = isMatrixProduct(r);
  if (isMatrix || (!r.order.empty() && r.order.stages.front().kind == Stage::Kind::Fma)) {
    state->fused = true;
    state->rest.stages.erase(state->rest.stages.begin());
    roots.assign(program_.args(r.body).begin(), program_.args(r.body).end());
  }
  if (isMatrix) {
    state->atom = &matrixRule(program_, r, type);
    state->element = state->atom->operand;
    for (std::size_t side = 0; side < 2; ++side)
      roots[side] = matrixOperand(program_, r, side, state->element);
  }
  std::vector<VarId> bodyVars;
  for (const ExprId root : roots)
    std::ranges::copy(freeVars(root), std::back_inserter(bodyVars));
  std::ranges::sort(bodyVars);
  bodyVars.erase(std::ranges::unique(bodyVars).begin(), bodyVars.end());
  std::vector<ExprId> extents;
  std::vector<VarId> outer = bodyVars;
  for (const ExprId id : {r.where, r.count})
    if (id != kNone)
      std::ranges::copy(freeVars(id), std::back_inserter(outer));
  std::erase_if(outer, [&](VarId v) { return std::ranges::find(r.vars, v) != r.vars.end(); });
  for (const VarId var : r.vars) {
    extents.push_back(program_.vars[var].extent);
    std::ranges::copy(freeVars(extents.back()), std::back_inserter(outer));
  }
  std::ranges::sort(outer);
  outer.erase(std::ranges::unique(outer).begin(), outer.end());
  for (const VarId var : r.vars)
    if (std::ranges::find(outer, var) != outer.end())
      throw EvalError("malformed program: an extent depends on its own reduction");
  state->outer = std::move(outer);
  state->frame.vars.resize(program_.vars.size());
  prepareMemo(*state);
  state->extents.compile(*this, extents);
  Body *body = &state->body;
  if (state->ranking) {
    body = &state->ranking->keys;
    if (r.count != kNone)
      state->ranking->count.compile(*this, {r.count});
  }
  inScope(r.vars, [&] { body->compile(*this, roots, r.where, std::move(bodyVars)); });
  --depth_;
  if (compiling_)
    compiling_->own(*state);
  // Compiling the body may have added reductions, which moves no entry of a map.
  return *(it->second = std::move(state));
}

/// Remembering the last point is enough where points come with the reduction's variables outermost.
void Machine::prepareMemo(ReductionState &state) {
  std::vector<VarId> vars;
  for (std::size_t k = 0; k < state.outer.size(); ++k) {
    // What is no variable of the scope is one that the recurrence holds fixed.
    if (std::ranges::find(scope_, state.outer[k]) == scope_.end()) {
      if (!compiling_)
        return;
      continue;
    }
    vars.push_back(state.outer[k]);
    state.memoVars.push_back(k);
  }
  std::vector<VarId> leading(scope_.begin(),
                             scope_.begin() + static_cast<std::ptrdiff_t>(vars.size()));
  std::ranges::sort(leading);
  if (leading == vars)
    return;
  if (state.ranking) {
    state.ranking->remembers = true;
    return;
  }
  std::int64_t total = 1;
  std::vector<std::int64_t> extents;
  for (const VarId var : vars) {
    const std::int64_t extent = fixedExtent(var);
    if (extent <= 0 || total > kLargestMemo / extent)
      return;
    total *= extent;
    extents.push_back(extent);
  }
  state.memoExtents = std::move(extents);
  state.memoBits.resize(static_cast<std::size_t>(total));
  state.memoState.resize(static_cast<std::size_t>(total));
}

std::size_t Machine::memoIndex(const ReductionState &state) const {
  std::int64_t index = 0;
  for (std::size_t k = 0; k < state.memoVars.size(); ++k)
    index = index * state.memoExtents[k] + state.point[state.memoVars[k]];
  return static_cast<std::size_t>(index);
}

bool Machine::reduce(ReductionState &state, const Frame &frame, std::size_t i, std::int64_t slot,
                     std::uint64_t *bits) {
  bool isSame = state.known;
  state.point.resize(state.outer.size());
  for (std::size_t k = 0; k < state.outer.size(); ++k) {
    const std::int64_t value = frame.vars[state.outer[k]].at(i);
    isSame = isSame && state.point[k] == value;
    state.point[k] = value;
  }
  if (state.ranking)
    return place(state, isSame, frame, i, slot, bits);
  if (!isSame) {
    state.known = true;
    const bool hasMemo = !state.memoState.empty();
    const std::size_t at = hasMemo ? memoIndex(state) : 0;
    if (hasMemo && state.memoState[at] != 0) {
      state.bits = state.memoBits[at];
      state.poisoned = false;
    } else {
      computeReduction(state, frame, i);
      if (state.poisoned) {
        state.fault = fault();
      } else if (hasMemo) {
        state.memoBits[at] = state.bits;
        state.memoState[at] = 1;
      }
    }
  }
  if (state.poisoned)
    noteFault(state.fault);
  *bits = state.bits;
  return state.poisoned;
}

std::int64_t Machine::takeExtents(ReductionState &state, const Frame &frame, std::size_t i,
                                  std::vector<std::int64_t> &extents) {
  for (const VarId var : state.outer)
    state.frame.vars[var] = {frame.vars[var].at(i), 0, nullptr};
  state.frame.count = 1;
  state.extents.run(*this, state.frame);
  std::int64_t length = 1;
  state.poisoned = false;
  for (std::size_t k = 0; k < state.reduction->vars.size(); ++k) {
    state.poisoned = state.poisoned || state.extents.isPoisoned(k, 0);
    extents.push_back(state.extents.rootIndexAt(k, 0));
    if (state.poisoned)
      continue;
    if (extents.back() < 0)
      throw EvalError(fmt::format("{} runs over {} elements",
                                  program_.vars[state.reduction->vars[k]].name, extents.back()));
    if (extents.back() == 0)
      length = 0;
    else if (length > kLongest / extents.back())
      throw EvalError("a reduction is longer than the evaluator holds (2^31 elements)");
    else
      length *= extents.back();
  }
  return length;
}

void Machine::computeReduction(ReductionState &state, const Frame &frame, std::size_t i) {
  const Reduction &r = *state.reduction;
  std::vector<std::int64_t> extents;
  const std::int64_t length = takeExtents(state, frame, i, extents);
  if (state.poisoned)
    return;
  const std::size_t size = elementSize(state.element);
  const bool guarded = r.where != kNone;
  for (std::size_t k = 0; k < (state.fused ? 2 : 1); ++k) {
    state.values[k].resize(static_cast<std::size_t>(length) * size);
    if (guarded)
      fillWith(state.values[k], state.element, maskedBits(state, k));
  }
  if (length > 0) {
    Walk walk(state.frame, r.vars, extents);
    while (walk.next()) {
      const std::size_t at = static_cast<std::size_t>(walk.position()) * size;
      std::byte *out[] = {state.values[0].data() + at,
                          state.fused ? state.values[1].data() + at : nullptr};
      state.poisoned = state.body.run(*this, state.frame, out, nullptr, nullptr) || state.poisoned;
    }
  }
  state.bits = foldBits(state, length);
}

} // namespace ordo::dsl::machine
