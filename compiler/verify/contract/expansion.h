// The work of ContractTerms.
//
// 1. An expression is run as its plan: operands first, each node once.
// 2. A use of a definition binds the definition's variables and runs its value; a reduction binds
//    its own, runs its body at each position, and folds what comes out by the order.
// 3. Both are remembered by what they depend on: a use by its indices, a reduction by the outer
//    variables' forms. So a row's reductions are made once for all its columns.
// Calls nest as deep as definitions and reductions do in the text, never with a reduction's length.
#pragma once

#include "compiler/verify/contract/contract_terms.h"
#include "compiler/verify/contract/plan.h"
#include "compiler/verify/contract/value.h"

#include <functional>
#include <unordered_map>

namespace ordo::verify {

/// The operation that puts elements of a reduction together.
dsl::Op mergeOf(dsl::ReduceOp op);

/// How dsl::fold puts values together.
struct Merge {
  Arithmetic &arithmetic;
  dsl::Op op;
  dsl::DType type;

  Value add(const Value &a, const Value &b) const { return arithmetic.binary(op, type, a, b); }
  Value round(const Value &value, dsl::DType to) const;
  Value literal(double value) const;
};

class ContractTerms::Expansion {
public:
  Expansion(const dsl::Program &program, Terms &terms, std::vector<AffineId> dims,
            std::vector<Term> scalars);

  const std::vector<AffineId> &shape(dsl::TensorId tensor);
  AffineId number(dsl::TensorId tensor, std::span<const AffineId> index);
  Element element(dsl::TensorId output, std::span<const AffineId> index);
  Terms &terms() { return terms_; }
  Value run(dsl::ExprId root);
  void foldLongRuns() { foldsLongRuns_ = true; }

private:
  /// A definition or a reduction, and the forms that it depends on.
  using Key = std::vector<std::uint32_t>;
  struct KeyHash {
    std::size_t operator()(const Key &key) const;
  };
  using Memo = std::unordered_map<Key, Value, KeyHash>;

  struct Prepared {
    Plan extents, condition, body;
    std::vector<dsl::VarId> outer;
  };
  /// Elements of a reduction in turn: values, or the two factors of a fused product; `live` where a
  /// condition on data decides whether a product counts.
  struct Leaves {
    std::vector<Value> values, factors;
    std::vector<Term> live;
  };

  void bind(const std::vector<dsl::VarId> &variables, std::span<const AffineId> forms);
  void run(const Plan &plan, std::vector<Value> &values, bool isFirst);
  Value valueOf(dsl::ExprId id, std::span<const Value> args, dsl::DType from);
  Value computed(dsl::ExprId id, std::span<const Value> args, dsl::DType from);
  Value loaded(const dsl::Expr &e, std::span<const Value> args);
  Value used(const dsl::Expr &e, std::span<const Value> args);

  Value reduction(const dsl::Expr &e);
  const Prepared &prepared(dsl::ReductionId id);
  void check(const dsl::Reduction &r) const;
  Value reduce(const dsl::Expr &e, const Prepared &p, std::span<const AffineId> extents);
  std::int64_t lengthOf(const dsl::Reduction &r, std::span<const AffineId> extents,
                        std::vector<std::int64_t> &sizes) const;
  Leaves leavesOf(const dsl::Expr &e, const Prepared &p, const std::vector<std::int64_t> &sizes,
                  std::int64_t length);
  Value counted(const dsl::Expr &e, const Value &value);
  void addLeaf(const dsl::Expr &e, std::span<const Value> body, const Term &live, Leaves &leaves);
  Value elementOf(const dsl::Expr &e, const Prepared &p);
  Value reduceFree(const dsl::Expr &e, const Prepared &p, AffineId extent);
  Value foldFree(const dsl::Expr &e, const Prepared &p, std::span<const std::int64_t> runs,
                 AffineId begin, AffineId length);
  // Long reductions over a number of elements (long_reduction.cc).
  std::optional<Value> reduceLong(const dsl::Expr &e, const Prepared &p, std::int64_t length);
  Value leafAt(const dsl::Expr &e, const Prepared &p, AffineId index);
  Value partial(const dsl::Expr &e, const Prepared &p, const dsl::Order &within, AffineId begin,
                std::int64_t length);
  Value foldOf(const dsl::Expr &e, std::int64_t count,
               const std::function<void(AffineId step, std::vector<Value> &)> &elements);
  std::vector<Value> fusedRuns(const dsl::Expr &e, const Leaves &leaves);

  const dsl::Program &program_;
  Terms &terms_;
  Arithmetic arithmetic_;
  std::vector<AffineId> dims_;
  std::vector<Term> scalars_;
  std::vector<std::optional<AffineId>> bound_; // by VarId
  std::unordered_map<dsl::TensorId, std::vector<AffineId>> shapes_;
  std::unordered_map<dsl::ExprId, Plan> plans_; // of definitions' values and guards, and extents
  std::unordered_map<dsl::ReductionId, Prepared> prepared_;
  Memo uses_, reductions_;
  int depth_ = 0;
  bool foldsLongRuns_ = false;
};

} // namespace ordo::verify
