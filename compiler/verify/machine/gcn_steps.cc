#include "compiler/verify/machine/gcn_steps.h"
#include "compiler/verify/machine/fault.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <type_traits>

namespace ordo::verify {
namespace {

using dsl::DType;
using U = std::uint64_t;

template <class T> struct Constants;
template <> struct Constants<float> {
  using Bits = std::uint32_t;
  using Wide = double; // holds a product exactly, and two bits more than a result after it
  static constexpr int kMantissa = 23, kBias = 127;
  static constexpr int kFarApart = 96, kScale = 64, kTiny = 23, kUnderflow = -150;
};
template <> struct Constants<double> {
  using Bits = std::uint64_t;
  using Wide = __float128;
  static constexpr int kMantissa = 52, kBias = 1023;
  static constexpr int kFarApart = 768, kScale = 128, kTiny = 53, kUnderflow = -1075;
};

template <class T> T floatOf(U bits) {
  return std::bit_cast<T>(static_cast<typename Constants<T>::Bits>(bits));
}
template <class T> U bitsOf(T value) {
  constexpr U kNan = std::is_same_v<T, float> ? U{0x7fc00000} : U{0x7ff8000000000000};
  return std::isnan(value) ? kNan : std::bit_cast<typename Constants<T>::Bits>(value);
}

/// The exponent's field.
template <class T> int exponentOf(T value) {
  return static_cast<int>(std::bit_cast<typename Constants<T>::Bits>(value) >>
                              Constants<T>::kMantissa &
                          (2 * Constants<T>::kBias + 1));
}

template <class T> bool isSubnormal(T value) { return std::fpclassify(value) == FP_SUBNORMAL; }

/// Below the least normal magnitude, but not zero before rounding.
template <class T> bool quotientIsTiny(T a, T b) {
  using Wide = typename Constants<T>::Wide;
  const Wide quotient = static_cast<Wide>(std::fabs(a)) / static_cast<Wide>(std::fabs(b));
  return quotient < static_cast<Wide>(std::numeric_limits<T>::min());
}

template <class T> T divScale(T value, T denominator, T numerator, bool &flag) {
  using C = Constants<T>;
  flag = false;
  const bool isDenominator = value == denominator, isNumerator = value == numerator;
  if (numerator == 0 || denominator == 0)
    return std::numeric_limits<T>::quiet_NaN();
  if (exponentOf(numerator) - exponentOf(denominator) >= C::kFarApart) {
    flag = true;
    return isDenominator ? std::ldexp(value, C::kScale) : value;
  }
  if (isSubnormal(denominator))
    return std::ldexp(value, C::kScale);
  if (!std::isfinite(denominator) || !std::isfinite(numerator))
    return value; // v_div_fixup knows the quotient
  const bool reciprocalIsTiny = quotientIsTiny(T{1}, denominator);
  const bool isTiny = quotientIsTiny(numerator, denominator);
  if (reciprocalIsTiny && isTiny) {
    flag = true;
    return isDenominator ? std::ldexp(value, -C::kScale) : value;
  }
  if (reciprocalIsTiny)
    return std::ldexp(value, -C::kScale);
  if (isTiny) {
    flag = true;
    return isNumerator ? std::ldexp(value, C::kScale) : value;
  }
  return exponentOf(numerator) <= C::kTiny ? std::ldexp(value, C::kScale) : value;
}

double nextFrom(double value, bool up) { return std::nextafter(value, up ? HUGE_VAL : -HUGE_VAL); }
/// The neighbour of a finite value that is not zero, whose mantissa's last bit is 0.
__float128 nextFrom(__float128 value, bool up) {
  unsigned __int128 bits;
  std::memcpy(&bits, &value, sizeof bits);
  bits += (value > 0) == up ? 1 : -1;
  std::memcpy(&value, &bits, sizeof bits);
  return value;
}
bool isOdd(double value) { return (std::bit_cast<U>(value) & 1) != 0; }
bool isOdd(__float128 value) {
  unsigned __int128 bits;
  std::memcpy(&bits, &value, sizeof bits);
  return (bits & 1) != 0;
}

/// fma(a, b, c) * 2^scale, rounded once: the sum is rounded to odd in a wider format (Boldo and
/// Melquiond, 2008), where the scaling is exact.
template <class T> T scaledFma(T a, T b, T c, int scale) {
  using Wide = typename Constants<T>::Wide;
  if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(c))
    return std::fma(a, b, c);
  const Wide product = static_cast<Wide>(a) * static_cast<Wide>(b), addend = c;
  Wide sum = product + addend;
  const Wide virtualAddend = sum - product;
  const Wide error = (product - (sum - virtualAddend)) + (addend - virtualAddend);
  if (error != 0 && !isOdd(sum))
    sum = nextFrom(sum, error > 0);
  const Wide factor = static_cast<Wide>(std::ldexp(T{1}, scale));
  return static_cast<T>(sum * factor);
}

template <class T> T divFmas(T a, T b, T c, bool flag) {
  if (!flag)
    return std::fma(a, b, c);
  const bool up = exponentOf(c) > Constants<T>::kBias;
  return scaledFma(a, b, c, up ? Constants<T>::kScale : -Constants<T>::kScale);
}

template <class T> T divFixup(T quotient, T denominator, T numerator) {
  const T sign = std::signbit(denominator) != std::signbit(numerator) ? T{-1} : T{1};
  const T infinity = sign * std::numeric_limits<T>::infinity();
  const bool bothZero = denominator == 0 && numerator == 0;
  const bool bothInfinite = std::isinf(denominator) && std::isinf(numerator);
  if (std::isnan(numerator) || std::isnan(denominator) || bothZero || bothInfinite)
    return std::numeric_limits<T>::quiet_NaN();
  if (denominator == 0 || std::isinf(numerator))
    return infinity;
  if (std::isinf(denominator) || numerator == 0 ||
      exponentOf(numerator) - exponentOf(denominator) < Constants<T>::kUnderflow)
    return sign * T{0};
  return std::isnan(quotient) ? infinity : sign * std::fabs(quotient);
}

template <class T> bool isInClass(T value, U classes) {
  const bool isNegative = std::signbit(value);
  int bit = 0;
  switch (std::fpclassify(value)) {
  case FP_NAN:
    bit = (std::bit_cast<typename Constants<T>::Bits>(value) >> (Constants<T>::kMantissa - 1) &
           1) != 0
              ? 1
              : 0;
    break;
  case FP_INFINITE:
    bit = isNegative ? 2 : 9;
    break;
  case FP_ZERO:
    bit = isNegative ? 5 : 6;
    break;
  case FP_SUBNORMAL:
    bit = isNegative ? 4 : 7;
    break;
  default:
    bit = isNegative ? 3 : 8;
  }
  return (classes >> bit & 1) != 0;
}

/// The median; with a NaN, the least of the others.
template <class T> T median(T a, T b, T c) {
  if (std::isnan(a) || std::isnan(b) || std::isnan(c))
    throw DomainError("the median of a NaN is not modelled");
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

template <class T> U compute(const Instruction &i, const U *src, U *second) {
  const T a = floatOf<T>(src[0]);
  const T b = i.src.size() > 1 ? floatOf<T>(src[1]) : T{0};
  const T c = i.src.size() > 2 ? floatOf<T>(src[2]) : T{0};
  switch (i.op) {
  case Op::GcnDivScale: {
    bool flag = false;
    const T result = divScale(a, b, c, flag);
    *second = flag;
    return bitsOf(result);
  }
  case Op::GcnDivFmas:
    return bitsOf(divFmas(a, b, c, (src[3] & 1) != 0));
  case Op::GcnDivFixup:
    return bitsOf(divFixup(a, b, c));
  case Op::GcnLdexp:
    return bitsOf(std::ldexp(a, static_cast<std::int32_t>(src[1])));
  case Op::GcnFrexpMant: {
    int exponent = 0;
    return bitsOf(std::isfinite(a) ? std::frexp(a, &exponent) : a);
  }
  case Op::GcnFrexpExp: {
    int exponent = 0;
    if (std::isfinite(a))
      std::frexp(a, &exponent);
    return static_cast<std::uint32_t>(exponent);
  }
  case Op::GcnClass:
    return isInClass(a, src[1]);
  case Op::GcnMed3:
    return bitsOf(median(a, b, c));
  default:
    throw DomainError(fmt::format("`{}` has no concrete value", name(i.op)));
  }
}

/// f16's class by its own fields: the host's conversion would quiet a signalling NaN.
U classOfHalf(U bits, U classes) {
  const bool isNegative = (bits & 0x8000) != 0;
  const U exponent = bits >> 10 & 31, mantissa = bits & 0x3ff;
  int bit = isNegative ? 3 : 8;
  if (exponent == 31 && mantissa != 0)
    bit = (mantissa & 0x200) != 0 ? 1 : 0;
  else if (exponent == 31)
    bit = isNegative ? 2 : 9;
  else if (exponent == 0)
    bit = mantissa != 0 ? (isNegative ? 4 : 7) : (isNegative ? 5 : 6);
  return classes >> bit & 1;
}

U hashOf(U bits) {
  bits ^= bits >> 33;
  bits *= 0xff51afd7ed558ccdu;
  bits ^= bits >> 33;
  bits *= 0xc4ceb9fe1a85ec53u;
  return bits ^ bits >> 33;
}

template <class T> T exactly(const std::string &what, T value) {
  return what == "rcp" ? T{1} / value : what == "sqrt" ? std::sqrt(value) : T{1} / std::sqrt(value);
}

/// One of the values within 1 ulp: both neighbours, or where the function is exact both beyond.
float approximate32(const std::string &what, float value, Approximation within) {
  if (within == Approximation::Mixed)
    within = static_cast<Approximation>(hashOf(std::bit_cast<std::uint32_t>(value)) % 3);
  const bool flushes = within == Approximation::Below;
  const float operand = flushes && isSubnormal(value) ? std::copysign(0.0F, value) : value;
  const long double exact = exactly(what, static_cast<long double>(operand));
  const float nearest = what == "rsq" ? static_cast<float>(exact) : exactly(what, operand);
  if (within == Approximation::Nearest || !std::isfinite(nearest) || nearest == 0)
    return nearest;
  const bool up = within == Approximation::Above;
  float result = nearest;
  const bool isThere = up ? nearest > exact : nearest < exact;
  if (!isThere)
    result = std::nextafter(nearest, up ? HUGE_VALF : -HUGE_VALF);
  if (flushes && isSubnormal(nearest))
    return std::copysign(0.0F, nearest);
  return flushes && isSubnormal(result) ? nearest : result; // 0 would be far more than 1 ulp away
}

double approximate64(const std::string &what, double value, Approximation within) {
  // Rounded once where the host can: 1/x lies close to a tie for a significand of all ones.
  const double nearest = what == "rsq"
                             ? static_cast<double>(exactly(what, static_cast<long double>(value)))
                             : exactly(what, value);
  if (within == Approximation::Nearest || !std::isnormal(nearest))
    return nearest;
  constexpr std::int64_t kUlps = (std::int64_t{1} << 29) - 1;
  std::int64_t by = within == Approximation::Below ? -kUlps : kUlps;
  if (within == Approximation::Mixed)
    by = static_cast<std::int64_t>(hashOf(std::bit_cast<U>(value)) % (2 * kUlps + 1)) - kUlps;
  // On magnitudes; in the binade above an ulp is two of these.
  const auto movedBy = [&](std::int64_t ulps) {
    return std::bit_cast<double>(std::bit_cast<U>(nearest) + static_cast<U>(ulps));
  };
  double moved = movedBy(by);
  if (exponentOf(moved) > exponentOf(nearest))
    moved = movedBy(by / 2);
  return std::isnormal(moved) ? moved : nearest;
}

} // namespace

std::uint64_t computeGcn(const Instruction &i, const std::uint64_t *src, std::uint64_t *second) {
  if (i.saturates)
    throw DomainError(fmt::format("`{}` with a clamp is not modelled", name(i.op)));
  if (i.op == Op::GcnClass && i.format == DType::F16)
    return classOfHalf(src[0], src[1]);
  if (i.format == DType::F32)
    return compute<float>(i, src, second);
  if (i.format == DType::F64)
    return compute<double>(i, src, second);
  throw DomainError(
      fmt::format("`{}` in the format {} is not modelled", name(i.op), dsl::name(i.format)));
}

std::uint64_t approximate(const Instruction &i, std::uint64_t operand, Approximation within) {
  if (i.saturates)
    throw DomainError(fmt::format("`{}` with a clamp is not modelled", i.what));
  if (i.what != "rcp" && i.what != "rsq" && i.what != "sqrt")
    throw DomainError(fmt::format("`{}` is an approximation: its bits are nowhere stated", i.what));
  if (i.format == DType::F32)
    return bitsOf(approximate32(i.what, floatOf<float>(operand), within));
  if (i.format == DType::F64)
    return bitsOf(approximate64(i.what, floatOf<double>(operand), within));
  throw DomainError(fmt::format("`{}` in the format {} is an approximation that is not modelled",
                                i.what, dsl::name(i.format)));
}

} // namespace ordo::verify
