// Folds and scans.
#include "dsl/eval/recurrence.h"

#include "dsl/order/fold.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace ordo::dsl::machine {
namespace {

constexpr std::int64_t kMostSteps = std::int64_t{1} << 26;

/// The first stage, over numbers of steps: a run is the list of its live steps.
struct Listing {
  using List = std::vector<std::int64_t>;
  List add(List left, List right) const {
    left.insert(left.end(), right.begin(), right.end());
    return left;
  }
  List round(List list, DType) const { return list; }
  List literal(double) const { return {}; }
};

std::string firstName(const Program &program, const Recurrence &r) {
  return r.carries.empty() ? "" : program.carries.at(r.carries.front()).name;
}

} // namespace

RecurrenceState &Machine::prepareRecurrence(RecurrenceId id) {
  if (id >= recurrences_.size())
    throw EvalError("malformed program: a recurrence is missing");
  if (!recurrences_[id]) {
    RecurrenceState *const outer = compiling_;
    recurrences_[id] = std::make_unique<RecurrenceState>(*this, id);
    if (outer)
      outer->own(*recurrences_[id]);
  }
  return *recurrences_[id];
}

RecurrenceState::RecurrenceState(Machine &machine, RecurrenceId id)
    : recurrence_(machine.program().recurrences[id]), carries_(recurrence_.carries) {
  const Program &program = machine.program();
  checkOrder(machine);
  const std::vector<Step> steps = stepsOf(recurrence_.order);
  first_ = steps.front();
  rest_ = recurrence_.order;
  rest_.stages.erase(rest_.stages.begin(), rest_.stages.begin() + (first_.first != 0 ? 2 : 1));

  std::vector<CarryId> names = carries_;
  names.insert(names.end(), recurrence_.yields.begin(), recurrence_.yields.end());
  parts_.resize(names.size());
  machine.inside(machine.compiling(), [&] { sharedNest_.compile(machine, recurrence_.shared); });
  for (std::size_t p = 0; p < names.size(); ++p) {
    const Carry &carry = program.carries.at(names[p]);
    std::vector<VarId> vars = recurrence_.shared;
    vars.insert(vars.end(), carry.vars.begin(), carry.vars.end());
    if (p >= carries_.size()) // a yield's last index is the step
      vars.insert(vars.end(), recurrence_.vars.begin(), recurrence_.vars.end());
    machine.inside(machine.compiling(), [&] { parts_[p].nest.compile(machine, vars); });
    Array &array = parts_[p].array;
    array.name = carry.name;
    array.type = carry.type;
    array.setShape(std::vector<std::int64_t>(vars.size()));
    array.ready = true;
  }
  for (const CarryId carry : carries_) {
    const Carry &c = program.carries[carry];
    template_.emplace_back().array.name = c.name;
    template_.back().array.type = c.type;
    template_.back().array.setShape(std::vector<std::int64_t>(c.vars.size()));
    template_.back().array.ready = true;
  }

  const auto tableOf = [&](CarryId id, ExprId value, std::vector<VarId> vars) {
    const Carry &carry = program.carries[id];
    Table table;
    table.compile(machine, {carry.name, std::move(vars), value, kNone});
    if (table.type() != carry.type)
      throw EvalError(fmt::format("malformed program: `{}` is {} and becomes {}", carry.name,
                                  name(carry.type), name(table.type())));
    return table;
  };
  machine.inside(this, [&] {
    std::vector<ExprId> extents;
    for (const VarId var : recurrence_.vars)
      extents.push_back(program.vars.at(var).extent);
    extents_.compile(machine, extents);
    for (const CarryId carry : carries_)
      starts_.push_back(tableOf(carry, program.carries[carry].start, program.carries[carry].vars));
  });
  isGuarded_ = recurrence_.where != kNone;
  machine.inside(this, [&] {
    if (isGuarded_)
      machine.inScope(recurrence_.vars, [&] {
        where_.compile(machine, {recurrence_.where}, kNone, machine.freeVars(recurrence_.where));
      });
    if (isGuarded_ && program.expr(recurrence_.where).type != DType::Bool)
      throw EvalError("malformed program: a `where` is not a bool");
  });

  std::vector<ExprId> stepRoots, mergeRoots;
  for (const CarryId carry : names)
    stepRoots.push_back(program.carries[carry].next);
  for (const CarryId carry : carries_)
    mergeRoots.push_back(program.carries[carry].merged);
  machine.inside(this, [&] {
    setSide(machine, Side::Step, &template_);
    compileLocals(machine, recurrence_.stepLocals, stepRoots, stepLocals_);
    for (const CarryId carry : carries_)
      nexts_.push_back(tableOf(carry, program.carries[carry].next, program.carries[carry].vars));
    for (std::size_t y = 0; y < recurrence_.yields.size(); ++y) {
      const CarryId carry = recurrence_.yields[y];
      Part &part = parts_[carries_.size() + y];
      part.table = tableOf(carry, program.carries[carry].next, program.carries[carry].vars);
      part.emitted.array.type = part.array.type;
    }
    setSide(machine, Side::Step, nullptr);
    if (rest_.empty())
      return;
    setSide(machine, Side::Left, &template_);
    setSide(machine, Side::Right, &template_);
    compileLocals(machine, recurrence_.mergeLocals, mergeRoots, mergeLocals_);
    for (const CarryId carry : carries_)
      merges_.push_back(tableOf(carry, program.carries[carry].merged, program.carries[carry].vars));
    setSide(machine, Side::Left, nullptr);
    setSide(machine, Side::Right, nullptr);
  });
}

void RecurrenceState::checkOrder(Machine &machine) const {
  const std::string of = firstName(machine.program(), recurrence_);
  const std::string text = toString(recurrence_.order);
  if (recurrence_.carries.empty())
    throw EvalError("malformed program: a recurrence carries nothing");
  if (const auto reason = malformed(recurrence_.order))
    throw EvalError(fmt::format("malformed program: order `{}` of `{}`: {}", text, of, *reason));
  const Stage::Kind first = stepsOf(recurrence_.order).front().stage.kind;
  if (first != Stage::Kind::Seq && first != Stage::Kind::Lanes)
    throw EvalError(fmt::format(
        "malformed program: the first stage of `{}` over `{}` runs no steps", text, of));
  if (std::ranges::any_of(recurrence_.order.stages,
                          [](const Stage &s) { return s.round || s.start || s.pad; }))
    throw EvalError(fmt::format(
        "malformed program: `{}` over `{}`: a recurrence has no rounding, start or pad", text, of));
  if (recurrence_.isScan &&
      (stepsOf(recurrence_.order).size() != 1 || recurrence_.vars.size() != 1))
    throw EvalError(fmt::format("malformed program: a scan of {} variables by `{}`",
                                recurrence_.vars.size(), text));
}

/// Compiles those that the roots need.
void RecurrenceState::compileLocals(Machine &machine, const std::vector<DefId> &ids,
                                    const std::vector<ExprId> &roots, std::vector<Local> &locals) {
  const Program &program = machine.program();
  std::vector<bool> isNeeded(program.definitions.size());
  const auto need = [&](std::vector<ExprId> from) {
    std::erase(from, kNone);
    for (const ExprId id : reachable(program, std::move(from)))
      if (program.expr(id).op == Op::Use)
        isNeeded.at(program.expr(id).payload) = true;
  };
  need(roots);
  for (std::size_t k = ids.size(); k-- > 0;) {
    const Definition &local = program.definitions.at(ids[k]);
    if (!isNeeded[ids[k]])
      continue;
    std::vector<ExprId> from = {local.value, local.where};
    for (const VarId var : local.vars)
      from.push_back(program.vars.at(var).extent);
    need(std::move(from));
  }
  for (const DefId id : ids) {
    if (!isNeeded[id])
      continue;
    const Definition &local = program.definitions[id];
    if (local.isPlaced() || local.output != kNone)
      throw EvalError(
          fmt::format("malformed program: `{}` is placed inside a recurrence", local.name));
    Local &state = locals.emplace_back();
    state.id = id;
    state.table.compile(machine, {local.name, local.vars, local.value, local.where});
    Array &array = machine.definition(id);
    array.name = local.name;
    array.type = state.table.type();
    array.setShape(std::vector<std::int64_t>(local.vars.size()));
    array.ready = true;
  }
}

void RecurrenceState::setSide(Machine &machine, Side side, const Bundle *bundle) {
  for (std::size_t k = 0; k < carries_.size(); ++k)
    machine.carry(carryPayload(carries_[k], side)) = bundle ? &(*bundle)[k].array : nullptr;
}

/// What was remembered inside belongs to another step.
void RecurrenceState::forgetValues() {
  for (ReductionState *reduction : reductions_)
    reduction->forget();
  for (RecurrenceState *recurrence : recurrences_)
    recurrence->forget();
}

void RecurrenceState::forget() {
  isMeasured_ = false;
  done_.clear();
}

void RecurrenceState::measureParts(Machine &machine) {
  const auto countOf = [&](const std::string &name, const std::vector<std::int64_t> &shape) {
    const auto count = elementCount(shape, 8);
    if (!count)
      throw EvalError(fmt::format("`{}` of {} is too large", name, shapeText(shape)));
    return static_cast<std::size_t>(*count);
  };
  machine.bindAmbient(frame_);
  sharedShape_ = sharedNest_.largest(machine, frame_);
  done_.assign(countOf("the points of a recurrence", sharedShape_), 0);
  for (Part &part : parts_) {
    part.array.setShape(part.nest.largest(machine, frame_));
    const std::size_t count = countOf(part.array.name, part.array.shape);
    part.storage.resize(count * elementSize(part.array.type));
    part.array.data = part.storage.data();
    part.array.poison.assign(part.nest.isRagged() || recurrence_.isScan ? count : 0, 1);
  }
  isMeasured_ = true;
}

void RecurrenceState::provide(Machine &machine, std::span<const std::int64_t> shared) {
  if (!isMeasured_)
    measureParts(machine);
  std::int64_t at = 0;
  for (std::size_t k = 0; k < shared.size(); ++k) {
    if (shared[k] < 0 || shared[k] >= sharedShape_[k])
      return;
    at = at * sharedShape_[k] + shared[k];
  }
  if (done_[static_cast<std::size_t>(at)] != 0)
    return;
  done_[static_cast<std::size_t>(at)] = 1;
  const std::size_t outer = machine.ambientCount();
  for (std::size_t k = 0; k < shared.size(); ++k)
    machine.pushAmbient(recurrence_.shared[k], shared[k]);
  compute(machine, shared);
  machine.popAmbient(outer);
}

void RecurrenceState::compute(Machine &machine, std::span<const std::int64_t> shared) {
  shared_ = shared;
  forgetValues();
  const std::int64_t count = takeSteps(machine);
  ambientSteps_ = machine.ambientCount();
  std::vector<Run> runs;
  for (const std::vector<std::int64_t> &steps : runsOf(machine, count))
    runs.push_back(steps.empty() ? nullptr : runSteps(machine, steps));
  struct Merging {
    RecurrenceState &state;
    Machine &machine;
    Run add(const Run &left, const Run &right) const { return state.merge(machine, left, right); }
    Run round(Run run, DType) const { return run; }
    Run literal(double) const { return nullptr; }
  };
  Run last;
  if (rest_.empty())
    last = runs.empty() ? nullptr : runs.front();
  else
    last = fold(rest_, std::move(runs), Merging{*this, machine}).value_or(nullptr);
  if (!last)
    last = runSteps(machine, {});
  for (std::size_t k = 0; k < carries_.size(); ++k)
    keep(machine, parts_[k], (*last)[k].array, -1);
}

/// How many steps there are; their variables become ambient.
std::int64_t RecurrenceState::takeSteps(Machine &machine) {
  machine.bindAmbient(frame_);
  frame_.count = 1;
  extents_.run(machine, frame_);
  stepExtents_.clear();
  std::int64_t count = 1;
  for (std::size_t k = 0; k < recurrence_.vars.size(); ++k) {
    const std::string &var = machine.program().vars[recurrence_.vars[k]].name;
    const std::string point = machine.pointText(recurrence_.shared, shared_);
    const std::string of = fmt::format("{}{}", point.empty() ? "" : " at ", point);
    if (extents_.isPoisoned(k, 0))
      throw EvalError(
          fmt::format("how far `{}` runs{} is not known: {}", var, of, machine.fault()));
    stepExtents_.push_back(extents_.rootIndexAt(k, 0));
    if (stepExtents_.back() < 0)
      throw EvalError(fmt::format("{} runs over {} elements{}", var, stepExtents_.back(), of));
    if (stepExtents_.back() == 0)
      count = 0;
    else if (count > kMostSteps / stepExtents_.back())
      throw EvalError("a recurrence is longer than the evaluator holds (2^26 steps)");
    else
      count *= stepExtents_.back();
  }
  return count;
}

/// The live steps of each run of the first stage.
std::vector<std::vector<std::int64_t>> RecurrenceState::runsOf(Machine &machine,
                                                               std::int64_t steps) {
  std::vector<std::vector<std::int64_t>> lists(static_cast<std::size_t>(steps));
  std::vector<std::uint8_t> live(static_cast<std::size_t>(steps), 1);
  if (isGuarded_)
    for (Walk walk(frame_, recurrence_.vars, stepExtents_); steps > 0 && walk.next();) {
      std::byte *out[] = {reinterpret_cast<std::byte *>(live.data()) + walk.position()};
      if (where_.run(machine, frame_, out, nullptr, nullptr))
        throw EvalError(fmt::format("whether a step of `{}` runs is not known: {}",
                                    firstName(machine.program(), recurrence_), machine.fault()));
    }
  for (std::size_t step = 0; step < lists.size(); ++step)
    if (live[step] != 0)
      lists[step].push_back(static_cast<std::int64_t>(step));
  const Listing listing;
  return detail::StageFold<Listing::List, const Listing>(first_, listing).apply(std::move(lists));
}

void RecurrenceState::bindStep(Machine &machine, std::int64_t step) {
  for (std::size_t k = stepExtents_.size(); k-- > 0;) {
    machine.setAmbient(ambientSteps_ + k, step % stepExtents_[k]);
    step /= stepExtents_[k];
  }
  forgetValues();
}

void RecurrenceState::runLocals(Machine &machine, std::vector<Local> &locals) {
  for (Local &local : locals)
    local.table.fill(machine, machine.definition(local.id), local.storage);
}

/// The carries after these steps.
RecurrenceState::Run RecurrenceState::runSteps(Machine &machine,
                                               const std::vector<std::int64_t> &steps) {
  const auto fill = [&](std::vector<Table> &tables, Bundle &bundle) {
    for (std::size_t k = 0; k < tables.size(); ++k)
      tables[k].fill(machine, bundle[k].array, bundle[k].storage);
  };
  auto run = std::make_shared<Bundle>(template_);
  fill(starts_, *run);
  Bundle after = template_;
  for (const VarId var : recurrence_.vars)
    machine.pushAmbient(var, 0);
  for (const std::int64_t step : steps) {
    bindStep(machine, step);
    setSide(machine, Side::Step, run.get());
    runLocals(machine, stepLocals_);
    emit(machine, step);
    fill(nexts_, after);
    run->swap(after);
  }
  setSide(machine, Side::Step, nullptr);
  machine.popAmbient(ambientSteps_);
  return run;
}

void RecurrenceState::emit(Machine &machine, std::int64_t step) {
  for (std::size_t p = carries_.size(); p < parts_.size(); ++p) {
    Held &emitted = parts_[p].emitted;
    parts_[p].table.fill(machine, emitted.array, emitted.storage);
    keep(machine, parts_[p], emitted.array, step);
  }
}

RecurrenceState::Run RecurrenceState::merge(Machine &machine, const Run &left, const Run &right) {
  if (!left || !right)
    return left ? left : right;
  forgetValues();
  setSide(machine, Side::Left, left.get());
  setSide(machine, Side::Right, right.get());
  runLocals(machine, mergeLocals_);
  auto merged = std::make_shared<Bundle>(template_);
  for (std::size_t k = 0; k < merges_.size(); ++k)
    merges_[k].fill(machine, (*merged)[k].array, (*merged)[k].storage);
  setSide(machine, Side::Left, nullptr);
  setSide(machine, Side::Right, nullptr);
  return merged;
}

/// Copies values over own variables to their place in the part; a yield's last index is the step.
void RecurrenceState::keep(Machine &, Part &part, const Array &values, std::int64_t step) {
  Array &to = part.array;
  std::int64_t start = 0;
  for (std::size_t k = 0; k < shared_.size(); ++k)
    start += shared_[k] * to.strides[k];
  if (step >= 0)
    start += step;
  const std::span<const std::int64_t> strides = std::span(to.strides).subspan(shared_.size());
  const std::size_t size = elementSize(to.type);
  const auto count = static_cast<std::size_t>(values.count());
  std::vector<std::int64_t> at(values.shape.size());
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t offset = start;
    for (std::size_t k = 0; k < at.size(); ++k)
      offset += at[k] * strides[k];
    const auto element = static_cast<std::size_t>(offset);
    std::memcpy(part.storage.data() + element * size, values.data + i * size, size);
    const bool isBad = !values.poison.empty() && values.poison[i] != 0;
    if (isBad && to.poison.empty())
      to.poison.resize(static_cast<std::size_t>(to.count()));
    if (!to.poison.empty())
      to.poison[element] = isBad;
    for (std::size_t k = at.size(); k-- > 0 && ++at[k] == values.shape[k];)
      at[k] = 0;
  }
}

} // namespace ordo::dsl::machine
