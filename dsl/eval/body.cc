// Guarded evaluation over frames, and walking boxes of index points.
#include "dsl/eval/machine.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace ordo::dsl::machine {
namespace {

/// A last axis shorter than this is flattened with the others: a kernel call a row would cost more
/// than writing the indices out.
constexpr std::int64_t kShortAxis = 32;

} // namespace

Walk::Walk(Frame &frame, std::span<const VarId> vars, std::span<const std::int64_t> extents)
    : frame_(&frame), vars_(vars.begin(), vars.end()), extents_(extents.begin(), extents.end()) {
  for (const std::int64_t extent : extents_)
    total_ *= extent;
  isEven_ = vars_.size() <= 1 || extents_.back() >= kShortAxis;
  if (!isEven_)
    columns_.assign(vars_.size(), std::vector<std::int64_t>(kBatch));
}

bool Walk::next() {
  position_ = after_;
  if (position_ >= total_)
    return false;
  const auto batch = static_cast<std::int64_t>(kBatch);
  const std::int64_t inner = vars_.empty() ? 1 : extents_.back();
  const std::int64_t left = isEven_ ? inner - position_ % inner : total_ - position_;
  frame_->count = static_cast<std::size_t>(std::min(batch, left));
  after_ = position_ + static_cast<std::int64_t>(frame_->count);
  std::int64_t rest = position_;
  std::vector<std::int64_t> at(vars_.size());
  for (std::size_t k = vars_.size(); k-- > 0;) {
    at[k] = rest % extents_[k];
    rest /= extents_[k];
  }
  if (isEven_) {
    for (std::size_t k = 0; k < vars_.size(); ++k)
      frame_->vars[vars_[k]] = {at[k], k + 1 == vars_.size() && frame_->count > 1 ? 1 : 0, nullptr};
    return true;
  }
  for (std::size_t i = 0; i < frame_->count; ++i) {
    for (std::size_t k = 0; k < vars_.size(); ++k)
      columns_[k][i] = at[k];
    for (std::size_t k = vars_.size(); k-- > 0;) {
      if (++at[k] < extents_[k])
        break;
      at[k] = 0;
    }
  }
  for (std::size_t k = 0; k < vars_.size(); ++k)
    frame_->vars[vars_[k]] = {0, 0, columns_[k].data()};
  return true;
}

void Body::compile(Machine &machine, const std::vector<ExprId> &roots, ExprId where,
                   std::vector<VarId> vars) {
  value_.compile(machine, roots);
  vars_ = std::move(vars);
  guarded_ = where != kNone;
  if (!guarded_)
    return;
  if (where >= machine.program().exprCount() || machine.program().expr(where).type != DType::Bool)
    throw EvalError("malformed program: a `where` is not a bool");
  where_.compile(machine, {where});
  columns_.assign(vars_.size(), std::vector<std::int64_t>(kBatch));
  condition_.resize(kBatch);
  staging_.resize(kBatch * 8);
}

bool Body::run(Machine &machine, const Frame &frame, std::byte *const *out, std::uint8_t *live,
               std::uint8_t *poison) {
  if (poison)
    std::memset(poison, 0, frame.count);
  if (!guarded_) {
    if (live)
      std::memset(live, 1, frame.count);
    return runDense(machine, frame, out, poison);
  }
  where_.run(machine, frame);
  where_.copyRoot(0, frame.count, reinterpret_cast<std::byte *>(condition_.data()));
  if (live)
    std::memcpy(live, condition_.data(), frame.count);
  chosen_.clear();
  for (std::size_t i = 0; i < frame.count; ++i)
    if (condition_[i])
      chosen_.push_back(static_cast<std::uint32_t>(i));
  bool poisoned = false;
  if (const std::vector<std::uint8_t> &unknown = where_.root(0).poison; !unknown.empty()) {
    poisoned = true; // whether to read at all depends on what is not there
    if (poison)
      std::memcpy(poison, unknown.data(), frame.count);
  }
  if (chosen_.empty())
    return poisoned;
  if (chosen_.size() == frame.count)
    return runDense(machine, frame, out, poison) || poisoned;
  return runCompacted(machine, frame, out, poison) || poisoned;
}

void Body::refuse(Machine &machine, const std::string &name, std::span<const VarId> vars,
                  const Frame &frame, std::size_t i) {
  // The machine remembers the last fault: run the point alone, that it be this one's.
  Frame alone = frame;
  alone.count = 1;
  for (const VarId var : vars)
    alone.vars[var] = {frame.vars[var].at(i), 0, nullptr};
  std::vector<std::vector<std::byte>> values(value_.rootCount(), std::vector<std::byte>(8));
  std::vector<std::byte *> out;
  for (std::vector<std::byte> &value : values)
    out.push_back(value.data());
  run(machine, alone, out.data(), nullptr, nullptr);
  const std::string point = machine.pointText(vars, alone, 0);
  throw EvalError(
      fmt::format("in `{}`{}: {}", name, point.empty() ? "" : " at " + point, machine.fault()));
}

bool Body::runDense(Machine &machine, const Frame &frame, std::byte *const *out,
                    std::uint8_t *poison) {
  value_.run(machine, frame);
  bool poisoned = false;
  for (std::size_t k = 0; k < value_.rootCount(); ++k) {
    value_.copyRoot(k, frame.count, out[k]);
    const std::vector<std::uint8_t> &bad = value_.root(k).poison;
    if (std::ranges::find(bad, 1) == bad.end())
      continue;
    poisoned = true;
    for (std::size_t i = 0; poison && i < frame.count; ++i)
      poison[i] |= bad[i];
  }
  return poisoned;
}

/// Evaluates the chosen points alone, so that the others read nothing.
bool Body::runCompacted(Machine &machine, const Frame &frame, std::byte *const *out,
                        std::uint8_t *poison) {
  compact_.vars.resize(frame.vars.size());
  compact_.count = chosen_.size();
  for (std::size_t k = 0; k < vars_.size(); ++k) {
    const Binding &binding = frame.vars[vars_[k]];
    if (binding.isUniform()) {
      compact_.vars[vars_[k]] = binding;
      continue;
    }
    for (std::size_t j = 0; j < chosen_.size(); ++j)
      columns_[k][j] = binding.at(chosen_[j]);
    compact_.vars[vars_[k]] = {0, 0, columns_[k].data()};
  }
  value_.run(machine, compact_);
  bool poisoned = false;
  for (std::size_t k = 0; k < value_.rootCount(); ++k) {
    const std::size_t size = elementSize(value_.root(k).type);
    value_.copyRoot(k, chosen_.size(), staging_.data());
    const std::vector<std::uint8_t> &bad = value_.root(k).poison;
    for (std::size_t j = 0; j < chosen_.size(); ++j) {
      std::memcpy(out[k] + chosen_[j] * size, staging_.data() + j * size, size);
      if (bad.empty() || !bad[j])
        continue;
      poisoned = true;
      if (poison)
        poison[chosen_[j]] = 1;
    }
  }
  return poisoned;
}

} // namespace ordo::dsl::machine
