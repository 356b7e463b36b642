// Float arithmetic. Packed instructions become two.
#include "compiler/verify/ptx/lowering.h"

namespace ordo::verify::ptx {

using M = verify::Operand;

bool Lowering::floating(const std::string &op) {
  static const std::string_view kApproximations[] = {"ex2", "lg2", "sin", "cos", "tanh", "rsqrt"};
  for (const std::string_view approximate : kApproximations)
    if (op == approximate) {
      approximation(1);
      return true;
    }
  const std::optional<Type> type = words_.empty() ? std::nullopt : typeOf(words_.back());
  if (!type || !type->isFloat())
    return false;
  if (op == "add" || op == "sub" || op == "mul")
    arithmetic(op == "add" ? Op::FAdd : op == "sub" ? Op::FSub : Op::FMul, 2);
  else if (op == "fma" || op == "mad")
    arithmetic(Op::FFma, 3);
  else if (op == "div")
    divide(Op::FDiv, 2);
  else if (op == "rcp" || op == "sqrt")
    divide(op == "rcp" ? Op::FRcp : Op::FSqrt, 1);
  else if (op == "min" || op == "max")
    minMax(op == "min" ? Op::FMin : Op::FMax);
  else if (op == "neg" || op == "abs")
    signOperation(op == "neg" ? Op::FNeg : Op::FAbs);
  else
    return false;
  return true;
}

/// `pattern` with operands 1 … sources to operand 0, in halves where the type is packed.
void Lowering::floatOperation(Op op, std::size_t sources, const Type &type, Instruction pattern) {
  operands(sources + 1);
  pattern.op = op;
  pattern.format = type.format;
  std::vector<M> src;
  for (std::size_t k = 1; k <= sources; ++k)
    src.push_back(value(k, type.width));
  pattern.guard = guard_;
  if (!type.isPacked) {
    pattern.width = type.width;
    pattern.dst = {destination(0, type.width)};
    pattern.src = std::move(src);
    emit(std::move(pattern));
    return;
  }
  std::vector<M> low, high;
  for (const M &operand : src) {
    const auto [a, b] = halves(operand);
    low.push_back(a);
    high.push_back(b);
  }
  pattern.width = 16;
  const RegisterId results[2] = {temporary(16), temporary(16)};
  for (int half = 0; half < 2; ++half) {
    Instruction i = pattern;
    i.dst = {results[half]};
    i.src = half == 0 ? low : high;
    emit(std::move(i));
  }
  emit(Op::Concat, 32, destination(0, 32), {M::of(results[0]), M::of(results[1])}).fromWidth = 16;
}

/// add, sub, mul, fma. Without a rounding ptxas may contract a product and a sum into one.
void Lowering::arithmetic(Op op, std::size_t sources) {
  const Type type = takeType();
  Instruction pattern = make(op, type.width);
  const std::optional<Round> rounding = takeRounding();
  if (!rounding && op == Op::FFma && statement_->words.front() == "fma")
    refuse("has no rounding");
  pattern.rounding = rounding.value_or(Round::NearestEven);
  pattern.mayContract = !rounding && op != Op::FFma;
  floatFlags(pattern);
  floatOperation(op, sources, type, std::move(pattern));
}

/// div, rcp and sqrt: correctly rounded, or an approximation.
void Lowering::divide(Op op, std::size_t sources) {
  const Type type = takeType();
  Instruction pattern = make(op, type.width);
  const std::optional<Round> rounding = takeRounding();
  if (!rounding) {
    words_.push_back(std::string(statement_->words.back()));
    return approximation(sources);
  }
  pattern.rounding = *rounding;
  pattern.flushes = take("ftz");
  floatOperation(op, sources, type, std::move(pattern));
}

void Lowering::minMax(Op op) {
  const Type type = takeType();
  Instruction pattern = make(op, type.width);
  if (take("NaN"))
    op = op == Op::FMin ? Op::FMinNan : Op::FMaxNan;
  pattern.flushes = take("ftz");
  floatOperation(op, 2, type, std::move(pattern));
}

void Lowering::signOperation(Op op) {
  const Type type = takeType();
  Instruction pattern = make(op, type.width);
  pattern.flushes = take("ftz");
  floatOperation(op, 1, type, std::move(pattern));
}

/// ex2.approx.ftz.f32 and the like: kept by name, which says .ftz too.
void Lowering::approximation(std::size_t sources) {
  const Type type = takeType();
  if (!take("approx") && !take("full"))
    refuse("neither a rounding nor .approx");
  Instruction pattern = make(Op::Approx, type.width);
  take("ftz");
  pattern.what = statement_->opcode;
  floatOperation(Op::Approx, sources, type, std::move(pattern));
}

} // namespace ordo::verify::ptx
