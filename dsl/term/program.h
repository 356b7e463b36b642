// The resolved meaning of one kernel: typed, hash-consed expressions over index variables.
//
// Sema produces a Program from an operator whose dimensions, types and orders are fixed; the
// evaluator runs it, the compiler imports it, terms expand it per element, audit prints it.
// Functions are already inlined; every rounding is an explicit node. Nodes live in an arena and
// refer to each other by id, children always before parents, so every walk is a loop.
#pragma once

#include "dsl/order/order.h"
#include "dsl/types/dtype.h"
#include "dsl/types/span.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace ordo::dsl {

using ExprId = std::uint32_t;
using VarId = std::uint32_t;
using DimId = std::uint32_t;
using DefId = std::uint32_t;
using TensorId = std::uint32_t;
using ScalarId = std::uint32_t;
using ReductionId = std::uint32_t;
using RecurrenceId = std::uint32_t;
using CarryId = std::uint32_t;
inline constexpr std::uint32_t kNone = 0xffffffffu;

enum class Op : std::uint8_t {
  Const,  // payload: bits in `type` (Index: two's complement 64)
  Var,    // payload: VarId; type Index
  Size,   // payload: DimId of a free dimension; type Index
  Scalar, // payload: ScalarId, a scalar argument bound at launch
  Load,   // payload: TensorId; args: one Index per axis
  Use,    // payload: DefId; args: one Index per variable of the definition
  Reduce, // payload: ReductionId; args: of `top`, the slot: an Index
  Carry,  // payload: carryPayload(CarryId, side); args: one Index per own variable of the carry
  Recur, // payload: recurPayload(RecurrenceId, part); args: one Index per shared variable, then per
         // variable of the part. Nothing but the whole value of a definition
  Undef, // a value of `type` that must not be needed: where a guarded local value has none
  // Arithmetic in `type`; floats round once to nearest even, integers wrap, Index is exact.
  Neg,
  Abs,
  Sqrt,
  Floor,
  Add,
  Sub,
  Mul,
  Div,
  Rem,
  Fma,
  MulHi,
  Min,
  Max, // drop a NaN, order -0 below +0
  MinNan,
  MaxNan, // keep it
  And,
  Or,
  Xor,
  Not,
  Shl,
  Shr, // Bool or integers (Shr: arithmetic when signed; amount mod width)
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,     // type Bool; operands of one type
  Select, // args: condition, then, else
  Cast,   // args: value; payload: Rounding; from args[0]'s type to `type`
  Bits,   // float -> same-width unsigned (bf16/f16 -> u32 zero-extended); NaN is canonical
  OfBits, // unsigned -> float of `type` from its low bits
};

enum class Rounding : std::uint8_t {
  NearestEven,
  TowardZero,
  Saturate, // f8 only, nearest even
  Tf32      // f32 to f32 only: to the 10 stored bits of tf32, nearest even
};

enum class ReduceOp : std::uint8_t { Sum, Max, Min, MaxNan, MinNan, Dot, Count, ArgMax, Top };

struct Expr {
  Op op = Op::Const;
  DType type = DType::F32;
  std::uint64_t payload = 0;
  std::uint32_t firstArg = 0;
  std::uint32_t argCount = 0;
};

/// An index variable, bound by a definition or a reduction; 0 <= value < extent.
struct Var {
  std::string name;
  ExprId extent = kNone; // type Index
};

/// A free dimension: any size at launch.
struct Dim {
  std::string name;
};

struct Tensor {
  /// InOut: an argument that is read, and whose elements a definition with `isUpdate` replaces.
  /// Every read sees the values from before the launch.
  enum class Role : std::uint8_t { Input, Output, InOut };
  std::string name;
  DType type = DType::F32;
  std::vector<ExprId> shape; // Index expressions over constants and free dimensions; row-major
  Role role = Role::Input;

  bool isRead() const { return role != Role::Output; }
  bool isWritten() const { return role != Role::Input; }
};

struct Scalar {
  std::string name;
  DType type = DType::F32;
};

/// How `argmax` and `top` rank their candidates: the first key decides, a later one where it ties.
struct RankKey {
  ExprId value = kNone;
  bool isDescending = false;
  bool isNanFirst = false; // floats: NaNs tie among themselves, before or after all numbers
};

/// ArgMax and Top have one variable, no body, and give its value, an i32: Top that of the candidate
/// at place `slot` (the argument of its Op::Reduce, 0 <= slot < count), ArgMax that of the first.
/// Candidates are the points whose `where` holds; fewer than needed is an error.
struct Reduction {
  ReduceOp op = ReduceOp::Sum;
  std::vector<VarId> vars; // several variables: row-major, the last fastest
  Order order;             // empty where the operation needs none
  ExprId body = kNone;
  ExprId where = kNone;      // false: the element is the identity, its operands are not read
  std::vector<RankKey> keys; // ArgMax, Top
  ExprId count = kNone;      // Top: how many places there are, an Index
  Span span;
};

/// One name that a fold or scan carries, or one that a scan emits.
struct Carry {
  std::string name;
  DType type = DType::F32;
  /// Its own variables: the value is an array over them. Their extents are over the shared
  /// variables at most. `start`, `next` and `merged` speak of them.
  std::vector<VarId> vars;
  ExprId start = kNone;  // of a carry: over the shared variables
  ExprId next = kNone;   // after a step; of a yield: what the step emits
  ExprId merged = kNone; // of a carry, where there is a `merge`
  RecurrenceId recurrence = kNone;
};

/// fold[i in n by order where c] from (…) { … } merge (x, y) { … }, once for each value of the
/// shared variables.
///   1. Steps are numbered 0 … n-1 (n: the product of the extents of `vars`, row-major). A step
///   whose
///      `where` is false does nothing.
///   2. The order's first stage is `seq`, `seq(n)` or `lanes(n)`, `lanes(n, w)`: each of its runs
///      starts from `start` and applies its steps in turn. A run without a live step is absent.
///   3. Later stages put run results together: `merged` of the left (x) and the right (y), never
///      exchanged; a merge with an absent one is the other one. If all are absent: `start`.
/// In `next` and in the step's definitions, Op::Carry of side Step is the carry before the step;
/// all carries change together. In `merged` and the merge's definitions there are sides Left and
/// Right alone, and neither the variables `vars` nor side Step. A scan's order is `seq`; its yields
/// are emitted by every step, and have none where the step's `where` is false.
struct Recurrence {
  bool isScan = false;
  std::vector<VarId> shared;
  std::vector<VarId> vars;
  Order order;
  ExprId where = kNone;
  std::vector<CarryId> carries;
  /// Parts after the carries. Their `vars` are their own variables alone; the Op::Recur of a yield
  /// has one more argument, the last: the step.
  std::vector<CarryId> yields;
  std::vector<DefId> stepLocals; // definitions with `recurrence` set, each before its uses
  std::vector<DefId> mergeLocals;
  Span span;
};

/// The carry or yield that is `part` of a recurrence: carries count first, then yields.
inline CarryId partId(const Recurrence &r, std::uint32_t part) {
  return part < r.carries.size() ? r.carries[part] : r.yields[part - r.carries.size()];
}

enum class Side : std::uint8_t { Step, Left, Right };
inline std::uint64_t carryPayload(CarryId carry, Side side) {
  return std::uint64_t{carry} * 3 + static_cast<std::uint64_t>(side);
}
inline CarryId carryOf(std::uint64_t payload) { return static_cast<CarryId>(payload / 3); }
inline Side sideOf(std::uint64_t payload) { return static_cast<Side>(payload % 3); }
/// `part` counts the carries, then the yields.
inline std::uint64_t recurPayload(RecurrenceId recurrence, std::uint32_t part) {
  return std::uint64_t{recurrence} << 32 | part;
}
inline RecurrenceId recurrenceOf(std::uint64_t payload) {
  return static_cast<RecurrenceId>(payload >> 32);
}
inline std::uint32_t partOf(std::uint64_t payload) { return static_cast<std::uint32_t>(payload); }

/// name[i, j] = value where guard. With `output`, it is the write set of that tensor.
///
/// Its array has one axis per variable, and the point (i, j) is the element [i, j], unless it is
/// placed (`for` blocks, `:=`): then the array has the extents `shape` and the point stands at
/// `at`, Index expressions over the variables. Two points at one element are an error; an element
/// without a point has no value (in an output: zero bits; in an InOut: what it was). An extent may
/// depend on the variables before it, by data, too.
struct Definition {
  std::string name;
  std::vector<VarId> vars;
  ExprId value = kNone;
  ExprId where = kNone;
  TensorId output = kNone;
  std::vector<ExprId> at;          // placed: one Index per axis
  std::vector<ExprId> shape;       // placed: Index expressions over constants and free dimensions
  bool isUpdate = false;           // of an InOut tensor, which `output` names
  RecurrenceId recurrence = kNone; // of its step or merge: computed anew in every step
  Span span;

  bool isPlaced() const { return !at.empty(); }
};

/// An `assume`: what the author promises and no compiler can see. Sema uses it to show that indices
/// are in range; the certificate lists it; the evaluator refuses inputs that break it.
struct Assumption {
  enum class Kind : std::uint8_t {
    Holds,    // `condition` holds for all values of the variables
    Distinct, // `value` differs at any two points
    Disjoint, // the ranges [value, value + length) of any two points share no element
  } kind = Kind::Holds;
  std::vector<VarId> vars; // extents as in a definition
  ExprId where = kNone;    // points where it is false do not count
  ExprId condition = kNone;
  ExprId value = kNone, length = kNone; // Index, or an integer
  std::string text;                     // as written
  Span span;
};

/// A `require` over free dimensions, left for the launch. Those over constants were settled by
/// sema.
struct LaunchRequire {
  ExprId condition = kNone;
  std::string text; // as written
  Span span;
};

/// The matrix unit that `mma` stages fold by, in one resolution of a profile.
struct MatrixUnit {
  std::string atom; // "nv.hopper.bf16", a rule of dsl/eval/atom
  int version = 0;  // of the rule
  Span span;        // where the profile names it
};

class Program {
public:
  std::string module; // "nn.norm"
  std::string op;     // "rms_norm"
  std::string kernel; // the kernel's name, the symbol
  Span kernelSpan;    // where its declaration names it
  std::vector<Dim> dims;
  std::vector<Tensor> tensors; // in argument order: inputs as declared, then outputs
  std::vector<Scalar> scalars; // launch-time scalars, in declaration order
  std::vector<Var> vars;
  std::vector<Reduction> reductions;
  std::vector<Carry> carries; // yields, too
  std::vector<Recurrence> recurrences;
  std::vector<Definition> definitions; // each before its uses
  std::vector<LaunchRequire> requires_;
  std::vector<Assumption> assumptions;
  std::optional<MatrixUnit> matrix; // nothing: no `mma` stage, or none resolved

  /// Interns a node: the same op, type, payload and arguments give the same id.
  ExprId make(Op op, DType type, std::uint64_t payload, std::span<const ExprId> args);
  ExprId make(Op op, DType type, std::uint64_t payload = 0,
              std::initializer_list<ExprId> args = {}) {
    return make(op, type, payload, std::span<const ExprId>(args.begin(), args.size()));
  }
  ExprId constant(DType type, std::uint64_t bits) { return make(Op::Const, type, bits); }
  ExprId index(std::int64_t value) {
    return constant(DType::Index, static_cast<std::uint64_t>(value));
  }

  std::size_t exprCount() const { return exprs_.size(); }
  const Expr &expr(ExprId id) const { return exprs_[id]; }
  std::span<const ExprId> args(ExprId id) const {
    return {args_.data() + exprs_[id].firstArg, exprs_[id].argCount};
  }
  /// Calls f(ExprId) for the arguments of a node and for what its payload refers to: the body of a
  /// reduction, the values of a recurrence. Not for the definition that a Use reads.
  template <class F> void forEachOperand(ExprId id, F &&f) const;
  /// The extents of a definition's array: its `shape`, or those of its variables.
  std::vector<ExprId> shapeOf(const Definition &definition) const;
  /// The value of a constant Index expression, or nothing.
  std::optional<std::int64_t> constantIndex(ExprId id) const;

  /// Where the node was first written; used by diagnostics and audit, not part of identity.
  void setSpan(ExprId id, Span span);
  Span span(ExprId id) const;

private:
  std::vector<Expr> exprs_;
  std::vector<ExprId> args_;
  std::vector<Span> spans_;
  std::unordered_multimap<std::uint64_t, ExprId> interned_;
};

template <class F> void Program::forEachOperand(ExprId id, F &&f) const {
  const auto give = [&](ExprId operand) {
    if (operand != kNone)
      f(operand);
  };
  for (const ExprId arg : args(id))
    give(arg);
  const auto giveExtents = [&](const std::vector<VarId> &bound) {
    for (const VarId var : bound)
      give(vars.at(var).extent);
  };
  if (exprs_[id].op == Op::Reduce) {
    const Reduction &r = reductions.at(exprs_[id].payload);
    giveExtents(r.vars);
    give(r.body);
    give(r.where);
    give(r.count);
    for (const RankKey &key : r.keys)
      give(key.value);
  }
  if (exprs_[id].op == Op::Recur) {
    const Recurrence &r = recurrences.at(recurrenceOf(exprs_[id].payload));
    giveExtents(r.shared);
    giveExtents(r.vars);
    give(r.where);
    for (const std::vector<CarryId> *parts : {&r.carries, &r.yields})
      for (const CarryId part : *parts) {
        giveExtents(carries.at(part).vars);
        for (const ExprId value : {carries[part].start, carries[part].next, carries[part].merged})
          give(value);
      }
  }
}

/// Whether a matrix unit folds it: its order begins with `mma`.
bool isMatrixProduct(const Reduction &reduction);
/// Factor `side` (0 or 1) of a matrix product as a unit that takes `type` reads it: under the cast
/// by which `dot` widened it to its accumulator, where that leaves `type`; else the factor itself.
ExprId matrixOperand(const Program &program, const Reduction &reduction, std::size_t side,
                     DType type);

/// "add", "select", …; for printers.
std::string_view name(Op op);
std::string_view name(ReduceOp op);
/// "in", "out", "inout".
std::string_view name(Tensor::Role role);

/// The accumulator's start that is also its identity: -0.0 for Sum and Dot, -inf for Max, … as
/// bits.
std::uint64_t identityBits(ReduceOp op, DType type);

} // namespace ordo::dsl
