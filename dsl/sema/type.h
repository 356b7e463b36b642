// Types and values while an operator is checked.
#pragma once

#include "dsl/term/program.h"

#include <string>

namespace ordo::dsl {

/// An element type, or in the generic check of an operator one of its type parameters, which is
/// equal to itself alone and otherwise behaves like some floating-point type.
struct Type {
  DType dtype = DType::F32;
  const std::string *parameter = nullptr; // its name, owned by the operator's tree

  bool operator==(const Type &) const = default;
  bool isOpaque() const { return parameter != nullptr; }
};

inline std::string toString(const Type &type) {
  return type.parameter ? *type.parameter : std::string(name(type.dtype));
}

/// The types that have arithmetic: f8 has casts only.
inline bool isComputable(const Type &type) {
  return type.isOpaque() || (isFloat(type.dtype) && bitWidth(type.dtype) > 8);
}

/// A checked expression. Without an id it was refused and reported; what uses it stays silent.
struct Value {
  ExprId id = kNone;
  Type type;

  explicit operator bool() const { return id != kNone; }
};

} // namespace ordo::dsl
