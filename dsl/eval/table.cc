// Definitions with one axis per variable, and the arrays inside a recurrence.
#include "dsl/eval/table.h"

#include <algorithm>
#include <fmt/format.h>

namespace ordo::dsl::machine {

void Table::compile(Machine &machine, Filling filling) {
  filling_ = std::move(filling);
  if (filling_.value >= machine.program().exprCount())
    throw EvalError(fmt::format("malformed program: `{}` has no value", filling_.name));
  type_ = machine.program().expr(filling_.value).type;
  nest_.compile(machine, filling_.vars);
  machine.inScope(filling_.vars, [&] {
    body_.compile(machine, {filling_.value}, filling_.where, machine.freeVars(filling_.value));
  });
  live_.resize(kBatch);
  poison_.resize(kBatch);
}

const std::vector<std::int64_t> &Table::measure(Machine &machine) {
  machine.bindAmbient(frame_);
  return nest_.largest(machine, frame_);
}

void Table::fill(Machine &machine, Array &array, std::vector<std::byte> &storage) {
  const std::vector<std::int64_t> &shape = measure(machine);
  const auto count = elementCount(shape, 8);
  if (!count)
    throw EvalError(fmt::format("`{}` of {} is too large", filling_.name, shapeText(shape)));
  if (array.shape != shape || array.strides.size() != shape.size())
    array.setShape(shape);
  storage.resize(static_cast<std::size_t>(*count) * elementSize(type_));
  fill(machine, array, storage.data(), false);
}

void Table::fill(Machine &machine, Array &array, std::byte *out, bool isOutput) {
  machine.bindAmbient(frame_);
  array.data = out;
  array.poison.clear();
  bool isAnyPoisoned = nest_.isRagged() && !isOutput;
  if (isAnyPoisoned)
    array.poison.assign(static_cast<std::size_t>(array.count()), 1);
  const std::size_t size = elementSize(type_);
  for (nest_.start(machine, frame_); nest_.next();) {
    const std::size_t at = nest_.position(array.strides);
    std::byte *roots[] = {out + at * size};
    const bool isPoisoned = body_.run(machine, frame_, roots, live_.data(), poison_.data());
    if (!isOutput) {
      if (isPoisoned || filling_.where != kNone || isAnyPoisoned)
        takePoison(array, at, isAnyPoisoned);
    } else if (isPoisoned) {
      const auto first = std::ranges::find_if(poison_, [](std::uint8_t p) { return p != 0; });
      body_.refuse(machine, filling_.name, filling_.vars, frame_,
                   static_cast<std::size_t>(first - poison_.begin()));
    }
  }
}

/// A later definition may leave these elements unread; if it reads them, that is the error.
void Table::takePoison(Array &array, std::size_t at, bool &isAnyPoisoned) {
  const auto isBad = [&](std::size_t i) { return poison_[i] != 0 || live_[i] == 0; };
  if (!isAnyPoisoned) {
    for (std::size_t i = 0; i < frame_.count && !isAnyPoisoned; ++i)
      isAnyPoisoned = isBad(i);
    if (!isAnyPoisoned)
      return;
    array.poison.resize(static_cast<std::size_t>(array.count()));
  }
  for (std::size_t i = 0; i < frame_.count; ++i)
    array.poison[at + i] = isBad(i);
}

} // namespace ordo::dsl::machine
