// Types and values while an operator is checked.
#pragma once

#include "dsl/term/program.h"

#include <cstddef>
#include <string>
#include <vector>

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

/// What a function takes and gives: a scalar, an array of scalars, or a tuple of any of them. Sema
/// takes arrays and tuples apart; a program has scalars alone.
struct Form {
  enum class Kind : std::uint8_t { Scalar, Array, Tuple } kind = Kind::Scalar;
  Type type;                      // Scalar; Array: of its elements
  std::size_t size = 0;           // Array
  std::vector<Form> parts;        // Tuple
  std::vector<std::string> names; // Tuple: of its parts, where they have some

  Form() = default;
  explicit Form(const Type &type) : type(type) {}

  bool isScalar() const { return kind == Kind::Scalar; }
  /// Arrays of one size, tuples of equal parts; names do not count.
  bool operator==(const Form &other) const;
  /// The types of the scalars it is made of, in order.
  std::vector<Type> leaves() const;
};

/// "f32", "u32[2]", "(f32, u32[2])".
std::string toString(const Form &form);

/// A checked expression of any form: its scalars in order. Without any it was refused and reported.
struct Compound {
  Form form;
  std::vector<ExprId> leaves;

  Compound() = default;
  Compound(Form form, std::vector<ExprId> leaves)
      : form(std::move(form)), leaves(std::move(leaves)) {}
  Compound(const Value &value) : form(value.type) {
    if (value)
      leaves.push_back(value.id);
  }

  explicit operator bool() const { return !leaves.empty(); }
  /// Of a scalar.
  Value value() const { return {leaves.front(), form.type}; }
  /// Of a tuple or an array; the index is in range.
  Compound part(std::size_t index) const;
};

} // namespace ordo::dsl
