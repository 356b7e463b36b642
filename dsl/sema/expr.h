// Checks expressions and builds their nodes. The members are spread over expr.cc (names, indices,
// choices), arithmetic.cc (operators, literals, type mismatches), call.cc (built-ins, conversions,
// functions), reduce.cc and orders.cc.
#pragma once

#include "dsl/sema/builtins.h"
#include "dsl/sema/index_algebra.h"
#include "dsl/sema/scope.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ordo::dsl {

/// Generic: dimensions are free, types and orders unknown, functions are not entered, and what only
/// numbers can show is left to the instantiation. Instance: everything is known.
enum class Mode : std::uint8_t { Generic, Instance };

class ExprChecker {
public:
  ExprChecker(Program &program, Reporter &report, Mode mode)
      : program_(program), report_(report), mode_(mode), algebra_(program) {}

  /// Checks `node` of the scope's module. `hint` is the type that the context would like: literals
  /// take it, other expressions may turn out otherwise.
  Value check(NodeId node, Scope &scope, const Type *hint);
  /// The same, and reports when the type is not `want`. `what` ends "expected f32 for …": "the
  /// value of `y`".
  Value checkAs(NodeId node, Scope &scope, const Type &want, const std::string &what);
  /// An Index expression; `what` as above.
  ExprId checkIndex(NodeId node, Scope &scope, const std::string &what);
  /// The same for a value of any form.
  Compound checkForm(NodeId node, Scope &scope, const Form *hint);
  Compound checkFormAs(NodeId node, Scope &scope, const Form &want, const std::string &what);
  /// The form that a parameter or result of a function is declared with.
  std::optional<Form> formOf(NodeId type, Scope &scope);
  /// Declares a value, or one that was refused, under the name of `name`. False for the second,
  /// too.
  bool declareValue(const Node &name, const Compound &value, Scope &scope);
  /// Declares the local function `define` (a LetFn) in `scope`.
  bool declareFunction(NodeId define, Scope &scope);
  /// `what` ("the extent of `h`") may be negative, or is.
  void reportExtent(Span span, const std::string &what, ExprId extent);
  /// A type's name in a declaration: a dtype, or a type parameter in scope.
  std::optional<Type> checkType(const Node &node, const Scope &scope);
  /// The value of a top-level `let`.
  Value constantOf(const Symbol &let);

  /// An order as written, or nothing after a report. Empty in a generic check where it depends on
  /// an order parameter or a size that is not known yet.
  std::optional<Order> checkOrder(NodeId node, Scope &scope);
  std::optional<Order> orderOf(const Symbol &declaration);

  /// Made of dimensions and bool parameters alone: nothing read from memory.
  bool isOverDimensions(ExprId id) const;
  /// Whether `count` names can stand on the left of the tuple definition `define`; reports if not.
  bool isTupleOf(const Form &form, std::size_t count, const Node &define);
  IndexAlgebra &algebra() { return algebra_; }
  /// Where later definitions of the operator stand, for "used before its definition".
  void setLater(const std::map<std::string, Span> *later) { later_ = later; }
  /// Calls of functions seen by a generic check, with the place of each.
  const std::vector<std::pair<Symbol, Span>> &calls() const { return calls_; }
  /// A fresh value of `type` that stands for an unknown one.
  ExprId opaque(DType type);
  /// The same of any form; it depends on `args`.
  Compound opaque(const Form &form, std::span<const ExprId> args = {});

private:
  struct Frame;
  bool isGeneric() const { return mode_ == Mode::Generic; }
  const Ast &ast() const { return scope_->module().ast; }
  const Node &node(NodeId id) const { return ast()[id]; }
  std::string text(NodeId id) const;
  ExprId make(Op op, DType type, Span span, std::initializer_list<ExprId> args,
              std::uint64_t payload = 0);
  Value within(NodeId id, const Type *hint);
  Value withinAs(NodeId id, const Type &want, const std::string &what);
  Compound any(NodeId id, const Form *hint);
  Compound anyAs(NodeId id, const Form &want, const std::string &what);
  bool isWithinLimits(NodeId id);
  Value dispatch(NodeId id, const Type *hint);
  Compound dispatchAny(NodeId id, const Form *hint);

  // --- Names, indices, choices (expr.cc)
  Compound name(const Node &n);
  Compound local(const Node &n, const Entry &entry);
  Value unknownName(const Node &n);
  Value indexed(const Node &n);
  Value access(const Node &n, const Entry &entry, std::span<const NodeId> indices);
  ExprId axisIndex(NodeId id, const Entry &entry, std::size_t axis, ExprId extent);
  bool inRange(NodeId id, ExprId index, ExprId extent, const Entry &entry, std::size_t axis);
  Compound choice(const Node &n, const Form *hint);
  Value comparison(const Node &n);
  Compound block(const Node &n, const Form *hint);
  bool bindLocals(const Node &block);
  bool bindLocal(NodeId define);
  void warnUnused(std::size_t mark);

  // --- Arrays, tuples and what is made of them (compound.cc)
  std::optional<Form> arrayOf(const Node &n, const Type &type, Scope &scope);
  Compound array(const Node &n, const Form *hint);
  Compound tuple(const Node &n, const Form *hint);
  Value element(const Node &n);
  Value elementAt(const Compound &array, NodeId index);
  Compound field(const Node &n);
  Compound partNamed(const Compound &value, std::string_view name, Span span);
  bool bindTuple(const Node &define);
  bool mayEnter(const Node &call);
  Compound localCall(const Node &n, const Entry &entry);
  std::optional<std::size_t> iterateCount(NodeId id);
  std::vector<Compound> iterate(const Node &n);
  Compound iterateValue(const Node &n);
  bool iterateStep(const Node &n, std::vector<Compound> &carry);

  // --- Operators and literals (arithmetic.cc)
  bool isUntyped(NodeId id) const;
  /// Operands that must share a type; literals take it from the first that has one. False after a
  /// report. `what` names the construct: "`+`".
  bool unify(std::span<const NodeId> ids, const Type *hint, const Node &n, const std::string &what,
             std::vector<Value> &values);
  Value number(const Node &n, bool isNegative, const Type *hint);
  Value unary(const Node &n, const Type *hint);
  Value binary(const Node &n, const Type *hint);
  Value logical(const Node &n);
  Value integerDivision(const Node &n, Op op, const Value &left, const Value &right);
  Value indexArithmetic(Op op, std::span<const ExprId> args, Span span);
  Value badOperand(const Node &n, const std::string &what, const Type &type);
  void mixedTypes(const Node &n, const std::string &what, NodeId leftId, const Type &left,
                  NodeId rightId, const Type &right);
  void mismatch(NodeId id, const Type &want, const Type &found, const std::string &what);
  std::string castAdvice(NodeId id, const Type &from, const Type &to) const;

  // --- Calls (call.cc)
  Compound call(const Node &n, const Type *hint);
  bool hasArity(const Node &n, std::size_t arity);
  Value builtinCall(const Node &n, const Builtin &builtin, const Type *hint);
  Value bitsCall(const Node &n);
  Value conversion(const Node &n, const Conversion &conversion, const Type &target);
  Value ofBits(const Node &n, const Type &target);
  Value tf32(const Node &n);
  Value cast(const Node &n, const Value &value, const Type &target,
             std::optional<Rounding> rounding);
  Value castConstantIndex(const Node &n, std::int64_t value, DType target, Rounding rounding);
  bool isCastAllowed(const Node &n, const Type &from, const Type &to,
                     std::optional<Rounding> rounding, const std::string &suffix);
  std::optional<Form> knownForm(NodeId type, Scope &scope);
  Compound functionCall(const Node &n, const Symbol &function);
  Compound inlined(const Node &n, const Symbol &function, const std::vector<Compound> &arguments,
                   const Form &result);

  // --- Reductions (reduce.cc)
  Value reduction(const Node &n, const Type *hint);
  bool bindVariables(const Node &n, std::size_t binders, Reduction &reduction);
  Value reductionBody(const Node &n, ReduceOp op, NodeId body, const Type *hint);
  Value dotBody(const Node &n, NodeId body);
  bool reductionOrder(const Node &n, NodeId order, const Type &type, Reduction &reduction);

  // --- Orders (orders.cc)
  std::optional<Order> orderNamed(const Node &n);
  bool appendStage(NodeId id, Order &order, bool &isKnown);
  std::optional<Stage> plainStage(const Node &n, bool &isKnown);
  std::optional<double> exactValue(NodeId id);
  void reportMalformed(const Node &pipe, const Order &order);

  Program &program_;
  Reporter &report_;
  Mode mode_;
  IndexAlgebra algebra_;
  Scope *scope_ = nullptr;
  const std::map<std::string, Span> *later_ = nullptr;
  std::vector<std::pair<Symbol, Span>> calls_;
  std::map<std::pair<const Module *, NodeId>, Value> constants_; // of top-level lets
  std::map<std::pair<const Module *, NodeId>, std::optional<Order>> orders_;
  std::vector<Symbol> open_; // lets and orders being resolved
  std::uint64_t nextOpaque_ = 0;
  std::vector<const Node *> openLocals_;    // local functions entered
  std::vector<const Node *> refusedLocals_; // local functions that were refused, and it was said
  bool repeats_ = false;                    // a round after the first, which gave the warnings
  int depth_ = 0;
  int inlineDepth_ = 0;
  std::size_t steps_ = 0;
  bool saidTooLarge_ = false;
};

/// Whether every value of `from` has itself as its value in `to`.
bool isExactCast(const Type &from, const Type &to);

/// Payloads of Op::Scalar from here on stand for unknown values of a generic check.
inline constexpr std::uint64_t kFirstOpaque = std::uint64_t{1} << 32;

} // namespace ordo::dsl
