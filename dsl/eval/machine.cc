// Running definitions and reductions.
#include "dsl/eval/machine.h"

#include "dsl/eval/atom/atom.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace ordo::dsl::machine {
namespace {

constexpr int kDeepestNesting = 64;          // of reductions in reductions
constexpr std::int64_t kLongest = 1LL << 31; // elements of one reduction
constexpr std::int64_t kLargestMemo = 1LL << 24;

/// A reduction that the evaluator can fold, or the reason why not.
void checkReduction(const Program &program, const Reduction &r, DType type) {
  if (r.op == ReduceOp::ArgMax || r.op == ReduceOp::Top)
    throw EvalError(fmt::format("the evaluator has no {} yet", name(r.op)));
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

void Array::setShape(std::vector<std::int64_t> sizes) {
  shape = std::move(sizes);
  strides.assign(shape.size(), 1);
  for (std::size_t k = shape.size(); k-- > 1;)
    strides[k - 1] = strides[k] * shape[k];
}

Machine::Machine(const Program &program, const Launch &launch)
    : program_(program), launch_(launch), scalars_(program.scalars.size()),
      tensors_(program.tensors.size()), definitions_(program.definitions.size()),
      storage_(program.definitions.size()), reductions_(program.reductions.size()) {
  for (std::size_t t = 0; t < tensors_.size(); ++t) {
    tensors_[t].name = program.tensors[t].name;
    tensors_[t].type = program.tensors[t].type;
    tensors_[t].setShape(launch.shapes[t]);
  }
  findFreeVars();
}

void Machine::setInput(TensorId tensor, const std::byte *data) {
  tensors_[tensor].data = data;
  tensors_[tensor].ready = true;
}

/// One pass over the arena, children first.
void Machine::findFreeVars() {
  freeVarWords_ = (program_.vars.size() + 63) / 64;
  freeVars_.assign(program_.exprCount() * freeVarWords_, 0);
  const auto bits = [&](ExprId id) { return freeVars_.data() + id * freeVarWords_; };
  for (ExprId id = 0; id < program_.exprCount(); ++id) {
    const auto include = [&](ExprId from) {
      if (from == kNone)
        return;
      if (from >= id)
        throw EvalError("malformed program: an operand comes after its user");
      for (std::size_t w = 0; w < freeVarWords_; ++w)
        bits(id)[w] |= bits(from)[w];
    };
    const Expr &e = program_.expr(id);
    for (const ExprId arg : program_.args(id))
      include(arg);
    if (e.op == Op::Var) {
      if (e.payload >= program_.vars.size())
        throw EvalError("malformed program: a variable is missing");
      bits(id)[e.payload / 64] |= std::uint64_t{1} << e.payload % 64;
    }
    if (e.op != Op::Reduce)
      continue;
    const Reduction &r = program_.reductions.at(e.payload);
    include(r.body);
    include(r.where);
    for (const VarId var : r.vars)
      bits(id)[var / 64] &= ~(std::uint64_t{1} << var % 64);
    for (const VarId var : r.vars)
      include(program_.vars.at(var).extent);
  }
}

std::vector<VarId> Machine::freeVars(ExprId id) const {
  std::vector<VarId> vars;
  for (VarId var = 0; var < program_.vars.size(); ++var)
    if (freeVars_[id * freeVarWords_ + var / 64] >> var % 64 & 1)
      vars.push_back(var);
  return vars;
}

std::int64_t Machine::fixedExtent(VarId var) const {
  const auto bits = evaluateUniform(program_, program_.vars[var].extent, launch_.dims);
  return bits ? static_cast<std::int64_t>(*bits) : -1;
}

void Machine::noteFault(const Array &array, std::span<const std::int64_t> at) {
  fault_ = fmt::format("`{}` is read at {}, and is {}", array.name, shapeText(at),
                       shapeText(array.shape));
}

void Machine::prepareReduction(ReductionId id, DType type) {
  if (id >= reductions_.size())
    throw EvalError("malformed program: a reduction is missing");
  if (reductions_[id])
    return;
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
  std::vector<VarId> bodyVars = freeVars(r.body);
  std::vector<ExprId> extents;
  std::vector<VarId> outer = bodyVars;
  for (const ExprId id : {r.where})
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
  scope_.insert(scope_.end(), r.vars.begin(), r.vars.end());
  state->body.compile(*this, roots, r.where, std::move(bodyVars));
  scope_.resize(scope_.size() - r.vars.size());
  reductions_[id] = std::move(state);
  --depth_;
}

/// Remembering the last point is enough where points come with the reduction's variables outermost.
void Machine::prepareMemo(ReductionState &state) {
  std::vector<VarId> leading(
      scope_.begin(),
      scope_.begin() + static_cast<std::ptrdiff_t>(std::min(state.outer.size(), scope_.size())));
  std::ranges::sort(leading);
  if (leading == state.outer)
    return;
  std::int64_t total = 1;
  std::vector<std::int64_t> extents;
  for (const VarId var : state.outer) {
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
  for (std::size_t k = 0; k < state.point.size(); ++k)
    index = index * state.memoExtents[k] + state.point[k];
  return static_cast<std::size_t>(index);
}

bool Machine::reduce(std::uint64_t id, const Frame &frame, std::size_t i, std::uint64_t *bits) {
  ReductionState &state = *reductions_[id];
  bool isSame = state.known;
  state.point.resize(state.outer.size());
  for (std::size_t k = 0; k < state.outer.size(); ++k) {
    const std::int64_t value = frame.vars[state.outer[k]].at(i);
    isSame = isSame && state.point[k] == value;
    state.point[k] = value;
  }
  if (!isSame) {
    state.known = true;
    const bool hasMemo = !state.memoState.empty();
    const std::size_t at = hasMemo ? memoIndex(state) : 0;
    if (hasMemo && state.memoState[at] != 0) {
      state.bits = state.memoBits[at];
      state.poisoned = state.memoState[at] == 2;
    } else {
      computeReduction(state, frame, i);
      if (hasMemo) {
        state.memoBits[at] = state.bits;
        state.memoState[at] = state.poisoned ? 2 : 1;
      }
    }
  }
  *bits = state.bits;
  return state.poisoned;
}

void Machine::computeReduction(ReductionState &state, const Frame &frame, std::size_t i) {
  const Reduction &r = *state.reduction;
  for (const VarId var : state.outer)
    state.frame.vars[var] = {frame.vars[var].at(i), 0, nullptr};
  state.frame.count = 1;
  state.extents.run(*this, state.frame);
  std::vector<std::int64_t> extents;
  std::int64_t length = 1;
  state.poisoned = false;
  for (std::size_t k = 0; k < r.vars.size(); ++k) {
    state.poisoned = state.poisoned || !state.extents.root(k).poison.empty();
    extents.push_back(state.extents.rootIndexAt(k, 0));
    if (extents.back() < 0)
      throw EvalError(
          fmt::format("{} runs over {} elements", program_.vars[r.vars[k]].name, extents.back()));
    if (extents.back() == 0)
      length = 0;
    else if (length > kLongest / extents.back())
      throw EvalError("a reduction is longer than the evaluator holds (2^31 elements)");
    else
      length *= extents.back();
  }
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

void Machine::runDefinition(DefId id, std::byte *output) {
  const Definition &definition = program_.definitions[id];
  Array &array = definitions_[id];
  array.name = definition.name;
  array.type = program_.expr(definition.value).type;
  std::vector<std::int64_t> extents;
  for (const VarId var : definition.vars) {
    extents.push_back(fixedExtent(var));
    if (extents.back() < 0)
      throw EvalError(fmt::format("`{}` runs over {}, whose size is not fixed by the launch",
                                  definition.name, program_.vars[var].name));
  }
  const auto count = elementCount(extents, 8);
  if (!count)
    throw EvalError(fmt::format("`{}` of {} is too large", definition.name, shapeText(extents)));
  array.setShape(extents);
  const std::size_t size = elementSize(array.type);
  if (definition.output != kNone) {
    if (extents != launch_.shapes[definition.output] ||
        array.type != program_.tensors[definition.output].type)
      throw EvalError(fmt::format("`{}` is defined as {}{}, and is {}{}", definition.name,
                                  name(array.type), shapeText(extents),
                                  name(program_.tensors[definition.output].type),
                                  shapeText(launch_.shapes[definition.output])));
  } else {
    storage_[id].resize(static_cast<std::size_t>(*count) * size);
    output = storage_[id].data();
  }
  scope_ = definition.vars;
  Body body;
  std::vector<VarId> vars = freeVars(definition.value);
  body.compile(*this, {definition.value}, definition.where, std::move(vars));
  Frame frame;
  frame.vars.resize(program_.vars.size());
  std::vector<std::uint8_t> live(kBatch), poison(kBatch);
  Walk walk(frame, definition.vars, extents);
  while (*count > 0 && walk.next()) {
    const auto at = static_cast<std::size_t>(walk.position());
    std::byte *out[] = {output + at * size, nullptr};
    const bool poisoned = body.run(*this, frame, out, live.data(), poison.data());
    const bool isPartial = definition.where != kNone && definition.output == kNone;
    if (poisoned && definition.output != kNone)
      throw EvalError(fmt::format("index out of range in `{}`: {}", definition.name, fault_));
    if (!poisoned && !isPartial)
      continue;
    // A later definition may leave these elements unread; if it reads them, that is the error.
    array.poison.resize(static_cast<std::size_t>(*count));
    for (std::size_t i = 0; i < frame.count; ++i)
      array.poison[at + i] = poison[i] != 0 || live[i] == 0;
  }
  array.data = output;
  array.ready = true;
}

} // namespace ordo::dsl::machine
