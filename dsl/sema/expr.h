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

/// The names on the left of a fold or scan: its carries, then its yields.
struct FoldLayout {
  struct Index {
    std::string name;
    Span span;
    ExprId extent = kNone;
  };
  struct Head {
    std::string name;
    Span span;
    std::vector<Index> own;   // but for a yield's step
    std::optional<Type> type; // of an output
  };
  std::vector<Index> shared;
  std::vector<Head> heads;
};

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
  /// A view by itself; reports what is wrong with it.
  bool checkView(const Symbol &view);
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
  /// A condition after `where`, into `where` and assumed from here on. False after a report.
  bool checkGuard(NodeId condition, Scope &scope, ExprId &where);
  /// Binders `i in n`, as index variables in the scope entered; bounds may be data. False after a
  /// report.
  bool bindVariables(std::span<const NodeId> binders, Scope &scope, std::vector<VarId> &vars);
  /// A new index variable, in scope as `name`; kNone after a report.
  VarId bindVariable(const std::string &name, Span span, ExprId extent, Scope &scope);
  /// An index for axis `axis` of what `entry` names, shown to be in range; kNone after a report.
  ExprId checkAxis(NodeId node, Scope &scope, const Entry &entry, std::size_t axis, ExprId extent);
  /// The same of a place that is made already, which `node` names.
  bool checkPlace(NodeId node, Scope &scope, ExprId place, const Entry &entry, std::size_t axis,
                  ExprId extent);
  /// Whether `id` reads the tensor.
  bool reads(ExprId id, std::uint64_t tensor) const;
  bool readsData(ExprId id) const;
  /// The type of a carry or a yield, after checkFold.
  const Type &typeOf(CarryId carry) const { return carryTypes_.at(carry); }
  /// How far an index of `define` runs, read off its uses in `rest`; kNone where none shows it.
  ExprId extentBelow(const Node &define, std::size_t axis, std::span<const NodeId> rest,
                     Scope &scope);
  /// `let n = …` within `for`.
  bool checkLet(NodeId let, Scope &scope);
  /// One condition of an `assume`: added to the program and to what is known of indices.
  bool checkAssumption(NodeId node, Scope &scope);
  /// The recurrence `fold`, a Fold node, whose names on the left are laid out as `layout` says.
  std::optional<RecurrenceId> checkFold(NodeId fold, const FoldLayout &layout, Scope &scope);
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
  // Enters another scope for as long as it lives.
  struct Frame {
    Frame(ExprChecker &checker, Scope &scope) : checker_(checker), before_(checker.scope_) {
      checker.scope_ = &scope;
    }
    ~Frame() { checker_.scope_ = before_; }
    Frame(const Frame &) = delete;
    Frame &operator=(const Frame &) = delete;

    ExprChecker &checker_;
    Scope *before_;
  };
  template <class F> bool contains(ExprId id, F &&is) const;
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
  std::vector<VarId> variablesOf(const Entry &entry) const;
  ExprId axisIndex(NodeId id, const Entry &entry, std::size_t axis, ExprId extent);
  bool inRange(NodeId id, ExprId index, ExprId extent, const Entry &entry, std::size_t axis);
  Compound choice(const Node &n, const Form *hint);
  Value comparison(const Node &n);
  Value compareValues(const Node &n, std::string_view word, const Value &left, const Value &right);
  Value conjunction(const Node &n, const Value &a, const Value &b);
  Value tupleComparison(const Node &n);
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
  bool meetsIndex(const Type &a, const Type &b) const;
  bool asIndices(std::span<const NodeId> ids, std::vector<Value> &values);
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
  Value ceilingQuotient(const Node &n);
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
  Value reductionBody(const Node &n, ReduceOp op, NodeId body, const Type *hint);
  Value dotBody(const Node &n, NodeId body);
  bool guard(NodeId condition, ExprId &where);
  bool bindBinders(std::span<const NodeId> binders, std::vector<VarId> &vars);
  bool bindAs(const std::string &name, Span span, VarId var);
  bool reductionOrder(const Node &n, NodeId order, const Type &type, Reduction &reduction);

  // --- argmax and top (ranking.cc)
  Value ranking(const Node &n);
  bool rankKeys(const Node &n, std::size_t first, ExprId variable, Reduction &reduction);
  ExprId slotOf(const Node &n, Reduction &reduction);
  bool hasEnough(const Node &n, const Reduction &reduction);

  // --- assume (assume.cc)
  bool assumePlainly(NodeId id, Assumption &assumption);
  bool assumeForAll(const Node &n, Assumption &assumption);
  bool assumeOver(const Node &n, std::size_t values, Assumption &assumption);

  // --- Views (view.cc)
  Value viewAccess(const Node &n, const Symbol &view);
  bool bindViewParameter(const Node &n, NodeId argument, const Node &view, const Node &param,
                         Scope &inside);
  bool bindViewExtent(NodeId extent, ExprId actual, Span at, Scope &inside);
  bool declareViewTensor(const Node &param, Scope &scope);
  bool bindViewIndices(const Node &n, const Node &view, Scope &inside);

  // --- fold and scan (recurrence.cc)
  bool startsOf(const Node &fold, const FoldLayout &layout, Recurrence &r);
  bool inferTypes(const Node &fold, const FoldLayout &layout, Recurrence &r);
  bool tryTypes(const Node &fold, const FoldLayout &layout, Recurrence r, DType real, DType whole);
  bool giveTypes(const Node &fold, const FoldLayout &layout, Recurrence &r, DType real,
                 DType whole);
  bool foldBody(const Node &fold, const FoldLayout &layout, Recurrence &r);
  bool foldStep(const Node &fold, const FoldLayout &layout, Recurrence &r);
  bool foldMerge(const Node &fold, const FoldLayout &layout, Recurrence &r);
  bool foldOrder(const Node &fold, Recurrence &r);
  bool declareCarries(const FoldLayout &layout, const Recurrence &r, const std::string &prefix,
                      Span span, Side side);
  bool bindStep(std::span<const NodeId> statements, std::span<const NodeId> block,
                std::vector<DefId> &locals);
  bool localArray(NodeId define, std::span<const NodeId> rest, std::vector<DefId> &locals);
  ExprId localExtent(const Node &define, std::size_t axis, std::span<const NodeId> rest);
  // A variable around a place: a binder's, or an index of a local array.
  struct Around {
    std::string_view name;
    NodeId binder;
    const Node *define;
    std::size_t axis;
  };
  ExprId extentBelow(const Node &define, std::size_t axis, std::span<const NodeId> rest,
                     int &budget);
  ExprId extentOfUse(const Node &define, std::size_t axis, NodeId root, std::vector<Around> &around,
                     std::span<const NodeId> rest, int &budget);
  ExprId quietExtent(NodeId binder);
  bool isWhole(NodeId id) const;
  bool carriedValues(const Node &results, const FoldLayout &layout, std::span<const CarryId> parts,
                     std::size_t first, ExprId Carry::*into);

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
  RecurrenceId recurrence_ = kNone;         // entered
  std::map<CarryId, Type> carryTypes_;
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
