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
inline constexpr std::uint32_t kNone = 0xffffffffu;

enum class Op : std::uint8_t {
  Const,  // payload: bits in `type` (Index: two's complement 64)
  Var,    // payload: VarId; type Index
  Size,   // payload: DimId of a free dimension; type Index
  Scalar, // payload: ScalarId, a scalar argument bound at launch
  Load,   // payload: TensorId; args: one Index per axis
  Use,    // payload: DefId; args: one Index per variable of the definition
  Reduce, // payload: ReductionId
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
  Saturate /* f8 only, nearest even */
};

enum class ReduceOp : std::uint8_t { Sum, Max, Min, MaxNan, MinNan, Dot, Count, ArgMax };

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
  enum class Role : std::uint8_t { Input, Output };
  std::string name;
  DType type = DType::F32;
  std::vector<ExprId> shape; // Index expressions over constants and free dimensions; row-major
  Role role = Role::Input;
};

struct Scalar {
  std::string name;
  DType type = DType::F32;
};

struct Reduction {
  ReduceOp op = ReduceOp::Sum;
  std::vector<VarId> vars; // several variables: row-major, the last fastest
  Order order;             // empty where the operation needs none
  ExprId body = kNone;
  ExprId where = kNone; // false: the element is the identity, its operands are not read
  Span span;
};

/// name[i, j] = value where guard. With `output`, it is the write set of that tensor.
struct Definition {
  std::string name;
  std::vector<VarId> vars;
  ExprId value = kNone;
  ExprId where = kNone;
  TensorId output = kNone;
  Span span;
};

/// A `require` over free dimensions, left for the launch. Those over constants were settled by
/// sema.
struct LaunchRequire {
  ExprId condition = kNone;
  std::string text; // as written
  Span span;
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
  std::vector<Definition> definitions; // each before its uses
  std::vector<LaunchRequire> requires_;

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

/// "add", "select", …; for printers.
std::string_view name(Op op);
std::string_view name(ReduceOp op);

/// The accumulator's start that is also its identity: -0.0 for Sum and Dot, -inf for Max, … as
/// bits.
std::uint64_t identityBits(ReduceOp op, DType type);

} // namespace ordo::dsl
