// What an order computes at one length, as an expression in which equal parts are one node: the
// means of comparing orders.
//
// Two values computed alike have one id, whichever stages made them, so that `pairs(4) | pairs` and
// `pairs` come out equal by one comparison of ids. Rounding twice to a type, or to a wider one
// after a narrower one, is rounding once; see Facts for what else counts as alike.
#pragma once

#include "dsl/order/order.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ordo::dsl {

/// What is known of the reduction's operation, bit for bit. Nothing by default: what holds then
/// holds for every operation, `merge` included.
struct Facts {
  bool commutes = false;               // a ⊕ b = b ⊕ a: + max min
  bool minusZeroIsTheIdentity = false; // a ⊕ -0.0 = -0.0 ⊕ a = a: +

  bool operator==(const Facts &) const = default;
};
inline constexpr Facts kSumFacts{true, true};

/// Whether every value of `narrow` is one of `wide`.
bool isWithin(DType narrow, DType wide);

class Expressions {
public:
  using Id = std::uint32_t;
  enum class Kind : std::uint8_t {
    Element, // `left`: its index
    Literal, // a start or a pad: the bits of a double, high half in `left`
    Merge,   // left ⊕ right
    Round,   // `left` rounded to `type`
    Fma,     // one step of an `fma` run: the accumulator `left`, the product `right`
    Mma,     // one product more in an `mma` run
  };
  struct Node {
    std::uint32_t left = 0;
    std::uint32_t right = 0;
    Kind kind = Kind::Element;
    DType type = DType::F64;

    bool operator==(const Node &) const = default;
  };

  explicit Expressions(const Facts &facts = {}) : facts_(facts) {}

  /// Forgets everything; the elements 0 … length-1 become the nodes of the same ids.
  void reset(std::int64_t length);
  /// The values that the steps leave of the elements: one after a total stage.
  std::vector<Id> fold(const std::vector<Step> &steps);
  const Node &node(Id id) const { return nodes_[id]; }
  double literalValue(Id id) const;
  std::int64_t elements() const { return elements_; }
  /// Nodes asked for since construction: what comparing costs.
  std::int64_t work() const { return work_; }

private:
  friend struct ExpressionOps;
  Id make(Node node);
  Id merge(Id left, Id right);
  Id round(Id value, DType type);
  Id literal(double value);
  std::vector<Id> fusedRuns(const Stage &stage, const std::vector<Id> &products);
  void grow();

  Facts facts_;
  std::int64_t elements_ = 0;
  std::int64_t work_ = 0;
  std::vector<Node> nodes_;
  std::vector<Id> table_; // open addressing; its size is a power of two
};

} // namespace ordo::dsl
