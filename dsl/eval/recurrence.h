// Running a fold or a scan: internal to dsl/eval.
//
// For one point of the shared variables:
// 1. The order's first stage cuts the steps into runs. Each live run begins with the carries at
//    their start and applies its live steps in turn: the needed step locals, in order, then the
//    yields and the next carries, from the carries as they were. Then all carries change.
// 2. The rest of the order puts the runs' carries together by `merged`; an absent run passes.
// 3. The last carries, or the start, go into the parts' arrays, which all definitions share.
#pragma once

#include "dsl/eval/table.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace ordo::dsl::machine {

class RecurrenceState {
public:
  /// `id` is being compiled for the first time.
  RecurrenceState(Machine &machine, RecurrenceId id);

  /// A carry's or yield's values, under (shared variables, its variables).
  const Array &part(std::uint32_t part) const { return parts_.at(part).array; }
  std::size_t sharedCount() const { return recurrence_.shared.size(); }
  /// Sees to it that the parts hold what belongs to a point of the shared variables; a point
  /// outside their extents is left to the load that follows.
  void provide(Machine &machine, std::span<const std::int64_t> shared);

  /// What is compiled inside and remembers values: it forgets them with every step.
  void own(ReductionState &reduction) { reductions_.push_back(&reduction); }
  void own(RecurrenceState &recurrence) { recurrences_.push_back(&recurrence); }
  void forget();

private:
  struct Held {
    Array array;
    std::vector<std::byte> storage;
  };
  using Bundle = std::vector<Held>;    // by carry
  using Run = std::shared_ptr<Bundle>; // none: absent
  struct Part {
    Nest nest;   // shared variables, then the part's
    Table table; // of a yield: what a step emits
    Held emitted;
    Array array;
    std::vector<std::byte> storage;
  };
  struct Local {
    Table table;
    DefId id = kNone;
    std::vector<std::byte> storage;
  };

  void checkOrder(Machine &machine) const;
  void compileLocals(Machine &machine, const std::vector<DefId> &ids,
                     const std::vector<ExprId> &roots, std::vector<Local> &locals);
  std::vector<Held> emptyBundle(Machine &machine) const;
  void setSide(Machine &machine, Side side, const Bundle *bundle);
  void measureParts(Machine &machine);
  std::int64_t takeSteps(Machine &machine);
  std::vector<std::vector<std::int64_t>> runsOf(Machine &machine, std::int64_t steps);
  void compute(Machine &machine, std::span<const std::int64_t> shared);
  Run runSteps(Machine &machine, const std::vector<std::int64_t> &steps);
  void bindStep(Machine &machine, std::int64_t step);
  void emit(Machine &machine, std::int64_t step);
  Run merge(Machine &machine, const Run &left, const Run &right);
  void runLocals(Machine &machine, std::vector<Local> &locals);
  void keep(Machine &machine, Part &part, const Array &values, std::int64_t step);
  void forgetValues();

  const Recurrence &recurrence_;
  std::vector<CarryId> carries_;
  std::vector<Local> stepLocals_, mergeLocals_;
  std::vector<Table> starts_, nexts_, merges_; // by carry
  std::vector<Part> parts_;
  Nest sharedNest_;
  Block extents_; // of the step's variables
  Body where_;    // root: true
  bool isGuarded_ = false;
  Order rest_;
  Step first_;
  Bundle template_;

  bool isMeasured_ = false;
  std::vector<std::int64_t> sharedShape_;
  std::vector<std::uint8_t> done_; // by point of the shared variables
  // Of the point under way.
  std::span<const std::int64_t> shared_;
  std::size_t ambientSteps_ = 0;
  std::vector<std::int64_t> stepExtents_;
  Frame frame_;

  std::vector<ReductionState *> reductions_;
  std::vector<RecurrenceState *> recurrences_;
};

} // namespace ordo::dsl::machine
