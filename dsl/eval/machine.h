// The batch interpreter behind evaluate(): internal to dsl/eval.
//
// 1. A Block is the straight-line code of some expressions over one scope. It runs over a Frame of
// up
//    to kBatch index points, one kernel call an instruction; values that do not vary over the frame
//    are computed once (Uniform), indices that step evenly stay symbolic (Affine), so that a load
//    along a row is a pointer into the array.
// 2. A Body is a block with its `where`: points where it is false are not evaluated at all.
// 3. A ReductionState collects its body's values over all its elements for one point of the outer
//    scope, folds them by the order, and remembers the result while the outer point stays.
// 4. The Machine runs the definitions in turn into arrays, which later definitions read: a Table
//    fills a definition's box, a Scatter puts its points where they are placed (table.h).
// 5. A recurrence runs when a definition first asks for one of its parts, once for each point of
//    its shared variables (recurrence.h).
//
// A lane that reads outside an array, or where there is no value, is *poisoned*, not refused: an
// `if` that does not choose it makes it whole again. Poison that reaches a stored value, or decides
// what is run, is the error.
#pragma once

#include "dsl/eval/launch.h"
#include "dsl/eval/numeric.h"
#include "dsl/eval/tensor.h"
#include "dsl/term/program.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ordo::dsl {
struct AtomRule;
} // namespace ordo::dsl

namespace ordo::dsl::machine {

/// Points a block evaluates at once: large enough to hide the dispatch, small enough for the first
/// cache to hold a few columns.
inline constexpr std::size_t kBatch = 1024;

struct EvalError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What a load reads: an input, a definition's values over its variables, a carry's over its own.
struct Array {
  std::string name;
  DType type = DType::F32;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides; // in elements
  const std::byte *data = nullptr;
  bool ready = false;               // the data are there (null when the array is empty)
  std::vector<std::uint8_t> poison; // empty: none

  void setShape(std::vector<std::int64_t> sizes);
  std::int64_t count() const;
};

/// How an index variable runs over a frame's points.
struct Binding {
  std::int64_t base = 0;
  std::int64_t step = 0;                // value at point i: base + step * i …
  const std::int64_t *column = nullptr; // … unless there is a column

  bool isUniform() const { return !column && step == 0; }
  std::int64_t at(std::size_t i) const {
    return column ? column[i] : base + step * static_cast<std::int64_t>(i);
  }
};

struct Frame {
  std::size_t count = 0;
  std::vector<Binding> vars; // by VarId; only those of the scope mean something
};

/// The values of one node over a frame.
struct Register {
  DType type = DType::F32;
  enum class Form : std::uint8_t { Uniform, Affine, Full } form = Form::Full;
  std::int64_t base = 0, step = 0;  // Affine
  const std::byte *data = nullptr;  // Uniform: one element; Full: all
  std::vector<std::byte> storage;   // kBatch elements
  std::size_t spread = 0;           // Uniform: how many elements of storage repeat it
  std::vector<std::uint8_t> poison; // by point; empty: none
  bool fixed = false;               // a constant: set once
};

class Machine;
struct ReductionState;
class RecurrenceState;

struct Instruction {
  Op op = Op::Const;
  DType type = DType::F32;
  std::uint64_t payload = 0;
  Kernel kernel = nullptr;
  ReductionState *reduction = nullptr; // Reduce
  std::uint32_t target = 0;            // register
  std::vector<std::uint32_t> operands; // registers
};

class Block {
public:
  /// Compiles the code of `roots`; throws EvalError where the program is malformed.
  void compile(Machine &machine, const std::vector<ExprId> &roots);
  /// Evaluates the roots over the frame; their registers hold until the next run.
  void run(Machine &machine, const Frame &frame);

  std::size_t rootCount() const { return roots_.size(); }
  bool isPoisoned(std::size_t i, std::size_t point) const {
    return !root(i).poison.empty() && root(i).poison[point] != 0;
  }
  const Register &root(std::size_t i) const { return registers_[roots_[i]]; }
  /// Copies root i's values for `count` points to `out`.
  void copyRoot(std::size_t i, std::size_t count, std::byte *out) const;
  std::int64_t rootIndexAt(std::size_t i, std::size_t point) const;

private:
  void prepare(Machine &machine, ExprId id, Instruction &code);
  void execute(Machine &machine, const Instruction &code, const Frame &frame);
  void reduce(Machine &machine, const Instruction &code, const Frame &frame);
  void recur(Machine &machine, const Instruction &code, const Frame &frame);
  void load(Machine &machine, const Instruction &code, const Array &array, std::size_t count);
  bool loadEvenly(const Instruction &code, const Array &array, std::size_t count);
  void loadEach(Machine &machine, const Instruction &code, const Array &array, std::size_t count);
  bool stepIndex(const Instruction &code);
  void compute(const Instruction &code, std::size_t count);
  void spreadPoison(const Instruction &code, std::size_t count);
  std::uint32_t takeRegister(DType type);
  std::uint32_t fixedRegister(DType type, std::uint64_t bits);
  const std::byte *full(std::uint32_t index, std::size_t count);

  std::vector<Instruction> code_;
  std::vector<Register> registers_;
  std::vector<std::uint32_t> free_[9]; // recycled registers by element size
  std::vector<std::uint32_t> roots_;
};

/// Expressions and the condition under which they are wanted.
class Body {
public:
  void compile(Machine &machine, const std::vector<ExprId> &roots, ExprId where,
               std::vector<VarId> vars);
  /// Evaluates over the frame and writes root k's values to out[k] for the live points; the others
  /// keep what is there. `live`, when given, receives the condition. Returns whether a live value
  /// was poisoned; `poison`, when given, receives which.
  bool run(Machine &machine, const Frame &frame, std::byte *const *out, std::uint8_t *live,
           std::uint8_t *poison);
  /// Throws what is not there at point i of `frame`, where a poisoned value is needed for `name`.
  [[noreturn]] void refuse(Machine &machine, const std::string &name, std::span<const VarId> vars,
                           const Frame &frame, std::size_t i);

private:
  bool runDense(Machine &machine, const Frame &frame, std::byte *const *out, std::uint8_t *poison);
  bool runCompacted(Machine &machine, const Frame &frame, std::byte *const *out,
                    std::uint8_t *poison);

  Block value_;
  Block where_;
  bool guarded_ = false;
  std::vector<VarId> vars_; // the free ones, which a compacted frame needs
  Frame compact_;
  std::vector<std::vector<std::int64_t>> columns_;
  std::vector<std::uint32_t> chosen_;
  std::vector<std::uint8_t> condition_;
  std::vector<std::byte> staging_;
};

/// The candidates of an ArgMax or Top at the outer points seen, sorted once each (ranking.cc).
struct Ranking {
  Body keys; // one root a key
  Block count;
  /// The winners under one outer point, in turn; none, and a reason, where they are not known.
  struct Winners {
    std::vector<std::int32_t> places;
    std::string fault;
  };
  Winners winners; // of the outer point under way
  // By outer point, where these come in such an order that the last alone would not do.
  bool remembers = false;
  std::map<std::vector<std::int64_t>, Winners> memo;
  std::size_t remembered = 0; // places in `memo`
};

struct ReductionState {
  const Reduction *reduction = nullptr;
  DType type = DType::F32;    // the accumulator and the result
  DType element = DType::F32; // of `values`: the accumulator, bool under `count`, an atom's operand
  std::vector<VarId> outer;   // free variables: those of enclosing scopes
  Block extents;              // roots: one per reduction variable
  Body body;
  bool fused = false;             // a leading `fma` or `mma` stage: two roots, the factors
  const AtomRule *atom = nullptr; // of a leading `mma` stage, whose factors are of its operand type
  Order rest;                     // the order without the fused stage
  Frame frame;                    // of the body
  std::vector<std::byte> values[2];

  // The last outer point and its result.
  bool known = false;
  std::vector<std::int64_t> point;
  std::uint64_t bits = 0;
  bool poisoned = false;
  std::string fault; // why
  // Results by point of `memoVars` (their places in `outer`), where the outer variables are not the
  // leading ones of their scope, so that the last point alone would not do. Empty: not used.
  std::vector<std::size_t> memoVars;
  std::vector<std::int64_t> memoExtents;
  std::vector<std::uint64_t> memoBits;
  std::vector<std::uint8_t> memoState; // whether known; what is poisoned is not remembered

  std::unique_ptr<Ranking> ranking; // ArgMax, Top

  /// What it read has changed: the next step of a recurrence.
  void forget();
};

class Machine {
public:
  Machine(const Program &program, const Launch &launch);
  ~Machine();

  void setInput(TensorId tensor, const std::byte *data);
  void setScalar(ScalarId scalar, std::uint64_t bits) { scalars_[scalar] = bits; }
  /// Runs definition `id` into its array, or into `output` where it writes a tensor: row-major,
  /// zero bits, or the old values of an InOut, before the first definition that writes it.
  void runDefinition(DefId id, std::byte *output);
  /// Throws where `assumption` does not hold (assume.cc).
  void check(const Assumption &assumption);

  const Program &program() const { return program_; }
  std::span<const std::int64_t> dims() const { return launch_.dims; }
  std::uint64_t scalar(std::uint64_t id) const { return scalars_.at(id); }
  const Array &tensor(std::uint64_t id) const { return tensors_.at(id); }
  Array &definition(std::uint64_t id) { return definitions_.at(id); }
  /// A carry's values on one side; null outside its recurrence. By carryPayload.
  const Array *&carry(std::uint64_t payload) { return carries_.at(payload); }

  /// Compiles the state of a reduction on first request, inside the scope being compiled.
  ReductionState &prepareReduction(ReductionId id, DType type);
  /// The result of the reduction at point `i` of the frame; true if poisoned. `slot`: of a Top.
  bool reduce(ReductionState &state, const Frame &frame, std::size_t i, std::int64_t slot,
              std::uint64_t *bits);
  /// The same for recurrences.
  RecurrenceState &prepareRecurrence(RecurrenceId id);
  RecurrenceState &recurrence(RecurrenceId id) { return *recurrences_.at(id); }

  /// Variables an expression depends on, ascending.
  std::vector<VarId> freeVars(ExprId id) const;
  std::int64_t fixedExtent(VarId var) const;
  /// The size of a fixed shape.
  std::vector<std::int64_t> fixedShape(const std::string &name,
                                       std::span<const ExprId> shape) const;

  /// Compiles with `vars` as the scope's next variables, innermost last.
  template <class F> void inScope(std::span<const VarId> vars, F compile) {
    scope_.insert(scope_.end(), vars.begin(), vars.end());
    compile();
    scope_.resize(scope_.size() - vars.size());
  }
  /// Compiles as a part of `recurrence` (null: of none), in a scope of its own.
  template <class F> void inside(RecurrenceState *recurrence, F compile) {
    std::vector<VarId> scope;
    scope.swap(scope_);
    RecurrenceState *const outer = std::exchange(compiling_, recurrence);
    compile();
    compiling_ = outer;
    scope.swap(scope_);
  }

  RecurrenceState *compiling() const { return compiling_; }

  /// The variables that a recurrence under way holds fixed, and their values.
  std::size_t ambientCount() const { return ambient_.size(); }
  void pushAmbient(VarId var, std::int64_t value) { ambient_.emplace_back(var, value); }
  void setAmbient(std::size_t place, std::int64_t value) { ambient_[place].second = value; }
  void popAmbient(std::size_t count) { ambient_.resize(count); }
  /// Sizes a frame for the program's variables and binds the ambient ones.
  void bindAmbient(Frame &frame) const;

  /// Remembers what was not there, for the message if it turns out to matter.
  void noteFault(const Array &array, std::span<const std::int64_t> at);
  void noteFault(std::string text);
  std::string fault() const;
  /// "(t, h) = (1, 2)" at point `i`; "" without variables.
  std::string pointText(std::span<const VarId> vars, const Frame &frame, std::size_t i) const;
  std::string pointText(std::span<const VarId> vars, std::span<const std::int64_t> at) const;

private:
  void findFreeVars();
  void computeReduction(ReductionState &state, const Frame &frame, std::size_t i);
  void prepareMemo(ReductionState &state);
  std::size_t memoIndex(const ReductionState &state) const;
  /// Binds the outer point and says how many elements there are under it; poisons the state where
  /// that is not known.
  std::int64_t takeExtents(ReductionState &state, const Frame &frame, std::size_t i,
                           std::vector<std::int64_t> &extents);
  // ranking.cc
  bool place(ReductionState &state, bool isSame, const Frame &frame, std::size_t i,
             std::int64_t slot, std::uint64_t *bits);
  void rank(ReductionState &state, const Frame &frame, std::size_t i);

  const Program &program_;
  const Launch &launch_;
  std::vector<std::uint64_t> scalars_;
  std::vector<Array> tensors_;
  std::vector<Array> definitions_;
  std::vector<const Array *> carries_;
  std::vector<std::vector<std::byte>> storage_;   // of definitions that are no output
  std::vector<std::vector<std::uint8_t>> placed_; // by tensor: elements written by a Scatter
  std::map<std::pair<ReductionId, RecurrenceState *>, std::unique_ptr<ReductionState>> reductions_;
  std::vector<std::unique_ptr<RecurrenceState>> recurrences_;
  std::vector<std::uint64_t> freeVars_; // a bit set per expression
  std::size_t freeVarWords_ = 0;
  std::vector<VarId> scope_; // of what is being compiled, outermost first
  RecurrenceState *compiling_ = nullptr;
  std::vector<std::pair<VarId, std::int64_t>> ambient_;
  int depth_ = 0; // of nested reductions being compiled
  std::string fault_, faultArray_;
  std::vector<std::int64_t> faultAt_, faultShape_;
};

/// Walks the points of a row-major box in frames: along a long last axis in even steps, else over
/// written-out columns. The other variables of `frame` are left as they are.
class Walk {
public:
  Walk(Frame &frame, std::span<const VarId> vars, std::span<const std::int64_t> extents);
  /// Sets the frame to the next points; false when none are left.
  bool next();
  /// The row-major position of the frame's first point.
  std::int64_t position() const { return position_; }

private:
  Frame *frame_;
  std::vector<VarId> vars_;
  std::vector<std::int64_t> extents_;
  std::int64_t total_ = 1, position_ = 0, after_ = 0;
  bool isEven_ = true;
  std::vector<std::vector<std::int64_t>> columns_;
};

/// Folds `length` elements at `values` (of type state.element; factors at values[0] and values[1]
/// when fused) by the reduction's order: the bits of the result. Over nothing: the identity, or
/// +0.0 of a matrix product.
std::uint64_t foldBits(const ReductionState &state, std::int64_t length);

/// The rule by which the program's resolution folds a matrix product with an accumulator of `type`.
/// Throws EvalError where it names none, or one that does not take these operands.
const AtomRule &matrixRule(const Program &program, const Reduction &reduction, DType type);
/// The leading `mma` stage over `length` products: the accumulators of its runs, packed. Throws
/// EvalError where the atom is not modelled there.
std::vector<std::byte> foldMatrix(const ReductionState &state, std::int64_t length);

/// The nodes that the roots need, also inside reductions and recurrences, in no order.
std::vector<ExprId> reachable(const Program &program, std::vector<ExprId> roots);

} // namespace ordo::dsl::machine
