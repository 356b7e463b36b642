// Running definitions and reductions.
#include "dsl/eval/machine.h"

#include "dsl/eval/recurrence.h"
#include "dsl/eval/table.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ordo::dsl::machine {
void Array::setShape(std::vector<std::int64_t> sizes) {
  shape = std::move(sizes);
  strides.assign(shape.size(), 1);
  for (std::size_t k = shape.size(); k-- > 1;)
    strides[k - 1] = strides[k] * shape[k];
}

std::int64_t Array::count() const {
  std::int64_t count = 1;
  for (const std::int64_t size : shape)
    count *= size;
  return count;
}

Machine::Machine(const Program &program, const Launch &launch)
    : program_(program), launch_(launch), scalars_(program.scalars.size()),
      tensors_(program.tensors.size()), definitions_(program.definitions.size()),
      carries_(program.carries.size() * 3), storage_(program.definitions.size()),
      placed_(program.tensors.size()), recurrences_(program.recurrences.size()) {
  for (std::size_t t = 0; t < tensors_.size(); ++t) {
    tensors_[t].name = program.tensors[t].name;
    tensors_[t].type = program.tensors[t].type;
    tensors_[t].setShape(launch.shapes[t]);
  }
  findFreeVars();
}

Machine::~Machine() = default;

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
    include(r.count);
    for (const RankKey &key : r.keys)
      include(key.value);
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

std::vector<std::int64_t> Machine::fixedShape(const std::string &name,
                                              std::span<const ExprId> shape) const {
  std::vector<std::int64_t> sizes;
  for (const ExprId axis : shape) {
    const auto size = evaluateUniform(program_, axis, launch_.dims);
    if (!size || static_cast<std::int64_t>(*size) < 0)
      throw EvalError(fmt::format("`{}` has no fixed size along axis {}", name, sizes.size()));
    sizes.push_back(static_cast<std::int64_t>(*size));
  }
  return sizes;
}

void Machine::bindAmbient(Frame &frame) const {
  frame.vars.resize(program_.vars.size());
  for (const auto &[var, value] : ambient_)
    frame.vars[var] = {value, 0, nullptr};
}

void Machine::noteFault(const Array &array, std::span<const std::int64_t> at) {
  faultArray_ = array.name;
  faultAt_.assign(at.begin(), at.end());
  faultShape_ = array.shape;
}

void Machine::noteFault(std::string text) {
  faultArray_.clear();
  faultAt_.clear();
  faultShape_.clear();
  fault_ = std::move(text);
}

std::string Machine::fault() const {
  if (faultShape_.empty() && faultArray_.empty())
    return fault_;
  for (std::size_t k = 0; k < faultAt_.size(); ++k)
    if (faultAt_[k] < 0 || faultAt_[k] >= faultShape_[k])
      return fmt::format("index out of range: `{}` is read at {}, and is {}", faultArray_,
                         shapeText(faultAt_), shapeText(faultShape_));
  return fmt::format("`{}` has no value at {}", faultArray_, shapeText(faultAt_));
}

std::string Machine::pointText(std::span<const VarId> vars,
                               std::span<const std::int64_t> at) const {
  std::vector<std::string> names;
  for (const VarId var : vars)
    names.push_back(program_.vars[var].name);
  if (names.empty())
    return "";
  if (names.size() == 1)
    return fmt::format("{} = {}", names[0], at[0]);
  return fmt::format("({}) = ({})", fmt::join(names, ", "), fmt::join(at, ", "));
}

std::string Machine::pointText(std::span<const VarId> vars, const Frame &frame,
                               std::size_t i) const {
  std::vector<std::int64_t> at;
  for (const VarId var : vars)
    at.push_back(frame.vars[var].at(i));
  return pointText(vars, at);
}

std::vector<ExprId> reachable(const Program &program, std::vector<ExprId> roots) {
  std::vector<ExprId> nodes;
  std::vector<bool> seen(program.exprCount());
  const auto enterLocals = [&](std::span<const DefId> locals) {
    for (const DefId id : locals) {
      const Definition &local = program.definitions.at(id);
      roots.insert(roots.end(), {local.value, local.where});
      for (const VarId var : local.vars)
        roots.push_back(program.vars.at(var).extent);
    }
  };
  while (!roots.empty()) {
    const ExprId id = roots.back();
    roots.pop_back();
    if (id == kNone || seen.at(id))
      continue;
    seen[id] = true;
    nodes.push_back(id);
    program.forEachOperand(id, [&](ExprId operand) { roots.push_back(operand); });
    if (const Expr &e = program.expr(id); e.op == Op::Recur) {
      const Recurrence &r = program.recurrences.at(recurrenceOf(e.payload));
      enterLocals(r.stepLocals);
      enterLocals(r.mergeLocals);
    }
  }
  return nodes;
}

void Machine::runDefinition(DefId id, std::byte *output) {
  const Definition &definition = program_.definitions[id];
  if (definition.recurrence != kNone)
    return; // run by its recurrence
  Array &array = definitions_[id];
  array.name = definition.name;
  array.type = program_.expr(definition.value).type;
  Table table;
  Scatter scatter;
  if (definition.isPlaced()) {
    scatter.compile(*this, definition);
    array.setShape(fixedShape(definition.name, definition.shape));
  } else {
    table.compile(*this, {definition.name, definition.vars, definition.value, definition.where});
    array.setShape(table.measure(*this));
  }
  const auto count = elementCount(array.shape, 8);
  if (!count)
    throw EvalError(
        fmt::format("`{}` of {} is too large", definition.name, shapeText(array.shape)));
  const auto elements = static_cast<std::size_t>(*count);
  const bool isOutput = definition.output != kNone;
  if (!isOutput) {
    storage_[id].resize(elements * elementSize(array.type));
    output = storage_[id].data();
  } else if (array.shape != launch_.shapes[definition.output] ||
             array.type != program_.tensors[definition.output].type ||
             (definition.isPlaced() && definition.at.size() != array.shape.size())) {
    throw EvalError(fmt::format("`{}` is defined as {}{}, and is {}{}", definition.name,
                                name(array.type), shapeText(array.shape),
                                name(program_.tensors[definition.output].type),
                                shapeText(launch_.shapes[definition.output])));
  }
  if (!definition.isPlaced()) {
    table.fill(*this, array, output, isOutput);
  } else {
    std::vector<std::uint8_t> own;
    std::vector<std::uint8_t> &written = isOutput ? placed_[definition.output] : own;
    written.resize(elements);
    array.poison.assign(isOutput ? 0 : elements, 1);
    scatter.fill(*this, array, output, written);
  }
  array.data = output;
  array.ready = true;
}

} // namespace ordo::dsl::machine
