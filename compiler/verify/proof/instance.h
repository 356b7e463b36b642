// Integers and conditions of a symbolic run, computed at given sizes and a given block: for
// counter-examples.
#pragma once

#include "compiler/verify/term/terms.h"

#include <optional>
#include <unordered_map>

namespace ordo::verify {

class Instance {
public:
  explicit Instance(const Terms &terms) : terms_(terms) {}

  /// Gives a symbol its value; what was computed from another one is forgotten.
  void set(NodeId symbol, Wide value);
  /// Nothing where it depends on data, or on a symbol without a value.
  std::optional<Wide> ofForm(AffineId form);
  /// Of a node of bits; of one bit: 0 or 1.
  std::optional<Wide> ofNode(NodeId node, int depth = 0);

private:
  std::optional<Wide> computed(NodeId node, int depth);
  std::optional<Wide> form(AffineId id, int depth);
  std::optional<Wide> logic(NodeId node, int depth);

  const Terms &terms_;
  std::unordered_map<NodeId, Wide> symbols_;
  std::unordered_map<NodeId, std::optional<Wide>> known_;
};

} // namespace ordo::verify
