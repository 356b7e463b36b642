// The bits that a node stands for, once its symbols and inputs are given: what the kinds of nodes
// mean, said a second time and without the laws. Floats are computed by dsl/eval.
#pragma once

#include "compiler/verify/term/affine.h"
#include "compiler/verify/term/pool.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ordo::verify {

struct NodeInputs {
  std::vector<std::uint64_t> symbols; // by the payload of Kind::Symbol
  /// The bits of an element by its row-major number; nothing where the tensor has none.
  std::function<std::optional<std::uint64_t>(std::uint32_t tensor, Wide number)> element;
  /// Which NaN a float's bits show where an operation on bits reads them; nothing: the contract's.
  std::function<std::uint64_t(dsl::DType format)> nan;
};

/// Evaluates many roots of one pool, each node once. Never recurses.
class NodeEvaluator {
public:
  NodeEvaluator(const Pool &pool, const AffinePool &affine, NodeInputs inputs)
      : pool_(pool), affine_(affine), inputs_(std::move(inputs)) {}

  /// Zero-extended from the node's width; a float's NaN is the contract's. Nothing where it has no
  /// value (an undefined operand, an element outside its tensor, a zero divisor, an approximation)
  /// that is needed: fault() says why.
  std::optional<std::uint64_t> bits(NodeId root);
  /// A form's exact value.
  std::optional<Wide> number(AffineId form);
  const std::string &fault() const { return fault_; }

private:
  enum class State : std::uint8_t { Unknown, Known, None };
  struct Entry {
    State state = State::Unknown;
    std::uint64_t bits = 0;
  };

  void evaluate(NodeId root);
  void operandsOf(NodeId id, std::vector<NodeId> &operands) const;
  std::optional<std::uint64_t> compute(NodeId id);
  std::optional<std::uint64_t> folded(const Node &n, std::span<const NodeId> args);
  std::optional<std::uint64_t> leaf(const Node &n, NodeId id);
  std::optional<std::uint64_t> condition(const Node &n, std::span<const NodeId> args);
  std::optional<std::uint64_t> isOfClass(const Node &n, std::span<const NodeId> args);
  std::optional<std::uint64_t> ofFloats(const Node &n, std::span<const NodeId> args);
  std::optional<std::uint64_t> ofBits(const Node &n, std::span<const NodeId> args);
  std::optional<std::uint64_t> toInteger(const Node &n, NodeId arg);
  std::optional<std::uint64_t> concatenated(std::span<const NodeId> args) const;
  std::optional<Wide> atom(NodeId id) const;
  std::optional<Wide> value(AffineId form) const;
  std::uint64_t asBits(NodeId id) const;
  std::int64_t asSigned(NodeId id) const;
  std::nullopt_t none(std::string why);

  const Pool &pool_;
  const AffinePool &affine_;
  NodeInputs inputs_;
  std::vector<Entry> entries_;
  std::string fault_;
};

} // namespace ordo::verify
