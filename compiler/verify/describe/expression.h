// One value as text, its reductions and shared parts under names of their own.
#pragma once

#include "compiler/verify/describe/describe.h"

#include <map>
#include <string>

namespace ordo::verify {

/// The reductions of a launch, each looked for once.
class KnownReductions {
public:
  explicit KnownReductions(Terms &terms) : terms_(terms) {}
  /// Nothing where `node` is none.
  const Reduction *at(NodeId node);

private:
  Terms &terms_;
  std::map<NodeId, std::optional<Reduction>> found_;
  std::size_t wasted_ = 0; // values of trees that are no reductions
};

/// Fills `value` and `parts`.
void writeValue(Terms &terms, KnownReductions &reductions, NodeId root, OutputTree &tree);

/// A number for the expression whatever its indices: equal for equal expressions.
class Shapes {
public:
  Shapes(Terms &terms, KnownReductions &reductions) : terms_(terms), reductions_(reductions) {}
  std::uint32_t of(NodeId node, int depth = 0);

private:
  Terms &terms_;
  KnownReductions &reductions_;
  std::map<NodeId, std::uint32_t> known_;
  std::map<std::vector<std::uint64_t>, std::uint32_t> numbers_;
  std::map<std::string, std::uint64_t> orders_;
};

} // namespace ordo::verify
