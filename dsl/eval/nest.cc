// Walking index variables whose extents may depend on each other.
#include "dsl/eval/table.h"

#include <algorithm>
#include <fmt/format.h>

namespace ordo::dsl::machine {

void Nest::compile(Machine &machine, std::vector<VarId> vars) {
  vars_ = std::move(vars);
  const std::size_t count = vars_.size();
  extents_ = std::vector<Block>(count);
  depends_.assign(count, false);
  decides_.assign(count, false);
  at_.assign(count, 0);
  sizes_.assign(count, 0);
  largest_.assign(count, 0);
  split_ = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const ExprId extent = machine.program().vars.at(vars_[k]).extent;
    if (extent >= machine.program().exprCount() ||
        machine.program().expr(extent).type != DType::Index)
      throw EvalError("malformed program: an extent is no Index");
    for (const VarId var : machine.freeVars(extent)) {
      const auto at = std::ranges::find(vars_, var);
      if (at == vars_.end())
        continue; // ambient
      if (at - vars_.begin() >= static_cast<std::ptrdiff_t>(k))
        throw EvalError("malformed program: an extent depends on a later variable");
      decides_[static_cast<std::size_t>(at - vars_.begin())] = true;
      depends_[k] = true;
      split_ = k;
    }
    machine.inScope(std::span(vars_).first(k), [&] { extents_[k].compile(machine, {extent}); });
  }
}

std::int64_t Nest::extentOf(std::size_t k) {
  Block &block = extents_[k];
  frame_->count = 1;
  block.run(*machine_, *frame_);
  const std::string &name = machine_->program().vars[vars_[k]].name;
  if (block.isPoisoned(0, 0))
    throw EvalError(fmt::format("how far `{}` runs is not known: {}", name, machine_->fault()));
  const std::int64_t extent = block.rootIndexAt(0, 0);
  if (extent < 0)
    throw EvalError(fmt::format(
        "{} runs over {} elements{}", name, extent,
        k == 0 ? "" : " at " + machine_->pointText(std::span(vars_).first(k), *frame_, 0)));
  return extent;
}

const std::vector<std::int64_t> &Nest::largest(Machine &machine, Frame &frame) {
  machine_ = &machine;
  frame_ = &frame;
  std::ranges::fill(largest_, 0);
  for (std::size_t k = 0; k < vars_.size(); ++k)
    if (!depends_[k])
      largest_[k] = extentOf(k);
  if (isRagged())
    grow(0);
  return largest_;
}

/// Visits the values of the variables that decide an extent; the others stand still.
void Nest::grow(std::size_t k) {
  if (k > split_)
    return;
  const std::int64_t extent = depends_[k] ? extentOf(k) : largest_[k];
  largest_[k] = std::max(largest_[k], extent);
  if (!decides_[k])
    return grow(k + 1);
  for (at_[k] = 0; at_[k] < extent; ++at_[k]) {
    bind(k);
    grow(k + 1);
  }
}

void Nest::start(Machine &machine, Frame &frame) {
  machine_ = &machine;
  frame_ = &frame;
  started_ = false;
  walk_.reset();
  for (std::size_t k = 0; k < vars_.size(); ++k)
    if (!depends_[k])
      sizes_[k] = extentOf(k);
}

/// Binds the variables before `split_` to their next values under which something may lie.
bool Nest::nextPrefix() {
  std::size_t k = started_ ? split_ : 0;
  const auto step = [&] { // to the next value of the nearest variable that has one
    while (k > 0 && ++at_[k - 1] >= sizes_[k - 1])
      --k;
    if (k == 0)
      return false;
    bind(k - 1);
    return true;
  };
  if (started_ && !step())
    return false;
  started_ = true;
  while (k < split_) {
    if (depends_[k])
      sizes_[k] = extentOf(k);
    if (sizes_[k] == 0) {
      if (!step())
        return false;
      continue;
    }
    at_[k] = 0;
    bind(k++);
  }
  if (!vars_.empty() && depends_[split_])
    sizes_[split_] = extentOf(split_);
  return true;
}

bool Nest::next() {
  while (!walk_ || !walk_->next()) {
    if (!nextPrefix())
      return false;
    walk_.emplace(*frame_, std::span(vars_).subspan(split_), std::span(sizes_).subspan(split_));
  }
  return true;
}

std::size_t Nest::position(std::span<const std::int64_t> strides) const {
  std::int64_t position = walk_->position();
  for (std::size_t k = 0; k < split_; ++k)
    position += at_[k] * strides[k];
  return static_cast<std::size_t>(position);
}

} // namespace ordo::dsl::machine
