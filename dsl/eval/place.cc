// Definitions whose points stand at places of their own.
#include "dsl/eval/table.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace ordo::dsl::machine {

void Scatter::compile(Machine &machine, const Definition &definition) {
  definition_ = &definition;
  std::vector<VarId> vars;
  for (const ExprId index : definition.at) {
    if (index >= machine.program().exprCount() ||
        machine.program().expr(index).type != DType::Index)
      throw EvalError(
          fmt::format("malformed program: a place of `{}` is no Index", definition.name));
    std::ranges::copy(machine.freeVars(index), std::back_inserter(vars));
  }
  std::ranges::sort(vars);
  vars.erase(std::ranges::unique(vars).begin(), vars.end());
  nest_.compile(machine, definition.vars);
  machine.inScope(definition.vars, [&] {
    place_.compile(machine, definition.at, definition.where, vars);
    value_.compile(machine, {definition.value}, definition.where,
                   machine.freeVars(definition.value));
  });
  columns_.assign(definition.at.size(), std::vector<std::byte>(kBatch * sizeof(std::int64_t)));
  for (std::vector<std::byte> &column : columns_)
    out_.push_back(column.data());
  staging_.resize(kBatch * elementSize(machine.program().expr(definition.value).type));
  live_.resize(kBatch);
  poison_.resize(kBatch);
}

/// The next points and where they stand.
bool Scatter::nextPoints(Machine &machine) {
  if (!nest_.next())
    return false;
  if (!place_.run(machine, frame_, out_.data(), live_.data(), poison_.data()))
    return true;
  const auto first = std::ranges::find_if(poison_, [](std::uint8_t p) { return p != 0; });
  throw EvalError(fmt::format(
      "where `{}` stands at {} is not known: {}", definition_->name,
      machine.pointText(nest_.vars(), frame_, static_cast<std::size_t>(first - poison_.begin())),
      machine.fault()));
}

std::size_t Scatter::elementAt(Machine &machine, const Array &array, std::size_t i) const {
  std::vector<std::int64_t> at(columns_.size());
  std::int64_t element = 0;
  bool isInside = true;
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    std::memcpy(&at[axis], columns_[axis].data() + i * sizeof at[axis], sizeof at[axis]);
    isInside = isInside && at[axis] >= 0 && at[axis] < array.shape[axis];
    element += isInside ? at[axis] * array.strides[axis] : 0;
  }
  if (!isInside)
    throw EvalError(fmt::format("`{}` is written at {}, by {}, and is {}", array.name,
                                shapeText(at), machine.pointText(nest_.vars(), frame_, i),
                                shapeText(array.shape)));
  return static_cast<std::size_t>(element);
}

void Scatter::fill(Machine &machine, Array &array, std::byte *out,
                   std::vector<std::uint8_t> &written) {
  machine.bindAmbient(frame_);
  const bool isOutput = definition_->output != kNone;
  const std::size_t size = elementSize(array.type);
  for (nest_.start(machine, frame_); nextPoints(machine);) {
    std::byte *values[] = {staging_.data()};
    const bool isPoisoned = value_.run(machine, frame_, values, nullptr, poison_.data());
    for (std::size_t i = 0; i < frame_.count; ++i) {
      if (live_[i] == 0)
        continue;
      const std::size_t element = elementAt(machine, array, i);
      if (written[element] != 0)
        refuseTwice(machine, array, element, i);
      written[element] = 1;
      const bool isBad = isPoisoned && poison_[i] != 0;
      if (isBad && isOutput)
        value_.refuse(machine, definition_->name, nest_.vars(), frame_, i);
      std::memcpy(out + element * size, staging_.data() + i * size, size);
      if (!isOutput)
        array.poison[element] = isBad;
    }
  }
}

/// Walks again, up to the point that wrote the element first.
void Scatter::refuseTwice(Machine &machine, const Array &array, std::size_t element,
                          std::size_t i) {
  std::vector<std::int64_t> place, point;
  for (const std::vector<std::byte> &column : columns_) {
    std::memcpy(&place.emplace_back(), column.data() + i * sizeof(std::int64_t),
                sizeof(std::int64_t));
  }
  for (const VarId var : nest_.vars())
    point.push_back(frame_.vars[var].at(i));
  const std::string second = machine.pointText(nest_.vars(), point);
  std::string first = "an earlier definition";
  for (nest_.start(machine, frame_); nextPoints(machine);)
    for (std::size_t j = 0; j < frame_.count; ++j) {
      if (live_[j] == 0 || elementAt(machine, array, j) != element)
        continue;
      const std::string text = machine.pointText(nest_.vars(), frame_, j);
      throw EvalError(fmt::format("`{}` is written twice at {}: by {} and by {}", array.name,
                                  shapeText(place), text == second ? first : text, second));
    }
  throw EvalError(fmt::format("`{}` is written twice at {}", array.name, shapeText(place)));
}

} // namespace ordo::dsl::machine
