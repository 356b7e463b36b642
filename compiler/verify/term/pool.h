// Meanings: hash-consed expressions that the symbolic machine and the contract are both brought to.
// Equal nodes are equal trees; the laws by which different code comes to one tree sit in terms.h.
#pragma once

#include "compiler/verify/term/affine.h"
#include "dsl/types/dtype.h"

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ordo::verify {

enum class Kind : std::uint8_t {
  Undefined,
  Constant, // payload: bits
  Symbol,   // payload: index into the symbols: a block's number, a size, an address
  Input,    // payload: the tensor; args: the element's row-major number, an Integer
  Integer,  // payload: AffineId; the form modulo 2^width
  FloorDiv, // payload: AffineId; floor(form / divisor); args: the divisor, a constant
  // Of one bit.
  AtLeastZero, // payload: AffineId; form >= 0, exactly
  IsZero,      // payload: AffineId
  Not,
  And,
  Or,
  FEq,
  FLt,
  FLe,
  IsNan,
  CmpEq,
  CmpLtU,
  CmpLeU,
  CmpLtS,
  CmpLeS,
  // Floats, rounded to nearest even unless the payload says otherwise.
  FAdd,
  FMul,
  FDiv,
  FFma,
  FSqrt,
  FNeg,
  FAbs,
  FMin,
  FMax,
  FMinNan,
  FMaxNan,
  FMinSet, // of all the arguments, a NaN dropped
  FMaxSet,
  FConvert,  // payload: Round; from the argument's format
  FRoundInt, // payload: Round
  UToF,
  SToF,
  Approx, // payload: index of its name
  OfBits,
  // Bits; a float among the arguments stands for its bits, those of a NaN being some NaN's.
  FToU, // payload: Round
  FToS,
  BitAnd,
  BitOr,
  BitXor, // any number of arguments
  Shl,
  ShrU,
  ShrS,
  Mul, // payload kExactProduct: of indices, any number of them, less than 2^63 together
  MulHiU,
  MulHiS,
  MinU,
  MinS,
  MaxU,
  MaxS,
  DivS,
  RemS,
  Popc,
  Clz,
  Brev,
  SignExtend,
  Concat,  // lowest first
  Extract, // payload: the lowest bit
  Select,  // condition, then, else
  Carry,   // one bit: out of the sum of two registers
  Borrow,
  Fold, // payload: AffineId, how many steps; args: first, next, and the symbols that next has for
        // the value before and for the step
  Gcn,  // payload: twice the Op, plus 1 for its second result
};
std::string_view name(Kind kind);
inline constexpr std::uint64_t kExactProduct = 1;

/// A float's format, or bits.
struct Sort {
  dsl::DType format = dsl::DType::Index; // Index: bits
  std::uint8_t width = 32;

  bool isFloat() const { return format != dsl::DType::Index; }
  bool operator==(const Sort &) const = default;
  static Sort bits(unsigned width) { return {dsl::DType::Index, static_cast<std::uint8_t>(width)}; }
  static Sort of(dsl::DType format) {
    return {format, static_cast<std::uint8_t>(dsl::bitWidth(format))};
  }
};

struct Node {
  Kind kind = Kind::Undefined;
  Sort sort;
  std::uint64_t payload = 0;
  std::uint32_t firstArg = 0;
  std::uint32_t argCount = 0;
};

class Pool {
public:
  NodeId make(Kind kind, Sort sort, std::uint64_t payload, std::span<const NodeId> args);
  NodeId make(Kind kind, Sort sort, std::uint64_t payload = 0,
              std::initializer_list<NodeId> args = {}) {
    return make(kind, sort, payload, std::span<const NodeId>(args.begin(), args.size()));
  }
  const Node &node(NodeId id) const { return nodes_[id]; }
  std::span<const NodeId> args(NodeId id) const {
    return {args_.data() + nodes_[id].firstArg, nodes_[id].argCount};
  }
  std::size_t size() const { return nodes_.size(); }

  std::vector<std::string> symbols; // names, by payload
  std::vector<std::string> approximations;
  std::vector<std::string> tensors; // names, for messages

private:
  /// A place of the hash table; part of the hash beside the node spares a look at most others.
  struct Place {
    std::uint32_t hash = 0;
    NodeId node = 0;
  };
  void grow();

  std::vector<Node> nodes_;
  std::vector<NodeId> args_;
  std::vector<Place> table_;
};

/// In one line; what is deeper than `depth` or beyond `nodes` is "…".
std::string toString(const Pool &pool, const AffinePool &affine, NodeId root, int depth = 12,
                     int nodes = 120);
std::string formText(const Pool &pool, const AffinePool &affine, AffineId form);

} // namespace ordo::verify
