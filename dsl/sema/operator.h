// An operator with what a kernel binds, made into a program.
#pragma once

#include "dsl/sema/expr.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ordo::dsl {

/// What a kernel gives, by the operator's names; the values are nodes of the kernel's module.
struct Binding {
  const Module *module = nullptr;
  std::map<std::string, NodeId> generics;
  std::map<std::string, NodeId> scalars;
};

/// Fills `program` from the operator `op`:
///   1. generics become numbers, types and orders (or stay unknown in a generic check)
///   2. parameters become tensors and scalars; dimensions named only there are free
///   3. `let` and `require` in order: constants settle, the rest is left for the launch and assumed
///   4. definitions in order; every output gets exactly one
class OperatorChecker {
public:
  /// `binding` is null for the generic check. Definitions named in `skipped` are left out: a first
  /// run showed that no output needs them.
  OperatorChecker(const Symbol &op, const Binding *binding, const std::set<std::string> &skipped,
                  Program &program, Reporter &report);

  /// False after errors.
  bool run();

  /// Definitions that no output needs, after a run without errors.
  std::set<std::string> unusedDefinitions() const;
  const std::vector<std::pair<Symbol, Span>> &calls() const { return checker_.calls(); }

private:
  const Node &node(NodeId id) const { return ast_[id]; }

  bool declareGenerics();
  bool declareGeneric(const Node &generic);
  bool bindGeneric(const Node &generic, Entry &entry);
  bool bindOrder(NodeId value, Entry &entry);
  bool bindType(const Node &generic, NodeId value, Entry &entry);
  bool bindDimension(const Node &generic, NodeId value, Entry &entry);

  bool declareParameters();
  void declareFreeDimensions(const Node &param);
  bool declareTensor(const Node &param, Tensor::Role role);
  bool declareScalar(const Node &param, const Type &type);
  bool checkShapes();

  bool settleConstants();
  bool let(const Node &statement);
  bool require(NodeId condition);
  std::string valuesIn(NodeId condition) const;

  void announce(const Node &statement);
  bool statement(const Node &statement);
  // One name on the left of `=`: of a definition, or of the tuple in one.
  struct Head {
    const Node &statement;
    const Node &name;
    std::span<const NodeId> indices;
    NodeId guard, value;
    std::size_t part = 0, parts = 0; // of a tuple
  };
  std::vector<Head> headsOf(const Node &statement) const;
  bool defineAll(const std::vector<Head> &heads);
  bool define(const Head &head);
  Value valueOf(const Head &head, const Entry *output);
  bool bindIndices(const Head &head, const Entry *output, Definition &definition);
  ExprId extentOf(const Node &index, std::span<const NodeId> roots, const Node *define = nullptr,
                  std::size_t axis = 0);
  std::span<const NodeId> restAfter(const Node &define) const;
  bool mentionsRefused(NodeId root) const;

  // --- Definitions whose points stand where data says, and recurrences (place.cc)
  bool loop(const Node &statement);
  void refuse(const Head &head);
  bool bindLoop(Definition &definition);
  bool arePlaced(const Head &head, const Entry *output, Definition &definition);
  bool promisesDistinct(const Definition &definition, Span span);
  bool update(const Node &statement);
  bool updated(const Node &statement, const Entry &entry, Definition &definition);
  bool bindFreeNames(const Node &statement, const Entry &entry, Definition &definition);
  void freeNames(NodeId root, std::vector<NodeId> &names) const;
  bool fold(const std::vector<Head> &heads);
  std::optional<FoldLayout> layoutOf(const std::vector<Head> &heads);
  bool indicesOf(const std::vector<Head> &heads, FoldLayout &layout);
  std::size_t ownOfOne(const Head &head) const;
  std::optional<FoldLayout::Index> foldIndex(const Head &head, std::size_t axis);
  bool definePart(const Head &head, const FoldLayout &layout, RecurrenceId recurrence);
  bool alreadyDefined(const Head &head, const Entry &entry);
  bool allOutputsDefined();
  void warnUnused();

  Symbol op_;
  const Ast &ast_;
  const Node &n_;
  const Binding *binding_;
  const std::set<std::string> &skipped_;
  Program &program_;
  Reporter &report_;
  Scope scope_;
  ExprChecker checker_;
  std::map<std::string, Span> later_; // definitions not reached yet
  const Node *loop_ = nullptr;        // the `for` around the definition that is checked
  bool bindsBadly_ = false;           // its head was refused
};

} // namespace ordo::dsl
