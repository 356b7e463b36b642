#include "dsl/sema/index_algebra.h"

#include <algorithm>

namespace ordo::dsl {
namespace {

using Wide = __int128;

std::int64_t saturate(Wide value) {
  return static_cast<std::int64_t>(std::clamp<Wide>(value, Interval::kNoLower, Interval::kNoUpper));
}

bool isUnbounded(std::int64_t bound) {
  return bound == Interval::kNoLower || bound == Interval::kNoUpper;
}

// A bound that is infinite stays so under addition.
std::int64_t addBounds(std::int64_t a, std::int64_t b) {
  if (isUnbounded(a))
    return a;
  return isUnbounded(b) ? b : saturate(Wide{a} + b);
}

std::int64_t negateBound(std::int64_t a) { return saturate(-Wide{a}); }

std::int64_t floorDivide(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

std::optional<std::int64_t> foldBinary(Op op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  switch (op) {
  case Op::Add:
    return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  case Op::Sub:
    return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  case Op::Mul:
    return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  case Op::Min:
    return std::min(a, b);
  case Op::Max:
    return std::max(a, b);
  default:
    break;
  }
  if (b == -1) { // the one quotient that can overflow
    if (op == Op::Rem)
      return 0;
    return a == Interval::kNoLower ? std::nullopt : std::optional(-a);
  }
  if (op == Op::Div)
    return floorDivide(a, b);
  const std::int64_t r = a % b; // not a - q * b: near the least value that product leaves 64 bits
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

bool evaluateCompare(Op op, std::int64_t a, std::int64_t b) {
  switch (op) {
  case Op::Eq:
    return a == b;
  case Op::Ne:
    return a != b;
  case Op::Lt:
    return a < b;
  case Op::Le:
    return a <= b;
  case Op::Gt:
    return a > b;
  default:
    return a >= b;
  }
}

// x + 0, x - 0, x * 1, x / 1, 0 + x, 1 * x
std::optional<ExprId> neutral(Op op, ExprId a, std::optional<std::int64_t> ca, ExprId b,
                              std::optional<std::int64_t> cb) {
  const std::int64_t unit = op == Op::Mul || op == Op::Div ? 1 : 0;
  const bool hasUnit = op == Op::Add || op == Op::Sub || op == Op::Mul || op == Op::Div;
  if (!hasUnit)
    return std::nullopt;
  if (cb == unit)
    return a;
  if (ca == unit && (op == Op::Add || op == Op::Mul))
    return b;
  return std::nullopt;
}

Interval product(const Interval &a, const Interval &b) {
  Interval result{Interval::kNoUpper, Interval::kNoLower};
  for (std::int64_t x : {a.lo, a.hi})
    for (std::int64_t y : {b.lo, b.hi}) {
      std::int64_t p = saturate(Wide{x} * y);
      if (x != 0 && y != 0 && (isUnbounded(x) || isUnbounded(y)))
        p = (x < 0) == (y < 0) ? Interval::kNoUpper : Interval::kNoLower;
      result.lo = std::min(result.lo, p);
      result.hi = std::max(result.hi, p);
    }
  return result;
}

// What an integer type holds; a u64 may be no index at all.
Interval rangeOf(DType type) {
  switch (type) {
  case DType::Bool:
    return {0, 1};
  case DType::I32:
    return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
  case DType::U32:
    return {0, std::numeric_limits<std::uint32_t>::max()};
  default:
    return {};
  }
}

} // namespace

void Affine::add(const Affine &other, std::int64_t factor) {
  auto accumulate = [&](std::int64_t &into, std::int64_t value) {
    std::int64_t scaled = 0;
    if (__builtin_mul_overflow(value, factor, &scaled) ||
        __builtin_add_overflow(into, scaled, &into))
      isKnown = false;
  };
  isKnown = isKnown && other.isKnown;
  accumulate(constant, other.constant);
  for (const auto &[atom, coefficient] : other.terms) {
    const auto it = terms.emplace(atom, 0).first;
    accumulate(it->second, coefficient);
    if (it->second == 0)
      terms.erase(it);
  }
}

IndexAlgebra::Built IndexAlgebra::build(Op op, std::span<const ExprId> args, bool trustDivisor) {
  const auto ca = program_.constantIndex(args[0]);
  if (op == Op::Neg) {
    if (!ca)
      return {program_.make(op, DType::Index, 0, args)};
    if (*ca == Interval::kNoLower)
      return {kNone, Fault::Overflow};
    return {program_.index(-*ca)};
  }
  const auto cb = program_.constantIndex(args[1]);
  if (op == Op::Div || op == Op::Rem) {
    if (cb == 0)
      return {kNone, Fault::ZeroDivisor};
    if (!cb && !trustDivisor && !provesLess(program_.index(0), args[1]))
      return {kNone, Fault::UnprovenDivisor};
  }
  if (ca && cb) {
    const auto folded = foldBinary(op, *ca, *cb);
    return folded ? Built{program_.index(*folded)} : Built{kNone, Fault::Overflow};
  }
  if (const auto same = neutral(op, args[0], ca, args[1], cb))
    return {*same};
  return {program_.make(op, DType::Index, 0, args)};
}

ExprId IndexAlgebra::compare(Op op, ExprId left, ExprId right) {
  const auto a = program_.constantIndex(left), b = program_.constantIndex(right);
  if (a && b)
    return program_.constant(DType::Bool, evaluateCompare(op, *a, *b) ? 1 : 0);
  return program_.make(op, DType::Bool, 0, {left, right});
}

Interval IndexAlgebra::intervalOf(ExprId id) const {
  const Expr &e = program_.expr(id);
  const auto args = program_.args(id);
  auto arg = [&](std::size_t i) -> const Interval & { return intervals_[args[i]]; };
  switch (e.op) {
  case Op::Const: {
    const auto value = static_cast<std::int64_t>(e.payload);
    return {value, value};
  }
  case Op::Var:
    return {0, addBounds(intervals_[program_.vars[e.payload].extent].hi, -1)};
  case Op::Size:
    return {0, Interval::kNoUpper};
  case Op::Neg:
    return {negateBound(arg(0).hi), negateBound(arg(0).lo)};
  case Op::Add:
    return {addBounds(arg(0).lo, arg(1).lo), addBounds(arg(0).hi, arg(1).hi)};
  case Op::Sub:
    return {addBounds(arg(0).lo, negateBound(arg(1).hi)),
            addBounds(arg(0).hi, negateBound(arg(1).lo))};
  case Op::Mul:
    return product(arg(0), arg(1));
  case Op::Min:
    return {std::min(arg(0).lo, arg(1).lo), std::min(arg(0).hi, arg(1).hi)};
  case Op::Max:
    return {std::max(arg(0).lo, arg(1).lo), std::max(arg(0).hi, arg(1).hi)};
  case Op::Select:
    return {std::min(arg(1).lo, arg(2).lo), std::max(arg(1).hi, arg(2).hi)};
  case Op::Cast:
    return castInterval(args[0]);
  case Op::Div:
  case Op::Rem:
    break;
  default:
    return {};
  }
  const Interval divisor = arg(1);
  if (divisor.lo <= 0)
    return {};
  if (e.op == Op::Rem) {
    const bool isUnchanged = arg(0).lo >= 0 && arg(0).hi < divisor.lo;
    return isUnchanged ? arg(0) : Interval{0, addBounds(divisor.hi, -1)};
  }
  if (divisor.lo != divisor.hi)
    return arg(0).lo >= 0 ? Interval{0, arg(0).hi} : Interval{};
  const Interval a = arg(0);
  return {isUnbounded(a.lo) ? a.lo : floorDivide(a.lo, divisor.lo),
          isUnbounded(a.hi) ? a.hi : floorDivide(a.hi, divisor.lo)};
}

Interval IndexAlgebra::castInterval(ExprId from) const {
  const Expr &e = program_.expr(from);
  Interval range = rangeOf(e.type);
  if (e.op == Op::Reduce && program_.reductions[e.payload].op == ReduceOp::Count &&
      e.type != DType::U64)
    range.lo = std::max<std::int64_t>(range.lo, 0);
  return range;
}

Affine IndexAlgebra::affineOf(ExprId id) const {
  const Expr &e = program_.expr(id);
  const auto args = program_.args(id);
  Affine form;
  switch (e.op) {
  case Op::Const:
    form.constant = static_cast<std::int64_t>(e.payload);
    return form;
  case Op::Neg:
    form.add(affines_[args[0]], -1);
    return form;
  case Op::Add:
  case Op::Sub:
    form.add(affines_[args[0]], 1);
    form.add(affines_[args[1]], e.op == Op::Add ? 1 : -1);
    return form;
  case Op::Mul:
    for (int i : {0, 1})
      if (affines_[args[i]].terms.empty() && affines_[args[i]].isKnown) {
        form.add(affines_[args[1 - i]], affines_[args[i]].constant);
        return form;
      }
    break;
  default:
    break;
  }
  form.terms[id] = 1;
  return form;
}

void IndexAlgebra::extend() {
  for (ExprId id = static_cast<ExprId>(affines_.size()); id < program_.exprCount(); ++id) {
    const bool isIndex = program_.expr(id).type == DType::Index;
    intervals_.push_back(isIndex ? intervalOf(id) : Interval{});
    affines_.push_back(isIndex ? affineOf(id) : Affine{});
  }
}

Interval IndexAlgebra::interval(ExprId a) {
  extend();
  return intervals_[a];
}

Affine IndexAlgebra::difference(ExprId a, ExprId b, std::int64_t constant) {
  extend();
  Affine form;
  form.add(affines_[a], 1);
  form.add(affines_[b], -1);
  Affine shift;
  shift.constant = constant;
  form.add(shift, 1);
  return form;
}

bool IndexAlgebra::equal(ExprId a, ExprId b) {
  if (a == b)
    return true;
  const Affine form = difference(a, b, 0);
  if (form.isKnown && form.terms.empty() && form.constant == 0)
    return true;
  Affine opposite;
  opposite.add(form, -1);
  return nonNegative(form) && nonNegative(opposite);
}

bool IndexAlgebra::provesNonNegative(ExprId a) {
  if (interval(a).lo >= 0)
    return true;
  const Affine form = affines_[a]; // a proof may make expressions
  return nonNegative(form);
}

bool IndexAlgebra::provesLess(ExprId a, ExprId b) {
  const Interval ia = interval(a), ib = interval(b);
  if (ia.hi != Interval::kNoUpper && ib.lo != Interval::kNoLower && ia.hi < ib.lo)
    return true;
  return nonNegative(difference(b, a, -1));
}

void IndexAlgebra::truncate() {
  intervals_.resize(std::min(intervals_.size(), program_.exprCount()));
  affines_.resize(std::min(affines_.size(), program_.exprCount()));
}

ExprId IndexAlgebra::indexOf(ExprId value) {
  const Expr e = program_.expr(value);
  if (e.type == DType::Index)
    return value;
  if (e.op != Op::Const)
    return program_.make(Op::Cast, DType::Index, 0, {value});
  return program_.index(e.type == DType::I32 ? static_cast<std::int32_t>(e.payload)
                                             : static_cast<std::int64_t>(e.payload));
}

} // namespace ordo::dsl
