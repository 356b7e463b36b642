#include "dsl/term/program.h"

#include <algorithm>
#include <limits>

namespace ordo::dsl {
namespace {

std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
  return h * 0xff51afd7ed558ccdu;
}

std::uint64_t hashOf(Op op, DType type, std::uint64_t payload, std::span<const ExprId> args) {
  std::uint64_t h = mix(static_cast<std::uint64_t>(op), static_cast<std::uint64_t>(type));
  h = mix(h, payload);
  for (ExprId a : args)
    h = mix(h, a);
  return h;
}

std::uint64_t infinityBits(DType type, bool negative) {
  const FloatFormat f = floatFormat(type);
  const std::uint64_t magnitude = ((std::uint64_t{1} << f.exponentBits) - 1) << f.mantissaBits;
  return magnitude | (std::uint64_t{negative} << (bitWidth(type) - 1));
}

} // namespace

ExprId Program::make(Op op, DType type, std::uint64_t payload, std::span<const ExprId> args) {
  const std::uint64_t h = hashOf(op, type, payload, args);
  auto [it, end] = interned_.equal_range(h);
  for (; it != end; ++it) {
    const Expr &e = exprs_[it->second];
    if (e.op == op && e.type == type && e.payload == payload &&
        std::ranges::equal(this->args(it->second), args))
      return it->second;
  }
  const ExprId id = static_cast<ExprId>(exprs_.size());
  // `args` may point into args_ itself; copy before growing it.
  const std::vector<ExprId> copy(args.begin(), args.end());
  exprs_.push_back({op, type, payload, static_cast<std::uint32_t>(args_.size()),
                    static_cast<std::uint32_t>(copy.size())});
  args_.insert(args_.end(), copy.begin(), copy.end());
  spans_.push_back({});
  interned_.emplace(h, id);
  return id;
}

std::optional<std::int64_t> Program::constantIndex(ExprId id) const {
  if (id == kNone || exprs_[id].op != Op::Const || exprs_[id].type != DType::Index)
    return std::nullopt;
  return static_cast<std::int64_t>(exprs_[id].payload);
}

std::vector<ExprId> Program::shapeOf(const Definition &definition) const {
  if (definition.isPlaced())
    return definition.shape;
  std::vector<ExprId> extents;
  for (VarId var : definition.vars)
    extents.push_back(vars[var].extent);
  return extents;
}

void Program::setSpan(ExprId id, Span span) {
  if (spans_[id].end == 0)
    spans_[id] = span;
}

Span Program::span(ExprId id) const { return spans_[id]; }

std::string_view name(Op op) {
  static constexpr std::string_view kNames[] = {
      "const", "var",    "size",  "scalar", "load",   "use",     "reduce",  "carry", "recur",
      "undef", "neg",    "abs",   "sqrt",   "floor",  "add",     "sub",     "mul",   "div",
      "rem",   "fma",    "mulhi", "min",    "max",    "min_nan", "max_nan", "and",   "or",
      "xor",   "not",    "shl",   "shr",    "eq",     "ne",      "lt",      "le",    "gt",
      "ge",    "select", "cast",  "bits",   "of_bits"};
  return kNames[static_cast<std::size_t>(op)];
}

std::string_view name(ReduceOp op) {
  static constexpr std::string_view kNames[] = {"sum", "max",   "min",    "max_nan", "min_nan",
                                                "dot", "count", "argmax", "top"};
  return kNames[static_cast<std::size_t>(op)];
}

std::string_view name(Tensor::Role role) {
  return role == Tensor::Role::Input ? "in" : role == Tensor::Role::Output ? "out" : "inout";
}

std::uint64_t identityBits(ReduceOp op, DType type) {
  const bool isSmallest = op == ReduceOp::Max || op == ReduceOp::MaxNan;
  const bool isLargest = op == ReduceOp::Min || op == ReduceOp::MinNan;
  if (isFloat(type)) {
    if (isSmallest || isLargest)
      return infinityBits(type, isSmallest);
    return std::uint64_t{1} << (bitWidth(type) - 1); // -0.0
  }
  if (isSmallest)
    return type == DType::I32 ? 0x80000000u : type == DType::I64 ? std::uint64_t{1} << 63 : 0;
  if (isLargest)
    return type == DType::I32   ? 0x7fffffffu
           : type == DType::I64 ? (std::uint64_t{1} << 63) - 1
           : type == DType::U32 ? 0xffffffffu
                                : ~std::uint64_t{0};
  return 0;
}

bool isMatrixProduct(const Reduction &reduction) {
  return !reduction.order.empty() && reduction.order.stages.front().kind == Stage::Kind::Mma;
}

// Of the types that a unit takes, those narrower than the accumulator all widen exactly.
ExprId matrixOperand(const Program &program, const Reduction &reduction, std::size_t side,
                     DType type) {
  const ExprId factor = program.args(reduction.body)[side];
  if (program.expr(factor).op != Op::Cast || program.expr(factor).type == type)
    return factor;
  const ExprId narrow = program.args(factor)[0];
  return program.expr(narrow).type == type ? narrow : factor;
}

} // namespace ordo::dsl
