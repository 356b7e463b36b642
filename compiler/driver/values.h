// Single values as text: bits to decimal, and what a user types to bits.
#pragma once

#include "dsl/eval/tensor.h"
#include "dsl/types/dtype.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace ordo::compiler::driver {

/// The shortest decimal that reads back as the value: of an f64 as that, of every narrower float as
/// an f32. "nan", "inf", "true", "-3".
std::string valueText(dsl::DType type, std::uint64_t bits);

/// "0x3f800000": all digits of the type.
std::string bitsText(dsl::DType type, std::uint64_t bits);

/// The first values of an array, separated by blanks; "…" when there are more than `count`.
std::string firstValues(const dsl::TensorValue &tensor, std::size_t count);

/// The bits of `type` that `text` spells: a literal of the language, with a sign, or "nan".
/// Integers are fine for floats here ("2" is 2.0). Throws misuse that says why not; `what` names
/// the scalar.
std::uint64_t parseValue(const std::string &what, const std::string &text, dsl::DType type);

} // namespace ordo::compiler::driver
