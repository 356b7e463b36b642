// The functions that the language itself provides.
#pragma once

#include "dsl/term/program.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ordo::dsl {

/// A function whose arguments and result have one type, which the arguments give.
struct Builtin {
  std::string_view name;
  Op op;
  std::size_t arity;
  bool floats;   // f64, f32, f16, bf16
  bool integers; // i32, i64, u32, u64
  bool index;
};

/// sqrt, abs, floor, fma, mulhi, min, max, min_nan, max_nan.
const Builtin *findBuiltin(std::string_view name);

/// A call that converts: `f32(x)`, `bf16.rz(x)`, `f8e5m2.sat(x)`, `f32.of_bits(u)`, `E(x)`.
struct Conversion {
  enum class Kind : std::uint8_t { Cast, OfBits } kind = Kind::Cast;
  std::string typeName;             // "f32", or a type parameter
  std::optional<Rounding> rounding; // nothing: none was written
  std::string suffix;               // as written
};

/// `callee` cut into a type's name and a known suffix ("", "rz", "sat", "nosat", "of_bits");
/// nothing for another suffix. Whether the first part is a type is for the caller to see.
std::optional<Conversion> splitConversion(std::string_view callee);

/// A built-in function, a type, or a reduction: no local or module-level name may be one. (The
/// reductions are words of the grammar; `top` and `count` stay free as names of definitions.)
bool isReservedName(std::string_view name);

/// Names of built-in functions and types, for "did you mean".
std::vector<std::string> builtinNames();

} // namespace ordo::dsl
