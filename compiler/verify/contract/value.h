// What an expression of the language stands for, and the language's operations on it.
#pragma once

#include "compiler/verify/term/terms.h"
#include "dsl/term/program.h"

#include <cstdint>
#include <span>

namespace ordo::verify {

/// By the expression's type:
/// - an integer: `bits`, of its width; a bool: `bits`, of one bit;
/// - a float: `id`, a node of its format;
/// - an index: `id`, an exact form.
struct Value {
  Term bits;
  std::uint32_t id = 0;
};

/// Each operation of the language on values of the types that the language gives it. DomainError
/// where the terms do not express it.
class Arithmetic {
public:
  explicit Arithmetic(Terms &terms) : terms_(terms) {}

  Value constant(dsl::DType type, std::uint64_t bits);
  /// Bits of a type: a scalar argument, or an element of an input.
  Value ofBits(dsl::DType type, const Term &bits);
  static Value index(AffineId form) { return {{}, form}; }
  Value undefined(dsl::DType type);
  bool isUndefined(dsl::DType type, const Value &value) const;

  /// The operation of `e`, which is not a leaf, on operands of type `from` (of Select: the last's).
  Value apply(const dsl::Expr &e, dsl::DType from, std::span<const Value> args);
  Value binary(dsl::Op op, dsl::DType type, const Value &a, const Value &b);
  Value fma(dsl::DType type, const Value &a, const Value &b, const Value &c);
  Value select(dsl::DType type, const Term &condition, const Value &a, const Value &b);
  Value cast(dsl::DType to, dsl::DType from, const Value &value, dsl::Rounding rounding);
  /// Of floats: several max or min as one set. To be said of a value once it is whole.
  Value settled(dsl::DType type, const Value &value);
  NodeId stored(dsl::DType type, const Value &value);
  /// As one node, and back; no Index.
  NodeId node(dsl::DType type, const Value &value);
  Value ofNode(dsl::DType type, NodeId node);

private:
  Value ofFloat(NodeId node) const { return {{}, node}; }
  Value ofTerm(const Term &bits) const { return {bits, 0}; }

  Value unary(dsl::Op op, dsl::DType type, const Value &a);
  Value onFloats(dsl::Op op, dsl::DType type, NodeId a, NodeId b);
  Value onIndices(dsl::Op op, AffineId a, AffineId b);
  Term onBools(dsl::Op op, const Term &a, const Term &b);
  Term onIntegers(dsl::Op op, dsl::DType type, const Term &a, const Term &b);
  Term floorQuotient(dsl::DType type, const Term &a, const Term &b);
  Term floorRemainder(dsl::DType type, const Term &a, const Term &b);
  Term shifted(dsl::Op op, dsl::DType type, const Term &a, const Term &by);
  Term machine(Op op, unsigned width, std::initializer_list<Term> src);

  Term compare(dsl::Op op, dsl::DType from, const Value &a, const Value &b);
  Term equal(dsl::DType from, const Value &a, const Value &b);
  /// a < b, or a <= b.
  Term less(bool orEqual, dsl::DType from, const Value &a, const Value &b);
  /// The two as integers of one width below 64, if one is read from such and the other fits.
  struct Narrow {
    Term a, b;
    unsigned width;
  };
  std::optional<Narrow> narrowed(AffineId a, AffineId b);

  Value fromFloat(dsl::DType to, NodeId value, Round rounding);
  Value fromIndex(dsl::DType to, AffineId value);
  Value fromInteger(dsl::DType to, dsl::DType from, const Term &value);
  Value toTf32(NodeId value);

  Terms &terms_;
  struct Source {
    Term value;
    unsigned width;
  };
  std::unordered_map<AffineId, Source> signed_; // indices that are integers with a sign
};

} // namespace ordo::verify
