#include "dsl/eval/kernels.h"

namespace ordo::dsl::detail {
namespace {

using namespace lane;

template <DType To, DType From, auto F> constexpr Kernel kMap = mapUnary<Repr<To>, Repr<From>, F>;

/// Any pair, by integers: slow, and what the faster kernels must agree with.
template <DType To, DType From, Rounding R> Kernel generalCast() {
  return kMap<To, From,
              [](Repr<From> a) { return fromBits<Repr<To>>(castBits(From, To, toBits(a), R)); }>;
}

/// To nearest even, saturating, NaN to 0. Adding 1.5 * 2^52 leaves the rounded integer in the low
/// bits of the double.
inline std::int32_t nearestI32(double a) {
  a = a < -0x1p31 ? -0x1p31 : a;
  a = a > 0x1p31 - 1 ? 0x1p31 - 1 : a;
  a = a != a ? 0.0 : a;
  return static_cast<std::int32_t>(
      static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(a + 0x1.8p52)));
}

/// Casts that hot loops use; null for the rest. All are exact or the host's own single rounding.
template <DType To, DType From> Kernel nearestCast() {
  using O = Repr<To>;
  using I = Repr<From>;
  if constexpr (To == DType::Bool || From == DType::Bool)
    return nullptr;
  else if constexpr (isNative(To) && (isNative(From) || isHalf(From)))
    return kMap<To, From, [](I a) { return static_cast<O>(native<From>(a)); }>;
  else if constexpr (isHalf(To) && (From == DType::F32 || isHalf(From)))
    return kMap<To, From, [](I a) { return floatToHalf<To>(native<From>(a)); }>;
  else if constexpr (isNative(To) && isWhole(From))
    return kMap<To, From, [](I a) { return static_cast<O>(a); }>;
  else if constexpr (isWhole(To) && isWhole(From))
    return kMap<To, From, [](I a) { return static_cast<O>(a); }>;
  else if constexpr (To == DType::I32 && (isNative(From) || isHalf(From)))
    return kMap<To, From, [](I a) { return nearestI32(native<From>(a)); }>;
  else
    return nullptr;
}

template <DType To, DType From> Kernel cast(Rounding rounding) {
  switch (rounding) {
  case Rounding::TowardZero:
    return generalCast<To, From, Rounding::TowardZero>();
  case Rounding::Saturate:
    return generalCast<To, From, Rounding::Saturate>();
  case Rounding::NearestEven:
  case Rounding::Tf32: // castKernel's own
    break;
  }
  if (Kernel kernel = nearestCast<To, From>())
    return kernel;
  return generalCast<To, From, Rounding::NearestEven>();
}

} // namespace

Kernel castKernel(DType type, DType argType, Rounding rounding) {
  if (rounding == Rounding::Tf32)
    return type == DType::F32 && argType == DType::F32
               ? mapUnary<std::uint32_t, std::uint32_t, roundToTf32>
               : nullptr;
  return forType(type, [&]<DType To>() -> Kernel {
    return forType(argType, [&]<DType From>() -> Kernel { return cast<To, From>(rounding); });
  });
}

Kernel bitsKernel(DType type, DType argType) {
  if (!isFloat(argType) || type != (argType == DType::F64 ? DType::U64 : DType::U32))
    return nullptr;
  return forType(argType, []<DType From>() -> Kernel {
    using Out = std::conditional_t<From == DType::F64, std::uint64_t, std::uint32_t>;
    return mapUnary<Out, Repr<From>,
                    [](Repr<From> a) { return static_cast<Out>(canonical(From, toBits(a))); }>;
  });
}

Kernel ofBitsKernel(DType type, DType argType) {
  if (!isFloat(type) || argType != (type == DType::F64 ? DType::U64 : DType::U32))
    return nullptr;
  return forType(type, []<DType To>() -> Kernel {
    using In = std::conditional_t<To == DType::F64, std::uint64_t, std::uint32_t>;
    return mapUnary<Repr<To>, In, [](In a) { return fromBits<Repr<To>>(a); }>;
  });
}

} // namespace ordo::dsl::detail
