// Values as the author would write them, and two of them side by side down to where they part.
#pragma once

#include "compiler/verify/symbolic/summary.h"

#include <string>
#include <vector>

namespace ordo::verify {

struct TextLimits {
  int depth = 6;
  int nodes = 24;
  std::size_t chain = 5; // summands of one sum, largest of a maximum, …
};

class Trees {
public:
  /// Arrays by Argument::tensor, from the signature.
  Trees(Terms &terms, const Signature &signature);

  /// In one line: `bf16(x[4*block + 1, 17] * (a + b + …))`.
  std::string text(NodeId root, TextLimits limits = {});
  /// "y[4*block + 1, 17]".
  std::string element(const Argument &array, AffineId number);
  /// Row-major indices, outermost first; the number itself where inner extents are not numbers.
  std::vector<AffineId> indices(const Argument &array, AffineId number);

  struct Row {
    std::string contract, code;
    enum class Mark : std::uint8_t { Alike, Parts, Differs } mark = Mark::Alike;
  };
  /// From the roots down to the first difference, one node a row, what is equal in short.
  std::vector<Row> sideBySide(NodeId contract, NodeId code);

private:
  class Line;

  std::vector<std::pair<NodeId, NodeId>> children(NodeId contract, NodeId code) const;
  bool looksAlike(NodeId a, NodeId b) const;
  std::string head(NodeId id) const;
  Row parted(const std::string &indent, NodeId contract, NodeId code);

  Terms &terms_;
  const Signature &signature_;
};

/// Two columns under "contract" and "code", the row where they part marked by ≠.
std::string columns(const std::vector<Trees::Row> &rows);

} // namespace ordo::verify
