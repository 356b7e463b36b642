// What the functions of contracts/math should be: their values in f64 by the system's library, and
// by MPFR to any precision. Shares no code with dsl.
#pragma once

#include <mpfr.h>

#include <cstdint>
#include <span>
#include <string_view>

namespace ordo::math {

struct Function {
  std::string_view name;
  /// Within kLibraryBound units in the last place of f64 (the sweep tries this against MPFR).
  double (*library)(double);
  /// `x` is exact; the result is within a unit in the last place of `y`.
  void (*exact)(mpfr_t y, const mpfr_t x);
};

/// In units in the last place of f64: an f64 value is trusted to round to f32 as the true value
/// does where no boundary between two floats is this near.
inline constexpr int kLibraryBound = 64;

/// All of them, by name.
std::span<const Function> functions();

/// Null where there is none of this name.
const Function *findFunction(std::string_view name);

/// f(x) rounded once to f32, to nearest even, by MPFR with 200 bits; a NaN is 0x7fc00000.
std::uint32_t exactly(const Function &function, std::uint32_t x);

/// The same by the library where that is safe, else by MPFR, which is then counted.
std::uint32_t expected(const Function &function, std::uint32_t x, std::uint64_t &byMpfr);

/// Whether the interval of kLibraryBound around the f64 number `value` holds a boundary between two
/// floats.
bool isNearBoundary(double value);

/// |got - f(x)| in units in the last place of f32 at f(x), by MPFR. An infinite result stands for
/// 2^128, and is exact where f(x) is past it; a zero of either sign is zero. Infinite where only
/// one of the two is a NaN.
double exactError(const Function &function, std::uint32_t x, std::uint32_t got);

/// How far f(x) is from the nearest boundary between two floats, in units in the last place of f64
/// at f(x), by MPFR; infinite where f(x) is no finite number or past the floats.
double boundaryDistance(const Function &function, std::uint32_t x);

/// f(x) to odd: an f64 that rounds to every narrower format as f(x) itself does (Boldo and
/// Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to
/// odd", 2008).
double toOdd(const Function &function, std::uint32_t x);

} // namespace ordo::math
