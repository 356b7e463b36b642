// Floats on bits. f32 and f64 by the host's arithmetic in its default environment; f16 and bf16 in
// f64, which holds their products exactly and whose rounding is harmless for + - * / sqrt (53 >= 2
// * 11 + 2; Figueroa, "When is double rounding innocuous?", 1995); fma on them by rounding to odd
// (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
#include "compiler/verify/machine/concrete.h"

#include <bit>
#include <cmath>
#include <fmt/format.h>

namespace ordo::verify {
namespace {

using dsl::DType;
using U = std::uint64_t;

struct Format {
  int width, mantissa, bias;
};

Format formatOf(DType type) {
  switch (type) {
  case DType::F64:
    return {64, 52, 1023};
  case DType::F32:
    return {32, 23, 127};
  case DType::F16:
    return {16, 10, 15};
  case DType::BF16:
    return {16, 7, 127};
  default:
    throw DomainError(fmt::format("floats of format {} are not modelled", dsl::name(type)));
  }
}

U ones(int count) { return count >= 64 ? ~U{0} : (U{1} << count) - 1; }
U signOf(const Format &f, U bits) { return bits >> (f.width - 1) & 1; }
U exponentField(const Format &f, U bits) {
  return bits >> f.mantissa & ones(f.width - 1 - f.mantissa);
}
U mantissaField(const Format &f, U bits) { return bits & ones(f.mantissa); }
U infinity(const Format &f) { return ones(f.width - 1 - f.mantissa) << f.mantissa; }
bool isNan(const Format &f, U bits) { return (bits & ones(f.width - 1)) > infinity(f); }

/// (-1)^sign * m * 2^e, and a bit more in magnitude if `sticky`, in the format.
U rounded(const Format &f, U sign, U m, int e, bool sticky, Round mode) {
  const U signBit = sign << (f.width - 1);
  if (m == 0 && !sticky)
    return signBit;
  // The exponent of the last place of the result.
  const int top = 63 - std::countl_zero(m | 1) + e;
  const int place = std::max(top, 1 - f.bias) - f.mantissa;
  const int drop = place - e;
  U kept = m;
  bool half = false;
  if (drop > 0) {
    kept = drop > 63 ? 0 : m >> drop;
    half = drop <= 64 && (m >> (drop - 1) & 1) != 0;
    sticky |= (m & ones(drop - 1)) != 0;
  } else {
    kept = m << -drop; // fits: at most mantissa + 1 bits
  }
  bool up = false;
  switch (mode) {
  case Round::NearestEven:
    up = half && (sticky || (kept & 1) != 0);
    break;
  case Round::NearestAway:
    up = half;
    break;
  case Round::TowardZero:
    break;
  case Round::Up:
    up = sign == 0 && (half || sticky);
    break;
  case Round::Down:
    up = sign != 0 && (half || sticky);
    break;
  }
  kept += up;
  // Subnormals have place 1 - bias - mantissa and a field of 0, which a carry turns into 1.
  const U biased = static_cast<U>(place + f.mantissa + f.bias - 1);
  const U bits = (biased << f.mantissa) + kept;
  if (bits < infinity(f))
    return signBit | bits;
  const bool toInfinity = mode == Round::NearestEven || mode == Round::NearestAway ||
                          (mode == Round::Up && sign == 0) || (mode == Round::Down && sign != 0);
  return signBit | (toInfinity ? infinity(f) : infinity(f) - 1);
}

/// Exact, but that a NaN stays some NaN.
double toDouble(DType type, U bits) {
  if (type == DType::F64)
    return std::bit_cast<double>(bits);
  if (type == DType::F32)
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  const Format f = formatOf(type);
  const double sign = signOf(f, bits) != 0 ? -1.0 : 1.0;
  const U exponent = exponentField(f, bits), mantissa = mantissaField(f, bits);
  if (exponent == ones(f.width - 1 - f.mantissa))
    return mantissa != 0 ? std::nan("") : sign * HUGE_VAL;
  if (exponent == 0)
    return sign * std::ldexp(static_cast<double>(mantissa), 1 - f.bias - f.mantissa);
  return sign * std::ldexp(static_cast<double>(mantissa | U{1} << f.mantissa),
                           static_cast<int>(exponent) - f.bias - f.mantissa);
}

U canonicalNan(DType type, NanStyle nans) {
  const Format f = formatOf(type);
  if (nans == NanStyle::Canonical && type != DType::F64)
    return ones(f.width - 1);
  return infinity(f) | U{1} << (f.mantissa - 1);
}

U fromDouble(DType type, double value, Round mode, NanStyle nans) {
  const Format f = formatOf(type);
  if (std::isnan(value))
    return canonicalNan(type, nans);
  const U bits = std::bit_cast<U>(value);
  const U sign = bits >> 63;
  if (std::isinf(value))
    return sign << (f.width - 1) | infinity(f);
  const Format d = formatOf(DType::F64);
  const U exponent = exponentField(d, bits);
  const U m = exponent == 0 ? mantissaField(d, bits) : mantissaField(d, bits) | U{1} << 52;
  return rounded(f, sign, m, static_cast<int>(std::max<U>(exponent, 1)) - 1023 - 52, false, mode);
}

/// The exact a * b + c rounded to odd in f64; the product must be exact.
double fmaToOdd(double a, double b, double c) {
  const double product = a * b, sum = product + c;
  if (!std::isfinite(sum))
    return sum;
  const double virtualC = sum - product;
  const double error = (product - (sum - virtualC)) + (c - virtualC);
  const U bits = std::bit_cast<U>(sum);
  if (error == 0.0 || (bits & 1) != 0)
    return sum;
  return std::nextafter(sum, error > 0.0 ? HUGE_VAL : -HUGE_VAL);
}

template <class T> T arithmetic(Op op, T a, T b, T c) {
  switch (op) {
  case Op::FAdd:
    return a + b;
  case Op::FSub:
    return a - b;
  case Op::FMul:
    return a * b;
  case Op::FDiv:
    return a / b;
  case Op::FFma:
    return std::fma(a, b, c);
  case Op::FSqrt:
    return std::sqrt(a);
  default:
    return T{1} / a;
  }
}

U arithmeticBits(const Instruction &i, const U *src, NanStyle nans) {
  if (i.rounding != Round::NearestEven)
    throw DomainError("arithmetic that does not round to nearest even is not modelled");
  const DType type = i.format;
  const std::size_t count = i.src.size();
  if (type == DType::F32) {
    float v[3] = {};
    for (std::size_t k = 0; k < count; ++k)
      v[k] = std::bit_cast<float>(static_cast<std::uint32_t>(src[k]));
    const float result = arithmetic(i.op, v[0], v[1], v[2]);
    return std::isnan(result) ? canonicalNan(type, nans) : std::bit_cast<std::uint32_t>(result);
  }
  double v[3] = {};
  for (std::size_t k = 0; k < count; ++k)
    v[k] = toDouble(type, src[k]);
  if (type == DType::F64) {
    const double result = arithmetic(i.op, v[0], v[1], v[2]);
    return std::isnan(result) ? canonicalNan(type, nans) : std::bit_cast<U>(result);
  }
  const double result =
      i.op == Op::FFma ? fmaToOdd(v[0], v[1], v[2]) : arithmetic(i.op, v[0], v[1], v[2]);
  return fromDouble(type, result, Round::NearestEven, nans);
}

U minMax(const Instruction &i, U a, U b, NanStyle nans) {
  const Format f = formatOf(i.format);
  const bool keeps = i.op == Op::FMinNan || i.op == Op::FMaxNan;
  const bool isMin = i.op == Op::FMin || i.op == Op::FMinNan;
  const bool aNan = isNan(f, a), bNan = isNan(f, b);
  if ((aNan && bNan) || (keeps && (aNan || bNan)))
    return canonicalNan(i.format, nans);
  if (aNan || bNan)
    return aNan ? b : a;
  const double x = toDouble(i.format, a), y = toDouble(i.format, b);
  const bool aIsLess = x < y || (x == y && signOf(f, a) > signOf(f, b));
  return aIsLess == isMin ? a : b;
}

U convert(const Instruction &i, U bits, NanStyle nans) {
  const Format from = formatOf(i.from);
  if (isNan(from, bits))
    return canonicalNan(i.format, nans);
  return fromDouble(i.format, toDouble(i.from, bits), i.rounding, nans);
}

double integral(double value, Round mode) {
  switch (mode) {
  case Round::NearestEven:
    return std::nearbyint(value);
  case Round::TowardZero:
    return std::trunc(value);
  case Round::Up:
    return std::ceil(value);
  case Round::Down:
    return std::floor(value);
  case Round::NearestAway:
    return std::round(value);
  }
  return value;
}

U toInteger(const Instruction &i, U bits) {
  const double value = integral(toDouble(i.format, bits), i.rounding);
  if (std::isnan(value))
    return 0;
  const int w = i.width;
  if (i.op == Op::FToU) {
    if (value <= 0.0)
      return 0;
    return value >= std::ldexp(1.0, w) ? ones(w) : static_cast<U>(value);
  }
  if (value >= std::ldexp(1.0, w - 1))
    return ones(w - 1);
  if (value < -std::ldexp(1.0, w - 1))
    return U{1} << (w - 1);
  return static_cast<U>(static_cast<std::int64_t>(value)) & ones(w);
}

U fromInteger(const Instruction &i, U bits) {
  const Format f = formatOf(i.format);
  const bool isNegative = i.op == Op::SToF && (bits >> (i.width - 1) & 1) != 0;
  const U magnitude = isNegative ? (U{0} - bits) & ones(i.width) : bits;
  return rounded(f, isNegative, magnitude, 0, false, i.rounding);
}

U flushed(DType type, U bits) {
  const Format f = formatOf(type);
  return exponentField(f, bits) == 0 ? bits & U{1} << (f.width - 1) : bits;
}

U saturated(DType type, U bits) {
  const Format f = formatOf(type);
  if (isNan(f, bits) || signOf(f, bits) != 0)
    return 0;
  const U one = static_cast<U>(f.bias) << f.mantissa;
  return std::min(bits, one);
}

U compute(const Instruction &i, const U *src, NanStyle nans) {
  const Format f = formatOf(i.format);
  const U sign = U{1} << (f.width - 1);
  switch (i.op) {
  case Op::FNeg:
    return src[0] ^ sign;
  case Op::FAbs:
    return src[0] & ~sign & ones(f.width);
  case Op::FMin:
  case Op::FMax:
  case Op::FMinNan:
  case Op::FMaxNan:
    return minMax(i, src[0], src[1], nans);
  case Op::FCmpEq:
    return toDouble(i.format, src[0]) == toDouble(i.format, src[1]);
  case Op::FCmpNe:
    return toDouble(i.format, src[0]) != toDouble(i.format, src[1]);
  case Op::FCmpLt:
    return toDouble(i.format, src[0]) < toDouble(i.format, src[1]);
  case Op::FCmpLe:
    return toDouble(i.format, src[0]) <= toDouble(i.format, src[1]);
  case Op::FIsNan:
    return isNan(f, src[0]) || (i.src.size() > 1 && isNan(f, src[1]));
  case Op::FConvert:
    return convert(i, src[0], nans);
  case Op::FRoundInt:
    return isNan(f, src[0]) ? canonicalNan(i.format, nans)
                            : fromDouble(i.format, integral(toDouble(i.format, src[0]), i.rounding),
                                         Round::NearestEven, nans);
  case Op::FToU:
  case Op::FToS:
    return toInteger(i, src[0]);
  case Op::UToF:
  case Op::SToF:
    return fromInteger(i, src[0]);
  case Op::FAdd:
  case Op::FSub:
  case Op::FMul:
  case Op::FDiv:
  case Op::FFma:
  case Op::FSqrt:
  case Op::FRcp:
    return arithmeticBits(i, src, nans);
  case Op::Approx:
    throw DomainError(fmt::format("`{}` is an approximation: its bits are nowhere stated", i.what));
  default:
    throw DomainError(fmt::format("`{}` has no concrete value", name(i.op)));
  }
}

bool isFloatResult(Op op) {
  return op != Op::FToU && op != Op::FToS && op != Op::FIsNan &&
         !(op >= Op::FCmpEq && op <= Op::FCmpLe);
}

} // namespace

bool isFloatOperation(Op op) { return op >= Op::FAdd && op <= Op::GcnMed3; }

std::uint64_t computeFloat(const Instruction &i, const std::uint64_t *src, NanStyle nans) {
  if (!i.flushes && !i.saturates)
    return compute(i, src, nans);
  if (i.flushes && i.format != DType::F32 && i.from != DType::F32)
    throw DomainError("flushing in this format is not modelled");
  std::array<U, kMostOperands> operands{};
  const bool readsFloats = i.op != Op::UToF && i.op != Op::SToF;
  const DType from = i.op == Op::FConvert ? i.from : i.format;
  for (std::size_t k = 0; k < i.src.size(); ++k)
    operands[k] = i.flushes && readsFloats && from == DType::F32 ? flushed(from, src[k]) : src[k];
  U result = compute(i, operands.data(), nans);
  if (!isFloatResult(i.op))
    return result;
  if (i.flushes && i.format == DType::F32)
    result = flushed(i.format, result);
  return i.saturates ? saturated(i.format, result) : result;
}

} // namespace ordo::verify
