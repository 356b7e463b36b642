// NumPy's .npy files: little-endian, C order.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include "dsl/eval/tensor.h"

#include <optional>
#include <string>

namespace ordo::dsl {

/// Reads `path` (format 1, 2 or 3) as an array of `wanted`. Descriptors: <f8 <f4 <f2 <i4 <i8 <u4
/// <u8
/// ?; bf16 lies as <u2 or V2 and f8 as u1 or V1, since NumPy has neither. Nothing else is
/// converted. On failure returns nothing, and `error` says what the file has and what would do.
std::optional<TensorValue> readNpy(const std::string &path, DType wanted, std::string *error);

/// The file of `value` in format 1 (bf16 as <u2, f8 as |u1), for who writes several at once.
std::string npyBytes(const TensorValue &value);

/// Writes npyBytes(value): to a temporary file beside `path`, which
/// then takes its name, so that no half-written file stays. Returns whether it went well.
bool writeNpy(const std::string &path, const TensorValue &value, std::string *error);

} // namespace ordo::dsl
