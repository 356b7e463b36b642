// Ground terms: what one output element is, with every reduction written out as its tree.
//
// A term is an expression over loads of input elements, scalars and constants, hash-consed in a
// pool: equal ids are equal trees. Terms grow deep (a `seq` over 152,064 elements is a chain of as
// many), so no walk here recurses, and destroying a pool frees three arrays.
#pragma once

#include "dsl/eval/tensor.h"
#include "dsl/term/program.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ordo::dsl {

using TermId = std::uint32_t;

/// Ops as in Program, less Var, Size, Use and Reduce, which expansion replaces. Load: payload is
/// the TensorId and the arguments are Index terms, constants but for gathers by data.
struct Term {
  Op op = Op::Const;
  DType type = DType::F32;
  std::uint64_t payload = 0;
  std::uint32_t firstArg = 0;
  std::uint32_t argCount = 0;
  std::uint64_t hash = 0; // of the structure: the same in every pool
  std::uint64_t size = 1; // nodes of the tree, shared ones counted each time; saturates
};

class TermPool {
public:
  /// Interns a term; `args` are ids of this pool.
  TermId make(Op op, DType type, std::uint64_t payload, std::span<const TermId> args);
  TermId make(Op op, DType type, std::uint64_t payload = 0,
              std::initializer_list<TermId> args = {}) {
    return make(op, type, payload, std::span<const TermId>(args.begin(), args.size()));
  }
  TermId constant(DType type, std::uint64_t bits) { return make(Op::Const, type, bits); }

  std::size_t size() const { return terms_.size(); }
  const Term &term(TermId id) const { return terms_[id]; }
  std::span<const TermId> args(TermId id) const {
    return {args_.data() + terms_[id].firstArg, terms_[id].argCount};
  }
  bool isConstant(TermId id) const { return terms_[id].op == Op::Const; }

private:
  void grow();

  std::vector<Term> terms_;
  std::vector<TermId> args_;
  std::vector<TermId> table_; // open addressing by hash; kNone: free
};

/// The term of element `index` of the tensor `output`, for the given sizes of the free dimensions
/// (by DimId; see dsl/eval/launch.h). Every reduction is folded by its order; `max` and `min` of
/// elements are taken from their start, max(-inf, v), so that all-NaN gives it; an element whose
/// `where` is false by its indices is the identity, and `if where then v else identity` when data
/// decides. Expressions over indices alone are computed; floats are left as written.
/// Nothing, and why in `error`, where the element is not written, an extent depends on data, or an
/// order has a stage that terms do not express (`mma`).
std::optional<TermId> expand(const Program &program, TensorId output,
                             std::span<const std::int64_t> index,
                             std::span<const std::int64_t> dims, TermPool &pool,
                             std::string *error);

/// What the leaves of terms stand for.
struct TermInputs {
  std::vector<const TensorValue *> tensors; // by TensorId; outputs are null
  std::vector<std::uint64_t> scalars;       // by ScalarId
};

/// The bits of each root (NaN canonical), or nothing and why: a load outside its tensor whose value
/// is used, an operation without meaning in its type.
std::optional<std::vector<std::uint64_t>> evaluateTerms(const TermPool &pool,
                                                        std::span<const TermId> roots,
                                                        const TermInputs &inputs,
                                                        std::string *error);

/// The term in one line, `a + b + c` meaning (a + b) + c. Chains of one operation longer than
/// `longestChain`, subtrees deeper than `deepest` and what is left after `mostNodes` are folded to
/// a count, so that the text of any term is short. Tensor and scalar names come from `program`.
struct PrintLimits {
  std::size_t longestChain = 6;
  int deepest = 32;
  std::size_t mostNodes = 400;
};
std::string toString(const TermPool &pool, TermId root, const Program &program,
                     PrintLimits limits = {});

} // namespace ordo::dsl
